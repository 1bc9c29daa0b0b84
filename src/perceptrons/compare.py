"""The main job: families of learners side by side on one table.

Each is cross-validated behind a `TableEncoder` that knows the training rows of the fold alone (its means,
scales and names), as a pipeline would have it, but encoding once for all learners; one that reads tables
itself gets them as they are. Then it is fitted to all rows, for what a cross validation cannot say: how large
the model is, what margin it certifies, how long it takes.
"""

import re
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags

from .data.columns import TableEncoder
from .margin.kernel import KernelPerceptron
from .margin.max_margin import MaxMarginPerceptron
from .margin.named import NAMED
from .margin.perceptron import Perceptron
from .sparse.sparse_perceptron import SparsePerceptron

Build = Callable[[int, int], Any]
Progress = Callable[[int, int, str], None]


def _perceptron(**settings: Any) -> Build:
    return lambda seed, max_epochs: Perceptron(**{"random_state": seed, "max_epochs": max_epochs, **settings})


LEARNERS: dict[str, Build] = {  # name → (seed, max_epochs) → an estimator to be fitted
    "perceptron": _perceptron(result="pocket"),
    "growing margin": _perceptron(margin="growing", result="pocket"),
    "averaged": _perceptron(result="average"),
    "max margin": lambda seed, max_epochs: MaxMarginPerceptron(max_iter=max_epochs),
    "soft margin": lambda seed, max_epochs: MaxMarginPerceptron(C=1.0, max_iter=max_epochs),
    "sparse": lambda seed, max_epochs: SparsePerceptron(random_state=seed),
    "kernel": lambda seed, max_epochs: KernelPerceptron(
        result="pocket", random_state=seed, max_epochs=max_epochs
    ),
    "logistic regression": lambda seed, max_epochs: LogisticRegression(max_iter=10_000),
    "shallow tree": lambda seed, max_epochs: DecisionTreeClassifier(max_depth=3, random_state=seed),
}
SLOW = ("kernel", "sparse")  # on many rows only if asked for: minutes, cross-validated
MANY_ROWS, FEW_EPOCHS = 10_000, 100  # of a kernel learner, whose epochs take the square of the rows


@dataclass(frozen=True)
class Size:
    """How much of a model there is to read: "30 weights", "7 splits" or "120 rows"."""

    count: int
    unit: str

    def __str__(self) -> str:
        return f"{self.count} {self.unit.removesuffix('s') if self.count == 1 else self.unit}"


@dataclass(frozen=True)
class Result:
    """One learner on one table.

    Attributes
    ----------
    accuracy, accuracy_sd, fold_accuracies : on the rows left out; mean, sample deviation, and one per fold.
        None, and no folds, if the learner failed; a note says why.
    size : weights (those that are not 0), splits or rows.
    margin : (achieved, bound) of the encoded rows, of several weight vectors that with the smallest; None
        where nothing is known: (None, bound) if the rows are not separated. None for models without margin.
    converged, n_updates, fit_seconds : of the fit to all rows, compiled code warm.
    notes : what the fits warned about, each once.
    """

    learner: str
    accuracy: float | None = None
    accuracy_sd: float | None = None
    fold_accuracies: tuple[float, ...] = ()
    size: Size | None = None
    margin: tuple[float | None, float | None] | None = None
    converged: bool | None = None
    n_updates: int | None = None
    fit_seconds: float | None = None
    notes: tuple[str, ...] = ()


def compare(
    X: Any,
    y: Any,
    *,
    folds: int = 10,
    seed: int = 0,
    max_epochs: int = 1000,
    learners: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> list[Result]:
    """Cross-validate learners on a frame or array X and its labels y, all on the same folds.

    There are fewer folds if a class has fewer rows. Without names in `learners`, all are tried that are quick
    enough for so many rows. A learner that fails gets a note. `progress(done, total, what)` is called before
    each fit.
    """
    X, y, tell = X if hasattr(X, "shape") else np.array(X, object), np.asarray(y), progress or _silent
    splitter = StratifiedKFold(_possible_folds(y, folds), shuffle=True, random_state=seed)
    jobs = [*splitter.split(np.zeros(len(y)), y), (np.arange(len(y)),)]  # last: all rows, nothing to test
    names = list(dict.fromkeys(learners or default_learners(len(y))))
    build = {name: _builder(name, len(y), seed, max_epochs) for name in names}
    trials: dict[str, list[_Trial]] = {name: [] for name in names}
    for k, parts in enumerate(jobs):  # rows to learn from, and to test on
        tables, labels = [_take(X, rows) for rows in parts], [y[rows] for rows in parts]
        encoded = _encoded(tables)
        what = f"fold {k + 1} of {len(jobs) - 1}" if len(parts) > 1 else "all rows"
        for j, name in enumerate(names):
            tell(k * len(names) + j, len(jobs) * len(names), f"{what}, {name}")
            if not _failed(trials[name]):
                one = build[name]()
                trials[name].append(_try(one, tables if reads_tables(one) else encoded, labels))
    tell(len(jobs) * len(names), len(jobs) * len(names), "done")
    return [_result(name, tried) for name, tried in trials.items()]


def default_learners(n_rows: int) -> list[str]:
    return [name for name in LEARNERS if name not in SLOW or n_rows <= MANY_ROWS]


def _builder(name: str, n_rows: int, seed: int, max_epochs: int) -> Callable[[], Any]:
    slow = name == "kernel" and n_rows > MANY_ROWS
    epochs = min(max_epochs, FEW_EPOCHS) if slow else max_epochs
    build_learner(name)  # a name that is none is refused before anything is fitted
    return lambda: build_learner(name, seed=seed, max_epochs=epochs)


def _silent(done: int, total: int, what: str) -> None:
    """No progress to be shown."""


def _take(X: Any, rows: Any) -> Any:
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


def _encoded(tables: list[Any]) -> list[Any]:
    """All in the coordinates that the first teaches."""
    encoder = TableEncoder().fit(tables[0])
    return [encoder.transform(table) for table in tables]


class _Trial(NamedTuple):
    model: Any  # None if it failed
    seconds: float
    accuracy: float  # on the rows left out; 0 if there are none
    notes: list[str]


def _failed(trials: list[_Trial]) -> bool:
    return bool(trials) and trials[-1].model is None


def _try(learner: Any, tables: list[Any], labels: list[Any]) -> _Trial:
    start = time.perf_counter()
    try:
        _, notes = quietly(learner.fit, tables[0], labels[0])
        seconds = time.perf_counter() - start
        accuracy = float(np.mean(learner.predict(tables[1]) == labels[1])) if len(tables) > 1 else 0.0
    except (ValueError, MemoryError) as error:
        reason = " ".join(str(error).split()) or "not enough memory"
        return _Trial(None, 0.0, 0.0, [f"failed: {reason}"])
    return _Trial(learner, seconds, accuracy, [_short(note) for note in notes])


def _result(name: str, trials: list[_Trial]) -> Result:
    if _failed(trials):
        return Result(name, notes=tuple(trials[-1].notes))
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
        notes=tuple(dict.fromkeys(note for trial in trials for note in trial.notes)),
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
    """A warning in a few words: the cap that was reached, or how it begins."""
    cap = re.search(r"\b(max_\w+)", warning)
    return f"{cap.group(1)} reached" if cap else re.split(r": |\. |\n", warning)[0][:80]


def size_of(model: Any) -> Size | None:
    """Weights that are not 0, splits of a tree, or rows of a kernel model."""
    if hasattr(model, "n_weights_"):
        return Size(int(np.sum(model.n_weights_)), "weights")
    if hasattr(model, "tree_"):
        return Size(int(model.tree_.node_count - model.tree_.n_leaves), "splits")
    if hasattr(model, "coef_"):
        return Size(int(np.count_nonzero(model.coef_)), "weights")
    return Size(len(model.support_), "rows") if hasattr(model, "support_") else None


def margin_of(model: Any) -> tuple[float | None, float | None] | None:
    """The certified interval of a fitted model, of several weight vectors that with the smallest margin."""
    found = getattr(model, "certificate_", None)
    if found is None:
        return None
    worst = min(found, key=lambda one: one.margin) if isinstance(found, list) else found
    return known_margin(worst)


def known_margin(certificate: Any) -> tuple[float | None, float | None]:
    """What is achieved, if the rows are separated, and what cannot be exceeded."""
    bound = 0.0 if certificate.separable is False else certificate.margin_bound
    return certificate.margin if certificate.separable else None, bound


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


def reads_tables(learner: Any) -> bool:
    """Whether it takes a table as it is: names, holes and all."""
    return bool(get_tags(learner).input_tags.categorical)


def for_tables(learner: Any) -> Any:
    """An estimator that takes tables: the learner, behind a `TableEncoder` where it needs one."""
    return learner if reads_tables(learner) else make_pipeline(TableEncoder(), learner)
