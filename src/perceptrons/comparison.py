"""The main job: families of learners side by side on one table.

Each is cross-validated behind an encoder that knows the training rows of the fold alone (its means, scales
and names, or literals for binary weights), as a pipeline would have it, but encoding once for all learners;
one that reads tables itself gets them as they are. Then it is fitted to all rows, for what a cross validation
cannot say: how large the model is, what margin it certifies, how long it takes. Learners that may
reject are compared with those that always answer by the risk: the mean cost of a row, rejections and errors
together.
"""

import re
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import StratifiedKFold

from .describe import Size, accuracy_of, answers_of, margin_of, size_of, stopped_of
from .learners import (
    EPOCHS,
    FEW_EPOCHS,
    MANY_ROWS,
    build_learner,
    default_learners,
    encoder_for,
    may_reject,
    reads_tables,
)
from .rejection.costs import Costs, Prices, read_costs

Progress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class LearnerResult:
    """One learner on one table.

    Attributes
    ----------
    risk, risk_sd, fold_risks : the mean cost of the rows left out, rejections and errors together; mean,
        sample deviation, and one per fold. None, and no folds, if the learner failed; a note says why.
    accuracy, accuracy_sd, fold_accuracies : the share of right answers among those given (so a learner that
        rejects all doubtful rows has a high one). A fold in which nothing is answered has None, and does
        not count; None if nothing was ever answered. The deviation needs two folds.
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
    *,
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
    """
    X, y, tell = X if hasattr(X, "shape") else np.array(X, object), np.asarray(y), progress or _silent
    splitter = StratifiedKFold(_possible_folds(y, folds), shuffle=True, random_state=seed)
    jobs = [*splitter.split(np.zeros(len(y)), y), (np.arange(len(y)),)]  # last: all rows, nothing to test
    classes, codes = np.unique(y, return_inverse=True)
    costs = read_costs(costs, 0.2)
    prices = costs.of(classes)
    names = list(dict.fromkeys(learners or default_learners(len(y), len(classes))))
    build = {name: _builder(name, len(y), seed, max_epochs, costs) for name in names}
    fits: dict[str, list[_FoldFit]] = {name: [] for name in names}
    for k, parts in enumerate(jobs):  # rows to learn from, and to test on
        tables, labels = [_take(X, rows) for rows in parts], [y[rows] for rows in parts]
        score = _scorer(prices, codes[parts[-1]], labels[-1]) if len(parts) > 1 else _no_score
        encoded: dict[type, list[Any]] = {}
        what = f"fold {k + 1} of {len(jobs) - 1}" if len(parts) > 1 else "all rows"
        for j, name in enumerate(names):
            tell(k * len(names) + j, len(jobs) * len(names), f"{what}, {name}")
            if not _failed(fits[name]):
                one = build[name]()
                fits[name].append(_try(one, _laid_out(tables, one, encoded), labels[0], score))
    tell(len(jobs) * len(names), len(jobs) * len(names), "done")
    return [_result(name, tried) for name, tried in fits.items()]


def _builder(name: str, n_rows: int, seed: int, max_epochs: int, costs: Costs) -> Callable[[], Any]:
    most = FEW_EPOCHS if name == "kernel" and n_rows > MANY_ROWS else EPOCHS.get(name, max_epochs)
    build_learner(name)  # an unknown name raises before anything is fitted
    return lambda: _without_label(
        build_learner(name, seed=seed, max_epochs=min(max_epochs, most), costs=costs)
    )


def _without_label(learner: Any) -> Any:
    """Rejections are asked for here, not read from predictions; so a class may be called "reject", too."""
    return learner.set_params(reject_label=None) if may_reject(learner) else learner


def _silent(done: int, total: int, what: str) -> None:
    """No progress to be shown."""


def _take(X: Any, rows: Any) -> Any:
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


def _laid_out(tables: list[Any], learner: Any, encoded: dict[type, list[Any]]) -> list[Any]:
    """As the learner takes them: in coordinates that the first teaches, which are made once for all."""
    if reads_tables(learner):
        return tables
    encoder = encoder_for(learner)
    if type(encoder) not in encoded:
        encoder.fit(tables[0])
        encoded[type(encoder)] = [encoder.transform(table) for table in tables]
    return encoded[type(encoder)]


class _FoldScore(NamedTuple):
    """How a model did on the rows left out."""

    accuracy: float | None  # of the rows answered; None if there are none
    risk: float
    rejected: float


class _FoldFit(NamedTuple):
    model: Any  # None if it failed
    seconds: float
    score: _FoldScore | None  # None if it failed, or no rows are left out
    notes: list[str]


def _failed(fits: list[_FoldFit]) -> bool:
    return bool(fits) and fits[-1].model is None


def _try(learner: Any, tables: list[Any], y: Any, score: Callable[[Any, Any], _FoldScore | None]) -> _FoldFit:
    start = time.perf_counter()
    try:
        _, notes = quietly(learner.fit, tables[0], y)
        seconds = time.perf_counter() - start
        found = score(learner, tables[-1])
    except (ValueError, MemoryError) as error:
        reason = " ".join(str(error).split()) or "not enough memory"
        return _FoldFit(None, 0.0, None, [f"failed: {reason}"])
    return _FoldFit(learner, seconds, found, [_short(note) for note in notes])


def _no_score(model: Any, X: Any) -> None:
    """No rows are left out."""


def _scorer(prices: Prices, codes: Any, y: Any) -> Callable[[Any, Any], _FoldScore]:
    """A function that scores a model on rows with these labels; `codes` number their classes."""

    def score(model: Any, X: Any) -> _FoldScore:
        answers, rejected = answers_of(model, X)
        right = answers == y
        risk = float(prices.of_rows(codes, right, rejected).mean())
        return _FoldScore(accuracy_of(right, rejected), risk, float(rejected.mean()))

    return score


def _result(name: str, fits: list[_FoldFit]) -> LearnerResult:
    if _failed(fits):
        return LearnerResult(name, notes=tuple(fits[-1].notes))
    final, scores = fits[-1], [fit.score for fit in fits if fit.score is not None]
    accuracies, risks = [one.accuracy for one in scores], [one.risk for one in scores]
    answered = [accuracy for accuracy in accuracies if accuracy is not None]
    updates = getattr(final.model, "n_updates_", None)
    return LearnerResult(
        learner=name,
        accuracy=float(np.mean(answered)) if answered else None,
        accuracy_sd=float(np.std(answered, ddof=1)) if len(answered) > 1 else None,
        fold_accuracies=tuple(accuracies),
        risk=float(np.mean(risks)),
        risk_sd=float(np.std(risks, ddof=1)),
        fold_risks=tuple(risks),
        rejected=float(np.mean([one.rejected for one in scores])),
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


def quietly(function: Callable[..., Any], *arguments: Any) -> tuple[Any, list[str]]:
    """What the function returns, and what it warned about, each once."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        value = function(*arguments)
    return value, list(dict.fromkeys(str(warning.message) for warning in caught))


def _short(warning: str) -> str:
    """A warning in a few words: that all is rejected, the cap that was reached, or how it begins."""
    if "every row is rejected" in warning:
        return "rejects every row"
    cap = re.search(r"\b(max_\w+)", warning)
    return f"{cap.group(1)} reached" if cap else re.split(r": |\. |\n", warning)[0][:80]
