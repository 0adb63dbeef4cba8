"""Profiles and their reports."""

import ctypes
import html
import operator

from . import _address, _library, _screenshot
from ._errors import UsageError
from ._library import ask, call, decode, encode, listed, made
from ._table import Table


def _time(value):
    """Converts an int in ps, or a text such as "12ms", to picoseconds."""
    if not isinstance(value, str):
        try:
            return operator.index(value)  # any library's integers
        except TypeError:
            raise UsageError(f"{value!r} is not a time: write 12_000_000 (ps) or '12us'") from None
    out = ctypes.c_int64()
    ask("parse_time", encode(value), ctypes.byref(out))
    return out.value


def _pair(value, what, example):
    """Splits a text "A..B", or any pair, into its two values."""
    pair = value.split("..") if isinstance(value, str) else value
    try:
        first, last = pair
    except (TypeError, ValueError):
        raise UsageError(f"{what} {value!r}: write it as {example}") from None
    return first, last


def _range(value):
    """Converts "12ms..15ms", (0, 15000) or ("12ms", "15ms") to (begin, end) in ps."""
    begin, end = map(_time, _pair(value, "range", "12ms..15ms"))
    if end <= begin:
        raise UsageError(f"range {value!r}: it is empty")
    return begin, end


def _steps(value):
    """Converts "3..7", (3, 7) or 3 to (first, last)."""
    if isinstance(value, int):
        return value, value
    try:
        first, last = map(int, _pair(value, "steps", "3..7"))
    except ValueError:
        raise UsageError(f"steps {value!r}: write them as 3..7") from None
    return first, last


def _hlo(program, instruction, memory_space, radius):
    """A pointer to the stepscope_hlo of the C header; None stands for what a page shows by itself."""
    hlo = _library.Hlo(size=ctypes.sizeof(_library.Hlo), instruction=encode(instruction))
    hlo.program = encode(None if program is None else str(program))
    hlo.memory_space = -1 if memory_space is None else operator.index(memory_space)
    if radius is not None:
        hlo.has_radius, hlo.radius = 1, operator.index(radius)
    return ctypes.pointer(hlo)


def _part(range, steps, host, hlo=None, peaks=None):
    """The stepscope_part of the C header; None stands for all."""
    part = _library.Part(size=ctypes.sizeof(_library.Part), host=encode(host), hlo=hlo, peaks=encode(peaks))
    if range is not None:
        part.range_begin_ps, part.range_end_ps = _range(range)
    if steps is not None:
        part.has_steps = 1
        part.first_step, part.last_step = _steps(steps)
    return ctypes.byref(part)


class Report:
    """The result of an analysis: tables by id, properties, verdicts in sentences, and why it is empty, if it is.

    report["kernels"], keys(), values(), items() and `in` go by the ids of the tables. Wherever a table is expected, a
    report stands for its first table: libraries take it as that table, and iterating gives its rows. So it is no
    Mapping, of which pandas and polars would make a column for each table.
    """

    def __init__(self, handle):
        self._handle = handle
        self.panel = decode(call("report_panel", handle))
        self.empty_reason = decode(call("report_empty_reason", handle))
        self._ids = listed("report_table_id", handle)
        self._titles = listed("report_table_title", handle)
        self._tables = {}

    def __getitem__(self, table):
        if table not in self._ids:
            raise KeyError(f"{table!r}: there is no such table; there are {', '.join(self._ids) or 'none'}")
        if table not in self._tables:
            at = self._ids.index(table)
            self._tables[table] = Table(made("table_free", "report_table", self._handle, at), self._titles[at])
        return self._tables[table]

    def __contains__(self, table):
        return table in self._ids

    def get(self, table, default=None):
        return self[table] if table in self._ids else default

    def keys(self):
        """The ids of the tables."""
        return list(self._ids)

    def values(self):
        return [self[table] for table in self._ids]

    def items(self):
        return [(table, self[table]) for table in self._ids]

    @property
    def tables(self):
        """{id: Table}"""
        return dict(self.items())

    @property
    def first(self):
        """The first table."""
        if not self._ids:
            raise UsageError(f"{self.panel}: no table; {self.empty_reason}")
        return self[self._ids[0]]

    def __iter__(self):
        return iter(self.first)

    def __len__(self):
        """The number of rows of the first table; 0 if there is no table."""
        return len(self.first) if self._ids else 0

    @property
    def properties(self):
        """{id: value}; None where a value is not known."""
        values = Table(made("table_free", "report_properties", self._handle)).to_dict()
        return {name: value[0] for name, value in values.items()}

    @property
    def verdicts(self):
        """A dict for each verdict: "grade", "text", "next_step" and "panel"."""
        return Table(made("table_free", "report_verdicts", self._handle)).rows()

    def __arrow_c_stream__(self, requested_schema=None):
        return self.first.__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self):
        return self.first.__arrow_c_schema__()

    def __repr__(self):
        return f"<stepscope.Report {self.panel!r}: {', '.join(self._ids) or self.empty_reason}>"

    def _repr_html_(self):
        said = "".join(f"<p>{html.escape(v['text'])}</p>" for v in self.verdicts)
        if self.empty_reason:
            said += f"<p>{html.escape(self.empty_reason)}</p>"
        return said + "".join(self[table]._repr_html_() for table in self._ids)


class Profile:
    """A loaded profile. Any thread may use it. It is closed by close(), or when nothing refers to it any more."""

    def __init__(self, paths, run=None, max_inflated_bytes=0):
        self._addresses = [str(path) for path in paths]
        copies = [_address.copy(path, run) for path in self._addresses]
        self._paths = [path for path, _ in copies]
        self._copies = [folder for _, folder in copies if folder]  # removed when the profile is
        self._asked_run = run
        names = [encode(path) for path in self._paths]
        options = _library.OpenOptions(ctypes.sizeof(_library.OpenOptions), encode(run), max_inflated_bytes)
        self._handle = made("close", "open", (ctypes.c_char_p * len(names))(*names), len(names), ctypes.byref(options))

    @property
    def _open(self):
        if self._handle is None:
            raise UsageError("the profile is closed")
        return self._handle

    def close(self):
        """Frees the memory when no call uses it any more; tables and reports that were taken stay."""
        self._handle = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # --- Facts -------------------------------------------------------------------------------------
    @property
    def path(self):
        path = decode(call("profile_path", self._open))
        return self._addresses[0] if self._copies and path == self._paths[0] else path

    @property
    def run(self):
        return decode(call("profile_run", self._open))

    @property
    def runs(self):
        """All runs of the path, newest first."""
        return listed("profile_run_name", self._open)

    @property
    def hosts(self):
        return listed("profile_host", self._open)

    @property
    def event_count(self):
        """The number of events of the input: slices and instants."""
        return call("profile_events", self._open)

    @property
    def span(self):
        """(begin of the first event, latest end of any event), in ps."""
        begin, end = ctypes.c_int64(), ctypes.c_int64()
        call("profile_span", self._open, ctypes.byref(begin), ctypes.byref(end))
        return begin.value, end.value

    @property
    def origin_unix_ns(self):
        """Unix time of t = 0 in ns; None if it is not known."""
        return call("profile_origin_unix_ns", self._open) or None

    @property
    def tracks(self):
        """A row for each track: host, process, track, events."""
        return Table(made("table_free", "tracks", self._open), "Tracks")

    @property
    def steps(self):
        """A row for each step: number, name, host, begin_ps, dur_ps, and `counts`: whether averages count it."""
        return Table(made("table_free", "steps", self._open), "Steps")

    @property
    def findings(self):
        """The findings, what to fix first on top: the table of the report `findings`."""
        return self.report("findings")["findings"]

    # --- Questions ---------------------------------------------------------------------------------
    def events(self, query="", range=None, steps=None, host=None, args=False, order="time"):
        """The events that match a query of the search box, by begin.

        Columns: begin_ps, dur_ps, self_ps, name, track, process; host, if there are several; args, if `args` is set,
        which takes longer. `range` is "12ms..15ms" or a pair of times (text, or int in ps), `steps` is "3..7", a pair
        or a number; both take the events that begin there. order="track" lists track by track, which is quicker.
        """
        if order not in ("time", "track"):
            raise UsageError(f"order {order!r}: known are 'time' and 'track'")
        flags = (_library.WITH_ARGS if args else 0) | (_library.BY_TRACK if order == "track" else 0)
        part = _part(range, steps, host)
        return Table(made("table_free", "events", self._open, part, encode(query), flags), "Events")

    def event_stats(self, query="", by="name", range=None, steps=None, host=None):
        """Adds up events by "name", "track" or "step", or "all" of them: counts, totals, percentiles, in ps."""
        part = _part(range, steps, host)
        return Table(made("table_free", "event_stats", self._open, part, encode(query), encode(by)), "Statistics")

    def report(self, panel, range=None, steps=None, host=None, compat=None, program=None, instruction=None,
               memory_space=None, radius=None, peaks=None):
        """The report that `stepscope report --panel` writes; compat="xprof" takes XProf's definitions.

        `program` ("jit_step(10)", "jit_step" or 10), `instruction`, `memory_space` and `radius` say what hlo_memory and
        hlo_graph show; None: all programs, and that with the most time, its root, all memories, 3 steps. `peaks` says what a
        device can do at most, in TFLOP/s and GB/s: "MY GPU: fp16=989 memory=3350".
        """
        if compat not in (None, "xprof"):
            raise UsageError(f"compat {compat!r}: only 'xprof' is known")
        flags = _library.COMPAT_XPROF if compat else 0
        part = _part(range, steps, host, _hlo(program, instruction, memory_space, radius), peaks)
        return Report(made("report_free", "report_of", self._open, encode(panel), part, flags))

    def compare(self, other, range=None, steps=None, host=None):
        """What changed from this profile to the other, per step; range, steps and host hold for both."""
        part = _part(range, steps, host)
        return Report(made("report_free", "compare", self._open, other._open, part, part))

    def screenshot(self, range=None, panel=None, select=None, size=None, scale=None, theme=None):
        """A picture of the window, which `stepscope screenshot` draws without a display."""
        if self._asked_run is not None:
            raise UsageError("pictures are of the newest run: open the run by its own folder")
        span = "{}ps..{}ps".format(*_range(range)) if range is not None else None
        return _screenshot.take(self._paths, range=span, panel=panel, select=select, size=size, scale=scale,
                                theme=theme)

    def __repr__(self):
        if self._handle is None:
            return "<stepscope.Profile: closed>"
        begin, end = self.span
        return f"<stepscope.Profile {self.path!r}: {self.event_count} events in {(end - begin) / 1e12:.6g} s>"

    def _repr_png_(self):
        """The picture in notebooks; None where there is no OpenGL."""
        try:
            return self.screenshot().png
        except _screenshot.Error:
            return None


def open(path, *more, run=None, max_inflated_bytes=0):
    """Loads what `stepscope PATH...` opens; several paths become one timeline.

    With fsspec, a path may be an address that it reads: "gcs://bucket/logs", "hf://datasets/…", "zip://…". What lies
    there is copied; of a log directory, the newest run, or `run`.
    """
    return Profile([path, *more], run, max_inflated_bytes)


def panels():
    """The ids of all analyses, which report() takes."""
    return listed("panel")
