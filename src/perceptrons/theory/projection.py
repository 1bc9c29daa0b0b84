"""Random projections that keep margins: how many coordinates they need, and how they are drawn.

S. Moran et al., *On the Perceptron's Compression*, Theorem 6.3 and Lemma 6.4 (Johnson and Lindenstrauss). A
point x becomes Ax, A of k rows with entries N(0, 1/k); the paper prints N(0, 1), which makes every norm √k
times as large. The paper leaves its constants open. These are enough, with η = ε/4:

    k = ⌈ln(4(n+1)M/δ) / (η²/4 − η³/6)⌉,   M = 1 for given labels, (2(n+1))^(1/ε²) for all partitions

What holds with probability ≥ 1 − δ, for n points of norm ≤ 1 (else ε is the margin divided by the largest
norm) and hyperplanes through the origin:

1. Every labeling meant (the given one, or all) with margin ≥ ε has, after it, margin ≥ ¾ε/√(1+η) > 0.67ε.
   Margins are absolute, min y⟨w,x⟩ over unit w, as in the paper. Relative to the largest norm of the
   *projected* points, which may have grown, it is ¾ε/(1+η) ≥ 0.6ε. So ε/2 holds in both senses.
   Proof: let w have margin ε. ‖Av‖² leaves (1 ± η)‖v‖² on either side with probability at most
   e^(−k(η²/4−η³/6)) ≤ δ/(4(n+1)M). For v = w + yx (below), w − yx, w and x (above) these are (2n+1)M + n
   events, fewer than 4(n+1)M. Without them y⟨Aw,Ax⟩ = (‖A(w+yx)‖² − ‖A(w−yx)‖²)/4 is at least
   ε − η(‖w‖² + ‖x‖²)/2 ≥ ¾ε, while ‖Aw‖ and ‖Ax‖ are at most √(1+η).
2. Conversely a labeling meant with margin < ε/4 has less than ε/2 after it, absolute margins again. With
   given labels one more event does (‖Aq‖ for the shortest q of the hull). For all partitions q is first
   replaced by the mean of T = O(1/ε²) signed points (Maurey), and what the (2n)^T such means need fits into
   the same k for every ε ≤ 1.
3. A constant coordinate (the lift ρ of an intercept) may stay out of the projection: 1 and 2 hold for the
   rows (x, ρ) → (Ax, ρ), since only the part ⟨w,x⟩ of a score moves.

Theorem 6.1 is not needed for all partitions: where all inner products are kept to 3ε²/4 so is every point of
every hull, ‖Σ a y Ax‖² ≥ ε² − 3ε²/4, and `lemma_dimension(n, 3ε²/4, δ)` is about a fifth of this k.

The promise is for the n points, not for new ones, and k runs to thousands at the margins that data have. A
smaller k often keeps the margin, too; then it must be measured (`best_margin`).
"""

from math import ceil, log
from typing import Any

import numpy as np

from .._types import Array
from .counting import log_partitions
from .inputs import checked, real, require

SMALLEST = 1e-70  # of eps and eta; the dimension grows like 1/eps⁴ and must stay a float


def projection_dimension(n_points: int, eps: float, delta: float = 0.05, all_partitions: bool = False) -> int:
    """Coordinates that keep half of a margin eps of n points, with probability 1 - delta (Theorem 6.3).

    eps is the margin divided by the largest norm; the formula, and what it promises, stand at the top. For
    several given labelings pass delta divided by their number.

    >>> projection_dimension(1000, 0.5)
    3154
    >>> projection_dimension(1000, 0.5, all_partitions=True)
    11646
    """
    checked(n_points=n_points, delta=delta)
    eps = _share(eps, "eps", 1 + 1e-5, "pass the margin divided by the largest norm")
    log_m = float(log_partitions(n_points, eps)) if all_partitions else 0.0
    return ceil((log(4) + log(n_points + 1) - log(delta) + log_m) / _exponent(eps / 4))


def lemma_dimension(n_vectors: int, eta: float, delta: float = 0.05) -> int:
    """Coordinates that keep all inner products of N vectors of norm <= 1 to within eta (Lemma 6.4).

    ⌈ln(2N²/δ)/(η²/4 − η³/6)⌉; the paper gives the order. For each of N(N-1)/2 pairs four events, as in the
    proof at the top, and two for each vector with itself: 2N² in all.

    >>> lemma_dimension(100, 0.2)
    1489
    """
    checked(n_points=n_vectors, delta=delta)
    eta = _share(eta, "eta", 1.0, "pass the error allowed in an inner product, such as 0.1")
    return ceil((log(2) + 2 * log(n_vectors) - log(delta)) / _exponent(eta))


def _share(value: Any, name: str, most: float, remedy: str) -> float:
    """eps or eta as a float, in its interval and not so small that the dimension overflows."""
    share = real(value, name, "in (0, 1]", remedy)
    require(0 < share <= most, name, share, "in (0, 1]", remedy)
    require(share >= SMALLEST, name, share, f"at least {SMALLEST:g}, or the dimension overflows", remedy)
    return share


def _exponent(eta: float) -> float:
    """What k is multiplied with in the tail e^(−k(η²/4−η³/6)) of ‖Av‖² = (1 ± η)‖v‖², on either side."""
    return eta**2 / 4 - eta**3 / 6


def projection_matrix(k: int, d: int, rng: np.random.Generator | np.random.RandomState) -> Array:
    """A: k × d independent entries N(0, 1/k), so that ‖Ax‖² is ‖x‖² on average.

    >>> A = projection_matrix(10_000, 3, np.random.default_rng(0))
    >>> (A**2).sum(axis=0).round(1).tolist()
    [1.0, 1.0, 1.0]
    """
    require(k >= 1 and d >= 1, "k x d", min(k, d), "at least 1 x 1", "pass two counts")
    return np.asarray(rng.standard_normal((k, d)) / np.sqrt(k))


def project(X: Any, components: Array) -> Array:
    """The rows Ax of an array or CSR matrix; dense.

    >>> project(np.eye(2), np.array([[1.0, 2.0]])).tolist()
    [[1.0], [2.0]]
    """
    return np.asarray(X @ components.T)
