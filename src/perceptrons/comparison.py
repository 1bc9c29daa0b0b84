"""The main job: families of learners side by side on one table.

Each is cross-validated behind an encoder that knows the training rows of the fold alone (its means, scales
and names, or literals for binary weights), as a pipeline would have it, but encoding once for all learners;
one that reads tables itself gets them as they are. Then it is fitted to all rows, for what a cross validation
cannot say: how large the model is, what margin it certifies, how long it takes. Learners that may
reject are compared with those that always answer by the risk: the mean cost of a row, rejections and errors
together. Rows that have weights count by them, in training and in testing; a row of weight 0 is absent.

Which learners are as good as the best is a paired t-test on the same folds, whose variance is corrected for
training rows that folds share: Nadeau and Bengio, "Inference for the generalization error" (2003).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from joblib import cpu_count
from scipy.stats import t as student

from .compiled import count_threads
from .cross_validation import Progress, Rows, read_rows, splits_of, without_columns_left_out
from .describe import Size
from .fold_fits import FoldFit, Work, failed
from .fold_fits import quietly as quietly
from .learners import EPOCHS, FEW_EPOCHS, MANY_ROWS, build_learner, default_learners, may_reject
from .processes import fit_in_turn, fit_spread
from .rejection.costs import Costs, read_costs
from .rows.weights import check_every_class, weights_of_rows

METRICS = {  # name → (what a fold is scored by, whether lower is better)
    "risk": ("fold_risks", True),
    "accuracy": ("fold_accuracies", False),
    "balanced": ("fold_balanced_accuracies", False),
    "auc": ("fold_aucs", False),
}
BEST, AS_GOOD = "best", "as good"
LEVEL = 0.05  # of the test that tells learners apart


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
    balanced_accuracy, fold_balanced_accuracies : the mean over the classes of the share of their rows that
        are recalled, that is, answered right; a rejected row is not. Mean over the folds, and one per fold.
    auc, fold_aucs : the area under the curve of the scores, of more than two classes the mean over each
        against the rest; None without scores, or in a fold of one class.
    verdict : "best", "as good" if a paired test on the same folds does not tell it from the best, else "".
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
    fold_balanced_accuracies: tuple[float, ...] = ()
    auc: float | None = None
    fold_aucs: tuple[float | None, ...] = ()
    risk: float | None = None
    risk_sd: float | None = None
    fold_risks: tuple[float, ...] = ()
    verdict: str = ""
    rejected: float | None = None
    may_reject: bool = False
    size: Size | None = None
    margin: tuple[float | None, float | None] | None = None
    converged: bool | None = None
    stopped: str | None = None
    n_updates: int | None = None
    fit_seconds: float | None = None
    notes: tuple[str, ...] = ()

    def value(self, metric: str) -> float | None:
        """The mean over the folds of a metric, one of `METRICS`."""
        return mean_of(getattr(self, METRICS[metric][0]))


def mean_of(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None


def compare(
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    class_weight: Any = None,
    n_jobs: int | None = None,
    folds: int = 10,
    repeats: int = 1,
    metric: str = "risk",
    seed: int = 0,
    max_epochs: int = 1000,
    learners: Sequence[str] | None = None,
    parameters: dict[str, Any] | None = None,
    keep: Any = None,
    processes: int | None = None,
    progress: Progress | None = None,
    costs: Costs | None = None,
) -> list[LearnerResult]:
    """Cross-validate learners on a frame or array X and its labels y, all on the same folds.

    Parameters
    ----------
    X, y : array or frame of rows, and array of classes
        The table. Columns of a frame from which nothing can be learned are left out, except those in `keep`.
    sample_weight : array or None, default None
        A weight >= 0 per row, for training and testing. Rows of weight 0 are left out of both.
    class_weight : None, "balanced" or dict of class → weight, default None
        Weights of classes, for training alone. scikit-learn's tree balances the numbers of rows, the other
        learners their weights.
    n_jobs : int or None, default None
        The number of threads of learners that can use more than one, -1 for one per core.
    folds : int, default 10
        The number of folds. It is reduced if no class has that many rows; a class of one row is never tested.
    repeats : int, default 1
        How often the cross-validation is repeated, with new folds each time.
    metric : {"risk", "accuracy", "balanced", "auc"}, default "risk"
        What decides which learner is the best; "balanced" is the balanced accuracy.
    seed : int, default 0
        Draws the folds, and seeds the learners.
    max_epochs : int, default 1000
        The largest number of epochs of learners that have a limit; "conservative" and "chow" make at most
        100.
    learners : list of str or None, default None
        The names of the learners. None tries all that support the number of classes and are fast enough for
        the number of rows.
    parameters : dict or None, default None
        Parameters that are set on all learners that have them.
    keep : None, "all" or list of names, default None
        Columns of a frame that are not left out, see `TableEncoder`.
    processes : int or None, default None
        The number of processes, each of one thread, that share folds and learners.
    progress : callable or None, default None
        It is called as `progress(done, total, what)` before each fit.
    costs : Costs or None, default None
        The costs for which learners that can reject are trained, and with which the risk of all is computed.
        None is `Costs()`: a rejection costs 0.2, an error 1.

    Returns
    -------
    list of LearnerResult
        One entry per learner, in the order of `learners`. A learner that fails gets a note instead of
        numbers.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from perceptrons import compare
    >>> X, y = load_iris(return_X_y=True)
    >>> results = compare(X, y, learners=["perceptron", "shallow tree"], folds=5)
    >>> [(result.learner, result.accuracy > 0.8) for result in results]
    [('perceptron', True), ('shallow tree', True)]
    """
    if metric not in METRICS:
        raise ValueError(f"metric={metric!r}, but it must be one of {', '.join(METRICS)}.")
    if isinstance(repeats, bool) or not isinstance(repeats, int) or repeats < 1:
        raise ValueError(f"repeats={repeats!r}, but it must be an integer >= 1.")
    rows = without_columns_left_out(read_rows(X, y, sample_weight), keep)
    _check_class_weight(rows, class_weight)
    count_threads(n_jobs)  # raises where it is no number of threads
    splits = splits_of(rows, folds, seed, repeats)
    costs = read_costs(costs, 0.2)
    prices = costs.of(rows.classes)
    names = list(dict.fromkeys(learners or default_learners(len(rows.y), len(rows.classes))))
    shared = {"seed": seed, "costs": costs, "class_weight": class_weight, "n_jobs": n_jobs}
    build = {name: _builder(name, len(rows.y), max_epochs, shared, parameters or {}) for name in names}
    work = Work(rows, [*splits, (np.arange(len(rows.y)),)], build, prices)
    n_processes = cpu_count() if processes == -1 else processes or 1
    tell = progress or _silent
    fits = fit_spread(work, n_processes, tell) if n_processes > 1 else fit_in_turn(work, tell)
    return judged([_result(name, tried) for name, tried in fits.items()], metric, repeats)


def _check_class_weight(table: Rows, class_weight: Any) -> None:
    """Before anything is fitted: is it one, of these classes, and leaves each a row that counts?"""
    if class_weight is not None:
        weights = weights_of_rows(table.weights, class_weight, table.y, table.classes, table.codes)
        check_every_class(table.classes, table.codes, weights)


def _builder(
    name: str, n_rows: int, max_epochs: int, shared: dict[str, Any], parameters: dict[str, Any]
) -> Callable[[], Any]:
    most = FEW_EPOCHS if name == "kernel" and n_rows > MANY_ROWS else EPOCHS.get(name, max_epochs)
    build_learner(name)  # an unknown name raises before anything is fitted
    return partial(_built, name, min(max_epochs, most), shared, parameters)


def _built(name: str, max_epochs: int, shared: dict[str, Any], parameters: dict[str, Any]) -> Any:
    learner = _without_label(build_learner(name, max_epochs=max_epochs, **shared))
    known = learner.get_params()
    return learner.set_params(**{one: value for one, value in parameters.items() if one in known})


def _without_label(learner: Any) -> Any:
    """Rejections are asked for here, not read from predictions; so a class may be called "reject", too."""
    return learner.set_params(reject_label=None) if may_reject(learner) else learner


def _silent(done: int, total: int, what: str) -> None:
    """No progress to be shown."""


def _result(name: str, fits: list[FoldFit]) -> LearnerResult:
    if failed(fits):
        return LearnerResult(name, notes=tuple(fits[-1].notes))
    final, scores = fits[-1], [fit.score for fit in fits if fit.score is not None]
    accuracies, risks = [one.shares.accuracy for one in scores], [one.risk for one in scores]
    balanced, aucs = [one.shares.balanced_accuracy for one in scores], [one.auc for one in scores]
    answered = [accuracy for accuracy in accuracies if accuracy is not None]
    facts = final.facts._asdict() if final.facts else {}
    return LearnerResult(
        learner=name,
        accuracy=mean_of(accuracies),
        accuracy_sd=float(np.std(answered, ddof=1)) if len(answered) > 1 else None,
        fold_accuracies=tuple(accuracies),
        balanced_accuracy=mean_of(balanced),
        fold_balanced_accuracies=tuple(balanced),
        auc=mean_of(aucs),
        fold_aucs=tuple(aucs),
        risk=float(np.mean(risks)),
        risk_sd=float(np.std(risks, ddof=1)),
        fold_risks=tuple(risks),
        rejected=float(np.mean([one.shares.rejected for one in scores])),
        fit_seconds=final.seconds,
        notes=tuple(dict.fromkeys(note for fit in fits for note in fit.notes)),
        **facts,
    )


def ranked(results: Sequence[LearnerResult], metric: str = "risk") -> list[LearnerResult]:
    """The best by a metric first; those without a value last."""
    lower = METRICS[metric][1]

    def place(result: LearnerResult) -> float:
        value = result.value(metric)
        return float("inf") if value is None else value if lower else -value

    return sorted(results, key=place)


def judged(results: Sequence[LearnerResult], metric: str, repeats: int = 1) -> list[LearnerResult]:
    """The same, the best by the metric marked, and those that are not distinguishable from it."""
    best = ranked(results, metric)[0]
    if best.value(metric) is None:
        return list(results)
    folds = [getattr(result, METRICS[metric][0]) for result in results]
    first = getattr(best, METRICS[metric][0])
    marks = [
        BEST if result is best else AS_GOOD if like(some, first, repeats) else ""
        for result, some in zip(results, folds, strict=True)
    ]
    return [replace(result, verdict=mark) for result, mark in zip(results, marks, strict=True)]


def like(ones: Sequence[float | None], others: Sequence[float | None], repeats: int = 1) -> bool:
    """Whether a corrected paired t-test of values on the same folds finds no difference, at 5 %."""
    pairs = zip(ones, others, strict=False)
    differences = np.array([one - other for one, other in pairs if one is not None and other is not None])
    n = len(differences)
    if n < 2:
        return bool(n and differences[0] == 0.0)
    deviation = float(differences.std(ddof=1))
    if deviation <= 1e-12:
        return bool(abs(differences.mean()) <= 1e-12)
    per_training = 1.0 / max(n // repeats - 1, 1)  # tested rows per training row
    t = abs(float(differences.mean())) / (deviation * np.sqrt(1.0 / n + per_training))
    return bool(2.0 * student.sf(t, n - 1) > LEVEL)
