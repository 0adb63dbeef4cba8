#!/usr/bin/env python3
"""Tests stepscope-fleet: results, second runs, faults, and the queries of docs/fleet.md.

STEPSCOPE_MAKE_RANKS names make_rank_traces. With STEPSCOPE_FLEET_RANKS=256 the fleet has so many ranks instead of 16;
Ray is tested where it is installed.
"""

import glob
import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from support import ROOT, program

import stepscope
from stepscope import _fleet_engines, _fleet_inputs, _fleet_parts

RANKS = int(os.environ.get("STEPSCOPE_FLEET_RANKS", "16"))
LATE, THROTTLED, SLOW_GROUP = 5, 11, 2
COMMAND = [sys.executable, "-m", "stepscope.fleet"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.path.join(ROOT, "python")}


def has(module):
    return importlib.util.find_spec(module) is not None


def run(*arguments, **options):
    return subprocess.run([*COMMAND, *arguments], env=ENVIRONMENT, capture_output=True, text=True, **options)


def content(folder):
    """All rows of all Parquet files, in an order of their own, without times and without the fleet's path."""
    import pyarrow.parquet

    found = {}
    for path in glob.glob(os.path.join(folder, "**", "*.parquet"), recursive=True):
        name = os.path.relpath(path, folder)
        rows = pyarrow.parquet.read_table(path).to_pylist()
        for row in rows:
            row.pop("seconds", None)
        found[name] = rows
    return found


class Fleet(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.home = tempfile.TemporaryDirectory(prefix="stepscope-fleet-test-")
        cls.profiles = os.path.join(cls.home.name, "profiles")
        os.mkdir(cls.profiles)
        subprocess.run([os.environ["STEPSCOPE_MAKE_RANKS"], cls.profiles, str(RANKS), "8", "3", str(LATE), "400",
                        str(THROTTLED), "130", "4", str(SLOW_GROUP), "60"], check=True)
        cls.out = os.path.join(cls.home.name, "fleet")
        cls.first = run(cls.profiles, "-o", cls.out)

    @classmethod
    def tearDownClass(cls):
        cls.home.cleanup()

    def folder(self, name):
        path = os.path.join(self.home.name, name)
        os.mkdir(path)
        return path

    def copies(self, name, count):
        """A folder with the profiles of the first ranks."""
        path = self.folder(name)
        for rank in range(count):
            shutil.copy(os.path.join(self.profiles, f"rank{rank}.pt.trace.json"), path)
        return path

    # --- Results -----------------------------------------------------------------------------------
    def test_what_was_planted_is_found(self):
        self.assertEqual(self.first.returncode, 0, self.first.stderr)
        report = stepscope.open(self.out).report("fleet")
        self.assertEqual(report.properties["slowest_rank"], LATE)
        self.assertEqual(report.properties["throttled_ranks"], 1)
        self.assertEqual(report.properties["slow_links"], 1)
        late = report["ranks"].rows()[LATE]
        self.assertTrue(late["late"])
        self.assertAlmostEqual(late["late_share_percent"] * late["step_ms_median"] / 100, 0.4, delta=0.01)
        kernel = report["kernels"].rows()[0]
        self.assertEqual(kernel["rank"], THROTTLED)
        self.assertAlmostEqual(kernel["ratio"], 1.3, delta=0.01)
        link = report["links"].rows()[0]
        self.assertEqual(link["ranks"], "8-11")
        self.assertAlmostEqual(link["transfer_us"] - link["others_us"], 60, delta=5)

    def test_the_page_of_ranks_equals_that_of_the_profiles_together(self):
        if RANKS > 16:
            self.skipTest("so many profiles are not opened together")
        together = program("report", self.profiles, "--panel", "ranks")["panels"]["ranks"]
        fleet_of = program("report", self.out, "--panel", "ranks")["panels"]["ranks"]
        self.assertEqual(fleet_of["properties"], together["properties"])
        for name, table in together["tables"].items():
            self.assertEqual(fleet_of["tables"][name]["rows"], table["rows"], name)

    def test_results_as_parquet_are_those_of_the_report(self):
        import pyarrow.parquet

        report = stepscope.open(self.out).report("fleet")
        for name in report.keys():
            rows = pyarrow.parquet.read_table(os.path.join(self.out, f"fleet_{name}.parquet")).to_pylist()
            self.assertEqual(rows, report[name].rows(), name)

    def test_parts_have_the_numbers_of_reports(self):
        import pyarrow.parquet

        path = os.path.join(self.profiles, "rank3.pt.trace.json")
        row = next(row for row in _fleet_parts.files(self.out) if row["path"] == path)
        self.assertEqual((row["error"], row["bytes"]), (None, os.path.getsize(path)))
        kernels = pyarrow.parquet.read_table(_fleet_parts.path_of(self.out, "kernels", row["file"])).to_pylist()
        expected = stepscope.open(path).report("kernel_stats")["kernels"].rows()
        self.assertEqual([k["total_duration_us"] for k in kernels], [k["total_duration_us"] for k in expected])

    def test_a_click_knows_where_the_profile_lies(self):
        for row in stepscope.open(self.out).report("fleet")["ranks"].rows():
            self.assertTrue(row["file"].endswith(f"/rank{row['rank']}.pt.trace.json"))

    def test_folders_are_runs_and_the_run_is_chosen(self):
        import pyarrow.parquet

        first, second = self.copies("run1", 2), self.copies("run2", 3)
        out = os.path.join(self.home.name, "runs_out")
        self.assertEqual(run(first, second, "-o", out).returncode, 0)
        rows = pyarrow.parquet.read_table(out + "/fleet_runs.parquet").to_pylist()
        self.assertEqual(sorted((os.path.basename(row["run"]), row["ranks"]) for row in rows), [("run1", 2), ("run2", 3)])
        self.assertEqual(sum(row["shown"] for row in rows), 1)
        for name, ranks in (("run1", 2), ("run2", 3)):
            report = program("report", out, "--panel", "fleet", "--run", name)
            self.assertEqual(report["run"], name)
            self.assertEqual(len(report["panels"]["fleet"]["tables"]["ranks"]["rows"]), ranks)
        refused = subprocess.run([os.environ["STEPSCOPE_PROGRAM"], "report", out, "--run", "run3"], capture_output=True,
                                 text=True)
        self.assertEqual(refused.returncode, 2)
        self.assertIn("no run named run3", refused.stderr)

    # --- Second runs -------------------------------------------------------------------------------
    def test_a_second_run_does_only_what_is_new(self):
        profiles, out = self.copies("again", 4), os.path.join(self.home.name, "again_out")
        self.assertIn("3 of them new", run(profiles + "/rank[0-2]*", "-o", out).stderr)
        before = {path: os.stat(path).st_mtime_ns for path in glob.glob(out + "/kernels/*")}
        self.assertIn("1 of them new", run(profiles, "-o", out).stderr)
        after = {path: os.stat(path).st_mtime_ns for path in glob.glob(out + "/kernels/*")}
        self.assertEqual({path: after[path] for path in before}, before)
        self.assertEqual(len(after), 4)

    def test_a_profile_that_changed_counts_once(self):
        profiles, out = self.copies("changed", 3), os.path.join(self.home.name, "changed_out")
        run(profiles, "-o", out)
        with open(profiles + "/rank1.pt.trace.json", "a") as file:
            file.write("\n")
        self.assertIn("1 of them new", run(profiles, "-o", out).stderr)
        self.assertEqual(len(_fleet_parts.files(out)), 3)
        self.assertEqual(len(glob.glob(out + "/facts/*")), 3)
        self.assertEqual(stepscope.open(out).report("fleet").properties["ranks"], 3)

    def test_two_runs_at_once_lose_nothing(self):
        out = os.path.join(self.home.name, "two")
        runs = [subprocess.Popen([*COMMAND, self.profiles, "-o", out, "--quiet"], env=ENVIRONMENT) for _ in range(2)]
        self.assertEqual([one.wait() for one in runs], [0, 0])
        self.assertEqual(content(out), content(self.out))
        self.assertEqual(glob.glob(out + "/**/.*.tmp", recursive=True), [])

    def test_an_interrupted_run_is_completed(self):
        out = os.path.join(self.home.name, "interrupted")
        begun = subprocess.Popen([*COMMAND, self.profiles, "-o", out, "--workers", "1"], env=ENVIRONMENT,
                                 stderr=subprocess.PIPE, text=True)
        while len(glob.glob(out + "/files/*.parquet")) < 2:
            time.sleep(0.01)
        begun.send_signal(signal.SIGINT)
        self.assertEqual(begun.wait(20), 130, begun.stderr.read())
        begun.stderr.close()
        done = len(glob.glob(out + "/files/*.parquet"))
        self.assertLess(done, RANKS)
        completed = run(self.profiles, "-o", out)
        self.assertIn(f"{RANKS - done} of them new", completed.stderr)
        self.assertEqual(content(out), content(self.out))

    # --- Faults ------------------------------------------------------------------------------------
    def test_bad_profiles_are_rows_with_their_errors(self):
        profiles, out = self.copies("bad", 3), os.path.join(self.home.name, "bad_out")
        with open(profiles + "/rank7.pt.trace.json", "w") as file:
            file.write("no profile")
        open(profiles + "/rank8.pt.trace.json", "w").close()
        gone = profiles + "/rank9.pt.trace.json"
        done = run(profiles, gone, "-o", out)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("6 profiles, 6 of them new, 3 failed", done.stderr)
        errors = {os.path.basename(row["path"]): row for row in _fleet_parts.files(out) if row["error"]}
        self.assertEqual(sorted(errors), ["rank7.pt.trace.json", "rank8.pt.trace.json", "rank9.pt.trace.json"])
        self.assertIn("No such file", errors["rank9.pt.trace.json"]["error"])
        self.assertIn("empty", errors["rank8.pt.trace.json"]["error"])
        report = stepscope.open(out).report("fleet")
        self.assertEqual(report.properties["ranks"], 3)
        self.assertEqual({row["file"] for row in report["failed"].rows()}, {row["path"] for row in errors.values()})
        shutil.copy(os.path.join(self.profiles, "rank9.pt.trace.json"), gone)
        self.assertIn("6 profiles, 1 of them new, 2 failed", run(profiles, gone, "-o", out).stderr)
        self.assertEqual(stepscope.open(out).report("fleet").properties["ranks"], 4)

    def test_a_damaged_part_is_made_again(self):
        profiles, out = self.copies("parts", 3), os.path.join(self.home.name, "parts_out")
        run(profiles, "-o", out)
        part = sorted(glob.glob(out + "/files/*.parquet"))[0]
        with open(part, "wb") as file:
            file.write(b"PAR1")
        done = run(profiles, "-o", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("3 profiles, 1 of them new, 0 failed", done.stderr)

    def test_exit_statuses(self):
        empty = self.folder("empty")
        out = os.path.join(self.home.name, "status")
        self.assertEqual(run(empty, "-o", out).returncode, 2)
        self.assertEqual(run("-o", out).returncode, 2)
        self.assertEqual(run(empty + "/gone.xplane.pb", "-o", out).returncode, 3)
        other = self.folder("other")
        open(other + "/thesis.txt", "w").close()
        refused = run(self.profiles, "-o", other)
        self.assertEqual(refused.returncode, 2)
        self.assertIn("no fleet", refused.stderr)

    def test_a_newer_schema_is_refused(self):
        out = self.folder("newer")
        with open(out + "/fleet.schema", "w") as file:
            json.dump({"schema": _fleet_parts.SCHEMA + 1}, file)
        refused = run(self.profiles, "-o", out)
        self.assertEqual(refused.returncode, 2)
        self.assertIn("newer", refused.stderr)
        self.assertEqual(os.listdir(out), ["fleet.schema"])

    def test_a_worker_that_is_killed_costs_nothing(self):
        out = os.path.join(self.home.name, "killed")
        begun = subprocess.Popen([*COMMAND, self.profiles, "-o", out, "--workers", "2"], env=ENVIRONMENT,
                                 stderr=subprocess.PIPE, text=True)
        killed = set()
        while len(killed) < 2 and begun.poll() is None:
            children = subprocess.run(["ps", "--ppid", str(begun.pid), "-o", "pid="], capture_output=True, text=True)
            for pid in set(map(int, children.stdout.split())) - killed:
                if len(killed) < 2 and len(glob.glob(out + "/files/*.parquet")) > len(killed):
                    os.kill(pid, signal.SIGKILL)
                    killed.add(pid)
        self.assertEqual(begun.wait(), 0, begun.stderr.read())
        begun.stderr.close()
        self.assertEqual(len(killed), 2)
        self.assertEqual(content(out), content(self.out))

    def test_a_profile_that_ends_its_process_is_a_row(self):
        out = os.path.join(self.home.name, "ends")
        _fleet_parts.prepare(out)
        profile = _fleet_inputs.find([self.profiles + "/rank0*"], out)

        class Dead(_fleet_engines._Child):
            def do(self, profile):
                self.process.kill()
                return super().do(profile)

        kept, _fleet_engines._Child = _fleet_engines._Child, Dead
        try:
            errors = list(_fleet_engines.local(profile, out, None, 1, threading.Event()))
        finally:
            _fleet_engines._Child = kept
        self.assertEqual(len(errors), 1)
        self.assertIn("ended 3 times", errors[0])
        self.assertEqual([row["error"] for row in _fleet_parts.files(out)], errors)

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("mount"), "no rights to make a small disk")
    def test_a_full_disk_ends_the_run_and_the_next_one_completes_it(self):
        disk = self.folder("disk")
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", disk], capture_output=True).returncode:
            self.skipTest("no rights to make a small disk")
        try:
            out = disk + "/fleet"
            full = run(self.profiles, "-o", out)
            self.assertEqual(full.returncode, 4, full.stderr)
            self.assertIn("written", full.stderr)
            subprocess.run(["mount", "-o", "remount,size=100m", disk], check=True)
            self.assertEqual(run(self.profiles, "-o", out).returncode, 0)
            self.assertEqual(content(out), content(self.out))
        finally:
            subprocess.run(["umount", disk], check=True)

    # --- Inputs ------------------------------------------------------------------------------------
    def test_addresses_of_fsspec(self):
        if not has("fsspec"):
            self.skipTest("no fsspec")
        out = os.path.join(self.home.name, "addresses")
        done = run("file://" + self.profiles + "/rank[01].pt*", "-o", out)
        self.assertIn("2 profiles, 2 of them new, 0 failed", done.stderr)
        self.assertEqual(stepscope.open(out).report("fleet").properties["ranks"], 2)

    def test_a_fleet_inside_the_folder_is_no_profile(self):
        profiles = self.copies("inside", 2)
        for _ in range(2):
            self.assertIn("2 profiles", run(profiles, "-o", profiles + "/fleet").stderr)

    # --- Ray ---------------------------------------------------------------------------------------
    @unittest.skipUnless(has("ray"), "no ray")
    def test_ray_gives_the_same_rows(self):
        out = os.path.join(self.home.name, "ray")
        done = run(self.profiles, "-o", out, "--engine", "ray", "--workers", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(content(out), content(self.out))

    @unittest.skipUnless(has("ray"), "no ray")
    def test_ray_keeps_on_when_a_worker_is_killed(self):
        out = os.path.join(self.home.name, "ray_killed")
        begun = subprocess.Popen([*COMMAND, self.profiles, "-o", out, "--engine", "ray", "--workers", "2"],
                                 env=ENVIRONMENT, stderr=subprocess.PIPE, text=True)
        killed = False
        while not killed and begun.poll() is None:
            listed = subprocess.run(["ps", "-eo", "pid=,ppid=,args="], capture_output=True, text=True).stdout
            for line in listed.splitlines():
                pid, _, args = line.split(None, 2)
                begins = args.startswith("ray::do") and glob.glob(out + "/files/*.parquet")
                if begins and self.is_below(begun.pid, int(pid)):
                    os.kill(int(pid), signal.SIGKILL)
                    killed = True
                    break
        self.assertEqual(begun.wait(), 0, begun.stderr.read())
        begun.stderr.close()
        self.assertEqual(content(out), content(self.out))

    @unittest.skipUnless(has("ray"), "no ray")
    def test_a_node_that_goes_away_costs_nothing(self):
        from ray.cluster_utils import Cluster

        os.environ["PYTHONPATH"] = ENVIRONMENT["PYTHONPATH"]  # what wheels do for a real cluster
        cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
        try:
            node = cluster.add_node(num_cpus=1)
            out = os.path.join(self.home.name, "nodes")
            begun = subprocess.Popen([*COMMAND, self.profiles, "-o", out, "--address", cluster.address],
                                     env=ENVIRONMENT, stderr=subprocess.PIPE, text=True)
            while not glob.glob(out + "/files/*.parquet") and begun.poll() is None:
                time.sleep(0.05)
            cluster.remove_node(node, allow_graceful=False)
            self.assertEqual(begun.wait(), 0, begun.stderr.read())
            begun.stderr.close()
        finally:
            cluster.shutdown()
        self.assertEqual(content(out), content(self.out))

    @staticmethod
    def is_below(ancestor, pid):
        """Whether a process descends from another."""
        while pid > 1:
            if pid == ancestor:
                return True
            try:
                with open(f"/proc/{pid}/stat") as file:
                    pid = int(file.read().rsplit(")", 1)[1].split()[1])
            except OSError:
                return False
        return False

    # --- Profiles of others ------------------------------------------------------------------------
    def test_modules_of_the_current_folder_are_not_run(self):
        folder = self.copies("of_others", 2)
        os.mkdir(os.path.join(folder, "stepscope"))
        for name in ("stepscope/__init__.py", "pyarrow.py", "json.py", "numpy.py", "signal.py", "ctypes.py"):
            with open(os.path.join(folder, name), "w") as file:
                file.write("open('RUN', 'a').write(__file__ + '\\n')\nraise ImportError(__file__)\n")
        # As the installed command does, which has its own folder on the path and not the current one.
        script = "import sys; sys.path = [f for f in sys.path if f]\n" \
                 "from stepscope.fleet import main; sys.exit(main())"
        for engine in ["local"] + ["ray"] * has("ray"):
            with self.subTest(engine=engine):
                out = os.path.join(self.home.name, "of_others_" + engine)
                done = subprocess.run([sys.executable, "-c", script, ".", "-o", out, "--engine", engine, "--workers",
                                       "1"], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)
                ran = os.path.join(folder, "RUN")
                self.assertFalse(os.path.exists(ran))
                self.assertEqual(len(glob.glob(out + "/facts/*.stepfacts")), 2)

    # --- Documentation -----------------------------------------------------------------------------
    def test_queries_of_the_documentation(self):
        if not has("duckdb"):
            self.skipTest("no duckdb")
        import duckdb

        with open(os.path.join(ROOT, "docs", "fleet.md")) as file:
            queries = re.findall(r"^```sql\n(.*?)^```", file.read(), re.M | re.S)
        self.assertEqual(len(queries), 10)
        kept = os.getcwd()
        os.chdir(self.out)
        try:
            for query in queries:
                with self.subTest(query=query):
                    self.assertTrue(duckdb.sql(query).fetchall(), query)
        finally:
            os.chdir(kept)


if __name__ == "__main__":
    installed = os.path.join(ROOT, "build", "fleet", "python", "bin", "python")
    if not has("pyarrow") and os.path.exists(installed) and sys.executable != installed:
        os.execv(installed, [installed, *sys.argv])
    if not has("pyarrow"):
        print("SKIPPED: no pyarrow; ./dev test --full installs it")
    elif "STEPSCOPE_MAKE_RANKS" not in os.environ:
        print("SKIPPED: STEPSCOPE_MAKE_RANKS does not name make_rank_traces")
    else:
        unittest.main()
