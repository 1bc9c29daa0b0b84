"""The learning curves against counting all samples, against simulation, at their limits, and by hand."""

from fractions import Fraction
from itertools import product
from math import acos, comb, erf, fsum, inf, log, nan, pi, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perceptrons.theory import curves

# --- values by hand ---

BY_HAND = [
    (curves.limit_overlap, (pi / 4,), 0.5204999),  # erf(1/2)
    (curves.limit_overlap, (pi, 0.25), 0.5204999),  # half of sqrt 1
    (curves.limit_overlap, (9, 0.5), 0),  # labels that say nothing
    (curves.agreement, (-1,), 0),
    (curves.agreement, (0,), 0.5),
    (curves.agreement, (sqrt(0.75),), 5 / 6),  # 30 degrees
    (curves.agreement, (1,), 1),
    (curves.learning_curve, (0,), 0.5),
    (curves.learning_curve, (pi / 4,), 0.6742544),  # arccos 0.5204999 = 1.0233600
    (curves.learning_error, (pi, 0.25), 0.3257456),
    (curves.error_bound, (2 * pi,), 0.3678794),  # 1/e
    (curves.error_bound, (8 * pi, 0.25), 0.3678794),
    (curves.error_bound, (5, 0.5), 1),
    (curves.sufficient_load, (0.1,), 14.4675690),  # 6.2831853 * 2.3025851
    (curves.sufficient_load, (0.1, 0.25), 57.8702761),  # four times as many
    (curves.sufficient_load, (0.1, 0.5), inf),
    (curves.bayes_error, (22,), 0.02),
    (curves.bayes_error, (0,), inf),
    (curves.vote_probability, (1,), 1),  # the label is x_1 or its opposite
    (curves.vote_probability, (2,), 0.75),  # 1/2 + 1/4
    (curves.vote_probability, (4,), 0.6875),  # 1/2 + 3/16
    (curves.vote_probability, (5, 0.25), 0.59375),  # 1/2 + 6/32, half of the lead
    (curves.limit_vote_probability, (50 / pi,), None),  # no whole number
    (curves.limit_vote_probability, (100, 0.25), 0.5199471),  # 1/2 + 1/sqrt(800 pi)
    (curves.exact_overlap, (3, 0), 0),
    (curves.exact_overlap, (1, 1), 1),
    (curves.exact_overlap, (3, [1, 2, 3]), [0.5, 0.5, 0.6875]),  # q = 3/4: 3q^2 - 2q^3 = 27/32
    (curves.exact_agreement, (2, [0, 1, 2]), [1, 0.5, 0.5]),  # two ties are both -1
]


@pytest.mark.parametrize(("curve", "numbers", "expected"), BY_HAND)
def test_values_by_hand(curve, numbers, expected):
    if expected is None:
        with pytest.raises(ValueError, match="whole number"):
            curve(*numbers)
    else:
        value = curve(*numbers)
        assert value == pytest.approx(expected, rel=1e-6)
        assert isinstance(value, np.ndarray if isinstance(expected, list) else float)


def test_arrays_broadcast():
    load, noise = np.linspace(0, 5, 4)[:, None], [0, 0.1, 0.5]
    for curve in (curves.limit_overlap, curves.learning_curve, curves.learning_error, curves.error_bound):
        table = curve(load, noise)
        assert table.shape == (4, 3)
        assert table[2, 1] == curve(load[2, 0], 0.1)
    table = curves.exact_overlap(np.array([5, 8])[:, None, None], np.arange(4)[:, None], noise)
    assert table.shape == (2, 4, 3)
    assert table[1, 3, 1] == curves.exact_overlap(8, 3, 0.1)
    table = curves.exact_agreement([[5], [8]], [0, 2, 5])
    assert table.shape == (2, 3)
    assert table[1, 2] == curves.exact_agreement(8, 5)
    assert curves.exact_agreement(5, []).shape == (0,)


OUT_OF_RANGE = [
    (curves.limit_overlap, {"load": -1}, "load"),
    (curves.limit_overlap, {"load": 1, "noise": 0.6}, "noise"),
    (curves.learning_curve, {"load": nan}, "load"),
    (curves.learning_error, {"load": 1, "noise": -0.1}, "noise"),
    (curves.error_bound, {"load": inf}, "load"),
    (curves.agreement, {"overlap": [0, 1.5]}, "overlap"),
    (curves.agreement, {"overlap": -1.5}, "overlap"),
    (curves.sufficient_load, {"eps": 1}, "eps"),
    (curves.bayes_error, {"load": -1}, "load"),
    (curves.vote_probability, {"n_variables": 0}, "n_variables"),
    (curves.limit_vote_probability, {"n_variables": 1.5}, "n_variables"),
    (curves.exact_overlap, {"n_variables": 3, "n_rows": -1}, "n_rows"),
    (curves.exact_overlap, {"n_variables": 3, "n_rows": 1.5}, "n_rows"),
    (curves.finite_learning_curve, {"n_variables": 3, "n_rows": 2, "noise": 1}, "noise"),
    (curves.finite_learning_curve, {"n_variables": 0, "n_rows": 2}, "n_variables"),
    (curves.exact_agreement, {"n_variables": 3, "n_wrong": [3, 4]}, "n_wrong"),
    (curves.exact_agreement, {"n_variables": 3, "n_wrong": 0.5}, "n_wrong"),
]


@pytest.mark.parametrize(("curve", "numbers", "name"), OUT_OF_RANGE)
def test_out_of_range_names_value_limit_and_remedy(curve, numbers, name):
    bad = np.ravel(numbers[name])[-1]
    with pytest.raises(ValueError, match=rf"^{name} = {bad:g}, but it must be .+; .+"):
        curve(**numbers)


# --- exact: every sample, every target, in fractions ---


def sgn(number):
    return 1 if number > 0 else -1


def dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


def signs(n):
    return list(product((-1, 1), repeat=n))


def clipped_hebb(rows, labels, n):
    return [sgn(sum(label * row[i] for row, label in zip(rows, labels, strict=True))) for i in range(n)]


def mean_overlap(n, m, noise):
    """Over all targets, all samples and all ways to flip labels."""
    total = Fraction(0)
    for target in signs(n):
        for rows in product(signs(n), repeat=m):
            labels = [sgn(dot(target, row)) for row in rows]
            for flips in signs(m) if noise else [(1,) * m]:
                chance = noise ** flips.count(-1) * (1 - noise) ** flips.count(1)
                noisy = [label * flip for label, flip in zip(labels, flips, strict=True)]
                total += chance * dot(target, clipped_hebb(rows, noisy, n))
    return total / (n * 2**n * 2 ** (n * m))


PURE = [(1, m) for m in range(6)] + [(2, m) for m in range(5)] + [(3, 1), (3, 2), (3, 3), (4, 1), (4, 2)]
PURE += [(5, 1), (6, 1)]
NOISY = [(1, 1), (1, 4), (2, 2), (2, 3), (3, 2), (4, 1)]
CASES = [(n, m, Fraction(0)) for n, m in PURE] + [(n, m, Fraction(1, 4)) for n, m in NOISY]


@pytest.mark.parametrize(("n", "m", "noise"), CASES)
def test_the_exact_overlap_is_the_mean_over_all_samples_and_targets(n, m, noise):
    exact = mean_overlap(n, m, noise)
    assert curves.exact_overlap(n, m, noise) == pytest.approx(float(exact), rel=1e-12)
    if m == 1:
        assert 2 * curves.vote_probability(n, noise) - 1 == pytest.approx(float(exact), rel=1e-12)


def test_the_exact_overlap_is_that_of_a_majority():
    for n, m, noise in ((7, 10, 0.1), (8, 31, 0), (501, 100, 0.2), (1000, 301, 0.0)):
        q = float(Fraction(1, 2) + Fraction(comb(n - 1, n // 2), 2**n))  # for odd n, too, (n-1)/2 = n // 2
        q = q * (1 - noise) + (1 - q) * noise
        ways = [comb(m, j) * q**j * (1 - q) ** (m - j) for j in range(m + 1)]
        p = fsum(ways[m // 2 + 1 :]) + (ways[m // 2] / 2 if m % 2 == 0 else 0)
        assert curves.exact_overlap(n, m, noise) == pytest.approx(2 * p - 1, abs=1e-12)


@pytest.mark.parametrize("n", [1, 2, 3, 10, 11, 1000, 1001, 20_001, 100_000])
def test_the_vote_keeps_its_digits(n):
    lead = Fraction(comb(n - 1, n // 2), 2 ** (n - 1))
    assert 2 * (curves.vote_probability(n) - 0.5) == pytest.approx(float(lead), rel=1e-10)


def test_the_vote_tends_to_its_limit():
    n = np.array([10**6, 10**6 + 1, 10**9, 10**12, 10**15])
    for noise in (0, 0.2):
        lead = curves.vote_probability(n, noise) - 0.5
        limit = curves.limit_vote_probability(n, noise) - 0.5
        np.testing.assert_allclose(lead, limit, rtol=1e-6)
    small = np.arange(1, 101, 2)  # for odd n the limit comes from above: 1 + 1/(4n) of it
    ratio = (curves.vote_probability(small) - 0.5) / (curves.limit_vote_probability(small) - 0.5)
    assert (ratio > 1).all()
    np.testing.assert_allclose(ratio[5:], 1 + 1 / (4 * small[5:]), atol=1e-3)


@pytest.mark.parametrize("n", range(1, 9))
def test_the_exact_agreement_is_that_on_all_rows(n):
    for d in range(n + 1):
        target, weights = [1] * n, [-1] * d + [1] * (n - d)
        same = sum(sgn(dot(target, x)) == sgn(dot(weights, x)) for x in signs(n))
        assert curves.exact_agreement(n, d) == pytest.approx(same / 2**n, abs=1e-14)


def counted_disagreement(n, d):
    """In whole numbers: h and k columns of w x = +1 where the two agree and where they differ."""
    differ = 0
    for k in range(d + 1):
        B = 2 * k - d
        low, high = -abs(B), abs(B)  # low < A <= high: one score is positive, the other is not
        ways = sum(comb(n - d, h) for h in range(n - d + 1) if low < 2 * h - (n - d) <= high)
        differ += comb(d, k) * ways
    return float(Fraction(differ, 2**n))


@pytest.mark.parametrize(
    ("n", "d"), [(50, 1), (51, 7), (100, 50), (101, 100), (100, 99), (500, 20), (1001, 3)]
)
def test_the_exact_agreement_is_exact_for_many_columns(n, d):
    assert 1 - curves.exact_agreement(n, d) == pytest.approx(counted_disagreement(n, d), rel=1e-11)


@settings(deadline=None, derandomize=True, max_examples=50)
@given(n=st.integers(1, 400), data=st.data())
def test_the_agreement_falls_with_every_wrong_weight(n, data):
    d = data.draw(st.integers(0, n))
    G = curves.exact_agreement(n, np.arange(n + 1))
    assert (np.diff(G) <= 1e-13).all()
    assert G[0] == 1
    if n % 2:
        assert G[d] + G[n - d] == pytest.approx(1, abs=1e-12)  # -w is right where w is wrong
    assert abs(G[d] - curves.agreement(1 - 2 * d / n)) < 0.8 / sqrt(
        n
    )  # two ties, of probability sqrt(2/(pi n)), agree


def test_the_exact_curves_tend_to_the_limits():
    shares = np.linspace(0, 1, 11)
    loads, noise = np.array([0.1, 1, 2, 5, 10]), 0.1
    off = [
        (
            np.abs(curves.exact_agreement(n, np.round(n * shares)) - curves.agreement(1 - 2 * shares)).max(),
            np.abs(curves.exact_overlap(n, n * loads, noise) - curves.limit_overlap(loads, noise)).max(),
        )
        for n in (100, 1000, 10_000)
    ]
    assert (np.diff(off, axis=0) < 0).all()
    assert max(off[-1]) < 1e-2
    assert curves.exact_overlap(10**8, 3 * 10**8, 0.1) == pytest.approx(
        curves.limit_overlap(3, 0.1), rel=1e-6
    )


# --- the limit ---

LOADS = np.append(np.geomspace(1e-12, 4000, 400), np.linspace(0.1, 400, 400))


@pytest.mark.parametrize("noise", [0, 0.01, 0.1, 0.3, 0.49, 0.5])
def test_the_error_keeps_its_bound(noise):
    error, limit = curves.learning_error(LOADS, noise), curves.error_bound(LOADS, noise)
    assert (error < limit).all()
    assert (error < limit / sqrt(2) * (1 + 1e-9)).all()  # what the docstring says of the steps


@pytest.mark.parametrize("noise", [0, 0.1, 0.4])
def test_the_sufficient_load_suffices_and_the_bound_needs_it(noise):
    eps = np.array([0.5, 0.1, 1e-3, 1e-9])
    load = curves.sufficient_load(eps, noise)
    np.testing.assert_allclose(curves.error_bound(load, noise), eps)
    assert (curves.learning_error(load, noise) < eps).all()


@settings(deadline=None, derandomize=True)
@given(load=st.floats(0, 60), noise=st.floats(0, 0.5), more=st.floats(0.01, 10))
def test_the_learning_curve_is_the_agreement_at_the_overlap(load, noise, more):
    rho = curves.limit_overlap(load, noise)
    G = curves.learning_curve(load, noise)
    assert rho == pytest.approx(erf((1 - 2 * noise) * sqrt(load / pi)), abs=1e-15)
    assert G == pytest.approx(curves.agreement(rho), abs=1e-7)  # arccos near 1 halves the digits
    assert pytest.approx(1, abs=1e-15) == G + curves.learning_error(load, noise)
    if rho < 0.99:
        assert G == pytest.approx(1 - acos(rho) / pi, abs=1e-12)
    assert curves.learning_curve(load + more, noise) >= G
    assert curves.learning_curve(load, noise / 2) >= G


def test_the_error_keeps_its_digits_where_the_overlap_is_rounded_to_one():
    assert curves.limit_overlap(112) == 1
    z2 = 400 / pi  # erfc z = exp(-z^2)/(z sqrt pi) (1 - 1/(2 z^2) + 3/(4 z^4) - ...)
    log_erfc = -z2 - log(sqrt(z2 * pi)) + log(1 - 1 / (2 * z2) + 3 / (4 * z2**2))
    assert log(curves.learning_error(400)) == pytest.approx(log(2 / pi) + (log_erfc - log(2)) / 2, rel=1e-6)


def test_exponential_beats_algebraic_from_a_load_of_eleven():
    assert curves.learning_error(11.1) > curves.bayes_error(11.1)
    later = np.linspace(11.3, 1000, 500)
    assert (curves.learning_error(later) < curves.bayes_error(later)).all()


# --- simulation ---


def simulate(rng, n, m, noise, runs):
    """Overlap, and number of wrong weights, of each of the runs."""
    X, target = rng.choice([-1, 1], (runs, m, n)), rng.choice([-1, 1], (runs, n))
    y = np.where(np.einsum("rmn,rn->rm", X, target) > 0, 1, -1) * np.where(
        rng.random((runs, m)) < noise, -1, 1
    )
    w = np.where(np.einsum("rmn,rm->rn", X, y) > 0, 1, -1)
    return (w * target).mean(axis=1), (w != target).sum(axis=1)


@pytest.mark.parametrize(
    ("n", "m", "noise", "runs"),
    [(50, 100, 0.0, 400), (51, 51, 0.0, 400), (50, 120, 0.2, 400), (5, 4, 0.0, 20_000), (6, 8, 0.1, 20_000)],
)
def test_simulated_overlaps_have_the_exact_mean(n, m, noise, runs):
    overlaps, _ = simulate(np.random.default_rng(n + m), n, m, noise, runs)
    error = overlaps.std(ddof=1) / sqrt(runs)
    assert error < 0.02
    assert abs(overlaps.mean() - curves.exact_overlap(n, m, noise)) < 4 * error
    if n < 10:  # few columns: the limit is seen to be another number
        assert abs(overlaps.mean() - curves.limit_overlap(m / n, noise)) > 4 * error


def test_the_finite_curve_is_nearer_to_the_mean_than_the_curve_at_the_mean_overlap():
    rng, nearer = np.random.default_rng(0), 0
    for n, m, noise in ((51, 51, 0.0), (51, 255, 0.0), (50, 250, 0.0), (50, 250, 0.2), (30, 240, 0.0)):
        _, wrong = simulate(rng, n, m, noise, 400)
        G = curves.exact_agreement(n, wrong)
        at_mean = curves.agreement(curves.exact_overlap(n, m, noise))
        finite = curves.finite_learning_curve(n, m, noise)
        assert abs(G.mean() - finite) < 4 * G.std(ddof=1) / 20 + 0.003  # weights are not independent
        nearer += abs(G.mean() - finite) < abs(G.mean() - at_mean)
    assert nearer >= 4


def test_the_finite_curve_mixes_the_exact_agreement():
    for n, m, noise in ((1, 1, 0), (4, 3, 0.1), (9, 0, 0), (60, 99, 0.3)):
        e = (1 - curves.exact_overlap(n, m, noise)) / 2
        mixed = fsum(
            comb(n, d) * e**d * (1 - e) ** (n - d) * curves.exact_agreement(n, d) for d in range(n + 1)
        )
        assert curves.finite_learning_curve(n, m, noise) == pytest.approx(mixed, rel=1e-11)
    table = curves.finite_learning_curve(np.array([5, 8, 5])[:, None], [0, 7], 0.1)
    assert table.shape == (3, 2)
    assert (table[0] == table[2]).all()
    assert table[1, 1] == pytest.approx(curves.finite_learning_curve(8, 7, 0.1), rel=1e-14)
    assert curves.finite_learning_curve(1001, 5005) == pytest.approx(curves.learning_curve(5), abs=2e-3)
