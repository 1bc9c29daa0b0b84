"""Separable or not as a statement about the real numbers in the arrays: against an exact linear program."""

import json
import warnings
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from perceptrons import MaxMarginPerceptron, Perceptron, load, save, verify
from perceptrons.margin.certificates import certify_margin as certify
from perceptrons.margin.maximum import exactly
from perceptrons.synthetic import separable
from tests.naive.exact import is_separable, is_witness
from tests.sizes import cases

pytestmark = pytest.mark.kernels


def fitted(X, y, estimator=MaxMarginPerceptron, **parameters):
    """A model and what was said while it was fitted."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        model = estimator(**parameters).fit(X, y)
    verify(model.certificate_, model, X, y)
    return model, " ".join(str(one.message) for one in seen)


def test_a_margin_below_rounding_is_not_called_inseparable():
    X, y = np.array([[2.0**46, 0.0], [2.0**46, 1.0]]), [0, 1]  # (−2⁻⁴⁶, 2) separates them
    model = MaxMarginPerceptron(fit_intercept=False, on_inseparable="raise").fit(X, y)
    assert model.certificate_.separable is True
    assert model.converged_
    assert model.score(X, y) == 1.0


def test_a_large_constant_column_does_not_make_rows_inseparable():
    X, y = np.array([[1e16, 0.0], [1e16, 1.0]]), [0, 1]
    model = MaxMarginPerceptron(fit_intercept=False, on_inseparable="raise").fit(X, y)
    assert model.certificate_.separable is not False
    assert model.certificate_.witness is None


def small_set(rng):
    """Few rows of small whole numbers; scaled, moved, some as tenths: what is left of them after rounding."""
    m, n = int(rng.integers(2, 11)), int(rng.integers(1, 5))
    X = rng.integers(-3, 4, (m, n)).astype(float)
    if rng.random() < 0.3:
        X = X[rng.integers(0, (m + 1) // 2, m)]
    y = np.where(X @ rng.integers(-2, 3, n) > rng.choice([0.0, 1.0]), 1, -1)
    y[rng.random(m) < rng.choice([0.0, 0.1, 0.3])] *= -1
    if len(set(y)) == 1:
        y[0] *= -1
    X *= rng.choice([1.0, 1.0, 0.1])
    X += rng.choice([0.0, 1.0], n) * 2.0 ** rng.integers(0, 61) * (rng.random() < 0.6)
    X *= 2.0 ** (rng.integers(0, 61) if rng.random() < 0.5 else rng.integers(0, 61, n))
    return X.astype(np.float32 if rng.random() < 0.5 and np.abs(X).max() < 2.0**60 else np.float64), y


@pytest.mark.thorough
def test_no_false_statement_in_either_direction(record_property):
    rng, counts, n_cases = np.random.default_rng(0), Counter(), cases(2400)
    for case in range(n_cases):
        X, y = small_set(rng)
        intercept, rows = bool(case % 2), X if case % 3 else sp.csr_array(X)
        expected = is_separable(X.tolist(), y.tolist(), intercept)
        model, said = fitted(rows, y, fit_intercept=intercept)
        certificate = model.certificate_
        counts[expected, certificate.separable] += 1
        assert certificate.separable in (expected, None)
        assert (certificate.undecided is None) is (certificate.separable is not None)
        if certificate.separable is False:
            assert is_witness(X.tolist(), y.tolist(), certificate.witness, intercept)
            assert certificate.margin_bound == 0.0 >= certificate.margin
            assert "not separable" in said
            with pytest.raises(ValueError, match="not separable"):
                MaxMarginPerceptron(fit_intercept=intercept, on_inseparable="raise").fit(rows, y)
        else:
            assert certificate.witness is None
            assert "not separable" not in said
        with_steps, _ = fitted(rows, y, Perceptron, fit_intercept=intercept, max_epochs=5, min_margin=0)
        assert with_steps.certificate_.separable in (expected, None)
        counts["perceptron", with_steps.certificate_.separable] += 1
    record_property("printed", f"{n_cases} sets; (separable, certified): {dict(counts)}")
    assert counts[False, None] == 0  # sets this small are always decided
    assert counts[True, None] <= 0.2 * n_cases
    assert min(counts[True, True], counts[False, False]) > n_cases // 6


def noisy(m=200, n=8, dtype=float):
    rng = np.random.default_rng(0)
    return rng.standard_normal((m, n)).astype(dtype), rng.integers(0, 2, m)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("intercept", [False, True])
def test_noise_has_a_witness_of_a_few_rows(dtype, intercept, jit, monkeypatch):
    monkeypatch.setattr(exactly, "MOST_CELLS", 0)  # the equations of the rows proposed are enough
    X, y = noisy(200 if jit else 40, 8 if jit else 3, dtype)
    for rows in (X, sp.csr_array(X)):
        model, said = fitted(rows, y, fit_intercept=intercept)
        witness = model.certificate_.witness
        assert len(witness) <= X.shape[1] + 1 + intercept
        assert f"all {len(witness)} rows of certificate_.witness" in said
        assert is_witness(X.tolist(), np.where(y, 1, -1).tolist(), witness, intercept)


def test_beyond_the_limit_it_is_undecided_and_said_so(monkeypatch):
    X, y = noisy(60, 4)
    monkeypatch.setattr("perceptrons.theory.exact.LONGEST", 10)
    monkeypatch.setattr(exactly, "MOST_CELLS", 100)
    model, said = fitted(X, y)
    certificate = model.certificate_
    assert certificate.separable is None
    assert certificate.witness is None
    assert "may need weights of" in certificate.undecided
    assert f"undecided whether the rows are separable: {certificate.undecided}" in said
    with pytest.warns(ConvergenceWarning, match="undecided"):
        MaxMarginPerceptron(on_inseparable="raise").fit(X, y)
    with pytest.warns(ConvergenceWarning, match="Stopped by max_iter=1"):
        model = MaxMarginPerceptron(max_iter=1, on_inseparable="raise").fit(X, y)
    assert model.certificate_.undecided == "the search was stopped by max_iter"


def test_where_no_combination_is_exact_the_search_goes_on_without_rounding(monkeypatch):
    X, y = noisy(40, 3)
    monkeypatch.setattr(exactly, "exact_weights", lambda *_: (None, "not tried"))
    model, _ = fitted(X, y)
    assert is_witness(X.tolist(), np.where(y, 1, -1).tolist(), model.certificate_.witness, intercept=True)


def test_contradictory_rows_are_found_among_many_columns(jit):
    """Equations of all rows in the sum would be too many; those of the heaviest do."""
    m, n, density = (1010, 1000, 0.02) if jit else (60, 80, 0.2)
    X = sp.random_array((m, n), density=density, format="csr", rng=np.random.default_rng(0))
    y = np.arange(m) % 2
    X = sp.vstack([X, X[[7, 8]]], format="csr")
    y = np.append(y, 1 - y[[7, 8]])
    model, _ = fitted(X, y)
    assert model.certificate_.separable is False
    assert {row for row, _ in model.certificate_.witness} <= {7, 8, m, m + 1}


def test_rows_proposed_are_limited():
    X = np.random.default_rng(0).standard_normal((600, 3))
    rows = np.arange(600)
    assert exactly.proposed(X, rows).shape == (512, 3)
    assert exactly.proposed(sp.csr_array(X), rows).shape == (512, 3)
    wide = sp.random_array((600, 5000), density=0.01, format="csr", rng=np.random.default_rng(0))
    assert exactly.proposed(wide, rows).size <= 300_000


def test_with_slack_nothing_is_inseparable():
    X, y = noisy(60, 4)
    model, said = fitted(X, y, C=1.0)
    assert said == ""
    assert model.certificate_.witness is None


def test_files_hold_the_fractions(tmp_path):
    X, y = noisy(40, 3)
    model, _ = fitted(X, y)
    save(model, tmp_path / "model.json")
    other = load(tmp_path / "model.json")
    assert other.certificate_ == model.certificate_
    assert certify(other, X, y) == model.certificate_
    document = json.loads((tmp_path / "model.json").read_bytes())
    written = document["model"]["fitted"]["certificate_"][0]["witness"]
    assert [(row, Fraction(weight)) for row, weight in written] == list(model.certificate_.witness)


def test_rounded_weights_of_earlier_files_are_no_witness_but_lead_to_one():
    X, y = noisy(40, 3)
    model, _ = fitted(X, y)
    expected = model.certificate_
    rounded = tuple((row, Fraction(float(weight))) for row, weight in expected.witness)
    model._witnesses = [rounded]
    assert certify(model, X, y) == expected
    with pytest.raises(ValueError, match="witness is given as"):
        verify(replace(expected, witness=rounded), model, X, y)


def test_little_margin_is_found_among_few_rows():
    """Beside a column that drowns it, where floating point stalls."""
    found = 0
    for seed in range(10):
        X, y, _ = separable(20, 2, margin=0.05, random_state=seed)
        X = np.column_stack([X, np.full(20, 2.0**45)])
        model, _ = fitted(X, y, fit_intercept=False)
        assert model.certificate_.separable is not False
        found += model.certificate_.separable is True
    assert found >= 8
