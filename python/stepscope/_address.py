"""Addresses that fsspec reads: buckets of any vendor, archives, other machines."""

import os
import re
import tempfile


def _profiles(system, path, run):
    """The files to copy and their names: one file, or those of one run of a log directory."""
    if not system.isdir(path):
        return {path: os.path.basename(path)}
    files = system.find(path)
    runs = {}
    for file in files:
        found = re.search(r"(?:^|/)plugins/profile/([^/]+)/[^/]+$", file)
        if found:
            runs.setdefault(found[1], []).append(file)
    if not runs:  # a folder of profiles
        return {file: os.path.basename(file) for file in files if os.path.dirname(file) == path.rstrip("/")}
    chosen = run if run in runs else max(runs)
    return {file: f"plugins/profile/{chosen}/{os.path.basename(file)}" for file in runs[chosen]}


def copy(address, run=None):
    """Copies what lies there: (the path of the copy, its folder, which is removed with the object).

    (address, None) where it is a path, where ssh reads it, and where fsspec or its part for the scheme is not installed:
    the program knows some schemes itself.
    """
    address = os.fspath(address) if not isinstance(address, str) else address
    if "://" not in address or address.startswith("ssh://"):
        return address, None
    try:
        import fsspec

        system, path = fsspec.core.url_to_fs(address)
    except (ImportError, ValueError):  # ValueError: a scheme that it does not know
        return address, None
    folder = tempfile.TemporaryDirectory(prefix="stepscope-")
    names = _profiles(system, path, run)
    for file, name in names.items():
        target = os.path.join(folder.name, name)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        system.get_file(file, target)
    only = next(iter(names.values())) if list(names) == [path] else ""
    return os.path.join(folder.name, only), folder
