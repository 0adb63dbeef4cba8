#!/usr/bin/env python3
"""Random lists of commands come to rest: replays them without a window and looks at status and stderr.

  random_replay.py PROGRAM SOURCE [--first SEED] [--lists N] [--commands N] [--settle SECONDS] [--keep FOLDER]
                   [--no-pixels]
  random_replay.py PROGRAM SOURCE --rounds N [--no-pixels]
  random_replay.py PROGRAM SOURCE --found FOLDER [--settle SECONDS] [--no-pixels]

SOURCE is the root of the repository: the commands are those of its tables, the profiles its samples and its damaged
files. Mouse, keys and sizes of the window come between the commands. A list is known by its seed. One that crashes,
says something on stderr, does not settle in time after its last command, or uses the processor at rest fails. With
--keep it is reduced to the shortest list that still fails: line after line is left out as long as it fails without it.
Lists run on all cores. --no-pixels leaves out what a graphics card does, three quarters of the time without one.

--found plays the lists that --keep wrote into a folder: those that failed once. Their profiles are named from SOURCE.

--rounds opens and closes profiles N times and a fifth of N times: the peak memory of both must be nearly the same.
"""

import argparse
import concurrent.futures
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

SIZES = ["900x600", "1280x800", "320x240", "200x100", "1920x1080"]
RESIZES = SIZES + ["3840x2160", "2560x300", "210x1400"]
NUMBERS = ["0", "1", "-1", "2", "5", "1e9", "nan", "-1e300", "1e300"]
TIMES = ["1ps", "100ps", "500ns", "1us", "1ms", "2ms", "10ms", "11ms", "12.5ms", "3s", "9999s"]
TEXTS = ["conv", "=MatMul", "dur>1ms", "dur>", "arg.x=1", "-", '\\"', "track:stream", "memory/lifetimes", "3", "1..4",
         "99", "0..0", "v1:r0-100:e0.5", "v1:", "host-0|x|y#1", "", "a" * 300, "theme=light", "scale=2",
         "timeline.row_height=40", "definitions=XProf", "definitions=Stepscope", "timeline.python_frames=false",
         "left and right", "above and below", "timeline.run_layout=left and right", "busy time",
         "x.png 0 0 50 50", "cancel", "compare", "merge", "instead"]
KEYS = ["W", "A", "S", "D", "F", "H", "L", "M", "N", "Shift+N", "I", "O", "C", "X", "T", "V", "Escape", "Enter", "Tab",
        "Left", "Right", "Up", "Down", "PageDown", "Home", "End", "Delete", "Backspace", "Space", "Ctrl+Z", "Ctrl+Y",
        "Ctrl+P", "Ctrl+A", "Ctrl+C", "Ctrl+F", "/", "?", ">", "1", "2", "3", "4", "F1", "F3", "F11", "Ctrl+0"]
HOLDS = ["none", "none", "Ctrl", "Shift", "Alt", "Ctrl+Shift"]
REST_SECONDS = 1.0
# The leak checker itself ended, at a thread of the graphics driver that was ending too: nothing of the program's.
LEAK_CHECK_FAILED = "LeakSanitizer has encountered a fatal error"
LONGEST_SECONDS = 600


def rows(source, files, pattern):
    return [row for file in sorted(source.glob(files)) for row in re.findall(pattern, file.read_text(), re.M)]


class Maker:
    def __init__(self, source):
        # Writing files, recording programs and ending the program are left out.
        self.ids = [i for i in rows(source, "viewer/core/commands/commands_*.cc", r'^    \{"([a-z_.]+)",')
                    if i not in ("file.quit", "file.write", "file.export_png", "file.export_svg", "file.record")]
        self.texts = TEXTS + rows(source, "viewer/panels/registry.cc", r'^    \{"([a-z_]+)", "')
        data = source / "tests/data"
        self.profiles = [str(source / "share/samples/sample")] + [str(data / name) for name in (
            "torch_cpu.json.gz", "tf_graph.xplane.pb.zst", "jax_cpu.xplane.pb.zst")]
        self.damaged = sorted(str(path) for path in (source / "tests/fuzz/corpus").rglob("*") if path.is_file())

    def path(self, rnd):
        return rnd.choice([rnd.choice(self.profiles), rnd.choice(self.damaged or self.profiles), "/no/such/file"])

    def event(self, rnd):
        return f"{rnd.choice([0, 0, 1, 9])}.{rnd.choice([0, 1, 5, 100, 1000, 4000000])}"

    def input(self, rnd):
        """What a hand does: a few lines that belong together."""
        def point():
            return f"mouse {rnd.choice([0, 5, 100, 450, 1200, 5000, -10])} {rnd.choice([0, 10, 60, 200, 500, 1000])}"
        button = rnd.choice(["left", "left", "left", "right", "middle"])
        kind = rnd.choice(["click", "click", "drag", "wheel", "key", "key", "type", "resize"])
        if kind == "click":
            return [point(), f"mouse_down {button}", f"mouse_up {button}"]
        if kind == "drag":
            return [f"hold {rnd.choice(HOLDS)}", point(), f"mouse_down {button}", point(), point(),
                    f"mouse_up {button}", "hold none"]
        if kind == "wheel":
            return [f"hold {rnd.choice(HOLDS)}", point(), f"wheel {rnd.choice([1, -1, 5, -50, 0.3])} "
                    f"{rnd.choice([0, 0, 2])}", "hold none"]
        if kind == "key":
            return [f"key {rnd.choice(KEYS)}"]
        if kind == "type":
            return [f'type "{rnd.choice(self.texts)}"']
        return [f"resize {rnd.choice(RESIZES)}"]

    def lines(self, rnd, count):
        lines = []
        while len(lines) < count:
            lines += self.input(rnd) if rnd.random() < 0.3 else [self.line(rnd)]
        return lines

    def line(self, rnd):
        name = rnd.choice(self.ids)
        words = [name]
        if name in ("file.open", "file.compare"):
            words.append(f'text="{self.path(rnd)}"')
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
        if rnd.random() < 0.1:
            words += [f'paths="{rnd.choice(self.texts)}"' for _ in range(2)]
        return " ".join(words)


def replay(program, lines, profile, size, options=()):
    """The finished process, or None where it did not end, and the most memory that it had, in KB."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "commands"
        script.write_text("\n".join(lines) + "\n")
        command = [program, "replay", str(script), profile, "--size", size, *options]
        with open(Path(folder) / "said", "w+b") as said:
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=said, cwd=folder)
            timer = threading.Timer(LONGEST_SECONDS, process.kill)
            timer.start()
            _, status, usage = os.wait4(process.pid, 0)
            timer.cancel()
            process.returncode = os.waitstatus_to_exitcode(status)
            said.seek(0)
            text = said.read().decode(errors="replace").strip()
    return process.returncode, text, usage.ru_maxrss


def options_of(args):
    return ["--no-pixels"] if args.no_pixels else []


def failure(args, lines, profile, size):
    """What went wrong, or nothing."""
    for _ in range(3):
        status, text, _ = replay(args.program, lines + [f"wait_idle {args.settle}", f"rest {REST_SECONDS}"], profile,
                                 size, options_of(args))
        if LEAK_CHECK_FAILED not in text:
            break
    return f"status {status}: {text}" if status != 0 or text else ""


def reduced(lines, fails):
    kept = list(lines)
    part = max(1, len(kept) // 2)
    while part >= 1:
        for i in range(len(kept) - part, -part, -part):
            without = kept[:max(i, 0)] + kept[i + part:]
            if fails(without):
                kept = without
        part //= 2
    return kept


def play(args, maker, seed):
    rnd = random.Random(seed)
    profile, size = rnd.choice(maker.profiles), rnd.choice(SIZES)
    lines = maker.lines(rnd, args.commands)

    def fails(some):
        return failure(args, some, profile, size)
    what = fails(lines)
    if not what:
        return ""
    if args.keep:
        lines = reduced(lines, fails)
        args.keep.mkdir(parents=True, exist_ok=True)
        (args.keep / f"{seed}.txt").write_text(
            f"# {os.path.relpath(profile, args.source)} {size}: {what}\n" + "\n".join(lines) + "\n")
    return f"list {seed}, {profile} at {size}: {what}"


def play_found(args, file):
    first, *lines = file.read_text().splitlines()
    profile, size = first.split(":")[0].split()[1:]
    what = failure(args, lines, str(args.source / profile), size)
    return f"{file.name}: {what}" if what else ""


def grows(args, maker):
    """Whether more rounds of opening and closing take more memory."""
    def peak(rounds):
        lines = []
        for i in range(rounds):
            lines += [f'file.open text="{maker.profiles[i % len(maker.profiles)]}"', "wait_idle",
                      f'panel.show text="{"overview" if i % 2 else "memory"}"', "wait_idle", "file.close", "wait_idle"]
        status, text, kilobytes = replay(args.program, lines, maker.profiles[0], "900x600", options_of(args))
        if status != 0 or text:
            sys.exit(f"status {status}: {text}")
        return kilobytes
    few, many = max(4, args.rounds // 5), args.rounds
    before, after = peak(few), peak(many)
    print(f"peak memory of {few} rounds {before} KB, of {many} rounds {after} KB")
    return after > before * 1.1 + 4096


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("source", type=Path)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--lists", type=int, default=10)
    parser.add_argument("--commands", type=int, default=200)
    parser.add_argument("--settle", type=float, default=30, help="seconds after the last command")
    parser.add_argument("--rounds", type=int, default=0)
    parser.add_argument("--jobs", type=int, help="lists at a time; without pixels they mostly wait for their rest")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--found", type=Path)
    parser.add_argument("--no-pixels", action="store_true")
    args = parser.parse_args()
    args.source = args.source.resolve()
    args.program = str(Path(args.program).resolve())
    jobs = args.jobs or os.cpu_count() * (3 if args.no_pixels else 1)
    maker = Maker(args.source)
    if args.rounds:
        return 1 if grows(args, maker) else 0
    lists = sorted(args.found.glob("*.txt")) if args.found else range(args.first, args.first + args.lists)
    one = (lambda file: play_found(args, file)) if args.found else (lambda seed: play(args, maker, seed))
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        said = [what for what in pool.map(one, lists) if what]
    for what in said:
        print(what)
    print(f"{len(lists)} lists{'' if args.found else f' of {args.commands} commands'}, {len(said)} failed")
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
