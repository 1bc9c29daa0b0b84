"""Two convex sets are near each other, or a sparse hyperplane separates them: Lemma 4.2 as a program.

S. Moran, I. Nachum, I. Panasoff, A. Yehudayoff, *On the Perceptron's Compression*, Section 4: the perceptron
with target β = 1 (Algorithm 2) runs on (z, 1), z in K labeled +, in L labeled −. After t steps
w = t_K p − t_L q, where p and q are the means of the points used. Either p and q come close, or no point
violates the target any more and w separates.

We deviate. (1) The lemma assumes sup‖p−q‖ = 1, its proof that the points lie in the unit ball; far from the
origin it fails: no end after (10/ε)² steps no longer means near, and sets are called so that are not. We move
to a center c and divide by the radius R of a ball around both sets: w is a sum of *translated* points z − c.
(2) The worst violator is corrected; the lemma holds for any order. (3) We stop as soon as ‖p−q‖ < ε is seen,
or w has the margin below about its best b; both happen no later than the proof's own stops.

Constants. In these coordinates ‖(z, 1)‖² ≤ 2, hence ‖(w, t_K − t_L)‖² ≤ (2β + 2) t = 4t (the paper: 6t). With
α = t_K/t, (p−q)/2 = w/t − (α−½)(p+q), hence ‖p−q‖ ≤ 2 (‖w/t‖ + |2α−1|) ≤ 2 √2 √(4/t): less than ε/R once
t > 32 (R/ε)². Before, a hyperplane without violator has margin 1/‖w‖ ≥ 1/√(4t) ≥ (ε/R)/(8√2), times R for
the user. We promise 33 (R/ε)² points and margin ε/12, which leaves room for rounding. With D = sup‖p−q‖
over p in K and q in L, r_K and r_L the radii of the sets' smallest balls and d between their centers,
D² ≥ r_K² + r_L² + d²; hence R ≤ 1.1 D for point sets (and for oracles that come in their smallest balls): at
most 40 (D/ε)² points, and the paper's (10D/ε)² and ε/30 hold with room to spare. D itself is never computed:
in its place only an underestimate would be safe, and R/1.1 is one. An oracle in too wide a ball has the
promise in R alone.
"""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from .._types import Array
from .certificate import confirm, lifted_norm
from .combination import Combination
from .convex import Body, Hull, Pair
from .exact_sums import squared_difference
from .inputs import steps_allowed
from .outward import exact_sqnorm, quotient_below, sqrt_above

POINTS, MARGIN = 33.0, 12.0  # at most POINTS (R/ε)² points, margin at least ε/MARGIN
Used = tuple[Counter[Any], Counter[Any]]


@dataclass(frozen=True, eq=False)
class Near:
    """p in K and q in L with ‖p−q‖ < eps, each the mean of a few points: `of_K`, `of_L`.

    Attributes
    ----------
    p, q : array
        The two points, up to rounding.
    distance : float
        The distance of the two means, computed exactly and rounded up.
    eps : float
        The eps that was asked for.
    of_K, of_L : Combination
        The combinations of points whose means are p and q.

    Examples
    --------
    >>> from perceptrons.theory import separate
    >>> near = separate([[0.0, 0.0], [2.0, 2.0]], [[0.0, 2.0], [2.0, 0.0]], eps=0.5)
    >>> near.distance < 0.5, sorted(near.of_K.rows.tolist()), sorted(near.of_L.rows.tolist())
    (True, [0, 1], [0, 1])
    """

    p: Array
    q: Array
    distance: float
    eps: float
    of_K: Combination
    of_L: Combination

    def verify(self, K: Any, L: Any) -> None:
        """Recompute everything from the sets; a ValueError says what does not hold.

        In point sets the points are looked up by row. In a set behind an oracle they are compared with its
        lowest points along the axes, through each point and at random: necessary, not a proof of membership.
        """
        pair = Pair.of(K, L, self.eps)
        n_points = self.of_K.verify(pair.K, "K") + self.of_L.verify(pair.L, "L")
        confirm(
            n_points <= enough_points(pair.radius, self.eps),
            f"{n_points} points are more than {POINTS:g} (R/eps)²",
        )
        slack = 1e-12 * pair.size
        for name, point, whole in (("p", self.p, self.of_K), ("q", self.q, self.of_L)):
            confirm(_close(point, whole.mean(), slack), f"{name} is not the mean of its points")
        distance = _distance(self.of_K, self.of_L)
        confirm(distance <= self.distance <= distance + slack, f"the distance is {distance:.17g}")
        confirm(self.distance < self.eps, f"the distance {distance:.12g} is not below eps = {self.eps:.12g}")


@dataclass(frozen=True, eq=False)
class Separated:
    """⟨w,x⟩ − b ≥ margin·‖w‖ on K and ≤ −margin·‖w‖ on L, with margin ≥ eps/12; so dist(K, L) ≥ 2 margin.

    Attributes
    ----------
    w, b, margin : array, float and float
        The hyperplane, in the user's coordinates. The margin is computed exactly and rounded down, so that it
        holds for the real numbers in K, L, w and b. For a set behind an oracle it is reduced by the largest
        change that rounding can have made in the oracle's answer.
    eps : float
        The eps that was asked for.
    center : array
        The center c; w is the sum of z − c over the points of `of_K` minus that over `of_L`, with
        multiplicity.
    of_K, of_L : Combination
        The points used; at most 33 (R/eps)² in all, where R is the radius of a ball around both sets.

    Examples
    --------
    >>> from perceptrons.theory import separate
    >>> apart = separate([[0.0, 0.0], [0.0, 2.0]], [[4.0, 0.0]], eps=1)
    >>> apart.w.tolist(), apart.b, apart.margin
    ([-4.0, 0.0], -8.0, 2.0)
    """

    w: Array
    b: float
    margin: float
    eps: float
    center: Array
    of_K: Combination
    of_L: Combination

    def verify(self, K: Any, L: Any) -> None:
        """Recompute everything from the sets; a ValueError says what does not hold.

        Margins on a set behind an oracle are as true as the oracle; its points are checked as by
        `Near.verify`.
        """
        pair = Pair.of(K, L, self.eps)
        c, size = pair.center, pair.size
        n_points = self.of_K.verify(pair.K, "K") + self.of_L.verify(pair.L, "L")
        confirm(
            n_points <= enough_points(pair.radius, self.eps),
            f"{n_points} points are more than {POINTS:g} (R/eps)²",
        )
        confirm(_close(self.center, c, 1e-12 * size), "center is not that of the ball around K and L")
        w = self.of_K.total(self.center) - self.of_L.total(self.center)
        confirm(
            _close(self.w, w, 1e-13 * n_points * size), "w is not the signed sum of its translated points"
        )
        confirm(np.isfinite([*self.w, self.b]).all(), "w or b is not finite")
        confirm(self.w.any(), "w is 0")
        margin = _margin(pair, self.w, self.b)
        slack = 1e-14 * size * float(np.sqrt(len(c)))
        near = abs(margin - self.margin) <= 1e-9 * abs(margin) + slack
        confirm(near and self.margin <= margin, f"the margin is {margin:.17g}")
        confirm(margin >= self.eps / MARGIN, f"the margin {margin:.12g} is below eps/{MARGIN:g}")


def separate(K: Any, L: Any, eps: float, *, kernel: Any = None, max_steps: int | None = None) -> Any:
    """Two near points of K and L, or a hyperplane between them: Lemma 4.2 (see the module).

    Parameters
    ----------
    K, L : array-like of shape (m, n) or Oracle
        Points whose convex hull is the set, or an oracle of it (`ball`, `box`, …).
    eps : float
        A `Near` answer requires dist(K, L) < eps, a `Separated` one dist(K, L) > 0. In between either may be
        the answer.
    kernel : callable or None, default None
        A function of two sets of points that returns their inner products in a feature space, one row for
        each point of the first set and one column for each of the second. K and L are then sequences of
        points, and the answer, a `KernelNear` or a `KernelSeparated`, is about the hulls of their images.
    max_steps : int or None, default None
        The largest number of points to use. None is 33 (R/eps)², which is always enough, or a million if that
        is less; with point sets it is enough for eps ≥ D/150. If it is too small a ValueError is raised.

    Examples
    --------
    >>> answer = separate([[0, 0], [0, 2]], [[4, 1], [6, 0]], eps=1)
    >>> answer.w.tolist(), round(answer.b, 9), answer.margin
    ([-4.0, -1.0], -9.5, 1.8...)
    >>> answer.of_K.rows.tolist(), answer.of_L.rows.tolist()
    ([0], [0])
    >>> from perceptrons.theory import ball
    >>> near = separate([[0, 0], [4, 4]], ball([4, 0], 3), eps=0.5)
    >>> near.verify([[0, 0], [4, 4]], ball([4, 0], 3))
    >>> near.distance < 0.5
    True
    """
    if kernel is not None:
        from .kernel_separation import separate_by_kernel  # which stands on this module

        return separate_by_kernel(K, L, eps, kernel, max_steps)
    pair = Pair.of(K, L, eps)
    c, scale = pair.center, pair.radius or 1.0
    cap = steps_allowed(max_steps, enough_points(pair.radius, eps), 2)
    near, used = _perceptron(pair.K.moved(c, scale), pair.L.moved(c, scale), eps / scale, cap)
    of_K, of_L = Combination.of(pair.K, used[0]), Combination.of(pair.L, used[1])
    if near:
        return Near(of_K.mean(), of_L.mean(), _distance(of_K, of_L), float(eps), of_K, of_L)
    w = of_K.total(c) - of_L.total(c)
    norm = lifted_norm(w)
    above, below = pair.reach(w / norm)
    b = norm * (float(w / norm @ c) + (above + below) / 2)
    if not np.isfinite(b):
        raise ValueError(f"b overflows, ‖w‖ = {norm:.3g}; divide the points by {pair.size:.3g}")
    return Separated(w, b, _margin(pair, w, b), float(eps), c, of_K, of_L)


def _distance(of_K: Combination, of_L: Combination) -> float:
    """Between the means, rounded up."""
    return sqrt_above(squared_difference((of_K.times, of_K.points), (of_L.times, of_L.points)))


def _margin(pair: Pair, w: Array, b: float) -> float:
    """The least (⟨w,x⟩ − b)/‖w‖ on K and (b − ⟨w,x⟩)/‖w‖ on L, rounded down."""
    low = min(pair.K.least(w) - Fraction(b), pair.L.least(-w) + Fraction(b))
    return quotient_below(low, exact_sqnorm(w))


def _perceptron(K: Hull | Body, L: Hull | Body, eps: float, cap: int) -> tuple[bool, Used]:
    """Algorithm 2 with β = 1 on (z, 1), in the unit ball: whether near, and how often each point was used."""
    axis = np.eye(1, len(K.center))[0]
    u = _unit(K.center - L.center, axis)  # w = 0 violates on every point: any first two will do
    lowest = K.lowest(u), L.lowest(-u)
    sums, times = [point.copy() for point, _ in lowest], [1, 1]
    used: Used = Counter([lowest[0][1]]), Counter([lowest[1][1]])
    while True:
        gap = _length(sums[0] / times[0] - sums[1] / times[1])
        if gap < eps * (1 - 1e-4):  # room for rounding
            return True, used
        w = sums[0] - sums[1]
        u = _unit(w, axis)
        lowest = K.lowest(u), L.lowest(-u)
        above, below = float(u @ lowest[0][0]), float(u @ lowest[1][0])
        if w.any() and (above - below) / 2 >= eps / MARGIN * (1 + 1e-4):
            return False, used
        if sum(times) >= cap:
            raise ValueError(
                f"After {cap} steps K and L are neither near nor separated, the means {gap / eps:.3g} eps "
                "apart; use a larger eps, or a larger max_steps"
            )
        bias, norm = times[0] - times[1], _length(w)
        side = 0 if norm * above + bias <= -(norm * below + bias) else 1  # the worst violator
        sums[side] += lowest[side][0]
        times[side] += 1
        used[side][lowest[side][1]] += 1


def _length(v: Array) -> float:
    return float(np.sqrt(v @ v))


def _unit(v: Array, otherwise: Array) -> Array:
    norm = lifted_norm(v)
    return v / norm if norm > 0 else otherwise


def enough_points(R: float, eps: float) -> float:
    """33 (R/ε)², rounded up; never less than the two points that any answer needs."""
    return max(2.0, float(np.ceil(POINTS * (R / eps) * (R / eps))))


def _close(a: Array, b: Array, slack: float) -> bool:
    return np.shape(a) == b.shape and bool(np.abs(a - b).max() <= slack)
