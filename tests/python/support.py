"""Shared by the tests of the Python module: finds the module of this tree, recordings, and the program's answers."""

import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "python"))

SAMPLE = os.path.join(ROOT, "share", "samples", "sample")
DATA = os.path.join(ROOT, "tests", "data")
PROFILES = [SAMPLE] + [os.path.join(DATA, name) for name in
                       ("jax_cpu.trace.json.gz", "tf_keras.xplane.pb.zst", "torch_cpu.json.gz")]


def program(*arguments):
    """The JSON that the program writes."""
    done = subprocess.run([os.environ["STEPSCOPE_PROGRAM"], *arguments, "--format", "json"], capture_output=True,
                          check=True)
    return json.loads(done.stdout)
