#!/usr/bin/env python3
"""Tests the module without any other table library: its answers are those of the program."""

import ast
import ctypes
import gc
import inspect
import json
import os
import re
import shutil
import subprocess
import tempfile
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor

from support import DATA, PROFILES, ROOT, SAMPLE, program

import stepscope
from stepscope import _arrow, _library


def plain(table):
    """The rows in the form of the program's JSON."""
    return [{key: value for key, value in row.items()} for row in table.rows()]


def joined(rows):
    """Rows of JSON with lists of names as Python has them: texts with commas."""
    def cell(key, value):
        return ", ".join(value) if key in ("operands", "users") and isinstance(value, list) else value
    return [{key: cell(key, value) for key, value in row.items()} for row in rows]


class SameAsProgram(unittest.TestCase):
    maxDiff = 4000

    def check_report(self, path, panels, *flags, **part):
        profile = stepscope.open(path)
        for panel, expected in panels.items():
            with self.subTest(path=path, panel=panel, flags=flags):
                report = profile.report(panel, **part)
                self.assertEqual(report.properties, expected["properties"])
                self.assertEqual(report.keys(), list(expected["tables"]))
                self.assertEqual(report.empty_reason, expected.get("empty_reason", ""))
                self.assertEqual(report.verdicts, expected.get("findings", []))
                for name, table in expected["tables"].items():
                    self.assertEqual(plain(report[name]), joined(table["rows"]), name)
                    columns = [(c["id"], c["label"], c["unit"]) for c in table["columns"]]
                    self.assertEqual([(c.name, c.label, c.unit) for c in report[name].columns], columns)

    def test_reports(self):
        for path in PROFILES:
            self.check_report(path, program("report", path)["panels"])

    def test_a_report_stands_for_its_first_table(self):
        report = stepscope.open(SAMPLE).report("kernel_stats")
        first = report["kernels"]
        self.assertEqual(list(report), first.rows())
        self.assertEqual(len(report), len(first))
        self.assertIs(report.first, first)
        self.assertIn("devices", report)
        self.assertNotIn("no_such_table", report)
        self.assertIsNone(report.get("no_such_table"))
        self.assertEqual(dict(report), report.tables)
        self.assertEqual(dict(zip(report.keys(), report.values())), dict(report.items()))

    def test_a_report_without_tables_says_why(self):
        report = stepscope.open(SAMPLE).report("memory_snapshot")
        self.assertEqual(len(report), 0)
        with self.assertRaises(stepscope.UsageError) as raised:
            list(report)
        self.assertIn(report.empty_reason, str(raised.exception))

    def test_reports_of_a_part(self):
        chosen = ("--panel", "overview", "--panel", "kernel_stats")
        panels = program("report", SAMPLE, "--steps", "1..2", *chosen)["panels"]
        self.check_report(SAMPLE, panels, steps="1..2")
        begin, end = stepscope.open(SAMPLE).span
        middle = (begin + (end - begin) // 4, begin + (end - begin) // 2)
        panels = program("report", SAMPLE, "--range", "{}ps..{}ps".format(*middle), "--panel", "op_stats")["panels"]
        self.check_report(SAMPLE, panels, range=middle)

    def test_reports_of_a_program(self):
        path = os.path.join(DATA, "jax_cpu.xplane.pb.zst")
        asked = program("report", path, "--panel", "hlo_memory")["panels"]["hlo_memory"]["properties"]["program"]
        chosen = ("--program", asked, "--memory-space", "1", "--radius", "0")
        panels = program("report", path, *chosen, "--panel", "hlo_memory", "--panel", "hlo_graph")["panels"]
        self.check_report(path, panels, program=asked, memory_space=1, radius=0)
        profile = stepscope.open(path)
        node = profile.report("hlo_graph", program=asked, radius=0)["nodes"].rows()[0]
        self.assertEqual(profile.report("hlo_graph", instruction=node["instruction"], radius=0)["nodes"].rows(), [node])
        self.assertIn("'9999'", profile.report("hlo_graph", program=9999).empty_reason)

    def test_reports_by_xprofs_definitions(self):
        panels = program("report", SAMPLE, "--compat", "xprof")["panels"]
        self.check_report(SAMPLE, panels, compat="xprof")

    def test_events(self):
        for path in PROFILES:
            for query in ("", "dur>5us -a", "cat:python_function"):
                with self.subTest(path=path, query=query):
                    expected = program("events", path, "--query", query)["events"]
                    got = plain(stepscope.open(path).events(query=query))
                    for row in got:
                        row["duration_ps"] = row.pop("dur_ps")
                    self.assertEqual(got, expected)

    def test_events_by_track_are_the_same_in_another_order(self):
        profile = stepscope.open(SAMPLE)
        with self.assertRaises(ValueError):
            profile.events(order="name")
        rows = [[tuple(row.values()) for row in profile.events(order=order).rows()] for order in ("time", "track")]
        self.assertNotEqual(*rows)
        self.assertEqual(*map(sorted, rows))

    def test_events_with_arguments(self):
        path = os.path.join(DATA, "torch_cpu.json.gz")
        expected = program("events", path, "--query", "aten::add", "--args")["events"]
        got = stepscope.open(path).events(query="aten::add", args=True)["args"]
        self.assertGreater(len(got), 0)
        for args, event in zip(got, expected):
            self.assertEqual(list(args), list(event["args"]))
            for key, value in event["args"].items():
                if not isinstance(value, float):
                    self.assertEqual(args[key], str(value))

    def test_statistics(self):
        profile = stepscope.open(SAMPLE)
        for by in ("name", "track", "step"):
            expected = program("events", SAMPLE, "--stats", "--group", by)
            self.assertEqual(plain(profile.event_stats(by=by)), expected["groups"])
        total = {key: value for key, value in expected["total"].items() if key != "host"}
        (row,) = plain(profile.event_stats(by="all"))
        self.assertAlmostEqual(row.pop("stddev_ps"), total.pop("stddev_ps"), delta=1)  # added up in another order
        self.assertEqual(row, total)

    def test_compare(self):
        a, b = [os.path.join(DATA, f"tf_{name}.xplane.pb.zst") for name in ("graph", "eagerpy")]
        expected = program("compare", a, b)
        report = stepscope.open(a).compare(stepscope.open(b))
        self.assertEqual(report.properties, expected["properties"])
        self.assertEqual({name: plain(table) for name, table in report.tables.items()},
                         {name: table["rows"] for name, table in expected["tables"].items()})

    def test_info(self):
        for path in PROFILES:
            done = program_info(path)
            profile = stepscope.open(path)
            self.assertEqual(profile.runs, done["runs"])
            self.assertEqual(profile.run, done["run"])
            self.assertEqual(profile.event_count, done["events"])
            self.assertEqual(len(profile.steps), done["steps"])
            self.assertEqual(profile.span[1] - profile.span[0], done["span_ps"])
            tracks = [(p["name"], t["name"], t["events"]) for p in done["planes"] for t in p["tracks"]]
            self.assertEqual([(t["process"], t["track"], t["events"]) for t in profile.tracks], tracks)


def program_info(path):
    done = subprocess.run([os.environ["STEPSCOPE_PROGRAM"], "info", path, "--json"], capture_output=True, check=True)
    return json.loads(done.stdout)


class Questions(unittest.TestCase):
    def setUp(self):
        self.profile = stepscope.open(SAMPLE)

    def test_ranges_and_steps_in_all_forms(self):
        first = self.profile.steps.rows(1)[0]["begin_ps"] // 10**9
        begin, end = first * 10**9, (first + 9) * 10**9
        for same in (f"{first}ms..{first + 9}ms", (f"{first}ms", f"{first + 9}ms"), (begin, end)):
            rows = self.profile.events(range=same).rows()
            self.assertGreater(len(rows), 0)
            self.assertTrue(all(begin <= row["begin_ps"] < end for row in rows))
        counts = [len(self.profile.events(steps=same)) for same in ("1..1", (1, 1), 1)]
        self.assertEqual(len(set(counts)), 1)
        self.assertGreater(counts[0], 0)

    def test_steps_have_times(self):
        for step in self.profile.steps:
            self.assertGreater(step["dur_ps"], 0)
            self.assertGreater(len(self.profile.events(range=(step["begin_ps"], step["begin_ps"] + step["dur_ps"]))), 0)

    def test_errors_say_what_is_wrong(self):
        cases = [(lambda: stepscope.open("/nowhere"), stepscope.InputError, "/nowhere"),
                 (lambda: self.profile.events(query="dur>"), stepscope.UsageError, "query 'dur>'"),
                 (lambda: self.profile.events(range="soon"), ValueError, "12ms..15ms"),
                 (lambda: self.profile.events(range=(5, 5)), ValueError, "empty"),
                 (lambda: self.profile.events(range=(0.5, 1.5)), ValueError, "not a time"),
                 (lambda: self.profile.events(steps="a..b"), ValueError, "3..7"),
                 (lambda: self.profile.events(steps=(70, 80)), ValueError, "steps 70..80"),
                 (lambda: self.profile.report("nothing"), ValueError, "kernel_stats"),
                 (lambda: self.profile.report("overview", compat="x"), ValueError, "xprof"),
                 (lambda: self.profile.report("overview")["nothing"], KeyError, "top_ops"),
                 (lambda: self.profile.steps["nothing"], KeyError, "begin_ps")]
        for call, kind, text in cases:
            with self.assertRaises(kind) as caught:
                call()
            self.assertIn(text, str(caught.exception))

    def test_a_closed_profile_is_refused_and_its_tables_stay(self):
        with self.profile as profile:
            events, report = profile.events(), profile.report("overview")
        with self.assertRaises(stepscope.UsageError):
            profile.events()
        self.assertGreater(len(events.rows(5)), 0)
        self.assertGreater(len(report["steps"].rows()), 0)
        self.assertIn("closed", repr(profile))

    def test_panels_and_texts(self):
        self.assertIn("kernel_stats", stepscope.panels())
        self.assertRegex(stepscope.__version__, r"^\d+\.\d+\.\d+$")
        self.assertIn(SAMPLE, repr(self.profile))
        self.assertIn("rows of begin_ps", repr(self.profile.events()))
        self.assertIn("overview", repr(self.profile.report("overview")))

    def test_notebooks_show_tables(self):
        shown = self.profile.events()._repr_html_()
        self.assertEqual(shown.count("<tr>"), 21)
        self.assertIn("more rows", shown)
        self.assertIn("<table>", self.profile.report("overview")._repr_html_())
        path = os.path.join(tempfile.mkdtemp(), "x.trace.json")
        with open(path, "w") as file:
            file.write('{"traceEvents": [{"ph": "X", "name": "<b>&", "ts": 1, "dur": 2, "pid": 1, "tid": 1}]}')
        self.assertIn("&lt;b&gt;&amp;", stepscope.open(path).events()._repr_html_())


class Stubs(unittest.TestCase):
    def test_they_name_what_there_is_with_the_same_parameters(self):
        with open(os.path.join(os.path.dirname(stepscope.__file__), "__init__.pyi"), encoding="utf-8") as file:
            stub = ast.parse(file.read())
        checked = 0
        for node in stub.body:
            if isinstance(node, ast.FunctionDef):
                checked += self.check_function(getattr(stepscope, node.name), node)
            elif isinstance(node, ast.ClassDef):
                kind = getattr(stepscope, node.name)
                for member in node.body:
                    if isinstance(member, ast.FunctionDef):
                        checked += self.check_function(inspect.getattr_static(kind, member.name), member)
        self.assertGreater(checked, 30)
        for name in stepscope.__all__:
            self.assertIn(name, [getattr(node, "name", None) for node in stub.body])

    def check_function(self, function, node):
        if isinstance(function, property):
            self.assertEqual([d.id for d in node.decorator_list], ["property"])
            function = function.fget
        names = [a.arg for a in node.args.args + node.args.kwonlyargs]
        parameters = inspect.signature(function).parameters.values()
        self.assertEqual([p.name for p in parameters if p.kind != p.VAR_POSITIONAL], names, node.name)
        return 1


class Library(unittest.TestCase):
    def test_exports_the_functions_of_the_header_and_nothing_else(self):
        if shutil.which("nm") is None:
            self.skipTest("no nm")
        listed = subprocess.run(["nm", "-D", "--defined-only", os.environ["STEPSCOPE_LIBRARY"]], text=True,
                                capture_output=True, check=True).stdout
        exported = {line.split()[-1] for line in listed.splitlines()}
        with open(os.path.join(ROOT, "capi", "stepscope.h"), encoding="utf-8") as file:
            header = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
        declared = set(re.findall(r"\b(stepscope_\w+)\(", header))
        self.assertEqual(exported, declared)
        called = {"stepscope_" + name for name in _library.FUNCTIONS}
        self.assertEqual(called, declared)


class Streams(unittest.TestCase):
    def setUp(self):
        self.table = stepscope.open(SAMPLE).events()

    def test_a_capsule_that_nobody_reads_is_released(self):
        before = len(_arrow._exported)
        capsule = self.table.__arrow_c_stream__()
        self.assertEqual(len(_arrow._exported), before + 1)
        self.assertIn("arrow_array_stream", repr(capsule))
        schema = self.table.__arrow_c_schema__()
        self.assertIn("arrow_schema", repr(schema))
        del capsule, schema
        gc.collect()
        self.assertEqual(len(_arrow._exported), before)

    def test_a_reader_moves_the_stream_out_and_releases_it(self):
        capsule = self.table.__arrow_c_stream__()
        address = _arrow._pointer(id(capsule), b"arrow_array_stream")
        moved = _arrow.ArrowArrayStream()
        ctypes.memmove(ctypes.byref(moved), address, ctypes.sizeof(moved))
        theirs = _arrow.ArrowArrayStream.from_address(address)
        theirs.release = type(theirs.release)()
        del capsule, self.table
        gc.collect()
        schema = _arrow.schema_of(moved)
        names = [schema.children[i].contents.name for i in range(schema.n_children)]
        formats = [schema.children[i].contents.format for i in range(schema.n_children)]
        self.assertEqual(names, [b"begin_ps", b"dur_ps", b"self_ps", b"name", b"track", b"process"])
        self.assertEqual(formats, [b"l"] * 3 + [b"i"] * 3)
        self.assertEqual(schema.children[3].contents.dictionary.contents.format, b"U")
        for structure in (schema, moved):
            _arrow.release(structure)
            self.assertFalse(structure.release)

    def test_as_often_as_asked(self):
        for _ in range(3):
            self.assertEqual(len(self.table["dur_ps"]), len(self.table))


class Threads(unittest.TestCase):
    def test_several_profiles_in_parallel(self):
        with ThreadPoolExecutor(len(PROFILES)) as pool:
            profiles = list(pool.map(stepscope.open, PROFILES))
            counts = list(pool.map(lambda p: len(p.events()), profiles))
        self.assertEqual(counts, [p.event_count for p in profiles])

    def test_other_threads_run_meanwhile(self):
        ticks, done = 0, threading.Event()

        def load():
            for _ in range(3):
                stepscope.open(SAMPLE).report("overview")
            done.set()
        thread = threading.Thread(target=load)
        thread.start()
        while not done.wait(0.001):
            ticks += 1
        thread.join()
        self.assertGreater(ticks, 3)

    def test_closing_while_another_thread_asks(self):
        for _ in range(5):
            profile = stepscope.open(SAMPLE)
            threads = [threading.Thread(target=self.ask, args=(profile,)) for _ in range(4)]
            for thread in threads:
                thread.start()
            profile.close()
            for thread in threads:
                thread.join()

    @staticmethod
    def ask(profile):
        try:
            profile.report("kernel_stats").tables
        except stepscope.UsageError:
            pass  # another thread closed it before


class Pictures(unittest.TestCase):
    def test_a_part_of_the_trace(self):
        profile = stepscope.open(SAMPLE)
        try:
            image = profile.screenshot(range="1ms..2ms", panel="kernel_stats", size=(640, 400))
        except stepscope.Error as error:
            if "OpenGL" not in str(error):
                raise
            self.skipTest(str(error))
        self.assertEqual(image.png[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(int.from_bytes(image.png[16:20], "big"), 640)
        self.assertEqual(image._repr_png_(), image.png)
        with self.assertRaises(ValueError):
            profile.screenshot(theme="no such theme")


if __name__ == "__main__":
    unittest.main()
