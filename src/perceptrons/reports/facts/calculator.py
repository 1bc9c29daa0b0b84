"""What the page's calculator needs: numbers alone, embedded as JSON, which the script of the page adds up."""

from typing import Any

import numpy as np

from ...sparse.tally import Tally
from ...tables.cells import BOOLEAN, NOMINAL
from ...tables.table_encoder import TableEncoder, part_names
from ...tables.treatments import AS_IS, LEFT_OUT
from ..spelling import shown
from ..subject import Subject

MOST_RULES, MOST_COLUMNS, MOST_NAMES = 120, 40, 60
Facts = dict[str, Any]


def rules_calculator(tally: Tally, classes: list[Any]) -> Facts | None:
    """Rules to tick; None if they are very many."""
    if not tally.rules or len(tally.rules) > MOST_RULES:
        return None
    return {
        "kind": "rules",
        "rules": [shown(rule, 300) for rule in tally.rules],
        "classes": [*map(shown, classes)],
        "held": tally.held,
        "not_held": tally.not_held,
        "base": tally.base,
        "points": tally.points,
        "slope": tally.slope,
        "shift": tally.shift,
        "bands": None,
    }


def linear_calculator(subject: Subject) -> Facts | None:
    """Cells to fill in. None where columns are many, or read in a way that a form cannot repeat."""
    encoder, learner = subject.encoder, subject.learner
    if not isinstance(encoder, TableEncoder) or not hasattr(learner, "coef_"):
        return None
    treatments = getattr(encoder, "treatments_", None) or [AS_IS]
    plain = all(one == AS_IS or one in LEFT_OUT for one in treatments)
    few = len(encoder.kinds_) <= MOST_COLUMNS and all(len(some) <= MOST_NAMES for some in encoder.categories_)
    if not plain or not few:
        return None
    coef, start, columns = np.asarray(learner.coef_, float), 0, []
    for k, name in enumerate(part_names(encoder)):
        width = len(encoder.categories_[k]) if encoder.kinds_[k] == NOMINAL else 1
        columns.append(_column(encoder, k, shown(name), coef[:, start : start + width]))
        start += width
    return {
        "kind": "columns",
        "columns": columns,
        "classes": [*map(shown, subject.classes)],
        "base": np.ravel(learner.intercept_).astype(float).tolist(),
        "bands": _bands(learner),
        "slope": None,
        "shift": None,
    }


def _column(encoder: TableEncoder, k: int, name: str, weights: Any) -> Facts:
    kind = encoder.kinds_[k]
    if kind == NOMINAL:
        return {
            "name": name,
            "kind": kind,
            "options": [*map(shown, encoder.categories_[k])],
            "weights": weights.tolist(),
        }
    if kind == BOOLEAN:
        return {
            "name": name,
            "kind": kind,
            "options": ["no", "yes"],
            "weights": [[-w, w] for w in weights[:, 0].tolist()],
        }
    mean, scale = float(encoder.means_[k]), float(encoder.scales_[k])
    return {"name": name, "kind": kind, "mean": mean, "scale": scale, "weights": weights[:, 0].tolist()}


def _bands(learner: Any) -> list[float] | None:
    """How far from 0 a sum must be to be answered; None if every row is."""
    bands = getattr(learner, "bands_", None)
    if bands is None or learner.reject_label_ is None:
        return None
    return [float(min(band, 1e300)) for band in bands]
