#!/usr/bin/env python3
"""Prints what the overview's first sentence says of profiles, as a table in Markdown (docs/measurements/verdicts.md keeps one).

  tests/tools/verdict_table.py build/release/stepscope PROFILE...
  tests/tools/verdict_table.py build/release/stepscope --generated build/release/tests/make_gpu_xspace

--generated makes the profiles with planted losses (in a folder that is removed afterwards) and puts the planted share
beside the measured one.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import textwrap

PLANTED = {
    'healthy': [],
    'inputbound': ['--scenario', 'inputbound'],
    'launchbound': ['--scenario', 'launchbound'],
    'copies': ['--scenario', 'copies'],
    'staggered': ['--scenario', 'staggered'],
    'marker after input': ['--marker', 'after-input', '--input-wait', '4000'],
    'between': ['--between', '5000'],
    'healthy, run ahead': ['--run-ahead'],
    'launchbound, run ahead': ['--scenario', 'launchbound', '--run-ahead'],
    'staggered, 4 GPUs': ['--scenario', 'staggered', '--gpus', '4'],
}


def planted_percent(name, step):
    part = 0
    if name in ('inputbound', 'marker after input'):
        part = step['input_wait_ps']
    if name == 'between':
        part = step['between_ps']
    if name.startswith('staggered'):
        part = step['gpus'][0]['collective_wait_ps']
    return 100 * part / step['period_ps'] if part else None


def overview(program, path):
    command = [program, 'report', path, '--panel', 'overview', '--format', 'json']
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode:
        sys.exit(f'{path}: {run.stderr.strip()}')
    return json.loads(run.stdout)['panels']['overview']


class Table:
    """Rows of numbers, then the sentences."""

    def __init__(self):
        print('| input | verdict | share (planted) | median step | steps |\n|---|---|---|---|---|')
        self.sentences = []

    def add(self, name, page, planted=None):
        p = page['properties']
        share = f"{p['verdict_percent']:.1f} %" + (f' ({planted:.1f} %)' if planted is not None else '')
        steps = f"{p['step_count']}{' inferred' if p['steps_inferred'] else ''}"
        step = f"{p['step_ms_median']:.2f} ms" if p['step_ms_median'] is not None else '-'
        print(f"| {name} | {p['verdict']} | {share} | {step} | {steps} |")
        sentence = re.sub(r' \(\S+:\d+\)', '', page['findings'][0]['text'])  # where Python functions stand
        self.sentences.append(f'- {name}: {sentence}')

    def finish(self):
        print()
        for sentence in self.sentences:
            print(textwrap.fill(sentence, 118, subsequent_indent='  ', break_on_hyphens=False))


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    program, paths = sys.argv[1], sys.argv[2:]
    table = Table()
    if paths[0] != '--generated':
        for path in paths:
            table.add(os.path.basename(path.rstrip('/')).split('.')[0], overview(program, path))
        table.finish()
        return
    with tempfile.TemporaryDirectory() as folder:
        for name, arguments in PLANTED.items():
            profile, truth = os.path.join(folder, 'p.xplane.pb'), os.path.join(folder, 'truth.json')
            subprocess.run([paths[1], profile, '--truth', truth, '--no-memory', *arguments], check=True,
                           stdout=subprocess.DEVNULL)
            with open(truth) as f:
                step = json.load(f)['steps'][3]
            table.add(name, overview(program, profile), planted_percent(name, step))
    table.finish()


main()
