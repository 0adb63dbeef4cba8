#!/usr/bin/env python3
"""Drives `stepscope mcp` with the client of the MCP SDK: every tool, wrong arguments, paths, two clients at once."""

import asyncio
import functools
import json
import os
import subprocess
import sys
import tempfile
import unittest

from support import DATA, ROOT, SAMPLE, program

try:
    from mcp import Client, StdioServerParameters
except ImportError:
    print("SKIPPED: no mcp 2 in this Python")
    sys.exit(0)

from stepscope import _mcp_answers

BEFORE = os.path.join(DATA, "tf_graph.xplane.pb.zst")
AFTER = os.path.join(DATA, "tf_eagerpy.xplane.pb.zst")
ENVIRONMENT = {"PYTHONPATH": os.path.join(ROOT, "python"),
               **{name: os.environ[name] for name in ("STEPSCOPE_LIBRARY", "STEPSCOPE_PROGRAM", "PATH")}}


def server(*roots):
    arguments = [word for root in roots for word in ("--root", root)]
    return StdioServerParameters(command=sys.executable, args=["-m", "stepscope.mcp_server", *arguments],
                                 env=ENVIRONMENT, cwd=ROOT)


async def said(client, tool, **arguments):
    """The text of an answer; fails where it is an error."""
    result = await client.call_tool(tool, arguments)
    text = result.content[0].text
    assert not result.is_error, text
    assert len(text) <= _mcp_answers.MOST, f"{tool}: {len(text)} characters"
    return text


async def data(client, tool, **arguments):
    return json.loads(await said(client, tool, **arguments))


async def error(client, tool, **arguments):
    result = await client.call_tool(tool, arguments)
    assert result.is_error, result.content
    return result.content[0].text


def with_client(test):
    """Gives a test a client of its own server, in the test's own task, as the SDK wants it."""
    @functools.wraps(test)
    async def run(self):
        async with Client(server(ROOT)) as client:
            await test(self, client)
    return run


class Server(unittest.IsolatedAsyncioTestCase):
    @with_client
    async def test_all_tools_are_told(self, client):
        tools = {tool.name for tool in (await client.list_tools()).tools}
        self.assertEqual(tools, {"open", "overview", "findings", "report", "events", "statistics", "sql", "compare",
                                 "check", "steps", "screenshot"})

    @with_client
    async def test_open_says_what_info_says(self, client):
        opened = await data(client, "open", path=SAMPLE)
        done = subprocess.run([os.environ["STEPSCOPE_PROGRAM"], "info", SAMPLE, "--json"], capture_output=True, check=True)
        info = json.loads(done.stdout)
        self.assertEqual((opened["events"], opened["steps"]), (info["events"], info["steps"]))

    @with_client
    async def test_overview_findings_and_steps(self, client):
        overview = await data(client, "overview", path=SAMPLE)
        self.assertEqual(overview["properties"]["verdict"], "input")
        self.assertGreater((await data(client, "findings", path=SAMPLE))["row_count"], 0)
        steps = await data(client, "steps", path=SAMPLE)
        self.assertEqual(len(steps["rows"]), steps["row_count"])

    @with_client
    async def test_reports_are_those_of_the_program(self, client):
        tables = program("report", SAMPLE, "--panel", "kernel_stats")["panels"]["kernel_stats"]["tables"]
        listed = await data(client, "report", path=SAMPLE, panel="kernel_stats")
        self.assertEqual(list(listed["tables"]), list(tables))
        kernels = await data(client, "report", path=SAMPLE, panel="kernel_stats", table_id="kernels")
        self.assertEqual(kernels["row_count"], len(tables["kernels"]["rows"]))

    @with_client
    async def test_long_answers_are_cut_and_go_on(self, client):
        first = await data(client, "events", path=SAMPLE)
        self.assertIn(f"offset={len(first['rows'])}", first["rest"])
        then = await data(client, "events", path=SAMPLE, offset=len(first["rows"]))
        expected = program("events", SAMPLE)["events"]
        rows = first["rows"] + then["rows"]
        self.assertEqual([row[0] for row in rows], [event["begin_ps"] for event in expected[:len(rows)]])
        self.assertEqual(first["row_count"], len(expected))
        last = await data(client, "events", path=SAMPLE, offset=len(expected) - 1)
        self.assertEqual((len(last["rows"]), "rest" in last), (1, False))

    @with_client
    async def test_statistics_and_sql_agree(self, client):
        stats = await data(client, "statistics", path=SAMPLE, query="cat:kernel")
        total = dict((row[0], row[2]) for row in stats["rows"])
        rows = await data(client, "sql", paths=[SAMPLE], parameters={"kind": "kernel"},
                          query="SELECT name, sum(dur_ps) AS total_ps FROM events WHERE category = :kind GROUP BY name")
        self.assertEqual(dict(rows["rows"]), total)
        self.assertEqual(rows["columns"]["total_ps"], "ps")
        both = await data(client, "sql", paths=[BEFORE, AFTER],
                          query="SELECT (SELECT count(*) FROM a.events), (SELECT count(*) FROM b.events)")
        self.assertEqual(both["row_count"], 1)
        many = await data(client, "sql", paths=[SAMPLE], query="SELECT * FROM events", offset=1000)
        self.assertEqual(many["rows"][0][0], 1000)
        self.assertIn("rest", many)

    @with_client
    async def test_compare_and_check(self, client):
        changed = await data(client, "compare", a=BEFORE, b=AFTER)
        self.assertIn("contributions", changed["tables"])
        rows = await data(client, "compare", a=BEFORE, b=AFTER, table_id="contributions")
        self.assertGreater(rows["row_count"], 0)
        self.assertTrue((await data(client, "check", a=BEFORE, b=BEFORE))["passed"])

    @with_client
    async def test_a_picture_is_a_picture(self, client):
        result = await client.call_tool("screenshot", {"path": SAMPLE, "panel": "kernel_stats", "size": "640x400"})
        if result.is_error:
            self.assertIn("OpenGL", result.content[0].text)
            self.skipTest("no OpenGL")
        self.assertEqual(result.content[0].mime_type, "image/png")
        self.assertGreater(len(result.content[0].data), 5000)

    @with_client
    async def test_the_guide_is_a_resource(self, client):
        guide = await client.read_resource("stepscope://guide")
        self.assertIn("picoseconds", guide.contents[0].text)

    @with_client
    async def test_wrong_arguments_are_one_line_that_says_what_is_wrong(self, client):
        for tool, arguments, text in [
                ("report", {"path": SAMPLE, "panel": "no_such_panel"}, "no_such_panel"),
                ("report", {"path": SAMPLE, "panel": "overview", "table_id": "none"}, "there are steps"),
                ("events", {"path": SAMPLE, "query": "dur>"}, "dur>"),
                ("events", {"path": SAMPLE, "range": "soon"}, "12ms..15ms"),
                ("sql", {"paths": [SAMPLE], "query": "SELECT nme FROM events"}, "line 1, column 8"),
                ("sql", {"paths": [SAMPLE], "query": "ATTACH '/tmp/x' AS x"}, "not authorized"),
                ("open", {"path": os.path.join(ROOT, "absent")}, "absent"),
                ("open", {"path": __file__}, "test_mcp.py"),
                ("open", {}, "path"), ("statistics", {"path": SAMPLE, "by": "luck"}, "luck")]:
            with self.subTest(tool=tool, arguments=arguments):
                self.assertIn(text, await error(client, tool, **arguments))
        self.assertGreater((await data(client, "open", path=SAMPLE))["events"], 0)  # it still serves


class Roots(unittest.IsolatedAsyncioTestCase):
    async def test_paths_outside_of_the_roots_are_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(SAMPLE, os.path.join(folder, "link"))
            async with Client(server(folder)) as client:
                for path in (SAMPLE, "link", "../" + os.path.basename(folder) + "x", "/etc/passwd"):
                    self.assertIn("outside", await error(client, "open", path=path))
                self.assertIn("outside", await error(client, "sql", paths=[SAMPLE], query="SELECT 1"))
                self.assertIn("outside", await error(client, "check", a=SAMPLE, b=SAMPLE))
                self.assertIn("outside", await error(client, "screenshot", path=SAMPLE))

    async def test_relative_paths_begin_at_the_first_root(self):
        async with Client(server(DATA)) as client:
            self.assertGreater((await data(client, "open", path="tf_graph.xplane.pb.zst"))["events"], 0)

    async def test_two_clients_at_once(self):
        async with Client(server(ROOT)) as one, Client(server(ROOT)) as two:
            answers = await asyncio.gather(*(data(client, tool, path=path) for client in (one, two)
                                             for tool in ("open", "overview") for path in (SAMPLE, BEFORE)))
        self.assertEqual(answers[:4], answers[4:])


class Program(unittest.TestCase):
    def run_mcp(self, *arguments):
        return subprocess.run([os.environ["STEPSCOPE_PROGRAM"], "mcp", *arguments], text=True, capture_output=True,
                              env={**os.environ, **ENVIRONMENT,
                                   "PATH": os.path.dirname(sys.executable) + ":" + os.environ["PATH"]})

    def test_the_skill_names_commands_that_there_are(self):
        done = self.run_mcp("--skill")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue(done.stdout.startswith("---\nname: stepscope\n"))
        for command in ("report", "events", "compare", "check", "screenshot", "export", "sql"):
            self.assertIn(f"stepscope {command} ", done.stdout)

    def test_a_root_that_is_not_there(self):
        done = self.run_mcp("--root", "/nowhere")
        self.assertEqual(done.returncode, 2)
        self.assertIn("/nowhere", done.stderr)


if __name__ == "__main__":
    unittest.main()
