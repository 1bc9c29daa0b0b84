"""Certificates of many rows that score nearly the same: quick, and as sound as those of few."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

from perceptrons import MaxMarginPerceptron
from perceptrons.compiled import threads
from perceptrons.margin.duals import LESS, Duals, bound_of
from perceptrons.margin.looks import look_at
from perceptrons.rows.encode import as_rows, encode
from perceptrons.theory.outward import exact_dot, float_below

STEP = 2.0**-30


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array])
def test_twice_the_precision_is_enough_for_many_duals(layout, monkeypatch):
    """|A₊ − A₋| was bounded as if it had been summed up in any order, and that was too much: the rows were
    added up in whole numbers, which took longer than the fit."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((600, 40)), np.repeat([0, 1], 300)
    data, signs = encode(MaxMarginPerceptron(), layout(X), y), 2 * y - 1
    a = rng.random(600)
    a /= np.repeat([a[:300].sum(), a[300:].sum()], 300)
    duals = Duals(data, np.arange(600), a * signs, free=True, little=LESS)
    true = duals.exactly()
    monkeypatch.setattr(Duals, "exactly", lambda self: pytest.fail("in whole numbers"))
    found = bound_of(duals, (a * signs) @ X)
    assert not found.exact
    assert Fraction(found.value) ** 2 >= true
    assert Fraction(found.value) ** 2 <= true * (1 + Fraction(LESS)) ** 2


@pytest.mark.kernels
@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("reverse", [False, True])
def test_the_lowest_of_rows_that_differ_below_a_double(layout, reverse):
    """Most rows are passed over by sums in twice the precision; these must not be."""
    w, ones = np.array([1.0, STEP, STEP * STEP]), np.ones(400)
    below = np.array([[1.0, 0.0, -STEP], [1.0, -STEP, STEP], [1.0, STEP, -1.0]])
    rows = np.vstack([np.c_[ones, 0 * ones, 0 * ones], np.c_[ones, ones, ones], below])
    rows = rows[::-1].copy() if reverse else rows
    signs = np.ones((1, len(rows)), np.int8)
    with threads(None) as one:
        look = look_at(
            as_rows(layout(rows)), signs, w[None], np.zeros(1), np.zeros(0, np.int64), np.zeros((1, 0)), one
        )[0]
    lowest = min(exact_dot(row, w) for row in rows)
    assert 1 - Fraction(1, 2**53) < lowest < 1  # between two doubles
    assert look.low == float_below(lowest)
    assert look.sure


def test_support_rows_of_a_wide_fit_are_certified_as_fractions_do():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((500, 400))
    y = np.where(X @ rng.standard_normal(400) > 0, 1, -1)
    model = MaxMarginPerceptron(tol=1e-6).fit(X, y)
    assert len(model.support_) > 256
    w, b = model.coef_[0], float(model.intercept_[0])
    low = min(
        int(label) * exact_dot(np.append(row, 1.0), np.append(w, b)) for row, label in zip(X, y, strict=True)
    )
    square, margin = exact_dot(w, w), Fraction(model.certificate_.margin)
    assert margin**2 * square <= low**2
    assert (margin * (1 + Fraction(1, 2**52))) ** 2 * square > low**2  # and no less than it must be
