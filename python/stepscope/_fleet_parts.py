"""The parts of a fleet: DIR/TABLE/ID.parquet and DIR/facts/ID.stepfacts, each whole or not there.

The part of the table `files` is written last: a profile whose part is there is done.
"""

import concurrent.futures
import ctypes
import json
import os
import time
import uuid

from . import _library
from ._errors import UsageError
from ._library import ask, encode

SCHEMA = 1  # rises when a table changes so that queries would go wrong
MARK = "fleet.schema"  # JSON; no ending of profiles
TABLES = ("rank_facts", "rank_steps", "collectives", "waits", "rank_kernels", "steps", "kernels", "ops", "memory",
          "findings", "verdicts")
OLD = 24 * 3600  # seconds after which a file that was not finished is nobody's


def _temporary(path):
    folder, name = os.path.split(path)
    return os.path.join(folder, f".{name}.{uuid.uuid4().hex}.tmp")


def place(path, write):
    """Calls write(temporary path), and gives the file its name when it is whole."""
    temporary = _temporary(path)
    try:
        write(temporary)
        os.replace(temporary, path)
    except BaseException:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise


def _write_bytes(path, content):
    def write(temporary):
        with open(temporary, "wb") as file:
            file.write(content)
    place(path, write)


def path_of(out, table, id):
    return os.path.join(out, table, id + (".stepfacts" if table == "facts" else ".parquet"))


def prepare(out):
    """Makes the folder, or checks that it is a fleet that this program can complete."""
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        raise ImportError("the tables of a fleet need pyarrow: pip install 'stepscope[fleet]'") from None
    mark = os.path.join(out, MARK)
    try:
        with open(mark) as file:
            schema = json.load(file)["schema"]
    except FileNotFoundError:
        schema = None
    except (ValueError, KeyError, TypeError):
        raise UsageError(f"{mark}: damaged; it says which version of the tables the folder has") from None
    if schema is not None and schema > SCHEMA:
        raise UsageError(f"{out}: a newer stepscope wrote it (schema {schema}, here it is {SCHEMA}): update stepscope")
    if schema is None and os.path.isdir(out) and any(not name.startswith(".") for name in os.listdir(out)):
        if not set(os.listdir(out)) <= {*TABLES, "files", "facts"}:
            raise UsageError(f"{out}: the folder has other files and is no fleet; choose an empty one")
    for table in (*TABLES, "files", "facts"):
        folder = os.path.join(out, table)
        os.makedirs(folder, exist_ok=True)
        for name in os.listdir(folder):  # what was interrupted long ago
            path = os.path.join(folder, name)
            try:
                if name.endswith(".tmp") and time.time() - os.path.getmtime(path) > OLD:
                    os.unlink(path)
            except OSError:
                pass
    if schema is None:
        _write_bytes(mark, json.dumps({"schema": SCHEMA, "program": "stepscope " + _library.version}).encode())


def _rows(path):
    """The rows of a part. A part that is gone or damaged has none: its profile is read again."""
    import pyarrow
    import pyarrow.parquet

    try:
        return pyarrow.parquet.read_table(path, use_threads=False).to_pylist()
    except (FileNotFoundError, pyarrow.ArrowException):  # another run removed it, or a disk lost it
        return []


def files(out, but=()):
    """A dict for each profile that is done, but for those of these ids: the rows of the table `files`."""
    folder = os.path.join(out, "files")
    names = [name for name in sorted(os.listdir(folder)) if name.endswith(".parquet") and not name.startswith(".")
             and name[:-len(".parquet")] not in but]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        parts = pool.map(_rows, [os.path.join(folder, name) for name in names])
        return [row for rows in parts for row in rows]


def known(out):
    """{id: whether it failed} of the profiles that need not be read again: what may go better next time is left out."""
    return {row["file"]: bool(row["error"]) for row in files(out) if row["error_kind"] in (None, "input")}


def remove_others(out, profiles):
    """Removes the parts of profiles that have changed since: another part is of the same path."""
    now = {profile.path: profile.id for profile in profiles}
    for row in files(out, but=set(now.values())):
        if now.get(row["path"], row["file"]) != row["file"]:
            for table in ("files", "facts", *TABLES):  # the mark that it is done goes first
                try:
                    os.unlink(path_of(out, table, row["file"]))
                except FileNotFoundError:
                    pass


def _plain(table, profile):
    """The columns that every reader of Parquet knows, after the id of the profile and its run."""
    import pyarrow as pa

    table = pa.table(table)
    names = [name for name in table.column_names if not pa.types.is_nested(table.schema.field(name).type)]
    columns = [table[name].cast(pa.string()) if pa.types.is_dictionary(table[name].type)
               or pa.types.is_large_string(table[name].type) else table[name] for name in names]
    ids = pa.array([profile.id] * table.num_rows, pa.string())
    runs = pa.array([profile.run] * table.num_rows, pa.string())
    return pa.table([ids, runs, *columns], names=["file", "run", *names])


def write_table(out, name, table, profile):
    import pyarrow.parquet

    content = _plain(table, profile)
    place(path_of(out, name, profile.id),
          lambda temporary: pyarrow.parquet.write_table(content, temporary, compression="zstd"))


def write_facts(out, profile, opened, error):
    file = _library.FleetFile(ctypes.sizeof(_library.FleetFile), encode(profile.path), encode(profile.run),
                              encode(error), profile.bytes)
    content, size = ctypes.c_void_p(), ctypes.c_size_t()
    ask("fleet_part", opened, ctypes.byref(file), ctypes.byref(content), ctypes.byref(size))
    try:
        _write_bytes(path_of(out, "facts", profile.id), ctypes.string_at(content.value, size.value))
    finally:
        _library.call("free_text", content)


def write_file(out, profile, error, kind, facts):
    """The row of `files`: the profile is done."""
    import pyarrow as pa
    import pyarrow.parquet

    schema = pa.schema([("file", pa.string()), ("run", pa.string()), ("path", pa.string()), ("bytes", pa.int64()),
                        ("error", pa.string()), ("error_kind", pa.string()), ("origin_unix_ns", pa.int64()),
                        ("events", pa.int64()), ("seconds", pa.float64()), ("schema", pa.int64()),
                        ("program", pa.string())])
    row = {"file": profile.id, "run": profile.run, "path": profile.path, "bytes": profile.bytes, "error": error,
           "error_kind": kind, "schema": SCHEMA, "program": "stepscope " + _library.version, **facts}
    content = pa.Table.from_pylist([row], schema)
    place(path_of(out, "files", profile.id), lambda temporary: pyarrow.parquet.write_table(content, temporary))
