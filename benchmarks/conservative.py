"""Classifiers that may reject: the time of a fit, an epoch and exact bands, and what they cost on Pima.

Costs are those of the paper: an error 1, a rejection γ, a right answer nothing.
"""

import warnings
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

from perceptrons import ConservativePerceptron, Perceptron
from perceptrons.conservative.bands import best_bands
from perceptrons.rejection.costs import Costs

from . import conservative_pima
from .conservative_peers import CPLR1, CPLR2, Learner, learners
from .layout import Column, Section
from .timing import Times, interleave

ROUNDS, GAMMA, NOISE = 7, 0.2, 1.0
SIZE, EPOCH_SIZE, DENSITY, BAND_SIZE = (568, 8), (100_000, 50), 0.1, 1_000_000
QUICK_SIZE, QUICK_EPOCH_SIZE, QUICK_BAND_SIZE = (200, 8), (2_000, 50), 10_000
EPOCHS = 1, 21  # of the two fits whose difference is taken
PLAIN, SORT = "plain", "argsort"

FITS = [
    Column("name", "learner", "text"),
    Column("time", "fit", "time"),
    Column("ratio", "its time / CPLR2's", "ratio"),
    Column("risk", "risk of new rows", "number"),
    Column("rejected", "of these rejected", "percent"),
]
EPOCH = [
    Column("name", "rows", "text"),
    Column("plain", "Perceptron", "time"),
    Column("ours", "ConservativePerceptron", "time"),
    Column("ratio", "conservative / plain", "ratio"),
]
BANDS = [
    Column("name", "scores", "text"),
    Column("time", "best_bands", "time"),
    Column("sort", "one argsort", "time"),
    Column("ratio", "bands / argsort", "ratio"),
    Column("rejected", "rows rejected", "percent"),
]


def run(quick: bool) -> dict[str, Any]:
    rounds = 2 if quick else ROUNDS
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # runs end unconverged, and after one epoch with little learned
        sections = [_fits(quick, rounds), _epochs(quick, rounds), _bands(quick, rounds)]
        sections += conservative_pima.sections(quick)
    notes = [
        f"Ratios are medians over {rounds} rounds of the ratio within a round. A whole fit is meant to take "
        "at most 0.5 s, an epoch at most three times one of `Perceptron`, a million bands at most 1 s.",
        "Labels are noisy, so that no run ends early: all make 100 epochs. One epoch is the difference of "
        f"fits of {EPOCHS[0]} and {EPOCHS[1]}; all visit the rows in random order.",
        *conservative_pima.notes(quick),
    ]
    return {"sizes": _sizes(quick) | {"rounds": rounds}, "notes": notes, "sections": sections}


def _sizes(quick: bool) -> dict[str, Any]:
    sizes = (QUICK_SIZE, QUICK_EPOCH_SIZE, QUICK_BAND_SIZE) if quick else (SIZE, EPOCH_SIZE, BAND_SIZE)
    return dict(zip(("fit", "epoch", "bands"), sizes, strict=True)) | {"epochs": EPOCHS}


def noisy(X: Any, seed: int = 0) -> np.ndarray:
    """Labels ±1 that no hyperplane gives: those of one, blurred by noise as large as its scores."""
    rng = np.random.default_rng(seed)
    scores = X @ rng.standard_normal(X.shape[1])
    return np.where(scores + NOISE * scores.std() * rng.standard_normal(len(scores)) > 0, 1, -1)


def _fits(quick: bool, rounds: int) -> Section:
    m, n = QUICK_SIZE if quick else SIZE
    print(f"whole fits, {m}×{n} ...", flush=True)
    rows = np.random.default_rng(1).standard_normal((2 * m, n))
    labels = noisy(rows)
    X, y, others, hidden = rows[:m], labels[:m], rows[m:], labels[m:]
    known = learners(GAMMA)
    models = {one.id: one.make() for one in known if one.installed()}
    times = interleave({id: (lambda m=model: m.fit(X, y)) for id, model in models.items()}, rounds)
    _check_epochs(models[CPLR1], 100)
    _check_epochs(models[CPLR2], 100)
    title = f"A whole fit, {m}×{n}, γ = {GAMMA} (48 runs of 100 epochs for CPLR1 and CPLR2), warm, one thread"
    table = Section(title, FITS, [], {"seconds": times.seconds})
    for one in known:
        row = {"id": f"fit {one.id}", "name": one.name}
        if one.installed():
            row |= _fit_row(one, models[one.id], times, others, hidden)
        else:
            row["name"] += " (not installed)"
        table.rows.append(row)
    return table


def _fit_row(learner: Learner, model: Any, times: Times, X: np.ndarray, y: np.ndarray) -> dict[str, Any]:
    predicted = np.asarray(model.predict(X))
    rejected = predicted == 0
    return {
        "time": times.median(learner.id),
        "ratio": times.ratio(learner.id, CPLR2),
        "risk": float(np.where(rejected, GAMMA, predicted != y).mean()),
        "rejected": float(rejected.mean()),
    }


def _check_epochs(model: Any, wanted: int) -> None:
    if model.n_iter_ != wanted:
        raise RuntimeError(f"{model} ended after {model.n_iter_} epochs, {wanted} are to be timed.")


def _epochs(quick: bool, rounds: int) -> Section:
    m, n = QUICK_EPOCH_SIZE if quick else EPOCH_SIZE
    table = Section(f"One epoch, {m:,}×{n}, one start, one pair of step sizes, one thread", EPOCH, [])
    rng = np.random.default_rng(0)
    sets = {
        "dense": rng.standard_normal((m, n)),
        "CSR": sp.random_array(
            (m, n), density=DENSITY, format="csr", rng=rng, data_sampler=rng.standard_normal
        ),
    }
    for layout, X in sets.items():
        print(f"one epoch, {layout} {m:,}×{n} ...", flush=True)
        times = _race(X, rounds)
        table.raw[layout] = times.seconds
        table.rows += [_epoch_row(layout, name, times) for name in _variants() if name != PLAIN]
    return table


def _variants() -> dict[str, Any]:
    """By what the row says of them: how to make one of so many epochs."""
    plain = partial(Perceptron, min_margin=0, random_state=0)
    known: dict[str, Any] = {PLAIN: lambda epochs: plain(max_epochs=epochs)}
    for rule in (CPLR1, CPLR2):
        for standardize in (True, False):
            settings = {"rule": rule, "standardize": standardize, "eta_weights": 0.1, "eta_bands": 0.01}
            known[f"{rule.upper()}{', standardized' * standardize}"] = lambda epochs, how=settings: (
                ConservativePerceptron(**how, band="learned", n_restarts=1, max_epochs=epochs, random_state=0)
            )
    return known


def _race(X: Any, rounds: int) -> Times:
    y, (few, many), variants = noisy(X), EPOCHS, _variants()
    models = {f"{name} {epochs}": make(epochs) for name, make in variants.items() for epochs in EPOCHS}
    times = interleave({name: (lambda m=model: m.fit(X, y)) for name, model in models.items()}, rounds)
    for name in variants:
        _check_epochs(models[f"{name} {many}"], many)
        times.add_difference(name, f"{name} {many}", f"{name} {few}", many - few)
    return times


def _epoch_row(layout: str, name: str, times: Times) -> dict[str, Any]:
    return {
        "id": f"epoch {layout} {name}",
        "name": f"{layout}, {name}" if layout == "dense" else f"{layout}, density {DENSITY:g}, {name}",
        "plain": times.median(PLAIN),
        "ours": times.median(name),
        "ratio": times.ratio(name, PLAIN),
    }


def _bands(quick: bool, rounds: int) -> Section:
    m = QUICK_BAND_SIZE if quick else BAND_SIZE
    print(f"exact bands, {m:,} scores ...", flush=True)
    rng, prices = np.random.default_rng(0), Costs(reject=GAMMA).of([-1, 1])
    scores = rng.standard_normal(m)
    y = np.where(scores + rng.standard_normal(m) > 0, 1.0, -1.0)
    kinds = {"two bands": False, "one band": True}
    competitors: dict[str, Any] = {SORT: lambda: np.argsort(scores)}
    competitors |= {
        name: (lambda one=symmetric: best_bands(scores, y, prices, one)) for name, symmetric in kinds.items()
    }
    times = interleave(competitors, rounds)
    table = Section("The bands of least risk, one thread", BANDS, [], {"seconds": times.seconds})
    for name, symmetric in kinds.items():
        bands = best_bands(scores, y, prices, symmetric)
        table.rows.append(
            {
                "id": f"bands {name}",
                "name": f"{m:,}, {name}",
                "time": times.median(name),
                "sort": times.median(SORT),
                "ratio": times.ratio(name, SORT),
                "rejected": float(np.mean(np.abs(scores) < bands[(scores >= 0).astype(int)])),
            }
        )
    return table
