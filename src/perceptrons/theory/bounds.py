"""Bounds on updates, margins and errors of perceptrons, each a function of its few numbers.

V. Honavar, *Perceptron Algorithm* (1996), and S. Moran, I. Nachum, I. Panasoff, A. Yehudayoff, *On the
Perceptron's Compression*, Sections 2 and 5. R is the largest row norm (`radius`), eps the best margin of a
unit vector (`margin`); every bound also holds with a smaller `margin`, such as any hyperplane has.
Numbers and arrays broadcast, numbers alone give a float; a bound too large for a float is inf.
What counts partitions and rows (`partitions`, `occam_sample_size` and others) is written in `counting`.
"""

from math import exp, expm1, lgamma, log

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import entr, expit, gammaln, log_expit, logsumexp

from .._types import Array
from .counting import (
    influence_gap,
    influence_sample_size,
    log_partitions,
    occam_sample_size,
    partitions,
    sharper_influence_sample_size,
    unit_vector_compression,
    unit_vector_margin,
)
from .inputs import bound, checked, require

__all__ = [
    "adaptive_margin",
    "adaptive_updates",
    "alma_margin",
    "alma_updates",
    "beta_margin",
    "beta_updates",
    "beta_updates_from",
    "binomial_compression_bound",
    "compression_bound",
    "fractional_updates",
    "growing_margin",
    "growing_updates",
    "influence_gap",
    "influence_sample_size",
    "known_margin_updates",
    "log_partitions",
    "margin_generalization",
    "near_optimal_margin",
    "novikoff",
    "novikoff_binary",
    "occam_sample_size",
    "partitions",
    "sharper_influence_sample_size",
    "uneven_margin",
    "unit_vector_compression",
    "unit_vector_margin",
    "varying_updates",
]


@bound
def novikoff(radius: ArrayLike, margin: ArrayLike) -> ArrayLike:
    """Updates of the classical perceptron: (R/eps)^2 (Moran, Algorithm 1; Honavar, Section 3).

    >>> novikoff(2, 0.5)
    16.0
    """
    R, eps = checked(radius=radius, margin=margin)
    return (R / eps) ** 2


@bound
def novikoff_binary(n: ArrayLike, weight_norm: ArrayLike) -> ArrayLike:
    """Updates on n attributes in {0, 1} and a bias of 1: ||W*||^2 (n+1), W*.Z >= 1 (Honavar, corollary).

    The corollary first prints t <= ||W*|| L/delta; the square is missing there, not in its last line.

    >>> novikoff_binary(2, 3)  # OR: W* = (-1, 2, 2)
    27.0
    """
    n_, norm = checked(n=n, weight_norm=weight_norm)
    return norm**2 * (n_ + 1)


@bound
def beta_updates(beta: ArrayLike, radius: ArrayLike, margin: ArrayLike) -> ArrayLike:
    """Updates with a target beta, or the larger of two (PAUM): (2 beta + R^2)/eps^2 (Moran, Theorem 2.1).

    >>> beta_updates(1.5, 1, 0.5)
    16.0
    """
    beta_, R, eps = checked(beta=beta, radius=radius, margin=margin)
    return 2 * beta_ / eps / eps + (R / eps) ** 2


@bound
def beta_updates_from(
    beta: ArrayLike, radius: ArrayLike, margin: ArrayLike, start: ArrayLike, along: ArrayLike
) -> ArrayLike:
    """Updates with a target beta from any weights W0: `start` is ||W0||, `along` <W*,W0>, W* a unit vector.

    [B + sqrt(B^2 + 4 eps^2 (||W0||^2 - c^2))]/(2 eps^2), B = R^2 + 2 beta - 2 c eps, c = <W*,W0>. Honavar,
    Section 3, says that his proof is easily extended: after t updates c + t eps <= <W*,W_t> <= ||W_t||, and
    ||W_t||^2 <= ||W0||^2 + t (R^2 + 2 beta). With W0 = 0 it is `beta_updates`; 0 if W0 points along W* far
    enough. The step is 1: for others divide beta, `start` and `along` by it.

    >>> beta_updates_from(0, 1, 0.5, start=0, along=0)
    4.0
    >>> round(beta_updates_from(0, 1, 0.5, start=1, along=-1), 6)  # a start in the wrong direction
    8.0
    """
    beta_, R, eps, norm, c = checked(beta=beta, radius=radius, margin=margin, start=start, along=along)
    require(
        np.abs(c) <= norm * (1 + 1e-9), "along", c, "at most start", "pass the product with a unit vector"
    )
    half = (R**2 / 2 + beta_) / eps - c  # B/(2 eps)
    rest = np.maximum(norm**2 - c**2, 0.0)
    root = np.hypot(half, np.sqrt(rest))
    # two forms of the same number: of the sum of a negative and a positive one little would be left
    with np.errstate(invalid="ignore"):
        ahead = rest / (root - half)
    return np.where(half >= 0, half + root, np.where(rest > 0, ahead, 0.0)) / eps


@bound
def varying_updates(radius: ArrayLike, margin: ArrayLike, steps: ArrayLike) -> ArrayLike:
    """What varying rates have used of what they may: (sum of eta)^2/((R/eps)^2 sum of eta^2).

    At most 1 for every run from zero weights with target 0, however the rates fluctuate (Honavar, Section 3:
    eps sum <= <W*,W> <= ||W|| and ||W||^2 <= R^2 sum of squares). `steps` has the updates along its last
    axis. Equal steps give t/(R/eps)^2; steps that die out, as 2^-t, stay below 1 for ever, and prove nothing.

    >>> varying_updates(1, 0.5, [1.0, 1.0, 1.0, 1.0])
    1.0
    """
    R, eps, eta = checked(radius=radius, margin=margin, steps=steps)
    return np.asarray((eta.sum(axis=-1) * eps / R) ** 2 / np.square(eta).sum(axis=-1))


@bound
def known_margin_updates(known: ArrayLike, radius: ArrayLike, margin: ArrayLike) -> ArrayLike:
    """Updates where a row is corrected while y<w,x> <= known ||w||: (R/(eps - known))^2, if known < eps.

    The perceptron that knows a margin (Moran, Section 1, on [22]) ends with more than it. By induction ||w||
    <= known t + R sqrt(t) after t updates: (known t + R sqrt t)^2 + 2 known (known t + R sqrt t) + R^2 is
    less than the same at t + 1. And eps t <= <w*,w> <= ||w||. Infinite if the margin is not more than known.

    >>> known_margin_updates(0.25, 1, 0.5)
    16.0
    """
    gamma, R, eps = checked(known=known, radius=radius, margin=margin)
    return np.where(eps > gamma, (R / np.where(eps > gamma, eps - gamma, 1.0)) ** 2, np.inf)


@bound
def alma_updates(share: ArrayLike, margin: ArrayLike, eta: ArrayLike = 1.0) -> ArrayLike:
    """Corrections of ALMA on rows of norm 1: Q^2 + 1, Q = (A+1)/(2 eta eps), A = 2(1/share - 1) eta + eta^2.

    `share` is Gentile's alpha, B = 1/alpha and C = eta; eta = 1 gives the least, 1/(share eps)^2 + 1. The
    proof is ours, and sharper than his (B = sqrt(8)/alpha): a correction makes ||w||^2 at most 1 + A/k, and
    then a = <w*,w> grows from a to at least (a + eta eps/sqrt k)/sqrt(1 + A/k). By induction a >= u eta eps
    (k-1)/sqrt k with u = 2/(1+A) (for A < 1 u = 4/(3+A)), while a <= 1.

    >>> round(alma_updates(0.1, 0.5), 6)
    401.0
    """
    alpha, eps, C = checked(share=share, margin=margin, eta=eta)
    return 1.0 + (1.0 / (_alma_pace(alpha, C) * C * eps)) ** 2


@bound
def alma_margin(share: ArrayLike, margin: ArrayLike, eta: ArrayLike = 1.0) -> ArrayLike:
    """Margin that ALMA reaches on rows of norm 1: its target after the last of `alma_updates`.

    With eta = 1 it is (1 - share) eps/sqrt(1 + 2 share^2 eps^2).

    >>> round(alma_margin(0.1, 0.5), 4)
    0.4489
    """
    alpha, eps, C = checked(share=share, margin=margin, eta=eta)
    most = 1.0 + (1.0 / (_alma_pace(alpha, C) * C * eps)) ** 2
    return (1.0 / alpha - 1.0) / np.sqrt(most + 1.0)


def _alma_pace(alpha: Array, C: Array) -> Array:
    A = 2.0 * (1.0 / alpha - 1.0) * C + C**2
    return np.asarray(np.where(A >= 1.0, 2.0 / (1.0 + A), 4.0 / (3.0 + A)))


@bound
def beta_margin(beta: ArrayLike, radius: ArrayLike, margin: ArrayLike) -> ArrayLike:
    """Margin reached with a target beta: beta eps/(2 beta + R^2) (Moran, Theorem 2.1, Algorithm 2).

    >>> beta_margin(1.5, 1, 0.5)
    0.1875
    """
    beta_, R, eps = checked(beta=beta, radius=radius, margin=margin)
    return beta_ / (2 * beta_ + R**2) * eps


@bound
def uneven_margin(beta_y: ArrayLike, beta_max: ArrayLike, radius: ArrayLike, margin: ArrayLike) -> ArrayLike:
    """Margin reached on class y with a target per class (PAUM): beta_y eps/(2 beta_max + R^2).

    Not in the papers: Moran's proof of Theorem 2.1, the norm bounded through beta_max (as in `beta_updates`).

    >>> uneven_margin([0.5, 1.5], 1.5, 1, 0.5).tolist()
    [0.0625, 0.1875]
    """
    own, top, R, eps = checked(beta_y=beta_y, beta_max=beta_max, radius=radius, margin=margin)
    require(own <= top, "beta_y", own, "at most beta_max", "pass the larger target as beta_max")
    return own / (2 * top + R**2) * eps


@bound
def adaptive_updates(radius: ArrayLike, margin: ArrayLike) -> ArrayLike:
    """Updates of the R-independent perceptron: 9 R^2/eps^2 (Moran, Theorem 2.2, Algorithm 3).

    The paper prints 10. As beta never exceeds 4 R^2, an update adds at most 2 beta + R^2 <= 9 R^2 to ||w||^2.

    >>> adaptive_updates(1, 0.5)
    36.0
    """
    R, eps = checked(radius=radius, margin=margin)
    return 9 * (R / eps) ** 2


@bound
def adaptive_margin(margin: ArrayLike) -> ArrayLike:
    """Margin reached by the R-independent perceptron: eps/3, whatever R (Moran, Theorem 2.2, Algorithm 3).

    >>> adaptive_margin(0.75)
    0.25
    """
    (eps,) = checked(margin=margin)
    return eps / 3


@bound
def growing_updates(alpha: ArrayLike, radius: ArrayLike, margin: ArrayLike) -> ArrayLike:
    """Updates with a target that grows like t^(alpha-1): (rho/eps)^(2/(2-alpha)) (Moran, Theorem 2.3).

    radius = 1 is Algorithm 4, the infinity-perceptron, for rows of norm <= 1. For Algorithms 3 and 4
    combined rho is the largest norm used in an update; R, being no smaller, will do.

    >>> growing_updates(1.5, 1, 0.5)
    16.0
    """
    a, rho, eps = checked(alpha=alpha, radius=radius, margin=margin)
    return (rho / eps) ** (2 / (2 - a))


@bound
def growing_margin(alpha: ArrayLike, radius: ArrayLike, margin: ArrayLike) -> ArrayLike:
    """Margin reached with a growing target: (alpha/2) eps - (rho/2) (eps/rho)^(alpha/(2-alpha)).

    Moran, Theorem 2.3; radius = 1 is Algorithm 4. The proof prints the second term without its 1/2, which is
    weaker. For Algorithms 3 and 4 combined pass rho, the largest norm *used*: the value grows with it, and R
    promises too much when the longest row is never used. In eps the value rises, then falls: near eps = rho
    a smaller `margin` may give the better guarantee, and it holds too.

    >>> growing_margin(1.5, 1, 0.5)
    0.3125
    """
    a, rho, eps = checked(alpha=alpha, radius=radius, margin=margin)
    return a / 2 * eps - rho / 2 * (eps / rho) ** (a / (2 - a))


@bound
def near_optimal_margin(slack: ArrayLike, margin: ArrayLike) -> ArrayLike:
    """Margin reached with alpha = 2 (1 - slack): (1 - 2 slack - slack ln(1/slack)) eps, whatever the radius.

    Moran, end of the proof of Theorem 2.3, whose delta is our slack. Nothing but alpha need be known, and
    eps may be near R, where `growing_margin` falls. It follows from `growing_margin` at the smaller margin
    (1 - slack ln(1/slack)) eps, which is the sharper number. Negative, and so no promise, from 0.28 on.

    >>> round(near_optimal_margin(0.05, 1), 4)
    0.7502
    """
    s, eps = checked(slack=slack, margin=margin)
    return (1 - 2 * s - entr(s)) * eps  # entr(s) = s ln(1/s)


@bound
def fractional_updates(
    eta: ArrayLike, radius: ArrayLike, margin: ArrayLike, beta: ArrayLike = 0.0, b: ArrayLike = 1.0
) -> ArrayLike:
    """Updates with steps eta (b + beta - y<w,x>)/||x||^2: (b+beta)^2 R^2/(eta (2-eta) b^2 eps^2).

    Honavar, Section 4, prints b = 0, which never leaves w = 0, and gives no bound. With b > 0 and y<w*,x> >=
    b + beta, ||w*|| = (b+beta)/eps, each update takes at least eta (2-eta) b^2/R^2 off ||w - w*||^2.

    >>> fractional_updates(1, 1, 0.5)
    4.0
    """
    eta_, R, eps, beta_, b_ = checked(eta=eta, radius=radius, margin=margin, beta=beta, b=b)
    return ((1 + beta_ / b_) * R / eps) ** 2 / (eta_ * (2 - eta_))


@bound
def compression_bound(d: ArrayLike, m: ArrayLike, delta: ArrayLike, empirical: ArrayLike = 0.0) -> ArrayLike:
    """Error of a rule rebuilt from d of its m rows, with probability 1 - delta (Moran, Theorem 5.2).

    L + sqrt(e L) + e, at most 1, where L is the error on the m rows, e = 50 (d ln(m/d) + ln(1/delta))/m and d
    is fixed beforehand (for a d read off the data pass delta/m). As printed, d ln(m/d) falls again beyond
    d = 0.37 m, to 0 at d = m, and fails there: a rule may keep all its rows and be wrong on all others. Here
    it stays at its maximum, which makes the bound 1.

    >>> round(compression_bound(10, 100_000, 0.05), 4)
    0.0475
    """
    d_, m_, delta_, L = checked(d=d, m=m, delta=delta, empirical=empirical)
    e = 50 * (entr(np.minimum(d_ / m_, exp(-1))) - np.log(delta_) / m_)  # entr(p) = -p ln p
    return np.minimum(L + np.sqrt(e * L) + e, 1)


@bound
def margin_generalization(margin: ArrayLike, m: ArrayLike, delta: ArrayLike) -> ArrayLike:
    """Error of the perceptron on new rows: 50 (ln(eps^2 m) + ln(2/delta))/(eps^2 m) (Moran, Theorem 5.1).

    With probability 1 - delta, for rows of norm <= 1 (else pass eps/R) and an eps fixed beforehand that the
    margin of a sample misses with probability < delta/2. At most 1; 1 if eps^2 m <= 1 (the paper is silent).

    >>> round(margin_generalization(0.1, 1_000_000, 0.05), 4)
    0.0645
    """
    eps, m_, delta_ = checked(margin=margin, m=m, delta=delta)
    require(eps <= 1 + 1e-5, "margin", eps, "at most 1", "divide it by the largest row norm")
    size = np.maximum(eps**2 * m_, 1)
    return np.minimum(50 * (np.log(size) + np.log(2 / delta_)) / size, 1)


def binomial_compression_bound(d: int, m: int, delta: float, errors: int = 0) -> float:
    """Error of a rule rebuilt from d of its m rows: the exact form of `compression_bound`, far tighter.

    The largest p with P[Bin(m-d, p) <= errors] >= delta/C(m, d), `errors` counted on the m-d rows outside the
    compression set, d fixed beforehand (else pass delta/m); 1.0 if d >= m. Not in the paper: the binomial
    test-set bound for each of the C(m, d) sets. Solved in logarithms, to about nine digits.

    >>> round(binomial_compression_bound(10, 100_000, 0.05), 6)
    0.00103
    """
    checked(d=d, m=m, delta=delta, errors=errors)
    k, rest = int(errors), max(int(m) - int(d), 0)
    require(k <= rest, "errors", k, f"at most m - d = {rest}", "count no row of the compression set")
    if k == rest:
        return 1.0
    target = log(delta) - (lgamma(m + 1) - lgamma(d + 1) - lgamma(rest + 1))
    if k == 0:
        return -expm1(target / rest)
    i = np.arange(k + 1)
    choose = gammaln(rest + 1) - gammaln(i + 1) - gammaln(rest - i + 1)

    def excess(x: float) -> float:
        """Log of the tail minus the target, at p with log-odds x; decreasing."""
        return float(logsumexp(choose + i * log_expit(x) + (rest - i) * log_expit(-x))) - target

    top = (rest * log(2) - target) / (rest - k) + 1  # since the tail is at most 2^rest (1-p)^(rest-k)
    return float(expit(brentq(excess, -700.0, top)))
