"""What rows that a model has not seen prove about it: exact bounds on shares and means, and promises.

The rows must be drawn as new rows will be, independently of one another and of the model. Every bound holds
with probability at least 1 - delta over their draw, each by itself: the deltas of several add up. All are
rounded away from the claim: an upper bound up, a lower one down, by more than SciPy's functions err.

Sources: C. Clopper and E. Pearson, Biometrika 26 (1934); S. Bates et al., *Distribution-Free,
Risk-Controlling Prediction Sets* (2021), for Hoeffding and Bentkus; M. Sundararajan and A. Pal, *A
Conservative Approach to Perceptron Learning*, equation 18, for savings. Fixed sequences of tests are usual in
medical statistics. Numbers and arrays broadcast, numbers alone give a float.
"""

from math import ceil, floor, inf, log, log1p

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincc, betainccinv, betaincinv, rel_entr

from .._types import Array
from .inputs import bound, checked, numbers, require

SLACK = 1e-9  # relative; the error of SciPy's incomplete beta functions is far below it
HALVINGS = 100
MANY = 10**9  # rows: to ask for more is to ask for nothing


@bound
def inverse_kl(mean_loss: ArrayLike, cost: ArrayLike) -> ArrayLike:
    """The largest p with kl(q||p) <= c: what a mean may be, if q was seen and c is what that costs.

    kl(q||p) = q ln(q/p) + (1-q) ln((1-q)/(1-p)), the relative entropy of two coins. With c = ln(1/delta)/m it
    is Chernoff's bound on the mean of m losses in [0, 1], independent and alike, whose average is q.

    >>> round(inverse_kl(0, 0.03), 6), round(inverse_kl(0.1, 0.03), 6)
    (0.029554, 0.188903)
    """
    q, c = np.broadcast_arrays(*checked(mean_loss=mean_loss, cost=cost))
    low, high = q.copy(), np.ones(q.shape)
    c = c + 4 * np.finfo(float).eps  # what the difference of logarithms may lose
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        with np.errstate(invalid="ignore"):
            inside = rel_entr(q, middle) + rel_entr(1 - q, 1 - middle) <= c
        low, high = np.where(inside, middle, low), np.where(inside, high, middle)
    return _up(high)


@bound
def binomial_upper(errors: ArrayLike, n_rows: ArrayLike, delta: ArrayLike) -> ArrayLike:
    """The share of new rows in error is at most this, if k of n held-out rows are (Clopper and Pearson).

    The largest p with P[Bin(n, p) <= k] >= delta; 1 if all rows are in error, or there are none. No bound
    that holds for every distribution is smaller for every k.

    >>> round(binomial_upper(0, 59, 0.05), 4), round(binomial_upper(10, 200, 0.05), 4)
    (0.0495, 0.0833)
    """
    k, n, delta_ = _counts(errors, n_rows, delta)
    return _up(np.where(k < n, betainccinv(k + 1, np.maximum(n - k, 1), delta_), 1))


@bound
def binomial_lower(errors: ArrayLike, n_rows: ArrayLike, delta: ArrayLike) -> ArrayLike:
    """The share of new rows in error is at least this, if k of n held-out rows are (Clopper and Pearson).

    >>> round(binomial_lower(10, 200, 0.05), 4)
    0.0274
    """
    k, n, delta_ = _counts(errors, n_rows, delta)
    return np.where(k > 0, betaincinv(np.maximum(k, 1), n - k + 1, delta_), 0) * (1 - SLACK)


def _counts(errors: ArrayLike, n_rows: ArrayLike, delta: ArrayLike) -> tuple[Array, ...]:
    k, n, delta_ = checked(errors=errors, n_rows=n_rows, delta=delta)
    require(k <= n, "errors", k, "at most n_rows", "count no row twice")
    return k, n, delta_


def _up(share: Array) -> Array:
    return np.asarray(np.minimum(share * (1 + SLACK), 1))


@bound
def binomial_tail(errors: ArrayLike, n_rows: ArrayLike, max_error: ArrayLike) -> ArrayLike:
    """P[Bin(n, p) <= k]: the p-value of "the error is above p", if k of n rows are wrong. Rounded up.

    >>> round(binomial_tail(0, 59, 0.05), 4), binomial_tail(0, 0, 0.05)
    (0.0485, 1.0)
    """
    k, n, p = checked(errors=errors, n_rows=n_rows, max_error=max_error)
    require(k <= n, "errors", k, "at most n_rows", "count no row twice")
    return _up(np.where(k < n, betaincc(k + 1, np.maximum(n - k, 1), p), 1))


@bound
def hoeffding_bentkus(mean_loss: ArrayLike, n_rows: ArrayLike, delta: ArrayLike) -> ArrayLike:
    """The mean of losses in [0, 1] on new rows is at most this, if L is their mean on n held-out rows.

    The largest p that neither Hoeffding's tail exp(-n kl(L||p)) nor Bentkus's e P[Bin(n, p) <= ceil(nL)]
    refutes at delta. For losses that are 0 or 1 `binomial_upper` is smaller.

    >>> round(hoeffding_bentkus(0.05, 200, 0.05), 4)
    0.0928
    """
    L, n, delta_ = np.broadcast_arrays(*checked(mean_loss=mean_loss, n_rows=n_rows, delta=delta))
    some = np.maximum(n, 1)
    k = np.minimum(np.ceil(some * L * (1 - 1e-12)), some)  # 3 of 7 rows are not to become 4 by rounding
    bentkus = np.asarray(binomial_upper(k, some, delta_ / np.e))
    return np.where(n > 0, np.minimum(np.asarray(inverse_kl(L, -np.log(delta_) / some)), bentkus), 1)


def fixed_sequence(errors: ArrayLike, answered: ArrayLike, max_error: float, delta: float) -> int:
    """The last threshold of a fixed sequence that may be promised; -1 if not even the first may.

    Thresholds, from strict to lenient, were fixed without these rows; `answered[j]` of them pass the j-th, of
    which `errors[j]` are wrong. Each is tested by its `binomial_tail` until the first that exceeds delta. No
    delta is divided: before a threshold that breaks the promise can pass, the first such must pass, and that
    one is fixed. The last of *all* that pass would break the promise far more often.

    >>> fixed_sequence([0, 1, 4, 2], [60, 100, 120, 200], 0.05, 0.05)  # 4 of 120 fail; the last is not tried
    1
    """
    tails = np.atleast_1d(binomial_tail(errors, answered, max_error))
    failed = np.flatnonzero(tails > checked(delta=delta)[0])
    return int(failed[0] if len(failed) else len(tails)) - 1


def rows_needed(max_error: float, delta: float, rate: float = 0.0) -> float:
    """How many answered rows allow to promise `max_error`, if a share `rate` of them is wrong.

    About the least n of which ceil(rate n) errors allow it; without errors the least n with
    (1 - max_error)^n <= delta; inf if the rate is not below max_error.

    >>> rows_needed(0.05, 0.05), rows_needed(0.01, 0.05), rows_needed(0.05, 0.05, rate=0.02)
    (59, 299, 181)
    """
    checked(max_error=max_error, delta=delta, mean_loss=rate)
    if rate >= max_error:
        return inf
    if rate == 0:
        return ceil(log(delta) / log1p(-max_error) * (1 - 1e-12))
    errors = 1
    while binomial_tail(errors, most := floor(errors / rate), max_error) > delta:  # the most rows with so few
        errors *= 2
        if most > MANY:
            return inf
    fewer, enough = errors // 2, errors
    while enough - fewer > 1:
        middle = (fewer + enough) // 2
        passes = binomial_tail(middle, floor(middle / rate), max_error) <= delta
        fewer, enough = (fewer, middle) if passes else (middle, enough)
    low, high = enough - 1, floor(enough / rate)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if binomial_tail(enough, middle, max_error) <= delta else (middle, high)
    return high


@bound
def saving_confidence(mean_saving: ArrayLike, width: ArrayLike, n_rows: ArrayLike) -> ArrayLike:
    """The confidence that rejecting rows pays: 1 - exp(-2 n (D/W)^2), 0 if D <= 0 (after equation 18).

    n rejected rows, not trained on, saved D each on average: b - c where the answer would have been wrong,
    -(a + c) where it would have been right, by the class of the row. W = max(b - c) + max(a + c) is fixed by
    the costs. If costs are the same for all classes, D/W is the paper's l/n - (a + c)/(a + b).

    >>> round(saving_confidence(0.3, 1, 20), 4)
    0.9727
    """
    D, W, n = checked(mean_saving=mean_saving, width=width, n_rows=n_rows)
    return np.maximum(-np.expm1(-2 * n * (np.maximum(D, 0) / W) ** 2) - 1e-15, 0)


def saving_interval(mean_saving: float, width: float, n_rows: int, delta: float) -> tuple[float, float]:
    """Where the mean saving of rejected rows lies: D ± W sqrt(ln(2/delta)/(2n)), see `saving_confidence`.

    >>> [round(end, 3) for end in saving_interval(0.3, 1, 200, 0.05)]
    [0.204, 0.396]
    """
    D, W, n, delta_ = (
        float(one) for one in checked(mean_saving=mean_saving, width=width, n_rows=n_rows, delta=delta)
    )
    half = W * (log(2 / delta_) / (2 * n)) ** 0.5 * (1 + SLACK) if n else inf
    return D - half, D + half


def margin_tail(margins: ArrayLike, gamma: ArrayLike, delta: ArrayLike) -> float | Array:
    """At most this share of new rows has a margin below gamma, from the margins of held-out rows.

    `binomial_upper` of those below; for one gamma, fixed beforehand. For all at once: `margin_curve`.

    >>> round(margin_tail([0.1, 0.4, 0.5, 0.9] * 50, 0.2, 0.05), 4)
    0.3055
    """
    below, n = _below(margins, gamma)
    return binomial_upper(below, n, delta)


@bound
def margin_curve(margins: ArrayLike, gamma: ArrayLike, delta: ArrayLike) -> ArrayLike:
    """At most this share of new rows has a margin below gamma, for all gamma at once.

    The share of the held-out rows + sqrt(ln(1/delta)/(2n)) (Dvoretzky, Kiefer, Wolfowitz; Massart's constant,
    one-sided, which needs delta <= 1/2: there it stays for larger ones).

    >>> round(margin_curve([0.1, 0.4, 0.5, 0.9] * 50, 0.2, 0.05), 4)
    0.3365
    """
    below, n = _below(margins, gamma)
    (delta_,) = checked(delta=delta)
    return _up(below / n + np.sqrt(np.log(1 / np.minimum(delta_, 0.5)) / (2 * n)))


def _below(margins: ArrayLike, gamma: ArrayLike) -> tuple[Array, int]:
    """How many margins are below each gamma, and of how many."""
    (gammas,) = checked(gamma=gamma)
    values = np.sort(numbers(margins, "margins", 0.0), axis=None)
    return np.asarray(np.searchsorted(values, gammas, side="left"), float), len(values)


@bound
def markov_margin(mean_inverse_margin: ArrayLike, delta: ArrayLike) -> ArrayLike:
    """A margin that a new set of rows misses with probability below delta/2: delta/(2 E[1/margin]).

    Condition (2) of Moran et al., Section 5.1, by Markov's inequality. The mean, over sets of rows, of one
    over their margin is the caller's assumption, not something that rows prove.

    >>> round(markov_margin(10, 0.05), 6)
    0.0025
    """
    inverse, delta_ = checked(mean_inverse_margin=mean_inverse_margin, delta=delta)
    return delta_ / (2 * inverse) * (1 - SLACK)


@bound
def hard_margin_bound(radius: ArrayLike, margin: ArrayLike, m: ArrayLike, delta: ArrayLike) -> ArrayLike:
    """Error of the maximum-margin vector: sqrt(4 (R/gamma)^2/m) + sqrt(2 ln(2/delta)/m), at most 1.

    S. Shalev-Shwartz and S. Ben-David, *Understanding Machine Learning* (2014), Theorem 15.4, through the
    origin. `margin` is one that *all* rows, the new ones too, have from one vector: the caller's assumption.

    >>> round(hard_margin_bound(1, 0.1, 100_000, 0.05), 4)
    0.0718
    """
    R, g, m_, delta_ = checked(radius=radius, margin=margin, m=m, delta=delta)
    return _up(2 * R / g / np.sqrt(m_) + np.sqrt(2 * np.log(2 / delta_) / m_))
