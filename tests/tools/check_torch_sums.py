#!/usr/bin/env python3
"""Recomputes what stepscope says of a PyTorch trace, from the trace itself, and compares.

    check_torch_sums.py STEPSCOPE TRACE...
    check_torch_sums.py STEPSCOPE --made N     of N traces that it makes up

Of each device: collective time, what computation hides of it, compute time; of each stream: number
and size of launch delays; of each device, direction and kind of host memory: copies and bytes. It
shares no code with the program: events are read with Python's json, times are integers of ps.
Prints one line a trace; exit status 1 if any number differs by more than 1e-6 of itself.
"""
import collections
import decimal
import gzip
import json
import os
import random
import subprocess
import sys
import tempfile

COLLECTIVES = (
    "nccl", "rccl", "oneccl", "nvshmem", "deep_ep", "deepep::", "multimem_", "one_shot_all_reduce",
    "two_shot_all_reduce", "oneshotallreduce", "twoshotallreduce", "cross_device_reduce",
    "custom_all_reduce", "customallreduce", "all_reduce_kernel", "allreducekernel")
PS_PER_US = 1000000


def read(path):
    with open(path, "rb") as f:
        data = f.read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    trace = json.loads(data, parse_float=decimal.Decimal)
    return trace["traceEvents"] if isinstance(trace, dict) else trace


def ps(value):
    return int(decimal.Decimal(str(value)) * PS_PER_US)


def union(ranges):
    out = []
    for begin, end in sorted(ranges):
        if out and begin <= out[-1][1]:
            out[-1][1] = max(out[-1][1], end)
        else:
            out.append([begin, end])
    return out


def length(ranges):
    return sum(end - begin for begin, end in ranges)


def common(a, b):
    """Length of the intersection, by |A| + |B| - |A or B|."""
    return length(a) + length(b) - length(union([tuple(r) for r in a + b]))


def is_collective(name):
    return not name.startswith("triton_") and any(c in name.lower() for c in COLLECTIVES)


def direction(name):
    low = name.lower()
    for text, keys in (("Host to device", ("htod", "h2d", "hosttodevice")),
                       ("Device to host", ("dtoh", "d2h", "devicetohost")),
                       ("Device to device", ("dtod", "d2d", "devicetodevice", "p2p", "ptop",
                                             "peertopeer"))):
        if any(k in low for k in keys):
            return text
    return "Other"


def memory(name):
    low = name.lower()
    return "pageable" if "pageable" in low else "pinned" if "pinned" in low else ""


class Expected:
    def __init__(self, events):
        self.collective = collections.defaultdict(list)
        self.compute = collections.defaultdict(list)
        self.collectives = collections.Counter()
        self.copies = collections.defaultdict(lambda: [0, 0, 0])
        self.streams = collections.defaultdict(list)
        self.calls = {}
        for e in events:
            cat = str(e.get("cat", ""))
            if e.get("ph") == "X" and (cat.endswith("_runtime") or cat.endswith("_driver")):
                correlation = (e.get("args") or {}).get("correlation")
                if correlation is not None:
                    self.calls[int(correlation)] = e
        for e in events:
            if e.get("ph") == "X" and e.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset"):
                self.add(e)

    def add(self, e):
        begin, dur = ps(e["ts"]), ps(e.get("dur", 0))
        if dur <= 0:
            return
        args, name, cat = e.get("args") or {}, e["name"], e["cat"]
        device = "GPU %s" % e["pid"]
        if cat == "gpu_memcpy":
            row = self.copies[device, direction(name), memory(name)]
            row[0] += 1
            row[1] += int(args.get("bytes", 0))
            row[2] += dur
        elif cat == "kernel":
            kind = self.collective if is_collective(name) else self.compute
            kind[device].append((begin, begin + dur))
            self.collectives[device] += is_collective(name)
        call = self.calls.get(int(args.get("correlation", -1)))
        if call is not None:
            stream = "Stream #%s" % e["tid"]
            self.streams[device, stream].append((begin, call))

    def overlap(self):
        out = {}
        for device in set(self.collective) | set(self.compute):
            a, b = union(self.collective[device]), union(self.compute[device])
            hidden = common(a, b)
            out[device] = (self.collectives[device], length(a) / 1e9, hidden / 1e9,
                           (length(a) - hidden) / 1e9, length(b) / 1e9)
        return out

    def delays(self):
        out = {}
        for key, events in self.streams.items():
            delays, first = [], {}
            for begin, call in events:
                if "GraphLaunch" in call["name"]:
                    known = first.get(id(call), begin)
                    first[id(call)] = min(known, begin)
                else:
                    end = ps(call["ts"]) + ps(call.get("dur", 0))
                    delays.append(max(0, begin - end))
            graphs = {id(call): call for _, call in events}
            delays += [max(0, t - ps(graphs[c]["ts"])) for c, t in first.items()]
            delays.sort()
            n = len(delays)
            median = (delays[(n - 1) // 2] + delays[n // 2]) / 2
            p95 = delays[-(-95 * n // 100) - 1]
            out[key] = (n, len(first), sum(delays) / n / 1e6, median / 1e6, p95 / 1e6,
                        delays[-1] / 1e6)
        return out


def table(report, panel, name):
    return report["panels"][panel]["tables"].get(name, {"rows": []})["rows"]


def actual(program, path):
    text = subprocess.run([program, "report", path, "--format", "json", "--panel", "overview",
                           "--panel", "kernel_stats"], check=True, capture_output=True).stdout
    report = json.loads(text)
    overlap = {r["device"]: (r["count"], r["collectiveMs"], r["hiddenMs"], r["exposedMs"],
                             r["computeMs"]) for r in table(report, "overview", "overlap")}
    delays = {(r["device"], r["stream"]): (r["launches"], r["graph_launches"], r["mean_us"],
                                           r["median_us"], r["p95_us"], r["max_us"])
              for r in table(report, "kernel_stats", "launch_delay")}
    copies = {(r["device"], r["direction"], r["memory"]): (r["count"], r["bytes"] or 0,
                                                           r["timeMs"])
              for r in table(report, "kernel_stats", "copies")}
    return overlap, delays, copies


def compare(what, expected, got):
    """Number of values compared, and what differs."""
    wrong, count = [], 0
    for key in sorted(set(expected) | set(got), key=str):
        a, b = expected.get(key), got.get(key)
        if a is None or b is None:
            wrong.append("%s %s: expected %s, got %s" % (what, key, a, b))
            continue
        for x, y in zip(a, b):
            count += 1
            if abs(x - y) > 1e-6 * max(abs(x), abs(y)) + 1e-9:
                wrong.append("%s %s: expected %s, got %s" % (what, key, a, b))
                break
    return count, wrong


def check(program, path):
    expected = Expected(read(path))
    overlap, delays, copies = actual(program, path)
    total, wrong = 0, []
    for what, a, b in (("overlap", expected.overlap(), overlap),
                       ("launch_delay", expected.delays(), delays),
                       ("copies", {k: (v[0], v[1], v[2] / 1e9)
                                   for k, v in expected.copies.items()}, copies)):
        count, differ = compare(what, a, b)
        total += count
        wrong += differ
    print("%s: %d values, %d differ" % (path, total, len(wrong)))
    for line in wrong:
        print("  " + line)
    return not wrong


KERNELS = ("nvjet_tst_128x64", "elementwise_kernel<float>", "ncclDevKernel_AllReduce_Sum_bf16",
           "multimem_all_reduce_kernel", "triton_poi_fused_all_reduce_0", "reduce_kernel<512>")
COPIES = ("Memcpy HtoD (Pinned -> Device)", "Memcpy HtoD (Pageable -> Device)",
          "Memcpy DtoH (Device -> Pinned)", "Memcpy DtoD (Device -> Device)")


def make(seed, path):
    """Launches of one thread, some of graphs, to two devices with three streams each."""
    rng = random.Random(seed)
    events, now, ends = [], 1000.0, collections.defaultdict(float)

    def add(cat, name, pid, tid, ts, dur, **args):
        events.append({"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid,
                       "ts": round(ts, 3), "dur": round(dur, 3), "args": args})

    def device_event(correlation):
        device, stream = rng.randrange(2), rng.choice((7, 20, 24))
        begin = max(ends[device, stream], now + rng.uniform(-1, 30))
        dur = rng.uniform(0.5, 40)
        ends[device, stream] = begin + dur + rng.choice((0, 0.25))
        args = {"correlation": correlation, "device": device, "stream": stream}
        if rng.random() < 0.2:
            if rng.random() < 0.9:
                args["bytes"] = rng.randrange(1 << 24)
            add("gpu_memcpy", rng.choice(COPIES), device, stream, begin, dur, **args)
        else:
            add("kernel", rng.choice(KERNELS), device, stream, begin, dur, **args)

    for correlation in range(1, 400):
        dur, graph = rng.uniform(1, 6), rng.random() < 0.1
        name = "cudaGraphLaunch" if graph else "cudaLaunchKernel"
        if not 40 < correlation < 360 or rng.random() < 0.95:  # the step's first and last events have calls
            add("cuda_runtime", name, 100, 100, now, dur, correlation=correlation)
        for _ in range(rng.randrange(1, 12) if graph else 1):
            device_event(correlation)
        now += dur + rng.uniform(0, 10)
    # One step has all of them: the overlap is that of the steps.
    add("user_annotation", "ProfilerStep#1", 100, 100, 1000.0, now - 1000.0)
    rng.shuffle(events)
    with open(path, "w") as f:
        json.dump({"schemaVersion": 1, "traceEvents": events}, f)


def check_made(program, count):
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, "made_%d.json" % seed) for seed in range(count)]
        for seed, path in enumerate(paths):
            make(seed, path)
        return [check(program, path) for path in paths]


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    if sys.argv[2] == "--made":
        results = check_made(sys.argv[1], int(sys.argv[3]))
    else:
        results = [check(sys.argv[1], path) for path in sys.argv[2:]]
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
