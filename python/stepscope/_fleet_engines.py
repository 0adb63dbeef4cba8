"""The engines of a fleet: where its tasks run. Each yields the error, or None, of every task that ended."""

import contextlib
import json
import os
import queue
import subprocess
import sys
import threading

from . import _fleet_task

ATTEMPTS = 3  # so often a task is begun whose process ends
FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # of this package

# The folder that the program is started in is no place for modules: profiles of others may lie there.
SCRIPT = """
import sys
sys.path = [folder for folder in sys.path if folder]
from stepscope._fleet_task import main
main()
"""


class _Child:
    """A process that does tasks one after the other."""

    def __init__(self, out):
        environment = dict(os.environ)
        folders = [FOLDER, *environment.get("PYTHONPATH", "").split(os.pathsep)]
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, folders))
        self.process = subprocess.Popen([sys.executable, "-c", SCRIPT, out], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, env=environment)

    def do(self, profile):
        """The answer, or None where the process ended."""
        try:
            self.process.stdin.write(json.dumps(profile) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
            return json.loads(line) if line.endswith("\n") else None
        except (OSError, ValueError):
            return None

    def end(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


class _Worker(threading.Thread):
    """Takes tasks from a queue, and puts answers into another."""

    def __init__(self, tasks, answers, out, stop):
        super().__init__(daemon=True)
        self.tasks, self.answers, self.out, self.stop, self.child = tasks, answers, out, stop, None

    def _attempt(self, profile):
        if self.child is None:
            self.child = _Child(self.out)
        answer = self.child.do(profile)
        if answer is None:
            self.child.end()
            self.child = None
        return answer

    def _do(self, profile):
        for _ in range(ATTEMPTS):
            if self.stop.is_set():
                return None
            answer = self._attempt(profile)
            if answer is not None:
                return answer
        if self.stop.is_set():
            return None
        text = f"{profile.path}: the process that read it ended {ATTEMPTS} times; it may need more memory than there is"
        try:
            return {"error": _fleet_task.fail(profile, self.out, text, "other")}
        except OSError as error:
            return {"full": str(error)}

    def run(self):
        try:
            while not self.stop.is_set():
                answer = self._do(self.tasks.get_nowait())
                if answer is not None:
                    self.answers.put(answer)
        except queue.Empty:
            pass
        except OSError as error:  # no process can be started
            self.answers.put({"full": str(error)})
        finally:
            if self.child is not None:
                self.child.end()
            self.answers.put(None)


def local(tasks, out, address, workers, stop):
    """Runs tasks in processes of this machine, `workers` at once."""
    waiting, answers = queue.SimpleQueue(), queue.SimpleQueue()
    for task in tasks:
        waiting.put(task)
    threads = [_Worker(waiting, answers, out, stop) for _ in range(min(workers or os.cpu_count() or 1, len(tasks)))]
    for thread in threads:
        thread.start()
    running = len(threads)
    full = None
    try:
        while running:
            try:
                answer = answers.get(timeout=0.2)
            except queue.Empty:
                if stop.is_set():
                    _end(threads)
                continue
            if answer is None:
                running -= 1
            elif "full" in answer:
                full = answer["full"]
                stop.set()
            else:
                yield answer["error"]
    finally:
        stopped = stop.is_set()
        stop.set()
        _end(threads)
        for thread in threads:
            thread.join()
        if not stopped:
            stop.clear()
    if full:
        raise OSError(full)


def _end(threads):
    for thread in threads:
        child = thread.child
        if child is not None:
            child.process.kill()


@contextlib.contextmanager
def _in_folder(folder):
    """Changes the current folder of the process for some time."""
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def ray(tasks, out, address, workers, stop):
    """Runs tasks on Ray: on this machine, or on the cluster at `address`."""
    try:
        import ray as engine
    except ImportError:
        raise ImportError("the engine ray needs Ray: pip install 'stepscope[ray]'") from None
    out = os.path.abspath(out)
    began = not engine.is_initialized()
    if began:
        local_options = {} if address else {"num_cpus": workers, "include_dashboard": False}
        with _in_folder(FOLDER):  # Ray's workers look for modules in the current folder first
            engine.init(address=address, log_to_driver=False, logging_level="error", **local_options)
    try:
        yield from _on_ray(engine, tasks, out, workers, stop)
    finally:
        if began:
            engine.shutdown()


def _on_ray(engine, tasks, out, workers, stop):
    do = engine.remote(num_cpus=1, max_retries=ATTEMPTS)(_fleet_task.do)
    most = 4 * (workers or int(engine.cluster_resources().get("CPU", 1)))  # more would only fill the driver's memory
    waiting, running = list(reversed(tasks)), {}
    while waiting or running:
        while waiting and len(running) < most:
            task = waiting.pop()
            running[do.remote(tuple(task), out)] = task
        ready, _ = engine.wait(list(running), timeout=0.2)
        if stop.is_set():
            for reference in running:
                engine.cancel(reference, force=True)
            return
        for reference in ready:
            task = running.pop(reference)
            try:
                yield engine.get(reference)
            except engine.exceptions.RayTaskError as error:
                cause = error.cause if hasattr(error, "cause") else error
                if isinstance(cause, OSError):
                    raise OSError(str(cause)) from None
                yield _fleet_task.fail(tuple(task), out, f"{task.path}: {cause}", "other")
            except engine.exceptions.RayError as error:  # its process or node went away too often
                yield _fleet_task.fail(tuple(task), out, f"{task.path}: {str(error).splitlines()[0]}", "other")


ENGINES = {"local": local, "ray": ray}
