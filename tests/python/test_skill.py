#!/usr/bin/env python3
"""Runs what `stepscope mcp --skill` tells agents: it has the questions of the guide, and every command works. It also
runs `stepscope mcp` where the package mcp is absent. None of that needs the package."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from support import DATA, ROOT, SAMPLE

from stepscope._mcp_texts import GUIDE, SKILL
from stepscope.mcp_server import Tools

PROGRAM = os.environ["STEPSCOPE_PROGRAM"]
WORDS = {"YESTERDAY": os.path.join(DATA, "tf_graph.xplane.pb.zst"),
         "TODAY": os.path.join(DATA, "tf_eagerpy.xplane.pb.zst"), "KERNEL": "EigenMetaKernel", "HOST": "node7",
         "PATH": SAMPLE}
PYTHON = {**os.environ, "PYTHONPATH": os.path.join(ROOT, "python"),
          "PATH": os.path.dirname(sys.executable) + ":" + os.environ["PATH"]}

# Starts what the address asks for, on this machine.
SSH = """#!/bin/sh
for last; do :; done
exec sh -c "$last"
"""


def commands():
    """The commands of the skill, with real words in place of those in capitals."""
    for found in re.findall(r"`(stepscope [^`]*)`", SKILL):
        command = " ".join(found.split())
        command = re.sub(r"ssh://HOST/PATH", f"ssh://node7{SAMPLE}", command)
        yield re.sub("|".join(WORDS), lambda word: WORDS[word[0]], command)


class Skill(unittest.TestCase):
    def test_it_has_the_questions_of_the_guide(self):
        with open(os.path.join(ROOT, "docs", "guide.md"), encoding="utf-8") as file:
            questions = re.findall(r"^## (\d+\. .*)$", file.read(), re.M)
        self.assertGreaterEqual(len(questions), 10)
        lines = SKILL.replace("\n   ", " ")
        for question in questions:
            self.assertIn("\n" + question, lines)

    def test_every_command_works(self):
        ran = 0
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(PROGRAM, os.path.join(folder, "stepscope"))
            ssh = os.path.join(folder, "ssh")
            with open(ssh, "w", encoding="utf-8") as file:
                file.write(SSH)
            os.chmod(ssh, 0o755)
            here = {**os.environ, "PATH": folder + ":" + os.environ["PATH"], "STEPSCOPE_SSH": ssh}
            for command in commands():
                if command.startswith(("stepscope mcp", "stepscope capture")):  # these need a client, a program
                    continue
                with self.subTest(command=command):
                    done = subprocess.run(["sh", "-c", command], cwd=folder, env=here, text=True, capture_output=True)
                    if done.returncode == 4 and "OpenGL" in done.stderr:
                        continue
                    self.assertIn(done.returncode, (0, 1) if " check " in command else (0,), done.stderr)
                    self.assertTrue(done.stdout.strip() or "-o " in command, "it says nothing")
                    ran += 1
        self.assertGreaterEqual(ran, 20)

    def test_the_guide_to_the_data_model_names_the_tables(self):
        done = subprocess.run([PROGRAM, "sql", SAMPLE, ".tables", "--format", "csv"], text=True, capture_output=True,
                              check=True)
        for table in ("events", "args", "tracks", "processes", "steps", "counters", "flows", "programs"):
            self.assertIn(table, done.stdout)
            columns = re.search(rf"\b{table}\(([^)]*)\)", GUIDE)[1].split(", ")
            subprocess.run([PROGRAM, "sql", SAMPLE, f"SELECT {', '.join(columns)} FROM {table} LIMIT 1"],
                           capture_output=True, check=True)


class Profiles(unittest.TestCase):
    """What the tools see of a log directory, without the protocol."""

    def test_a_new_run_below_a_log_directory_is_seen(self):
        with tempfile.TemporaryDirectory() as folder:
            runs = os.path.join(folder, "plugins", "profile")
            tools = Tools([folder])
            for name in ("2026_01_01_00_00_00", "2026_01_02_00_00_00"):
                os.makedirs(os.path.join(runs, name))
                shutil.copy(os.path.join(DATA, "tf_graph.xplane.pb.zst"), os.path.join(runs, name))
                self.assertEqual(tools.profile(folder).run, name)

    def test_a_profile_that_stays_as_it_is_is_loaded_once(self):
        tools = Tools([DATA])
        path = os.path.join(DATA, "tf_graph.xplane.pb.zst")
        self.assertIs(tools.profile(path), tools.profile(path))


class Program(unittest.TestCase):
    def test_the_program_prints_the_skill(self):
        done = subprocess.run([PROGRAM, "mcp", "--skill"], text=True, capture_output=True, env=PYTHON)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, SKILL, ""))

    def test_without_its_package_it_says_how_to_get_it(self):
        absent = "import sys; sys.modules['mcp'] = None; from stepscope.mcp_server import main; sys.exit(main([]))"
        done = subprocess.run([sys.executable, "-c", absent], text=True, capture_output=True, env=PYTHON)
        self.assertEqual(done.returncode, 4)
        self.assertRegex(done.stderr, r"^stepscope: [^\n]*pip install 'stepscope\[mcp\]'\n$")

    def test_without_its_module_it_says_what_it_needs(self):
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(sys.executable, os.path.join(folder, "python3"))
            done = subprocess.run([PROGRAM, "mcp"], text=True, capture_output=True, input="", cwd=folder,
                                  env={"PATH": folder, "PYTHONNOUSERSITE": "1"})
        self.assertEqual((done.returncode, done.stderr.count("\n")), (4, 1), done.stderr)
        self.assertIn("stepscope[mcp]", done.stderr)


if __name__ == "__main__":
    unittest.main()
