"""Profiles and their reports."""

import ctypes
import html
import operator
from collections.abc import Mapping

from . import _library, _screenshot
from ._errors import UsageError
from ._library import ask, call, decode, encode, listed, made
from ._table import Table


def _time(value):
    """Picoseconds of 12 (ps), or of "12ms"."""
    if not isinstance(value, str):
        try:
            return operator.index(value)  # any library's integers
        except TypeError:
            raise UsageError(f"{value!r} is not a time: write 12_000_000 (ps) or '12us'") from None
    out = ctypes.c_int64()
    ask("parse_time", encode(value), ctypes.byref(out))
    return out.value


def _pair(value, what, example):
    pair = value.split("..") if isinstance(value, str) else value
    try:
        first, last = pair
    except (TypeError, ValueError):
        raise UsageError(f"{what} {value!r}: write it as {example}") from None
    return first, last


def _range(value):
    """(begin, end) in ps of "12ms..15ms", (0, 15000) or ("12ms", "15ms")."""
    begin, end = map(_time, _pair(value, "range", "12ms..15ms"))
    if end <= begin:
        raise UsageError(f"range {value!r}: it is empty")
    return begin, end


def _steps(value):
    """(first, last) of "3..7", (3, 7) or 3."""
    if isinstance(value, int):
        return value, value
    try:
        first, last = map(int, _pair(value, "steps", "3..7"))
    except ValueError:
        raise UsageError(f"steps {value!r}: write them as 3..7") from None
    return first, last


def _part(range, steps, host):
    part = _library.Part(size=ctypes.sizeof(_library.Part), host=encode(host))
    if range is not None:
        part.range_begin_ps, part.range_end_ps = _range(range)
    if steps is not None:
        part.has_steps = 1
        part.first_step, part.last_step = _steps(steps)
    return ctypes.byref(part)


class Report(Mapping):
    """What an analysis says: tables by id, `properties`, verdicts in sentences, and why there is nothing.

    A library that takes tables takes a report for its first one.
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

    def __iter__(self):
        return iter(self._ids)

    def __len__(self):
        return len(self._ids)

    @property
    def tables(self):
        """{id: Table}"""
        return dict(self)

    @property
    def properties(self):
        """{id: value}; None where it is not known."""
        values = Table(made("table_free", "report_properties", self._handle)).to_dict()
        return {name: value[0] for name, value in values.items()}

    @property
    def verdicts(self):
        """[{"grade", "text", "next_step", "panel"}]"""
        return Table(made("table_free", "report_verdicts", self._handle)).rows()

    def __arrow_c_stream__(self, requested_schema=None):
        if not self._ids:
            raise UsageError(f"{self.panel}: no table; {self.empty_reason}")
        return self[self._ids[0]].__arrow_c_stream__(requested_schema)

    def __repr__(self):
        return f"<stepscope.Report {self.panel!r}: {', '.join(self._ids) or self.empty_reason}>"

    def _repr_html_(self):
        said = "".join(f"<p>{html.escape(v['text'])}</p>" for v in self.verdicts)
        if self.empty_reason:
            said += f"<p>{html.escape(self.empty_reason)}</p>"
        return said + "".join(self[table]._repr_html_() for table in self._ids)


class Profile:
    """A loaded profile. Any thread may ask it; it is closed when nothing refers to it any more, or by close()."""

    def __init__(self, paths, run=None, max_inflated_bytes=0):
        self._paths = [str(path) for path in paths]
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
        """Gives its memory back when nothing uses it any more; tables and reports that are there stay."""
        self._handle = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # --- What it is --------------------------------------------------------------------------------
    @property
    def path(self):
        return decode(call("profile_path", self._open))

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
        """Events of the input: slices and instants."""
        return call("profile_events", self._open)

    @property
    def span(self):
        """(first begin, last end) of all events, in ps."""
        begin, end = ctypes.c_int64(), ctypes.c_int64()
        call("profile_span", self._open, ctypes.byref(begin), ctypes.byref(end))
        return begin.value, end.value

    @property
    def origin_unix_ns(self):
        """Unix time of t = 0; None where it is not known."""
        return call("profile_origin_unix_ns", self._open) or None

    @property
    def tracks(self):
        """host, process, track, events"""
        return Table(made("table_free", "tracks", self._open), "Tracks")

    @property
    def steps(self):
        """number, name, host, begin_ps, dur_ps, and whether averages count it"""
        return Table(made("table_free", "steps", self._open), "Steps")

    @property
    def findings(self):
        """What to fix first: the table of the report `findings`."""
        return self.report("findings")["findings"]

    # --- Questions ---------------------------------------------------------------------------------
    def events(self, query="", range=None, steps=None, host=None, args=False, order="time"):
        """The events that answer a query of the search box, by begin.

        begin_ps, dur_ps, self_ps, name, track, process; host, of several; with `args` their arguments, which takes
        longer. `range` is "12ms..15ms" or a pair of times (text, or int in ps), `steps` "3..7", a pair or a number:
        what begins there. order="track": track by track, which is quicker.
        """
        if order not in ("time", "track"):
            raise UsageError(f"order {order!r}: known are 'time' and 'track'")
        flags = (_library.WITH_ARGS if args else 0) | (_library.BY_TRACK if order == "track" else 0)
        part = _part(range, steps, host)
        return Table(made("table_free", "events", self._open, part, encode(query), flags), "Events")

    def event_stats(self, query="", by="name", range=None, steps=None, host=None):
        """What events add up to, by "name", "track", "step" or "all": counts, totals, percentiles, in ps."""
        part = _part(range, steps, host)
        return Table(made("table_free", "event_stats", self._open, part, encode(query), encode(by)), "Statistics")

    def report(self, panel, range=None, steps=None, host=None, compat=None):
        """What `stepscope report --panel` writes; compat="xprof": by XProf's definitions."""
        if compat not in (None, "xprof"):
            raise UsageError(f"compat {compat!r}: only 'xprof' is known")
        flags = _library.COMPAT_XPROF if compat else 0
        return Report(made("report_free", "report_of", self._open, encode(panel), _part(range, steps, host), flags))

    def compare(self, other, range=None, steps=None, host=None):
        """What changed from this profile to the other, per step; range, steps and host are of both."""
        part = _part(range, steps, host)
        return Report(made("report_free", "compare", self._open, other._open, part, part))

    def screenshot(self, range=None, panel=None, select=None, size=None, scale=None, theme=None):
        """A picture of the window: `stepscope screenshot` draws it, without a display."""
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
        """For notebooks; nothing where there is no OpenGL."""
        try:
            return self.screenshot().png
        except _screenshot.Error:
            return None


def open(path, *more, run=None, max_inflated_bytes=0):
    """Loads what `stepscope PATH...` opens; several paths become one timeline."""
    return Profile([path, *more], run, max_inflated_bytes)


def panels():
    """What report() takes."""
    return listed("panel")
