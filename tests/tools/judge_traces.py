#!/usr/bin/env python3
"""Judges PyTorch traces and exports of Nsight Systems without Stepscope's code, and compares that with what Stepscope
says (docs/measurements/verdicts.md has the table).

  tests/tools/judge_traces.py build/release/stepscope TRACE.json.gz|EXPORT.sqlite...

From the file alone: a step lasts from the end of the last device event of the step before to the end of its own last
one, the first from its mark or the end of what was launched before; an event belongs to the ProfilerStep in which it
was launched. Each moment of a step goes to the highest of compute, copies to the host, copies on the device,
collectives, copies to the device; an idle moment is `queued` if the launch of the next event had returned before the
gap, `launch` from that launch's begin on, and else `host` or `input`, by whether a loader or a function that
preprocesses is open on the launching thread. Long launches, blocking calls and unrecorded causes are not told apart:
Stepscope's classes launch, compile, sync, host and unknown are one column. Shares are of the steps that count, in
percent, as mean over devices. Without a GPU, compute is the time in which an operator is open. Where nothing marks
steps, an annotation in which nine in ten launches lie is the step, to the end of the work; without one, the time from a
device's first event to its last.
"""
import bisect
import copy
import gzip
import json
import os
import re
import sqlite3
import statistics
import subprocess
import sys

COLLECTIVE = re.compile(r'nccl|rccl|all_?reduce', re.I)
INPUT = re.compile(r'DataLoader|(^|[^A-Za-z_])preprocess$|load_batch|data_load')
CLASSES = ('compute', 'copies on device', 'copies', 'collectives', 'input', 'queued', 'host and launch')
OURS = {'collectives': 'collectives', 'collective_wait': 'collectives', 'copies': 'copies', 'input': 'input',
        'queued': 'queued'}


def union(ranges):
    out = []
    for begin, end in sorted(ranges):
        if out and begin <= out[-1][1]:
            out[-1][1] = max(out[-1][1], end)
        else:
            out.append([begin, end])
    return out


def overlap(ranges, begin, end):
    at = bisect.bisect_left(ranges, [begin, begin])
    total = 0
    for b, e in ranges[max(0, at - 1):]:
        if b >= end:
            break
        total += max(0, min(e, end) - max(b, begin))
    return total


def level(event):
    """The class of a device event, and its rank: the lowest of those open has the moment."""
    name, cat = event['name'], event['cat']
    if cat == 'kernel':
        return (3, 'collectives') if COLLECTIVE.search(name) else (0, 'compute')
    if 'DtoH' in name:
        return 1, 'copies'
    return (4, 'copies') if 'HtoD' in name else (2, 'copies on device')


class Trace:
    def __init__(self, path):
        with (gzip.open(path) if path.endswith('.gz') else open(path)) as f:
            events = json.load(f)['traceEvents']
        events = [e for e in events if e.get('ph') == 'X' and 'dur' in e]
        of = lambda *cats: [e for e in events if e.get('cat') in cats]
        self.device = sorted(of('kernel', 'gpu_memcpy', 'gpu_memset'), key=lambda e: e['ts'])
        self.calls = {e['args']['correlation']: e for e in of('cuda_runtime', 'cuda_driver') if
                      'correlation' in e.get('args', {})}
        notes = sorted(of('user_annotation'), key=lambda e: e['ts'])
        self.marks = [e for e in notes if e['name'].startswith('ProfilerStep')] or self.one_call(notes)
        self.ops = of('cpu_op', 'user_annotation')
        inputs = {}
        for e in of('cpu_op', 'user_annotation', 'python_function'):
            if INPUT.search(e['name']):
                inputs.setdefault((e['pid'], e['tid']), []).append((e['ts'], e['ts'] + e['dur']))
        self.inputs = {thread: union(ranges) for thread, ranges in inputs.items()}

    def one_call(self, notes):
        starts = [self.launched(e) for e in self.device]
        inside = lambda note: sum(note['ts'] <= t < note['ts'] + note['dur'] for t in starts)
        return [note for note in notes if starts and inside(note) >= 0.9 * len(starts)][:1]

    def call(self, event):
        return self.calls.get(event.get('args', {}).get('correlation'))

    def launched(self, event):
        """When; work without a recorded launch was launched before the recording."""
        call = self.call(event)
        return call['ts'] if call is not None else float('-inf')


class NsysTrace(Trace):
    """The same of an SQLite export: kernels, copies and fills, and the calls with their correlation ids."""

    def __init__(self, path):
        self.marks, self.inputs, self.ops, self.calls, self.device = [], {}, [], {}, []
        base = sqlite3.connect(f'file:{path}?mode=ro', uri=True)
        strings = dict(base.execute('SELECT id, value FROM StringIds'))
        directions = {1: 'HtoD', 2: 'DtoH'}
        kinds = (('KERNEL', 'kernel', 'demangledName'), ('MEMCPY', 'gpu_memcpy', 'copyKind'),
                 ('MEMSET', 'gpu_memset', 'value'))
        for table, category, name in kinds:
            rows = base.execute(f'SELECT start, end, {name}, correlationId, deviceId, globalPid '
                                f'FROM CUPTI_ACTIVITY_KIND_{table}')
            for start, end, named, correlation, device, pid in rows:
                text = strings.get(named, '') if category == 'kernel' else directions.get(named, 'DtoD')
                self.device.append({'ts': start / 1e3, 'dur': (end - start) / 1e3, 'name': text, 'cat': category,
                                    'pid': (pid, device), 'args': {'correlation': (pid, correlation)}})
        for start, end, tid, correlation in base.execute('SELECT start, end, globalTid, correlationId '
                                                         'FROM CUPTI_ACTIVITY_KIND_RUNTIME'):
            pid = tid & ~0xffffff
            self.calls[pid, correlation] = {'ts': start / 1e3, 'dur': (end - start) / 1e3, 'pid': pid, 'tid': tid}
        self.device.sort(key=lambda e: e['ts'])


def device_steps(trace):
    """[begin, end, events] of each step; the last one ends with its last event."""
    if not trace.marks:
        end = max(e['ts'] + e['dur'] for e in trace.device)
        return [[trace.device[0]['ts'], end, trace.device]]
    begins = [m['ts'] for m in trace.marks]
    steps = [[] for _ in trace.marks]
    for event in trace.device:
        launched = trace.launched(event)
        at = bisect.bisect_right(begins, launched) - 1
        if at >= 0 and launched < begins[at] + trace.marks[at]['dur']:
            steps[at].append(event)
    earlier = [e['ts'] + e['dur'] for e in trace.device if trace.launched(e) < begins[0]]
    out, before = [], None
    for mark, events in zip(trace.marks, steps):
        if not events:
            continue
        end = max(e['ts'] + e['dur'] for e in events)
        out.append([max([mark['ts']] + earlier) if before is None else before, end, events])
        before = end
    return out


def counted(steps, length, size):
    """Without a first step that is much longer or shorter than the others, and without parts of steps."""
    if len(steps) < 2:
        return steps
    events = statistics.median(size(s) for s in steps)
    kept = [s for i, s in enumerate(steps) if 0 < i < len(steps) - 1 or size(s) >= 0.6 * events]
    others = statistics.median(length(s) for s in steps[1:])
    if kept and kept[0] is steps[0] and not 0.75 * others <= length(steps[0]) <= 1.5 * others:
        kept = kept[1:]
    return kept or steps


def idle_part(trace, event, begin, end, sums):
    call = trace.call(event)
    if call is not None and call['ts'] + call['dur'] <= begin:
        sums['queued'] += end - begin
        return
    called = min(max(call['ts'], begin), end) if call is not None else end
    waited = overlap(trace.inputs.get((call['pid'], call['tid']), []), begin, called) if call is not None else 0
    sums['input'] += waited
    sums['host and launch'] += end - begin - waited


def judge_devices(trace):
    """The mean over devices; which steps count goes by that mean too."""
    devices = []
    for device in sorted({e['pid'] for e in trace.device}):
        own = copy.copy(trace)
        own.device = [e for e in trace.device if e['pid'] == device]
        devices.append((own, device_steps(own)))
    length = lambda step: statistics.mean(end - begin for begin, end, _ in step)
    steps = counted(list(zip(*(steps for _, steps in devices))), length, lambda s: sum(len(d[2]) for d in s))
    sums = dict.fromkeys(CLASSES, 0)
    for at, (own, _) in enumerate(devices):
        judge_device(own, [step[at] for step in steps], sums)
    return [length(step) for step in steps], sums


def judge_device(trace, steps, sums):
    for begin, end, _ in steps:
        opened = []
        inside = [e for e in trace.device if e['ts'] < end and e['ts'] + e['dur'] > begin]
        cuts = sorted({begin, end} | {min(max(t, begin), end) for e in inside for t in (e['ts'], e['ts'] + e['dur'])})
        at = 0
        for b, e in zip(cuts, cuts[1:]):
            while at < len(inside) and inside[at]['ts'] <= b:
                opened.append(inside[at])
                at += 1
            opened = [o for o in opened if o['ts'] + o['dur'] > b]
            if opened:
                sums[min(level(o) for o in opened)[1]] += e - b
            elif at < len(inside):
                idle_part(trace, inside[at], b, e, sums)


def judge_cpu(trace):
    begins = [m['ts'] for m in trace.marks]
    steps = [(b, e) for b, e in zip(begins, begins[1:] + [begins[-1] + trace.marks[-1]['dur']])]
    steps = counted(steps, lambda s: s[1] - s[0], lambda s: 1)
    main = (trace.marks[0]['pid'], trace.marks[0]['tid'])
    loads = trace.inputs.get(main, [])
    ops = union((e['ts'], e['ts'] + e['dur']) for e in trace.ops if e['cat'] == 'cpu_op')
    sums = dict.fromkeys(CLASSES, 0)
    for begin, end in steps:
        both = overlap(union([list(r) for r in ops] + [list(r) for r in loads]), begin, end)
        sums['input'] += overlap(loads, begin, end)
        sums['compute'] += both - overlap(loads, begin, end)
        sums['host and launch'] += end - begin - both
    return [e - b for b, e in steps], sums


def ours(program, path):
    run = subprocess.run([program, 'report', path, '--page', 'overview', '--format', 'json'], capture_output=True,
                         text=True, check=True)
    page = json.loads(run.stdout)['panels']['overview']
    table = page['tables']['losses']
    columns = [c['id'] for c in table['columns']]
    rows = [r if isinstance(r, dict) else dict(zip(columns, r)) for r in table['rows']]
    shares = dict.fromkeys(CLASSES, 0)
    for row in rows:
        shares[OURS.get(row['class'], 'host and launch')] += row['percent']
    shares['compute'] = 100 - sum(row['percent'] for row in rows)
    return page['properties'], shares


HEAD = '| recording | step (ms) | compute | collectives | copies | input | queued | host and launch |\n' + 8 * '|---' + '|'


def row(name, program, path, times, sums):
    """A row of the table: the script's number / Stepscope's."""
    sums = dict(sums)
    sums['compute'] += sums.pop('copies on device', 0)
    properties, shares = ours(program, path)
    step = properties.get('step_ms_median') or 0
    if not properties['steps_counted']:
        times, step = [0], 0
    cells = [f'{statistics.median(times) / 1000:.2f} / {step:.2f}' if step else '- / -']
    whole = sum(sums.values())
    for cell in ('compute', 'collectives', 'copies', 'input', 'queued', 'host and launch'):
        cells.append(f'{100 * sums[cell] / whole:.1f} / {shares[cell]:.1f}')
    return f'| {name} | ' + ' | '.join(cells) + ' |'


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    print(HEAD)
    for path in sys.argv[2:]:
        trace = NsysTrace(path) if path.endswith('.sqlite') else Trace(path)
        name = os.path.basename(path).split('.')[0]
        if not trace.device and not trace.marks:
            print(f'{path}: no step and no device', file=sys.stderr)
            continue
        times, sums = judge_devices(trace) if trace.device else judge_cpu(trace)
        print(row(name, sys.argv[1], path, times, sums))


if __name__ == '__main__':
    main()
