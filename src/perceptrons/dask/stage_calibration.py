"""Probabilities of rules boosted stage by stage over collections, as `sparse.calibration` finds them."""

from functools import reduce
from operator import add
from typing import Any

import numpy as np

from .._types import Array
from ..rows.encode import signs_of
from ..sparse.calibration import VOTE_SLOPES, Calibration, VoteSums, calibrate_by, slope_and_curvature
from ..sparse.conjunctions import rows_of
from .part import CollectionPart
from .rounds import Rounds
from .sparse_rounds import LiteralSettings, encoded_part


def calibrated(
    rounds: Rounds,
    settings: LiteralSettings,
    places: list[tuple[int, ...]],
    weights: Array,
    intercept: Array,
    factor: float,
) -> Calibration:
    """As `calibrate_votes` of the scores of all rows; `factor` is that of their weights."""
    model = settings, places, weights, intercept, factor
    parts = rounds.ask("calibration", vote_sums, *model)
    sums = VoteSums(*np.sum(parts, axis=0).tolist())

    def steps(v: Array) -> tuple[Array, Array]:
        found = rounds.ask("calibration", slopes_at, *model, sums, v)
        g, H = (reduce(add, some) for some in zip(*found, strict=True))
        return g, H

    slope, shift = calibrate_by(steps, sums.mean_square, shifted=len(weights) > 1, slopes=VOTE_SLOPES)
    return Calibration(slope / sums.scale, shift)


# --- questions ---


def scored(
    part: CollectionPart,
    settings: LiteralSettings,
    places: list[tuple[int, ...]],
    weights: Array,
    intercept: Array,
    factor: float,
) -> tuple[Array, Array, Array]:
    """Scores, signs and weights of the rows, those of the weight vectors one after the other."""
    encoded = encoded_part(part, settings)
    scores = np.zeros((len(weights), encoded.data.n_rows))
    for one, each in zip(places, weights.T, strict=True):
        scores += np.where(rows_of(encoded.data, one), each[:, None], -each[:, None])
    scores += intercept[:, None]
    signs = [one.astype(np.float64) for one in signs_of(encoded.codes, len(settings.known.classes))]
    return scores.ravel(), np.concatenate(signs), np.tile(factor * encoded.weights, len(scores))


def vote_sums(part: CollectionPart, *model: Any) -> VoteSums:
    part.memo["scores"] = scored(part, *model)
    return VoteSums.of(*part.memo["scores"])


def slopes_at(part: CollectionPart, *told: Any) -> tuple[Array, Array]:
    """`slope_and_curvature` of the part's rows."""
    *model, sums, v = told
    rows = part.worked_out("scores", lambda one: scored(one, *model))
    scores, signs, weights = sums.rows(*rows)
    return slope_and_curvature(scores, signs, weights, v)
