# mypy: allow-untyped-defs, allow-untyped-calls
"""Σ ReLU(β − y·score)² / (2β) over the neurons of a row: the shortfall of `shortfall.py`, squared.

Its derivative is −y at a score of 0, as that of the shortfall, and falls to 0 where y·score reaches β. Plain
shortfalls of one class against the rest have a fault that squares have not: where no class has half of the
rows of a place, all neurons say no, and nothing tells which class is the most frequent there. The best score
by squares is β·(2p − 1), p the share of the neuron's class.

For β, class numbers, signs and violations see `shortfall.py`, for GPUs `unwaited.py`.
"""

import math
from typing import Any

import numpy as np
from torch import Tensor

from ..compiled import compiled
from ..rows.weights import NO_WEIGHTS
from .shortfall import signs
from .unwaited import LossTally, is_fused


def squared_shortfall(
    scores: Tensor, target: Tensor, weights: Tensor | None, beta: float, tally: LossTally
) -> tuple[Any, Tensor]:
    """The sum of the losses, times the weights of rows, and the derivatives of their mean. The tally counts
    the rows in violation. The sum is NaN where a score is not finite."""
    if is_fused(scores):
        return _by_one_kernel(scores, target, weights, beta, tally)
    if not scores.is_cpu:
        return _by_tensors(scores, target, weights, beta, tally)
    slopes = scores.new_empty(scores.shape)
    shares = NO_WEIGHTS if weights is None else weights.numpy()
    total, n_violated = fill_squares(
        scores.numpy(), target.numpy(), shares.astype(np.float64), float(beta), slopes.numpy()
    )
    tally.n_violated.add_(n_violated)
    return total, slopes


def _by_one_kernel(
    scores: Tensor, target: Tensor, weights: Tensor | None, beta: float, tally: LossTally
) -> tuple[Any, Tensor]:
    from .triton_shortfall import fill, told

    margin, shares = told(float(beta)), (1.0, 1.0 / len(scores))
    filled = fill(scores, target, weights, margin, tally, shares=shares, squared=True)
    return filled.value, filled.slopes


def _by_tensors(
    scores: Tensor, target: Tensor, weights: Tensor | None, beta: float, tally: LossTally
) -> tuple[Any, Tensor]:
    y = signs(scores, target)
    short = beta - y * scores
    tally.n_violated.add_((short >= 0.0).any(1).sum())
    short = short.clamp_(min=0.0)  # which keeps NaN
    weighed = short if weights is None else short * weights[:, None]
    return (weighed * short).sum() / (2.0 * beta), y * weighed / (-beta * len(scores))


@compiled
def fill_squares(scores, target, weights, beta, slopes):
    """Fill in the derivatives; return the sum of the losses and the number of rows in violation."""
    n_rows, n_neurons = scores.shape
    one = n_neurons == 1  # the neuron of class 1; its number is 0
    total, n_violated = 0.0, 0
    for i in range(n_rows):
        weight = weights[i] if len(weights) else 1.0
        share = weight / (beta * n_rows)
        squares, violated = 0.0, False
        for k in range(n_neurons):
            if not abs(scores[i, k]) < math.inf:
                return math.nan, 0
            y = 1.0 if k == target[i] - one else -1.0
            short = beta - y * scores[i, k]
            slopes[i, k] = -y * short * share if short > 0.0 else 0.0
            if short >= 0.0:
                squares += short * short
                violated = True
        total += weight * squares
        n_violated += violated
    return total / (2.0 * beta), n_violated
