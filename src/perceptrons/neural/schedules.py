"""What a score must exceed, and how that grows: β of Moran et al., Sections 2 and 3.

A schedule is a number, `Growing`, `Algorithm4` or `Adaptive`. Time t is counted in updates: rows in
violation, y·score ≤ β.
"""

import math
from dataclasses import dataclass
from typing import Any

from ..checks import is_number, number


@dataclass(frozen=True)
class Growing:
    """β = scale · t^power, in the spirit of Algorithm 4.

    Parameters
    ----------
    power : float
        The exponent, between 0 and 1. With 1 or more β would grow faster than the scores, which grow by
        updates.
    scale : float, default 1.0
        The factor, > 0. An update moves a score by about (learning rate) · (squared norm of the features), so
        one neuron needs a scale of that order; see `reaching` for another way to choose it.

    Examples
    --------
    >>> from perceptrons.neural import Growing
    >>> Growing(0.5, scale=3).at(16)
    12.0
    """

    power: float
    scale: float = 1.0

    def __post_init__(self) -> None:
        number("power", self.power, "(0, 1)", "use 0.5, or a constant schedule")
        number("scale", self.scale, "(0, inf)", "use 1")

    @classmethod
    def reaching(cls, margin: float, updates: float, power: float = 0.5) -> "Growing":
        """The schedule whose β is `margin` after this number of updates."""
        cls(power)
        number("margin", margin, "(0, inf)", "use 10")
        number("updates", updates, "(0, inf)", "use the number of rows times that of epochs")
        return cls(power, margin / updates**power)

    def at(self, t: Any) -> Any:
        """β after t updates, a number or a tensor of them."""
        return self.scale * t**self.power


@dataclass(frozen=True)
class Algorithm4:
    """β = scale · ((t + 1)^alpha − t^alpha − 1)/2, the schedule of the paper's Algorithm 4.

    A neuron is that algorithm exactly if it has no bias, starts from weights of 0, and sees one row of norm
    ≤ 1 at a time, with learning rate 1.

    Parameters
    ----------
    alpha : float, default 1.5
        The exponent, in (1, 2). A value nearer to 2 gives a larger margin and takes more updates.
    scale : float, default 1.0
        The factor, > 0; rows of norm ≤ R with a learning rate η need ηR².

    Examples
    --------
    >>> from perceptrons.neural import Algorithm4
    >>> Algorithm4(1.5).at(0), round(Algorithm4(1.5).at(3), 4)
    (0.0, 0.9019)
    """

    alpha: float = 1.5
    scale: float = 1.0

    def __post_init__(self) -> None:
        number("alpha", self.alpha, "(1, 2)", "use 1.5; nearer to 2 gives more margin")
        number("scale", self.scale, "(0, inf)", "use 1")

    def at(self, t: Any) -> Any:
        """β after t updates, a number or a tensor of them. For tensors, which may be of single precision,
        (t + 1)^alpha − t^alpha is not taken as the difference of two large numbers."""
        if is_number(t):
            return self.scale * 0.5 * ((t + 1.0) ** self.alpha - float(t) ** self.alpha - 1.0)
        later = t.clamp(min=1.0)
        growth = later**self.alpha * (self.alpha * (1.0 / later).log1p()).expm1()
        return self.scale * 0.5 * (growth - 1.0) * (t > 0)


@dataclass(frozen=True)
class Adaptive:
    """β = 4 · scale · ‖x‖² of the first row in violation; again when one is twice as long: Algorithm 3.

    Rows x are the features that reach the output neurons, so the loss must be given them.

    Parameters
    ----------
    scale : float, default 1.0
        The factor, > 0, by which a row corrects the weights: the learning rate, divided by the size of a
        batch whose mean is taken.
    lift : float, default 1.0
        What the bias adds to a row: 1, or 0 for neurons without bias.

    Examples
    --------
    >>> import torch
    >>> from perceptrons.neural import Adaptive, MarginLoss
    >>> loss = MarginLoss(Adaptive(lift=0))
    >>> features, target = torch.tensor([[3.0, 0.0], [0.0, 1.0]]), torch.tensor([1, 0])
    >>> _ = loss(torch.zeros(2, 1), target, features)
    >>> loss.margin  # 4 · ‖x‖² of the first row, which is not half as long as another
    36.0
    """

    scale: float = 1.0
    lift: float = 1.0

    def __post_init__(self) -> None:
        number("scale", self.scale, "(0, inf)", "use the learning rate")
        if not is_number(self.lift) or not 0.0 <= self.lift < math.inf:
            raise ValueError(f"lift={self.lift!r}, but it must be a number >= 0; use 0 without a bias.")


Schedule = float | Growing | Algorithm4 | Adaptive


def read_schedule(schedule: Any) -> Schedule:
    """The schedule, if it is one."""
    if isinstance(schedule, Growing | Algorithm4 | Adaptive):
        return schedule
    if not is_number(schedule) or not 0.0 <= schedule < math.inf:
        raise ValueError(
            f"schedule={schedule!r}, but it must be a number >= 0, Growing(power), Algorithm4() or "
            "Adaptive(); a row is to exceed it, so use 0 to ask for the right sign alone."
        )
    return float(schedule)
