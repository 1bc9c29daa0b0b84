"""Lemma 4.2 in a Hilbert space: two sets of points, known by their inner products alone.

S. Moran et al., *On the Perceptron's Compression*, Section 4: the proof "also holds in infinite dimensional
Hilbert space, but it uses that the sets are bounded in norm". Here are hulls of finitely many points φ(z), of
which a kernel gives ⟨φ(x), φ(z)⟩. The algorithm and the constants are those of `separation`: the points are
moved to the center of a ball around them (a combination of points, by Bădoiu and Clarkson) and divided by its
radius R, at most 33 (R/ε)² points are used, and the margin is ε/12 or more.

What differs: kernel values are rounded, and so is all that follows from them; claims are checked to nine
digits.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._types import Array
from .certificate import confirm
from .convex import CENTRE_STEPS
from .inputs import numbers, steps_allowed, tolerance
from .separation import MARGIN, enough_points

Kernel = Callable[[Any, Any], Any]
CLOSE = 1e-9  # of the radius: what rounding may have done


@dataclass(frozen=True, eq=False)
class KernelNear:
    """Means of a few points of K and of L whose images are less than eps apart.

    Attributes
    ----------
    times_K, times_L : array
        How often each point of K, and of L, was used.
    distance : float
        The distance ‖p − q‖ of the two means, in the feature space.
    eps : float
        The eps that was asked for.

    Examples
    --------
    >>> from sklearn.metrics.pairwise import rbf_kernel
    >>> from perceptrons.theory import separate
    >>> near = separate([[0.0], [2.0]], [[0.1], [2.1]], eps=0.5, kernel=rbf_kernel)
    >>> type(near).__name__, near.distance < 0.5
    ('KernelNear', True)
    """

    times_K: Array
    times_L: Array
    distance: float
    eps: float

    def verify(self, K: Any, L: Any, kernel: Kernel) -> None:
        """Recompute everything from the kernel values; a ValueError says what does not hold."""
        gram = _Gram.of(K, L, kernel)
        times = _times(self, gram, self.eps)
        distance = gram.length(np.concatenate([times[0] / times[0].sum(), -times[1] / times[1].sum()]))
        confirm(abs(distance - self.distance) <= CLOSE * gram.radius, f"the distance is {distance:.12g}")
        confirm(self.distance < self.eps, f"the distance {distance:.12g} is not below eps = {self.eps:.12g}")


@dataclass(frozen=True, eq=False)
class KernelSeparated:
    """⟨w, φ(x)⟩ − b ≥ margin·‖w‖ on K and ≤ −margin·‖w‖ on L, with margin ≥ eps/12.

    Attributes
    ----------
    times_K, times_L : array
        How often each point was used; w is the sum of φ(z) − c over those of K minus that over those of L,
        where c is the center of the ball around all.
    duals : array
        The vector w as a combination of all points, those of K first.
    b, margin : float
        The offset and the margin of the hyperplane.
    eps : float
        The eps that was asked for.

    Examples
    --------
    >>> from sklearn.metrics.pairwise import rbf_kernel
    >>> from perceptrons.theory import separate
    >>> apart = separate([[0.0], [0.1]], [[2.0], [2.1]], eps=0.5, kernel=rbf_kernel)
    >>> type(apart).__name__, apart.margin > 0.5
    ('KernelSeparated', True)
    """

    times_K: Array
    times_L: Array
    duals: Array
    b: float
    margin: float
    eps: float

    def scores(self, values: Any) -> Array:
        """⟨w, φ(x)⟩ − b from kernel values: a row for each x, a column for each point, those of K first."""
        return np.asarray(np.asarray(values) @ self.duals - self.b)

    def verify(self, K: Any, L: Any, kernel: Kernel) -> None:
        """Recompute everything from the kernel values; a ValueError says what does not hold."""
        gram = _Gram.of(K, L, kernel)
        duals = gram.normal(*_times(self, gram, self.eps))
        same = np.allclose(duals, self.duals, rtol=0.0, atol=CLOSE * np.abs(duals).max())
        confirm(same, "duals are others")
        reach, norm = gram.values @ self.duals, gram.length(self.duals)
        low, high = reach[: gram.n_K].min() - self.b, reach[gram.n_K :].max() - self.b
        margin = min(low, -high) / norm
        confirm(abs(margin - self.margin) <= CLOSE * gram.radius, f"the margin is {margin:.12g}")
        enough = margin >= self.eps / MARGIN * (1 - CLOSE)
        confirm(enough, f"the margin {margin:.12g} is below eps/{MARGIN:g}")


@dataclass(frozen=True, eq=False)
class _Gram:
    """Inner products of all points, those of K first, and of the points moved to the center and scaled."""

    values: Array
    n_K: int
    center: Array  # shares of the points
    radius: float
    moved: Array

    @staticmethod
    def of(K: Any, L: Any, kernel: Kernel) -> "_Gram":
        parts = [_values(kernel, one, other) for one, other in ((K, K), (K, L), (L, L))]
        values = np.block([[parts[0], parts[1]], [parts[1].T, parts[2]]])
        scale = float(np.abs(np.diagonal(values)).max()) or 1.0
        if np.linalg.eigvalsh(values / scale)[0] < -CLOSE * len(values):
            raise ValueError("kernel is not positive semidefinite on these points; use one that is, as rbf")
        center, radius = _ball(values)
        towards = values @ center
        moved = values - towards[:, None] - towards[None, :] + center @ towards
        return _Gram(values, len(parts[0]), center, radius, moved / (radius or 1.0) ** 2)

    def length(self, duals: Array) -> float:
        """‖Σ duals φ‖."""
        return float(np.sqrt(max(0.0, float(duals @ self.values @ duals))))

    def normal(self, times_K: Array, times_L: Array) -> Array:
        """w as a combination of all points."""
        own = np.concatenate([times_K, -times_L]).astype(float)
        return np.asarray(own - own.sum() * self.center)


def separate_by_kernel(
    K: Any, L: Any, eps: float, kernel: Kernel, max_steps: int | None = None
) -> KernelNear | KernelSeparated:
    """`separate(K, L, eps, kernel=kernel)`."""
    eps = tolerance(eps, "distance of the sets")
    gram = _Gram.of(K, L, kernel)
    R = gram.radius or 1.0
    near, times = _perceptron(gram, eps / R, steps_allowed(max_steps, enough_points(gram.radius, eps), 2))
    if near:
        shares = np.concatenate([times[0] / times[0].sum(), -times[1] / times[1].sum()])
        return KernelNear(*times, gram.length(shares), eps)
    duals = gram.normal(*times)
    reach, norm = gram.values @ duals, gram.length(duals)
    above, below = float(reach[: gram.n_K].min()), float(reach[gram.n_K :].max())
    return KernelSeparated(*times, duals, (above + below) / 2, (above - below) / 2 / norm, eps)


def _perceptron(gram: _Gram, eps: float, cap: int) -> tuple[bool, tuple[Array, Array]]:
    """Algorithm 2 with β = 1 on (z, 1), in the unit ball; sums are known by their products with the
    points."""
    n_K, G = gram.n_K, gram.moved
    times = np.zeros(len(G), np.int64)
    times[[0, n_K]] = 1
    side = np.where(np.arange(len(G)) < n_K, 1.0, -1.0)
    while True:
        of_K, of_L = times[:n_K].sum(), times[n_K:].sum()
        apart = side * times / np.where(side > 0, of_K, of_L)
        gap = float(np.sqrt(max(0.0, float(apart @ G @ apart))))
        if gap < eps * (1 - 1e-4):  # room for rounding
            return True, (times[:n_K], times[n_K:])
        reach = G @ (side * times)
        norm = float(np.sqrt(max(0.0, float((side * times) @ reach))))
        lowest, highest = int(np.argmin(reach[:n_K])), n_K + int(np.argmax(reach[n_K:]))
        above, below = float(reach[lowest]), float(reach[highest])
        if norm > 0 and (above - below) / 2 / norm >= eps / MARGIN * (1 + 1e-4):
            return False, (times[:n_K], times[n_K:])
        if of_K + of_L >= cap:
            raise ValueError(
                f"After {cap} steps K and L are neither near nor separated, the means {gap / eps:.3g} eps "
                "apart; use a larger eps, or a larger max_steps"
            )
        bias = of_K - of_L
        times[lowest if above + bias <= -(below + bias) else highest] += 1  # the worst violator


def _ball(values: Array) -> tuple[Array, float]:
    """Shares of the points that make the center of a ball around all of them, and its radius."""
    own, shares, furthest = np.diagonal(values), np.zeros(len(values)), 0
    shares[0] = 1.0
    for step in range(1, CENTRE_STEPS + 1):
        towards = values @ shares
        furthest = int(np.argmax(own - 2 * towards))
        shares *= 1 - 1 / (step + 1)
        shares[furthest] += 1 / (step + 1)
    towards = values @ shares
    return shares, float(np.sqrt(max(0.0, float((own - 2 * towards + shares @ towards).max()))))


def _values(kernel: Kernel, one: Any, other: Any) -> Array:
    values = numbers(kernel(one, other), "kernel(K, L)", least=0.0)
    if values.shape != (len(one), len(other)):
        raise ValueError(
            f"kernel gave shape {values.shape} for {len(one)} and {len(other)} points; it must give a row "
            "for each of the first and a column for each of the second"
        )
    return values


def _times(answer: KernelNear | KernelSeparated, gram: _Gram, eps: float) -> tuple[Array, Array]:
    times = np.asarray(answer.times_K), np.asarray(answer.times_L)
    shapes = (gram.n_K,), (len(gram.values) - gram.n_K,)
    for one, shape, name in zip(times, shapes, ("K", "L"), strict=True):
        confirm(one.shape == shape and one.dtype.kind in "iu", f"times_{name} are not whole, one per point")
        confirm(bool((one >= 0).all()) and one.sum() > 0, f"times_{name} are negative, or all 0")
    n_points = int(times[0].sum() + times[1].sum())
    confirm(n_points <= enough_points(gram.radius, eps), f"{n_points} points are more than 33 (R/eps)²")
    return times
