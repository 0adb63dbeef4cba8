#!/usr/bin/env python3
"""Writes tests/golden/NAME.json: what XProf 2.24.2 says of a profile, as far as golden_test.cc compares it.

  python3 -m venv .venv && .venv/bin/pip install xprof==2.24.2
  .venv/bin/python tests/tools/make_golden.py tests/golden/NAME.json PROFILE.xplane.pb [MORE.xplane.pb]
  python3 tests/tools/make_golden.py tests/golden/NAME.json --answers ANSWERS.json

--answers takes what --keep wrote: XProf's answers by tool, so that the form of the goldens can change without XProf.
Every number is XProf's; each row of a table is one line.
"""
import argparse
import json
import os
import shutil
import tempfile

TOOLS = ['overview_page', 'input_pipeline_analyzer', 'kernel_stats', 'framework_op_stats', 'memory_profile']

KERNELS = ['rank', 'kernel_name', 'registers_per_thread', 'shmem_bytes', 'block_dim', 'grid_dim', 'occupancy_pct',
           'is_op_tensor_core_eligible', 'is_kernel_using_tensor_core', 'op_name', 'occurrences', 'total_duration_us',
           'avg_duration_us', 'min_duration_us', 'max_duration_us']
OPS = ['rank', 'host_or_device', 'type', 'operation', 'occurrences', 'total_time', 'avg_time', 'total_self_time',
       'avg_self_time', 'device_total_self_time_percent', 'device_cumulative_total_self_time_percent',
       'host_total_self_time_percent', 'Host_cumulative_total_self_time_percent', 'eager']
STEPS = ['stepnum', 'stepTimeMs', 'deviceComputeTimeMs', 'deviceToDeviceTimeMs', 'deviceCollectivesTimeMs',
         'hostComputeTimeMs', 'kernelLaunchTimeMs', 'infeedTimeMs', 'outfeedTimeMs', 'compileTimeMs', 'otherTimeMs']
TOP_OPS = ['operation', 'selfTimePercent', 'cumulativeTimePercent', 'category', 'tcEligibility', 'tcUtilization']
HOST_OPS = ['opName', 'count', 'timeInMs', 'timeInPercent', 'selfTimeInMs', 'selfTimeInPercent', 'category']
OVERVIEW = ['device_compute_16bit_percent', 'device_compute_32bit_percent', 'host_tf_op_percent', 'device_tf_op_percent',
            'host_op_time_eager_percent', 'device_op_time_eager_percent', 'steptime_ms_average',
            'steptime_ms_standard_deviation', 'steptime_ms_minimum', 'steptime_ms_maximum', 'device_core_count',
            'host_count', 'device_type', 'bottleneck', 'kernel_launch_bottleneck', 'device_collectives_bottleneck',
            'all_other_bottleneck']
LIVE = ['tfOpName', 'allocationBytes', 'requestedBytes', 'regionType', 'dataType', 'tensorShape', 'numOccurrences']


def ask(paths):
    """XProf's answers by tool. It writes caches beside what it reads, so it reads copies."""
    from xprof.convert import raw_to_tool_data
    host = os.path.basename(paths[0]).split('.')[0]
    answers = {'memory_host': host if len(paths) > 1 else ''}
    for tool in TOOLS:
        with tempfile.TemporaryDirectory() as scratch:
            some = paths[:1] if tool == 'memory_profile' else paths  # XProf has the memory of one host
            copies = [shutil.copy(p, scratch) for p in some]
            data, _ = raw_to_tool_data.xspace_to_tool_data(copies, tool, {'host': host, 'use_saved_result': False})
            data = json.loads(data) if data else {}
            answers[tool] = [plain(t) for t in data] if isinstance(data, list) else plain(data)
    return answers


def plain(table):
    """A table of Google charts with rows as objects; other JSON as it is."""
    if not isinstance(table, dict) or 'cols' not in table:
        return table
    ids = [c['id'] for c in table['cols']]
    rows = [dict(zip(ids, (c.get('v') for c in r['c']))) for r in table['rows']]
    return {'properties': table.get('p', {}), 'columns': ids, 'rows': rows}


def pick(table, columns):
    return {'columns': columns, 'rows': [[row.get(c) for c in columns] for row in table['rows']]}


def table_with(tables, column):
    return next((t for t in tables if column in t.get('columns', [])), {'rows': []})


def overview(tables):
    said = {}
    for t in tables:
        said.update(t.get('properties', {}))
    return {'properties': {k: said[k] for k in OVERVIEW if k in said},
            'steps': pick(table_with(tables, 'stepTimeMs'), STEPS),
            'top_ops': pick(table_with(tables, 'selfTimePercent'), TOP_OPS)}


def input_pipeline(tables):
    table = table_with(tables, 'opName')
    return {'properties': {k: v for k, v in table['properties'].items() if k.endswith('_us')},
            'host_ops': pick(table, HOST_OPS)}


def live(allocator):
    """What is live at the peak, equal allocations counted together, and the rows that XProf adds by size."""
    counts, special = {}, {}
    for a in allocator['activeAllocations']:
        at, occurrences = int(a['snapshotIndex']), int(a['numOccurrences'])
        if at < 0:
            size = int(allocator['specialAllocations'][int(a['specialIndex'])]['allocationBytes'])
            special[size] = special.get(size, 0) + occurrences
            continue
        m = allocator['memoryProfileSnapshots'][at]['activityMetadata']
        key = (m['tfOpName'], int(m['allocationBytes']), int(m['requestedBytes']), m['regionType'], m['dataType'],
               m['tensorShape'])
        counts[key] = counts.get(key, 0) + occurrences
    return ({'columns': LIVE, 'rows': [[*k, n] for k, n in counts.items()]},
            {'columns': ['allocationBytes', 'numOccurrences'], 'rows': [[k, n] for k, n in special.items()]})


def memory(answer, host):
    allocators = {}
    for name, allocator in sorted((answer or {}).get('memoryProfilePerAllocator', {}).items()):
        s = allocator['profileSummary']
        peak = s['peakStats']
        rows, special = live(allocator)
        allocators[name] = {'summary': {'peak_bytes_usage_lifetime': int(s['peakBytesUsageLifetime']),
                                        'memory_capacity_bytes': int(s['memoryCapacity']),
                                        'peak_bytes_in_use': int(peak['peakBytesInUse']),
                                        'peak_stack_bytes': int(peak['stackReservedBytes']),
                                        'peak_heap_bytes': int(peak['heapAllocatedBytes']),
                                        'peak_free_bytes': int(peak['freeMemoryBytes']),
                                        'peak_fragmentation': float(peak['fragmentation'])},
                            'live': rows, 'special': special}
    return {'host': host, 'allocators': allocators}


def golden(answers):
    with_idle, without = answers['framework_op_stats'][:2]
    return {'overview': overview(answers['overview_page']),
            'input_pipeline': input_pipeline(answers['input_pipeline_analyzer']),
            'kernel_stats': {'kernels': pick(answers['kernel_stats'], KERNELS)},
            'op_stats': {'ops_with_idle': pick(with_idle, OPS), 'ops': pick(without, OPS)},
            'memory': memory(answers['memory_profile'], answers.get('memory_host', ''))}


def value(v):
    return json.dumps(int(v) if isinstance(v, float) and v.is_integer() and abs(v) < 2**53 else v, ensure_ascii=False)


def text(v, indent=''):
    """JSON with one line for each row and each property."""
    if isinstance(v, dict) and set(v) == {'columns', 'rows'}:
        rows = [f'{indent}  [' + ', '.join(value(c) for c in row) + ']' for row in v['rows']]
        columns = ', '.join(value(c) for c in v['columns'])
        return f'{{\n{indent} "columns": [{columns}],\n{indent} "rows": [\n' + ',\n'.join(rows) + f'\n{indent} ]\n{indent}}}'
    if isinstance(v, dict) and v:
        return '{\n' + ',\n'.join(f'{indent} {value(k)}: {text(x, indent + " ")}' for k, x in v.items()) + f'\n{indent}}}'
    return value(v)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('golden')
    p.add_argument('profiles', nargs='*', help='one file for each host')
    p.add_argument('--answers', help='read XProf\'s answers from this file instead of asking it')
    p.add_argument('--keep', help='also write XProf\'s answers to this file')
    a = p.parse_args()
    if bool(a.profiles) == bool(a.answers):
        p.error('name profiles or --answers')
    if a.answers:
        with open(a.answers) as f:
            answers = json.load(f)
    else:
        answers = ask(a.profiles)
    if a.keep:
        with open(a.keep, 'w') as f:
            json.dump(answers, f, indent=1, sort_keys=True)
    with open(a.golden, 'w') as f:
        f.write(text(golden(answers)) + '\n')


if __name__ == '__main__':
    main()
