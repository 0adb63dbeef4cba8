#!/usr/bin/env python3
"""Tests tables in pandas, polars, pyarrow and DuckDB, as far as this Python has them. The module needs none."""

import importlib
import os
import unittest

from support import DATA, SAMPLE, program

import stepscope

SAMPLE_FILE = os.path.join(DATA, "jax_cpu.xplane.pb.zst")
LIBRARIES = {}
for name in ("pyarrow", "polars", "pandas", "duckdb", "fsspec"):
    try:
        LIBRARIES[name] = importlib.import_module(name)
    except ImportError:
        pass


def needs(*names):
    missing = [name for name in names if name not in LIBRARIES]
    return unittest.skipIf(missing, f"no {', '.join(missing)}")



class Tables(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.profile = stepscope.open(SAMPLE)
        cls.events = cls.profile.events()
        cls.rows = cls.events.to_dict()
        cls.kernels = program("report", SAMPLE, "--panel", "kernel_stats")["panels"]["kernel_stats"]["tables"]

    @needs("pyarrow")
    def test_pyarrow(self):
        pyarrow = LIBRARIES["pyarrow"]
        table = pyarrow.table(self.events)
        table.validate(full=True)
        self.assertEqual(table.column_names, self.events.names)
        self.assertEqual(table["name"].to_pylist(), self.rows["name"])
        self.assertEqual(table["begin_ps"].to_pylist(), self.rows["begin_ps"])
        self.assertEqual(table.schema.field("begin_ps").metadata, {b"unit": b"ps"})

    @needs("pyarrow")
    def test_pyarrow_takes_all_tables_of_all_panels(self):
        pyarrow = LIBRARIES["pyarrow"]
        for panel in stepscope.panels():
            for name, table in self.profile.report(panel).items():
                taken = pyarrow.table(table)
                taken.validate(full=True)
                self.assertEqual(taken.to_pylist(), table.rows(), f"{panel}.{name}")

    @needs("pyarrow")
    def test_pyarrow_takes_arguments(self):
        table = LIBRARIES["pyarrow"].table(self.profile.events(query="dur>100us", args=True))
        table.validate(full=True)
        self.assertEqual(str(table.schema.field("args").type), "map<large_string, large_string>")

    @needs("polars")
    def test_polars(self):
        polars = LIBRARIES["polars"]
        frame = polars.DataFrame(self.events)
        self.assertEqual(frame.columns, self.events.names)
        self.assertEqual(frame["name"].to_list(), self.rows["name"])
        self.assertEqual(frame["self_ps"].to_list(), self.rows["self_ps"])
        for name, table in self.profile.report("kernel_stats").items():
            self.assertEqual(polars.DataFrame(table).to_dicts(), self.kernels[name]["rows"])

    @needs("pandas", "pyarrow")  # pandas reads streams through pyarrow
    def test_pandas(self):
        pandas = LIBRARIES["pandas"]
        if not hasattr(pandas.DataFrame, "from_arrow"):
            self.skipTest("pandas before 3 does not read streams")
        frame = pandas.DataFrame.from_arrow(self.events)
        self.assertEqual(list(frame.columns), self.events.names)
        self.assertEqual(frame["dur_ps"].tolist(), self.rows["dur_ps"])
        self.assertEqual(frame["track"].tolist(), self.rows["track"])

    def check_first_table(self, taken):
        """`taken` makes {column: values} of a report."""
        report = self.profile.report("kernel_stats")
        expected = report["kernels"].to_dict()
        self.assertEqual(taken(report), expected)

    @needs("polars")
    def test_polars_takes_a_report_as_its_first_table(self):
        self.check_first_table(lambda report: LIBRARIES["polars"].DataFrame(report).to_dict(as_series=False))

    @needs("pyarrow")
    def test_pyarrow_takes_a_report_as_its_first_table(self):
        self.check_first_table(lambda report: LIBRARIES["pyarrow"].table(report).to_pydict())

    @needs("pandas")
    def test_pandas_takes_a_report_as_its_first_table(self):
        self.check_first_table(lambda report: LIBRARIES["pandas"].DataFrame(report).to_dict("list"))

    @needs("pandas", "pyarrow")
    def test_pandas_reads_the_stream_of_a_report(self):
        pandas = LIBRARIES["pandas"]
        if not hasattr(pandas.DataFrame, "from_arrow"):
            self.skipTest("pandas before 3 does not read streams")
        self.check_first_table(lambda report: pandas.DataFrame.from_arrow(report).to_dict("list"))

    @needs("duckdb")
    def test_duckdb_adds_up_what_the_report_does(self):
        duckdb = LIBRARIES["duckdb"]
        events = self.profile.events(query="cat:kernel")
        self.assertGreater(len(events), 0)
        sums = dict(duckdb.sql("select name::varchar, sum(dur_ps)::bigint from events group by 1").fetchall())
        stats = self.profile.event_stats(query="cat:kernel").rows()
        self.assertEqual(sums, {row["name"]: row["total_ps"] for row in stats})
        expected = {}
        for row in self.kernels["kernels"]["rows"]:  # several rows of the report may have one kernel name
            expected[row["kernel_name"]] = expected.get(row["kernel_name"], 0) + row["total_duration_us"]
        self.assertEqual(set(sums), set(expected))
        for name, ps in sums.items():
            self.assertAlmostEqual(ps / 1e6, expected[name], places=6)

    @needs("duckdb")
    def test_duckdb_takes_reports(self):
        duckdb = LIBRARIES["duckdb"]
        kernels = self.profile.report("kernel_stats")["kernels"]
        found = duckdb.sql("select count(*) from kernels").fetchall()
        self.assertEqual(found, [(len(kernels),)])


class Addresses(unittest.TestCase):
    """Profiles that fsspec reads; `memory://` is its file system without files."""

    @classmethod
    def setUpClass(cls):
        fsspec = LIBRARIES.get("fsspec")
        if fsspec is None:
            raise unittest.SkipTest("no fsspec")
        memory = fsspec.filesystem("memory")
        cls.runs = {"2026_11_24": "tf_keras.xplane.pb.zst", "2026_11_25": "tf_graph.xplane.pb.zst"}
        for run, name in cls.runs.items():
            memory.put_file(os.path.join(DATA, name), f"/logs/plugins/profile/{run}/vm.xplane.pb.zst")
        memory.pipe_file("/logs/model.ckpt", b"not to be copied")
        memory.put_file(SAMPLE_FILE, "/one.xplane.pb.zst")

    def test_a_file(self):
        with stepscope.open("memory://one.xplane.pb.zst") as profile:
            self.assertEqual(profile.path, "memory://one.xplane.pb.zst")
            self.assertEqual(profile.events().to_dict(), stepscope.open(SAMPLE_FILE).events().to_dict())

    def test_a_log_directory(self):
        for run, name in self.runs.items():
            with self.subTest(run=run):
                profile = stepscope.open("memory://logs", run=None if run == max(self.runs) else run)
                self.assertEqual(profile.run, run)
                near = stepscope.open(os.path.join(DATA, name))
                self.assertEqual(profile.event_count, near.event_count)
                self.assertEqual(len(profile.report("kernel_stats")), len(near.report("kernel_stats")))

    def test_the_copy_lasts_as_long_as_the_profile(self):
        profile = stepscope.open("memory://one.xplane.pb.zst")
        path = profile._paths[0]
        self.assertGreater(len(profile.events(args=True)), 0)
        self.assertTrue(os.path.exists(path))
        del profile
        self.assertFalse(os.path.exists(path))

    def test_what_is_not_there(self):
        with self.assertRaises(FileNotFoundError):
            stepscope.open("memory://missing.xplane.pb")
        with self.assertRaisesRegex(stepscope.Error, "nowhere://x"):
            stepscope.open("nowhere://x")


if __name__ == "__main__":
    absent = sorted({"pyarrow", "polars", "pandas", "duckdb"} - set(LIBRARIES))
    if len(absent) == 4:
        print("SKIPPED: no pyarrow, polars, pandas or duckdb in this Python")
    else:
        print(f"without {', '.join(absent)}" if absent else "with all libraries")
        unittest.main(verbosity=2)
