"""The profiles of a fleet: files below folders, globs and fsspec URLs, with the ids of their parts."""

import glob
import hashlib
import os
from collections import namedtuple

# path: for stepscope.open; run: ranks of one run are put together; missing: why there is nothing to read.
Profile = namedtuple("Profile", "id path run bytes missing")

# How names of profiles end; the first kind that a folder has is read. Also with .gz and .zst.
ENDINGS = ((".xplane.pb", ".xplane.riegeli"), (".pt.trace.json", ".trace.json"), (".pftrace", ".perfetto-trace"),
           (".stepscope",), (".json",), (".sqlite", ".db"))
PACKED = (".gz", ".zst")
SAMPLES, SAMPLE = 64, 4096  # the id goes by so many pieces of so many bytes
EDGE = 1 << 20  # and by all of the first and the last bytes


def _kind(name):
    for packed in PACKED:
        name = name[:-len(packed)] if name.endswith(packed) else name
    return next((i for i, endings in enumerate(ENDINGS) if name.endswith(endings)), None)


def _chosen(files):
    """Of the files of one folder those of the preferred kind."""
    kinds = {file: _kind(os.path.basename(file)) for file in files}
    best = min((kind for kind in kinds.values() if kind is not None), default=None)
    return sorted(file for file, kind in kinds.items() if kind is not None and kind == best)


def _by_folder(files):
    folders = {}
    for file in files:
        folders.setdefault(os.path.dirname(file), []).append(file)
    return [file for folder in sorted(folders) for file in _chosen(folders[folder])]


def _walk(path, out):
    """The files below a folder, without those of a fleet."""
    for folder, names, files in os.walk(path):
        names[:] = [name for name in names if not os.path.samefile(os.path.join(folder, name), out)
                    and not os.path.exists(os.path.join(folder, name, "fleet.schema"))]
        yield from (os.path.join(folder, file) for file in files if not file.startswith("."))


def _id(run, name, size, pieces):
    digest = hashlib.sha256(f"1\0{run}\0{name}\0{size}\0".encode("utf-8", "surrogateescape"))
    for piece in pieces:
        digest.update(piece)
    return digest.hexdigest()[:32]


def _pieces(path, size):
    """The content of a file in pieces: all of it if it is small."""
    with open(path, "rb") as file:
        if size <= 2 * EDGE + SAMPLES * SAMPLE:
            yield file.read()
            return
        yield file.read(EDGE)
        for i in range(SAMPLES):
            file.seek(EDGE + (size - 2 * EDGE - SAMPLE) * i // (SAMPLES - 1))
            yield file.read(SAMPLE)
        file.seek(size - EDGE)
        yield file.read(EDGE)


def _local(path):
    path = os.path.abspath(path)
    run, name = os.path.split(path)
    try:
        size = os.path.getsize(path)
        return Profile(_id(run, name, size, _pieces(path, size)), path, run, size, None)
    except OSError as error:
        return Profile(_id(run, name, -1, ()), path, run, 0, f"{path}: {os.strerror(error.errno or 0)}")


def _remote(system, path):
    url = system.unstrip_protocol(path)
    run, name = url.rsplit("/", 1)
    try:
        size = system.size(path) or 0
        return Profile(_id(run, name, size, (str(system.ukey(path)).encode(),)), url, run, size, None)
    except (OSError, NotImplementedError) as error:
        return Profile(_id(run, name, -1, ()), url, run, 0, f"{url}: {error}")


def _of_url(url):
    import fsspec

    system, path = fsspec.core.url_to_fs(url)
    if any(c in path for c in "*?["):
        found = sorted(system.glob(path))
    elif system.isdir(path):
        found = _by_folder(system.find(path))
    else:
        found = [path]
    return [_remote(system, file) for file in found]


def _of_path(path, out):
    if any(c in path for c in "*?[") and not os.path.exists(path):
        found = sorted(glob.glob(path, recursive=True))
        lists = [_of_path(file, out) if os.path.isdir(file) else [_local(file)] for file in found]
        return [profile for profiles in lists for profile in profiles]
    if os.path.isdir(path):
        return [_local(file) for file in _by_folder(_walk(path, out))]
    return [_local(path)]


def find(paths, out):
    """The profiles, each once, in the order of their paths."""
    found = {}
    for path in paths:
        path = os.fspath(path)
        for profile in (_of_url(path) if "://" in path else _of_path(path, out)):
            found.setdefault(profile.path, profile)
    return [found[path] for path in sorted(found)]
