"""How often promises break, on samples drawn from known distributions; and how many rows they let through.

Each promise may break on a share delta of the samples. What breaks on fewer is cautious: bounds for losses
and margins hold for distributions that are worse than these. The rows let through are compared with the best
threshold in hindsight, which knows the errors of the new rows.
"""

import warnings
from typing import Any

import numpy as np
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression

from perceptrons import SelectiveClassifier

from .coverage_draws import CASES
from .layout import Column, Section

DRAWS, N_NEW = 1000, 20_000
CENTERS = 3.0 * np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
ALL, RARE = (1 / 3, 1 / 3, 1 / 3), (0.9, 0.08, 0.02)
SETTINGS: list[tuple[str, tuple[float, ...], int, dict[str, Any]]] = [
    ("3 classes", ALL, 300, {"max_error": 0.05}),
    ("3 classes", ALL, 1000, {"max_error": 0.05}),
    ("3 classes", ALL, 1000, {"max_error": 0.02}),
    ("3 classes", ALL, 3000, {"max_error": 0.02}),
    ("rare classes", RARE, 300, {"max_error": 0.02}),
    ("3 classes, each", ALL, 1000, {"max_error": 0.05, "per_class": True}),
    ("3 classes, few rows", ALL, 80, {"max_error": 0.1}),
]
NOTES = [
    "A sample breaks a promise if what it says of new rows is not true of them. The first table knows the "
    "truth by a formula, or because it was written into the samples. p is the chance of this number of "
    "breaks, or more, if each sample broke with the probability allowed: below 0.001 a promise would be "
    "refuted.",
    "The second table calibrates a logistic regression, fitted once to 500 rows of three Gaussian clouds, by "
    f"samples of the size given, with a confidence of 95 %; {N_NEW:,} new rows tell the errors. Answered: "
    "the mean share of new rows. Best: that of the most lenient threshold whose error on the new rows is "
    "small enough, for all answers together. Nothing: samples from which nothing could be promised.",
]


def run(quick: bool) -> dict[str, Any]:
    draws = 50 if quick else DRAWS
    sections = [kept(draws), answered(draws // 2)]
    return {"sizes": {"draws": draws, "new rows": N_NEW}, "notes": NOTES, "sections": sections}


def kept(draws: int) -> Section:
    columns = [
        Column("promise", "promise", "text"),
        Column("about", "samples", "text"),
        Column("may", "may break", "percent"),
        Column("broke", "broke", "percent"),
        Column("p", "p", "number"),
    ]
    section = Section(f"Promises: {draws:,} samples each", columns, [])
    for case in CASES:
        n_broken = int(case.broken(np.random.default_rng(0), draws))
        p, name = case.p_value(n_broken, draws), f"{case.promise}, {case.about}"
        told = {"promise": case.promise, "about": case.about, "may": case.delta}
        section.rows.append({"id": name, **told, "broke": n_broken / draws, "p": p})
        section.raw[name] = {"broke": n_broken, "of": draws}
    return section


def draw(n: int, shares: tuple[float, ...], seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = rng.choice(3, n, p=shares)
    return rng.standard_normal((n, 2)) + CENTERS[y], y


def answered(draws: int) -> Section:
    columns = [
        Column("name", "new rows", "text"),
        Column("n", "sample", "count"),
        Column("max_error", "max_error", "percent"),
        Column("broke", "broke (may: 5 %)", "percent"),
        Column("answered", "answered", "percent"),
        Column("best", "best", "percent"),
        Column("nothing", "nothing", "percent"),
    ]
    section = Section(f"SelectiveClassifier: {draws:,} samples each", columns, [])
    for name, shares, n, settings in SETTINGS:
        found = {"id": f"{name}, {n}, {settings['max_error']}", "name": name, "n": n}
        measured = _measured(shares, n, settings, draws)
        section.rows.append(found | {"max_error": settings["max_error"]} | measured)
        section.raw[found["id"]] = measured | {"of": draws}
    return section


def _measured(shares: tuple[float, ...], n: int, settings: dict[str, Any], draws: int) -> dict[str, float]:
    fitted = LogisticRegression().fit(*draw(500, shares, 1))
    X, y = draw(N_NEW, shares, 2)
    certainty, codes = fitted.predict_proba(X).max(axis=1), fitted.predict(X)
    wrong, broke, share, nothing = codes != y, 0, 0.0, 0
    for seed in range(draws):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # which says that nothing can be promised
            model = SelectiveClassifier(FrozenEstimator(fitted), random_state=seed, **settings)
            model.fit(*draw(n, shares, 10 + seed))
        given = certainty >= model.thresholds_[codes]
        groups = [given & (codes == c) for c in range(3)] if settings.get("per_class") else [given]
        broke += any(wrong[group].mean() > settings["max_error"] for group in groups if group.any())
        share += given.mean()
        nothing += not given.any()
    order = np.argsort(-certainty)
    small = np.flatnonzero(np.cumsum(wrong[order]) <= settings["max_error"] * np.arange(1, N_NEW + 1))
    best = float(small[-1] + 1) / N_NEW if len(small) else 0.0
    return {
        "broke": int(broke) / draws,
        "answered": float(share) / draws,
        "best": best,
        "nothing": int(nothing) / draws,
    }
