"""What the tests of the commands share: a table, a way to run one in a shell, and where things are."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np

import perceptrons

SOURCES = Path(perceptrons.__file__).parents[1]


def coffee(rows=60, seed=0):
    """A table with everything: numbers, truth values, names, gaps; separable by `acid` and `washed`."""
    rng = np.random.default_rng(seed)
    lines = ["lot,acid,washed,origin,zip,grade"]
    for i in range(rows):
        good = i % 2
        acid = f"{rng.normal(5 * good):.2f}" if i % 7 else "?"
        washed = ("yes" if good else "no") if i % 11 else ""
        origin, code = rng.choice(["Kenya", "Peru"]), rng.integers(9)
        lines.append(f"lot{i},{acid},{washed},{origin},0{code},{['poor', 'fine'][good]}")
    return "\n".join(lines) + "\n"


def shell(*arguments, code=None, **environment):
    """The same in a process of its own."""
    start = ["-c", code] if code else ["-m", "perceptrons"]
    env = {**os.environ, "PYTHONPATH": str(SOURCES), "PERCEPTRONS_PROGRESS": "0", **environment}
    return subprocess.run([sys.executable, *start, *arguments], env=env, capture_output=True, text=True)


FIT = ("--target", "grade", "--drop", "lot", "--nominal", "zip", "--max-epochs", "200")
