"""The bounds against values worked out by hand, against the algorithms they speak of, and at their limits."""

from fractions import Fraction
from math import comb, exp, fsum, inf, isclose, log, log1p, nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta as beta_distribution

from perceptrons.theory import bounds

# --- values by hand; ln 10 = 2.302585, ln 20 = 2.995732, ln 40 = 3.688879 ---

BY_HAND = [
    (bounds.novikoff, (3, 0.5), 36),  # 3/0.5 = 6, squared
    (bounds.novikoff_binary, (2, 3), 27),  # OR: W* = (-1, 2, 2), squared norm 1+4+4 = 9, times 2+1 inputs
    (bounds.beta_updates, (4, 2, 0.5), 48),  # 8 + 4 = 12, over a quarter
    (bounds.beta_updates, (0, 3, 0.5), 36),  # beta = 0 is Novikoff
    (bounds.beta_updates_from, (4, 2, 0.5, 0, 0), 48),  # from zero it is beta_updates
    (bounds.beta_updates_from, (4, 2, 0.5, 6, -2), 58.199337),  # B = 14, 2 (14 + sqrt(196 + 32))
    (bounds.beta_updates_from, (0, 1, 0.5, 2, 1.5), 1.8284271),  # B = -1/2, 2 (-1/2 + sqrt(1/4 + 7/4))
    (bounds.beta_updates_from, (0, 1, 0.5, 3, 3), 0),  # along W*, far enough: no correction
    (bounds.varying_updates, (2, 0.5, [1, 2, 3]), 9 / 56),  # 6^2 = 36, over 16 * 14
    (bounds.varying_updates, (1, 1, [4]), 1),  # one correction of one row
    (bounds.known_margin_updates, (0.25, 3, 0.75), 36),  # 3/0.5 = 6, squared
    (bounds.known_margin_updates, (0.5, 3, 0.5), inf),  # no more than what is known
    (bounds.alma_updates, (0.5, 0.1), 401),  # A = 2 + 1, Q = 4/0.2 = 20
    (bounds.alma_updates, (1, 0.5, 0.5), 11.5625),  # A = 1/4 < 1, u = 4/3.25, Q = 3.25
    (bounds.alma_margin, (0.5, 0.1), 0.04987547),  # 1/sqrt 402
    (bounds.alma_margin, (1, 0.5), 0),  # the target is 0
    (bounds.beta_margin, (4, 2, 0.5), 1 / 6),  # 4 * 0.5 = 2, over 8 + 4
    (bounds.beta_margin, (0, 2, 0.5), 0),  # no target, no margin
    (bounds.uneven_margin, (1, 4, 2, 0.5), 1 / 24),  # 1 * 0.5, over 8 + 4
    (bounds.adaptive_updates, (3, 0.5), 324),  # nine times 36
    (bounds.adaptive_margin, (0.6,), 0.2),
    (bounds.growing_updates, (1.5, 1, 0.1), 10_000),  # exponent 2/0.5 = 4
    (bounds.growing_updates, (1.2, 8, 0.25), 5792.618751),  # 32^(2/0.8) = 2^12.5 = 4096 sqrt 2
    (bounds.growing_margin, (1.5, 1, 0.5), 0.3125),  # 0.375 - 0.5/8, exponent 1.5/0.5 = 3
    (bounds.growing_margin, (1.5, 2, 0.5), 0.359375),  # 0.375 - 1/64
    (bounds.fractional_updates, (1, 3, 0.5), 36),  # eta = b = 1, beta = 0 is Novikoff
    (bounds.fractional_updates, (0.5, 3, 0.5), 48),  # 36 over 0.5 * 1.5
    (bounds.fractional_updates, (1.5, 3, 0.5, 2, 4), 108),  # (6/4)^2 * 36 = 81, over 1.5 * 0.5
    (bounds.compression_bound, (10, 100_000, 0.05), 0.04754954),  # (10 * 9.210340 + 2.995732)/2000
    (bounds.compression_bound, (0, 10_000, 0.1), 0.01151293),  # 2.302585/200
    (
        bounds.compression_bound,
        (0, 10_000, 0.1, 0.04),
        0.07297263,
    ),  # e = 0.01151293, sqrt(0.04 e) = 0.02145970
    (bounds.compression_bound, (100, 1000, 0.05), 1),  # e = (230 + 3)/20 > 1
    (bounds.margin_generalization, (0.1, 1_000_000, 0.05), 0.06449610),  # (9.210340 + 3.688879)/200
    (bounds.margin_generalization, (0.1, 100, 0.05), 1),  # eps^2 m = 1
    (bounds.margin_generalization, (0.001, 100, 0.05), 1),  # eps^2 m < 1
    (bounds.binomial_compression_bound, (0, 2, 0.25), 0.5),  # (1-p)^2 = 1/4
    (bounds.binomial_compression_bound, (1, 2, 0.5), 0.75),  # 1-p = 0.5/2
    (bounds.binomial_compression_bound, (0, 2, 0.75, 1), 0.5),  # 1 - p^2 = 3/4
    (bounds.binomial_compression_bound, (1, 3, 0.57, 1), 0.9),  # 1 - p^2 = 0.57/3 = 0.19
    (bounds.binomial_compression_bound, (0, 5, 0.05, 5), 1),  # all wrong
    (bounds.binomial_compression_bound, (5, 5, 0.05), 1),  # no row left to judge by
    (bounds.binomial_compression_bound, (6, 5, 0.05), 1),
    (bounds.near_optimal_margin, (0.25, 1), 0.1534264),  # 1 - 1/2 - ln 4/4
    (bounds.near_optimal_margin, (0.05, 0.5), 0.3751067),  # (0.9 - 2.995732/20)/2
    (bounds.partitions, (4, 0.5), 10_000),  # (2 * 5)^4
    (bounds.partitions, (1, 1), 4),
    (bounds.log_partitions, (4, 0.5), 9.210340),  # 4 ln 10
    (bounds.unit_vector_margin, (9, 3), 1 / 3),  # through the origin 1/sqrt n, whatever k
    (bounds.unit_vector_margin, (4, 2, inf), 0.5),  # half of sqrt(1/2 + 1/2)
    (bounds.unit_vector_margin, (5, 1, 1), 0.5345225),  # p = 1, q = 1/4: sqrt(1.5/5.25)
    (bounds.unit_vector_compression, (4, 2), 0.7781513),  # ln 6/ln 10
    (bounds.occam_sample_size, (1, 1, 0.5, 0.5), 141),  # 1.386294 (1+r^2): r = 0, 2, 4, 7, 9, 10, 10
    (bounds.influence_sample_size, (10, 0.1, 0.05), 2.714753e13),  # 17600^2 * 10^4 * ln 6400
    (bounds.influence_gap, (0.2, 6), 0.1),  # 0.4 over sqrt 16
    (bounds.sharper_influence_sample_size, (2, 0.5, 0.32), 56_588.331),  # 384 * 4 * 8 ln 100
    (bounds.influence_sample_size, (1, 0.5, 0.32), 7_545_110.7),  # 320^2 * 16 * ln 100
]


@pytest.mark.parametrize(("bound", "numbers", "value"), BY_HAND)
def test_by_hand(bound, numbers, value):
    assert bound(*numbers) == pytest.approx(value, rel=1e-6, abs=1e-15)
    assert type(bound(*numbers)) is float


def test_every_public_function_has_a_value_by_hand():
    assert {getattr(bounds, name) for name in bounds.__all__} == {bound for bound, _, _ in BY_HAND}
    assert len(bounds.__all__) == 27


# --- arrays ---

OF_THEIR_OWN = (bounds.binomial_compression_bound, bounds.varying_updates)  # of numbers; of a run's steps
VECTORISED = [case for case in BY_HAND if case[0] not in OF_THEIR_OWN]


@pytest.mark.parametrize(("bound", "numbers", "value"), VECTORISED)
def test_arrays_broadcast(bound, numbers, value):
    first, *others = numbers
    table = bound(np.full((2, 1), first), *[np.full(3, other) for other in others])
    assert table.shape == ((2, 3) if others else (2, 1))
    assert table.dtype == np.float64
    np.testing.assert_array_equal(table, bound(*numbers))


def test_each_entry_of_an_array_is_its_own_bound():
    table = bounds.beta_updates([[0], [4]], 2, [0.5, 1.0])
    assert table.tolist() == [[16, 4], [48, 12]]  # 4 and 12, over 1/4 and 1
    assert bounds.varying_updates(1, 0.5, [[1, 1, 1, 1], [1, 2, 3, 4]]).tolist() == [1, 25 / 30]  # each run
    assert bounds.novikoff(np.float64(3), np.array(0.5)) == 36
    assert type(bounds.novikoff(np.float64(3), np.array(0.5))) is float


# --- limits ---

OUT_OF_RANGE = [
    (bounds.novikoff, {"radius": 0, "margin": 1}, "radius"),
    (bounds.novikoff, {"radius": inf, "margin": 1}, "radius"),
    (bounds.novikoff, {"radius": 1, "margin": 0}, "margin"),
    (bounds.novikoff, {"radius": 1, "margin": [0.5, nan]}, "margin"),
    (bounds.novikoff, {"radius": 1, "margin": 1.001}, "margin"),
    (bounds.novikoff_binary, {"n": -1, "weight_norm": 1}, "n"),
    (bounds.novikoff_binary, {"n": 2.5, "weight_norm": 1}, "n"),
    (bounds.novikoff_binary, {"n": 2, "weight_norm": 0}, "weight_norm"),
    (bounds.beta_updates, {"beta": -1, "radius": 1, "margin": 1}, "beta"),
    (bounds.beta_margin, {"beta": inf, "radius": 1, "margin": 1}, "beta"),
    (bounds.beta_updates_from, {"beta": 0, "radius": 1, "margin": 1, "start": -1, "along": 0}, "start"),
    (bounds.beta_updates_from, {"beta": 0, "radius": 1, "margin": 1, "start": 1, "along": -2}, "along"),
    (bounds.varying_updates, {"radius": 1, "margin": 1, "steps": [1, 0]}, "steps"),
    (bounds.known_margin_updates, {"known": 0, "radius": 1, "margin": 1}, "known"),
    (bounds.alma_updates, {"share": 0, "margin": 1}, "share"),
    (bounds.alma_updates, {"share": 0.1, "margin": 1, "eta": 2}, "eta"),
    (bounds.alma_margin, {"share": 1.1, "margin": 1}, "share"),
    (bounds.uneven_margin, {"beta_y": -1, "beta_max": 1, "radius": 1, "margin": 1}, "beta_y"),
    (bounds.uneven_margin, {"beta_y": 2, "beta_max": 1, "radius": 1, "margin": 1}, "beta_y"),
    (bounds.uneven_margin, {"beta_y": 0, "beta_max": 0, "radius": 1, "margin": 1}, "beta_max"),
    (bounds.adaptive_updates, {"radius": 1, "margin": 2}, "margin"),
    (bounds.adaptive_margin, {"margin": -1}, "margin"),
    (bounds.growing_updates, {"alpha": 1, "radius": 1, "margin": 1}, "alpha"),
    (bounds.growing_margin, {"alpha": 2, "radius": 1, "margin": 1}, "alpha"),
    (bounds.fractional_updates, {"eta": 0, "radius": 1, "margin": 1}, "eta"),
    (bounds.fractional_updates, {"eta": 2, "radius": 1, "margin": 1}, "eta"),
    (bounds.fractional_updates, {"eta": 1, "radius": 1, "margin": 1, "b": 0}, "b"),
    (bounds.compression_bound, {"d": -1, "m": 9, "delta": 0.1}, "d"),
    (bounds.compression_bound, {"d": 1, "m": 0, "delta": 0.1}, "m"),
    (bounds.compression_bound, {"d": 1, "m": 9, "delta": 1}, "delta"),
    (bounds.compression_bound, {"d": 1, "m": 9, "delta": 0.1, "empirical": 1.1}, "empirical"),
    (bounds.margin_generalization, {"margin": 3, "m": 9, "delta": 0.1}, "margin"),
    (bounds.margin_generalization, {"margin": 0.3, "m": 9.5, "delta": 0.1}, "m"),
    (bounds.binomial_compression_bound, {"d": 1, "m": 9, "delta": 0}, "delta"),
    (bounds.binomial_compression_bound, {"d": 0.5, "m": 9, "delta": 0.1}, "d"),
    (bounds.binomial_compression_bound, {"d": 1, "m": 9, "delta": 0.1, "errors": -1}, "errors"),
    (bounds.binomial_compression_bound, {"d": 1, "m": 9, "delta": 0.1, "errors": 9}, "errors"),
    (bounds.near_optimal_margin, {"slack": 0.5, "margin": 1}, "slack"),
    (bounds.partitions, {"n_points": 0, "margin": 1}, "n_points"),
    (bounds.partitions, {"n_points": 3, "margin": 2}, "margin"),
    (bounds.log_partitions, {"n_points": 2.5, "margin": 1}, "n_points"),
    (bounds.log_partitions, {"n_points": 3, "margin": 2}, "margin"),
    (bounds.unit_vector_margin, {"n_points": 3, "k": 3}, "k"),
    (bounds.unit_vector_margin, {"n_points": 3, "k": 1, "lift": -1}, "lift"),
    (bounds.unit_vector_compression, {"n_points": 3, "k": 0}, "k"),
    (bounds.unit_vector_compression, {"n_points": 3, "k": 4}, "k"),
    (bounds.occam_sample_size, {"s": 0, "n_terms": 9, "eps": 0.1, "delta": 0.1}, "s"),
    (bounds.occam_sample_size, {"s": 1, "n_terms": 0, "eps": 0.1, "delta": 0.1}, "n_terms"),
    (bounds.occam_sample_size, {"s": 1, "n_terms": 9, "eps": 1, "delta": 0.1}, "eps"),
    (bounds.influence_gap, {"rho": 0, "n_variables": 9}, "rho"),
    (bounds.sharper_influence_sample_size, {"n_variables": 9, "eps": 0.1, "delta": 0}, "delta"),
    (bounds.influence_sample_size, {"n_variables": 0, "eps": 0.1, "delta": 0.1}, "n_variables"),
    (bounds.influence_sample_size, {"n_variables": 9, "eps": 0, "delta": 0.1}, "eps"),
]


@pytest.mark.parametrize(("bound", "numbers", "name"), OUT_OF_RANGE)
def test_out_of_range_names_value_limit_and_remedy(bound, numbers, name):
    bad = np.ravel(numbers[name])[-1]
    with pytest.raises(ValueError, match=rf"^{name} = {bad:g}, but it must be .+; .+"):
        bound(**numbers)


def test_the_closed_ends_of_the_limits_are_allowed():
    assert bounds.compression_bound(0, 1, 0.5, [0, 1]).tolist() == [1, 1]
    assert bounds.uneven_margin(0, 1, 1, 1) == 0
    assert bounds.novikoff(1, 1 + 1e-6) == pytest.approx(1, rel=1e-5)  # a margin rounded above its radius
    assert bounds.novikoff_binary(0, 2) == 4


def test_bounds_too_large_for_a_float_are_infinite():
    assert bounds.novikoff(1, 1e-200) == inf
    assert bounds.beta_updates(1, 1, 1e-200) == inf
    assert bounds.beta_updates(1, 1e200, 1e199) == pytest.approx(100)  # no overflow on the way
    assert bounds.growing_updates([1.5, 1.999], 1, 0.1).tolist() == [pytest.approx(1e4), inf]
    assert bounds.partitions(1000, [0.5, 0.01]).tolist() == [pytest.approx(2002.0**4), inf]
    assert bounds.log_partitions(1000, 0.01) == pytest.approx(1e4 * log(2002))
    assert bounds.occam_sample_size([1, 1e200], 1, 0.5, 0.5).tolist() == [141, inf]
    assert bounds.influence_sample_size(1e100, 0.1, 0.1) == inf


# --- how the bounds move, and how they meet ---

radii = st.floats(0.1, 100)
shares = st.floats(0.01, 1)  # the margin as a share of the radius
positive = st.floats(0.01, 100)
alphas = st.floats(1.05, 1.95)
deltas = st.floats(1e-6, 0.5)


@given(
    R=radii, share=shares, less=shares, beta=positive, more=positive, alpha=alphas, eta=st.floats(0.05, 1.95)
)
def test_updates_rise_with_radius_and_beta_and_fall_with_margin(R, share, less, beta, more, alpha, eta):
    eps = share * R
    for updates in (
        bounds.novikoff,
        bounds.adaptive_updates,
        lambda R, eps: bounds.beta_updates(beta, R, eps),
        lambda R, eps: bounds.growing_updates(alpha, R, eps),
        lambda R, eps: bounds.fractional_updates(eta, R, eps, beta),
    ):
        assert updates(R, eps) <= updates(R, less * eps)
        assert updates(R, eps) <= updates(R + more, eps)
        assert updates(R, eps) >= 1 - 1e-9  # w = 0 is never right
    assert bounds.beta_updates(beta, R, eps) < bounds.beta_updates(beta + more, R, eps)
    assert bounds.fractional_updates(eta, R, eps) == pytest.approx(bounds.fractional_updates(2 - eta, R, eps))
    assert bounds.fractional_updates(1, R, eps) <= bounds.fractional_updates(eta, R, eps)


@given(R=radii, share=shares, beta=positive, more=positive, alpha=alphas)
def test_no_guarantee_exceeds_the_best_margin(R, share, beta, more, alpha):
    eps = share * R
    reached = bounds.beta_margin(beta, R, eps)
    assert 0 < reached < bounds.beta_margin(beta + more, R, eps) < eps / 2
    assert bounds.uneven_margin(beta, beta, R, eps) == reached
    assert bounds.uneven_margin(beta, beta + more, R, eps) < reached
    growing = bounds.growing_margin(alpha, R, eps)
    assert (alpha - 1) / 2 * eps * (1 - 1e-9) <= growing <= alpha / 2 * eps
    assert growing <= bounds.growing_margin(alpha, R + more, eps)
    slack = 1 - alpha / 2  # the proof of Theorem 2.3 ends with the bound at this smaller margin
    less = bounds.growing_margin(alpha, R, (1 + slack * log(slack)) * eps)
    assert bounds.near_optimal_margin(slack, eps) <= less + 1e-12 * eps


@given(scale=positive, R=radii, share=shares, alpha=alphas)
def test_scaling_the_rows_scales_the_margin_and_keeps_the_updates(scale, R, share, alpha):
    eps, c = share * R, scale
    assert bounds.growing_updates(alpha, c * R, c * eps) == pytest.approx(
        bounds.growing_updates(alpha, R, eps)
    )
    assert bounds.growing_margin(alpha, c * R, c * eps) == pytest.approx(
        c * bounds.growing_margin(alpha, R, eps)
    )
    assert bounds.beta_margin(c * c, c * R, c * eps) == pytest.approx(c * bounds.beta_margin(1, R, eps))


@given(
    d=st.integers(0, 3000), more=st.integers(0, 3000), m=st.integers(1, 3000), delta=deltas, L=st.floats(0, 1)
)
def test_compression_bounds_rise_with_size_and_confidence(d, more, m, delta, L):
    value = bounds.compression_bound(d, m, delta, L)
    assert L <= value <= bounds.compression_bound(d + more, m, delta, L) <= 1
    assert value <= bounds.compression_bound(d, m, delta / 2, L)
    exact = bounds.binomial_compression_bound(d, m, delta)
    assert 0 < exact <= min(1, bounds.binomial_compression_bound(d, m, delta / 2) + 1e-12)
    assert exact <= bounds.compression_bound(d, m, delta) + 1e-12  # far tighter


def test_a_rule_that_keeps_all_its_rows_has_no_bound():
    # As printed, e = 50 ln 20/1000 = 0.15 at d = m = 1000; but such a rule may be wrong on every other row.
    assert bounds.compression_bound([990, 1000, 1001], 1000, 0.05).tolist() == [1, 1, 1]


@given(eps=st.floats(1e-3, 1), less=shares, m=st.integers(1, 10**9), delta=deltas)
def test_generalization_improves_with_margin_and_rows(eps, less, m, delta):
    value = bounds.margin_generalization(eps, m, delta)
    assert 0 < value <= bounds.margin_generalization(less * eps, m, delta) <= 1
    assert (
        bounds.margin_generalization(eps, 2 * m, delta)
        <= value
        <= bounds.margin_generalization(eps, m, delta / 2)
    )


# --- the algorithms themselves, in plain Python ---


def run(rows, target, cap=200_000):
    """Correct the first row with y<w,x> <= target(t, norms used) until none is left: (w, t, rho)."""
    w, used = np.zeros(rows.shape[1]), []
    for t in range(cap):
        wrong = np.flatnonzero(rows @ w <= target(t, used))
        if not wrong.size:
            return w, t, max(used)
        w = w + rows[wrong[0]]
        used.append(np.linalg.norm(rows[wrong[0]]))
    raise AssertionError("the perceptron did not stop")


def adaptive(t, used):
    beta = 0.0
    for norm in used:
        beta = beta if beta >= norm**2 else 4 * norm**2
    return beta


def growing(alpha):
    return lambda t, used: max(used, default=0) ** 2 * ((t + 1) ** alpha - t**alpha - 1) / 2


def fractional(rows, eta, beta):
    """Updates of the fractional rule with b = 1."""
    w, t = np.zeros(rows.shape[1]), 0
    while (wrong := np.flatnonzero(rows @ w <= beta)).size:
        x = rows[wrong[0]]
        w, t = w + eta * (1 + beta - x @ w) / (x @ x) * x, t + 1
    return t


def separable_rows(rng):
    """Rows times labels, and the margin of the vector that labels them: no more than the best one."""
    u = rng.normal(size=3)
    u /= np.linalg.norm(u)
    rows = rng.normal(size=(30, 3)) * rng.lognormal(0, 0.7, size=(30, 1))
    rows = rows[np.abs(rows @ u) > 0.15 * np.linalg.norm(rows, axis=1).max()]
    rows *= np.sign(rows @ u)[:, None]
    return rows, float((rows @ u).min(initial=inf))


def check_algorithms(rows, eps):
    """Run every rule on the rows, compare with its bounds; return the updates of the classical one."""
    R = float(np.linalg.norm(rows, axis=1).max())
    counts = []
    for target, updates, guarantee in (
        (lambda t, used: 0, bounds.novikoff(R, eps), lambda rho: 0),
        (lambda t, used: 2, bounds.beta_updates(2, R, eps), lambda rho: bounds.beta_margin(2, R, eps)),
        (adaptive, bounds.adaptive_updates(R, eps), lambda rho: bounds.adaptive_margin(eps)),
        (growing(1.5), bounds.growing_updates(1.5, R, eps), lambda rho: bounds.growing_margin(1.5, rho, eps)),
        (growing(1.6), bounds.growing_updates(1.6, R, eps), lambda rho: bounds.near_optimal_margin(0.2, eps)),
    ):
        w, t, rho = run(rows, target)
        assert t <= updates * (1 + 1e-9)
        assert (rows @ w).min() / np.linalg.norm(w) >= guarantee(rho) * (1 - 1e-9)
        counts.append(t)
    for eta, beta in ((0.3, 0), (1, 0), (1.7, 2)):
        assert fractional(rows, eta, beta) <= bounds.fractional_updates(eta, R, eps, beta) * (1 + 1e-9)
    return counts[0]


def test_the_algorithms_keep_the_bounds():
    rng = np.random.default_rng(0)
    cases = [(rows, eps) for rows, eps in (separable_rows(rng) for _ in range(60)) if len(rows) > 1]
    informative = sum(check_algorithms(rows, eps) > 1 for rows, eps in cases)
    assert len(cases) >= 40
    assert informative >= 20


def test_growing_margin_is_for_the_norm_used_not_the_largest():
    rows = np.array([[1, 0], [0.42, 100]])  # one update with the first row, and the target is already met
    w, t, rho = run(rows, growing(1.5))
    eps = 1 / np.hypot(1, 0.0058)  # the margin of (1, 0.0058): 1 on the first row, exactly 1 on the second
    assert (w.tolist(), t, rho) == ([1, 0], 1, 1)
    assert bounds.growing_margin(1.5, rho, eps) < 0.42 < bounds.growing_margin(1.5, 100, eps)


# --- the binomial bound ---


def exact_excess(p, d, m, delta, errors):
    """P[Bin(m-d, p) <= errors] * C(m, d) / delta - 1, in exact arithmetic."""
    n, p = m - d, Fraction(p)
    tail = sum(comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(errors + 1))
    return tail * comb(m, d) / Fraction(delta) - 1


@settings(max_examples=60, deadline=None)
@given(data=st.data(), m=st.integers(2, 40), delta=st.floats(1e-12, 0.99))
def test_binomial_bound_is_the_largest_p(data, m, delta):
    d = data.draw(st.integers(0, m - 1))
    errors = data.draw(st.integers(0, m - d - 1))
    p = bounds.binomial_compression_bound(d, m, delta, errors)
    assert exact_excess(p * (1 - 1e-9), d, m, delta, errors) >= 0
    assert exact_excess(min(p * (1 + 1e-9), 1), d, m, delta, errors) < 0  # slightly larger violates


CASES = [(0, 100, 0.05, 3), (5, 200, 0.01, 0), (5, 200, 0.01, 20), (40, 500, 0.05, 7), (3, 10**6, 0.05, 1000)]
CASES += [(0, 10**6, 0.05, 1), (10, 10**6, 0.05, 400_000), (0, 10**6, 0.9, 999_998)]


@pytest.mark.parametrize(("d", "m", "delta", "errors"), CASES)
def test_binomial_bound_is_the_beta_quantile(d, m, delta, errors):
    # P[Bin(n, p) <= k] = P[Beta(k+1, n-k) > p]
    quantile = beta_distribution.isf(delta / comb(m, d), errors + 1, m - d - errors)
    assert bounds.binomial_compression_bound(d, m, delta, errors) == pytest.approx(quantile, rel=1e-8)


@pytest.mark.parametrize(("d", "errors"), [(2000, 0), (2000, 5), (900, 60)])
def test_binomial_bound_where_delta_over_the_choices_underflows(d, errors):
    m, delta = 10**6, 0.05
    n, target = m - d, log(delta) - log(comb(m, d))  # math.log takes integers of any size
    assert exp(target) == 0
    p = bounds.binomial_compression_bound(d, m, delta, errors)

    def log_tail(p):
        terms = [log(comb(n, i)) + i * log(p) + (n - i) * log1p(-p) for i in range(errors + 1)]
        return max(terms) + log(fsum(exp(term - max(terms)) for term in terms))

    assert log_tail(p * (1 - 1e-9)) > target > log_tail(p * (1 + 1e-9))


@given(m=st.integers(3, 10**6), delta=deltas, data=st.data())
@settings(max_examples=30, deadline=None)
def test_binomial_bound_rises_with_errors(m, delta, data):
    d = data.draw(st.integers(0, m - 2))
    errors = data.draw(st.integers(0, min(m - d - 1, 2000)))
    p = bounds.binomial_compression_bound(d, m, delta, errors)
    assert errors / (m - d) < p <= bounds.binomial_compression_bound(d, m, delta, errors + 1)
    assert isclose(p, bounds.binomial_compression_bound(np.int64(d), np.int64(m), delta, errors))
