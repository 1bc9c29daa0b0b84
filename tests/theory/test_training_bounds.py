"""Bounds from training rows alone: against slow twins, counts by enumeration, and the list of them."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perceptrons.theory import held_out, occam, online, pac_bayes, statements
from tests.naive import promises as naive


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=6), st.integers(1, 50), st.floats(0.01, 0.5))
def test_pac_bayes_is_the_slow_one(margins, n, delta):
    grid = pac_bayes.STRETCHES[::6].tolist(), pac_bayes.OFFSETS[::3].tolist()
    sizes = len(pac_bayes.STRETCHES), len(pac_bayes.OFFSETS)
    expected = naive.pac_bayes(margins * 60, n, delta * len(grid[0]) * len(grid[1]) / np.prod(sizes), *grid)
    assert pac_bayes.pac_bayes_margin(margins * 60, n, delta) <= expected + 1e-6


@pytest.mark.parametrize("gamma", [0.0, 0.1])
def test_pac_bayes_on_the_whole_grid(gamma):
    margins = np.linspace(0.2, 0.6, 30).tolist() * 20
    expected = naive.pac_bayes(
        margins, 3, 0.05, pac_bayes.STRETCHES.tolist(), pac_bayes.OFFSETS.tolist(), gamma
    )
    assert expected < 0.5
    assert pac_bayes.pac_bayes_margin(margins, 3, 0.05, gamma) == pytest.approx(expected, rel=1e-6)


def test_pac_bayes_grows_with_columns_and_gamma_and_shrinks_with_rows():
    margins = np.full(500, 0.4)
    bound = pac_bayes.pac_bayes_margin(margins, 5, 0.05)
    assert bound < pac_bayes.pac_bayes_margin(margins, 50, 0.05)
    assert bound < pac_bayes.pac_bayes_margin(margins, 5, 0.05, gamma=0.2)
    assert bound > pac_bayes.pac_bayes_margin(np.full(2000, 0.4), 5, 0.05)
    assert pac_bayes.pac_bayes_margin(-margins, 5, 0.05) == 1.0


@given(st.integers(1, 500).flatmap(lambda m: st.tuples(st.integers(0, m), st.just(m))), st.floats(0.01, 0.5))
def test_online_is_the_slow_one(size, delta):
    mistakes, m = size
    expected = min(naive.online_bound(mistakes, m, delta, online.RATES.tolist()), 1.0)
    assert online.online_to_batch(mistakes, m, delta) == pytest.approx(expected, rel=1e-6)
    assert online.online_to_batch(mistakes, m, delta) >= min(mistakes / m, 1.0)
    assert online.majority_vote(mistakes, m, delta) == min(2 * online.online_to_batch(mistakes, m, delta), 1)


def test_frozen_vectors_share_delta():
    assert online.frozen_bound(3, 100, 4, 0.08) == held_out.binomial_upper(3, 100, 0.02)


def test_binary_perceptrons_are_counted():
    """No function of weights −1, 0, +1 and a threshold is left out."""
    for n in (1, 2, 3):
        rows = np.array([*product((-1, 1), repeat=n)])
        weights = np.array([*product((-1, 0, 1), repeat=n)])
        scores = rows @ weights.T
        functions = {tuple(scores[:, j] > t) for j in range(len(weights)) for t in range(-n - 1, n + 1)}
        assert len(functions) <= np.exp(occam.log_binary_perceptrons(n)) + 1e-9
        assert np.exp(occam.log_binary_perceptrons(n)) == pytest.approx(3**n * (2 * n + 2))


def test_cards_are_counted():
    """C(N, r) sets of rules, 2P points for each but none is 0, 2Pr + 1 thresholds; sizes share delta."""
    n_terms, r, most = 4, 2, 3
    choices = [
        (one, two, p, q, t)
        for one in range(n_terms)
        for two in range(one)
        for p, q in product([p for p in range(-most, most + 1) if p], repeat=2)
        for t in range(-most * r, most * r + 1)
    ]
    counted = np.exp(occam.log_cards(n_terms, r, most)) / (r * (r + 1))
    assert counted == pytest.approx(len(choices))
    assert sum(1 / (r * (r + 1)) for r in range(1, 1000)) < 1
    assert occam.log_cards(n_terms, 0, most) == occam.log_cards(n_terms, 1, most)
    real = occam.log_real_weights(n_terms, r)
    assert real == pytest.approx(np.log(6) + np.log(6) + 4 * np.log(2))


@given(st.integers(1, 60).flatmap(lambda m: st.tuples(st.integers(0, m), st.just(m))))
def test_occam_is_the_binomial_tail_with_a_share_of_delta(size):
    k, m = size
    assert occam.occam_bound(k, m, np.log(50), 0.05) == pytest.approx(
        held_out.binomial_upper(k, m, 0.001), rel=1e-12
    )


@pytest.mark.parametrize(("k", "m"), [(0, 1000), (3, 1000), (200, 4000)])
def test_huge_counts_are_solved_in_logarithms(k, m):
    near = np.log(1e289 * 0.05), np.log(1e291 * 0.05)  # on both sides of where SciPy's inverse ends
    below, above = occam.occam_bound(k, m, np.array(near), 0.05)
    assert below < above == pytest.approx(below, rel=0.01)
    huge = occam.occam_bound(k, m, 2000.0, 0.05)
    assert above < huge <= 1.0
    if k == 0:
        assert huge == pytest.approx(-np.expm1((np.log(0.05) - 2000) / m), rel=1e-8)


def test_refusals():
    for function, arguments, message in (
        (online.online_to_batch, (3, 2, 0.05), "mistakes = 3, but it must be at most m"),
        (occam.occam_bound, (3, 2, 1, 0.05), "errors = 3, but it must be at most m"),
        (occam.log_cards, (3, 4, 1), "n_rules = 4, but it must be at most n_terms"),
        (pac_bayes.pac_bayes_margin, ([1.5], 2, 0.05), "margins hold 1.5"),
        (pac_bayes.pac_bayes_margin, ([0.5], 0, 0.05), "n_variables = 0"),
    ):
        with pytest.raises(ValueError, match=message):
            function(*arguments)


FACTS = statements.TrainingFacts(
    1000,
    20,
    np.full(1000, 0.5),
    3,
    compression_size=10,
    errors_outside=5,
    first_pass_mistakes=30,
    log_size=10.0,
    random_order=True,
)


def test_every_bound_that_applies_is_stated_and_shares_delta():
    found = statements.on_training_rows(FACTS, 0.05)
    assert [one.value for one in found] == sorted(one.value for one in found)
    assert {one.name for one in found} == {one.name for one in statements.ON_TRAINING_ROWS}
    values = {one.name: one.value for one in found}
    assert values["Occam"] == occam.occam_bound(20, 1000, 10.0, 0.01)
    assert values["PAC-Bayes margin"] == pac_bayes.pac_bayes_margin(FACTS.margins, 3, 0.01)
    assert values["online-to-batch"] == online.online_to_batch(30, 1000, 0.01)
    assert values["online majority vote"] == online.majority_vote(30, 1000, 0.01)
    more = statements.on_training_rows(FACTS._replace(choices=5.0), 0.05)
    assert {one.name: one.value for one in more}["compression"] > values["compression"]


@pytest.mark.parametrize("spoiled", ["weighted", "scaled_by_rows"])
def test_what_spoils_all_bounds_is_said_for_each(spoiled):
    found = statements.on_training_rows(FACTS._replace(**{spoiled: True}), 0.05)
    assert all((one.value is None and "weight" in one.why_not) or "scaled" in one.why_not for one in found)


def test_what_is_not_known_is_said():
    reasons = [one.why_not for one in statements.on_training_rows(statements.TrainingFacts(10, 0), 0.05)]
    assert None not in reasons
    ordered = statements.on_training_rows(FACTS._replace(random_order=False), 0.05)
    assert {one.name for one in ordered if one.why_not} == {"online-to-batch", "online majority vote"}


def test_a_bound_that_is_no_better_than_a_constant_says_nothing():
    statement = statements.on_training_rows(FACTS, 0.05)[0]
    assert statements.says_something(statement, 0.5)
    assert not statements.says_something(statement, statement.value)
    assert not statements.says_something(statement._replace(value=None), 0.5)


def test_new_rows_are_counted_by_class():
    codes = np.array([0, 0, 0, 1, 1, 2])
    answers = np.array([0, 1, 0, 1, 0, 0])
    rejected = np.array([False, False, True, False, False, True])
    found = statements.on_new_rows(codes, answers, rejected, ["a", "b", "c"], 0.05)
    assert [(one.seen, one.n_rows) for one in found] == [(2, 4), (2, 6), (1, 2), (1, 2), (0, 0)]
    assert (found[-1].low, found[-1].high) == (0.0, 1.0)
    assert found[0].high == held_out.binomial_upper(2, 4, 0.05)
    assert found[0].low == held_out.binomial_lower(2, 4, 0.05)
