"""Convex sets for `separate`: a point set stands for its convex hull, any other set answers by an oracle.

All that the perceptron ever asks of a set is its lowest point in a direction. Besides, a ball around the
set is needed: Moran et al. state Lemma 4.2 for sets in the unit ball, so sets are translated and scaled.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._types import Array
from .certificate import lifted_norm
from .exact_sums import least_dot
from .inputs import LARGEST, length, matrix, require_scale, tolerance, vector
from .outward import exact_dot

CENTRE_STEPS = 100  # the ball around a point set is then at most 1 + 1/√101 times as wide as the smallest
ORACLE = (
    2.0**-50
)  # of the largest coordinate, times those there are: how far rounding takes an oracle's point
FINEST = 1e-10  # the smallest eps, as a share of the largest coordinate, that rounding leaves meaningful


@dataclass(frozen=True, eq=False)
class Oracle:
    """A convex set given by linear minimization, inside a ball that the user vouches for.

    Attributes
    ----------
    minimize : callable
        A function that is called with a unit vector; it returns a point of the set whose inner product with
        the vector is smallest.
    center, radius : array and float
        A ball that contains the set. The tighter it is, the fewer steps `separate` may need.

    Examples
    --------
    >>> disc = Oracle(lambda u: -u, center=np.zeros(2), radius=1.0)
    >>> disc.minimize(np.array([0.0, 1.0])).tolist()
    [-0.0, -1.0]
    """

    minimize: Callable[[Array], ArrayLike]
    center: ArrayLike
    radius: float


def ball(center: ArrayLike, radius: float) -> Oracle:
    """All points at most `radius` from the center; `radius` may be 0.

    Parameters
    ----------
    center : array-like
        The center of the ball.
    radius : float
        The radius, which may be 0.

    Examples
    --------
    >>> ball([1.0, 0.0], 2.0).minimize(np.array([1.0, 0.0])).tolist()
    [-1.0, 0.0]
    """
    c = vector(center, "center", least=0.0)
    r = length(radius)
    return Oracle(lambda u: c - r * u, c, r)


def box(low: ArrayLike, high: ArrayLike) -> Oracle:
    """All points x with low ≤ x ≤ high in every coordinate.

    Parameters
    ----------
    low, high : array-like
        The limits of each coordinate.

    Examples
    --------
    >>> box([0.0, 0.0], [1.0, 2.0]).minimize(np.array([0.6, -0.8])).tolist()
    [0.0, 2.0]
    """
    a, z = vector(low, "low", least=0.0), vector(high, "high", least=0.0)
    if a.shape != z.shape or (a > z).any():
        raise ValueError(f"low = {a}, high = {z}, but low must be <= high, of equal length; swap the two")
    half = z / 2 - a / 2
    return Oracle(lambda u: np.where(u > 0, a, z), a + half, lifted_norm(half))


def polytope(vertices: ArrayLike) -> Oracle:
    """The convex hull of the rows, as an oracle. `separate` also takes the array itself, and is then faster.

    Parameters
    ----------
    vertices : array-like of shape (m, n)
        The points whose convex hull is the set.

    Examples
    --------
    >>> polytope([[0.0, 0.0], [3.0, 1.0]]).minimize(np.array([-1.0, 0.0])).tolist()
    [3.0, 1.0]
    """
    hull = Hull.of(vertices, "vertices")
    return Oracle(lambda u: hull.lowest(u)[0], hull.center, hull.radius)


@dataclass(frozen=True, eq=False)
class Hull:
    """The convex hull of the rows of V, in a ball; a point is named by the number of its row."""

    V: Array
    center: Array
    radius: float

    @staticmethod
    def of(points: ArrayLike, name: str) -> "Hull":
        V = matrix(points, name, least=0.0)  # beside a larger set; `Pair` looks at both
        return Hull(V, *_enclosing_ball(V))

    def lowest(self, u: Array) -> tuple[Array, int]:
        i = int(np.argmin(self.V @ u))
        return self.V[i], i

    def least(self, w: Array) -> Fraction:
        """The least ⟨w, x⟩, exactly."""
        return least_dot(self.V, w)

    def point(self, key: Any) -> Array:
        return np.asarray(self.V[key])

    def moved(self, center: Array, scale: float) -> "Hull":
        """The same rows in coordinates where `center` is 0 and `scale` is 1."""
        return Hull((self.V - center) / scale, (self.center - center) / scale, self.radius / scale)


@dataclass(frozen=True, eq=False)
class Body:
    """A set behind its oracle, seen from `origin` in units of `scale`; a point is named by its bytes."""

    oracle: Oracle
    center: Array
    radius: float
    origin: Array
    scale: float

    @staticmethod
    def of(oracle: Oracle, name: str) -> "Body":
        c = vector(oracle.center, f"center of {name}", least=0.0)
        return Body(oracle, c, length(oracle.radius), np.zeros_like(c), 1.0)

    def lowest(self, u: Array) -> tuple[Array, bytes]:
        x = np.array(self.oracle.minimize(u), np.float64)  # a copy: the oracle may reuse its memory
        if x.shape != u.shape or not np.isfinite(x).all():
            raise ValueError(
                f"The oracle returned {x}, but it must return {u.size} finite numbers; fix its `minimize`"
            )
        z = (x - self.origin) / self.scale
        away = lifted_norm(z - self.center)
        slack = 1e-9 * (self.radius + float(np.abs(z).max()))
        if away > self.radius + slack:
            raise ValueError(
                f"The oracle returned a point {away * self.scale:.6g} from its center, but its radius is "
                f"{self.radius * self.scale:.6g}; pass a ball that contains the set"
            )
        return z, x.tobytes()

    def least(self, w: Array) -> Fraction:
        """A lower bound on ⟨w, x⟩, if the oracle is true up to the rounding of a few sums."""
        norm = lifted_norm(w)
        x = self.point(self.lowest(w / norm)[1])
        size = float(np.abs(self.oracle.center).max()) + float(self.oracle.radius)
        return exact_dot(x, w) - Fraction(norm) * Fraction(size * ORACLE * (len(w) + 8))

    def point(self, key: Any) -> Array:
        return np.frombuffer(key, np.float64)

    def moved(self, center: Array, scale: float) -> "Body":
        return Body(self.oracle, (self.center - center) / scale, self.radius / scale, center, scale)


def as_set(K: Any, name: str) -> Hull | Body:
    """The door: an oracle or a point set, checked."""
    return Body.of(K, name) if isinstance(K, Oracle) else Hull.of(K, name)


def _enclosing_ball(V: Array) -> tuple[Array, float]:
    """A ball around the rows: by M. Bădoiu and K. Clarkson (2003), i steps leave the center within r/√i of
    that of the smallest ball, of radius r. The radius is exact for the center found."""
    U = V - V[0]
    scale = float(np.abs(U).max()) or 1.0
    U /= scale
    c = np.zeros(V.shape[1])
    for i in range(1, CENTRE_STEPS + 1):
        far = U[np.argmax(np.square(U - c).sum(axis=1))]
        c += (far - c) / (i + 1)
    radius = scale * float(np.sqrt(np.square(U - c).sum(axis=1).max()))
    return V[0] + scale * c, radius


@dataclass(frozen=True, eq=False)
class Pair:
    """Two sets, and a ball around both."""

    K: Hull | Body
    L: Hull | Body
    center: Array
    radius: float

    @staticmethod
    def of(K: Any, L: Any, eps: float) -> "Pair":
        """The door: two sets of equal dimension, and an eps above rounding."""
        k, l_ = as_set(K, "K"), as_set(L, "L")
        if len(k.center) != len(l_.center):
            raise ValueError(
                f"K has {len(k.center)} coordinates, L has {len(l_.center)}, but they must agree; drop some"
            )
        eps = tolerance(eps, "distance")
        pair = Pair(k, l_, *_joint_ball(k, l_))
        require_scale(min(pair.size, LARGEST), "K and L")  # each was found small enough
        least = FINEST * pair.size
        if eps < least:
            raise ValueError(
                f"eps = {eps:.12g}, but it must be at least {least:.3g}, {FINEST:g} of the largest "
                "coordinate, or rounding decides; use a larger eps, or move the points to the origin"
            )
        return pair

    @property
    def size(self) -> float:
        """No coordinate of a point in K or L is larger."""
        return max(float(np.abs(side.center).max()) + side.radius for side in (self.K, self.L))

    def reach(self, u: Array) -> tuple[float, float]:
        """The least ⟨u, x − center⟩ on K and the largest on L."""
        lowest, highest = self.K.lowest(u)[0], self.L.lowest(-u)[0]
        return float(u @ (lowest - self.center)), float(u @ (highest - self.center))


def _joint_ball(K: Hull | Body, L: Hull | Body) -> tuple[Array, float]:
    """The smallest ball around the balls of two sets."""
    step = L.center - K.center
    d = lifted_norm(step)
    for wide, narrow in ((K, L), (L, K)):
        if d + narrow.radius <= wide.radius:
            return wide.center, wide.radius
    radius = (K.radius + d + L.radius) / 2
    return K.center + step * ((radius - K.radius) / d), radius
