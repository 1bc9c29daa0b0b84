"""Fits in a process that is killed at random moments, again and again, until one comes to its end."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
CHILD = """
import sys, warnings
warnings.simplefilter("ignore")
from perceptrons import save
from {module} import long_fit
folder, slow = sys.argv[1], float(sys.argv[2])
print("ready", flush=True)
save(long_fit(slow, checkpoint=folder + "/point", checkpoint_seconds=0.0), folder + "/model.json")
"""


def run_child(module, folder, slow):
    """`long_fit` of a test module, whose batches come so many seconds apart."""
    command = [sys.executable, "-c", CHILD.format(module=module), str(folder), str(slow)]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)


def fit_with_kills(module, folder, most):
    """Kill it at most so often, the last time when there is a checkpoint; returns how often it was killed,
    and whether it ever left a checkpoint. The model is in the folder then."""
    rng, kills, point, goes_on = np.random.default_rng(1), 0, folder / "point", False
    while not (folder / "model.json").exists():
        with run_child(module, folder, 0.002 if kills < most else 0.0) as child:
            assert child.stdout.readline() == "ready\n", child.stderr.read()
            if kills < most:
                while kills == most - 1 and not point.exists() and child.poll() is None:
                    time.sleep(0.005)
                time.sleep(rng.uniform(0.0, 0.3))
                child.send_signal(signal.SIGKILL)
                kills += child.wait() == -signal.SIGKILL
                goes_on |= point.exists()
            else:
                assert child.wait() == 0, child.stderr.read()
    return kills, goes_on
