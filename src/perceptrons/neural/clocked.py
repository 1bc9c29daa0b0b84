"""`ClockedReLU`: hidden neurons with a margin, and a clock, of their own (end of Moran et al., Section 3).

The authors propose to move the input of each ReLU neuron by a β of its own, which may change while it
learns: an internal clock.

The paper does not say what makes a clock tick. Time is counted in updates, as in all of it: here a row ticks
for the neurons that are active in it, x + β > 0, as it can correct no others.

PyTorch's ReLU is kept as it is: its derivative at x + β = 0 is 0, while that of `MarginLoss` is 1. A hidden
neuron starts from random weights, so none needs it to move.
"""

import math
from numbers import Integral
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from ..checks import flag, number
from .schedules import Adaptive, Growing


class ClockedReLU(nn.Module):
    """ReLU(x + β), with a β for each neuron, to be used as `torch.nn.ReLU` is.

    Parameters
    ----------
    n_neurons : int
        The last dimension of x.
    beta : float, sequence of floats or Growing, default 0.0
        A number >= 0 for all neurons, one for each neuron, or `Growing`: β = scale · t^power with a clock t
        per neuron.
    learn : bool, default False
        Whether β is a parameter, which an optimizer may change, also to below 0. It starts from `beta`.

    Attributes
    ----------
    beta : tensor
        The current β of each neuron.
    clock : buffer
        With `Growing` alone: the number of rows in which each neuron was active, x + β > 0. It counts while
        the module is in training mode; all rows of a batch are judged by the β at its start.

    Notes
    -----
    The output has the precision of x. No gradient reaches the β of `Growing`. Behind a layer with a bias a
    constant β is but another start of the bias, and a learned one a second bias. A β that grows faster than x
    makes a neuron active in all rows, and so linear: try `Growing.reaching(0.1, rows · epochs)` first.

    Examples
    --------
    >>> import torch
    >>> from perceptrons.neural import ClockedReLU, Growing
    >>> activation = ClockedReLU(2, Growing(0.5))
    >>> x = torch.tensor([[1.0, -0.5], [2.0, -0.5], [1.0, 0.5], [3.0, -2.0]])
    >>> activation(x).tolist()  # β = 0
    [[1.0, 0.0], [2.0, 0.0], [1.0, 0.5], [3.0, 0.0]]
    >>> activation.clock.tolist(), activation.beta.tolist()
    ([4, 1], [2.0, 1.0])
    >>> activation(x)[0].tolist()
    [3.0, 0.5]
    """

    clock: Tensor
    shift: Tensor

    def __init__(self, n_neurons: int, beta: Any = 0.0, *, learn: bool = False) -> None:
        super().__init__()
        self.n_neurons = int(
            number("n_neurons", n_neurons, "[1, inf)", "use the size of the layer before", Integral)
        )
        self.learn = flag("learn", learn)
        self.schedule = _read_schedule(beta, self.learn)
        if self.schedule:
            self.register_buffer("clock", torch.zeros(self.n_neurons, dtype=torch.int64))
        elif self.learn:
            self.shift = nn.Parameter(_read_beta(beta, self.n_neurons))
        else:
            self.register_buffer("shift", _read_beta(beta, self.n_neurons))

    def forward(self, x: Tensor) -> Tensor:
        if x.shape[-1:] != (self.n_neurons,) or not x.is_floating_point():
            raise ValueError(
                f"x is {x.dtype} of shape {tuple(x.shape)}, but must be floats whose last dimension is the "
                f"number of neurons, {self.n_neurons}; give n_neurons the size of the layer before."
            )
        moved = x + self._beta(x.dtype)
        if self.schedule and self.training:
            self.clock += (moved.detach() > 0).reshape(-1, self.n_neurons).sum(0)
        return torch.relu(moved)

    @property
    def beta(self) -> Tensor:
        """β of each neuron now."""
        return self._beta(torch.get_default_dtype() if self.schedule else self.shift.dtype)

    def _beta(self, dtype: torch.dtype) -> Tensor:
        """In half precision 257 is 256, so time is counted in single precision at least."""
        if self.schedule is None:
            return self.shift.to(dtype)
        beta: Tensor = self.schedule.at(self.clock.to(torch.promote_types(dtype, torch.float32)))
        return beta.to(dtype)

    def extra_repr(self) -> str:
        return f"{self.n_neurons}, " + (f"beta={self.schedule}" if self.schedule else f"learn={self.learn}")


def _read_schedule(beta: Any, learn: bool) -> Growing | None:
    """The schedule of β, None if it has none."""
    if isinstance(beta, Adaptive):
        raise ValueError(
            f"beta={beta}, but it is set by the norms of rows, which a neuron inside a network does not "
            "know; use Growing(power), and Adaptive() in MarginLoss."
        )
    if not isinstance(beta, Growing):
        return None
    if learn:
        raise ValueError(f"learn=True, but beta={beta} is set by a clock; use learn=False, or a number.")
    return beta


def _read_beta(beta: Any, n_neurons: int) -> Tensor:
    """A number for each neuron, in PyTorch's default precision and in memory of its own."""
    try:
        values = beta.detach() if isinstance(beta, Tensor) else torch.from_numpy(np.array(beta))
    except (TypeError, ValueError):
        raise _bad_beta(f"={beta!r}", n_neurons) from None
    if values.dtype == torch.bool or values.is_complex():
        raise _bad_beta(f"={beta!r}", n_neurons)
    if values.shape not in ((), (n_neurons,)):
        raise _bad_beta(f" of shape {tuple(values.shape)}", n_neurons)
    values = values.to(torch.get_default_dtype()).expand(n_neurons).clone()
    bad = values[~((values >= 0) & (values < math.inf))]
    if len(bad):
        raise _bad_beta(f" holds {bad[0]:g}", n_neurons)
    return values


def _bad_beta(problem: str, n_neurons: int) -> ValueError:
    return ValueError(
        f"beta{problem}, but it must be a finite number >= 0, {n_neurons} of them, one per neuron, or "
        "Growing(power); use 0 for a plain ReLU."
    )
