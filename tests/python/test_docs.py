#!/usr/bin/env python3
"""Runs the Python examples of docs/python.md and of README.md, in order, one after the other.

A block whose libraries are not there is left out; `logs`, `before` and `after` in it are recordings of this tree.
"""

import os
import re
import sys
import tempfile

from support import DATA, ROOT, SAMPLE

import stepscope

PATHS = {"logs": SAMPLE, "before": os.path.join(DATA, "tf_graph.xplane.pb.zst"),
         "after": os.path.join(DATA, "tf_eagerpy.xplane.pb.zst")}
MAY_MISS = {"pandas", "polars", "pyarrow", "duckdb"}


def blocks(page):
    with open(os.path.join(ROOT, page), encoding="utf-8") as file:
        return re.findall(r"^```python\n(.*?)^```", file.read(), re.M | re.S)


def run(page):
    """Returns how many blocks ran, and which libraries the others lack."""
    names, ran, lacking = {"__name__": page}, 0, []
    for number, block in enumerate(blocks(page), 1):
        code = re.sub(r'"(logs|before|after)"', lambda found: repr(PATHS[found[1]]), block)
        try:
            exec(compile(code, f"{page}, block {number}", "exec"), names)
            ran += 1
        except ImportError as error:
            if error.name not in MAY_MISS:
                raise
            lacking.append(error.name)
        except stepscope.Error as error:
            if "OpenGL" not in str(error):
                raise
            lacking.append("OpenGL")
    return ran, lacking


def main():
    os.chdir(tempfile.mkdtemp())  # examples write files
    for page in ("README.md", "docs/python.md"):
        ran, lacking = run(page)
        print(f"{page}: {ran} examples ran" + (f"; not those that need {', '.join(lacking)}" if lacking else ""))
        if ran == 0:
            sys.exit(f"{page} has no example that runs")


if __name__ == "__main__":
    main()
