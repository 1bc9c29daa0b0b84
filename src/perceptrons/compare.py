"""The main job: families of learners side by side on one table.

Each is cross-validated behind a `TableEncoder` that knows the training rows of the fold alone (its means,
scales and names), as a pipeline would have it, but encoding once for all learners; then fitted to all rows,
for what a cross validation cannot say: how large the model is, what margin it certifies, how long it takes.
"""

import re
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from .data.columns import TableEncoder
from .margin.kernel import KernelPerceptron
from .margin.named import NAMED
from .margin.perceptron import Perceptron

Build = Callable[[int, int], Any]
Progress = Callable[[int, int, str], None]


def _perceptron(**settings: Any) -> Build:
    return lambda seed, max_epochs: Perceptron(**{"random_state": seed, "max_epochs": max_epochs, **settings})


LEARNERS: dict[str, Build] = {  # name → (seed, max_epochs) → an estimator to be fitted
    "perceptron": _perceptron(result="pocket"),
    "growing margin": _perceptron(margin="growing", result="pocket"),
    "averaged": _perceptron(result="average"),
    "kernel": lambda seed, max_epochs: KernelPerceptron(
        result="pocket", random_state=seed, max_epochs=max_epochs
    ),
    "logistic regression": lambda seed, max_epochs: LogisticRegression(max_iter=10_000),
    "shallow tree": lambda seed, max_epochs: DecisionTreeClassifier(max_depth=3, random_state=seed),
}


@dataclass(frozen=True)
class Result:
    """One learner on one table.

    Attributes
    ----------
    accuracy, accuracy_sd, fold_accuracies : on the rows left out; mean, sample deviation, and one per fold.
    size : "30 weights" (those that are not 0), "7 splits" or "120 rows".
    margin : (achieved, bound) of the encoded rows, of several weight vectors that with the smallest; None
        where nothing is known: (None, bound) if the rows are not separated. None for models without margin.
    converged, n_updates, fit_seconds : of the fit to all rows, compiled code warm.
    notes : what the fits warned about, each once.
    """

    learner: str
    accuracy: float
    accuracy_sd: float
    fold_accuracies: tuple[float, ...]
    size: str
    margin: tuple[float | None, float | None] | None
    converged: bool | None
    n_updates: int | None
    fit_seconds: float
    notes: tuple[str, ...]


def compare(
    X: Any,
    y: Any,
    *,
    folds: int = 10,
    seed: int = 0,
    max_epochs: int = 1000,
    progress: Progress | None = None,
) -> list[Result]:
    """Cross-validate every learner on a frame or array X and its labels y, all on the same folds.

    There are fewer folds if a class has fewer rows. `progress(done, total, what)` is called before each fit.
    """
    X, y, tell = X if hasattr(X, "shape") else np.array(X, object), np.asarray(y), progress or _silent
    splitter = StratifiedKFold(_possible_folds(y, folds), shuffle=True, random_state=seed)
    jobs = [
        *splitter.split(np.zeros(len(y)), y),
        (np.arange(len(y)), None),
    ]  # last: all rows, nothing to test
    trials: dict[str, list[_Trial]] = {name: [] for name in LEARNERS}
    for k, (train, test) in enumerate(jobs):
        encoder = TableEncoder()
        rows = encoder.fit_transform(_take(X, train))
        others = None if test is None else encoder.transform(_take(X, test))
        what = "all rows" if test is None else f"fold {k + 1} of {len(jobs) - 1}"
        for j, (name, build) in enumerate(LEARNERS.items()):
            tell(k * len(LEARNERS) + j, len(jobs) * len(LEARNERS), f"{what}, {name}")
            hidden = None if test is None else y[test]
            trials[name].append(_try(build(seed, max_epochs), rows, y[train], others, hidden))
    tell(len(jobs) * len(LEARNERS), len(jobs) * len(LEARNERS), "done")
    return [_result(name, tried) for name, tried in trials.items()]


def _silent(done: int, total: int, what: str) -> None:
    """No progress to be shown."""


def _take(X: Any, rows: Any) -> Any:
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


class _Trial(NamedTuple):
    model: Any
    seconds: float
    accuracy: float  # on the rows left out; 0 if there are none
    notes: list[str]


def _try(learner: Any, rows: Any, y: Any, others: Any, hidden: Any) -> _Trial:
    start = time.perf_counter()
    _, notes = quietly(learner.fit, rows, y)
    seconds = time.perf_counter() - start
    accuracy = 0.0 if others is None else float(np.mean(learner.predict(others) == hidden))
    return _Trial(learner, seconds, accuracy, notes)


def _result(name: str, trials: list[_Trial]) -> Result:
    *folds, final = trials
    accuracies = [trial.accuracy for trial in folds]
    updates = getattr(final.model, "n_updates_", None)
    return Result(
        learner=name,
        accuracy=float(np.mean(accuracies)),
        accuracy_sd=float(np.std(accuracies, ddof=1)),
        fold_accuracies=tuple(accuracies),
        size=size_of(final.model),
        margin=margin_of(final.model),
        converged=getattr(final.model, "converged_", None),
        n_updates=None if updates is None else int(np.sum(updates)),
        fit_seconds=final.seconds,
        notes=tuple(dict.fromkeys(_short(note) for trial in trials for note in trial.notes)),
    )


def _possible_folds(y: Any, folds: int) -> int:
    if isinstance(folds, bool) or not isinstance(folds, int) or folds < 2:
        raise ValueError(f"folds={folds!r}, but it must be an integer >= 2.")
    classes, counts = np.unique(y, return_counts=True)
    if len(classes) < 2:
        raise ValueError(f"There is one class only, {classes.tolist()}; a classifier needs two.")
    if counts.min() < 2:
        rare = classes.tolist()[counts.argmin()]
        raise ValueError(
            f"The class {rare!r} has one row, which cannot be both learned from and tested on; add rows of "
            "it or remove it."
        )
    return min(folds, int(counts.min()))


def quietly(function: Callable[..., Any], *arguments: Any) -> tuple[Any, list[str]]:
    """What the function returns, and what it warned about, each once."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        value = function(*arguments)
    return value, list(dict.fromkeys(str(warning.message) for warning in caught))


def _short(warning: str) -> str:
    """A warning in a few words: the cap that was reached, or its first line."""
    cap = re.search(r"\b(max_\w+)", warning)
    return f"{cap.group(1)} reached" if cap else warning.split("\n")[0][:80]


def size_of(model: Any) -> str:
    """How much there is to read: weights that are not 0, splits of a tree, or rows of a kernel model."""
    if hasattr(model, "tree_"):
        return _count(int(model.tree_.node_count - model.tree_.n_leaves), "split")
    if hasattr(model, "coef_"):
        return _count(int(np.count_nonzero(model.coef_)), "weight")
    return _count(len(model.support_), "row") if hasattr(model, "support_") else ""


def _count(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def margin_of(model: Any) -> tuple[float | None, float | None] | None:
    """The certified interval of a fitted model, of several weight vectors that with the smallest margin."""
    found = getattr(model, "certificate_", None)
    if found is None:
        return None
    worst = min(found, key=lambda one: one.margin) if isinstance(found, list) else found
    return worst.margin if worst.separable else None, worst.margin_bound


def build_learner(name: str, *, seed: int = 0, max_epochs: int | None = None) -> Any:
    """An estimator to be fitted, by its name in `LEARNERS` or its historical name in `NAMED`."""
    given = {} if max_epochs is None else {"max_epochs": max_epochs}
    if name in LEARNERS:
        return LEARNERS[name](seed, max_epochs or 1000)
    if name in NAMED:
        return Perceptron(**{"random_state": seed, **NAMED[name], **given})
    names = list(dict.fromkeys([*LEARNERS, *NAMED]))
    close = get_close_matches(name, names, n=1)
    meant = f"did you mean {close[0]!r}? T" if close else "t"
    raise ValueError(f"There is no learner {name!r}; {meant}here are {', '.join(names)}.")
