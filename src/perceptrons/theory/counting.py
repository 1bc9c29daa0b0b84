"""How many: partitions of points with a margin, and rows that learning needs. Reached through `bounds`.

S. Moran et al., *On the Perceptron's Compression*, Section 6; J. Jackson and M. Craven, *Learning Sparse
Perceptrons*, Section 3.2; M. Golea and M. Marchand, *On Learning Perceptrons with Binary Weights*, Section 3.
Numbers and arrays broadcast, numbers alone give a float; a number too large for a float is inf.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaln

from .._types import Array
from .inputs import bound, checked, require


@bound
def log_partitions(n_points: ArrayLike, margin: ArrayLike) -> ArrayLike:
    """Natural logarithm of `partitions`, which overflows soon: ln(2 (n+1))/eps^2.

    >>> round(log_partitions(1000, 0.01), 1)
    76019.0
    """
    n, eps = checked(n_points=n_points, margin=margin)
    require(eps <= 1 + 1e-5, "margin", eps, "at most 1", "divide it by the largest norm of a point")
    return np.log(2 * (n + 1)) / eps**2


@bound
def partitions(n_points: ArrayLike, margin: ArrayLike) -> ArrayLike:
    """Partitions of n points of norm <= 1 with a margin of at least eps: (2 (n+1))^(1/eps^2) at most.

    Moran, Theorem 6.1: the perceptron writes each as a list of 1/eps^2 signed points or blanks. Hyperplanes
    pass through the origin (for others lift the points, and divide eps by the norm of the lifted ones).
    Never more than 2^n, which is the smaller number unless eps is large.

    >>> round(partitions(4, 0.5))
    10000
    """
    n, eps = checked(n_points=n_points, margin=margin)
    require(eps <= 1 + 1e-5, "margin", eps, "at most 1", "divide it by the largest norm of a point")
    return (2 * (n + 1)) ** (1 / eps**2)


@bound
def unit_vector_margin(n_points: ArrayLike, k: ArrayLike, lift: ArrayLike = 0.0) -> ArrayLike:
    """The exact margin of k of the n standard unit vectors against the others (Moran, Example 6.2).

    With p = 1/k, q = 1/(n-k) and the lift rho, each e_i becoming (e_i, rho) of norm sqrt(1 + rho^2):
    sqrt((pq + rho^2 (p+q))/(p + q + 4 rho^2)), the norm of the shortest vector in the hull of the signed
    points. The paper says Omega(1/sqrt k) and names no lift. Through the origin, its own setting, that is
    wrong: the margin is 1/sqrt n whatever k is (lift 0). With a threshold it is right: (1/2) sqrt(p+q)
    between parallel hyperplanes (lift inf), and sqrt(p/(p+4)) or more with the lift 1, of which a share of
    1/sqrt 2 is left after division by the norm of the lifted points.

    >>> unit_vector_margin(100, [1, 4, 50]).round(3).tolist()
    [0.1, 0.1, 0.1]
    >>> unit_vector_margin(100, [1, 4, 50], lift=np.inf).round(3).tolist()
    [0.503, 0.255, 0.1]
    """
    n, k_, rho = checked(n_points=n_points, k=k, lift=lift)
    require(k_ < n, "k", k_, "less than n_points", "leave a point on the other side")
    p, q = 1 / k_, 1 / (n - k_)
    with np.errstate(invalid="ignore"):
        square = (p * q + rho**2 * (p + q)) / (p + q + 4 * rho**2)
    return np.sqrt(np.where(np.isinf(rho**2), (p + q) / 4, square))


@bound
def unit_vector_compression(n_points: ArrayLike, k: ArrayLike) -> ArrayLike:
    """Signed points without which not all sets of k unit vectors can be told apart: ln C(n,k)/ln(2 (n+1)).

    Moran, remark after Example 6.2: there are C(n, k) such sets and at most (2 (n+1))^K lists of K signed
    points or blanks, so that any perceptron-like rule needs K this large. It tends to k as n grows, and the
    margin of the lifted points (`unit_vector_margin`, lift 1) to sqrt(1/(2 (4k+1))) of their norm: K is of
    the order of 1/eps^2, as the paper says. (Through the origin eps^2 = 1/n, all 2^n partitions have it, and
    K >= n ln 2/ln(2 (n+1)): of that order except for a logarithm.)

    >>> unit_vector_compression([10, 10**3, 10**9], 5).round(2).tolist()
    [1.79, 3.91, 4.61]
    """
    n, k_ = checked(n_points=n_points, k=k)
    require(k_ < n, "k", k_, "less than n_points", "leave a point on the other side")
    return log_choose(n, k_) / np.log(2 * (n + 1))


def log_choose(n: Array, k: Array) -> Array:
    """ln C(n, k). As a beta function: the three terms of gammaln cancel where n is far larger than k."""
    return np.asarray(-betaln(n - k + 1, k + 1) - np.log1p(n))


@bound
def occam_sample_size(s: ArrayLike, n_terms: ArrayLike, eps: ArrayLike, delta: ArrayLike) -> ArrayLike:
    """Rows from which boosting learns every target of s conjunctions to error eps, with probability 1-delta.

    Jackson and Craven, Section 3.2: on m rows r = 2 s^2 ln m stages, rounded up, make a consistent sum of r
    of the |C_k| conjunctions (`n_terms`), of which there are |C_k|^r 2^(r^2) at most. By their Lemma 2 every
    m >= (ln(1/delta) + r^2 ln 2 + r ln|C_k|)/eps will do; this is the least, m being on both sides. The
    paper gives the order, O(r^2 + k r log n); the constant is ours (Muroga: 2^(r^2) threshold functions).

    >>> occam_sample_size(2, 1 + 30 + 435, 0.1, 0.05)  # at most 2 of 30 features
    59115.0
    """
    s_, terms, eps_, delta_ = np.broadcast_arrays(*checked(s=s, n_terms=n_terms, eps=eps, delta=delta))

    def needed(m: Array) -> Array:
        r = np.ceil(2 * s_ * np.log(m) * s_)
        return np.asarray(np.ceil((-np.log(delta_) + r * (r * np.log(2) + np.log(terms))) / eps_))

    m, more = np.zeros(s_.shape), np.ones(s_.shape)
    while (more > m).any():  # `needed` never falls: no m below its value at a smaller m can do
        m = np.maximum(m, more)
        more = needed(m)
    return m


@bound
def influence_gap(rho: ArrayLike, n_variables: ArrayLike) -> ArrayLike:
    """Influence that every variable of a binary-weight perceptron has at least: 2 rho/sqrt(3n - 2).

    rho is exceeded by P(g = +1) and P(g = -1). Golea and Marchand, Lemma 2, have rho/(n + 1), which is less
    for every n. The proof is ours (docs/papers/golea-marchand.md): the sum of the other variables plus a
    uniform number in (-1/2, 1/2) has variance at most (n-1)/4 + 1/12, so its mode M is at least 1/sqrt(3n -
    2), and log-concavity makes the height at the threshold at least M times the smaller tail.

    >>> influence_gap(0.05, [1, 6, 34]).round(4).tolist()
    [0.1, 0.025, 0.01]
    """
    rho_, n = checked(rho=rho, n_variables=n_variables)
    return 2 * rho_ / np.sqrt(3 * n - 2)


@bound
def sharper_influence_sample_size(n_variables: ArrayLike, eps: ArrayLike, delta: ArrayLike) -> ArrayLike:
    """Rows from which every weight's sign is right with probability 1 - delta: 384 n^2 eps^-3 ln(16n/delta).

    Golea and Marchand, steps 5 and 6 of Figure 1, with rho = eps/2 and the gap of `influence_gap`. A variable
    that is kept has either value in eps/(4n) of the rows or more. For their own gap `influence_sample_size`.

    >>> f"{sharper_influence_sample_size(10, 0.1, 0.05):.1g}"
    '3e+08'
    """
    n, eps_, delta_ = checked(n_variables=n_variables, eps=eps, delta=delta)
    return 384 * (n / eps_) ** 2 / eps_ * np.log(16 * n / delta_)


@bound
def influence_sample_size(n_variables: ArrayLike, eps: ArrayLike, delta: ArrayLike) -> ArrayLike:
    """Rows from which the influences give a binary-weight perceptron: [160 n (n+1)]^2 eps^-4 ln(32 n/delta).

    Golea and Marchand, Theorem 1 and step 1 of Figure 1: error at most eps with probability 1 - delta under
    every product distribution. A number to show, never to draw: the learning curves fall far faster.

    >>> f"{influence_sample_size(10, 0.1, 0.05):.2g}"
    '2.7e+13'
    """
    n, eps_, delta_ = checked(n_variables=n_variables, eps=eps, delta=delta)
    return (160 * n * (n + 1) / eps_**2) ** 2 * np.log(32 * n / delta_)
