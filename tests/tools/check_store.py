#!/usr/bin/env python3
"""Checks that a store says what its source says, byte for byte but for the path.

check_store.py PROGRAM PATH... [--shared FOLDER]: exports each profile as a store, then compares what `report`, `events`,
`info` and `compare` print and what `screenshot` draws for the two. With --shared, also every profile that FOLDER holds.
"""

import argparse
import filecmp
import os
import pathlib
import subprocess
import sys
import tempfile

FOLDERS = ('profiles', 'traces', 'other', 'snapshots')  # of a folder of recordings
PICTURE_BYTES = 60_000_000  # larger profiles are not drawn: their analyses take long


def run(program, arguments):
    done = subprocess.run([program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return done.returncode, done.stdout, done.stderr


def output(program, path, arguments, hidden):
    """What a command says of a profile, without the paths."""
    status, out, error = run(program, [arguments[0], path, *arguments[1:]])
    for name in hidden:
        out, error = (text.replace(str(name).encode(), b'PATH') for text in (out, error))
    return status, out, error


def size(path):
    files = [path] if path.is_file() else [f for f in path.rglob('*') if f.is_file()]
    return sum(f.stat().st_size for f in files)


def first_difference(a, b):
    for number, (x, y) in enumerate(zip(a.splitlines(), b.splitlines()), 1):
        if x != y:
            return f'line {number}: {x[:200]!r} and {y[:200]!r}'
    return f'{len(a)} and {len(b)} bytes'


def check(program, path, folder):
    """The differences, in words; None where the path is no profile."""
    store = folder / 'x.stepscope'
    status, _, error = run(program, ['export', path, '-o', store])
    if status == 3:
        return None
    if status != 0:
        return [f'export: {error.decode(errors="replace").strip()}']
    wrong = []
    commands = [['report', '--format', 'json'], ['report', '--compat', 'xprof', '--format', 'json'],
                ['events', '--format', 'csv'], ['events', '--stats', '--format', 'json'],
                ['compare', path, '--panel', 'overview', '--format', 'json']]
    if size(path) < 5_000_000:
        commands.append(['events', '--args', '--format', 'json'])
        commands.append(['export'])
    for command in commands:
        mine, theirs = (output(program, p, command, (store, path)) for p in (store, path))
        if mine == theirs:
            continue
        for what, a, b in zip(('status', 'output', 'error'), mine, theirs):
            if a != b:
                detail = f'{a} and {b}' if what == 'status' else first_difference(a, b)
                wrong.append(f'{" ".join(map(str, command))}: {what}: {detail}')
    if size(path) < PICTURE_BYTES:
        pictures = [folder / 'store.svg', folder / 'source.svg']
        for profile, picture in zip((store, path), pictures):
            status, _, error = run(program, ['screenshot', profile, '-o', picture, '--size', '1280x800'])
            if status != 0:
                return [*wrong, f'screenshot: {error.decode(errors="replace").strip()}']
        if not filecmp.cmp(*pictures, shallow=False):
            wrong.append('screenshot: the timelines differ')
    return wrong


def shared_profiles(folder):
    for name in FOLDERS:
        root = folder / name
        if root.is_dir():
            yield from sorted(p for p in root.iterdir() if not p.name.startswith('.'))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('program')
    parser.add_argument('paths', nargs='*', type=pathlib.Path)
    parser.add_argument('--shared', type=pathlib.Path)
    options = parser.parse_args()
    paths = list(options.paths)
    if options.shared is not None:
        if not options.shared.is_dir():
            print('SKIPPED: the recordings beside the repository are not there')
            return 0
        paths.extend(shared_profiles(options.shared))
    bad = 0
    with tempfile.TemporaryDirectory() as temp:
        folder = pathlib.Path(temp)
        os.environ['STEPSCOPE_CONFIG_DIR'] = str(folder / 'config')
        for path in paths:
            wrong = check(options.program, path, folder)
            if wrong is None:
                continue
            bad += bool(wrong)
            print(f'{path}: {"same" if not wrong else "differs"}', *wrong, sep='\n  ')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
