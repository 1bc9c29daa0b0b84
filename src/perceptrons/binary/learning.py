"""From counts and rows to a model: the weights by one of the methods, then the threshold."""

from typing import NamedTuple

import numpy as np

from ..data.bits import Bits
from ..data.rows import Array
from .counts import Counts
from .packed import PackedPerceptron, pack_weights
from .rows import Rows
from .rules import Weights, always, clipped_hebb, figure_1
from .sbpi import learn, steps_of
from .settings import AUTO, HEBB, INFLUENCE, SBPI, Settings
from .thresholds import FIGURE_1, MIN_ERROR, best_threshold

CONSTANT = {1: -1, -1: 0}  # thresholds of models without weights: Σ = 0 is above −1, and not above 0


class Outcome(NamedTuple):
    model: PackedPerceptron
    found: Weights
    n_epochs: int  # of "sbpi"
    converged: bool


def conclude(counts: Counts, rows: Rows | None, settings: Settings, rng: np.random.RandomState) -> Outcome:
    """The model that counts, and rows where they are needed, lead to."""
    if settings.needs_rows:
        rows = required(rows, settings)
    found = clipped_hebb(counts) if settings.method == HEBB else figure_1(counts, settings.epsilon)
    only = always(counts, settings.epsilon / 4 if settings.method == INFLUENCE else 0.0)
    if only is not None:
        none = pack_weights(np.zeros_like(found.coef), CONSTANT[only])
        return Outcome(none, found, 0, True)
    if settings.method == SBPI:
        return train(counts, found, settings, required(rows, settings), rng)
    return Outcome(with_threshold(found.coef, settings, rows), found, 0, True)


def required(rows: Rows | None, settings: Settings) -> Rows:
    if rows is None:
        raise ValueError(
            f"threshold={settings.threshold!r} needs rows, and this model has kept none: it comes from a "
            "file, or had another threshold. Fit a new one, or give the threshold as an integer."
        )
    return rows


def with_threshold(coef: Array, settings: Settings, rows: Rows | None) -> PackedPerceptron:
    how = settings.threshold
    if isinstance(how, int):
        return pack_weights(coef, how)
    rows = required(rows, settings)
    scores = pack_weights(coef, 0).scores(rows.cells)
    found = best_threshold(how, scores, rows.positive, rows.weights, len(coef), settings.epsilon)
    return pack_weights(coef, found)


def train(
    counts: Counts, found: Weights, settings: Settings, rows: Rows, rng: np.random.RandomState
) -> Outcome:
    """The method "sbpi"; columns that Figure 1 calls without influence take part, too."""
    cells = rows.cells if isinstance(rows.cells, Bits) else rows.cells.packed()
    packed = rows._replace(cells=cells)
    coef = np.where(found.neglected, 0, np.where(found.influence > 0, 1, -1)).astype(np.int8)
    moves = isinstance(settings.threshold, str)
    start = with_threshold(coef, settings._replace(threshold=MIN_ERROR) if moves else settings, packed)
    steps = steps_of(2.0 * counts.ones / counts.rows - 1.0, found.neglected)
    model, n_epochs = learn(packed, cells.words, steps, start, moves, settings.max_epochs, rng)
    model = settle(model, settings, packed)
    return Outcome(model, found, n_epochs, packed.errors(model) == 0)


def settle(model: PackedPerceptron, settings: Settings, rows: Rows) -> PackedPerceptron:
    """The threshold that was learnt, unless another is asked for or makes fewer errors."""
    if isinstance(settings.threshold, int):
        return pack_weights(model.coef, settings.threshold)
    how = FIGURE_1 if settings.threshold == FIGURE_1 else MIN_ERROR
    other = with_threshold(model.coef, settings._replace(threshold=how), rows)
    if settings.threshold != AUTO or rows.errors(other) < rows.errors(model):
        return other
    return model
