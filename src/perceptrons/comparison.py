"""The main job: families of learners side by side on one table.

Each is cross-validated behind an encoder that knows the training rows of the fold alone (its means, scales
and names, or literals for binary weights), as a pipeline would have it, but encoding once for all learners;
one that reads tables itself gets them as they are. Then it is fitted to all rows, for what a cross validation
cannot say: how large the model is, what margin it certifies, how long it takes. Learners that may
reject are compared with those that always answer by the risk: the mean cost of a row, rejections and errors
together. Rows that have weights count by them, in training and in testing; a row of weight 0 is absent.
"""

import re
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import StratifiedKFold

from .compiled import count_threads
from .describe import Shares, Size, answers_of, margin_of, shares_of, size_of, stopped_of
from .input_kinds import check_input
from .learners import (
    EPOCHS,
    FEW_EPOCHS,
    MANY_ROWS,
    build_learner,
    default_learners,
    encoder_for,
    may_reject,
    reads_tables,
    weights_for,
)
from .rejection.costs import Costs, Prices, read_costs
from .rows.weights import check_every_class, weights_of_rows

Progress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class LearnerResult:
    """One learner on one table. Where rows have weights, means and shares of rows are weighted.

    Attributes
    ----------
    risk, risk_sd, fold_risks : the mean cost of the rows left out, rejections and errors together; mean,
        sample deviation, and one per fold. None, and no folds, if the learner failed; a note says why.
    accuracy, accuracy_sd, fold_accuracies : the share of right answers among those given (so a learner that
        rejects all doubtful rows has a high one). A fold in which nothing is answered has None, and does
        not count; None if nothing was ever answered. The deviation needs two folds.
    balanced_accuracy : the mean over the classes of the share of their rows that are recalled, that is,
        answered right; a rejected row is not. Mean over the folds.
    rejected : the share of the rows left out that are rejected; 0 of a learner that always answers.
    may_reject : whether the learner can reject rows.
    size : weights (those that are not 0), splits or rows.
    margin : (achieved, bound) of the encoded rows, of several weight vectors that with the smallest; None
        where nothing is known: (None, bound) if the rows are not separated. None for models without margin.
    converged, stopped, n_updates, fit_seconds : of the fit to all rows, compiled code warm.
    notes : what the fits warned about, each once.
    """

    learner: str
    accuracy: float | None = None
    accuracy_sd: float | None = None
    fold_accuracies: tuple[float | None, ...] = ()
    balanced_accuracy: float | None = None
    risk: float | None = None
    risk_sd: float | None = None
    fold_risks: tuple[float, ...] = ()
    rejected: float | None = None
    may_reject: bool = False
    size: Size | None = None
    margin: tuple[float | None, float | None] | None = None
    converged: bool | None = None
    stopped: str | None = None
    n_updates: int | None = None
    fit_seconds: float | None = None
    notes: tuple[str, ...] = ()


def compare(
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    class_weight: Any = None,
    n_jobs: int | None = None,
    folds: int = 10,
    seed: int = 0,
    max_epochs: int = 1000,
    learners: Sequence[str] | None = None,
    progress: Progress | None = None,
    costs: Costs | None = None,
) -> list[LearnerResult]:
    """Cross-validate learners on a frame or array X and its labels y, all on the same folds.

    There are fewer folds if a class has fewer rows. Without names in `learners`, all are tried that support
    this number of classes and are quick enough for this number of rows. A learner that fails gets a note.
    `progress(done, total, what)` is called before each fit. `costs` are what learners that may reject are
    trained for, and what the risk of all is computed with; None is `Costs()`: a rejection costs 0.2, an
    error 1. Of the epochs, "conservative" and "chow" make 100 at most.

    `sample_weight` holds a weight >= 0 per row, for training and testing; rows of weight 0 are left out of
    both. `class_weight`, "balanced" or a dict of class → weight, is for training alone (scikit-learn's tree
    balances the numbers of rows, the others their weights). `n_jobs` is the number of threads of learners
    that use some, -1 for one per core.
    """
    table = _read(X, y, sample_weight)
    _check_class_weight(table, class_weight)
    count_threads(n_jobs)  # raises where it is no number of threads
    y, tell = table.y, progress or _silent
    splitter = StratifiedKFold(_possible_folds(y, folds), shuffle=True, random_state=seed)
    jobs = [*splitter.split(np.zeros(len(y)), y), (np.arange(len(y)),)]  # last: all rows, nothing to test
    costs = read_costs(costs, 0.2)
    prices = costs.of(table.classes)
    names = list(dict.fromkeys(learners or default_learners(len(y), len(table.classes))))
    shared = {"seed": seed, "costs": costs, "class_weight": class_weight, "n_jobs": n_jobs}
    build = {name: _builder(name, len(y), max_epochs, shared) for name in names}
    fits: dict[str, list[_FoldFit]] = {name: [] for name in names}
    for k, parts in enumerate(jobs):  # rows to learn from, and to test on
        tables = [table.take(rows) for rows in parts]
        score = _scorer(prices, tables[-1]) if len(parts) > 1 else _no_score
        encoded: dict[type, list[Any]] = {}
        what = f"fold {k + 1} of {len(jobs) - 1}" if len(parts) > 1 else "all rows"
        for j, name in enumerate(names):
            tell(k * len(names) + j, len(jobs) * len(names), f"{what}, {name}")
            if not _failed(fits[name]):
                one = build[name]()
                fits[name].append(_try(one, _laid_out(tables, one, encoded), tables[0], score))
    tell(len(jobs) * len(names), len(jobs) * len(names), "done")
    return [_result(name, tried) for name, tried in fits.items()]


class _Table(NamedTuple):
    """Rows, their labels and weights; without weights each counts 1."""

    X: Any
    y: Any
    classes: Any
    codes: Any  # places of the labels among the classes
    weights: Any = None

    def take(self, rows: Any) -> "_Table":
        X = self.X.iloc[rows] if hasattr(self.X, "iloc") else self.X[rows]
        weights = None if self.weights is None else self.weights[rows]
        return self._replace(X=X, y=self.y[rows], codes=self.codes[rows], weights=weights)


def _read(X: Any, y: Any, sample_weight: Any) -> _Table:
    """The rows that count: those of weight 0 are left out."""
    check_input(X, y)
    if hasattr(X, "tocsr"):
        raise ValueError("A sparse matrix has no columns to encode; give a frame or X.toarray().")
    X, y = X if hasattr(X, "shape") else np.array(X, object), np.asarray(y)
    table = _Table(X, y, *np.unique(y, return_inverse=True))
    if sample_weight is None:
        return table
    weights = weights_of_rows(sample_weight, None, y, table.classes, table.codes)
    check_every_class(table.classes, table.codes, weights)
    table = table._replace(weights=weights)
    return table if weights.all() else table.take(np.flatnonzero(weights))


def _check_class_weight(table: _Table, class_weight: Any) -> None:
    """Before anything is fitted: is it one, of these classes, and leaves each a row that counts?"""
    if class_weight is not None:
        weights = weights_of_rows(table.weights, class_weight, table.y, table.classes, table.codes)
        check_every_class(table.classes, table.codes, weights)


def _builder(name: str, n_rows: int, max_epochs: int, shared: dict[str, Any]) -> Callable[[], Any]:
    most = FEW_EPOCHS if name == "kernel" and n_rows > MANY_ROWS else EPOCHS.get(name, max_epochs)
    build_learner(name)  # an unknown name raises before anything is fitted
    return lambda: _without_label(build_learner(name, max_epochs=min(max_epochs, most), **shared))


def _without_label(learner: Any) -> Any:
    """Rejections are asked for here, not read from predictions; so a class may be called "reject", too."""
    return learner.set_params(reject_label=None) if may_reject(learner) else learner


def _silent(done: int, total: int, what: str) -> None:
    """No progress to be shown."""


def _laid_out(tables: list[_Table], learner: Any, encoded: dict[type, list[Any]]) -> list[Any]:
    """As the learner takes them: in coordinates that the first teaches, which are made once for all."""
    if reads_tables(learner):
        return [table.X for table in tables]
    encoder = encoder_for(learner)
    if type(encoder) not in encoded:
        encoder.fit(tables[0].X, **weights_for(encoder, tables[0].weights))
        encoded[type(encoder)] = [encoder.transform(table.X) for table in tables]
    return encoded[type(encoder)]


class _FoldScore(NamedTuple):
    """How a model did on the rows left out."""

    shares: Shares
    risk: float


class _FoldFit(NamedTuple):
    model: Any  # None if it failed
    seconds: float
    score: _FoldScore | None  # None if it failed, or no rows are left out
    notes: list[str]


def _failed(fits: list[_FoldFit]) -> bool:
    return bool(fits) and fits[-1].model is None


def _try(
    learner: Any, rows: list[Any], table: _Table, score: Callable[[Any, Any], _FoldScore | None]
) -> _FoldFit:
    """Fit to the first of the laid out rows, those of the table, and score on the last."""
    start = time.perf_counter()
    try:
        _, notes = quietly(learner.fit, rows[0], table.y, **weights_for(learner, table.weights))
        seconds = time.perf_counter() - start
        found = score(learner, rows[-1])
    except (ValueError, MemoryError) as error:
        reason = " ".join(str(error).split()) or "not enough memory"
        return _FoldFit(None, 0.0, None, [f"failed: {reason}"])
    return _FoldFit(learner, seconds, found, [_short(note) for note in notes])


def _no_score(model: Any, X: Any) -> None:
    """No rows are left out."""


def _scorer(prices: Prices, table: _Table) -> Callable[[Any, Any], _FoldScore]:
    """A function that scores a model on the rows of this table."""

    def score(model: Any, X: Any) -> _FoldScore:
        answers, rejected = answers_of(model, X)
        right = answers == table.y
        paid = prices.of_rows(table.codes, right, rejected)
        risk = float(np.average(paid, weights=table.weights))
        return _FoldScore(shares_of(table.codes, right, rejected, table.weights), risk)

    return score


def _result(name: str, fits: list[_FoldFit]) -> LearnerResult:
    if _failed(fits):
        return LearnerResult(name, notes=tuple(fits[-1].notes))
    final, scores = fits[-1], [fit.score for fit in fits if fit.score is not None]
    accuracies, risks = [one.shares.accuracy for one in scores], [one.risk for one in scores]
    answered = [accuracy for accuracy in accuracies if accuracy is not None]
    updates = getattr(final.model, "n_updates_", None)
    return LearnerResult(
        learner=name,
        accuracy=float(np.mean(answered)) if answered else None,
        accuracy_sd=float(np.std(answered, ddof=1)) if len(answered) > 1 else None,
        fold_accuracies=tuple(accuracies),
        balanced_accuracy=float(np.mean([one.shares.balanced_accuracy for one in scores])),
        risk=float(np.mean(risks)),
        risk_sd=float(np.std(risks, ddof=1)),
        fold_risks=tuple(risks),
        rejected=float(np.mean([one.shares.rejected for one in scores])),
        may_reject=may_reject(final.model),
        size=size_of(final.model),
        margin=margin_of(final.model),
        converged=getattr(final.model, "converged_", None),
        stopped=stopped_of(final.model),
        n_updates=None if updates is None else int(np.sum(updates)),
        fit_seconds=final.seconds,
        notes=tuple(dict.fromkeys(note for fit in fits for note in fit.notes)),
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


def quietly(function: Callable[..., Any], *arguments: Any, **named: Any) -> tuple[Any, list[str]]:
    """What the function returns, and what it warned about, each once."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        value = function(*arguments, **named)
    return value, list(dict.fromkeys(str(warning.message) for warning in caught))


def _short(warning: str) -> str:
    """A warning in a few words: that all is rejected, the cap that was reached, or how it begins."""
    if "every row is rejected" in warning:
        return "rejects every row"
    cap = re.search(r"\b(max_\w+)", warning)
    return f"{cap.group(1)} reached" if cap else re.split(r": |\. |\n", warning)[0][:80]
