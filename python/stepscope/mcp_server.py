"""`stepscope mcp`: a Model Context Protocol server over standard input and output, for agents.

It needs the package `mcp` (pip install 'stepscope[mcp]'). Every tool reads; none changes a file. Paths lie below the
roots that are given at the start. Start reading at Tools; _mcp_answers.py keeps answers short, _mcp_texts.py has what
agents are told.
"""

import argparse
import collections
import json
import os
import subprocess
import sys
import threading
from typing import Annotated, Optional

from . import _mcp_window, _profile, _screenshot
from ._errors import Error, UsageError
from ._library import version
from ._mcp_answers import table, text_of
from ._mcp_texts import GUIDE, INSTRUCTIONS, SKILL

MOST_OPEN = 4  # profiles that stay open
MOST_BELOW = 20_000  # files below a folder that is a profile


def _entries_below(folder):
    """Yields (entry, real path) of all in a folder, links followed as a loader does. Nothing for a file."""
    seen, left = set(), [folder]
    while left:
        here = left.pop()
        try:
            entries = list(os.scandir(here))
        except OSError:
            continue
        if len(seen) + len(entries) > MOST_BELOW:
            raise UsageError(f"{folder}: more than {MOST_BELOW} files lie below it; name a run or a file")
        for entry in entries:
            real = os.path.realpath(entry.path) if entry.is_symlink() else entry.path
            yield entry, real
            if real not in seen and os.path.isdir(real):
                left.append(real)
            seen.add(real)


def _changed(path):
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return 0


def _columns(of):
    return {column.name: column.unit for column in of.columns}


class Tools:
    """The tools, without the protocol: each returns a text, but `screenshot`, which returns the bytes of a PNG."""

    def __init__(self, roots):
        self._roots = [os.path.realpath(root) for root in roots]
        self._open = collections.OrderedDict()
        self._lock = threading.Lock()

    # --- Profiles --------------------------------------------------------------------------------------------
    def resolved(self, path):
        """The real path; an error if it, or a link below it, leads out of all roots."""
        return self._place(path)[0]

    def _place(self, path):
        """The real path, and when what lies there was last changed. A new run below a log directory leaves the time
        of that directory as it is."""
        if "://" in path or "\0" in path:
            raise UsageError(f"{path!r}: this server reads files of this machine only")
        real = os.path.realpath(os.path.join(self._roots[0], path))
        self._check_inside(path, real)
        times = [_changed(real)]
        for entry, below in _entries_below(real):
            if entry.is_symlink():
                self._check_inside(path, below, f", by a link to {below}")
            times.append(_changed(below))
        return real, (max(times), len(times))

    def _check_inside(self, path, real, by=""):
        if not any(real == root or real.startswith(os.path.join(root, "")) for root in self._roots):
            raise UsageError(f"{path}: it lies outside of what this server may read{by}: {', '.join(self._roots)}")

    def profile(self, path):
        """The profile of a path, loaded once and again when it has changed; the last ones stay open."""
        real, changed = self._place(path)
        try:
            os.stat(real)
        except OSError as error:
            raise UsageError(f"{path}: {error.strerror}") from None
        with self._lock:
            known = self._open.pop(real, None)
            if known is None or known[0] != changed:
                known = changed, _profile.open(real)
            self._open[real] = known
            while len(self._open) > MOST_OPEN:
                self._open.popitem(last=False)
            return known[1]

    def _run(self, command, paths, *arguments, script=None):
        """Runs the program of this module. Returns its status and output."""
        names = [self.resolved(path) for path in paths]
        done = subprocess.run([_screenshot.program(), command, *names, *arguments], input=script or "", text=True,
                              encoding="utf-8", errors="replace", capture_output=True, check=False)
        if done.returncode not in (0, 1) or (done.returncode == 1 and command != "check"):
            raise UsageError(done.stderr.strip() or f"stepscope {command} ended with {done.returncode}")
        return done.returncode, done.stdout

    # --- What is there -----------------------------------------------------------------------------------------
    def open(self, path):
        p = self.profile(path)
        begin, end = p.span
        return text_of({"path": p.path, "run": p.run, "runs": p.runs[:20], "hosts": p.hosts[:50],
                        "events": p.event_count, "begin_ps": begin, "end_ps": end, "steps": len(p.steps),
                        "tracks": len(p.tracks), "busiest_tracks": sorted(p.tracks.rows(), key=lambda t: -t["events"])[:20],
                        "panels": _profile.panels()})

    def overview(self, path):
        report = self.profile(path).report("overview")
        causes = report["idle_by_cause"].rows(10) if "idle_by_cause" in report else []
        ops = report["top_ops"].rows(10) if "top_ops" in report else []
        return text_of({"verdicts": report.verdicts, "empty_reason": report.empty_reason,
                        "properties": report.properties, "idle_by_cause": causes, "top_ops": ops})

    def findings(self, path, offset=0):
        found = self.profile(path).findings
        columns = {name: unit for name, unit in _columns(found).items() if name != "events"}
        return table(found.rows()[offset:], columns, offset, len(found))

    def steps(self, path, offset=0):
        steps = self.profile(path).steps
        return table(steps.rows()[offset:], _columns(steps), offset, len(steps))

    # --- Questions -------------------------------------------------------------------------------------------
    def report(self, path, panel, table_id=None, range=None, steps=None, host=None, compat=None, offset=0):
        report = self.profile(path).report(panel, range=range, steps=steps, host=host, compat=compat)
        return self._report(report, table_id, offset)

    def _report(self, report, table_id, offset):
        if not report.keys():
            return text_of({"empty_reason": report.empty_reason, "properties": report.properties})
        if table_id is None:
            return text_of({"properties": report.properties, "verdicts": report.verdicts,
                            "tables": {name: {"title": t.title, "rows": len(t)} for name, t in report.items()},
                            "rest": "ask again with table_id for the rows of a table"})
        if table_id not in report:
            raise UsageError(f"{table_id}: there is no such table; there are {', '.join(report.keys())}")
        found = report[table_id]
        return table(found.rows()[offset:], _columns(found), offset, len(found))

    def events(self, path, query="", range=None, steps=None, host=None, args=False, offset=0):
        found = self.profile(path).events(query=query, range=range, steps=steps, host=host, args=args)
        return table(found.rows(offset + 500)[offset:], _columns(found), offset, len(found))

    def statistics(self, path, query="", by="name", range=None, steps=None, host=None, offset=0):
        found = self.profile(path).event_stats(query=query, by=by, range=range, steps=steps, host=host)
        return table(found.rows(offset + 500)[offset:], _columns(found), offset, len(found))

    def sql(self, paths, query, parameters=None, offset=0):
        arguments = ["--file=-", "--format=json", f"--rows={offset + 500}", "--timeout=120"]
        arguments += [f"--param={name}={value}" for name, value in (parameters or {}).items()]
        _, out = self._run("sql", paths, *arguments, script=query)
        answer = json.loads(out)
        columns = {column["id"]: column["unit"] for column in answer["columns"]}
        rows = [dict(zip(columns, row)) for row in answer["rows"][offset:]]
        return table(rows, columns, offset, answer["total_rows"])

    def compare(self, a, b, table_id=None, range=None, steps=None, host=None, offset=0):
        report = self.profile(a).compare(self.profile(b), range=range, steps=steps, host=host)
        return self._report(report, table_id, offset)

    def check(self, a, b, max_step_regression="3%", max_memory_regression=None, forbid=()):
        arguments = [f"--max-step-regression={max_step_regression}"]
        if max_memory_regression is not None:
            arguments.append(f"--max-memory-regression={max_memory_regression}")
        arguments += [f"--forbid={rule}" for rule in forbid]
        status, out = self._run("check", (a, b), *arguments)
        return text_of({"passed": status == 0, "report": out})

    def screenshot(self, path, panel=None, range=None, select=None, size="1280x800", theme=None):
        shown = self.profile(path)
        return shown.screenshot(range=range, panel=panel, select=select, size=size, theme=theme).png

    def show(self, client, path=None, panel=None, range=None, select=None, event=None):
        request = {"client": client, "panel": panel, "range": range, "select": select, "event": event}
        if path is not None:
            request["open"] = self.resolved(path)
        return text_of(_mcp_window.ask({name: value for name, value in request.items() if value is not None}))


def make_server(roots):
    """The server with all tools and the guide."""
    from mcp.server.mcpserver import Context, Image, MCPServer
    from mcp.server.mcpserver.exceptions import ToolError
    from pydantic import Field

    Offset = Annotated[int, Field(ge=0)]
    tools = Tools(roots)
    server = MCPServer("stepscope", instructions=INSTRUCTIONS, version=version)

    def said(function, *arguments, **named):
        try:
            return function(*arguments, **named)
        except Error as error:
            raise ToolError(str(error)) from None

    @server.tool(structured_output=False)
    def open(path: str) -> str:
        """What is inside a profile: runs, hosts, events, span, steps, tracks, and the panels that `report` takes."""
        return said(tools.open, path)

    @server.tool(structured_output=False)
    def overview(path: str) -> str:
        """The verdict of a profile, where a step goes, and why devices are idle."""
        return said(tools.overview, path)

    @server.tool(structured_output=False)
    def findings(path: str, offset: Offset = 0) -> str:
        """What to fix first: rule, severity, title, the saving per step, assumption and remedy."""
        return said(tools.findings, path, offset)

    @server.tool(structured_output=False)
    def report(path: str, panel: str, table_id: Optional[str] = None, range: Optional[str] = None,
               steps: Optional[str] = None, host: Optional[str] = None, compat: Optional[str] = None,
               offset: Offset = 0) -> str:
        """A page of the report: without table_id its numbers and list of tables, with it the rows of that table.
        range is "12ms..15ms", steps is "3..7", compat "xprof" takes XProf's definitions."""
        return said(tools.report, path, panel, table_id, range, steps, host, compat, offset)

    @server.tool(structured_output=False)
    def events(path: str, query: str = "", range: Optional[str] = None, steps: Optional[str] = None,
               host: Optional[str] = None, args: bool = False, offset: Offset = 0) -> str:
        """Events by begin. query: "name:gemm dur>10us cat:kernel track:stream arg.KEY=VALUE -not"; all must hold."""
        return said(tools.events, path, query, range, steps, host, args, offset)

    @server.tool(structured_output=False)
    def statistics(path: str, query: str = "", by: str = "name", range: Optional[str] = None,
                   steps: Optional[str] = None, host: Optional[str] = None, offset: Offset = 0) -> str:
        """Count, total, self time and percentiles of events, by "name", "track", "step" or "all"."""
        return said(tools.statistics, path, query, by, range, steps, host, offset)

    @server.tool(structured_output=False)
    def sql(paths: list[str], query: str, parameters: Optional[dict[str, str]] = None, offset: Offset = 0) -> str:
        """Rows that a query of SQLite selects; several paths are the schemas a, b and so on. ".tables" lists tables,
        ".schema events" describes one. Read-only."""
        return said(tools.sql, paths, query, parameters, offset)

    @server.tool(structured_output=False)
    def compare(a: str, b: str, table_id: Optional[str] = None, range: Optional[str] = None,
                steps: Optional[str] = None, host: Optional[str] = None, offset: Offset = 0) -> str:
        """What changed from profile a to b per step, and why; with table_id the rows of a table, first
        "contributions"."""
        return said(tools.compare, a, b, table_id, range, steps, host, offset)

    @server.tool(structured_output=False)
    def check(a: str, b: str, max_step_regression: str = "3%", max_memory_regression: Optional[str] = None,
              forbid: Optional[list[str]] = None) -> str:
        """Whether b is worse than a by more than allowed."""
        return said(tools.check, a, b, max_step_regression, max_memory_regression, forbid or ())

    @server.tool(structured_output=False)
    def steps(path: str, offset: Offset = 0) -> str:
        """The steps: number, name, host, begin and duration, and whether averages count them."""
        return said(tools.steps, path, offset)

    @server.tool(structured_output=False)
    def screenshot(path: str, panel: Optional[str] = None, range: Optional[str] = None,
                   select: Optional[str] = None, size: str = "1280x800", theme: Optional[str] = None) -> Image:
        """A picture of the window. select takes the first event whose name contains the text."""
        return Image(data=said(tools.screenshot, path, panel, range, select, size, theme), format="png")

    @server.tool(structured_output=False)
    def show(context: Context, path: Optional[str] = None, panel: Optional[str] = None, range: Optional[str] = None,
             select: Optional[str] = None, event: Optional[int] = None) -> str:
        """Moves the window that the person has open and returns what it then shows: opens a profile, brings a panel to
        the front, goes to a range "12ms..15ms", selects the event whose id sql gives, or the first one whose name
        contains a text. Without arguments it only looks. The person must allow it in the window."""
        return said(tools.show, _name_of(context), path, panel, range, select, event)

    @server.resource("stepscope://guide", name="guide", mime_type="text/markdown")
    def guide() -> str:
        """The data model: tables, units, queries."""
        return GUIDE

    return server


def _name_of(context):
    """What the client calls itself."""
    client = context.session.client_params
    name = client.client_info.title or client.client_info.name if client is not None else "An agent"
    return "".join(c for c in name if c.isprintable())[:40]


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="stepscope mcp", description="A server for agents, over standard input and "
                                     "output, by the Model Context Protocol.")
    parser.add_argument("--root", action="append", default=[], metavar="DIR",
                        help="what may be read, once for each folder (default: the current folder)")
    parser.add_argument("--skill", action="store_true", help="print a skill that teaches agents the commands, and exit")
    options = parser.parse_args(arguments)
    if options.skill:
        sys.stdout.write(SKILL)
        return 0
    for root in options.root:
        if not os.path.isdir(root):
            sys.stderr.write(f"stepscope: --root {root}: there is no such folder\n")
            return 2
    try:
        server = make_server(options.root or [os.getcwd()])
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] != "mcp":
            raise
        sys.stderr.write("stepscope: mcp needs the package mcp, 2 or newer: pip install 'stepscope[mcp]'\n")
        return 4
    server.run()
    return 0


if __name__ == "__main__":
    sys.exit(main())
