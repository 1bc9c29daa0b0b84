# mypy: allow-untyped-defs, allow-untyped-calls
"""`MarginLoss` on a GPU, which is never waited for: one kernel of Triton, or, without it, tensor operations.

What is computed and what is bad are those of `shortfall.py`. A bad row, one with a label out of range or a
score that is not finite, makes the loss NaN, teaches nothing, and keeps its batch from being counted; how
many there were is counted on the GPU, and told later (`LateErrors`).
"""

from typing import Any, NamedTuple, TypeAlias

import torch
from torch import Tensor

from ..devices import has_triton
from .schedules import Adaptive
from .shortfall import chained, check_beta, is_recording, n_classes, share_of

LATE = 32  # calls of a loss between two looks
MOST_NEURONS = 16_384  # of the kernel, whose tile is as wide


Outcome: TypeAlias = tuple[Tensor, Tensor | None]


class LossTally(NamedTuple):
    """What a loss counts on the GPU, each a number in a tensor."""

    n_violated: Tensor
    n_bad: Tensor


def unwaited_shortfall(
    scores: Tensor, target: Tensor, schedule: Any, clock: Tensor, beta: Any, reduction: str, tally: LossTally
) -> Outcome:
    """The loss, and which rows are in violation, or None if the schedule does not depend on it; `beta()` is
    that of the schedule, in a tensor or a number."""
    if isinstance(schedule, float):
        check_beta(schedule, scores.dtype)
    if is_fused(scores):
        fused: Outcome = FusedShortfall.apply(scores, target, schedule, clock, beta, reduction, tally)
        return fused
    found: Outcome = TensorShortfall.apply(scores, target, beta(), reduction, tally)
    return found


def is_fused(scores: Tensor) -> bool:
    return scores.is_cuda and scores.shape[1] <= MOST_NEURONS and has_triton(scores.device)


class FusedShortfall(torch.autograd.Function):
    """By one kernel."""

    @staticmethod
    def forward(ctx, scores, target, schedule, clock, beta, reduction, tally):
        from .triton_shortfall import fill, told

        share = share_of(scores, reduction)
        each = reduction == "none"
        margin, who = told(schedule, clock, beta), isinstance(schedule, Adaptive)
        filled = fill(scores, target, None, margin, tally, shares=(share, share), each=each, who=who)
        if who:
            ctx.mark_non_differentiable(filled.violated)
        ctx.save_for_backward(filled.slopes)
        return filled.losses if each else filled.value, filled.violated if who else None

    @staticmethod
    def backward(ctx, slope, _):
        return chained(ctx, slope), None, None, None, None, None, None


class TensorShortfall(torch.autograd.Function):
    """By tensor operations, on any device."""

    @staticmethod
    def forward(ctx, scores, target, beta, reduction, tally):
        neurons = torch.arange(n_classes(scores), device=scores.device)[-scores.shape[1] :]
        own = target[:, None] == neurons
        fine = (target >= 0) & (target < n_classes(scores)) & scores.isfinite().all(1)
        short = beta - torch.where(own, scores, -scores)
        violated = (short >= 0) & fine[:, None]
        share, rows = share_of(scores, reduction), violated.any(1)
        ctx.mark_non_differentiable(rows)
        ctx.save_for_backward(torch.where(own, -share, share).to(scores.dtype) * violated)
        losses = torch.where(fine, torch.where(violated, short, 0.0).sum(1), torch.nan)
        tally.n_violated.add_(rows.sum() * fine.all())
        tally.n_bad.add_((~fine).sum())
        return losses if reduction == "none" else losses.sum() * share, rows

    @staticmethod
    def backward(ctx, slope, _):
        return chained(ctx, slope), None, None, None, None


class LateErrors:
    """Tells of bad rows without waiting: now and then their number is copied, and read when it has come."""

    def __init__(self) -> None:
        self.n_calls = 0
        self.copied: Tensor | None = None
        self.event: Any = None

    def __reduce__(self) -> Any:
        return LateErrors, ()

    def look(self, bad: Tensor) -> None:
        """To be called after each batch."""
        self.n_calls += 1
        if self.n_calls % LATE or is_recording(bad):
            return
        if self.copied is not None and (self.event is None or self.event.query()) and int(self.copied):
            self.raise_now(bad)
        self.copied, self.event = bad.to("cpu", non_blocking=True), None
        if bad.is_cuda:
            self.event = torch.cuda.Event()
            self.event.record(torch.cuda.current_stream(bad.device))

    def raise_now(self, bad: Tensor) -> None:
        """Wait, and raise a ValueError if there were bad rows; they are then forgotten."""
        n_bad = int(bad)
        self.copied = None
        bad.zero_()
        if n_bad:
            raise ValueError(
                f"{n_bad} rows that the loss has met since it last looked had scores, or features, that are "
                "not finite, or labels out of range; their batches had a loss of NaN and were not counted. "
                "Look for NaN in the inputs, number the classes from 0, or lower the learning rate."
            )
