"""Bounds from held-out rows: against exact fractions, at their limits, and what they refuse."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perceptrons.theory import held_out
from tests.naive import promises as naive

SIZES = st.integers(1, 80).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
DELTAS = st.sampled_from([0.3, 0.1, 0.05, 0.01, 1e-6])


@given(SIZES, DELTAS)
def test_clopper_pearson_is_the_exact_tail_rounded_up(size, delta):
    k, n = size
    bound = held_out.binomial_upper(k, n, delta)
    if k == n:
        assert bound == 1.0
        return
    assert naive.tail(k, n, bound) <= Fraction(delta)
    assert naive.tail(k, n, bound * (1 - 1e-7)) > Fraction(delta)


@given(SIZES, DELTAS)
def test_the_lower_bound_is_the_upper_one_of_right_answers(size, delta):
    k, n = size
    low = held_out.binomial_lower(k, n, delta)
    assert low == pytest.approx(1 - held_out.binomial_upper(n - k, n, delta), abs=1e-8)
    assert low == 0.0 if k == 0 else 1 - naive.tail(k - 1, n, low) <= Fraction(delta)


@given(SIZES, st.sampled_from([0.01, 0.05, 0.2, 0.5]))
def test_tails_are_exact_and_rounded_up(size, p):
    k, n = size
    exact = naive.tail(k, n, p)
    assert exact <= Fraction(held_out.binomial_tail(k, n, p)) <= min(exact * (1 + Fraction(1, 10**8)), 1)


@given(st.floats(0, 1), st.floats(0, 5))
def test_inverse_kl(q, c):
    p = held_out.inverse_kl(q, c)
    assert q <= p <= 1.0
    if q == 0.0:
        assert p == pytest.approx(-np.expm1(-c), rel=2e-9)
    if 1e-6 < q < 1 - 1e-6 and p < 1 - 1e-6 and c > 1e-6:
        kl = q * np.log(q / p) + (1 - q) * np.log((1 - q) / (1 - p))
        assert kl == pytest.approx(c, rel=1e-3)
        assert kl >= c - 1e-15


def test_no_rows_say_nothing():
    assert held_out.binomial_upper(0, 0, 0.05) == held_out.binomial_tail(0, 0, 0.05) == 1.0
    assert held_out.binomial_lower(0, 0, 0.05) == 0.0
    assert held_out.hoeffding_bentkus(0.0, 0, 0.05) == 1.0
    assert held_out.saving_confidence(0.5, 1.0, 0) == 0.0
    assert held_out.saving_interval(0.5, 1.0, 0, 0.05) == (-np.inf, np.inf)


@given(SIZES, DELTAS)
def test_hoeffding_bentkus_is_the_smaller_of_two_tails(size, delta):
    k, n = size
    both = held_out.inverse_kl(k / n, -np.log(delta) / n), held_out.binomial_upper(k, n, delta / np.e)
    assert held_out.hoeffding_bentkus(k / n, n, delta) == min(both)
    assert held_out.hoeffding_bentkus(k / n, n, delta) >= held_out.binomial_upper(k, n, delta)


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 30)), min_size=1, max_size=6),
    st.sampled_from([0.05, 0.1, 0.3]),
    st.sampled_from([0.05, 0.2, 0.5]),
)
def test_fixed_sequence_is_the_slow_one(groups, max_error, delta):
    errors = np.cumsum([min(group) for group in groups])
    answered = np.cumsum([group[1] for group in groups])
    expected = naive.fixed_sequence(errors.tolist(), answered.tolist(), max_error, delta)
    assert held_out.fixed_sequence(errors, answered, max_error, delta) == expected


def test_a_sequence_stops_at_the_first_failure():
    errors, answered = [0, 9, 9], [60, 70, 900]
    assert held_out.binomial_tail(9, 900, 0.05) < 0.05  # would pass, but is not tried
    assert held_out.fixed_sequence(errors, answered, 0.05, 0.05) == 0
    assert held_out.fixed_sequence([0], [58], 0.05, 0.05) == -1


@pytest.mark.parametrize("max_error", [0.01, 0.05, 0.2])
@pytest.mark.parametrize("delta", [0.05, 0.3])
def test_rows_needed(max_error, delta):
    n = held_out.rows_needed(max_error, delta)
    assert n == naive.rows_needed(max_error, delta)
    assert held_out.fixed_sequence([0], [n], max_error, delta) == 0
    some = held_out.rows_needed(max_error, delta, max_error / 2)
    assert held_out.binomial_tail(np.ceil(some * max_error / 2), some, max_error) <= delta
    assert held_out.rows_needed(max_error, delta, max_error) == np.inf


@given(st.floats(-1, 1), st.integers(1, 1000))
def test_savings_are_equation_18_where_costs_are_equal(share, n):
    """a = 0, b = 1, c = γ: D = ℓ/n − γ, W = 1."""
    expected = 1 - np.exp(-2 * n * share**2) if share > 0 else 0.0
    assert held_out.saving_confidence(share, 1.0, n) == pytest.approx(expected, abs=1e-12)
    assert held_out.saving_confidence(5 * share, 5.0, n) == pytest.approx(expected, abs=1e-12)
    low, high = held_out.saving_interval(share, 1.0, n, 0.05)
    assert high - share == pytest.approx(share - low) == pytest.approx(np.sqrt(np.log(40) / (2 * n)))


def test_margin_tails_count_what_is_below():
    margins = [0.1, 0.2, 0.2, 0.5]
    found = held_out.margin_tail(margins, [0.1, 0.2, 0.3, 9.0], 0.05)
    assert found.tolist() == held_out.binomial_upper([0, 1, 3, 4], 4, 0.05).tolist()
    curve = held_out.margin_curve(margins * 100, [0.1, 0.2, 0.3, 9.0], 0.05)
    step = np.sqrt(np.log(20) / 800)
    assert curve == pytest.approx(np.minimum([step, 0.25 + step, 0.75 + step, 1.0], 1.0))
    assert held_out.margin_curve(margins, 0.1, 0.9) == held_out.margin_curve(margins, 0.1, 0.5)


def test_assumed_margins():
    assert held_out.markov_margin(10, 0.05) == pytest.approx(0.0025)
    assert held_out.hard_margin_bound(1, 0.5, 10**4, 0.05) == pytest.approx(
        np.sqrt(16 / 1e4) + np.sqrt(2 * np.log(40) / 1e4)
    )
    assert held_out.hard_margin_bound(1, 0.5, 4, 0.05) == 1.0


BAD = [
    (held_out.binomial_upper, (3, 2, 0.05), "errors = 3, but it must be at most n_rows"),
    (held_out.binomial_upper, (1.5, 2, 0.05), "errors = 1.5, but it must be a whole number"),
    (held_out.binomial_upper, (1, 2, 0), r"delta = 0, but it must be in \(0, 1\)"),
    (held_out.binomial_tail, (1, 2, 1.0), "max_error = 1, but"),
    (held_out.hoeffding_bentkus, (1.1, 2, 0.1), "mean_loss = 1.1"),
    (held_out.inverse_kl, (0.1, -1), "cost = -1"),
    (held_out.fixed_sequence, ([0], [60], 0.05, 1.0), "delta = 1"),
    (held_out.rows_needed, (0.0, 0.05), "max_error = 0"),
    (held_out.saving_confidence, (0.1, 0, 3), "width = 0"),
    (held_out.margin_tail, ([], 0.1, 0.05), "margins has shape"),
    (held_out.margin_tail, ([np.nan], 0.1, 0.05), "margins holds nan"),
    (held_out.markov_margin, (0, 0.05), "mean_inverse_margin = 0"),
]


@pytest.mark.parametrize(("function", "arguments", "message"), BAD)
def test_bad_input(function, arguments, message):
    with pytest.raises(ValueError, match=message):
        function(*arguments)
