"""Default models on everyday tables, beside scikit-learn's: accuracy, AUC and time of a fit.

Tables are real, and each is tried as it comes, sorted by class, permuted, and with one training row many
times as long as it was. Nothing is set by hand but seeds; scikit-learn's averaged perceptron is its
`SGDClassifier` with the perceptron's loss and steps, averaged.
"""

import statistics
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.linear_model import Perceptron as SklearnPerceptron
from sklearn.metrics import roc_auc_score
from sklearn.svm import LinearSVC

from perceptrons import MaxMarginPerceptron, Perceptron

from .everyday_sets import many_rows, small_margins
from .everyday_tables import VARIANTS, Fold, folds, load, names
from .layout import Column, Section

OURS, PEER, AVERAGED = "Perceptron()", "sk Perceptron", "sk averaged"
MODELS: dict[str, Callable[[int], Any]] = {
    OURS: lambda seed: Perceptron(random_state=seed),
    "MaxMarginPerceptron(C=1)": lambda seed: MaxMarginPerceptron(C=1.0),
    PEER: lambda seed: SklearnPerceptron(random_state=seed),
    AVERAGED: lambda seed: SGDClassifier(
        loss="perceptron", learning_rate="constant", eta0=1.0, penalty=None, average=True, random_state=seed
    ),
    "sk averaged SGD": lambda seed: SGDClassifier(average=True, random_state=seed),
    "LinearSVC": lambda seed: LinearSVC(random_state=seed),
    "LogisticRegression": lambda seed: LogisticRegression(max_iter=1000),
}
NOTES = [
    "Mean over the folds of a table, then over tables. AUC: of two classes, or of each class against the "
    "rest. Fit: the median over folds, one thread. Rows are encoded by `TableEncoder`, fitted to the "
    "training rows, except for tables that are not scaled.",
    "Many rows: a9a and MNIST have test sets of their own, of the others as many new rows are drawn. Median "
    "of three fits.",
]


def run(quick: bool) -> dict[str, Any]:
    n_folds, seeds = (2, 1) if quick else (5, 1)
    scores = {variant: measure(variant, names(quick), n_folds, seeds) for variant in VARIANTS}
    sections = [by_table(scores["as it comes"]), by_variant(scores), many_rows(quick), small_margins(quick)]
    return {"sizes": {"folds": n_folds, "seeds": seeds}, "notes": NOTES, "sections": sections}


def measure(variant: str, tables: list[str], n_folds: int, seeds: int) -> dict[str, Any]:
    """model → table → accuracies, AUCs and seconds, one each per fold."""
    found: dict[str, Any] = {model: {} for model in MODELS}
    for table in tables:
        for seed in range(seeds):
            for number, fold in enumerate(folds(table, n_folds, seed)):
                fold = VARIANTS[variant](fold, 1000 * seed + number)
                for model in MODELS if number % 2 else reversed(MODELS):
                    values = found[model].setdefault(table, {"accuracy": [], "auc": [], "seconds": []})
                    for key, value in zip(values, try_out(MODELS[model](seed), fold), strict=True):
                        values[key].append(value)
    return found


def try_out(model: Any, fold: Fold) -> tuple[float, float, float]:
    start = perf_counter()
    model.fit(fold.X, fold.y)
    seconds = round(perf_counter() - start, 9)
    scores = model.decision_function(fold.X_test)
    accuracy = float((model.predict(fold.X_test) == fold.y_test).mean())
    return accuracy, auc(fold.y_test, scores), seconds


def auc(y: np.ndarray, scores: np.ndarray) -> float:
    if scores.ndim == 1:
        return float(roc_auc_score(y, scores))
    classes = np.unique(y)
    return statistics.mean(float(roc_auc_score(y == c, scores[:, k])) for k, c in enumerate(classes))


def majority(table: str) -> float:
    """The share of the largest class."""
    return float(np.unique(load(table)[1], return_counts=True)[1].max() / len(load(table)[1]))


def mean_of(values: dict[str, Any], key: str) -> float:
    return statistics.mean(statistics.mean(one[key]) for one in values.values())


def by_table(found: dict[str, Any]) -> Section:
    """Accuracy of every model on every table as it comes, and how long a fit takes beside scikit-learn's."""
    columns = [
        Column("name", "table", "text"),
        Column("majority", "majority", "percent"),
        *(Column(model, model, "percent") for model in MODELS),
        Column("fit", "our fit", "time"),
        Column("ratio", "of sk's", "ratio"),
    ]
    section = Section("Accuracy of default models on tables as they come", columns, [], raw=found)
    for table in found[OURS]:
        row: dict[str, Any] = {"majority": majority(table)}
        row |= {model: statistics.mean(found[model][table]["accuracy"]) for model in MODELS}
        fit, peer = (statistics.median(found[model][table]["seconds"]) for model in (OURS, PEER))
        section.rows.append({"id": table, "name": table, **row, "fit": fit, "ratio": fit / peer})
    means = {model: mean_of(found[model], "accuracy") for model in MODELS}
    ratio = statistics.median(row["ratio"] for row in section.rows)
    fit = statistics.median(row["fit"] for row in section.rows)
    section.rows.append({"id": "mean", "name": "mean (fit: median)", **means, "fit": fit, "ratio": ratio})
    return section


def by_variant(scores: dict[str, Any]) -> Section:
    """Mean accuracy of every model on every variant; AUC of tables as they come."""
    columns = [Column("name", "model", "text"), Column("auc", "AUC", "percent")]
    columns += [Column(variant, variant, "percent") for variant in VARIANTS]
    raw = {variant: found for variant, found in scores.items() if variant != "as it comes"}
    section = Section("Mean accuracy, whatever happened to the training rows", columns, [], raw=raw)
    for model in MODELS:
        means = {variant: mean_of(found[model], "accuracy") for variant, found in scores.items()}
        area = mean_of(scores["as it comes"][model], "auc")
        section.rows.append({"id": model, "name": model, "auc": area, **means})
    return section
