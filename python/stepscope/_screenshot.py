"""Pictures, drawn by the program that is installed with this module."""

import os
import shutil
import subprocess
import sysconfig
import tempfile

from ._errors import Error, UsageError


class Image:
    """A picture, which notebooks show. `png` has the bytes of a PNG file."""

    def __init__(self, png):
        self.png = png

    def save(self, path):
        with open(path, "wb") as file:
            file.write(self.png)

    def _repr_png_(self):
        return self.png

    def __repr__(self):
        return f"<stepscope.Image: {len(self.png)} bytes of PNG>"


def _beside():
    """Paths where pip may have put the program: in the prefix of this package, then by the schemes of this Python."""
    prefix = os.path.abspath(__file__)
    for _ in range(5):  # this file lies five folders below the prefix; bin is beside lib
        prefix = os.path.dirname(prefix)
    yield os.path.join(prefix, "bin", "stepscope")
    for scheme in (None, "posix_user"):
        yield os.path.join(sysconfig.get_path("scripts", *([scheme] if scheme else [])), "stepscope")


def program():
    """The program to run: $STEPSCOPE_PROGRAM, else the one of the same wheel, else the one in PATH."""
    named = os.environ.get("STEPSCOPE_PROGRAM")
    if named:
        return named
    for path in _beside():
        if os.access(path, os.X_OK):
            return path
    found = shutil.which("stepscope")
    if found is None:
        raise Error("the stepscope program is not installed, which draws pictures")
    return found


def take(paths, **options):
    """Draws a picture. `options` are those of `stepscope screenshot`; None leaves one out."""
    size = options.get("size")
    if size is not None and not isinstance(size, str):
        options["size"] = "{}x{}".format(*size)
    arguments = [f"--{name}={value}" for name, value in options.items() if value is not None]
    with tempfile.TemporaryDirectory(prefix="stepscope-") as folder:
        out = os.path.join(folder, "out.png")
        # With a folder before it, a path that begins with a hyphen is not taken for an option.
        names = [path if os.path.isabs(path) else os.path.join(os.curdir, path) for path in paths]
        done = subprocess.run([program(), "screenshot", *names, "-o", out, *arguments], text=True,
                              errors="replace", stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
        if done.returncode != 0:
            kind = UsageError if done.returncode == 2 else Error
            raise kind(done.stderr.strip() or f"stepscope screenshot ended with {done.returncode}")
        with open(out, "rb") as file:
            return Image(file.read())
