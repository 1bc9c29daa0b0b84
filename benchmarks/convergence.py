"""From zero weights to a separating hyperplane, beside scikit-learn run for as many epochs.

scikit-learn's Perceptron cannot tell when it has converged, so it gets the number of epochs that ours,
visiting the rows in the same order, turned out to need. How long it takes depends on the rows drawn: each
line stands for several sets. Of the planted ones, that of seed 3 takes the cyclic order 123,240 epochs in
single precision, and scikit-learn more than two minutes; it is not among them.
"""

import statistics
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.linear_model import Perceptron as SklearnPerceptron
from threadpoolctl import threadpool_limits

from perceptrons import Perceptron
from perceptrons.synthetic import separable

from .labeled_rows import moved_rows
from .layout import Column, Section
from .timing import Times, interleave

SIZE, QUICK_SIZE = (10_000, 100, 0.001), (1_000, 20, 0.01)
ORDERS = ("cyclic", "active", "shuffle")
PEER = "sklearn Perceptron"
COLUMNS = [
    Column("name", "rows and order", "text"),
    Column("ours", "perceptrons", "time"),
    Column("peer", PEER, "time"),
    Column("ratio", "sklearn / ours", "ratio"),
    Column("lowest", "lowest", "ratio"),
    Column("highest", "highest", "ratio"),
    Column("updates", "updates", "count"),
    Column("epochs", "epochs", "count"),
    Column("peer_epochs", "sklearn's epochs", "count"),
    Column("same_weights", "sets with the same weights", "text"),
]
Draw = Callable[[int, int, float, int], tuple[np.ndarray, np.ndarray]]


def _planted(m: int, n: int, margin: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    return separable(m, n, margin=margin, random_state=seed)[:2]


KINDS: dict[str, tuple[str, Draw]] = {
    "random": ("margin ≥ {:g}", moved_rows),
    "planted": ("best margin {:g}, planted pair", _planted),
}


def section(quick: bool) -> Section:
    (m, n, margin), n_sets = (QUICK_SIZE, 2) if quick else (SIZE, 3)
    title = f"To convergence, no intercept: medians over {n_sets} sets of {m:,}×{n:,}, rows of norm 1"
    table = Section(title, COLUMNS, [])
    for kind, (label, draw) in KINDS.items():
        for dtype in ("float64", "float32"):
            print(f"to convergence, {label.format(margin)}, {dtype} ...", flush=True)
            _warm_up(draw, dtype)
            sets = [_race(*draw(m, n, margin, seed), dtype) for seed in range(n_sets)]
            table.raw[f"{kind} {dtype}"] = sets
            name = f"to convergence, {label.format(margin)}, {dtype}"
            table.rows += [_row(f"convergence {kind} {dtype} {o}", f"{name}, {o}", o, sets) for o in ORDERS]
    return table


def _warm_up(draw: Draw, dtype: str) -> None:
    """Compiled code is loaded before the first set is timed."""
    X, y = draw(*QUICK_SIZE, 0)
    for order in ORDERS:
        _ours(order).fit(X.astype(dtype), y)


def _race(X: np.ndarray, y: np.ndarray, dtype: str) -> dict[str, Any]:
    """All orders and scikit-learn on one set, once: a run makes millions of visits, and sets differ by more
    than runs do."""
    X = X.astype(dtype)
    models: dict[str, Any] = {order: _ours(order) for order in ORDERS}

    def timed(*names: str) -> dict[str, list[float]]:
        fits = {name: (lambda m=models[name]: m.fit(X, y)) for name in names}
        return interleave(fits, 1, warm_up=False).seconds

    with threadpool_limits(1):
        times = Times(timed(*ORDERS))
        epochs = models["cyclic"].n_iter_
        models[PEER] = SklearnPerceptron(shuffle=False, tol=None, max_iter=epochs, fit_intercept=False)
        times.seconds |= timed(PEER)
    return {
        "seconds": times.seconds,
        "updates": {order: int(models[order].n_updates_) for order in ORDERS},
        "epochs": {name: int(model.n_iter_) for name, model in models.items()},
        "converged": {order: bool(models[order].converged_) for order in ORDERS},
        "same_weights": bool(np.allclose(models["cyclic"].coef_, models[PEER].coef_)),
    }


def _row(id: str, name: str, order: str, sets: list[dict[str, Any]]) -> dict[str, Any]:
    ratios = [ratio for one in sets if (ratio := Times(one["seconds"]).ratio(PEER, order)) is not None]
    same = f"{sum(one['same_weights'] for one in sets)} of {len(sets)}"
    return {
        "id": id,
        "name": name,
        "ours": _middle(Times(one["seconds"]).median(order) for one in sets),
        "peer": _middle(Times(one["seconds"]).median(PEER) for one in sets),
        "ratio": _middle(ratios),
        "lowest": min(ratios),
        "highest": max(ratios),
        "updates": _middle(one["updates"][order] for one in sets),
        "epochs": _middle(one["epochs"][order] for one in sets),
        "peer_epochs": _middle(one["epochs"][PEER] for one in sets),
        "same_weights": same if order == "cyclic" else None,
    }


def _middle(values: Any) -> float:
    return float(statistics.median(values))


def _ours(order: str) -> Perceptron:
    return Perceptron(
        order=order, result="last", min_margin=0.0, fit_intercept=False, max_epochs=1_000_000, random_state=0
    )
