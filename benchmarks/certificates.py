"""What is proved about models of real tables, beside what they do on rows kept out of it.

Three tenths of the rows measure errors. Of the others, a fifth teaches an encoder and is not counted: so rows
are encoded by numbers fixed beforehand. The rest certifies: a perceptron by its training rows (PAC-Bayes), a
vector drawn from one pass, a scorecard of a few rules (Occam), and a perceptron by a third of the rows kept
back. A bound is worth something if it is below the error of always answering the larger class.
"""

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline

from perceptrons import LiteralEncoder, Perceptron, SparsePerceptron, TableEncoder, certify, draw

from .everyday_tables import load
from .layout import Column, Section

TABLES = (
    "pima",
    "voting",
    "wisconsin",
    "breast cancer",
    "tic-tac-toe",
    "mushroom",
    "splice",
    "digits, odd or even",
    "promoters",
    "monks-1",
    "monks-2",
    "monks-3",
)
QUICK = ("voting", "breast cancer")
ENCODED, TESTED, HELD = 0.2, 0.3, 1 / 3
SPLICE = "N"  # against the two kinds of sites
RULES, POINTS = 4, 2
NOTES = [
    "Errors are those on three tenths of the rows, drawn at random (seed 0); where these are few, they are "
    "rough. Bounds are from the other rows alone, each with a confidence of 95 % by itself. Larger class: "
    "the error of always answering it, on all rows; a bound that is not below that says nothing.",
    "The encoder was fitted to a fifth of the training rows, which are not counted. Average: Perceptron, its "
    "PAC-Bayes bound. Drawn: a running average met in one pass, from `draw`. Card: a SparsePerceptron of at "
    f"most {RULES} rules with points from −{POINTS} to {POINTS}, its Occam bound. Held back: Perceptron, a "
    "third of the rows kept back; the bound is the exact binomial one (Clopper and Pearson).",
]


class Rows(NamedTuple):
    """Rows that teach the encoder, that are learned from, and that measure errors."""

    encoder: Any
    X: Any
    y: np.ndarray
    X_new: Any
    y_new: np.ndarray
    larger: float  # the error of always answering the larger class


def run(quick: bool) -> dict[str, Any]:
    section, wins = measured(QUICK if quick else TABLES)
    best = "The best of the three bounds by training rows is below the error of the larger class on"
    told = f"{best} {wins} of {len(section.rows)} tables."
    return {"sizes": {"tables": len(section.rows)}, "notes": [*NOTES, told], "sections": [section]}


def measured(tables: tuple[str, ...]) -> tuple[Section, int]:
    columns = [
        Column("name", "table", "text"),
        Column("rows", "rows", "count"),
        Column("larger", "larger class", "percent"),
        *[Column(f"{key}_{what}", f"{TITLES[key]}: {what}", "percent") for key in WAYS for what in BOTH],
    ]
    section, wins = Section("Bounds beside errors on new rows", columns, []), 0
    for name in tables:
        rows = split(name)
        larger = rows.larger
        found = {key: way(rows) for key, way in WAYS.items()}
        told = {f"{key}_{what}": found[key][k] for key in WAYS for k, what in enumerate(BOTH)}
        section.rows.append({"id": name, "name": name, "rows": len(rows.y), "larger": larger, **told})
        section.raw[name] = told
        wins += min(found[key][1] for key in ("average", "drawn", "card")) < larger
    return section, wins


def split(name: str) -> Rows:
    X, y = load(name)
    X = np.asarray(X, object) if np.asarray(X).dtype.kind not in "biuf" else np.asarray(X)
    y = np.asarray(y) == SPLICE if name == "splice" else np.asarray(y)
    larger = 1.0 - float(np.unique(y, return_counts=True)[1].max()) / len(y)
    X, X_new, y, y_new = train_test_split(X, y, test_size=TESTED, random_state=0)
    n_encoded = int(ENCODED * len(y))
    return Rows(X[:n_encoded], X[n_encoded:], y[n_encoded:], X_new, y_new, larger)


def frozen(kind: Any, rows: Rows) -> Any:
    """An encoder that was fitted to rows that are not counted."""
    return FrozenEstimator(kind.fit(rows.encoder))


def error(model: Any, rows: Rows) -> float:
    return float((model.predict(rows.X_new) != rows.y_new).mean())


def by_statement(model: Any, rows: Rows, name: str) -> tuple[float, float]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(rows.X, rows.y)
    found = certify(model, rows.X, rows.y, new_rows=False)
    (bound,) = (one.value for one in found.statements if one.name == name)
    return error(model, rows), bound


def average(rows: Rows) -> tuple[float, float]:
    model = make_pipeline(frozen(TableEncoder(), rows), Perceptron(result="average", random_state=0))
    return by_statement(model, rows, "PAC-Bayes margin")


def card(rows: Rows) -> tuple[float, float]:
    learner = SparsePerceptron(max_points=POINTS, max_rules=RULES, random_state=0)
    return by_statement(make_pipeline(frozen(LiteralEncoder(), rows), learner), rows, "Occam")


def drawn(rows: Rows) -> tuple[float, float]:
    encoder = frozen(TableEncoder(), rows)
    found = draw(Perceptron(), encoder.transform(rows.X), rows.y)
    return error(make_pipeline(encoder, found.model), rows), found.certificate.bound


def held(rows: Rows) -> tuple[float, float]:
    model = make_pipeline(TableEncoder(), Perceptron(random_state=0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = certify(model, rows.X, rows.y, holdback=HELD)
    return error(model, rows), found.bound


WAYS: dict[str, Callable[[Rows], tuple[float, float]]] = {
    "average": average,
    "drawn": drawn,
    "card": card,
    "held": held,
}
BOTH = ("error", "bound")
TITLES = {"average": "average", "drawn": "drawn", "card": "card", "held": "held back"}
