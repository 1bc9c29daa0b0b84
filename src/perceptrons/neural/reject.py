"""`RejectLoss`: networks that may reject rows, which Sundararajan and Pal leave to future work (Section 5).

Their costs (equation 2) are steps as functions of the scores, and have no gradient. Here they are smoothed: a
row of class y costs what is expected if the action is drawn, by a softmax over (s_k − λ_k)/T for the answer k
and 0 for the rejection. As T → 0 this is the exact cost of the decision: the k of largest s_k − λ_k, if that
is ≥ 0, else a rejection. One neuron s stands for s₁ = s and s₀ = −s; its decision is equation 6, class 1 if
s ≥ λ₁, class 0 if s ≤ −λ₀.

Deviations. λ = softplus(raw), so that steps keep it ≥ 0; it may come near 0, but not reach it. A rejected row
would get the k of largest s_k − λ_k, not of largest s_k: the loss knows their differences alone. Costs are in
units of the largest a + b, as for `ConservativePerceptron`, so that steps do not depend on the unit.
"""

import math
from collections.abc import Sequence
from numbers import Integral
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import pad, softplus

from ..checks import number, one_of
from ..rejection.costs import Costs, Prices
from .loss import REDUCTIONS
from .shortfall import checked, weighted

LEAST, MOST = 1e-30, 1e30  # what single precision can divide by, and hold


class RejectLoss(nn.Module):
    """What answers and rejections cost, made smooth, with a band to be learned for each class.

    Parameters
    ----------
    costs : Costs
        The costs. Rejections must cost something, or right answers earn something.
    n_classes : int, default 2
        The number of classes.
    classes : sequence or None, default None
        The names of the classes, in the order of class numbers, for costs that name classes; `n_classes` is
        then their number.
    temperature : float, default 1.0
        T > 0. The smaller it is, the closer the loss is to the exact costs, and the fewer rows it learns
        from.
    band : float, default 1.0
        The start of all bands, > 0. Small bands hardly move: the step of a band has the factor (1 −
        exp(−band))².
    reduction : {"mean", "sum", "none"}, default "mean"
        How the costs of rows are combined.

    Attributes
    ----------
    raw_bands : parameter
        One number per class; the optimizer needs `loss.parameters()`, too.
    bands : tensor
        The bands λ = softplus(raw_bands).

    Notes
    -----
    `loss(scores, target)` takes scores of shape (rows, neurons) and class numbers. There is a neuron per
    class, whose bias and band then matter by their difference alone, or one neuron for two classes. With
    `weights`, a number >= 0 per row, each multiplies the cost of its row, and "mean" divides by the number of
    rows. Half precision is computed in single precision; bad scores and labels raise as in `MarginLoss`.

    The loss is bounded, so rows far from every border teach nothing: a network that starts with it may end by
    rejecting all rows, or all of some class. Train with `MarginLoss` first, and let this loss finish.

    Examples
    --------
    >>> import torch
    >>> from perceptrons import Costs
    >>> from perceptrons.neural import RejectLoss
    >>> loss = RejectLoss(Costs(reject=0.2))
    >>> scores, target = torch.tensor([3.0, 0.5, -2.0]), torch.tensor([1, 1, 1])
    >>> codes, rejected = loss.decide(scores)
    >>> codes.tolist(), rejected.tolist()
    ([1, 1, 0], [False, True, False])
    >>> round(loss.risk(scores, target), 6)  # a right answer, a rejection, an error: (0 + 0.2 + 1) / 3
    0.4
    >>> round(loss(scores, target).item(), 3)
    0.344
    """

    prices: Tensor

    def __init__(
        self,
        costs: Costs,
        n_classes: int = 2,
        *,
        classes: Sequence[Any] | None = None,
        temperature: float = 1.0,
        band: float = 1.0,
        reduction: str = "mean",
    ) -> None:
        super().__init__()
        self.costs = costs
        self._prices = _read_prices(costs, n_classes, classes)
        self.temperature = float(number("temperature", temperature, f"({LEAST}, inf)", "use 1"))
        self.reduction = one_of("reduction", reduction, REDUCTIONS)
        start = float(number("band", band, f"(0, {MOST})", "use 1"))
        raw = start + math.log(-math.expm1(-start))  # whose softplus is the band
        self.raw_bands = nn.Parameter(torch.full((self.n_classes,), raw))
        scaled = torch.tensor([part.tolist() for part in self._prices.in_steps()])  # a, b, c: a row each
        self.register_buffer("prices", scaled, persistent=False)

    @property
    def n_classes(self) -> int:
        return len(self._prices.gain)

    @property
    def bands(self) -> Tensor:
        """λ of each class."""
        return softplus(self.raw_bands.detach())

    def forward(self, scores: Tensor, target: Tensor, weights: Tensor | None = None) -> Tensor:
        scores, target = checked(scores, target)
        chances = self._chances(self._worth(scores))
        right, rejected = chances.gather(1, target[:, None])[:, 0], chances[:, -1]
        gain, wrong, reject = self.prices.to(chances.dtype)[:, target]
        costs: Tensor = wrong - (gain + wrong) * right - (wrong - reject) * rejected
        if weights is not None:
            return weighted(costs, weights, self.reduction)
        if self.reduction == "none":
            return costs
        return costs.sum() if self.reduction == "sum" else costs.mean()

    @torch.no_grad()
    def decide(self, scores: Tensor) -> tuple[Tensor, Tensor]:
        """Of each row: the number of the class it would get, and whether it is rejected."""
        scores, _ = checked(scores, scores.new_zeros(scores.shape[:1], dtype=torch.int64))
        worth = self._worth(scores)
        if scores.shape[1] == 1:  # of equals class 1, the side of a score of 0
            return (worth[:, 1] >= worth[:, 0]).long(), worth.amax(1) < 0
        return worth.argmax(1), worth.amax(1) < 0

    def risk(self, scores: Tensor, target: Tensor) -> float:
        """The mean cost of the decisions, in the units of `costs`."""
        scores, target = checked(scores, target)
        codes, rejected = self.decide(scores)
        rows = (target, codes == target, rejected)
        return float(self._prices.of_rows(*(part.cpu().numpy() for part in rows)).mean())

    def _worth(self, scores: Tensor) -> Tensor:
        """s_k − λ_k of each row and class: whether to answer k rather than to reject."""
        n_neurons = scores.shape[1]
        if n_neurons == 1:
            scores = torch.cat([-scores, scores], 1)
        if scores.shape[1] != self.n_classes:
            raise ValueError(
                f"scores have n_neurons={n_neurons}, but n_classes={self.n_classes}; let the network have a "
                "neuron for each class, or one for two classes."
            )
        return scores - softplus(self.raw_bands.to(scores.dtype))

    def _chances(self, worth: Tensor) -> Tensor:
        """With what probability each class is answered, and, last, none is."""
        actions = pad(worth, (0, 1))
        below = actions - actions.detach().amax(1, keepdim=True)  # what is > 0 may overflow by a small T
        return (below / self.temperature).softmax(1)

    def extra_repr(self) -> str:
        shown = f"n_classes={self.n_classes}, temperature={self.temperature}, reduction={self.reduction!r}"
        return f"{self.costs}, {shown}"


def _read_prices(costs: Any, n_classes: Any, classes: Sequence[Any] | None) -> Prices:
    """The costs of each class number."""
    if not isinstance(costs, Costs):
        raise ValueError(f"costs={costs!r}, but it must be a Costs object, like Costs(wrong=5, reject=1).")
    prices = costs.of(_read_names(costs, n_classes, classes))
    if prices.free:
        raise ValueError(
            f"{costs}: rejections cost nothing and right answers earn nothing, so no answer can be better "
            "than a rejection; let rejections cost something, or right answers earn something."
        )
    return prices


def _read_names(costs: Costs, n_classes: Any, classes: Sequence[Any] | None) -> list[Any]:
    number("n_classes", n_classes, "[2, inf)", "count the classes", Integral)
    if classes is None:
        if any(isinstance(part, dict) for part in vars(costs).values()):
            raise ValueError(
                f"{costs} names classes; pass classes=[...], names in the order of class numbers."
            )
        return list(range(n_classes))
    names = list(classes)
    if len(names) < 2 or len(set(names)) < len(names):
        raise ValueError(f"classes={names}, but there must be two or more, all different; name each once.")
    if n_classes not in (2, len(names)):  # 2 may be the default
        raise ValueError(f"n_classes={n_classes}, but classes={names} are {len(names)}; leave n_classes out.")
    return names
