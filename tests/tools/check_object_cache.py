#!/usr/bin/env python3
"""Fails if ccache gives back a precompiled header that does not fit the headers of the tree.

GCC knows a header with `#pragma once` in a precompiled one by its size and MD5. A precompiled header that ccache made
from another comment is refused there, and the header is read twice.

    check_object_cache.py COMPILER [LAUNCHER...]   the launcher is the one of the precompiled headers
"""
import os
import pathlib
import subprocess
import sys
import tempfile


def compile_with(launcher, compiler, folder, name, options):
    environment = dict(os.environ, CCACHE_DIR=str(folder / "cache"))
    command = [*launcher, compiler, "-std=c++20", "-I.", "-MD", *options, "-c", name]
    run = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    return run.stderr if run.returncode else ""


def build(launcher, compiler, folder, comment):
    """Compiles a source after a header changed; returns what the compiler complains of."""
    (folder / "part.h").write_text(f"#pragma once  // {comment}\nstruct Part {{}};\n")
    (folder / "pch.h").write_text('#include "part.h"\n')
    (folder / "use.cc").write_text('#include "part.h"\nPart part;\n')
    (folder / "pch.h.gch").unlink(missing_ok=True)
    return (compile_with(launcher, compiler, folder, "pch.h", ["-x", "c++-header", "-o", "pch.h.gch"]) or
            compile_with([], compiler, folder, "use.cc", ["-include", "pch.h", "-o", "use.o"]))


def main():
    compiler, launcher = sys.argv[1], sys.argv[2:]
    if not any(pathlib.Path(word).name == "ccache" for word in launcher):
        print("SKIPPED: objects are not cached")
        return 0
    with tempfile.TemporaryDirectory() as name:
        for comment in ("before", "behind"):
            errors = build(launcher, compiler, pathlib.Path(name), comment)
            if errors:
                print(f"With the comment '{comment}' changed:\n{errors}")
                return 1
    return 0


sys.exit(main())
