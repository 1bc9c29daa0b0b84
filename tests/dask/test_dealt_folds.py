"""Folds that parts find for their own rows are those that scikit-learn draws for all of them."""

import warnings
from collections import Counter
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import StratifiedKFold

from perceptrons.dask import dealt_folds as of_parts
from perceptrons.dask.dealt_folds import DealingPlan, dealt, folds_of_rows, forget_dealt
from tests.sizes import cases

pytestmark = pytest.mark.dask
SEEN = Counter()


def plan_of(codes, n_folds, rng):
    classes, first = np.unique(codes, return_index=True)
    order = classes[np.argsort(first)]
    return DealingPlan(
        f"{id(rng)} {len(codes)}", n_folds, tuple(np.bincount(codes)), tuple(order.tolist()), rng
    )


def in_parts(plan, codes, cuts):
    found, before = [], np.zeros(len(plan.n_rows), int)
    for part in np.split(codes, cuts):
        found.append(folds_of_rows(plan, part, tuple(before.tolist())))
        before += np.bincount(part, minlength=len(before))
    return np.concatenate(found)


@pytest.mark.thorough
@settings(max_examples=cases(400), deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 9), st.integers(20, 200), st.integers(1, 4))
def test_the_folds_of_all_rows(seed, n_folds, n_rows, n_classes):
    rng = np.random.default_rng(seed)
    codes = np.concatenate([rng.integers(0, n_classes, n_rows), np.zeros(n_folds, int), np.arange(n_classes)])
    codes = rng.permutation(codes)
    same = [np.random.RandomState(seed) for _ in range(2)]
    splitter = StratifiedKFold(n_folds, shuffle=True, random_state=same[0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        tests = [test for _, test in splitter.split(codes, codes)]
    plan = plan_of(codes, n_folds, same[1])
    forget_dealt()
    found = in_parts(plan, codes, np.sort(rng.integers(0, len(codes), 3)))
    for k, test in enumerate(tests):
        assert np.array_equal(np.flatnonzero(found == k), test)
    assert dealt(plan).rng.randint(10**6) == same[0].randint(10**6)  # the generator goes on from there
    SEEN["cases"] += 1
    SEEN["classes"] += n_classes > 1


def test_the_random_cases_told_something():
    assert not SEEN or SEEN["classes"] > 0.15 * SEEN["cases"]


def test_folds_of_very_many_rows_depend_on_their_numbers_alone():
    codes = np.random.default_rng(0).integers(0, 2, 10_000)
    plan = plan_of(codes, 5, np.random.RandomState(3))
    with patch.object(of_parts, "MOST_DRAWN", 100), patch.object(of_parts, "BLOCK", 1_000):
        one, other = (in_parts(plan, codes, cuts) for cuts in ([10, 2_500, 9_000], [1_000, 1_001]))
    assert np.array_equal(one, other)
    for c in (0, 1):
        shares = np.bincount(one[codes == c], minlength=5) / np.count_nonzero(codes == c)
        assert abs(shares - 0.2).max() < 0.03
