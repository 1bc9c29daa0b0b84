"""The commands as a person waits for them, from the shell and back: their code compiled before, and not yet.

Compiling is measured with an empty cache of its own for each run. `AIMS` are the seconds that a command may
take, where it has an aim.
"""

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from typing import Any

from . import ROOT
from .children import environment_of_children
from .layout import Column, Section

LEARNERS = {  # one of each family, and the seconds that a fit may take that compiles its code
    "perceptron": 5.0,
    "max margin": 10.0,
    "sparse": 10.0,
    "scorecard": 10.0,
    "kernel": 5.0,
    "conservative": 10.0,
    "chow": 5.0,
    "binary": 5.0,
}
COFFEE = ["examples/coffee.csv", "--target"]
COMPARE = "perceptrons compare (breast cancer, 10 folds)"
COMMANDS = {  # arguments of Python; those that compile nothing
    "python, doing nothing": ["-c", "pass"],
    "python, import sklearn.linear_model": ["-c", "import sklearn.linear_model"],
    "perceptrons --help": ["-m", "perceptrons", "--help"],
    "perceptrons fit, a column that is not there": ["-m", "perceptrons", "fit", *COFFEE, "grad"],
}
COMPILING = {
    COMPARE: ["-m", "perceptrons", "compare"],
    **{
        f"perceptrons fit --folds 0 --learner {name!r}": [
            "-m", "perceptrons", "fit", *COFFEE, "grade", "--folds", "0", "--learner", name
        ]
        for name in LEARNERS
    },
}  # fmt: skip
SHORT = ["--learner", "perceptron", "--folds", "2"]  # what is added to it where nobody reads the time
QUICK = 3  # so many of `COMPILING` then
AIMS = {  # seconds: compiled before, compiling
    "perceptrons fit, a column that is not there": (0.4, None),
    COMPARE: (8.0, 30.0),
    **{f"perceptrons fit --folds 0 --learner {name!r}": (None, aim) for name, aim in LEARNERS.items()},
}
WAITS = [
    Column("name", "command", "text"),
    Column("seconds", "time", "time"),
    Column("aim", "aim", "time"),
    Column("cold", "compiling", "time"),
    Column("cold_aim", "aim", "time"),
]


def section(filled: str, quick: bool, repetitions: int) -> Section:
    """Medians; `filled` is the folder of compiled code."""
    compiling = dict(list(COMPILING.items())[:QUICK]) if quick else COMPILING
    commands = {
        name: line + SHORT * (quick and name == COMPARE) for name, line in (COMMANDS | compiling).items()
    }
    waits: dict[str, dict[str, list[float]]] = {name: {"seconds": [], "cold": []} for name in commands}
    for line in commands.values():
        wait(line, filled)  # not counted: fills the caches, Numba's and the system's
    for _ in range(repetitions):
        for name, line in commands.items():
            waits[name]["seconds"].append(wait(line, filled))
            if name in compiling:
                with tempfile.TemporaryDirectory() as empty:
                    waits[name]["cold"].append(wait(line, empty))
    rows = [_row(name, found) for name, found in waits.items()]
    return Section("Whole commands, medians", WAITS, rows, dict(waits))


def wait(arguments: Sequence[str], cache: str) -> float:
    """How long a command takes, which may end with a complaint about its arguments."""
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=environment_of_children({"NUMBA_CACHE_DIR": cache, "NUMBA_DISABLE_JIT": "0"}),
        capture_output=True,
        check=False,
    )
    taken = time.perf_counter() - start
    if done.returncode not in (0, 2):
        raise RuntimeError(f"{arguments} ended with {done.returncode}: {done.stderr.decode()}")
    return taken


def _row(name: str, found: dict[str, list[float]]) -> dict[str, Any]:
    medians = {key: statistics.median(times) for key, times in found.items() if times}
    aim, cold_aim = AIMS.get(name, (None, None))
    return {"id": name, "name": name, **medians, "aim": aim, "cold_aim": cold_aim}
