"""The best margin of a labeling: against its twin, at its limits, and its proof."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from perceptrons.synthetic import separable
from perceptrons.theory import best_margin, hull
from tests.naive import best_margin as naive


def test_best_margin_is_the_twins():
    rng, separated, cases = np.random.default_rng(6), 0, 0
    for _ in range(150):
        n, d, lift = rng.integers(2, 40), rng.integers(1, 12), float(rng.integers(0, 3))
        X = rng.integers(-3, 4, size=(n, d)).astype(float)
        y = np.where(X @ rng.normal(size=d) + rng.choice([0, 1]) * rng.normal(size=n) > 0, 1, -1)
        if not X.any():
            continue
        found = best_margin(X, y, lift=lift)
        expected = naive.best_margin(X, y, lift**2)
        assert found.margin == pytest.approx(expected, abs=1e-9 * found.radius)
        assert found.margin <= found.margin_bound <= expected + 1e-9 * found.radius
        found.verify(X, y)
        sparse = best_margin(sp.csr_array(X), y, lift=lift)
        assert sparse.margin == pytest.approx(found.margin, abs=1e-9 * found.radius)
        sparse.verify(sp.csr_array(X), y)
        separated += expected > 0
        cases += 1
    assert cases >= 145
    assert 50 <= separated <= cases - 20


def gives_up(*args, **kwargs):
    raise RuntimeError("Maximum number of iterations reached.")


def test_best_margin_at_its_limits(monkeypatch):
    X, y, _ = separable(3000, 20, margin=0.01, random_state=0)  # more rows than join in one round
    found = best_margin(X, y)
    assert found.margin == pytest.approx(0.01, rel=1e-6)
    early = best_margin(X, y, max_rounds=1)
    assert early.margin <= 0.01 <= early.margin_bound  # wider, and true
    assert early.margin_bound > found.margin_bound
    with monkeypatch.context() as patched:
        patched.setattr(hull, "nnls", gives_up)
        start = best_margin(X, y)
    assert start.margin <= 0.01 <= start.margin_bound
    start.verify(X, y)
    nothing = best_margin(np.zeros((2, 2)), np.array([1, -1]))
    assert (nothing.margin, nothing.margin_bound, nothing.radius) == (0, 0, 0)
    nothing.verify(np.zeros((2, 2)), np.array([1, -1]))
    with pytest.raises(ValueError, match="y must hold -1 or 1 for each of the 2 rows"):
        best_margin(np.eye(2), np.array([0, 1]))


def test_a_false_margin_raises():
    X, y, _ = separable(30, 5, margin=0.2, random_state=1)
    found = best_margin(X, y)
    for wrong, what in (
        ({"margin": 0.3}, "margin is given as 0.3"),
        ({"margin_bound": 0.1}, "margin_bound is given as 0.1"),
        ({"radius": 2.0}, "radius is given as 2.0"),
        ({"duals": -found.duals}, "no shares"),
        ({"support": found.support + 30}, "not among these 30 rows"),
    ):
        with pytest.raises(ValueError, match=f"^The margin does not hold: .*{what}"):
            replace(found, **wrong).verify(X, y)
    with pytest.raises(ValueError, match="does not hold"):
        found.verify(X[::-1], y)
    with pytest.raises(ValueError, match="not among these 30 rows"):
        replace(found, support=found.support * 1.0).verify(X, y)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_no_margin_is_not_a_small_one(dtype):
    X, y = np.array([[1, 0], [-1, 0], [0, 1]], dtype), np.array([1, 1, -1])
    found = best_margin(X, y)
    assert found.margin == 0
    found.verify(X, y)
    for small in (9e-6, 1e-9, 1e-12, 1e-16, 5e-324):
        with pytest.raises(ValueError, match=r"^The margin does not hold: margin is given as"):
            replace(found, margin=small).verify(X, y)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_small_margin_is_not_rounded_up(dtype):
    rng = np.random.default_rng(7)
    for margin in (1e-1, 1e-3, 1e-5):
        y = rng.permutation(np.repeat([-1, 1], 20))
        far = np.where(np.cumsum(y > 0) * (y > 0) + np.cumsum(y < 0) * (y < 0) > 10, 1.0, -1.0)
        X = np.column_stack([margin * y, far, np.zeros(40)]).astype(dtype)  # `far` says nothing about y
        layouts = [X, np.asfortranarray(X), sp.csr_array(X), X.tolist()]
        for found in (best_margin(rows, y) for rows in layouts):
            assert found.margin == pytest.approx(margin, rel=1e-5)
            for rows in layouts:
                found.verify(rows, y)
            for name in ("margin", "margin_bound"):
                with pytest.raises(ValueError, match=f"{name} is given as"):
                    replace(found, **{name: getattr(found, name) * 1.0001}).verify(X, y)


@pytest.mark.parametrize(
    "layout",
    [np.ndarray.tolist, np.asfortranarray, np.float32, np.int8, sp.coo_array, sp.csc_matrix, sp.dok_array],
)
def test_rows_in_any_layout(layout):
    X, y = np.array([[0.0, 1.0], [2.0, 1.0]]), [-1, 1]
    found = best_margin(layout(X), y, lift=1)
    assert found.margin == best_margin(X, y, lift=1).margin
    found.verify(layout(X), y)
    found.verify(X, y)


def test_repeated_entries_are_summed_and_left_alone():
    twice = sp.csr_array((np.array([1.0, 1.0, 1.0]), np.array([0, 0, 1]), np.array([0, 2, 3])), (2, 2))
    found = best_margin(twice, [1, -1])
    assert found.radius == 2
    found.verify([[2.0, 0.0], [0.0, 1.0]], [1, -1])
    assert twice.nnz == 3


BAD_ROWS = [
    ([1.0, 2.0], "X has 1 dimensions, but it must have 2.+; use reshape"),
    (sp.coo_array(np.ones(2)), r"Expected 2D array, got a sparse one of shape \(2,\); use X.reshape"),
    ([[1.0], [1.0, 2.0]], "X must be an array of real numbers"),
    ([["a"], ["b"]], "X must be an array of real numbers"),
    (np.empty((0, 2)), "X has shape .+, but it must not be empty; "),
    (sp.csr_array((0, 2)), "X has shape .+, but it must not be empty; "),
    (sp.csr_array(np.eye(2) * 1j), "X holds complex128, but it must hold real numbers; "),
    (np.eye(2) * np.nan, "X holds nan, but it must be finite; "),
    (sp.csr_array([[np.inf], [1.0]]), "X holds inf, but it must be finite; "),
    (np.eye(2) * 1e200, r"X: the largest \|value\| is 1e\+200, but it must be .+; divide by"),
    (sp.csr_array(np.eye(2) * 1e200), r"X: the largest \|value\| is 1e\+200, but it must be .+; divide by"),
    (np.eye(2) * 1e-200, r"X: the largest \|value\| is 1e-200, but it must be .+; divide by"),
]


@pytest.mark.parametrize(("X", "message"), BAD_ROWS)
def test_bad_rows_raise(X, message):
    with pytest.raises(ValueError, match=message):
        best_margin(X, [1, -1])
    with pytest.raises(ValueError, match=message):
        best_margin(np.eye(2), [1, -1]).verify(X, [1, -1])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"lift": np.inf}, r"lift = inf, but it must be in \[0, 1e\+150\]; use 0"),
        ({"lift": np.nan}, r"lift = nan, but it must be in \[0, 1e\+150\]; use 0"),
        ({"lift": -1}, r"lift = -1, but it must be in \[0, 1e\+150\]; use 0"),
        ({"lift": "a"}, r"lift = 'a', but it must be a real number in \[0, 1e\+150\]; use 0"),
        ({"tol": -1}, r"tol = -1, but it must be in \[0, 1\]; use 1e-6"),
        ({"tol": None}, r"tol = None, but it must be a real number in \[0, 1\]; use 1e-6"),
        ({"max_rounds": 0}, "max_rounds = 0, but it must be a whole number >= 1; leave it out"),
        ({"max_rounds": 2.5}, "max_rounds = 2.5, but it must be a whole number >= 1; leave it out"),
    ],
)
def test_bad_parameters_raise(settings, message):
    with pytest.raises(ValueError, match=message):
        best_margin(np.eye(2), [1, -1], **settings)
    if "lift" in settings:
        with pytest.raises(ValueError, match=message):
            replace(best_margin(np.eye(2), [1, -1]), **settings).verify(np.eye(2), [1, -1])
