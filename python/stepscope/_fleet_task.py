"""One task of a fleet: reads one profile and writes its parts.

main() does the tasks that come as lines of JSON on stdin, and answers each with a line: the local engine starts it in
a process of its own, so that a profile that ends its process ends no other.
"""

import errno
import json
import signal
import sys
import time

from . import _fleet_inputs, _fleet_parts
from ._errors import Error, InputError
from ._library import made
from ._profile import Report
from ._profile import open as open_profile

# Table of the fleet: page and table of `stepscope report`.
PAGES = {"steps": ("overview", "step_losses"), "kernels": ("kernel_stats", "kernels"), "ops": ("op_stats", "ops"),
         "memory": ("memory", "summary"), "findings": ("findings", "findings")}


class DiskFull(OSError):
    """Nothing more can be written: the fleet ends here."""


def _write(out, profile, opened):
    facts = Report(made("report_free", "fleet_tables", opened._open))
    for table in facts.keys():
        _fleet_parts.write_table(out, "rank_facts" if table == "ranks" else table, facts[table], profile)
    reports = {page: opened.report(page) for page, _ in PAGES.values()}
    for name, (page, table) in PAGES.items():
        if table in reports[page]:
            _fleet_parts.write_table(out, name, reports[page][table], profile)
    _write_verdicts(out, profile, reports)
    _fleet_parts.write_facts(out, profile, opened._open, None)


def _write_verdicts(out, profile, reports):
    import pyarrow as pa

    rows = [verdict for report in reports.values() for verdict in report.verdicts]
    names = ("grade", "text", "next_step", "panel")
    table = pa.table({name: pa.array([row[name] for row in rows], pa.string()) for name in names})
    _fleet_parts.write_table(out, "verdicts", table, profile)


def _fail(out, profile, error, kind):
    _fleet_parts.write_facts(out, profile, None, error)
    _fleet_parts.write_file(out, profile, error, kind, {})
    return error


def fail(profile, out, error, kind):
    """Writes that a profile has no facts."""
    return _fail(out, _fleet_inputs.Profile(*profile), error, kind)


def do(profile, out):
    """Writes the parts of a profile; returns its error, or None. DiskFull where the fleet cannot go on."""
    profile = _fleet_inputs.Profile(*profile)
    begin = time.monotonic()
    try:
        if profile.missing:
            return _fail(out, profile, profile.missing, "missing")
        try:
            with open_profile(profile.path) as opened:
                _write(out, profile, opened)
                facts = {"origin_unix_ns": opened.origin_unix_ns, "events": opened.event_count,
                         "seconds": time.monotonic() - begin}
        except InputError as error:
            return _fail(out, profile, str(error), "input")
        except (Error, MemoryError) as error:
            return _fail(out, profile, str(error) or "there is not enough memory", "other")
        _fleet_parts.write_file(out, profile, None, None, facts)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES) or "space" in str(error):
            raise DiskFull(error.errno, f"{out}: cannot be written: {error}") from None
        return _fail(out, profile, f"{profile.path}: {error}", "other")
    return None


def main():
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of the terminal: the driver ends its tasks
    out = sys.argv[1]
    for line in sys.stdin:
        try:
            answer = {"error": do(json.loads(line), out)}
        except DiskFull as error:
            answer = {"full": str(error)}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
