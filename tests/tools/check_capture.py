#!/usr/bin/env python3
"""Records real programs of TensorFlow and JAX: check_capture.py PROGRAM PYTHON [FRAMEWORK...]

PYTHON is an interpreter with TensorFlow and JAX (tests/capture/requirements.txt). Each framework runs a small program
on the CPU with its own profiler server. `stepscope capture` records it, and so does the client that comes with
TensorFlow (tf.profiler.experimental.client.trace), one after the other. Both recordings must have the same planes, and
the same tracks and names as far as two recordings of a running program can: what one has in every step, the other has
too, as often in a second.

FRAMEWORK is tensorflow, jax or pytorch; the first two are what is checked without one. PyTorch has no profiler server:
its program runs the lines of docs/capture.md, which record when a signal comes. PYTHON needs torch alone then.
"""

import collections
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time

WRONG = []
SECONDS = 2.0

PROGRAMS = {
    "tensorflow": """
import sys, time
import tensorflow as tf
tf.profiler.experimental.server.start(int(sys.argv[1]))
x = tf.random.normal([256, 256])
@tf.function
def train(x):
    return tf.reduce_sum(tf.nn.relu(tf.matmul(x, x)))
train(x)
print("ready", flush=True)
step = 0
while len(sys.argv) < 3:
    with tf.profiler.experimental.Trace("train", step_num=step, _r=1):
        train(x).numpy()
    step += 1
    time.sleep(0.005)
time.sleep(600)
""",
    "jax": """
import sys, time
import jax, jax.numpy as jnp
jax.profiler.start_server(int(sys.argv[1]))
x = jnp.ones([256, 256])
@jax.jit
def train(x):
    return jnp.sum(jax.nn.relu(x @ x))
train(x).block_until_ready()
print("ready", flush=True)
step = 0
while len(sys.argv) < 3:
    with jax.profiler.StepTraceAnnotation("train", step_num=step):
        train(x).block_until_ready()
    step += 1
    time.sleep(0.005)
time.sleep(600)
""",
}

CLIENT = """
import sys
import tensorflow as tf
options = tf.profiler.experimental.ProfilerOptions(host_tracer_level=2, python_tracer_level=0, device_tracer_level=1)
tf.profiler.experimental.client.trace("grpc://" + sys.argv[1], sys.argv[2], int(sys.argv[3]), options=options)
"""


def check(ok, what):
    if not ok:
        WRONG.append(what)
        print(f"WRONG: {what}", flush=True)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Server:
    """A program with a profiler server. `idle`: it runs nothing."""

    def __init__(self, python, framework, idle=False):
        self.address = f"127.0.0.1:{free_port()}"
        environment = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="2", JAX_PLATFORMS="cpu", CUDA_VISIBLE_DEVICES="")
        self.process = subprocess.Popen(
            [python, "-c", PROGRAMS[framework], self.address.split(":")[1]] + ["idle"] * idle,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment)
        if self.process.stdout.readline() != "ready\n":
            sys.exit(f"{framework}: the program does not start")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def run(*command, timeout=120):
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout)


def files_below(folder):
    return sorted(os.path.relpath(os.path.join(at, name), folder) for at, _, names in os.walk(folder) for name in names)


def record(program, addresses, folder, *options):
    made = run(program, "capture", addresses, "-o", folder, "--no-open", *options)
    check(made.returncode == 0, f"capture {addresses}: {made.stderr}")
    return made.stdout.strip()


def contents(program, path):
    """{plane: tracks with events}, {name: count} of a recording"""
    info = json.loads(run(program, "info", path, "--json").stdout)
    planes = {plane["name"]: sum(1 for track in plane["tracks"] if track["events"]) for plane in info["planes"]}
    stats = json.loads(run(program, "events", path, "--stats", "--format", "json").stdout)
    return planes, {group["name"]: group["count"] for group in stats["groups"]}, info


def compare(framework, ours, theirs):
    our_planes, our_names, _ = ours
    their_planes, their_names, _ = theirs
    print(f"{framework}: planes {our_planes} and {their_planes}; names {len(our_names)} and {len(their_names)}; events "
          f"{sum(our_names.values())} and {sum(their_names.values())}", flush=True)
    check(set(our_planes) == set(their_planes), f"{framework}: planes {sorted(our_planes)}, {sorted(their_planes)}")
    steps = min(our_names.get("train", 0), their_names.get("train", 0))
    check(steps > 20, f"{framework}: {steps} steps were recorded")
    per_step = collections.Counter()
    for names, others in ((our_names, their_names), (their_names, our_names)):
        own_steps, other_steps = names.get("train", 1), others.get("train", 1)
        for name, count in names.items():
            if count < own_steps / 2:
                continue
            per_step[name] += 1
            rate, other = count / own_steps, others.get(name, 0) / other_steps
            check(abs(rate - other) <= 0.25 * max(rate, other) + 0.1,
                  f"{framework}: {name!r} is there {rate:.2f} times a step, and {other:.2f} times with the other client")
    check(len(per_step) >= 3, f"{framework}: names of every step are {sorted(per_step)}")
    print(f"{framework}: {len(per_step)} names of every step are equally frequent in both", flush=True)


def check_equal(program, python, framework, folder):
    with Server(python, framework) as server:
        time.sleep(1)
        ours = os.path.join(folder, "ours")
        record(program, server.address, ours, "--duration", f"{SECONDS}s")
        check(len(files_below(ours)) == 1, f"{framework}: files are {files_below(ours)}")
        theirs = os.path.join(folder, "theirs")
        client = run(python, "-c", CLIENT, server.address, theirs, str(int(SECONDS * 1000)))
        check(client.returncode == 0, f"{framework}: the framework's client says {client.stderr[-500:]}")
        compare(framework, contents(program, ours), contents(program, theirs))


def check_several(program, python, framework, folder):
    with Server(python, framework) as a, Server(python, framework) as b:
        logs = os.path.join(folder, "several")
        record(program, f"{a.address},{b.address}", logs, "--duration", "500ms", "--delay", "200ms")
        info = contents(program, logs)[2]
        check(len(info["hosts"]) == 2, f"{framework}: hosts of one run are {info['hosts']}")


def check_levels(program, python, framework, folder):
    with Server(python, framework) as server:
        counts = []
        for level in ("1", "2"):
            logs = os.path.join(folder, "level" + level)
            record(program, server.address, logs, "--duration", "500ms", "--host-level", level)
            counts.append(sum(contents(program, logs)[1].values()))
        check(counts[0] < counts[1], f"{framework}: levels 1 and 2 give {counts} events")


def begin_capture(program, address, logs):
    """A recording of a minute, which has begun when this returns."""
    process = subprocess.Popen([program, "capture", address, "--duration", "60s", "-o", logs, "--no-open"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    time.sleep(1.5)
    return process


def check_nothing(program, python, framework, folder):
    """A cancelled recording, one of a program that does nothing, and one of a program that ends leave no file."""
    logs = os.path.join(folder, "nothing")
    with Server(python, framework) as server:
        process = begin_capture(program, server.address, logs)
        process.send_signal(signal.SIGINT)
        error = process.communicate(timeout=20)[1]
        check(process.returncode == -signal.SIGINT and "cancelled" in error,
              f"{framework}: after Ctrl+C: {process.returncode} {error}")
        again = os.path.join(folder, "again")
        time.sleep(1)
        record(program, server.address, again, "--duration", "200ms")
        watched = run(program, "capture", server.address, "--monitor")
        check(watched.returncode == 3 and "has no monitor" in watched.stderr, f"{framework}: {watched.stderr}")
        process = begin_capture(program, server.address, logs)
        server.process.kill()
        error = process.communicate(timeout=20)[1]
        check(process.returncode == 3 and "closed while recording" in error, f"{framework}: the program ended: {error}")
    with Server(python, framework, idle=True) as server:
        made = run(program, "capture", server.address, "--duration", "200ms", "--host-level", "1", "-o", logs,
                   "--no-open")
        check(made.returncode == 3 and "nothing was recorded in 3 attempts" in made.stderr,
              f"{framework}: an idle program: {made.returncode} {made.stderr}")
    check(files_below(logs) == [], f"{framework}: files are left: {files_below(logs)}")


TORCH_PROGRAM = """
model = torch.nn.Sequential(torch.nn.Linear(256, 512), torch.nn.ReLU(), torch.nn.Linear(512, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
x, y = torch.randn(64, 256), torch.randint(0, 10, (64,))
print("ready", flush=True)
while True:
    optimizer.zero_grad()
    torch.nn.functional.cross_entropy(model(x), y).backward()
    optimizer.step()
"""


def check_signal(program, python, folder):
    """The lines of the document, run as they stand: each signal records two seconds into trace.json."""
    document = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/capture.md")
    with open(document, encoding="utf-8") as text:
        lines = text.read().split("import signal, torch", 1)[1].split("```", 1)[0]
    process = subprocess.Popen([python, "-c", "import signal, torch" + lines + TORCH_PROGRAM], cwd=folder,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        if process.stdout.readline() != "ready\n":
            sys.exit("pytorch: the program does not start")
        for _ in range(2):
            process.send_signal(signal.SIGUSR1)
            path = os.path.join(folder, "trace.json")
            info = {}
            for _ in range(60):
                time.sleep(0.5)
                opened = run(program, "info", path, "--json")  # fails until the file is whole
                info = json.loads(opened.stdout) if opened.returncode == 0 else {}
                if info:
                    break
            check(info.get("events", 0) > 500, f"pytorch: {info.get('events')} events were recorded")
            names = contents(program, path)[1]
            check("Optimizer.step#SGD.step" in names and "aten::addmm" in names, f"pytorch: names are {sorted(names)[:20]}")
            print(f"pytorch: {info.get('events')} events in {info.get('span_ps', 0) / 1e12:.2f} s", flush=True)
            os.remove(path)
        check(process.poll() is None, "pytorch: the program has ended")
    finally:
        process.kill()
        process.wait()


def main():
    program, python = (os.path.abspath(path) for path in sys.argv[1:3])
    for framework in sys.argv[3:] or sorted(PROGRAMS):
        if framework == "pytorch":
            with tempfile.TemporaryDirectory() as folder:
                check_signal(program, python, folder)
            continue
        for part in (check_equal, check_several, check_levels, check_nothing):
            with tempfile.TemporaryDirectory() as folder:
                part(program, python, framework, folder)
    if WRONG:
        sys.exit(f"{len(WRONG)} checks failed")
    print("Recordings of running programs are as they should be")


if __name__ == "__main__":
    main()
