"""Promises are kept: on samples of known distributions none breaks more often than it may."""

import numpy as np
import pytest

from benchmarks.coverage_draws import CASES
from tests.sizes import cases

DRAWS, LEVEL = 2000, 0.001


@pytest.mark.thorough
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.promise}: {case.about}")
def test_no_promise_breaks_too_often(case):
    draws = cases(DRAWS)
    n_broken = case.broken(np.random.default_rng(1), draws)
    assert case.p_value(n_broken, draws) > LEVEL, f"{n_broken} of {draws} broke, {case.delta:g} may"


def test_the_cases_come_near_what_they_may():
    """A bound that is never broken, however much it is lowered, would be tested by nothing."""
    exact = [case for case in CASES if "Clopper" in case.promise or case.promise == "Occam"]
    rates = [case.broken(np.random.default_rng(2), 400) / 400 / case.delta for case in exact]
    assert max(rates) > 0.5


def test_breaking_too_often_is_noticed():
    case = CASES[0]._replace(delta=CASES[0].delta / 4)
    assert case.p_value(case.broken(np.random.default_rng(3), DRAWS), DRAWS) < LEVEL
