"""Thresholds and what may be promised: against the slow twin, with ties, few rows and none."""

from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perceptrons.selective.promise import LEVELS, first_level, place_thresholds, promise
from tests.naive import promises as naive

ROWS = st.lists(st.tuples(st.integers(0, 6), st.booleans()), min_size=0, max_size=60)


@given(ROWS, st.lists(st.integers(0, 13), min_size=1, max_size=6), st.sampled_from([0.1, 0.3, 0.5]))
def test_the_promise_is_the_slow_one(rows, levels, max_error):
    """Certainties are whole numbers, with ties; thresholds lie on and between them."""
    thresholds = [*sorted({level / 2 for level in levels}, reverse=True), -inf]
    certainty, wrong = [float(c) for c, _ in rows], [w for _, w in rows]
    expected = naive.promised_threshold(certainty, wrong, thresholds, max_error, 0.2)
    found = promise(np.array(certainty), np.array(wrong, bool), np.array(thresholds), max_error, 0.2)
    assert found.threshold == (inf if expected is None else expected)
    assert found.given == (expected is not None) == found.holds
    if found.given:
        answered = [w for c, w in rows if c >= found.threshold]
        assert (found.n_answered, found.n_errors, found.needed) == (len(answered), sum(answered), 0.0)
    else:
        assert found.needed > len(rows)


@given(
    st.lists(st.floats(-5, 5), min_size=0, max_size=80),
    st.floats(0.01, 1.0),
)
def test_thresholds_fall_from_the_first_share_to_all(certainty, first):
    values = np.array(certainty)
    thresholds = place_thresholds(values, first)
    assert thresholds[-1] == -inf
    assert (np.diff(thresholds) < 0).all()
    assert len(thresholds) <= LEVELS + 1
    if len(values):
        answered = (values >= thresholds[0]).mean()
        assert answered >= first - 1e-9
        fewer = np.unique(values)[np.unique(values) > thresholds[0]]
        assert len(fewer) < 2 or (values >= fewer[1]).mean() < first + 1e-9
    assert not np.isin(thresholds, values).any() or (np.diff(np.unique(values)) < 1e-300).any()


def test_rows_that_cannot_be_sure_of_anything_place_no_threshold():
    assert place_thresholds(np.array([-inf, -inf]), 0.5).tolist() == [-inf]
    assert place_thresholds(np.ones(9), 0.5).tolist() == [-inf]


def test_the_first_threshold_has_twice_the_rows_needed_of_few_rows_fewer():
    assert first_level(1180, 0.05, 0.05) == pytest.approx(0.1)  # 118 of 1,180
    assert first_level(150, 0.05, 0.05) == pytest.approx(0.6)
    assert first_level(80, 0.05, 0.05) == pytest.approx(1.15 * 59 / 80)
    assert first_level(60, 0.05, 0.05) == first_level(0, 0.05, 0.05) == 1.0


def test_a_row_on_the_threshold_is_answered():
    found = promise(np.array([1.0] * 40 + [0.0]), np.arange(41) == 40, np.array([1.0]), 0.1, 0.05)
    assert (found.threshold, found.n_answered, found.n_errors) == (1.0, 40, 0)


def test_how_many_rows_would_be_needed():
    sure = promise(np.ones(30), np.zeros(30, bool), np.array([-inf]), 0.05, 0.05)
    assert (sure.given, sure.needed) == (False, 59.0)
    one_wrong = promise(np.ones(50), np.arange(50) == 0, np.array([-inf]), 0.05, 0.05)
    assert one_wrong.needed > 100
    hopeless = promise(np.ones(500), np.arange(500) % 2 == 0, np.array([-inf]), 0.05, 0.05)
    assert hopeless.needed == inf
    none = promise(np.zeros(0), np.zeros(0, bool), np.array([-inf]), 0.05, 0.05)
    assert (none.given, none.needed) == (False, 59.0)
    few = promise(np.ones(10), np.ones(10, bool), np.array([-inf]), 0.05, 0.05)
    assert few.needed == 59.0  # ten rows do not tell that it is hopeless
