"""The main job: families of learners side by side on one table.

Each is cross-validated behind an encoder that knows the training rows of the fold alone (its means, scales
and names, or literals for binary weights), as a pipeline would have it, but encoding once for all learners;
one that reads tables itself gets them as they are. Then it is fitted to all rows, for what a cross validation
cannot say: how large the model is, what margin it certifies, how long it takes. What answers and refusals
cost makes learners that may reject comparable to those that always answer: the risk, a row's mean cost.
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

from .binary.binary_perceptron import BinaryPerceptron
from .conservative.chow import ChowClassifier
from .conservative.conservative_perceptron import ConservativePerceptron
from .conservative.costs import Costs, Prices, read_costs
from .conservative.rejecting import Rejecting
from .data.columns import TableEncoder
from .data.literals import LiteralEncoder
from .margin.kernel import KernelPerceptron
from .margin.max_margin import MaxMarginPerceptron
from .margin.named import NAMED
from .margin.perceptron import Perceptron
from .sparse.sparse_perceptron import SparsePerceptron

Build = Callable[[int, int], Any]
Progress = Callable[[int, int, str], None]


def _perceptron(**settings: Any) -> Build:
    return lambda seed, max_epochs: Perceptron(**{"random_state": seed, "max_epochs": max_epochs, **settings})


SHORT_CARD = 25  # votes: more points than that nobody adds up by hand
LEARNERS: dict[str, Build] = {  # name → (seed, max_epochs) → an estimator to be fitted
    "perceptron": _perceptron(result="pocket"),
    "growing margin": _perceptron(margin="growing", result="pocket"),
    "averaged": _perceptron(result="average"),
    "max margin": lambda seed, max_epochs: MaxMarginPerceptron(max_iter=max_epochs),
    "soft margin": lambda seed, max_epochs: MaxMarginPerceptron(C=1.0, max_iter=max_epochs),
    "sparse": lambda seed, max_epochs: SparsePerceptron(random_state=seed),
    "scorecard": lambda seed, max_epochs: SparsePerceptron(
        booster="majority", max_stages=SHORT_CARD, random_state=seed
    ),
    "kernel": lambda seed, max_epochs: KernelPerceptron(
        result="pocket", random_state=seed, max_epochs=max_epochs
    ),
    "conservative": lambda seed, max_epochs: ConservativePerceptron(random_state=seed, max_epochs=max_epochs),
    "chow": lambda seed, max_epochs: ChowClassifier(
        Perceptron(result="average", random_state=seed, max_epochs=max_epochs)
    ),
    "binary": lambda seed, max_epochs: BinaryPerceptron(random_state=seed),
    "binary sbpi": lambda seed, max_epochs: BinaryPerceptron(
        method="sbpi", max_epochs=max_epochs, random_state=seed
    ),
    "logistic regression": lambda seed, max_epochs: LogisticRegression(max_iter=10_000),
    "shallow tree": lambda seed, max_epochs: DecisionTreeClassifier(max_depth=3, random_state=seed),
}
# at most: many runs at once, six fits, and epochs that seldom end by themselves
EPOCHS, USUAL_EPOCHS = {"conservative": 100, "chow": 100, "binary sbpi": 100}, 1000
# on many rows only if asked for: minutes, cross-validated
SLOW = ("kernel", "sparse", "scorecard", "conservative")
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
    risk, risk_sd, fold_risks : the mean cost of the rows left out, refusals and errors together; mean, sample
        deviation, and one per fold. None, and no folds, if the learner failed; a note says why.
    accuracy, accuracy_sd, fold_accuracies : the share of right answers among those given (so it is selective:
        who rejects all doubtful rows has a high one). A fold in which nothing is answered has None, and does
        not count; None if nothing was ever answered. The deviation needs two folds.
    rejected : the share of the rows left out that are rejected; 0 of a learner that always answers.
    may_reject : whether it is one that may refuse.
    size : weights (those that are not 0), splits or rows.
    margin : (achieved, bound) of the encoded rows, of several weight vectors that with the smallest; None
        where nothing is known: (None, bound) if the rows are not separated. None for models without margin.
    converged, n_updates, fit_seconds : of the fit to all rows, compiled code warm.
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
) -> list[Result]:
    """Cross-validate learners on a frame or array X and its labels y, all on the same folds.

    There are fewer folds if a class has fewer rows. Without names in `learners`, all are tried that are quick
    enough for so many rows and that tell so many classes apart. A learner that fails gets a note.
    `progress(done, total, what)` is called before each fit. `costs` are what learners that may reject are
    trained for, and what the risk of all is computed with; None is `Costs()`: a refusal costs 0.2, an error
    1. Of the epochs, "conservative" and "chow" make 100 at most.
    """
    X, y, tell = X if hasattr(X, "shape") else np.array(X, object), np.asarray(y), progress or _silent
    splitter = StratifiedKFold(_possible_folds(y, folds), shuffle=True, random_state=seed)
    jobs = [*splitter.split(np.zeros(len(y)), y), (np.arange(len(y)),)]  # last: all rows, nothing to test
    classes, codes = np.unique(y, return_inverse=True)
    costs = read_costs(costs, 0.2)
    prices = costs.of(classes)
    names = list(dict.fromkeys(learners or default_learners(len(y), len(classes))))
    build = {name: _builder(name, len(y), seed, max_epochs, costs) for name in names}
    trials: dict[str, list[_Trial]] = {name: [] for name in names}
    for k, parts in enumerate(jobs):  # rows to learn from, and to test on
        tables, labels = [_take(X, rows) for rows in parts], [y[rows] for rows in parts]
        judge = _judge(prices, codes[parts[-1]], labels[-1]) if len(parts) > 1 else _no_test
        encoded: dict[type, list[Any]] = {}
        what = f"fold {k + 1} of {len(jobs) - 1}" if len(parts) > 1 else "all rows"
        for j, name in enumerate(names):
            tell(k * len(names) + j, len(jobs) * len(names), f"{what}, {name}")
            if not _failed(trials[name]):
                one = build[name]()
                trials[name].append(_try(one, _laid_out(tables, one, encoded), labels[0], judge))
    tell(len(jobs) * len(names), len(jobs) * len(names), "done")
    return [_result(name, tried) for name, tried in trials.items()]


def default_learners(n_rows: int, n_classes: int = 2) -> list[str]:
    """Those that are quick enough for so many rows, and tell so many classes apart."""
    quick = [name for name in LEARNERS if name not in SLOW or n_rows <= MANY_ROWS]
    return [name for name in quick if tells_apart(name, n_classes)]


def tells_apart(name: str, n_classes: int) -> bool:
    """Whether the learner of this name is meant for so many classes."""
    return n_classes <= 2 or bool(get_tags(build_learner(name)).classifier_tags.multi_class)


def _builder(name: str, n_rows: int, seed: int, max_epochs: int, costs: Costs) -> Callable[[], Any]:
    most = FEW_EPOCHS if name == "kernel" and n_rows > MANY_ROWS else EPOCHS.get(name, max_epochs)
    build_learner(name)  # a name that is none is refused before anything is fitted
    return lambda: _without_label(
        build_learner(name, seed=seed, max_epochs=min(max_epochs, most), costs=costs)
    )


def _without_label(learner: Any) -> Any:
    """Refusals are asked for here, not read from predictions; so a class may be called "reject", too."""
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


class _Test(NamedTuple):
    """How the rows left out fared."""

    accuracy: float | None  # of the rows answered; None if there are none
    risk: float
    rejected: float


class _Trial(NamedTuple):
    model: Any  # None if it failed
    seconds: float
    test: _Test | None  # None if it failed, or no rows are left out
    notes: list[str]


def _failed(trials: list[_Trial]) -> bool:
    return bool(trials) and trials[-1].model is None


def _try(learner: Any, tables: list[Any], y: Any, judge: Callable[[Any, Any], _Test | None]) -> _Trial:
    start = time.perf_counter()
    try:
        _, notes = quietly(learner.fit, tables[0], y)
        seconds = time.perf_counter() - start
        test = judge(learner, tables[-1])
    except (ValueError, MemoryError) as error:
        reason = " ".join(str(error).split()) or "not enough memory"
        return _Trial(None, 0.0, None, [f"failed: {reason}"])
    return _Trial(learner, seconds, test, [_short(note) for note in notes])


def _no_test(model: Any, X: Any) -> None:
    """No rows are left out."""


def _judge(prices: Prices, codes: Any, y: Any) -> Callable[[Any, Any], _Test]:
    """How a model does on rows, of which classes and their places are known."""

    def judge(model: Any, X: Any) -> _Test:
        answers, rejected = answers_of(model, X)
        right = answers == y
        risk = float(prices.of_rows(codes, right, rejected).mean())
        return _Test(accuracy_of(right, rejected), risk, float(rejected.mean()))

    return judge


def answers_of(model: Any, X: Any) -> tuple[Any, Any]:
    """The class of each row, be it rejected or not, and which rows are."""
    if may_reject(model):
        return model.predict_liberal(X), model.rejects(X)
    answers = model.predict(X)
    return answers, np.zeros(len(answers), bool)


def accuracy_of(right: Any, rejected: Any) -> float | None:
    """The share of right answers among those given; None if none is."""
    return None if rejected.all() else float(np.mean(right[~rejected]))


def may_reject(model: Any) -> bool:
    return isinstance(model, Rejecting)


def _result(name: str, trials: list[_Trial]) -> Result:
    if _failed(trials):
        return Result(name, notes=tuple(trials[-1].notes))
    final, tests = trials[-1], [trial.test for trial in trials if trial.test is not None]
    accuracies, risks = [test.accuracy for test in tests], [test.risk for test in tests]
    answered = [accuracy for accuracy in accuracies if accuracy is not None]
    updates = getattr(final.model, "n_updates_", None)
    return Result(
        learner=name,
        accuracy=float(np.mean(answered)) if answered else None,
        accuracy_sd=float(np.std(answered, ddof=1)) if len(answered) > 1 else None,
        fold_accuracies=tuple(accuracies),
        risk=float(np.mean(risks)),
        risk_sd=float(np.std(risks, ddof=1)),
        fold_risks=tuple(risks),
        rejected=float(np.mean([test.rejected for test in tests])),
        may_reject=may_reject(final.model),
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
    """A warning in a few words: that all is rejected, the cap that was reached, or how it begins."""
    if "every row is rejected" in warning:
        return "rejects every row"
    cap = re.search(r"\b(max_\w+)", warning)
    return f"{cap.group(1)} reached" if cap else re.split(r": |\. |\n", warning)[0][:80]


def size_of(model: Any) -> Size | None:
    """Weights that are not 0, splits of a tree, or rows of a kernel model; of what is calibrated, if so."""
    if isinstance(model, ChowClassifier):
        return size_of(model.estimator_)
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


def build_learner(
    name: str, *, seed: int = 0, max_epochs: int | None = None, costs: Costs | None = None
) -> Any:
    """An estimator to be fitted, by its name in `LEARNERS` or its historical name in `NAMED`.

    Costs are for those that may reject; the others know of none.
    """
    given = {} if max_epochs is None else {"max_epochs": max_epochs}
    if name in LEARNERS:
        learner = LEARNERS[name](seed, max_epochs or EPOCHS.get(name, USUAL_EPOCHS))
        return learner.set_params(costs=costs) if costs and may_reject(learner) else learner
    if name in NAMED:
        return Perceptron(**{"random_state": seed, **NAMED[name], **given})
    names = list(dict.fromkeys([*LEARNERS, *NAMED]))
    close = get_close_matches(name, names, n=1)
    meant = f"did you mean {close[0]!r}? T" if close else "t"
    raise ValueError(f"There is no learner {name!r}; {meant}here are {', '.join(names)}.")


def reads_tables(learner: Any) -> bool:
    """Whether it takes a table as it is: names, holes and all."""
    return bool(get_tags(learner).input_tags.categorical)


def encoder_for(learner: Any) -> Any:
    """What turns tables into rows for it: literals, which are bits, or coordinates."""
    return LiteralEncoder() if isinstance(learner, BinaryPerceptron) else TableEncoder()


def for_tables(learner: Any) -> Any:
    """An estimator that takes tables: the learner, behind an encoder where it needs one."""
    return learner if reads_tables(learner) else make_pipeline(encoder_for(learner), learner)
