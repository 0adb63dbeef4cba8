#!/usr/bin/env python3
"""Makes the Python wheel of a program: the executable, the module with its library, data, licences.

make_wheel.py --program FILE --module FOLDER --library FILE --version V --out FOLDER
              [--data FILE_OR_FOLDER=PLACE]... [--licence FILE]...

The name says which C library is needed at least: by the versions of the symbols that executable and library ask for.
The module is pure Python above ctypes, so one wheel is for all Pythons. The
same input gives the same file: times are SOURCE_DATE_EPOCH's, names are sorted.
"""

import argparse
import base64
import hashlib
import os
import re
import subprocess
import sys
import time
import zipfile

# What a manylinux system has besides the C library is not needed; anything else must be linked statically.
LIBRARIES = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1", "ld-linux-x86-64.so.2",
             "ld-linux-aarch64.so.1"}

METADATA = """\
Metadata-Version: 2.4
Name: stepscope
Version: {version}
Summary: Viewer of TensorFlow, JAX and PyTorch profiles
License-Expression: Apache-2.0
{licences}Keywords: profile,trace,timeline,tensorflow,jax,pytorch,gpu,xprof
Classifier: Environment :: X11 Applications
Classifier: Operating System :: POSIX :: Linux
Classifier: Topic :: Software Development :: Debuggers
Requires-Python: >=3.9
Provides-Extra: mcp
Requires-Dist: mcp>=2; extra == "mcp"
Provides-Extra: fleet
Requires-Dist: pyarrow>=14; extra == "fleet"
Provides-Extra: ray
Requires-Dist: pyarrow>=14; extra == "ray"
Requires-Dist: ray>=2.9; extra == "ray"
Description-Content-Type: text/markdown

A native viewer of the profiles that TensorFlow, JAX and PyTorch write. `stepscope LOGDIR` opens the newest run;
`stepscope report`, `compare`, `events` and `screenshot` need no display. OpenGL 3.3 comes from the system's driver.

`import stepscope` has the same as tables: `stepscope.open(LOGDIR).events(query="cat:kernel")` goes to pandas, polars,
pyarrow and DuckDB without a copy. It depends on no other package.
"""


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def needed_glibc(program):
    """(major, minor) of the newest symbol version, with the symbols that ask for it."""
    newest, symbols = (0, 0), []
    for line in output("objdump", "-T", program).splitlines():
        match = re.search(r"\*UND\*.*\(?GLIBC_(\d+)\.(\d+)[.\d]*\)?\s+(\S+)$", line)
        if not match:
            continue
        version = (int(match[1]), int(match[2]))
        if version > newest:
            newest, symbols = version, []
        if version == newest:
            symbols.append(match[3])
    return newest, symbols


def foreign_libraries(program):
    needed = re.findall(r"NEEDED\s+(\S+)", output("objdump", "-p", program))
    return sorted(set(needed) - LIBRARIES)


def files_below(source, place):
    """(path, name in the wheel) of a file, or of all files of a folder."""
    if os.path.isfile(source):
        return [(source, place)]
    found = []
    for folder, _, names in os.walk(source):
        for name in names:
            path = os.path.join(folder, name)
            found.append((path, os.path.join(place, os.path.relpath(path, source))))
    return found


def digest(content):
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


# The wheel installs this beside the program.
SCRIPTS = """\
[console_scripts]
stepscope-fleet = stepscope.fleet:main
"""


class Wheel:
    def __init__(self, path, epoch):
        self.zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9)
        self.date = time.gmtime(max(epoch, 315532800))[:6]  # zip knows no time before 1980
        self.record = []

    def add(self, name, content, mode=0o644):
        info = zipfile.ZipInfo(name, self.date)
        info.external_attr = (0o100000 | mode) << 16
        info.compress_type = zipfile.ZIP_DEFLATED
        self.zip.writestr(info, content, compresslevel=9)
        self.record.append(f"{name},{digest(content)},{len(content)}")

    def close(self, record_name):
        text = "\n".join(self.record + [record_name + ",,", ""])
        self.add(record_name, text.encode())
        self.zip.close()


def read(path):
    with open(path, "rb") as file:
        return file.read()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--module", required=True)
    parser.add_argument("--library", required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--data", action="append", default=[])
    parser.add_argument("--licence", action="append", default=[])
    options = parser.parse_args()

    for binary in (options.program, options.library):
        foreign = foreign_libraries(binary)
        if foreign:
            sys.exit(f"{binary} needs {', '.join(foreign)}, which not every system has: link it statically")
    glibc, symbols = max(needed_glibc(binary) for binary in (options.program, options.library))
    machine = os.uname().machine
    tag = f"py3-none-manylinux_{glibc[0]}_{glibc[1]}_{machine}"
    base = f"stepscope-{options.version}"
    path = os.path.join(options.out, f"{base}-{tag}.whl")
    os.makedirs(options.out, exist_ok=True)
    wheel = Wheel(path, int(os.environ.get("SOURCE_DATE_EPOCH", "0")))

    entries = []
    for item in options.data:
        source, place = item.split("=", 1)
        entries += files_below(source, f"{base}.data/data/{place}")
    entries += [entry for entry in files_below(options.module, "stepscope") if not entry[0].endswith(".pyc")]
    for source in options.licence:
        entries.append((source, f"{base}.dist-info/licenses/{os.path.basename(source)}"))
    for source, name in sorted(entries, key=lambda entry: entry[1]):
        wheel.add(name, read(source))
    wheel.add("stepscope/libstepscope.so", read(options.library), 0o755)
    wheel.add(f"{base}.data/scripts/stepscope", read(options.program), 0o755)
    licences = "".join(f"License-File: {os.path.basename(name)}\n" for name in sorted(options.licence))
    wheel.add(f"{base}.dist-info/METADATA", METADATA.format(version=options.version, licences=licences).encode())
    wheel.add(f"{base}.dist-info/entry_points.txt", SCRIPTS.encode())
    wheel.add(f"{base}.dist-info/WHEEL",
              f"Wheel-Version: 1.0\nGenerator: stepscope\nRoot-Is-Purelib: false\nTag: {tag}\n".encode())
    wheel.close(f"{base}.dist-info/RECORD")
    print(f"{path}: {os.path.getsize(path) / 1e6:.1f} MB; glibc {glibc[0]}.{glibc[1]} for {', '.join(sorted(symbols))}")


if __name__ == "__main__":
    main()
