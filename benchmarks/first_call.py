"""What the first call costs: import and first fit in a fresh process, with and without Numba's cache, and
the commands as a person waits for them."""

import statistics
import tempfile
import time
from typing import Any

from . import children
from .layout import Column, Section

CHILD = """
import json, time
start = time.perf_counter()
from {module} import Perceptron
imported = time.perf_counter()
import numpy as np
X = np.random.default_rng(0).standard_normal((1000, 20))
y = (X[:, 0] > 0).astype(int)
fits = []
for _ in range(2):
    begin = time.perf_counter()
    Perceptron(random_state=0).fit(X, y)
    fits.append(time.perf_counter() - begin)
print(json.dumps({{"import": imported - start, "first_fit": fits[0], "second_fit": fits[1]}}))
"""
PARTS = ("import", "first_fit", "second_fit")
COLUMNS = [
    Column("name", "in a new process", "text"),
    Column("import", "import", "time"),
    Column("first_fit", "first fit", "time"),
    Column("second_fit", "second fit", "time"),
]
WAITS = [Column("name", "command", "text"), Column("seconds", "time", "time")]
COMMANDS = {
    "python, doing nothing": ["-c", "pass"],
    "python, import sklearn.linear_model": ["-c", "import sklearn.linear_model"],
    "perceptrons --help": ["-m", "perceptrons", "--help"],
    "perceptrons compare (breast cancer)": ["-m", "perceptrons", "compare"],
}
COMPARE = "perceptrons compare (breast cancer)"
SHORT = ["--learner", "perceptron", "--folds", "2"]  # what is added to it where nobody reads the time
SKLEARN, WARM, COLD = "sklearn Perceptron", "perceptrons, cache filled", "perceptrons, cache empty"


def run(quick: bool) -> dict[str, Any]:
    repetitions = 1 if quick else 5
    commands = COMMANDS | ({COMPARE: [*COMMANDS[COMPARE], *SHORT]} if quick else {})
    raw: dict[str, list[dict[str, float]]] = {name: [] for name in (SKLEARN, WARM, COLD)}
    waits: dict[str, list[float]] = {name: [] for name in commands}
    with tempfile.TemporaryDirectory() as filled:
        measure(SKLEARN, filled)
        measure(WARM, filled)  # not counted: fills the caches, Numba's and the system's
        wait(commands[COMPARE], filled)
        for _ in range(repetitions):
            for name in raw:
                raw[name].append(measure(name, filled))
            for name, arguments in commands.items():
                waits[name].append(wait(arguments, filled))
    rows = [{"id": name, "name": name} | _medians(measured) for name, measured in raw.items()]
    return {
        "sizes": {"rows": 1000, "columns": 20, "repetitions": repetitions},
        "notes": ["Imported is `Perceptron` alone, from `sklearn.linear_model` or from `perceptrons`."],
        "sections": [
            Section("First call, medians of fresh processes", COLUMNS, rows, dict(raw)),
            Section("Whole commands, cache filled, medians", WAITS, _waits(waits), dict(waits)),
        ],
    }


def measure(name: str, filled: str) -> dict[str, float]:
    """Import and fit in a new process, its compiled code kept in `filled` or, if cold, in a new folder."""
    code = CHILD.format(module="sklearn.linear_model" if name == SKLEARN else "perceptrons")
    with tempfile.TemporaryDirectory() as empty:
        cache = empty if name == COLD else filled
        return children.ask(["-c", code], {"NUMBA_CACHE_DIR": cache, "NUMBA_DISABLE_JIT": "0"})


def wait(arguments: list[str], filled: str) -> float:
    """How long a command takes, from the shell and back."""
    start = time.perf_counter()
    children.run(arguments, {"NUMBA_CACHE_DIR": filled, "NUMBA_DISABLE_JIT": "0"})
    return time.perf_counter() - start


def _waits(waits: dict[str, list[float]]) -> list[dict[str, Any]]:
    return [{"id": name, "name": name, "seconds": statistics.median(times)} for name, times in waits.items()]


def _medians(measured: list[dict[str, float]]) -> dict[str, float]:
    return {part: statistics.median(times[part] for times in measured) for part in PARTS}
