"""Learning curves of binary-weight perceptrons: what the clipped Hebb rule reaches, on average.

M. Golea and M. Marchand, *On Learning Perceptrons with Binary Weights*, Section 5. Weights ±1, threshold 0,
sgn(0) = -1, and n columns of ±1 drawn uniformly (`n_variables`); w_i = sgn(sum of y x_i) is a majority of the
m rows (`n_rows`), whose labels are flipped with probability sigma (`noise`). The `load` is alpha = m/n, the
overlap rho the mean of w_i times the target's weight, G the probability that both give a new row the same,
noise-free, label. (Theorem 1, for all product distributions: `bounds.influence_sample_size`.)

Limit: `limit_overlap`, `agreement`, `learning_curve` and what is made of them hold for n to infinity at a
fixed load. Exact for every n: `vote_probability`, `exact_overlap` and, for two given weight vectors,
`exact_agreement`. The mean of G over samples has no exact form here: weights are learned from the same rows,
and G is not linear. `agreement` at the mean overlap is the same in the limit, but too low for few columns;
`finite_learning_curve`, which takes the weights for independent, is nearer (tests/theory/test_curves.py
simulates both).

Numbers and arrays broadcast, numbers alone give a float.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc, erf, erfc, poch, xlog1py, xlogy

from .._types import Array
from .counting import log_choose
from .inputs import bound, checked, require

__all__ = [
    "agreement",
    "bayes_error",
    "error_bound",
    "exact_agreement",
    "exact_overlap",
    "finite_learning_curve",
    "learning_curve",
    "learning_error",
    "limit_overlap",
    "limit_vote_probability",
    "sufficient_load",
    "vote_probability",
]


# --- the limit of many columns ---


@bound
def limit_overlap(load: ArrayLike, noise: ArrayLike = 0.0) -> ArrayLike:
    """Overlap with the target in the limit: erf((1 - 2 sigma) sqrt(alpha/pi)) (equations 28 and 33).

    >>> limit_overlap([0, 1, 5], 0.1).round(3).tolist()
    [0.0, 0.477, 0.847]
    """
    alpha, sigma = checked(load=load, noise=noise)
    return erf((1 - 2 * sigma) * np.sqrt(alpha / np.pi))


@bound
def agreement(overlap: ArrayLike) -> ArrayLike:
    """G of two weight vectors of this overlap in the limit: 1 - arccos(rho)/pi (equation 19).

    >>> round(agreement(0.5), 4)
    0.6667
    """
    (rho,) = checked(overlap=overlap)
    return 1 - np.arccos(rho) / np.pi


@bound
def learning_curve(load: ArrayLike, noise: ArrayLike = 0.0) -> ArrayLike:
    """G after learning, in the limit: `agreement` at `limit_overlap` (equations 29 and 34).

    >>> learning_curve([0, 1, 5]).round(3).tolist()
    [0.5, 0.695, 0.876]
    """
    return 1 - np.asarray(learning_error(load, noise))


@bound
def learning_error(load: ArrayLike, noise: ArrayLike = 0.0) -> ArrayLike:
    """The error 1 - G in the limit, arccos(rho)/pi, as (2/pi) arcsin sqrt((1 - rho)/2).

    The same number, but not rounded to 0 where rho is rounded to 1 (from a load of 111 on).

    >>> f"{learning_error(200):.1e}"
    '1.8e-15'
    """
    alpha, sigma = checked(load=load, noise=noise)
    return 2 / np.pi * np.arcsin(np.sqrt(erfc((1 - 2 * sigma) * np.sqrt(alpha / np.pi)) / 2))


@bound
def error_bound(load: ArrayLike, noise: ArrayLike = 0.0) -> ArrayLike:
    """More than `learning_error`: exp(-(1 - 2 sigma)^2 alpha/(2 pi)).

    Equation 30 is for sigma = 0; the noisy form is ours, by the same steps: arcsin z <= z pi/2 and
    erfc z <= exp(-z^2). (They give 1/sqrt 2 of it, too; the paper leaves that out, and so do we.)

    >>> error_bound([0, 5, 20]).round(3).tolist()
    [1.0, 0.451, 0.041]
    """
    alpha, sigma = checked(load=load, noise=noise)
    return np.exp(-((1 - 2 * sigma) ** 2) * alpha / (2 * np.pi))


@bound
def sufficient_load(eps: ArrayLike, noise: ArrayLike = 0.0) -> ArrayLike:
    """Rows per column at which `error_bound` is eps: 2 pi ln(1/eps)/(1 - 2 sigma)^2; inf for noise 0.5.

    Times n it is the paper's O(n ln(1/eps)) rows, to be rounded up: an average in the limit, no promise
    for one sample. `bounds.influence_sample_size` is one, and far larger.

    >>> round(sufficient_load(0.01), 2)
    28.94
    """
    eps_, sigma = checked(eps=eps, noise=noise)
    return -2 * np.pi * np.log(eps_) / (1 - 2 * sigma) ** 2


@bound
def bayes_error(load: ArrayLike) -> ArrayLike:
    """Error of the best rule there is when the target's weights are real: 0.44/alpha, for large loads.

    Opper and Haussler (1991), as the paper quotes them: the leading term alone, above 1/2 (guessing) for
    loads below 0.88. `learning_error` is below it from a load of about 11.2 on.

    >>> bayes_error([1, 10, 44]).round(3).tolist()
    [0.44, 0.044, 0.01]
    """
    (alpha,) = checked(load=load)
    return 0.44 / alpha


# --- finitely many columns ---


@bound
def vote_probability(n_variables: ArrayLike, noise: ArrayLike = 0.0) -> ArrayLike:
    """Probability q' that one row's y x_i is the target's w_i (equations 25 and 31), exact for every n.

    q = 1/2 + C(n-1, k)/2^n with k = (n-1)/2 for odd n, as in the paper, and n/2 for even n, which it leaves
    out: 1/2, and half the probability that the other columns leave the label to x_i. With noise
    q' = q (1 - sigma) + (1 - q) sigma.

    >>> vote_probability([1, 2, 3, 101]).round(4).tolist()
    [1.0, 0.75, 0.75, 0.5398]
    """
    n, sigma = checked(n_variables=n_variables, noise=noise)
    return 0.5 + _lead(n, sigma) / 2


@bound
def limit_vote_probability(n_variables: ArrayLike, noise: ArrayLike = 0.0) -> ArrayLike:
    """What `vote_probability` tends to for large n: 1/2 + (1 - 2 sigma)/sqrt(2 pi n) (equations 25 and 32).

    >>> round(limit_vote_probability(101), 4)
    0.5397
    """
    n, sigma = checked(n_variables=n_variables, noise=noise)
    return 0.5 + (1 - 2 * sigma) / np.sqrt(2 * np.pi * n)


@bound
def exact_overlap(n_variables: ArrayLike, n_rows: ArrayLike, noise: ArrayLike = 0.0) -> ArrayLike:
    """Mean overlap with a random ±1 target after m rows, exact for every n and m.

    rho = 2p - 1 with p = P(B > m/2) + P(B = m/2)/2, B ~ Bin(m, q'): sgn(0) = -1 is right for half of the
    weights (a target of +1 alone loses that half). Ours; the paper has the limit. A tie broken by a coin
    makes m = 2k no better than 2k - 1, and rho = I_(s^2)(1/2, k), s = 2 q' - 1, a beta distribution.

    >>> exact_overlap(51, [0, 51, 255]).round(3).tolist()
    [0.0, 0.581, 0.928]
    """
    n, m, sigma = checked(n_variables=n_variables, n_rows=n_rows, noise=noise)
    k = np.ceil(m / 2)
    return np.where(k == 0, 0.0, betainc(0.5, np.maximum(k, 1), _lead(n, sigma) ** 2))


@bound
def exact_agreement(n_variables: ArrayLike, n_wrong: ArrayLike) -> ArrayLike:
    """G of two ±1 weight vectors that differ in `n_wrong` of n places (equation 14), exact for every n.

    The overlap is 1 - 2 n_wrong/n. With A and B the sums of w_i x_i where they agree and where they differ,
    the scores A + B and A - B have different signs if |A| < |B|, and half the time if |A| = |B| > 0, as one
    of them is 0 then (even n only). A sum of n products for each number asked for.

    >>> exact_agreement(3, [0, 1, 2, 3]).tolist()
    [1.0, 0.5, 0.5, 0.0]
    """
    n, d = np.broadcast_arrays(*checked(n_variables=n_variables, n_wrong=n_wrong))
    require(d <= n, "n_wrong", d, "at most n_variables", "count the weights that differ from the target's")
    each = [1 - _disagreement(int(n_), int(d_)) for n_, d_ in zip(n.flat, d.flat, strict=True)]
    return np.array(each).reshape(n.shape)


@bound
def finite_learning_curve(n_variables: ArrayLike, n_rows: ArrayLike, noise: ArrayLike = 0.0) -> ArrayLike:
    """G after m rows, its mean over samples, as if each weight were learned from rows of its own.

    The number of wrong weights is then binomial, with the mean that `exact_overlap` gives exactly, and this
    is the mean of `exact_agreement`. Ours, and approximate: the true number varies less. O(n^2) for each n
    asked for.

    >>> finite_learning_curve(51, [0, 51, 255]).round(3).tolist()
    [0.5, 0.7, 0.888]
    """
    n, rho = np.broadcast_arrays(*checked(n_variables=n_variables), exact_overlap(n_variables, n_rows, noise))
    G = np.empty(n.shape)
    for n_ in np.unique(n):
        d, wrong = np.arange(n_ + 1), (1 - rho[n == n_, None]) / 2
        share = np.exp(log_choose(n_, d) + xlogy(d, wrong) + xlog1py(n_ - d, -wrong))
        G[n == n_] = share @ np.asarray(exact_agreement(n_, d))
    return G


def _disagreement(n: int, d: int) -> float:
    same, other = _sum_sizes(n - d, n), _sum_sizes(d, n)
    below = np.cumsum(same) - same
    return float(other[1:] @ (below[1:] + same[1:] / 2))


def _sum_sizes(k: int, n: int) -> Array:
    """P(|S| = s) for s = 0 to n, S a sum of k <= n signs; outwards from the middle, where none underflows."""
    s = np.arange(k % 2, k, 2)
    probabilities = np.zeros(n + 1)
    probabilities[k % 2 : k + 1 : 2] = _middle(k) * np.cumprod(np.append(1.0, (k - s) / (k + s + 2)))
    probabilities[1:] *= 2
    return probabilities


def _lead(n: Array, sigma: Array) -> Array:
    """2 q' - 1, by itself since q' is near 1/2: what the right votes are ahead by, as a share of the rows."""
    return (1 - 2 * sigma) * _middle(n - 1)


def _middle(k: ArrayLike) -> Array:
    """P(S = 0), or P(S = 1) for odd k, S a sum of k signs: C(2j, j)/4^j, j = k/2 rounded up.

    As a ratio of gamma functions, to eleven digits or better; differences of gammaln lose more with k.
    """
    j = np.ceil(np.asarray(k, np.float64) / 2)
    return np.asarray(poch(j + 1, -0.5) / np.sqrt(np.pi))
