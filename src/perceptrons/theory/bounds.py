"""Bounds on updates, margins and errors of perceptrons, each a function of its few numbers.

V. Honavar, *Perceptron Algorithm* (1996), and S. Moran, I. Nachum, I. Panasoff, A. Yehudayoff, *On the
Perceptron's Compression*, Sections 2 and 5. R is the largest row norm (`radius`), eps the best margin of a
unit vector (`margin`); every bound also holds with a smaller `margin`, such as any hyperplane has.
Numbers and arrays broadcast, numbers alone give a float; a bound too large for a float is inf.
"""

from collections.abc import Callable
from functools import wraps
from math import exp, expm1, lgamma, log
from typing import ParamSpec

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq
from scipy.special import entr, expit, gammaln, log_expit, logsumexp

P = ParamSpec("P")
Array = NDArray[np.float64]

_LIMITS = {  # name: the interval it lies in, and what to do when it does not
    "radius": ("(0, inf)", "pass the largest row norm"),
    "margin": ("(0, inf)", "pass a margin that some hyperplane has; without one there is no bound"),
    "weight_norm": ("(0, inf)", "pass the norm of a W* with W*.Z >= 1 on every row"),
    "beta": ("[0, inf)", "use 0 for the classical perceptron"),
    "beta_y": ("[0, inf)", "use 0 for a class without a target"),
    "beta_max": ("(0, inf)", "pass the larger of the two targets"),
    "alpha": ("(1, 2)", "use 1.5, or a value nearer to 2 for more margin and more updates"),
    "eta": ("(0, 2)", "use 1, which has the smallest bound"),
    "b": ("(0, inf)", "use 1; with b = 0 the rule never leaves w = 0"),
    "n": ("[0, inf)", "pass the number of attributes without the bias"),
    "d": ("[0, inf)", "pass the number of rows in the compression set"),
    "m": ("[1, inf)", "pass the number of training rows"),
    "errors": ("[0, inf)", "count the errors outside the compression set"),
    "delta": ("(0, 1)", "use 0.05 for 95 % confidence"),
    "empirical": ("[0, 1]", "pass the share of training rows in error"),
}
_WHOLE = {"n", "d", "m", "errors"}


def _require(ok: ArrayLike, name: str, value: ArrayLike, limit: str, remedy: str) -> None:
    """Raise a ValueError naming the first value that is not ok."""
    fine, values = np.broadcast_arrays(np.asarray(ok, dtype=bool), value)
    if not fine.all():
        raise ValueError(f"{name} = {values[~fine][0]:.12g}, but it must be {limit}; {remedy}")


def _checked(**values: ArrayLike) -> tuple[Array, ...]:
    """Return the values as float arrays, each in the interval of its name, no margin above its radius."""
    arrays = {name: np.asarray(value, dtype=np.float64) for name, value in values.items()}
    for name, v in arrays.items():
        interval, remedy = _LIMITS[name]
        low, high = map(float, interval[1:-1].split(","))
        above = v >= low if interval[0] == "[" else v > low
        below = v <= high if interval[-1] == "]" else v < high
        _require(above & below, name, v, f"in {interval}", remedy)
        _require((name not in _WHOLE) | (v == np.floor(v)), name, v, "a whole number", remedy)
    if {"radius", "margin"} <= arrays.keys():
        R, eps = arrays["radius"] * (1 + 1e-5), arrays["margin"]  # room for rounding in float32
        _require(eps <= R, "margin", eps, "at most the radius", "swap the two, or scale both alike")
    return tuple(arrays.values())


def _bound(formula: Callable[P, ArrayLike]) -> Callable[P, float | Array]:
    """Let a formula overflow to inf in silence, and return a float when it gives one number."""

    @wraps(formula)
    def bound(*args: P.args, **kwargs: P.kwargs) -> float | Array:
        with np.errstate(over="ignore", divide="ignore"):
            value = np.asarray(formula(*args, **kwargs), dtype=np.float64)
        return value if value.ndim else float(value)

    return bound


@_bound
def novikoff(radius: ArrayLike, margin: ArrayLike) -> ArrayLike:
    """Updates of the classical perceptron: (R/eps)^2 (Moran, Algorithm 1; Honavar, Section 3).

    >>> novikoff(2, 0.5)
    16.0
    """
    R, eps = _checked(radius=radius, margin=margin)
    return (R / eps) ** 2


@_bound
def novikoff_binary(n: ArrayLike, weight_norm: ArrayLike) -> ArrayLike:
    """Updates on n attributes in {0, 1} and a bias of 1: ||W*||^2 (n+1), W*.Z >= 1 (Honavar, corollary).

    The corollary first prints t <= ||W*|| L/delta; the square is missing there, not in its last line.

    >>> novikoff_binary(2, 3)  # OR: W* = (-1, 2, 2)
    27.0
    """
    n_, norm = _checked(n=n, weight_norm=weight_norm)
    return norm**2 * (n_ + 1)


@_bound
def beta_updates(beta: ArrayLike, radius: ArrayLike, margin: ArrayLike) -> ArrayLike:
    """Updates with a target beta, or the larger of two (PAUM): (2 beta + R^2)/eps^2 (Moran, Theorem 2.1).

    >>> beta_updates(1.5, 1, 0.5)
    16.0
    """
    beta_, R, eps = _checked(beta=beta, radius=radius, margin=margin)
    return 2 * beta_ / eps / eps + (R / eps) ** 2


@_bound
def beta_margin(beta: ArrayLike, radius: ArrayLike, margin: ArrayLike) -> ArrayLike:
    """Margin reached with a target beta: beta eps/(2 beta + R^2) (Moran, Theorem 2.1, Algorithm 2).

    >>> beta_margin(1.5, 1, 0.5)
    0.1875
    """
    beta_, R, eps = _checked(beta=beta, radius=radius, margin=margin)
    return beta_ / (2 * beta_ + R**2) * eps


@_bound
def uneven_margin(beta_y: ArrayLike, beta_max: ArrayLike, radius: ArrayLike, margin: ArrayLike) -> ArrayLike:
    """Margin reached on class y with a target per class (PAUM): beta_y eps/(2 beta_max + R^2).

    Not in the papers: Moran's proof of Theorem 2.1, the norm bounded through beta_max (as in `beta_updates`).

    >>> uneven_margin([0.5, 1.5], 1.5, 1, 0.5).tolist()
    [0.0625, 0.1875]
    """
    own, top, R, eps = _checked(beta_y=beta_y, beta_max=beta_max, radius=radius, margin=margin)
    _require(own <= top, "beta_y", own, "at most beta_max", "pass the larger target as beta_max")
    return own / (2 * top + R**2) * eps


@_bound
def adaptive_updates(radius: ArrayLike, margin: ArrayLike) -> ArrayLike:
    """Updates of the R-independent perceptron: 9 R^2/eps^2 (Moran, Theorem 2.2, Algorithm 3).

    The paper prints 10. As beta never exceeds 4 R^2, an update adds at most 2 beta + R^2 <= 9 R^2 to ||w||^2.

    >>> adaptive_updates(1, 0.5)
    36.0
    """
    R, eps = _checked(radius=radius, margin=margin)
    return 9 * (R / eps) ** 2


@_bound
def adaptive_margin(margin: ArrayLike) -> ArrayLike:
    """Margin reached by the R-independent perceptron: eps/3, whatever R (Moran, Theorem 2.2, Algorithm 3).

    >>> adaptive_margin(0.75)
    0.25
    """
    (eps,) = _checked(margin=margin)
    return eps / 3


@_bound
def growing_updates(alpha: ArrayLike, radius: ArrayLike, margin: ArrayLike) -> ArrayLike:
    """Updates with a target that grows like t^(alpha-1): (rho/eps)^(2/(2-alpha)) (Moran, Theorem 2.3).

    radius = 1 is Algorithm 4, the infinity-perceptron, for rows of norm <= 1. For Algorithms 3 and 4
    combined rho is the largest norm used in an update; R, being no smaller, will do.

    >>> growing_updates(1.5, 1, 0.5)
    16.0
    """
    a, rho, eps = _checked(alpha=alpha, radius=radius, margin=margin)
    return (rho / eps) ** (2 / (2 - a))


@_bound
def growing_margin(alpha: ArrayLike, radius: ArrayLike, margin: ArrayLike) -> ArrayLike:
    """Margin reached with a growing target: (alpha/2) eps - (rho/2) (eps/rho)^(alpha/(2-alpha)).

    Moran, Theorem 2.3; radius = 1 is Algorithm 4. The proof prints the second term without its 1/2, which is
    weaker. For Algorithms 3 and 4 combined pass rho, the largest norm *used*: the value grows with it, and R
    promises too much when the longest row is never used. In eps the value rises, then falls: near eps = rho
    a smaller `margin` may give the better guarantee, and it holds too.

    >>> growing_margin(1.5, 1, 0.5)
    0.3125
    """
    a, rho, eps = _checked(alpha=alpha, radius=radius, margin=margin)
    return a / 2 * eps - rho / 2 * (eps / rho) ** (a / (2 - a))


@_bound
def fractional_updates(
    eta: ArrayLike, radius: ArrayLike, margin: ArrayLike, beta: ArrayLike = 0.0, b: ArrayLike = 1.0
) -> ArrayLike:
    """Updates with steps eta (b + beta - y<w,x>)/||x||^2: (b+beta)^2 R^2/(eta (2-eta) b^2 eps^2).

    Honavar, Section 4, prints b = 0, which never leaves w = 0, and gives no bound. With b > 0 and y<w*,x> >=
    b + beta, ||w*|| = (b+beta)/eps, each update takes at least eta (2-eta) b^2/R^2 off ||w - w*||^2.

    >>> fractional_updates(1, 1, 0.5)
    4.0
    """
    eta_, R, eps, beta_, b_ = _checked(eta=eta, radius=radius, margin=margin, beta=beta, b=b)
    return ((1 + beta_ / b_) * R / eps) ** 2 / (eta_ * (2 - eta_))


@_bound
def compression_bound(d: ArrayLike, m: ArrayLike, delta: ArrayLike, empirical: ArrayLike = 0.0) -> ArrayLike:
    """Error of a rule rebuilt from d of its m rows, with probability 1 - delta (Moran, Theorem 5.2).

    L + sqrt(e L) + e, at most 1, where L is the error on the m rows, e = 50 (d ln(m/d) + ln(1/delta))/m and d
    is fixed beforehand (for a d read off the data pass delta/m). As printed, d ln(m/d) falls again beyond
    d = 0.37 m, to 0 at d = m, and fails there: a rule may keep all its rows and be wrong on all others. Here
    it stays at its maximum, which makes the bound 1.

    >>> round(compression_bound(10, 100_000, 0.05), 4)
    0.0475
    """
    d_, m_, delta_, L = _checked(d=d, m=m, delta=delta, empirical=empirical)
    e = 50 * (entr(np.minimum(d_ / m_, exp(-1))) - np.log(delta_) / m_)  # entr(p) = -p ln p
    return np.minimum(L + np.sqrt(e * L) + e, 1)


@_bound
def margin_generalization(margin: ArrayLike, m: ArrayLike, delta: ArrayLike) -> ArrayLike:
    """Error of the perceptron on new rows: 50 (ln(eps^2 m) + ln(2/delta))/(eps^2 m) (Moran, Theorem 5.1).

    With probability 1 - delta, for rows of norm <= 1 (else pass eps/R) and an eps fixed beforehand that the
    margin of a sample misses with probability < delta/2. At most 1; 1 if eps^2 m <= 1 (the paper is silent).

    >>> round(margin_generalization(0.1, 1_000_000, 0.05), 4)
    0.0645
    """
    eps, m_, delta_ = _checked(margin=margin, m=m, delta=delta)
    _require(eps <= 1 + 1e-5, "margin", eps, "at most 1", "divide it by the largest row norm")
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
    _checked(d=d, m=m, delta=delta, errors=errors)
    k, rest = int(errors), max(int(m) - int(d), 0)
    _require(k <= rest, "errors", k, f"at most m - d = {rest}", "count no row of the compression set")
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
