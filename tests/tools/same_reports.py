#!/usr/bin/env python3
"""Says whether two builds of stepscope write the same reports, byte for byte.

    tests/tools/same_reports.py OLD NEW PATH...

OLD and NEW are the two programs. A PATH is a recording, or a folder whose files are all asked. Each file is
reported as JSON with all panels, by Stepscope's definitions and by XProf's; folders that hold a run are asked as a
whole too. Files that both programs refuse with the same words count as equal. The exit status is 1 if a report
differs.
"""

import hashlib
import os
import subprocess
import sys

TIMEOUT_S = 600


def inputs(path):
    if os.path.isfile(path):
        yield path
        return
    for folder, folders, files in os.walk(path):
        folders.sort()
        if files:
            yield folder
        for name in sorted(files):
            yield os.path.join(folder, name)


def report(program, path, more):
    command = [program, "report", path, "--format", "json", *more]
    done = subprocess.run(command, capture_output=True, timeout=TIMEOUT_S)
    return done.returncode, done.stdout, done.stderr


def differs(old, new, path, more):
    if old == new:
        return False
    print(f"DIFFERENT {path} {' '.join(more)}: exit {old[0]} and {new[0]}, "
          f"{len(old[1])} and {len(new[1])} bytes, {hashlib.sha1(new[1]).hexdigest()}")
    return True


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    programs, paths = sys.argv[1:3], sys.argv[3:]
    asked = readable = wrong = 0
    for path in (p for given in paths for p in inputs(given)):
        for more in ([], ["--compat", "xprof"]):
            old, new = (report(program, path, more) for program in programs)
            asked += 1
            readable += old[0] == 0
            wrong += differs(old, new, path, more)
    print(f"{asked} reports, {readable} of them of readable files, {wrong} different")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
