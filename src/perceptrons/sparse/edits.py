"""A person's changes to rules learned together: one is struck out, or gets other points, and what is left is
fitted again."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from .._types import Array
from .coded_training import rescaled
from .conjunctions import rows_of
from .encoded_literals import EncodedLiterals
from .joint import JointVector
from .rounding import line_of
from .rows_alike import rows_alike
from .rule_path import polished
from .weighted_conjunctions import Conjunction


def place_of(rule: Any, rules: list[Conjunction]) -> int:
    """The position of a rule, given as a text or a conjunction."""
    texts = [*map(str, rules)]
    if str(rule) not in texts:
        raise ValueError(f"There is no rule {str(rule)!r}; the rules are {', '.join(texts) or 'none'}.")
    return texts.index(str(rule))


def struck_out(vector: JointVector, gone: tuple[int, ...]) -> JointVector:
    """The vector without a conjunction, its other weights as they were."""
    kept = [k for k, one in enumerate(vector.places) if one != gone]
    return vector._replace(
        places=[vector.places[k] for k in kept],
        weights=vector.weights[kept],
        rows=vector.rows[kept],
        positive=vector.positive[kept],
        points=None if vector.points is None else vector.points[kept],
    )


def with_changed_points(vector: JointVector, given: Mapping[tuple[int, ...], int]) -> JointVector:
    assert vector.points is not None
    points = [given.get(one, old) for one, old in zip(vector.places, vector.points.tolist(), strict=True)]
    changed = vector._replace(points=np.array(points, np.int64))
    for one, new in given.items():
        changed = struck_out(changed, one) if new == 0 else changed
    return changed


def counted(vector: JointVector, encoded: EncodedLiterals, held: list[Array], signs: Array) -> JointVector:
    """With the numbers of these rows."""
    counts = encoded.counts
    return vector._replace(
        rows=np.array([float(counts @ one) for one in held]),
        positive=np.array([float(counts @ (one * (signs > 0))) for one in held]),
        n_rows=float(counts.sum()),
        n_positive=float(counts @ (signs > 0)),
    )


def fitted_again(vector: JointVector, encoded: EncodedLiterals, signs: Array, own: Array) -> JointVector:
    """Weights at their optimum for these rows, with their own signs, or the unit of a card's points; the
    calibration stays."""
    held = [rows_of(encoded.data, one) for one in vector.places]
    vector = counted(vector, encoded, held, signs)
    weights, y = rescaled(encoded.weights, encoded.counts), signs.astype(np.float64)
    start = np.append(vector.weights, vector.bias) / vector.slope
    if vector.points is None:
        found = vector.slope * polished(rows_alike(held, y, weights), vector.strength, start, own)
        return vector._replace(weights=found[:-1], bias=float(found[-1]))
    totals = np.zeros(len(y), np.int64)
    for points, one in zip(vector.points.tolist(), held, strict=True):
        totals += points * one.astype(np.int64)
    up, down = np.where(y > 0, weights, 0.0), np.where(y > 0, 0.0, weights)
    line, nothing = np.array([0.0, start[-1], 0.0]), np.zeros((0, len(y)), np.uint8)
    norm = vector.strength * float(vector.points @ vector.points)
    line_of(totals, nothing, -1, 0, -1, 0, up, down, norm, line)
    if line[0] <= 0.0 and len(held):
        raise ValueError("With these points, a higher total is no higher risk; choose others.")
    unit, bias = vector.slope * line[0], vector.slope * line[1]
    return vector._replace(weights=unit * vector.points, bias=float(bias))
