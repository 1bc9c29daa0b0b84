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
from .shortfall import checked, shaped, shortfall, signs, weighted
from .unwaited import LateErrors, LossTally, unwaited_shortfall

REDUCTIONS = ("mean", "sum", "none")


class MarginLoss(nn.Module):
    """A loss for classifiers, to be used as `torch.nn.CrossEntropyLoss` is.

    Parameters
    ----------
    schedule : float, Growing, Algorithm4 or Adaptive, default 1.0
        The target β, which y·score of every output neuron is to exceed; a number is >= 0.
    reduction : {"mean", "sum", "none"}, default "mean"
        How the losses of rows are combined; the loss of a row is the sum over its neurons.

    Attributes
    ----------
    clock : buffer
        The number of updates: rows in violation, one or more of whose neurons had y·score ≤ β. It counts the
        rows that are learned from: not under `torch.no_grad()`, nor after `loss.eval()`. All rows of a batch
        are judged by the β at its start.
    margin : float
        The current β.

    Notes
    -----
    `loss(scores, target)` takes scores of shape (rows, neurons) and class numbers; one neuron tells the
    classes 0 and 1 apart. An `Adaptive` schedule needs a third argument, the features that reach the output
    neurons. With `weights`, a number >= 0 per row, each multiplies the loss of its row, and "mean" divides by
    the number of rows; the clock counts rows in violation whatever they weigh. Half precision is computed in
    single precision. Scores that are not finite, and labels out of range, raise before anything is counted;
    in compiled code they end the run. A GPU is not waited for: there the loss of their batch is NaN, it is
    not counted, and one of the next 64 calls raises, or `check()`, which waits.

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
    bad: Tensor
    level: Tensor

    def __init__(self, schedule: Any = 1.0, reduction: str = "mean") -> None:
        super().__init__()
        self.schedule = read_schedule(schedule)
        self.reduction = one_of("reduction", reduction, REDUCTIONS)
        self.register_buffer("clock", torch.zeros((), dtype=torch.int64))
        self.register_buffer("bad", torch.zeros((), dtype=torch.int64), persistent=False)
        self._late = LateErrors()
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
        learns = self.training and torch.is_grad_enabled()
        violated: Tensor | None
        reduction = self.reduction if weights is None else "none"
        if scores.is_cpu or torch.compiler.is_compiling():
            losses, violated = shortfall(scores, target, self._beta(scores), reduction)
        else:
            losses, violated = self._unwaited(scores, target, reduction, learns)
        losses = losses if weights is None else weighted(losses, weights, self.reduction)
        if learns:
            self._advance(violated, features)
        return losses

    def _unwaited(
        self, scores: Tensor, target: Tensor, reduction: str, learns: bool
    ) -> tuple[Tensor, Tensor | None]:
        """On a GPU the clock is moved by what computes the loss."""
        tally = LossTally(self.clock if learns else torch.zeros_like(self.clock), self.bad)
        schedule, beta = self.schedule, lambda: self._beta(scores)
        losses, violated = unwaited_shortfall(scores, target, schedule, self.clock, beta, reduction, tally)
        self._late.look(self.bad)
        return losses, violated

    def check(self) -> None:
        """Raise a ValueError if a batch on a GPU had bad numbers; this waits for the GPU."""
        self._late.raise_now(self.bad)

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
            if self.clock.is_cpu and not torch.compiler.is_compiling():
                return self.schedule.at(self.clock.item())
            return self.schedule.at(self.clock.to(scores.dtype))
        return self.level.to(scores.dtype) if isinstance(self.schedule, Adaptive) else self.schedule

    def _advance(self, rows: Tensor | None, features: Tensor | None) -> None:
        """Count the rows in violation; the longest of them may set β again."""
        if rows is None:  # a GPU has counted them
            return
        if isinstance(self.schedule, Adaptive):
            longest = self._longest(self.schedule, rows, features)
            self.level.copy_(torch.where(self.level < longest, 4.0 * longest, self.level))
        if rows.is_cpu or torch.compiler.is_compiling():
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
        elif not rows.is_cpu:
            self.bad += ~holds
            return torch.where(holds, longest, 0.0)
        elif not holds:
            raise ValueError(
                f"Four times the squared norm of the features is {4.0 * longest.item():g}, more than "
                f"{self.level.dtype} can hold, so {schedule} cannot follow; normalize the features, or use "
                "another schedule."
            )
        return longest

    def extra_repr(self) -> str:
        return f"{self.schedule}, reduction={self.reduction!r}"
