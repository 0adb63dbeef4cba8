#!/usr/bin/env python3
"""Drives `stepscope mcp` with the client of the MCP SDK: every tool, wrong arguments, paths, two clients at once."""

import asyncio
import functools
import json
import os
import re
import shutil
import socket
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
                                 "check", "steps", "screenshot", "show"})

    @with_client
    async def test_the_page_about_agents_has_all_tools(self, client):
        with open(os.path.join(ROOT, "docs", "agents.md"), encoding="utf-8") as file:
            page = file.read()
        rows = re.findall(r"^\| `(\w+)` \|", page[page.index("## Tools"):page.index("## Limits")], re.M)
        self.assertEqual(sorted(rows), sorted(tool.name for tool in (await client.list_tools()).tools))
        self.assertIn(f"{_mcp_answers.MOST:,} characters", page)

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


    @with_client
    async def test_all_answers_are_short_and_say_how_to_get_the_rest(self, client):
        for tool, arguments in [("events", {"args": True}), ("events", {"query": "cat:kernel", "args": True}),
                                ("sql", {"query": "SELECT * FROM events"}),
                                ("sql", {"query": "SELECT *, * FROM args"})]:
            arguments["paths" if tool == "sql" else "path"] = [SAMPLE] if tool == "sql" else SAMPLE
            first = await data(client, tool, **arguments)
            self.assertIn(f"offset={len(first['rows'])}", first["rest"])
            then = await data(client, tool, **arguments, offset=len(first["rows"]))
            self.assertNotEqual(first["rows"][0], then["rows"][0])
        long = await data(client, "sql", paths=[SAMPLE], query="SELECT hex(zeroblob(40000)) AS long, 1 AS n")
        self.assertEqual((long["rows"][0][0][-20:], long["rows"][0][1]), ("… (80000 characters)", 1))
        wide = ",".join(f"1 AS {'c' * 40}{i}" for i in range(600))
        self.assertIn("ask for a part", (await data(client, "sql", paths=[SAMPLE], query=f"SELECT {wide}"))["rest"])

    @with_client
    async def test_options_are_no_way_to_other_options(self, client):
        out = os.path.join(tempfile.gettempdir(), "stepscope-test-mcp.out")
        for tool, arguments in [
                ("check", {"a": BEFORE, "b": BEFORE, "max_step_regression": f"--output={out}"}),
                ("check", {"a": BEFORE, "b": BEFORE, "forbid": ["-o", out]}),
                ("screenshot", {"path": SAMPLE, "select": f"x --output={out}"}),
                ("events", {"path": SAMPLE, "offset": -1}), ("open", {"path": "--help"})]:
            with self.subTest(tool=tool, arguments=arguments):
                await error(client, tool, **arguments)
        await data(client, "sql", paths=[SAMPLE], query="SELECT 1", parameters={"-o": out, "x": f"1 -o {out}"})
        self.assertFalse(os.path.exists(out))


class Roots(unittest.IsolatedAsyncioTestCase):
    async def test_paths_outside_of_the_roots_are_refused(self):
        with tempfile.TemporaryDirectory() as outside, tempfile.TemporaryDirectory() as folder:
            store = os.path.join(outside, "part.stepscope")
            subprocess.run([os.environ["STEPSCOPE_PROGRAM"], "export", SAMPLE, "-o", store], check=True)
            os.symlink(SAMPLE, os.path.join(folder, "link"))
            os.symlink(store, os.path.join(folder, "link.stepscope"))
            run = os.path.join(folder, "logs", "plugins", "profile", "run")
            os.makedirs(run)
            os.symlink(BEFORE, os.path.join(run, "host.xplane.pb.zst"))  # a loader follows it
            os.symlink(os.path.join(folder, "logs"), os.path.join(folder, "logs", "circle"))
            async with Client(server(folder)) as client:
                for path in (SAMPLE, "link", "link.stepscope", store, f"../{os.path.basename(outside)}/part.stepscope",
                             "../" + os.path.basename(folder) + "x", "/etc/passwd", "logs", "logs/plugins/profile/run"):
                    self.assertIn("outside", await error(client, "open", path=path), path)
                for path in ("ssh://localhost/etc", "s3://bucket/a.pb", "file:///etc/passwd"):
                    self.assertIn("this machine", await error(client, "open", path=path))
                for tool, arguments in [
                        ("sql", {"paths": [SAMPLE], "query": "SELECT 1"}), ("check", {"a": SAMPLE, "b": SAMPLE}),
                        ("compare", {"a": SAMPLE, "b": SAMPLE}), ("screenshot", {"path": SAMPLE}),
                        ("report", {"path": SAMPLE, "panel": "overview"}), ("overview", {"path": SAMPLE}),
                        ("findings", {"path": SAMPLE}), ("steps", {"path": SAMPLE}), ("events", {"path": SAMPLE}),
                        ("statistics", {"path": SAMPLE}), ("show", {"path": SAMPLE})]:
                    self.assertIn("outside", await error(client, tool, **arguments), tool)

    async def test_relative_paths_begin_at_the_first_root(self):
        async with Client(server(DATA)) as client:
            self.assertGreater((await data(client, "open", path="tf_graph.xplane.pb.zst"))["events"], 0)

    async def test_links_that_stay_inside_are_followed(self):
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(BEFORE, os.path.join(folder, "host.xplane.pb.zst"))
            async with Client(server(folder, DATA)) as client:
                self.assertGreater((await data(client, "open", path="."))["events"], 0)

    async def test_two_clients_at_once(self):
        async with Client(server(ROOT)) as one, Client(server(ROOT)) as two:
            answers = await asyncio.gather(*(data(client, tool, path=path) for client in (one, two)
                                             for tool in ("open", "overview") for path in (SAMPLE, BEFORE)))
        self.assertEqual(answers[:4], answers[4:])


class Window(unittest.IsolatedAsyncioTestCase):
    """`show` and a window of `stepscope replay`, in which a person has just allowed agents."""

    def setUp(self):
        self.runtime = self.enterContext(tempfile.TemporaryDirectory())  # mode 0700

    async def open_window(self):
        commands = os.path.join(self.runtime, "commands.txt")
        with open(commands, "w", encoding="utf-8") as file:
            file.write("app.agents\nrest 300\n")
        window = subprocess.Popen([os.environ["STEPSCOPE_PROGRAM"], "replay", commands, SAMPLE, "--size", "800x600"],
                                  env={**os.environ, "XDG_RUNTIME_DIR": self.runtime}, cwd=ROOT, text=True,
                                  stderr=subprocess.PIPE)
        self.addCleanup(window.stderr.close)
        self.addCleanup(window.wait)
        self.addCleanup(window.kill)
        while window.poll() is None:
            if any(name.endswith(".sock") for name in os.listdir(self.runtime)):
                return
            await asyncio.sleep(0.05)
        said_why = window.stderr.read()
        self.assertEqual(window.returncode, 4, said_why)
        self.skipTest(f"no OpenGL: {said_why}")

    def client(self, *roots):
        parameters = server(*(roots or (ROOT,)))
        parameters.env = {**ENVIRONMENT, "XDG_RUNTIME_DIR": self.runtime}
        return Client(parameters)

    async def test_without_a_window_that_allows_it(self):
        async with self.client() as client:
            self.assertIn("Let agents move this window", await error(client, "show"))
            for mode in (0o755, 0o770, 0o701):
                os.chmod(self.runtime, mode)
                self.assertIn("yours alone", await error(client, "show"))

    async def test_it_moves_and_says_what_it_shows(self):
        await self.open_window()
        async with self.client() as client:
            seen = await data(client, "show")
            self.assertEqual([profile["path"] for profile in seen["profiles"]], [SAMPLE])
            seen = await data(client, "show", range="20ms..30ms", panel="kernel_stats")
            self.assertEqual(seen["visible"], {"begin_ps": 20 * 10**9, "end_ps": 30 * 10**9})
            seen = await data(client, "show", select="=train")
            self.assertEqual(seen["selected"]["name"], "train")
            row = (await data(client, "sql", paths=[SAMPLE], query="SELECT id, name, begin_ps FROM events WHERE "
                              "category = 'kernel' ORDER BY dur_ps DESC LIMIT 1"))["rows"][0]
            chosen = (await data(client, "show", event=row[0]))["selected"]
            self.assertEqual([chosen["event"], chosen["name"], chosen["begin_ps"]], row)
            opened = await data(client, "show", path=BEFORE, select="MatMul")
            self.assertEqual([profile["path"] for profile in opened["profiles"]], [BEFORE])

    async def test_what_it_refuses(self):
        await self.open_window()
        async with self.client() as client:
            for arguments, text in [({"panel": "none"}, "no panel 'none'"), ({"range": "soon"}, "12ms..15ms"),
                                    ({"select": "no such event"}, "no such event"), ({"event": -1}, "id of an event"),
                                    ({"select": "x" * 9000}, "8192"), ({"path": "/etc/passwd"}, "outside"),
                                    ({"path": os.path.join(ROOT, "README.md")}, "README.md")]:
                with self.subTest(arguments=arguments):
                    self.assertIn(text, await error(client, "show", **arguments))
            self.assertEqual((await data(client, "show"))["profiles"][0]["path"], SAMPLE)
        with tempfile.TemporaryDirectory() as elsewhere:  # a root of the server, but no folder of the window
            copy = os.path.join(elsewhere, "copy.xplane.pb.zst")
            shutil.copy(BEFORE, copy)
            async with self.client(elsewhere) as client:
                self.assertIn("outside of the folders that this window", await error(client, "show", path=copy))

    async def test_two_clients_move_one_window(self):
        await self.open_window()
        async with self.client() as one, self.client() as two:
            answers = await asyncio.gather(*(data(client, "show", range=f"{i}ms..{i + 1}ms")
                                             for i, client in enumerate((one, two) * 5, 1)))
        self.assertEqual([answer["visible"]["begin_ps"] for answer in answers], [i * 10**9 for i in range(1, 11)])

    async def test_files_that_are_no_sockets_of_this_user_are_left_alone(self):
        for name, mode in (("stepscope-1.sock", 0o600), ("stepscope-2.sock", 0o666), ("stepscope-3.sock", None)):
            path = os.path.join(self.runtime, name)
            if mode is None:
                os.symlink("/dev/null", path)
                continue
            with socket.socket(socket.AF_UNIX) as stale:  # closed at once, as after a crash
                stale.bind(path)
            os.chmod(path, mode)
        async with self.client() as client:
            self.assertIn("no open window", await error(client, "show"))
        self.assertEqual(len(os.listdir(self.runtime)), 3)


class Program(unittest.TestCase):
    def run_mcp(self, *arguments):
        return subprocess.run([os.environ["STEPSCOPE_PROGRAM"], "mcp", *arguments], text=True, capture_output=True,
                              env={**os.environ, **ENVIRONMENT,
                                   "PATH": os.path.dirname(sys.executable) + ":" + os.environ["PATH"]})

    def test_a_root_that_is_not_there(self):
        done = self.run_mcp("--root", "/nowhere")
        self.assertEqual(done.returncode, 2)
        self.assertIn("/nowhere", done.stderr)


if __name__ == "__main__":
    unittest.main()
