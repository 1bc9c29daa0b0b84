"""What the first call costs: import and first fit in a fresh process, with and without Numba's cache, and
the commands as a person waits for them."""

import statistics
import tempfile
from typing import Any

from . import children, waits
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
SKLEARN, WARM, COLD = "sklearn Perceptron", "perceptrons, cache filled", "perceptrons, cache empty"


def run(quick: bool) -> dict[str, Any]:
    repetitions = 1 if quick else 5
    raw: dict[str, list[dict[str, float]]] = {name: [] for name in (SKLEARN, WARM, COLD)}
    with tempfile.TemporaryDirectory() as filled:
        measure(SKLEARN, filled)
        measure(WARM, filled)  # not counted: fills the caches, Numba's and the system's
        for _ in range(repetitions):
            for name in raw:
                raw[name].append(measure(name, filled))
        commands = waits.section(filled, quick, repetitions=min(repetitions, 3))
    rows = [{"id": name, "name": name} | _medians(measured) for name, measured in raw.items()]
    return {
        "sizes": {"rows": 1000, "columns": 20, "repetitions": repetitions},
        "notes": ["Imported is `Perceptron` alone, from `sklearn.linear_model` or from `perceptrons`."],
        "sections": [
            Section("First call, medians of fresh processes", COLUMNS, rows, dict(raw)),
            commands,
        ],
    }


def measure(name: str, filled: str) -> dict[str, float]:
    """Import and fit in a new process, its compiled code kept in `filled` or, if cold, in a new folder."""
    code = CHILD.format(module="sklearn.linear_model" if name == SKLEARN else "perceptrons")
    with tempfile.TemporaryDirectory() as empty:
        cache = empty if name == COLD else filled
        return children.ask(["-c", code], {"NUMBA_CACHE_DIR": cache, "NUMBA_DISABLE_JIT": "0"})


def _medians(measured: list[dict[str, float]]) -> dict[str, float]:
    return {part: statistics.median(times[part] for times in measured) for part in PARTS}
