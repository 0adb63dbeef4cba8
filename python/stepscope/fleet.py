"""Fleets: the facts of many profiles as Parquet, and what follows from all of them.

    stepscope-fleet PATH... -o DIR [--engine local|ray] [--address A]

One task reads one profile and writes its parts below DIR; then the ranks are put together. Start reading at run(). The
parts are written by _fleet_task.py, on any machine; docs/fleet.md has the schema.
"""

import argparse
import os
import signal
import sys
import threading
import time

from . import _fleet_engines, _fleet_inputs, _fleet_parts, _fleet_results
from ._errors import Error, UsageError

DONE, FAILED, USAGE, NOTHING, LACKS, STOPPED = 0, 1, 2, 3, 4, 130


class Progress:
    """Says on stderr how many profiles are done, at which rate, and what time remains."""

    def __init__(self, total, quiet):
        self.total, self.quiet, self.done, self.failed = total, quiet, 0, 0
        self.begin = self.said = time.monotonic()
        self.live = sys.stderr.isatty()

    def text(self):
        seconds = max(time.monotonic() - self.begin, 1e-6)
        rate = self.done / seconds
        left = f", {(self.total - self.done) / rate:.0f} s remain" if self.done and self.done < self.total else ""
        failed = f", {self.failed} failed" if self.failed else ""
        return f"{self.done} of {self.total} profiles, {rate:.2f} a second{left}{failed}"

    def add(self, error):
        self.done += 1
        self.failed += bool(error)
        now = time.monotonic()
        if self.quiet or (now - self.said < (0.2 if self.live else 10) and self.done < self.total):
            return
        self.said = now
        begin, end = ("\r\x1b[K", "") if self.live else ("", "\n")
        print(begin + self.text(), end=end, file=sys.stderr, flush=True)

    def finish(self):
        if self.live and self.done and not self.quiet:
            print(file=sys.stderr)


def run(paths, out, engine="local", address=None, workers=None, quiet=True, stop=None):
    """Makes or completes the fleet in the folder `out`; returns (profiles, new, failed).

    UsageError: no profile is found, or the folder has a newer schema. Nothing is lost when it is interrupted: the next
    run does what is missing. `stop` is a threading.Event that ends it early.
    """
    stop = stop or threading.Event()
    _fleet_parts.prepare(out)
    profiles = _fleet_inputs.find(paths, out)
    if not profiles:
        raise UsageError("no profile was found")
    known = _fleet_parts.known(out)
    tasks, failed = [], 0
    for profile in profiles:
        if profile.id not in known:
            tasks.append(profile)
        elif known[profile.id]:
            failed += 1
    progress = Progress(len(tasks), quiet)
    make = _fleet_engines.ENGINES[engine]
    try:
        for error in make(tasks, out, address, workers, stop):
            progress.add(error)
    finally:
        progress.finish()
    if stop.is_set():
        raise KeyboardInterrupt
    _fleet_parts.remove_others(out, profiles)
    _fleet_results.write(out)
    return len(profiles), len(tasks), failed + progress.failed


def _parser():
    parser = argparse.ArgumentParser(
        prog="stepscope-fleet", description="Makes Parquet of many profiles, and says which rank is slow and why.",
        epilog="Exit status: 0 done, 1 some profiles failed (their errors are in the table files), 2 wrong usage, "
               "3 no profile could be read, 4 a package or disk space is lacking, 130 interrupted: the next run "
               "completes it.")
    parser.add_argument("paths", nargs="+", metavar="PATH", help="a profile, a folder of them, a glob, or a URL of fsspec")
    parser.add_argument("-o", "--out", required=True, metavar="DIR", help="the folder of the fleet")
    parser.add_argument("--engine", choices=sorted(_fleet_engines.ENGINES), default="local",
                        help="local: processes of this machine; ray: Ray, here or on a cluster")
    parser.add_argument("--address", help="of a Ray cluster, such as auto or ray://HOST:10001")
    parser.add_argument("--workers", type=int, help="profiles that are read at once; default: the cores")
    parser.add_argument("--quiet", action="store_true", help="says nothing about progress")
    return parser


def main(arguments=None):
    options = _parser().parse_args(arguments)
    if options.address and options.engine != "ray":
        options.engine = "ray"
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    signal.signal(signal.SIGINT, lambda *_: stop.set())
    try:
        profiles, new, failed = run(options.paths, options.out, options.engine, options.address, options.workers,
                                    options.quiet, stop)
    except KeyboardInterrupt:
        print("stepscope-fleet: interrupted; the same command completes it", file=sys.stderr)
        return STOPPED
    except UsageError as error:
        print(f"stepscope-fleet: {error}", file=sys.stderr)
        return USAGE
    except (ImportError, OSError, MemoryError) as error:
        print(f"stepscope-fleet: {error}", file=sys.stderr)
        return LACKS
    except Error as error:
        print(f"stepscope-fleet: {error}", file=sys.stderr)
        return NOTHING
    if not options.quiet:
        print(f"{profiles} profiles, {new} of them new, {failed} failed; open them with: stepscope {options.out}",
              file=sys.stderr)
    if failed == profiles:
        print("stepscope-fleet: no profile could be read; the table files says why", file=sys.stderr)
        return NOTHING
    return FAILED if failed else DONE


if __name__ == "__main__":
    sys.exit(main())
