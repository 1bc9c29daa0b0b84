# mypy: allow-untyped-defs, allow-untyped-calls
"""Stochastic belief-propagation-inspired learning of binary weights: beyond the paper, for the same models.

C. Baldassi, A. Braunstein, N. Brunel, R. Zecchina, "Efficient supervised learning in networks with binary
synapses", PNAS 104 (2007). Each weight is the sign of a hidden integer, w = sgn(h), and rows y x correct the
hidden ones. With u = y(Σ w x − θ), which is odd:

    u < 0               h ← h + 2 y x
    u = 1, and a coin   h ← h + 2 y x where that has the sign of h: no weight changes, but it holds faster

Ours: where a column is mostly +1 or mostly −1, its mean is taken off, 2 y (x − μ), μ in thirds; so steps are
as above where columns are balanced, and h, counted in thirds, is an integer. The plain rule fails there: the
common value outvotes the rare one. The threshold moves with the weights, θ ← θ − 2 y. They start from the
influences. Neglected columns take no part, and θ has the parity that makes u odd. A run that has made 100
epochs, and ten times the number at which it last had fewer errors than ever before, is stalled; where rows
stay wrong the hidden integers are averaged (`averaged_states`).
"""

from typing import Any, NamedTuple

import numpy as np

from .._types import Array
from ..compiled import compiled
from ..rows.bits import pack_vector, popcount
from ..rows.order import coins, drawn, given, permuted
from .kept_rows import LabeledBits
from .packed_perceptron import PackedPerceptron

UNIT = 3  # of the hidden integers; odd, so that they are, and never 0
OFTEN = 10  # the most visits per row, on average, that repeated rows may take
FEW_EPOCHS, PATIENCE = 100, 10  # a run is stalled after so many, and so many times those of its best
CONVERGED, STALLED, MAX_EPOCHS = STOPPED = ("converged", "stalled", "max_epochs")
NEAR = 512  # rows that are fetched together: they fit into the cache
SHARE = 0.3  # of the rows that are barely right, the share that strengthens the weights


class HiddenWeights(NamedTuple):
    """What an epoch changes."""

    h: Array
    signs: Array  # words: 1 where h > 0
    theta: Array  # one integer


class SbpiSteps(NamedTuple):
    """What a correction adds to h where x = +1, and takes off where x = −1; 0 of neglected columns."""

    up: Array
    down: Array
    mask: Array  # words: 1 where a column is not neglected
    active: int  # columns


def sbpi_steps(means: Array, neglected: Array) -> SbpiSteps:
    """`means` are those of the columns, in −1 … +1."""
    thirds = np.rint(UNIT * means).astype(np.int64)
    up, down = (np.where(neglected, 0, 2 * (UNIT + sign * thirds)) for sign in (-1, 1))
    return SbpiSteps(up, down, pack_vector(~neglected), int(np.count_nonzero(~neglected)))


def odd_threshold(threshold: int, active: int) -> int:
    """One that decides alike and differs from every score by an odd number."""
    return threshold if (threshold + active) % 2 else threshold + 1


class SbpiRun(NamedTuple):
    """How it ended, and with what."""

    best: PackedPerceptron  # of fewest errors, after an epoch or before the first
    sums: Array  # of the hidden integers after each epoch; 0 of neglected columns
    n_epochs: int
    stopped: str


def run_sbpi(
    rows: LabeledBits,
    words: Array,
    steps: SbpiSteps,
    start: PackedPerceptron,
    moves: bool,
    max_epochs: int,
    rng: Any,
) -> SbpiRun:
    """Epochs until no row is wrong, nothing gets better, or there are no more.

    words : those of the rows, packed. start : its weights are ±1, and 0 for neglected columns. moves :
    whether the threshold is learned, too.
    """
    signs = np.where(rows.positive, 1, -1).astype(np.int8)
    theta = np.array([odd_threshold(start.threshold, steps.active)])
    hidden = HiddenWeights(UNIT * start.coef.astype(np.int64), start.signs.copy(), theta)
    best, least, sums, n_epochs, found = start, rows.errors(start), np.zeros_like(hidden.h), 0, 0
    while not (stopped := how_it_ends(least, n_epochs, found, max_epochs)):
        order = _visits(len(signs), rows.weights, rng)
        sweep(words, signs, order, coins(len(order), SHARE, rng), hidden, steps, moves)
        n_epochs += 1
        sums += hidden.h
        model = PackedPerceptron(hidden.signs.copy(), steps.mask, int(theta[0]), start.n_columns)
        if (errors := rows.errors(model)) < least:
            best, least, found = model, errors, n_epochs
    return SbpiRun(best, sums, n_epochs, stopped)


def how_it_ends(errors: float, n_epochs: int, found: int, max_epochs: int) -> str:
    """Why it ends after this number of epochs, if epoch `found` had the fewest errors; otherwise ""."""
    if errors == 0:
        return CONVERGED
    if n_epochs >= max(FEW_EPOCHS, PATIENCE * found):
        return STALLED
    return MAX_EPOCHS if n_epochs >= max_epochs else ""


def _visits(n_rows: int, weights: Array | None, rng: Any) -> Array:
    """The rows of an epoch: each once, or as often as it weighs; if that is too often, or not an
    integer, the number of rows, drawn by weight."""
    if weights is not None and weights.dtype == np.int64 and weights.sum() <= OFTEN * n_rows:
        return permuted(np.repeat(given(n_rows), weights), rng)
    if weights is None or (weights == weights[0]).all():
        return permuted(given(n_rows), rng)
    return drawn(weights, rng)


@compiled
def sweep(words, signs, order, lucky, hidden, steps, moves):
    """One epoch; the number of wrong rows.

    Rows lie scattered in the memory, in the order in which they are visited. Some are therefore fetched at a
    time: the processor waits for many of them at once, and not for one after the other.
    """
    near, labels = np.empty((NEAR, words.shape[1]), words.dtype), np.empty(NEAR, signs.dtype)
    n_wrong = 0
    for place in range(order.size):
        here = place % NEAR
        if here == 0:
            fetch(words, signs, order[place : place + NEAR], near, labels)
        y, row = np.int64(labels[here]), near[here]
        against = np.int64(0)
        for k in range(steps.mask.size):
            against += popcount((row[k] ^ hidden.signs[k]) & steps.mask[k])
        u = y * (steps.active - 2 * against - hidden.theta[0])
        if u < 0:
            correct(row, y, hidden, steps)
            n_wrong += 1
            if moves:
                hidden.theta[0] -= 2 * y
        elif u == 1 and lucky[place]:
            strengthen(row, y, hidden, steps)
    return n_wrong


@compiled
def fetch(words, signs, order, near, labels):
    for place in range(order.size):
        i = np.int64(order[place])
        labels[place] = signs[i]
        for k in range(words.shape[1]):
            near[place, k] = words[i, k]


@compiled
def correct(row, y, hidden, steps):
    h, up, down = hidden.h, steps.up, steps.down
    for k in range(row.size):
        word, sign = row[k], np.uint64(0)
        for b in range(min(64, h.size - 64 * k)):
            j = 64 * k + b
            h[j] += y * up[j] if word >> np.uint64(b) & np.uint64(1) else -y * down[j]
            sign |= np.uint64(h[j] > 0) << np.uint64(b)
        hidden.signs[k] = sign


@compiled
def strengthen(row, y, hidden, steps):
    h, up, down = hidden.h, steps.up, steps.down
    for k in range(row.size):
        word = row[k]
        for b in range(min(64, h.size - 64 * k)):
            j = 64 * k + b
            step = y * up[j] if word >> np.uint64(b) & np.uint64(1) else -y * down[j]
            h[j] += step if (step > 0) == (h[j] > 0) else 0
