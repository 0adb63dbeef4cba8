"""What `stepscope mcp` tells agents: the guide to the data model, and the skill."""

INSTRUCTIONS = """Profiles of TensorFlow, JAX and PyTorch programs. Begin with `open`, then `overview` and `findings`.
Times are picoseconds (ps) from the trace's origin where a name ends with _ps; other units stand in the name or in
`columns`. The resource stepscope://guide explains tables and units. An answer that is cut says how to get the rest."""

GUIDE = """# The data model of a profile

- A profile has hosts; a host has processes (devices, or the threads of a host); a process has tracks (streams,
  threads, counters); a track has events, which nest. Slices have a duration, instants have none.
- Steps are the program's: `train 3` is step 3. An event on a host belongs to the step that it begins in, one on a
  device to the step that launched it.
- Times are picoseconds from the trace's origin. 1 ms = 1,000,000,000 ps. Ranges are written `12ms..15ms`.
- Self time is the duration without that of the events one depth down on the same track.
- Percentiles are by nearest rank. Steps that are cut or warm-up count for no average.

## Tools

- `open`: what is inside a path. All other tools take the same path and open it by themselves.
- `overview`: the verdict in one sentence, and where a step goes. `findings`: what to fix first, with the saving.
- `report`: the tables of a page (kernel_stats, op_stats, memory, input_pipeline, hlo_stats, ranks, ...).
- `steps`, `events`, `statistics`: steps, single events, and their sums by name, track or step.
- `sql`: anything else. `.tables` lists tables, `.schema events` describes one.
- `compare`: what changed from a to b per step, and why. `check`: whether b is worse than allowed.
- `screenshot`: a picture of a window of its own, which nobody sees.
- `show`: moves the window that the person has open, if they allow it there: opens a profile, goes to a range, selects
  an event, brings a panel to the front. Say what you show and why.

## Queries of `events` and `statistics`

All terms must hold: `word` (the name contains it), `=whole name`, `track:TEXT`, `process:TEXT`, `cat:kernel`,
`dur>1ms`, `arg.KEY=VALUE`, `arg.KEY:TEXT`, `-TERM` (the term does not hold).

## Tables of `sql`

events(id, begin_ps, dur_ps, self_ps, name, category, track_id, depth, parent_id, step, launch_id, instant),
args(event_id, key, value), tracks(id, process_id, name, number, events, busy_ps),
processes(id, host, name, title, kind, device), steps(id, number, name, host, begin_ps, dur_ps, counts),
counters(track_id, name, time_ps, value), flows(id, category, from_id, to_id), programs(id, name, bytes), and each table
of a report as PANEL_TABLE, such as kernel_stats_kernels. `launch_id` is the call on the host that launched a kernel.
Several paths are the schemas a, b, ... Functions beside SQLite's: median(x), percentile(x, 95), stddev(x).
"""

SKILL = """---
name: stepscope
description: Answers questions about the speed of TensorFlow, JAX and PyTorch programs from their profiles.
---

# Reading profiles with stepscope

PATH is a log directory, an .xplane.pb, a Chrome trace, a Perfetto, Nsight Systems or ROCm file, or a .stepscope store.
Every command prints text; `--format json` gives data. Begin with `stepscope info PATH` and
`stepscope report PATH --panel overview`. Words in capitals stand for what you put there.

1. Why is my step slow? `stepscope report PATH --panel overview --panel findings`: the verdict, where a step goes, and
   what to fix first with its saving.
2. Which step is slow, and what is different in it? `stepscope report PATH --panel overview --table steps` lists the
   steps; then `stepscope events PATH --stats --steps 7..7` beside `stepscope events PATH --stats --steps 6..6`.
3. Who launched this kernel? `stepscope events PATH --query '=KERNEL' --steps 7..7 --args` has its arguments;
   `stepscope sql PATH "SELECT l.name, l.begin_ps, k.begin_ps - l.begin_ps - l.dur_ps AS delay_ps, op.name FROM events k
   JOIN events l ON l.id = k.launch_id LEFT JOIN events op ON op.id = l.parent_id WHERE k.name = 'KERNEL' LIMIT 5"`
   names the call, how long the kernel waited, and the op around the call.
4. How often does this run, and how long does it take? `stepscope events PATH --query KERNEL --stats`, and
   `stepscope events PATH --query KERNEL --stats --group step` for each step.
5. What happens between two steps? `stepscope events PATH --range 12ms..15ms`.
6. Why is the GPU idle? `stepscope report PATH --panel overview --table idle_by_cause` and
   `stepscope report PATH --panel findings --table gap_causes`.
7. What got slower since yesterday? `stepscope compare YESTERDAY TODAY`;
   `stepscope check YESTERDAY TODAY --max-step-regression 3%` ends with status 1 when it is worse.
8. Where did the memory go? `stepscope report PATH --panel memory`.
9. How do I find this place again, or show it to a colleague?
   `stepscope screenshot PATH -o out.png --range 12ms..15ms --select KERNEL` and
   `stepscope export PATH --range 12ms..15ms -o part.stepscope`, which opens like any profile.
10. I see too many tracks: `stepscope events PATH --stats --group track` says which are busy,
    `stepscope events PATH --query 'track:Compute cat:kernel' --stats` looks at some of them.
11. The profile is on the cluster: `stepscope report ssh://HOST/PATH --panel overview`; every command takes such an
    address.
12. The program runs now: `stepscope capture HOST:6009 --duration 2s -o LOGDIR` records it, where it has a profiler server
    (`jax.profiler.start_server(6009)`, `tf.profiler.experimental.server.start(6009)`).

Anything else: `stepscope sql PATH "SELECT name, count(*), sum(dur_ps) AS total_ps FROM events GROUP BY name"`.
`stepscope sql PATH .tables` lists the tables, `stepscope sql PATH '.schema events'` describes one.

Times in data are picoseconds where the name ends with _ps. Name the numbers that you read, and the command that gave
them. A finding's saving is an estimate; `compare` says whether a difference may be chance.
"""
