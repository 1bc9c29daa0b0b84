"""`MarginLoss`: the perceptron's growing margin as a loss (Moran et al., Section 3).

Of a row, ReLU(β − y·score) summed over output neurons, y = ±1, one against the rest. For β = 0 its gradient
corrects a neuron as Rosenblatt's rule does, for β = 1 it is the hinge loss, and β may grow with the number of
updates, as in Algorithms 3 and 4.

Deviation: PyTorch's ReLU has the derivative 0 at 0, here it is 1. Else weights that start from 0 would never
move where β = 0, and a row in violation is one with y·score ≤ β, as in all of this library.
"""

from typing import Any

import torch
from torch import Tensor, nn

from ..checks import one_of
from .schedules import Adaptive, Algorithm4, Growing, read_schedule
from .shortfall import checked, is_recording, shaped, shortfall, signs, weighted

REDUCTIONS = ("mean", "sum", "none")


class MarginLoss(nn.Module):
    """A loss for classifiers, to be used as `torch.nn.CrossEntropyLoss` is.

    Parameters ---------- schedule : β, what y·score of every output neuron is to exceed: a number >= 0,
    `Growing`, `Algorithm4` or `Adaptive`. reduction : {"mean", "sum", "none"}, of the losses of rows; that of
    a row is the sum over its neurons.

    Attributes
    ----------
    clock : a buffer, the number of updates: rows in violation, one or more of whose neurons had y·score ≤ β.
        It counts what is learned from: not under `torch.no_grad()`, nor after `loss.eval()`. All rows of a
        batch are judged by the β it began with.
    margin : β now.

    Notes
    -----
    `loss(scores, target)` takes scores of shape (rows, neurons) and class numbers; one neuron tells the
    classes 0 and 1 apart. An `Adaptive` schedule needs a third argument, the features that reach the output
    neurons. With `weights`, a number >= 0 per row, each multiplies the loss of its row, and "mean" divides by
    the number of rows; the clock counts rows in violation whatever they weigh. Half precision is computed in
    single precision. Scores that are not finite, and labels out of range, raise before anything is counted;
    on a GPU this waits for the scores, except in compiled code, where they end the run.

    Examples
    --------
    >>> import torch
    >>> from perceptrons.neural import Growing, MarginLoss
    >>> loss = MarginLoss(Growing(0.5))
    >>> scores = torch.tensor([[0.5, -2.0], [0.0, 3.0]], requires_grad=True)
    >>> loss(scores, torch.tensor([0, 1])).item()  # β = 0: only the 0 is in violation, and costs nothing
    0.0
    >>> loss.clock.item(), loss.margin
    (1, 1.0)
    >>> loss(scores, torch.tensor([0, 1])).item()  # β = 1: 0.5 falls short by 0.5, 0 by 1; the mean of rows
    0.75
    """

    clock: Tensor
    level: Tensor

    def __init__(self, schedule: Any = 1.0, reduction: str = "mean") -> None:
        super().__init__()
        self.schedule = read_schedule(schedule)
        self.reduction = one_of("reduction", reduction, REDUCTIONS)
        self.register_buffer("clock", torch.zeros((), dtype=torch.int64))
        if isinstance(self.schedule, Adaptive):
            self.register_buffer("level", torch.zeros(()))  # β, as rows have set it

    def forward(
        self,
        scores: Tensor,
        target: Tensor,
        features: Tensor | None = None,
        weights: Tensor | None = None,
    ) -> Tensor:
        scores, target = shaped(scores, target)
        if self.clock.device != scores.device:
            raise ValueError(
                f"The scores are on {scores.device}, but the loss is on {self.clock.device}, where its clock "
                f"counts; use loss.to({str(scores.device)!r})."
            )
        reduction = self.reduction if weights is None else "none"
        losses, violated = shortfall(scores, target, self._beta(scores), reduction)
        losses = losses if weights is None else weighted(losses, weights, self.reduction)
        if self.training and torch.is_grad_enabled():
            self._advance(violated, features)
        return losses

    def violations(self, scores: Tensor, target: Tensor) -> Tensor:
        """Which rows are in violation now; the clock does not count them."""
        with torch.no_grad():
            scores, target = checked(scores, target)
            violated: Tensor = scores * signs(scores, target) <= self._beta(scores)
            return violated.any(1)

    @property
    def margin(self) -> float:
        """β now."""
        return float(self._beta(torch.empty(0, dtype=torch.float64)))

    def _beta(self, scores: Tensor) -> Any:
        """β as a number, or, not to wait for a GPU, as a tensor in the precision of the scores."""
        if isinstance(self.schedule, Growing | Algorithm4):
            waits = not self.clock.is_cpu or torch.compiler.is_compiling()
            return self.schedule.at(self.clock.to(scores.dtype) if waits else self.clock.item())
        return self.level.to(scores.dtype) if isinstance(self.schedule, Adaptive) else self.schedule

    def _advance(self, rows: Tensor, features: Tensor | None) -> None:
        """Count the rows in violation; the longest of them may set β anew."""
        if isinstance(self.schedule, Adaptive):
            longest = self._longest(self.schedule, rows, features)
            self.level.copy_(torch.where(self.level < longest, 4.0 * longest, self.level))
        self.clock += rows.sum()

    @torch.no_grad()
    def _longest(self, schedule: Adaptive, rows: Tensor, features: Tensor | None) -> Tensor:
        """scale · ‖x‖² of the longest row in violation, 0 if there is none."""
        if features is None or features.ndim != 2 or len(features) != len(rows):
            given = "no features" if features is None else f"features of shape {tuple(features.shape)}"
            raise ValueError(
                f"{schedule} needs the rows that reach the output neurons, and got {given}; call "
                f"loss(scores, target, features) with features of shape ({len(rows)}, columns)."
            )
        squares = schedule.scale * (features.float().square().sum(1) + schedule.lift**2)
        longest = torch.where(rows, squares, 0.0).max()
        holds = 4.0 * longest <= torch.finfo(self.level.dtype).max
        if torch.compiler.is_compiling():
            torch._assert_async(holds, "features too large, or not finite")
        elif not is_recording(rows) and not holds:
            raise ValueError(
                f"Four times the squared norm of the features is {4.0 * longest.item():g}, more than "
                f"{self.level.dtype} can hold, so {schedule} cannot follow; normalize the features, or use "
                "another schedule."
            )
        return longest

    def extra_repr(self) -> str:
        return f"{self.schedule}, reduction={self.reduction!r}"
