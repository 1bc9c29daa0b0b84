"""Vowpal Wabbit on the same rows, where it is installed: passes over its own binary cache, in order.

It has no perceptron loss. Hinge loss with plain steps of 1 (`--sgd -l 1 --power_t 0`) comes nearest: it
also corrects rows that are right by less than 1.
"""

import importlib.util
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .contestants import OURS
from .epochs import EPOCH, Row, fit_of
from .sweep_sets import Task
from .timing import Times, interleave

VOWPAL = "Vowpal Wabbit"
OPTIONS = "--quiet --holdout_off --loss_function hinge --sgd -l 1 --power_t 0"


def installed() -> bool:
    return importlib.util.find_spec("vowpalwabbit") is not None


@contextmanager
def learner(task: Task) -> Iterator[Callable[[int], None]]:
    """A function that runs so many epochs over the rows, which are written to a file first."""
    import vowpalwabbit

    with tempfile.TemporaryDirectory() as folder:
        text, cache = Path(folder) / "rows.vw", Path(folder) / "rows.cache"
        _write(task.X, task.y, text)

        def run(epochs: int) -> None:
            vowpalwabbit.Workspace(f"{OPTIONS} --passes {epochs} --cache_file {cache} -d {text}").finish()

        run(1)  # writes the cache
        yield run


def _write(X: Any, y: Any, path: Path) -> None:
    with path.open("w") as lines:
        for i, label in enumerate(y):
            cells = slice(X.indptr[i], X.indptr[i + 1])
            pairs = zip(X.indices[cells].tolist(), X.data[cells].tolist(), strict=True)
            lines.write(f"{1 if label > 0 else -1} | {' '.join(f'{j}:{value:g}' for j, value in pairs)}\n")


def row(task: Task, rounds: int) -> tuple[Row, Times]:
    """Our epoch in order beside Vowpal Wabbit's."""
    few, many = task.epochs
    with learner(task) as run:
        competitors = {f"{OURS} {k}": fit_of(task, OURS, "in order", k) for k in (few, many)}
        competitors |= {f"{VOWPAL} {k}": (lambda k=k: run(k)) for k in (few, many)}
        times = interleave(competitors, rounds)
    for name in (OURS, VOWPAL):
        times.add_difference(f"{name} {EPOCH}", f"{name} {many}", f"{name} {few}", many - few)
    mine, theirs = f"{OURS} {EPOCH}", f"{VOWPAL} {EPOCH}"
    measured = {"ours": times.median(mine), "peer": times.median(theirs), "ratio": times.ratio(theirs, mine)}
    return {"id": f"vowpal {task.id}", "name": f"{task.label}, in order, against {VOWPAL}"} | measured, times
