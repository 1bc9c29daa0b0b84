"""Every family's default beside its peer on everyday tables: accuracy or risk, and time.

Nothing is set by hand but seeds. Both sides of a comparison see the same encoded rows, and take turns.
Learners of two classes see a table of more classes as its largest class against the rest.
"""

import statistics
from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import BernoulliNB
from sklearn.neural_network import MLPClassifier
from sklearn.svm import SVC

from perceptrons import (
    BinaryPerceptron,
    ChowClassifier,
    ConservativePerceptron,
    KernelPerceptron,
    LiteralEncoder,
    Perceptron,
)

from .everyday_tables import FROM_FOLDER, FROM_SKLEARN, NOT_SCALED, Fold, folds, load
from .layout import Column, Section

REJECT_COST = 0.2
Make = Callable[[int], Any]


class Comparison(NamedTuple):
    """A default of ours, what people use today, and how both are judged."""

    title: str
    models: dict[str, Make]  # the first is ours, the second its peer
    judge: Callable[[Any, Fold], float]
    literals: bool = False
    two_classes: bool = False


class Measured(NamedTuple):
    """One fit on one fold."""

    score: float
    fit: float
    predict: float
    size: float | None


def accuracy(model: Any, fold: Fold) -> float:
    return float((model.predict(fold.X_test) == fold.y_test).mean())


def risk(model: Any, fold: Fold) -> float:
    """What an answer costs on average: 1 if wrong, 0.2 if rejected."""
    answers = model.predict(fold.X_test)
    rejected = model.rejects(fold.X_test) if hasattr(model, "rejects") else np.zeros(len(answers), bool)
    return float(np.where(rejected, REJECT_COST, answers != fold.y_test).mean())


def _network(seed: int) -> Any:
    from perceptrons.neural import MarginMLPClassifier

    return MarginMLPClassifier(random_state=seed)


class Liberal:
    """The answers of a model that would rather reject."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def fit(self, X: Any, y: Any) -> "Liberal":
        self.model.fit(X, y)
        return self

    def predict(self, X: Any) -> Any:
        return self.model.predict_liberal(X)


COMPARISONS = {
    "kernels": Comparison(
        "Kernels: accuracy",
        {"KernelPerceptron()": lambda seed: KernelPerceptron(random_state=seed), "SVC": lambda seed: SVC()},
        accuracy,
    ),
    "networks": Comparison(
        "Networks: accuracy",
        {"MarginMLPClassifier()": _network, "MLPClassifier": lambda seed: MLPClassifier(random_state=seed)},
        accuracy,
    ),
    "binary": Comparison(
        "Binary weights on literals: accuracy",
        {
            "BinaryPerceptron()": lambda seed: BinaryPerceptron(random_state=seed),
            "BernoulliNB": lambda seed: BernoulliNB(),
            "BinaryPerceptron(method='sbpi')": lambda seed: BinaryPerceptron(
                method="sbpi", random_state=seed
            ),
            "Perceptron(result='average')": lambda seed: Perceptron(result="average", random_state=seed),
        },
        accuracy,
        literals=True,
        two_classes=True,
    ),
    "rejecting": Comparison(
        "Rejecting at a cost of 0.2: risk, lower is better",
        {
            "ConservativePerceptron()": lambda seed: ConservativePerceptron(random_state=seed),
            "Chow, logistic": lambda seed: ChowClassifier(LogisticRegression(max_iter=1000)),
            "Chow, averaged": lambda seed: ChowClassifier(Perceptron(result="average", random_state=seed)),
            "conservative, liberal": lambda seed: Liberal(ConservativePerceptron(random_state=seed)),
            "logistic, answers all": lambda seed: LogisticRegression(max_iter=1000),
        },
        risk,
        two_classes=True,
    ),
}
NOTES = [
    "Mean over five folds of a table; the last row is the mean over tables, for times the median. A ratio of "
    "time is ours over that of the second model. One thread; all models of a comparison take turns on the "
    "same rows. Size: support vectors, or weights that are not 0, of the first model.",
]


def run(quick: bool) -> dict[str, Any]:
    n_folds = 2 if quick else 5
    sections = [_section(name, tables(quick), n_folds) for name in COMPARISONS]
    return {"sizes": {"folds": n_folds}, "notes": NOTES, "sections": sections}


def tables(quick: bool) -> list[str]:
    every = [*FROM_SKLEARN, "wine" + NOT_SCALED, "breast cancer" + NOT_SCALED, *FROM_FOLDER]
    return ["breast cancer"] if quick else every


def _rows(comparison: Comparison, table: str, n_folds: int) -> Iterator[Fold]:
    parts = _literals(table, n_folds) if comparison.literals else folds(table, n_folds, 0)
    for fold in parts:
        yield _two_classes(fold) if comparison.two_classes else fold


def _literals(table: str, n_folds: int) -> Iterator[Fold]:
    X, y = load(table)
    for train, test in StratifiedKFold(n_folds, shuffle=True, random_state=0).split(np.zeros(len(y)), y):
        encoder = LiteralEncoder().fit(X[train])
        yield Fold(encoder.transform(X[train]), y[train], encoder.transform(X[test]), y[test])


def _two_classes(fold: Fold) -> Fold:
    classes, counts = np.unique(fold.y, return_counts=True)
    if len(classes) == 2:
        return fold
    largest = classes[counts.argmax()]
    return fold._replace(y=(fold.y == largest).astype(int), y_test=(fold.y_test == largest).astype(int))


def _try_out(make: Make, comparison: Comparison, fold: Fold) -> Measured:
    model, start = make(0), perf_counter()
    model.fit(fold.X, fold.y)
    fitted = perf_counter()
    model.predict(fold.X_test)
    ended = perf_counter()
    return Measured(comparison.judge(model, fold), fitted - start, ended - fitted, _size(model))


def _size(model: Any) -> float | None:
    if hasattr(model, "support_"):
        return float(len(model.support_))
    if isinstance(model, BinaryPerceptron):
        return float(np.count_nonzero(model.coef_))
    return None


def _section(family: str, names: list[str], n_folds: int) -> Section:
    comparison = COMPARISONS[family]
    ours, peer = [*comparison.models][:2]
    unit = "percent" if comparison.judge is accuracy else "exact"
    columns = [
        Column("name", "table", "text"),
        *(Column(model, model, unit) for model in comparison.models),
        Column("fit", "our fit", "time"),
        Column("ratio", "of the second's", "ratio"),
        Column("predict_ratio", "predict, of the second's", "ratio"),
        Column("size", "size", "mean"),
    ]
    section = Section(comparison.title, columns, [])
    for make in comparison.models.values():  # compiled before anything is timed
        _try_out(make, comparison, next(_rows(comparison, names[0], n_folds)))
    for table in names:
        found: dict[str, list[Measured]] = {model: [] for model in comparison.models}
        for number, fold in enumerate(_rows(comparison, table, n_folds)):
            for model in found if number % 2 else reversed(found):
                found[model].append(_try_out(comparison.models[model], comparison, fold))
        section.rows.append({"id": f"{family} {table}", "name": table, **_summary(found, ours, peer)})
        section.raw[table] = {model: [one._asdict() for one in ones] for model, ones in found.items()}
    section.rows.append({"id": f"{family} mean", "name": "mean (times: median)", **_overall(section)})
    return section


def _summary(found: dict[str, list[Measured]], ours: str, peer: str) -> dict[str, Any]:
    def middle(model: str, what: str) -> float:
        return statistics.median(getattr(one, what) for one in found[model])

    sizes = [one.size for one in found[ours] if one.size is not None]
    return {
        **{model: statistics.mean(one.score for one in ones) for model, ones in found.items()},
        "fit": middle(ours, "fit"),
        "ratio": middle(ours, "fit") / middle(peer, "fit"),
        "predict_ratio": middle(ours, "predict") / middle(peer, "predict"),
        "size": statistics.mean(sizes) if sizes else None,
    }


def _overall(section: Section) -> dict[str, Any]:
    times = ("fit", "ratio", "predict_ratio")
    keys = [column.key for column in section.columns if column.key not in ("name", *times)]
    values = {key: [row[key] for row in section.rows if row[key] is not None] for key in keys}
    means = {key: statistics.mean(found) if found else None for key, found in values.items()}
    return means | {key: statistics.median(row[key] for row in section.rows) for key in times}
