#!/usr/bin/env python3
"""Judges XSpaces of TensorFlow and JAX without Stepscope's code, and compares that with what Stepscope says
(docs/measurements/verdicts.md has the table).

  tests/tools/judge_xspaces.py build/release/stepscope FILE.xplane.pb|FILE.riegeli|FOLDER...

From the file alone:

CPU: a step lasts from the begin of an outermost event with a step number to the next one's. Compute is the union of
XLA's ops and thunks (a stat hlo_op, ThunkExecutor::Execute), of TensorFlow's ops (NAME:Type) outside the threads of
tf.data and of single eager ops (EagerLocalExecute of no function). Else, while the op IteratorGetNext is open, the time
is input. The rest is the host's.
GPU: by judge_traces.py's rules. Where nothing is marked, a call of PjitFunction begins a step.
TPU: a step is a run of the program with most time, from its first op to the next run's, by the core's clock. An op that
ends in -done waits: for a copy if its text says so, else for a collective. Other ops compute; the rest is idle.

Shares are of the steps that count, in percent, as mean over devices.
"""
import glob
import os
import re
import statistics
import sys

from judge_traces import CLASSES, HEAD, Trace, counted, judge_devices, overlap, row, union
from wire_xspace import planes

OP = re.compile(r'[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*:[A-Z_][A-Za-z0-9_]*$')
LOCAL = 'EagerLocalExecute: '
US = 1e6


def outermost(events):
    out = []
    for event in sorted(events, key=lambda e: (e.begin, -e.end)):
        if not out or event.begin >= out[-1].end:
            out.append(event)
    return out


def marks_of(events):
    """The marks of steps; TensorFlow marks those that count with _r if it has any."""
    marked = [e for e in events if 'step_num' in e.stats]
    return outermost([e for e in marked if e.stats.get('_r') == 1] or marked)


def is_compute(event, thread):
    if 'hlo_op' in event.stats or event.name == 'ThunkExecutor::Execute':
        return True
    if event.name.startswith(LOCAL):
        return not event.name.startswith(LOCAL + '__')  # functions are named __inference_NAME_NUMBER
    return not thread.startswith('tf_data') and bool(OP.match(event.name)) and not waits(event)


def waits(event):
    return event.name.startswith('IteratorGetNext')


def judge_cpu(host):
    events = [(line.name, e) for plane in host for line in plane.lines for e in line.events]
    marks = marks_of([e for _, e in events])
    steps = list(zip([m.begin for m in marks], [m.begin for m in marks[1:]] + [marks[-1].end]))
    steps = counted(steps, lambda s: s[1] - s[0], lambda s: 1)
    compute = union((e.begin, e.end) for thread, e in events if is_compute(e, thread))
    either = union([tuple(c) for c in compute] + [(e.begin, e.end) for _, e in events if waits(e)])
    sums = dict.fromkeys(CLASSES, 0)
    for begin, end in steps:
        computed, both = overlap(compute, begin, end), overlap(either, begin, end)
        sums['compute'] += computed
        sums['input'] += both - computed
        sums['host and launch'] += end - begin - both
    return [(e - b) / US for b, e in steps], sums


class GpuTrace(Trace):
    """Events of an XSpace as a Chrome trace would have them."""

    def __init__(self, gpus, host):
        self.device, self.calls, self.inputs, self.ops = [], {}, {}, []
        for gpu in gpus:
            for line in gpu.lines:
                self.device += [self.of_device(e, gpu.name) for e in line.events if line.name.startswith('Stream')]
        events = [(line.name, e) for plane in host for line in plane.lines for e in line.events]
        for thread, e in events:
            if 'correlation_id' in e.stats:
                self.calls[e.stats['correlation_id']] = {'ts': e.begin / US, 'dur': (e.end - e.begin) / US, 'pid': 0,
                                                         'tid': thread}
        self.device.sort(key=lambda e: e['ts'])
        begins = [e.begin / US for e in marks_of([e for _, e in events])]
        if not begins:
            begins = [e.begin / US for e in outermost([e for _, e in events if e.name.startswith('PjitFunction')])]
        ends = begins[1:] + [float('inf')]
        self.marks = [{'ts': b, 'dur': e - b} for b, e in zip(begins, ends)]

    @staticmethod
    def of_device(event, device):
        copies = {'MemcpyD2H': 'DtoH', 'MemcpyH2D': 'HtoD', 'MemcpyD2D': 'DtoD'}
        name = copies.get(event.name, event.name)
        copy = name in copies.values() or 'copyBuffer' in name
        return {'ts': event.begin / US, 'dur': (event.end - event.begin) / US, 'name': name, 'pid': device,
                'cat': 'gpu_memcpy' if copy else 'kernel', 'args': {'correlation': event.stats.get('correlation_id')}}


def tpu_class(op):
    name = op.name.split(' = ')[0]
    if not re.search(r'-done(\.\d+)?$', name):
        return 'compute'
    return 'copies' if 'copy' in name else 'collectives'


def judge_tpu(core):
    of = lambda name: [e for line in core.lines if line.name == name for e in line.events]
    programs = {}
    for module in of('XLA Modules'):
        programs.setdefault(module.name, []).append(module)
    runs = max(programs.values(), key=lambda p: sum(m.end - m.begin for m in p))
    clock = lambda e: (e.stats['device_offset_ps'], e.stats['device_offset_ps'] + e.stats['device_duration_ps'])
    ops = sorted((*clock(e), e) for e in of('XLA Ops') if 'device_offset_ps' in e.stats)
    first = [next(op for op in sorted(of('XLA Ops'), key=lambda e: e.begin) if op.begin >= run.begin) for run in runs]
    begins = sorted(clock(op)[0] for op in first)
    program = [op for op in ops if op[0] >= begins[0]]
    ends = begins[1:] + [max(end for _, end, _ in program)]
    sums = dict.fromkeys(CLASSES, 0)
    for begin, end, op in program:  # no op of this program is inside another
        sums[tpu_class(op)] += min(end, ends[-1]) - begin
    sums['host and launch'] += ends[-1] - begins[0] - sum(sums.values())
    return [(e - b) / US for b, e in zip(begins, ends)], sums


def judge(path):
    all_planes = list(planes(path))
    host = [p for p in all_planes if p.name.startswith('/host:CPU')]
    tpus = [p for p in all_planes if re.match(r'/device:TPU:\d+$', p.name)]
    gpus = [p for p in all_planes if re.match(r'/device:GPU:\d+$', p.name)]
    if gpus:
        return judge_devices(GpuTrace(gpus, host))
    if not tpus:
        return judge_cpu(host)
    cores = [judge_tpu(core) for core in tpus]
    sums = {name: sum(parts[name] for _, parts in cores) for name in CLASSES}
    return [statistics.mean(step) for step in zip(*(times for times, _ in cores))], sums


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    print(HEAD)
    for path in sys.argv[2:]:
        files = [path] if os.path.isfile(path) else [f for f in glob.glob(path + '/**/*', recursive=True) if
                                                     f.endswith(('.pb', '.riegeli'))]
        name = os.path.basename(path.rstrip('/')).split('.')[0]
        print(row(name, sys.argv[1], path, *judge(files[0])))


if __name__ == '__main__':
    main()
