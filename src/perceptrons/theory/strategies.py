"""The perceptron as a player: sparse strategies in the game of points against hyperplanes (Claim 4.3).

S. Moran et al., *On the Perceptron's Compression*, Section 4. The Point player draws v from a finite V, the
Hyperplane player names a unit vector w and wins ⟨w,v⟩. The value ε* of the game is the distance of 0 from the
hull of V. The perceptron with target β = 1 on V (all labels +, nothing lifted, rows divided by the largest
norm R) plays for both: after t steps its rows are a uniform strategy over t points that loses at most
‖w‖/t ≤ R √(3/t), and w/‖w‖ wins at least min ⟨w,v⟩/‖w‖.

"The ideas of Section 2 reduce the constant 3 to as close to 1 as we want": with `alpha` the targets are those
of Algorithm 4, β_t = ½((t+1)^α − t^α − 1), so ‖w‖² ≤ t^α, and where none is violated the loss is at most
‖w‖²/(tβ_t) ≤ 2/(α − t^(1−α)) times what w/‖w‖ wins. It takes (R/eps)^(2/(2−α)) steps to lose eps.

The claim's constants hold. Where no point violates the target, ⟨w,v⟩ > R² on all of V, so ε* ≥ R²/‖w‖, while
‖w‖² ≤ 3tR²: the strategy loses ‖w‖/t ≤ 3R²/‖w‖ ≤ 3ε*, and t ≥ R²/(3ε*²). The printed sup inf is at least 0
because the Hyperplane player may mix w and −w; our `lower` is that of one w and may be negative.
We deviate in correcting always the worst violator, and in stopping at a loss of `eps`.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._types import Array
from .certificate import confirm, lifted_norm
from .exact_sums import least_dot, mean, squared_length_of
from .inputs import matrix, real_in, steps_allowed, tolerance
from .outward import exact_sqnorm, quotient_below, sqrt_above


@dataclass(frozen=True, eq=False)
class SparseStrategy:
    """A uniform strategy over few points, the answer to it, and the value between the two.

    Attributes
    ----------
    rows, times : array
        The points played, by row, and how often each is in the multiset of t = Σ times points.
    w : array
        A unit vector, the strategy of the Hyperplane player.
    lower, upper : float
        The interval min ⟨w,v⟩/‖w‖ ≤ ε* ≤ ‖mean‖, in the units of V, computed exactly and rounded outward.
        Either upper ≤ eps or upper ≤ `factor`·lower.
    eps, alpha : float, and float or None
        What was asked for.

    Examples
    --------
    >>> from perceptrons.theory import sparse_strategy
    >>> played = sparse_strategy([[1.0, 1.0], [1.0, -1.0]], eps=0.1)
    >>> played.lower <= 1 <= played.upper, int(played.times.sum()) == sum(played.times.tolist())
    (True, True)
    """

    rows: Array
    times: Array
    w: Array
    lower: float
    upper: float
    eps: float
    alpha: float | None = None

    @property
    def factor(self) -> float:
        """3, or with alpha 2/(α − t^(1−α)), which is near 2/α after many steps."""
        return 3.0 if self.alpha is None else 2.0 / (self.alpha - float(self.times.sum()) ** (1 - self.alpha))

    @property
    def weights(self) -> Array:
        """The probability of each of `rows`."""
        return np.asarray(self.times / self.times.sum())

    def verify(self, V: Any) -> None:
        """Recompute everything from V; a ValueError says what does not hold."""
        V, R = _points(V)
        rows, times = np.asarray(self.rows), np.asarray(self.times)
        confirm(rows.dtype.kind in "iu" and rows.ndim == 1 and rows.size > 0, "rows are not row numbers")
        confirm(rows.min() >= 0 and rows.max() < len(V), "a row does not exist")
        confirm(len(np.unique(rows)) == len(rows), "a row is named twice")
        confirm(times.shape == rows.shape and times.dtype.kind in "iu", "times are not whole, one per row")
        confirm(times.min() > 0, "times are not positive")
        confirm(self.w.shape == V.shape[1:], "w has another dimension than V")
        confirm(abs(lifted_norm(self.w) - 1) <= 1e-9, "w is not a unit vector")
        lower, upper = _ends(V, rows, times, self.w)
        confirm(upper <= self.upper <= upper + 1e-9 * R, f"upper is {upper:.17g}")
        confirm(lower >= self.lower >= lower - 1e-9 * R, f"lower is {lower:.17g}")
        t, named = float(times.sum()), self.alpha
        fits = named is None or (isinstance(named, float) and 1.0 < named < 2.0)
        confirm(fits, f"alpha is {named!r}, neither None nor in (1, 2)")
        most = np.sqrt(3 / t) if named is None else t ** (named / 2 - 1)
        root = "sqrt(3/t)" if self.alpha is None else f"t^({self.alpha / 2 - 1:g})"
        confirm(upper <= R * (most + 1e-9), f"upper exceeds {R:.6g} {root}")
        slack = 1e-9 * R * (self.alpha is not None)  # its targets are powers, which are rounded
        confirm(
            upper <= max(self.eps, self.factor * lower + slack),
            f"upper exceeds both eps and {self.factor:.4g} lower",
        )


def sparse_strategy(
    V: Any, eps: float, *, alpha: float | None = None, max_steps: int | None = None
) -> SparseStrategy:
    """Play points against hyperplanes until the Point player loses at most eps, or at most 3ε* (Claim 4.3).

    Parameters
    ----------
    V : array-like of shape (m, n)
        The choices of the Point player, one per row.
    eps : float
        A loss that is small enough, in the units of V. 3 (R/eps)² steps always reach it.
    alpha : float or None, default None
        A number in (1, 2): the loss is then at most 2/(α − t^(1−α)) ε* after t steps, near 1.1 ε* for 1.8,
        which may take (R/eps)^(2/(2−α)) of them.
    max_steps : int or None, default None
        The largest number of steps. None is the number that may be needed, or a million if that is less. If
        it is too small a ValueError is raised.

    Examples
    --------
    >>> played = sparse_strategy([[2.0, 1.0], [2.0, -1.0], [0.0, 2.0]], eps=0.1)
    >>> dict(zip(played.rows.tolist(), played.times.tolist(), strict=True))
    {0: 1, 1: 2, 2: 2}
    >>> played.lower, played.upper  # around ε* = 4/√13 = 1.11
    (0.894..., 1.341...)
    """
    V, R = _points(V)
    eps = tolerance(eps, "largest norm")
    alpha = None if alpha is None else _alpha(alpha)
    if alpha is None:
        enough = (3 + 1e-8) * (R / eps) * (R / eps) + 1
    else:
        with np.errstate(over="ignore"):
            enough = float(np.float64(R / eps) ** (2 / (2 - alpha))) * (1 + 1e-8) + 1
    cap = steps_allowed(max_steps, enough, 1)
    times = _play(V / (R or 1.0), eps / (R or 1.0), cap, alpha)
    rows = np.flatnonzero(times)
    w = times @ (V / (R or 1.0))
    norm = lifted_norm(w)
    w = w / norm if norm > 0 else np.eye(1, V.shape[1])[0]  # a loss of 0: any answer is as good
    return SparseStrategy(rows, times[rows], w, *_ends(V, rows, times[rows], w), float(eps), alpha)


def _ends(V: Array, rows: Array, times: Array, w: Array) -> tuple[float, float]:
    """What w wins at least, per unit of its length, and what the mean of the rows loses at most."""
    upper = sqrt_above(squared_length_of(mean(times, V[rows])))
    return quotient_below(least_dot(V, w), exact_sqnorm(w)), upper


def _alpha(alpha: Any) -> float:
    return real_in(alpha, "alpha", "(1, 2)", "use 1.5; nearer to 2 a constant nearer to 1, and more steps")


def _play(V: Array, eps: float, cap: int, alpha: float | None) -> Array:
    """Algorithm 2 with β = 1 on rows of norm ≤ 1, or Algorithm 4, all positive: how often each row was
    used."""
    times = np.zeros(len(V), np.int64)
    w, t, worst = np.zeros(V.shape[1]), 0, 0
    while True:
        w += V[worst]
        times[worst] += 1
        t += 1
        loss = float(np.sqrt(w @ w)) / t
        if loss <= eps * (1 - 1e-9):
            return times
        scores = V @ w
        worst = int(np.argmin(scores))
        if scores[worst] > (1.0 if alpha is None else 0.5 * ((t + 1.0) ** alpha - float(t) ** alpha - 1.0)):
            return times
        if t >= cap:
            raise ValueError(
                f"After {cap} steps the loss is {loss / eps:.3g} eps; use a larger eps, or a larger max_steps"
            )


def _points(V: Any) -> tuple[Array, float]:
    """V, checked, and its largest norm."""
    V = matrix(V, "V")
    scale = float(np.abs(V).max())
    return V, scale * float(np.sqrt(np.square(V / (scale or 1.0)).sum(axis=1).max()))
