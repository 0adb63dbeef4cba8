#!/usr/bin/env python3
"""Fails if the compiler optimises the bare scan, which `stepscope bench` compares loads with, less than the loaders.

    check_bare_scan.py COMPILE_COMMANDS     the compile_commands.json of a build
"""
import json
import pathlib
import re
import sys

SCAN = "app/bench/bare_scan.cc"
LOADERS = ("loaders/chrome_json/event_reader.cc", "loaders/xplane/typed_stats.cc")


def sources_of(file):
    """The file itself and, if it is one that only includes sources, these."""
    return file, *re.findall(r'^#include "([^"]+\.cc)"', pathlib.Path(file).read_text(), re.MULTILINE)


def level_of(commands, source):
    """The level of the last -O in the command that compiles the source."""
    for command in commands:
        if any(name.endswith(source) for name in sources_of(command["file"])):
            return re.findall(r"\s(-O\w*)", " -O0 " + command["command"])[-1]
    sys.exit(f"no command compiles {source}")


def main():
    commands = json.loads(pathlib.Path(sys.argv[1]).read_text())
    levels = {source: level_of(commands, source) for source in (SCAN, *LOADERS)}
    if len(set(levels.values())) > 1:
        sys.exit("the scan and the loaders are optimised differently: " +
                 ", ".join(f"{source} {level}" for source, level in levels.items()))


main()
