#!/usr/bin/env python3
"""Counts the events of profiles once more and compares with `stepscope events --stats`.

    check_event_stats.py STEPSCOPE PROFILE...      .json, .json.gz, .pb, .pb.gz, .pb.zst (by `zstd -dc`)

Of each profile: all slices, and those that begin in the middle half; in total and by name: count,
sum, mean, median, 95th and 99th percentile, least, most, deviation; of profiles without slices that
overlap beside the nesting also self times. It shares no code with the program: Chrome traces are
read with Python's json, XSpaces by the wire format, times are integers of ps. Prints one line a
profile; exit status 1 if any number differs. Needs `zstd` for .zst.
"""
import collections
import decimal
import gzip
import json
import shutil
import subprocess
import sys

PS_PER_US = 1000000
DEVICE_CATS = {"kernel": 1, "gpu_memcpy": 1, "gpu_memset": 1, "gpu_user_annotation": 2, "cuda_sync": 3,
               "Kernel": 1, "Memcpy": 1, "Memset": 1}  # which share a thread and not a track


def inflate(path):
    if path.endswith(".zst"):
        if shutil.which("zstd") is None:
            return None
        return subprocess.run(["zstd", "-dcq", path], check=True, stdout=subprocess.PIPE).stdout
    with open(path, "rb") as f:
        data = f.read()
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


# ---- Chrome traces

def us(value):
    return int((decimal.Decimal(str(value)) * PS_PER_US).to_integral_value(decimal.ROUND_HALF_UP))


def chrome_slices(data):
    """(track, begin, duration, name), begins by the file's own clock."""
    trace = json.loads(data.decode("utf-8", "replace"), parse_float=decimal.Decimal)
    events = trace["traceEvents"] if isinstance(trace, dict) else trace
    slices, begins, instants = [], collections.defaultdict(list), []
    ordered = sorted((e for e in events if e.get("ts") is not None and e.get("ph") in ("B", "E")),
                     key=lambda e: us(e["ts"]))
    for e in events:
        ph = e.get("ph")
        if ph in ("i", "I", "R") and e.get("ts") is not None:
            instants.append(us(e["ts"]))
        if ph in ("b", "e", "n", "S", "F", "T", "p"):
            raise NotImplementedError("asynchronous events")
        if ph != "X" or e.get("ts") is None:
            continue
        cat = str(e.get("cat", ""))
        track = (str(e.get("pid", 0)), str(e.get("tid", 0)), DEVICE_CATS.get(cat, 0))
        duration = max(0, us(e.get("dur", 0)))
        slices.append((track, us(e["ts"]), duration, str(e.get("name", ""))))
    for e in ordered:
        thread = (str(e.get("pid", 0)), str(e.get("tid", 0)), 0)
        if e["ph"] == "B":
            begins[thread].append((us(e["ts"]), str(e.get("name", ""))))
        elif begins[thread]:
            begin, name = begins[thread].pop()
            slices.append((thread, begin, us(e["ts"]) - begin, name))
    if any(begins.values()):
        raise NotImplementedError("begins without ends")
    return slices, instants


# ---- XSpaces

def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at += 1
        if byte < 0x80:
            return value, at
        shift += 7


def fields(data, at, end):
    """(number, value, end of value): value is a number, or where a message or text begins."""
    while at < end:
        key, at = varint(data, at)
        wire = key & 7
        if wire == 0:
            value, at = varint(data, at)
            yield key >> 3, value, None
        elif wire == 2:
            size, at = varint(data, at)
            yield key >> 3, at, at + size
            at += size
        elif wire == 1:
            at += 8
        elif wire == 5:
            at += 4
        else:
            raise ValueError("wire type %d" % wire)


def signed(value):
    return value - (1 << 64) if value >= 1 << 63 else value


def text(data, begin, end):
    return data[begin:end].decode("utf-8", "replace")


def event_names(data, begin, end):
    names = {}
    for number, a, b in fields(data, begin, end):
        if number != 4:  # event_metadata, a map
            continue
        key, name = 0, ""
        for n, c, d in fields(data, a, b):
            if n == 1:
                key = signed(c)
            elif n == 2:
                for m, e, f in fields(data, c, d):
                    if m == 2:
                        name = text(data, e, f)
        names[key] = name
    return names


def line_slices(data, begin, end, names, track, slices, instants):
    timestamp = 0
    events = []
    for number, a, b in fields(data, begin, end):
        if number == 3:
            timestamp = signed(a)
        elif number == 4:
            events.append((a, b))
    for a, b in events:
        meta = offset = duration = 0
        aggregated = False
        for n, c, _ in fields(data, a, b):
            if n == 1:
                meta = signed(c)
            elif n == 2:
                offset = signed(c)
            elif n == 3:
                duration = signed(c)
            elif n == 5:
                aggregated = True
        start = timestamp * 1000 + (0 if aggregated else offset)
        if duration > 0:
            slices.append((track, start, duration, names.get(meta, "")))
        else:
            instants.append(start)


def xspace_slices(data):
    slices, instants, line = [], [], 0
    for number, a, b in fields(data, 0, len(data)):
        if number != 1:
            continue
        names = event_names(data, a, b)
        for n, c, d in fields(data, a, b):
            if n == 3:
                line += 1
                line_slices(data, c, d, names, line, slices, instants)
    return slices, instants


# ---- Statistics

def self_times(slices):
    """By index; None where slices of one track overlap without nesting."""
    selfs = [s[2] for s in slices]
    tracks = collections.defaultdict(list)
    for i, s in enumerate(slices):
        tracks[s[0]].append(i)
    for track in tracks.values():
        track.sort(key=lambda i: (slices[i][1], -slices[i][2]))
        open_ = []
        for i in track:
            begin, end = slices[i][1], slices[i][1] + slices[i][2]
            while open_ and slices[open_[-1]][1] + slices[open_[-1]][2] <= begin:
                open_.pop()
            if open_:
                parent = open_[-1]
                if end > slices[parent][1] + slices[parent][2]:
                    return None
                selfs[parent] -= slices[i][2]
            open_.append(i)
    return selfs


def rank(values, percent):
    return values[max(-(-len(values) * percent // 100), 1) - 1]


def row(durations, self_ps):
    durations.sort()
    n, total = len(durations), sum(durations)
    squares = n * sum(d * d for d in durations) - total * total  # exact, n * n times the variance
    return {"count": n, "total_ps": total, "self_ps": self_ps, "mean_ps": total / n,
            "median_ps": rank(durations, 50), "p95_ps": rank(durations, 95),
            "p99_ps": rank(durations, 99), "min_ps": durations[0], "max_ps": durations[-1],
            "stddev_ps": float(decimal.Decimal(squares).sqrt() / n)}


def expected(slices, selfs, first, last):
    groups = collections.defaultdict(lambda: ([], [0]))
    for i, (_, begin, duration, name) in enumerate(slices):
        if first <= begin < last:
            for group in (groups[name], groups[None]):
                group[0].append(duration)
                group[1][0] += selfs[i] if selfs else 0
    return {name: row(d, s[0]) for name, (d, s) in groups.items()}


def same(key, mine, theirs):
    if key in ("mean_ps", "stddev_ps"):
        return abs(mine - theirs) <= 1e-6 * max(abs(mine), 1.0)
    return mine == theirs


def differences(mine, theirs, with_self):
    rows = {None: theirs["total"]}
    problems = []
    for group in theirs["groups"]:
        if group["name"] in rows:
            problems.append("two groups %r" % group["name"])
        rows[group["name"]] = group
    totals = [g["total_ps"] for g in theirs["groups"]]
    if totals != sorted(totals, reverse=True):
        problems.append("groups are not by falling total")
    if mine.keys() != rows.keys() and mine:
        problems.append("names differ: %r" % sorted(map(str, mine.keys() ^ rows.keys()))[:5])
    for name, wanted in mine.items():
        for key, value in wanted.items():
            if key == "self_ps" and not with_self:
                continue
            found = rows.get(name, {}).get(key)
            if found is None or not same(key, value, found):
                problems.append("%r %s: %s, counted %s" % (name, key, found, value))
    if not mine and theirs["total"]["count"] != 0:
        problems.append("%d events where there are none" % theirs["total"]["count"])
    return problems


def ask(program, path, extra):
    command = [program, "events", path, "--stats", "--format", "json"] + extra
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def first_begin(program, path):
    command = [program, "events", path, "--format", "json"]
    events = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)["events"]
    return min((e["begin_ps"] for e in events), default=0)


def check(program, path):
    data = inflate(path)
    if data is None:
        return None, "no zstd"
    try:
        chrome = data.lstrip()[:1] in (b"{", b"[")
        slices, instants = chrome_slices(data) if chrome else xspace_slices(data)
    except (NotImplementedError, ValueError, IndexError) as why:  # the latter two: damaged
        return None, str(why)
    selfs = self_times(slices)
    begins = [s[1] for s in slices] + instants
    problems = differences(expected(slices, selfs, min(begins, default=0), float("inf")),
                           ask(program, path, []), selfs is not None)
    if begins:
        # The program's time axis begins elsewhere: the first events are the same.
        shift = first_begin(program, path) - min(begins)
        low, high = min(begins) + shift, max(begins) + shift
        a, b = low + (high - low) // 4, low + (high - low) * 3 // 4
        found = ask(program, path, ["--range", "%dps..%dps" % (a, b)]) if a < b else None
        if found:
            problems += ["in the middle: " + p for p in differences(
                expected(slices, selfs, a - shift, b - shift), found, selfs is not None)]
    notes = "%d slices%s" % (len(slices), "" if selfs else ", overlaps: no self times")
    return problems, notes


def main():
    checked = failed = 0
    for path in sys.argv[2:]:
        problems, notes = check(sys.argv[1], path)
        if problems is None:
            print("%s: skipped: %s" % (path, notes))
            continue
        checked += 1
        failed += bool(problems)
        print("%s: %s: %s" % (path, notes, "same" if not problems else
                              "%d differences" % len(problems)))
        for problem in problems[:10]:
            print("    " + problem)
    if not checked:
        print("SKIPPED: nothing to check")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
