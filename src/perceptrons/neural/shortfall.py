# mypy: allow-untyped-defs, allow-untyped-calls
"""Σ ReLU(β − y·score) over the neurons of a row, with derivative 1 at 0, and which rows are in violation.

Beside a small network the many steps of such a formula take time. On a CPU it is one compiled pass over the
scores, on a GPU that of `unwaited.py`; for `torch.compile` it is written so that one pass comes of it.

Losses take scores and labels checked (`checked`), and labels as signs y = ±1, one against the rest (`signs`).
"""

import math
from typing import Any

import torch
from torch import Tensor

from ..compiled import compiled


def checked(scores: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """Scores of shape (rows, neurons), at least in single precision, and class numbers; or ValueError."""
    scores, target = shaped(scores, target)
    check_numbers(scores, target)
    return scores, target


def shaped(scores: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """The same by shapes alone; no number is looked at."""
    for name, given in (("scores", scores), ("target", target)):
        if not isinstance(given, Tensor):
            raise ValueError(
                f"{name} are of type {type(given).__name__}, but must be a tensor; use torch.tensor."
            )
    if scores.device != target.device:
        raise ValueError(
            f"scores are on {scores.device}, but target is on {target.device}; use target.to(scores.device)."
        )
    if scores.ndim == 1:
        scores = scores[:, None]
    if scores.ndim != 2 or not scores.is_floating_point():
        raise ValueError(
            f"scores are {_describe(scores)}, but must be floats of shape (rows, neurons), or (rows,) of one "
            "neuron."
        )
    if target.shape != scores.shape[:1] or target.dtype not in _INTEGERS:
        raise ValueError(
            f"target is {_describe(target)}, but must be integers of shape ({len(scores)},): a class number "
            "per row of scores."
        )
    if not len(target) or not scores.shape[1]:
        raise ValueError(f"scores are {_describe(scores)}: nothing can be learned; leave the batch out.")
    return scores.float() if scores.dtype in (torch.float16, torch.bfloat16) else scores, target.long()


_INTEGERS = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool)


def n_classes(scores: Tensor) -> int:
    """One neuron tells two classes apart."""
    return max(scores.shape[-1], 2)


def check_numbers(scores: Tensor, target: Tensor) -> None:
    """One look on the host, so that a GPU is waited for once.

    What is compiled does not stop to look: there bad numbers end the run by an assertion, as bad labels do in
    PyTorch's own losses. What is recorded, to be replayed, cannot: there NaN makes the loss NaN.
    """
    if is_recording(scores):
        return
    known = _known(scores, target).all()
    if torch.compiler.is_compiling():
        torch._assert_async(known & scores.isfinite().all(), "labels out of range, or scores not finite")
    elif not math.isfinite(torch.where(known, scores.detach().sum(), math.nan).item()):
        raise_bad_numbers(scores, target)


def check_beta(beta: float, dtype: torch.dtype) -> None:
    if beta > torch.finfo(dtype).max:
        raise ValueError(f"β is {beta:g}, more than {dtype} can hold; use a smaller schedule, or float64.")


def is_recording(tensor: Tensor) -> bool:
    """Whether operations are not carried out, but recorded for a CUDA graph."""
    return tensor.is_cuda and torch.cuda.is_current_stream_capturing()


def _known(scores: Tensor, target: Tensor) -> Tensor:
    return (target >= 0) & (target < n_classes(scores))


def raise_bad_numbers(scores: Tensor, target: Tensor) -> None:
    """Raise a ValueError that names the bad label or score, if there is one."""
    unknown = target[~_known(scores, target)]
    if len(unknown):
        raise ValueError(
            f"target holds {int(unknown[0])}, but class numbers go from 0 to {n_classes(scores) - 1}, since "
            f"there {'is one neuron' if scores.shape[1] == 1 else f'are {scores.shape[1]} neurons'}; number "
            "the classes so."
        )
    rows = (~scores.isfinite()).any(1)
    if not bool(rows.any()):  # it was their sum that overflowed
        return
    raise ValueError(
        f"The scores of {int(rows.sum())} of {len(rows)} rows are not finite (first: row "
        f"{int(rows.int().argmax())}), so nothing can be learned from them; look for NaN in the inputs, or "
        "lower the learning rate."
    )


def signs(scores: Tensor, target: Tensor) -> Tensor:
    """y of each row and neuron: 1 for the neuron of the row's class, −1 for the others."""
    if scores.shape[-1] == 1:
        return (2 * target - 1)[..., None].to(scores.dtype)
    return torch.full_like(scores, -1.0).scatter_(-1, target[..., None], 1.0)


def _describe(tensor: Tensor) -> str:
    return f"{str(tensor.dtype).removeprefix('torch.')} of shape {tuple(tensor.shape)}"


def shortfall(scores: Tensor, target: Tensor, beta: Any, reduction: str) -> tuple[Tensor, Tensor]:
    """The loss, and which rows are in violation. Bad numbers raise. On a GPU: `unwaited.py`."""
    if torch.compiler.is_compiling():
        return _for_compilers(scores, target, beta, reduction)
    return _by_one_pass(scores, target, beta, reduction)


class Shortfall(torch.autograd.Function):
    """Of scores and signs y whose last axes are (rows, neurons); also where y·score ≤ β."""

    @staticmethod
    def forward(ctx: Any, scores: Tensor, y: Tensor, beta: Any, reduction: str) -> tuple[Tensor, Tensor]:
        short = beta - y * scores
        violated = short >= 0
        ctx.mark_non_differentiable(violated)
        share = share_of(scores, reduction)
        ctx.save_for_backward(-share * y * violated)
        losses = short.clamp_(min=0.0)  # which keeps NaN
        return losses.sum(-1) if reduction == "none" else losses.sum() * share, violated

    @staticmethod
    def backward(ctx: Any, slope: Tensor, _: Tensor) -> tuple[Tensor, None, None, None]:
        return chained(ctx, slope), None, None, None


def _for_compilers(scores: Tensor, target: Tensor, beta: Any, reduction: str) -> tuple[Tensor, Tensor]:
    check_numbers(scores, target)
    neurons = torch.arange(n_classes(scores), device=scores.device)[-scores.shape[1] :]
    short = beta - torch.where(target[:, None] == neurons, scores, -scores)
    violated = short >= 0
    losses = torch.where(violated, short, 0.0).sum(1)
    return losses if reduction == "none" else losses.sum() * share_of(scores, reduction), violated.any(1)


def _by_one_pass(scores: Tensor, target: Tensor, beta: Any, reduction: str) -> tuple[Tensor, Tensor]:
    rows, labels = scores.detach().contiguous().numpy(), target.contiguous().numpy()
    check_beta(float(beta), scores.dtype)
    slopes = torch.empty(scores.shape, dtype=scores.dtype)
    losses = torch.empty(len(rows), dtype=scores.dtype)
    violated = torch.empty(len(rows), dtype=torch.bool)
    share = share_of(scores, reduction)
    outputs = slopes.numpy(), losses.numpy(), violated.numpy()
    total = fill_shortfall(rows, labels, rows.dtype.type(beta), share, *outputs)
    if math.isnan(total):
        raise_bad_numbers(scores, target)
    return _KnownLoss.apply(scores, losses if reduction == "none" else total, slopes), violated


class _KnownLoss(torch.autograd.Function):
    """A loss whose value and derivatives are known."""

    @staticmethod
    def forward(ctx: Any, scores: Tensor, loss: Tensor | float, slopes: Tensor) -> Tensor:
        ctx.save_for_backward(slopes)
        return loss if isinstance(loss, Tensor) else torch.tensor(loss, dtype=scores.dtype)

    @staticmethod
    def backward(ctx: Any, slope: Tensor) -> tuple[Tensor, None, None]:
        return chained(ctx, slope), None, None


def weighted(losses: Tensor, weights: Tensor, reduction: str) -> Tensor:
    """The losses of rows times their weights; a mean is over the number of rows, whatever they weigh."""
    if not isinstance(weights, Tensor) or weights.shape != losses.shape or weights.device != losses.device:
        given = _describe(weights) if isinstance(weights, Tensor) else type(weights).__name__
        raise ValueError(
            f"weights are {given}, but must be a tensor of shape ({len(losses)},) on {losses.device}: a "
            "number per row of scores."
        )
    products = weights.to(losses.dtype) * losses
    if reduction == "none":
        return products
    return products.sum() if reduction == "sum" else products.mean()


def share_of(scores: Tensor, reduction: str) -> float:
    return 1.0 / len(scores) if reduction == "mean" else 1.0


def chained(ctx: Any, slope: Tensor) -> Tensor:
    """The gradient, from what comes back for the loss, or for the loss of each row."""
    (slopes,) = ctx.saved_tensors
    return slopes * (slope[..., None] if slope.ndim else slope)  # type: ignore[no-any-return]


@compiled
def fill_shortfall(scores, target, beta, share, slopes, losses, violated):
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
