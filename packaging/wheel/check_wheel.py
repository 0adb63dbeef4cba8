#!/usr/bin/env python3
"""Installs a wheel into a fresh environment without a network and uses it: check_wheel.py WHEEL SAMPLE

The program must say what the sample holds, draw a picture of it, say in one sentence that there is no OpenGL where
there is none, the module must read it and draw it too, `mcp` and `stepscope-fleet` must say which package they lack,
and all must be gone after pip uninstall. Where a package index is at hand, the extras `fleet` and `ray` must resolve,
and the first must make a fleet that the program reads. Exits 1 with what was wrong.
"""

import os
import re
import subprocess
import sys
import tempfile
import venv

MOST_BYTES = 15_000_000
WRONG = []


def check(ok, what):
    if not ok:
        WRONG.append(what)


def files_of(folder):
    return {os.path.join(base, name) for base, _, names in os.walk(folder) for name in names
            if "__pycache__" not in base}


def run(command, **environment):
    clean = {key: value for key, value in os.environ.items() if key not in ("DISPLAY", "WAYLAND_DISPLAY")}
    return subprocess.run(command, env={**clean, **environment}, text=True, capture_output=True)


def check_program(program, sample, folder):
    version = run([program, "--version"])
    check(version.returncode == 0 and version.stdout.startswith("stepscope "), f"--version: {version.stderr}")
    info = run([program, "info", "--json", sample])
    check(info.returncode == 0 and '"events"' in info.stdout, f"info: {info.stderr}")
    png = os.path.join(folder, "shot.png")
    shot = run([program, "screenshot", sample, "-o", png])
    if shot.returncode == 4:
        print(f"SKIPPED: no OpenGL here: {shot.stderr.strip()}")
    else:
        check(shot.returncode == 0, f"screenshot: {shot.stderr}")
        check(os.path.exists(png) and os.path.getsize(png) > 5000, "screenshot: no picture")
    blind = run([program, "screenshot", sample, "-o", png], __EGL_VENDOR_LIBRARY_FILENAMES="/dev/null")
    check(blind.returncode == 4 and re.fullmatch(r"stepscope: [^\n]+\n", blind.stderr) is not None,
          f"without OpenGL: status {blind.returncode}: {blind.stderr}")
    window = run([program, sample])
    check(window.returncode == 4 and window.stderr.count("\n") == 1, f"without a display: {window.stderr}")
    with open(program, "rb") as file:
        check(os.getcwd().encode() not in file.read(), "the program has paths of the build in it")


# The module finds its library and the program beside itself, from any folder.
MODULE = """
import sys, stepscope
p = stepscope.open(sys.argv[1])
assert len(p.events()) == p.event_count > 0 and p.report("overview").verdicts
try:
    assert p.screenshot(size=(640, 400)).png.startswith(b"\\x89PNG")
except stepscope.Error as error:
    if "OpenGL" not in str(error):
        raise
print(stepscope.__version__)
"""


def check_module(python, sample, folder):
    done = subprocess.run([python, "-c", MODULE, sample], cwd=folder, text=True, capture_output=True,
                          env={key: value for key, value in os.environ.items() if not key.startswith("STEPSCOPE_")})
    check(done.returncode == 0, f"the module: {done.stderr}")


# The server for agents is in the wheel; the package that it needs is not in this environment.
def check_agents(program, folder):
    clean = {key: value for key, value in os.environ.items() if not key.startswith("STEPSCOPE_")}
    skill = subprocess.run([program, "mcp", "--skill"], cwd=folder, text=True, capture_output=True, env=clean)
    check(skill.returncode == 0 and skill.stdout.startswith("---\nname: stepscope"), f"mcp --skill: {skill.stderr}")
    absent = subprocess.run([program, "mcp"], cwd=folder, text=True, capture_output=True, env=clean, input="")
    check(absent.returncode == 4 and absent.stderr.count("\n") == 1 and "stepscope[mcp]" in absent.stderr,
          f"mcp without its package: status {absent.returncode}: {absent.stderr}")


# The command for fleets says which package it lacks; with the wheel's extra it makes a fleet, which the program reads.
def check_fleet(pip, wheel, home, sample, folder):
    clean = {key: value for key, value in os.environ.items() if not key.startswith("STEPSCOPE_")}
    command = os.path.join(home, "bin", "stepscope-fleet")
    fleet = os.path.join(folder, "fleet")
    make = [command, sample, "-o", fleet, "--quiet"]
    absent = subprocess.run(make, cwd=folder, text=True, capture_output=True, env=clean)
    check(absent.returncode == 4 and absent.stderr.count("\n") == 1 and "stepscope[fleet]" in absent.stderr,
          f"stepscope-fleet without its package: status {absent.returncode}: {absent.stderr}")
    ray = run(pip + ["install", "--dry-run", "--only-binary", ":all:", f"{wheel}[ray]"])
    if "connection" in ray.stderr.lower() or "retries" in ray.stderr.lower():
        print("SKIPPED: no package index here for the extras fleet and ray")
        return
    check(ray.returncode == 0, f"the extra ray: {ray.stderr}")
    extra = os.path.join(folder, "extra")
    venv.create(extra, with_pip=True)
    python = os.path.join(extra, "bin", "python")
    installed = run([python, "-m", "pip", "--disable-pip-version-check", "-q", "install", "--only-binary", ":all:",
                     f"{wheel}[fleet]"])
    check(installed.returncode == 0, f"the extra fleet: {installed.stderr}")
    make[0] = os.path.join(extra, "bin", "stepscope-fleet")
    made = subprocess.run(make, cwd=folder, text=True, capture_output=True, env=clean)
    check(made.returncode == 0, f"stepscope-fleet: status {made.returncode}: {made.stderr}")
    shown = run([os.path.join(extra, "bin", "stepscope"), "report", fleet, "--panel", "fleet", "--format", "json"])
    check(shown.returncode == 0 and '"ranks"' in shown.stdout, f"report of the fleet: {shown.stderr}")


def main():
    wheel, sample = map(os.path.abspath, sys.argv[1:3])
    check(os.path.getsize(wheel) < MOST_BYTES, f"{os.path.getsize(wheel)} bytes, more than {MOST_BYTES}")
    with tempfile.TemporaryDirectory() as folder:
        home = os.path.join(folder, "environment")
        venv.create(home, with_pip=True)
        before = files_of(home)
        pip = [os.path.join(home, "bin", "python"), "-m", "pip", "--disable-pip-version-check", "-q"]
        installed = run(pip + ["install", "--no-index", "--no-deps", wheel])
        check(installed.returncode == 0, f"pip install: {installed.stderr}")
        program = os.path.join(home, "bin", "stepscope")
        if not WRONG:
            check_program(program, sample, folder)
            check_module(os.path.join(home, "bin", "python"), sample, folder)
            check_agents(program, folder)
            check_fleet(pip, wheel, home, sample, folder)
            bundled = run([program, "info", os.path.join(home, "share/stepscope/samples/sample")])
            check(bundled.returncode == 0, f"the bundled sample: {bundled.stderr}")
        removed = run(pip + ["uninstall", "-y", "stepscope"])
        check(removed.returncode == 0, f"pip uninstall: {removed.stderr}")
        left = files_of(home) - before
        check(not left, f"left after pip uninstall: {sorted(left)}")
    for what in WRONG:
        print(what, file=sys.stderr)
    if WRONG:
        sys.exit(1)
    print(f"{os.path.basename(wheel)}: installed, used, removed")


if __name__ == "__main__":
    main()
