#!/usr/bin/env python3
"""Random lists of commands come to rest: replays them without a window and looks at status and stderr.

  random_replay.py PROGRAM SOURCE [--first SEED] [--lists N] [--commands N] [--keep FOLDER]

SOURCE is the root of the repository: the commands are those of its table, the profiles its samples. A list is known
by its seed. One that crashes, says something on stderr or does not come to rest within 30 s is kept, reduced to the
shortest list that still fails: line after line is left out as long as it fails without it.
"""

import argparse
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

SIZES = ["900x600", "1280x800", "320x240", "200x100", "1920x1080"]
NUMBERS = ["0", "1", "-1", "2", "5", "1e9", "nan", "-1e300", "1e300"]
TIMES = ["1ps", "100ps", "500ns", "1us", "1ms", "2ms", "10ms", "11ms", "12.5ms", "3s", "9999s"]
TEXTS = ["conv", "=MatMul", "dur>1ms", "dur>", "arg.x=1", "-", '\\"', "track:stream", "memory/lifetimes", "3", "1..4",
         "99", "0..0", "v1:r0-100:e0.5", "v1:", "host-0|x|y#1", "", "a" * 300, "theme=light", "scale=2",
         "timeline.row_height=40", "definitions=XProf", "definitions=Stepscope", "timeline.python_frames=false",
         "x.png 0 0 50 50", "cancel", "compare", "merge", "instead"]
REST_SECONDS = 30


def rows(source, file, pattern):
    return re.findall(pattern, (source / file).read_text(), re.M)


class Maker:
    def __init__(self, source):
        # Writing files and ending the program are left out.
        self.ids = [i for i in rows(source, "viewer/core/commands.cc", r'^    \{"([a-z_.]+)",')
                    if i not in ("file.quit", "file.write")]
        self.texts = TEXTS + rows(source, "viewer/panels/registry.cc", r'^    \{"([a-z_]+)", "')
        data = source / "tests/data"
        self.profiles = [str(source / "share/samples/sample")] + [str(data / name) for name in (
            "torch_cpu.json.gz", "tf_graph.xplane.pb.zst", "jax_cpu.xplane.pb.zst")]

    def event(self, rnd):
        return f"{rnd.choice([0, 0, 1, 9])}.{rnd.choice([0, 1, 5, 100, 1000, 4000000])}"

    def line(self, rnd):
        name = rnd.choice(self.ids)
        words = [name]
        if name in ("file.open", "file.compare"):
            words.append(f'text="{rnd.choice(self.profiles + ["/no/such/file"])}"')
        elif rnd.random() < 0.5:
            words.append(f'text="{rnd.choice(self.texts)}"')
        if rnd.random() < 0.4:
            a, b = sorted(rnd.sample(range(len(TIMES)), 2))
            words.append(f"range={TIMES[a]}..{TIMES[b]}")
        if rnd.random() < 0.4:
            words.append(f"number={rnd.choice(NUMBERS)}")
        if rnd.random() < 0.2:
            words.append(f"run={rnd.choice([0, 1, 2, 7])}")
        if rnd.random() < 0.3:
            words.append(f"event={self.event(rnd)}")
        if rnd.random() < 0.2:
            words.append("events=" + ",".join(self.event(rnd) for _ in range(5)))
        return " ".join(words)


def failure(program, lines, profile, size):
    """What went wrong, or nothing."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "commands"
        script.write_text("\n".join(lines + [f"wait_idle {REST_SECONDS}"]) + "\n")
        command = [program, "replay", str(script), profile, "--size", size]
        try:
            done = subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=300, check=False)
        except subprocess.TimeoutExpired:
            return "did not end within 300 s"
    text = done.stderr.strip()
    return f"status {done.returncode}: {text}" if done.returncode != 0 or text else ""


def reduced(program, lines, profile, size):
    kept = list(lines)
    for i in range(len(kept) - 1, -1, -1):
        without = kept[:i] + kept[i + 1:]
        if failure(program, without, profile, size):
            kept = without
    return kept


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("source", type=Path)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--lists", type=int, default=10)
    parser.add_argument("--commands", type=int, default=200)
    parser.add_argument("--keep", type=Path)
    args = parser.parse_args()
    args.program = str(Path(args.program).resolve())
    maker = Maker(args.source.resolve())
    failed = 0
    for seed in range(args.first, args.first + args.lists):
        rnd = random.Random(seed)
        profile, size = rnd.choice(maker.profiles), rnd.choice(SIZES)
        lines = [maker.line(rnd) for _ in range(args.commands)]
        what = failure(args.program, lines, profile, size)
        if not what:
            continue
        failed += 1
        lines = reduced(args.program, lines, profile, size) if args.keep else lines
        print(f"list {seed}, {profile} at {size}: {what}")
        if args.keep:
            args.keep.mkdir(parents=True, exist_ok=True)
            (args.keep / f"{seed}.txt").write_text(f"# {profile} {size}\n" + "\n".join(lines) + "\n")
    print(f"{args.lists} lists of {args.commands} commands, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
