"""Learners by name: what the commands and `compare` know, and how each one takes a table."""

from collections.abc import Callable
from difflib import get_close_matches
from typing import Any

from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags

from .binary.binary_perceptron import BinaryPerceptron
from .conservative.chow_classifier import ChowClassifier
from .conservative.conservative_perceptron import ConservativePerceptron
from .learner_names import ON_REQUEST
from .margin.kernel_perceptron import KernelPerceptron
from .margin.maximum.max_margin_perceptron import MaxMarginPerceptron
from .margin.named import NAMED
from .margin.perceptron import Perceptron
from .rejection.costs import Costs
from .rejection.rejecting import Rejecting
from .selective.selective_classifier import SelectiveClassifier
from .sparse.sparse_perceptron import SparsePerceptron
from .tables.literal_encoder import LiteralEncoder
from .tables.table_encoder import TableEncoder

Build = Callable[[int, int], Any]


def _perceptron(**parameters: Any) -> Build:
    return lambda seed, max_epochs: Perceptron(
        **{"random_state": seed, "max_epochs": max_epochs, **parameters}
    )


MOST_POINTS = 5  # of a rule: larger numbers nobody adds up by hand
LEARNERS: dict[str, Build] = {  # name → (seed, max_epochs) → an estimator to be fitted
    "perceptron": _perceptron(),
    "growing margin": _perceptron(margin="growing", result="pocket"),
    "averaged": _perceptron(result="average"),
    "max margin": lambda seed, max_epochs: MaxMarginPerceptron(max_iter=max_epochs),
    "soft margin": lambda seed, max_epochs: MaxMarginPerceptron(C=1.0, max_iter=max_epochs),
    "sparse": lambda seed, max_epochs: SparsePerceptron(random_state=seed),
    "scorecard": lambda seed, max_epochs: SparsePerceptron(max_points=MOST_POINTS, random_state=seed),
    "kernel": lambda seed, max_epochs: KernelPerceptron(random_state=seed, max_epochs=max_epochs),
    "conservative": lambda seed, max_epochs: ConservativePerceptron(random_state=seed, max_epochs=max_epochs),
    "chow": lambda seed, max_epochs: ChowClassifier(
        Perceptron(result="average", random_state=seed, max_epochs=max_epochs)
    ),
    "selective": lambda seed, max_epochs: SelectiveClassifier(
        Perceptron(result="average", random_state=seed, max_epochs=max_epochs), random_state=seed
    ),
    "binary": lambda seed, max_epochs: BinaryPerceptron(random_state=seed),
    "binary sbpi": lambda seed, max_epochs: BinaryPerceptron(
        method="sbpi", max_epochs=max_epochs, random_state=seed
    ),
    "logistic regression": lambda seed, max_epochs: LogisticRegression(max_iter=10_000),
    "shallow tree": lambda seed, max_epochs: DecisionTreeClassifier(max_depth=3, random_state=seed),
}
# at most: many runs at once, six fits, and epochs that seldom end by themselves
EPOCHS, USUAL_EPOCHS = {"conservative": 100, "chow": 100, "selective": 100, "binary sbpi": 100}, 1000
# on many rows only if asked for: its time grows with their square
SLOW = ("kernel",)
MANY_ROWS, FEW_EPOCHS = 10_000, 100  # of a kernel learner, whose epochs take the square of the rows


def default_learners(n_rows: int, n_classes: int = 2) -> list[str]:
    """One learner per family, if it supports this number of classes and is quick enough for these rows."""
    usual = [name for name in LEARNERS if name not in ON_REQUEST]
    quick = [name for name in usual if name not in SLOW or n_rows <= MANY_ROWS]
    return [name for name in quick if supports_classes(name, n_classes)]


def complete_name(name: str) -> str:
    """The learner of this name, or the only one whose name, or one of its words, begins so; an unknown name
    stays as it is."""
    names = list(dict.fromkeys([*LEARNERS, *NAMED]))
    for begins in (str.startswith, _word_begins):
        begun = [one for one in names if begins(one, name.lower())] if name else []
        if name not in names and len(begun) == 1:
            return begun[0]
    return name


def _word_begins(name: str, begun: str) -> bool:
    return any(word.startswith(begun) for word in name.split())


def supports_classes(name: str, n_classes: int) -> bool:
    """Whether the learner of this name supports this number of classes."""
    return n_classes <= 2 or bool(get_tags(build_learner(name)).classifier_tags.multi_class)


def may_reject(model: Any) -> bool:
    """A network does with costs alone."""
    return isinstance(model, Rejecting) and hasattr(model, "predict_liberal")


def takes_costs(model: Any) -> bool:
    """Whether it rejects where an answer would cost more; one that promises few errors has no costs."""
    return may_reject(model) and "costs" in model.get_params(deep=False)


def build_learner(
    name: str,
    *,
    seed: int = 0,
    max_epochs: int | None = None,
    costs: Costs | None = None,
    class_weight: Any = None,
    n_jobs: int | None = None,
) -> Any:
    """An estimator to be fitted, by its name in `LEARNERS` or its historical name in `NAMED`.

    Costs are for learners that can reject, and `n_jobs` for those that use threads; the others have no such
    parameter.
    """
    learner = _build(name, seed, max_epochs)
    inner = "estimator__" if isinstance(learner, SelectiveClassifier) else ""  # it takes no weights itself
    given: dict[str, Any] = {} if class_weight is None else {f"{inner}class_weight": class_weight}
    if costs and takes_costs(learner):
        given["costs"] = costs
    if n_jobs is not None and _uses_threads(learner):
        given["n_jobs"] = n_jobs
    return learner.set_params(**given)


def _build(name: str, seed: int, max_epochs: int | None) -> Any:
    given = {} if max_epochs is None else {"max_epochs": max_epochs}
    if name in LEARNERS:
        return LEARNERS[name](seed, max_epochs or EPOCHS.get(name, USUAL_EPOCHS))
    if name in NAMED:
        return Perceptron(**{"random_state": seed, **NAMED[name], **given})
    names = list(dict.fromkeys([*LEARNERS, *NAMED]))
    close = get_close_matches(name, names, n=1)
    meant = f"did you mean {close[0]!r}? T" if close else "t"
    raise ValueError(f"There is no learner {name!r}; {meant}here are {', '.join(names)}.")


def _uses_threads(learner: Any) -> bool:
    """scikit-learn's logistic regression has the parameter, but warns of its use."""
    return "n_jobs" in learner.get_params(deep=False) and not isinstance(learner, LogisticRegression)


def reads_tables(learner: Any) -> bool:
    """Whether the learner takes a table as it is, with categorical columns and missing values."""
    return bool(get_tags(learner).input_tags.categorical)


def encoder_for(learner: Any, keep: Any = None) -> Any:
    """What turns tables into rows for it: literals, which are bits, or coordinates."""
    return LiteralEncoder(keep=keep) if isinstance(learner, BinaryPerceptron) else TableEncoder(keep=keep)


def for_tables(learner: Any, keep: Any = None) -> Any:
    """An estimator that takes tables: the learner, behind an encoder where it needs one. `keep` as in
    `TableEncoder`: columns that are not left out."""
    if not reads_tables(learner):
        return make_pipeline(encoder_for(learner, keep), learner)
    return learner if keep is None else learner.set_params(keep=keep)


def weights_for(model: Any, sample_weight: Any) -> dict[str, Any]:
    """The arguments of `fit` that bring weights of rows to an estimator, in a pipeline to all its steps."""
    if sample_weight is None:
        return {}
    if not isinstance(model, Pipeline):
        return {"sample_weight": sample_weight}
    return {f"{step}__sample_weight": sample_weight for step in model.named_steps}
