"""How often the models, as they come, end without training errors on separable rows; and what they say."""

import statistics
import warnings
from collections.abc import Callable, Iterable
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.linear_model import Perceptron as SklearnPerceptron

from perceptrons import Perceptron
from perceptrons.synthetic import separable

from .layout import Column, Section

ROWS, N_COLUMNS, MARGINS, UNSCALED = 200, 10, (0.01, 0.001, 0.0001), 0.01
MODELS: dict[str, Callable[[int], Any]] = {
    "perceptrons": lambda seed: Perceptron(random_state=seed),  # all else as it comes
    "sklearn": lambda seed: SklearnPerceptron(random_state=seed),
}
COLUMNS = [
    Column("name", "rows and model", "text"),
    Column("no_errors", "no training errors", "percent"),
    Column("converged", "says converged", "percent"),
    Column("warned", "warned", "percent"),
    Column("silent", "errors, no warning", "percent"),
    Column("updates", "updates", "count"),
    Column("epochs", "epochs", "count"),
    Column("seconds", "fit", "time"),
]


NOTES = [
    "Rows of norm 1; the margin is the best one of a hyperplane through the origin. "
    "Unscaled: margin 0.01, then each column times 10^uniform(−3, 3).",
    "Seeds are the number of the set. scikit-learn counts no updates and does not say whether it converged.",
]
Rows = tuple[np.ndarray, np.ndarray]


def run(quick: bool) -> dict[str, Any]:
    n_sets = 5 if quick else 200
    title = f"Default models on {n_sets} separable sets each, {ROWS}×{N_COLUMNS}; shares, and medians"
    table = Section(title, COLUMNS, [])
    for margin in MARGINS:
        _add_rows(table, f"margin {margin:g}", [_rows(margin, seed) for seed in range(n_sets)])
    _add_rows(table, "unscaled columns", [_unscaled(seed) for seed in range(n_sets)])
    return {
        "sizes": {"rows": ROWS, "columns": N_COLUMNS, "sets": n_sets},
        "notes": NOTES,
        "sections": [table],
    }


def _rows(margin: float, seed: int) -> Rows:
    return separable(ROWS, N_COLUMNS, margin=margin, random_state=seed)[:2]


def _unscaled(seed: int) -> Rows:
    X, y = _rows(UNSCALED, seed)
    return X * 10 ** np.random.default_rng([seed, 1]).uniform(-3, 3, N_COLUMNS), y


def _add_rows(table: Section, name: str, sets: list[Rows]) -> None:
    measured: dict[str, list[dict[str, Any]]] = {model: [] for model in MODELS}
    for model in MODELS:
        fit(model, *sets[0], seed=0)  # not counted: compiles
    for seed, (X, y) in enumerate(sets):
        for model in MODELS if seed % 2 else reversed(MODELS):
            measured[model].append(fit(model, X, y, seed))
    for model, fits in measured.items():
        table.raw[f"{name}, {model}"] = {key: [one[key] for one in fits] for key in fits[0]}
        table.rows.append({"id": f"{name} {model}", "name": f"{name}, {model}"} | _summary(fits))


def fit(model: str, X: np.ndarray, y: np.ndarray, seed: int) -> dict[str, Any]:
    """One fit: what it left, what it said, what it took."""
    estimator = MODELS[model](seed)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        start = perf_counter()
        estimator.fit(X, y)
        seconds = round(perf_counter() - start, 9)
    return {
        "errors": int((estimator.predict(X) != y).sum()),
        "converged": getattr(estimator, "converged_", None),
        "warnings": len(said),
        "updates": getattr(estimator, "n_updates_", None),
        "epochs": int(estimator.n_iter_),
        "seconds": seconds,
    }


def _summary(fits: list[dict[str, Any]]) -> dict[str, Any]:
    counted = fits[0]["updates"] is not None
    return {
        "no_errors": _share(f["errors"] == 0 for f in fits),
        "converged": _share(f["converged"] for f in fits) if counted else None,
        "warned": _share(f["warnings"] > 0 for f in fits),
        "silent": _share(f["errors"] > 0 and f["warnings"] == 0 for f in fits),
        "updates": statistics.median(f["updates"] for f in fits) if counted else None,
        "epochs": statistics.median(f["epochs"] for f in fits),
        "seconds": statistics.median(f["seconds"] for f in fits),
    }


def _share(happened: Iterable[Any]) -> float:
    return statistics.mean(map(float, happened))
