"""A rare class (3 %): how much of it is found, with and without balanced weights, beside scikit-learn's.

Sets are drawn with overlapping classes, or are real tables from which rows of a class are left out until it
is rare; both halves, training and test, have the same share of it. Nothing is set by hand but seeds and
weights of classes.
"""

import statistics
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.linear_model import Perceptron as SklearnPerceptron
from sklearn.metrics import balanced_accuracy_score, precision_score, recall_score
from sklearn.model_selection import train_test_split

from perceptrons import Perceptron, TableEncoder

from .everyday_sets import census
from .everyday_tables import Fold, load
from .layout import Column, Section

SHARE, N_DRAWN, N_SPLITS = 0.03, 20_000, 10
BALANCED: dict[str, Any] = {"class_weight": "balanced"}
MODELS: dict[str, Callable[[int], Any]] = {
    "Perceptron()": lambda seed: Perceptron(random_state=seed),
    "Perceptron, balanced": lambda seed: Perceptron(random_state=seed, **BALANCED),
    "sk Perceptron": lambda seed: SklearnPerceptron(random_state=seed),
    "sk Perceptron, balanced": lambda seed: SklearnPerceptron(random_state=seed, **BALANCED),
    "LogisticRegression, balanced": lambda seed: LogisticRegression(max_iter=1000, **BALANCED),
}
TABLES = {"breast cancer": 0, "digits": 8, "pima": "positive", "wisconsin": "malignant"}  # and what is rare
MEASURES = [
    Column("recall", "recall", "percent"),
    Column("precision", "precision", "percent"),
    Column("balanced", "balanced accuracy", "percent"),
]
NOTES = [
    "Recall: the share of the rare rows that are found. Precision: the share of the rows answered as rare "
    "that are rare; 0 where there are none. Balanced accuracy: the mean of the recalls of the two classes; "
    "a constant answer has 50 %.",
    f"Drawn: scikit-learn's `make_classification`, {N_DRAWN:,} rows, 20 columns, class_sep=0.5, each with "
    "its own seed. Real: one class is thinned out to 3 % of the rows (malignant cells, the digit 8 against "
    "the others, positive women, malignant samples, high incomes). Models learn from one half of the rows, "
    f"and the other half is new; breast cancer, digits, pima and wisconsin have {N_SPLITS} random halves "
    "each, a9a has test rows of its own. Rows are encoded by `TableEncoder`, except for a9a.",
]


def run(quick: bool) -> dict[str, Any]:
    found = measure(quick)
    n_sets = len(found["Perceptron()"])
    sizes = {"sets": n_sets, "share": SHARE}
    return {"sizes": sizes, "notes": NOTES, "sections": [by_model(found, n_sets), by_set(found)]}


def measure(quick: bool) -> dict[str, Any]:
    """model → set → recalls, precisions and balanced accuracies, one each per split."""
    found: dict[str, Any] = {model: {} for model in MODELS}
    for name, seed, fold in folds(quick):
        for model, make in MODELS.items():
            answers = make(seed).fit(fold.X, fold.y).predict(fold.X_test)
            values = found[model].setdefault(name, {column.key: [] for column in MEASURES})
            values["recall"].append(float(recall_score(fold.y_test, answers)))
            values["precision"].append(float(precision_score(fold.y_test, answers, zero_division=0.0)))
            values["balanced"].append(float(balanced_accuracy_score(fold.y_test, answers)))
    return found


def folds(quick: bool) -> Iterator[tuple[str, int, Fold]]:
    """The name of a set, a seed, and encoded rows to learn from and to test on; True is the rare class."""
    for seed in range(2 if quick else 6):
        yield f"drawn, {seed + 1}", seed, halves(*drawn(seed, quick), seed)
    for name in ["breast cancer"] if quick else TABLES:
        X, y = load(name)
        for seed in range(2 if quick else N_SPLITS):
            rows = thinned(y == TABLES[name], seed)
            yield name, seed, halves(X[rows], y[rows] == TABLES[name], seed)
    if not quick:
        yield "a9a", 0, incomes()


def drawn(seed: int, quick: bool) -> tuple[np.ndarray, np.ndarray]:
    """Two clouds that overlap, of which the second is small."""
    X, y = make_classification(
        N_DRAWN // 10 if quick else N_DRAWN,
        n_informative=8,
        n_redundant=4,
        n_clusters_per_class=1,
        weights=[1 - SHARE],
        flip_y=0.0,
        class_sep=0.5,
        random_state=seed,
    )
    return X, y == 1


def thinned(is_rare: np.ndarray, seed: int) -> np.ndarray:
    """The numbers of the rows that stay, so that the class is rare."""
    rare, others = np.flatnonzero(is_rare), np.flatnonzero(~is_rare)
    n_kept = round(SHARE / (1 - SHARE) * len(others))
    return np.sort(np.append(np.random.default_rng(seed).choice(rare, n_kept, replace=False), others))


def halves(X: Any, y: np.ndarray, seed: int) -> Fold:
    train, test = train_test_split(np.arange(len(y)), test_size=0.5, stratify=y, random_state=seed)
    encoder = TableEncoder().fit(X[train])
    return Fold(encoder.transform(X[train]), y[train], encoder.transform(X[test]), y[test])


def incomes() -> Fold:
    fold = census()
    train, test = thinned(fold.y > 0, 0), thinned(fold.y_test > 0, 1)
    return Fold(fold.X[train], fold.y[train] > 0, fold.X_test[test], fold.y_test[test] > 0)


def by_model(found: dict[str, Any], n_sets: int) -> Section:
    section = Section(
        f"A rare class (3 %): new rows, means over {n_sets} sets",
        [Column("name", "model", "text"), *MEASURES],
        [],
    )
    for model, sets in found.items():
        means = {key: mean_of(sets, key) for key in ("recall", "precision", "balanced")}
        section.rows.append({"id": model, "name": model, **means})
    section.raw.update(found)
    return section


def mean_of(sets: dict[str, Any], key: str) -> float:
    return statistics.mean(statistics.mean(values[key]) for values in sets.values())


def by_set(found: dict[str, Any]) -> Section:
    """Balanced accuracy of every model on every set."""
    columns = [Column("name", "set", "text"), *(Column(model, model, "percent") for model in MODELS)]
    section = Section("Balanced accuracy, set by set", columns, [])
    for name in found["Perceptron()"]:
        row = {model: statistics.mean(sets[name]["balanced"]) for model, sets in found.items()}
        section.rows.append({"id": name, "name": name, **row})
        section.raw[name] = row
    return section
