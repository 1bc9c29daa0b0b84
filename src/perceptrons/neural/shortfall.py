"""Σ ReLU(β − y·score) over the neurons of a row, with derivative 1 at 0, and which rows are in violation.

Beside a small network the many steps of such a formula take time. On a CPU it is one compiled pass over the
scores, elsewhere a few tensor operations; for `torch.compile` it is written so that one pass comes of it.
"""

import math
from typing import Any

import torch
from torch import Tensor

from ..data.compiled import compiled
from .scores import check_numbers, n_classes, refuse, signs


def shortfall(scores: Tensor, target: Tensor, beta: Any, reduction: str) -> tuple[Tensor, Tensor]:
    """The loss, and which rows are in violation. Bad numbers raise."""
    if torch.compiler.is_compiling():
        return _for_compilers(scores, target, beta, reduction)
    if scores.is_cpu:
        return _by_one_pass(scores, target, beta, reduction)
    check_numbers(scores, target)
    losses, violated = Shortfall.apply(scores, signs(scores, target), beta, reduction)
    return losses, violated.any(-1)


class Shortfall(torch.autograd.Function):
    """Of scores and signs y whose last axes are (rows, neurons); where y·score ≤ β is told, too."""

    @staticmethod
    def forward(ctx: Any, scores: Tensor, y: Tensor, beta: Any, reduction: str) -> tuple[Tensor, Tensor]:
        short = beta - y * scores
        violated = short >= 0
        ctx.mark_non_differentiable(violated)
        share = _share(scores, reduction)
        ctx.save_for_backward(-share * y * violated)
        losses = short.clamp_(min=0.0)  # which keeps NaN
        return losses.sum(-1) if reduction == "none" else losses.sum() * share, violated

    @staticmethod
    def backward(ctx: Any, slope: Tensor, _: Tensor) -> tuple[Tensor, None, None, None]:
        return _chained(ctx, slope), None, None, None


def _for_compilers(scores: Tensor, target: Tensor, beta: Any, reduction: str) -> tuple[Tensor, Tensor]:
    check_numbers(scores, target)
    neurons = torch.arange(n_classes(scores), device=scores.device)[-scores.shape[1] :]
    short = beta - torch.where(target[:, None] == neurons, scores, -scores)
    violated = short >= 0
    losses = torch.where(violated, short, 0.0).sum(1)
    return losses if reduction == "none" else losses.sum() * _share(scores, reduction), violated.any(1)


def _by_one_pass(scores: Tensor, target: Tensor, beta: Any, reduction: str) -> tuple[Tensor, Tensor]:
    rows, labels = scores.detach().contiguous().numpy(), target.contiguous().numpy()
    if beta > torch.finfo(scores.dtype).max:
        raise ValueError(
            f"β is {float(beta):g}, more than {scores.dtype} can hold; use a smaller schedule, or float64."
        )
    slopes = torch.empty(scores.shape, dtype=scores.dtype)
    losses = torch.empty(len(rows), dtype=scores.dtype)
    violated = torch.empty(len(rows), dtype=torch.bool)
    share = _share(scores, reduction)
    total = look(rows, labels, rows.dtype.type(beta), share, slopes.numpy(), losses.numpy(), violated.numpy())
    if math.isnan(total):
        refuse(scores, target)
    return _Known.apply(scores, losses if reduction == "none" else total, slopes), violated


class _Known(torch.autograd.Function):
    """A loss whose value and derivatives are known."""

    @staticmethod
    def forward(ctx: Any, scores: Tensor, loss: Tensor | float, slopes: Tensor) -> Tensor:
        ctx.save_for_backward(slopes)
        return loss if isinstance(loss, Tensor) else torch.tensor(loss, dtype=scores.dtype)

    @staticmethod
    def backward(ctx: Any, slope: Tensor) -> tuple[Tensor, None, None]:
        return _chained(ctx, slope), None, None


def _share(scores: Tensor, reduction: str) -> float:
    return 1.0 / len(scores) if reduction == "mean" else 1.0


def _chained(ctx: Any, slope: Tensor) -> Tensor:
    """The gradient, from what comes back for the loss, or for the loss of each row."""
    (slopes,) = ctx.saved_tensors
    return slopes * (slope[..., None] if slope.ndim else slope)  # type: ignore[no-any-return]


@compiled
def look(scores, target, beta, share, slopes, losses, violated):
    """Fill in, per unit of share, the derivatives and the loss of each row, and whether it is in violation;
    the sum of the losses, or NaN at the first label or score that is none."""
    n_rows, n_neurons = scores.shape
    one = n_neurons == 1  # the neuron of class 1; its number is 0
    total = 0.0
    for i in range(n_rows):
        own = target[i] - one
        if own < -one or own >= n_neurons:
            return math.nan
        losses[i], violated[i] = 0.0, False
        for k in range(n_neurons):
            if not abs(scores[i, k]) < math.inf:
                return math.nan
            y = 1.0 if k == own else -1.0
            short = beta - y * scores[i, k]
            slopes[i, k] = -y * share if short >= 0.0 else 0.0
            if short >= 0.0:
                losses[i] += short
                violated[i] = True
        total += losses[i]
    return total * share
