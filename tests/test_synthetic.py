"""Synthetic data: separable sets of a known margin, and product distributions with a binary-weight target."""

import math

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from perceptrons import synthetic
from perceptrons.synthetic import product, separable
from tests.naive.best_margin import best_margin


@settings(max_examples=40, deadline=None)
@given(
    st.integers(2, 60), st.integers(1, 12), st.floats(0.001, 1.0), st.floats(0.1, 100.0), st.integers(0, 99)
)
def test_separable_sets_have_the_margin_they_promise(m, n, share, radius, seed):
    margin = share * radius
    X, y, teacher = separable(m, n, margin=margin, radius=radius, random_state=seed)
    assert np.linalg.norm(teacher) == pytest.approx(1.0)
    assert np.allclose(np.linalg.norm(X, axis=1), radius)
    assert (y * (X @ teacher)).min() >= margin - 1e-14 * radius
    if n >= 2:
        assert best_margin(X, y) == pytest.approx(margin, rel=1e-6)


def test_separable_sets_sparse_and_noisy():
    X, y, teacher = separable(300, 50, margin=0.1, density=0.1, noise=0.2, random_state=0)
    assert sp.issparse(X)
    assert (np.diff(X.indptr) == 5).all()
    assert np.allclose(sp.linalg.norm(X, axis=1), 1.0)
    assert ((y * (X @ teacher)) < 0).sum() == 60
    assert np.abs(X @ teacher).min() >= 0.1 - 1e-12


@settings(deadline=None, derandomize=True, max_examples=50)
@given(
    n_rows=st.integers(1, 40),
    shares=st.lists(st.floats(0, 1), min_size=1, max_size=6),
    threshold=st.integers(-7, 7),
    seed=st.integers(0, 99),
)
def test_labels_follow_the_rule_and_the_seed(n_rows, shares, threshold, seed):
    X, y, w = product(n_rows, shares, threshold=threshold, random_state=seed)
    assert (X.shape, X.dtype, X.flags.c_contiguous) == ((n_rows, len(shares)), np.int8, True)
    assert (y.dtype.kind, w.dtype, w.shape) == ("i", np.int8, (len(shares),))
    assert set(X.flat) | set(w) <= {-1, 1}
    for row, label in zip(X.tolist(), y.tolist(), strict=True):
        score = sum(a * b for a, b in zip(w.tolist(), row, strict=True))
        assert label == (1 if score > threshold else -1)
    again = product(n_rows, shares, threshold=threshold, random_state=seed)
    assert all((a == b).all() for a, b in zip(again, (X, y, w), strict=True))


def test_both_labels_and_a_tie_which_is_negative():
    X, y, w = product(500, 2, random_state=0)
    scores = X @ w
    assert set(scores.tolist()) == {-2, 0, 2}
    assert (y[scores == 0] == -1).all()
    assert set(product(500, 2, threshold=-0.5, random_state=0).y[scores == 0].tolist()) == {1}


def test_columns_have_their_shares_and_are_independent():
    shares = np.array([0.0, 0.001, 0.15, 0.5, 0.7, 1.0])
    n = 40_000
    X = product(n, shares, random_state=1).X
    found = (X == 1).mean(axis=0)
    assert (np.abs(found - shares) <= 4 * np.sqrt(shares * (1 - shares) / n)).all()
    varying = X[:, [2, 3, 4]]
    off = np.corrcoef(varying.T)[np.triu_indices(3, 1)]
    assert (np.abs(off) < 4 / math.sqrt(n)).all()
    rows = np.corrcoef(varying[:-1, 1], varying[1:, 1])[0, 1]  # of neighbours
    assert abs(rows) < 4 / math.sqrt(n)


def test_a_whole_number_is_so_many_columns_of_one_half():
    X, y, w = product(30, 5, random_state=3)
    named = product(30, [0.5] * 5, random_state=3)
    assert all((a == b).all() for a, b in zip(named, (X, y, w), strict=True))
    assert product(30, np.int64(5), random_state=3).X.shape == (30, 5)


def test_weights_are_random_signs():
    w = product(1, 10_000, random_state=0).weights
    assert abs(w.mean()) < 4 / 100
    assert (w != product(1, 10_000, random_state=1).weights).any()


def test_noise_flips_labels_alone_and_independently():
    n = 20_000
    pure, noisy = (product(n, 7, noise=noise, random_state=5) for noise in (0.0, 0.3))
    assert (pure.X == noisy.X).all()
    flipped = pure.y != noisy.y
    assert abs(flipped.mean() - 0.3) < 4 * math.sqrt(0.3 * 0.7 / n)
    assert abs(flipped[pure.y == 1].mean() - flipped[pure.y == -1].mean()) < 4 * math.sqrt(0.84 / n)
    runs = flipped[:-1] & flipped[1:]
    assert abs(runs.mean() - 0.09) < 4 * math.sqrt(0.1 / n)
    pairs = [
        (product(100, 7, random_state=s).y, product(100, 7, noise=0.3, random_state=s).y) for s in range(20)
    ]
    assert len({int((a != b).sum()) for a, b in pairs}) > 5  # each by itself, not a fixed share
    assert (product(n, 7, noise=1, random_state=5).y == -pure.y).all()


def test_rows_depend_on_neither_weights_nor_blocks(monkeypatch):
    X = product(50, [0.3, 0.5, 0.9], random_state=2).X
    given_weights = product(50, [0.3, 0.5, 0.9], weights=[0, 1, -1], noise=0.1, random_state=2)
    assert (given_weights.X == X).all()
    assert given_weights.weights.tolist() == [0, 1, -1]
    assert (product(90, [0.3, 0.5, 0.9], random_state=2).X[:50] == X).all()
    monkeypatch.setattr(synthetic, "BLOCK", 7)  # two rows at a time
    assert (product(50, [0.3, 0.5, 0.9], random_state=2).X == X).all()
    monkeypatch.setattr(synthetic, "BLOCK", 1)  # fewer than the columns
    small = product(50, [0.3, 0.5, 0.9], weights=[0, 1, -1], noise=0.1, random_state=2)
    assert all((a == b).all() for a, b in zip(small, given_weights, strict=True))


def test_the_distribution_that_fools_the_clipped_hebb_rule():
    shares = [0.15] * 3 + [0.7] * 8  # Golea and Marchand, end of Section 5.1
    X, y, _ = product(20_000, shares, weights=np.ones(11), random_state=0)
    assert np.sign(y @ X.astype(int)).tolist() == [-1] * 3 + [1] * 8
    influence = [y[X[:, i] == 1].mean() - y[X[:, i] == -1].mean() for i in range(11)]
    assert min(influence) > 0.05  # of the right sign for all


BAD = [
    ({"n_rows": 0}, "n_rows=0, but it must be an integer >= 1; pass the number"),
    ({"n_rows": 2.0}, "n_rows=2.0, but it must be an integer"),
    ({"shares": 0}, "shares=0, but it must be an integer >= 1; pass the number of columns"),
    ({"shares": 0.5}, "shares=0.5, but it must be a list of numbers; pass one share per column, or"),
    ({"shares": True}, "shares=True, but it must be a list"),
    ({"shares": []}, r"shares=\[\], but it must be a list"),
    ({"shares": "half"}, "shares='half', but it must be a list"),
    ({"shares": [[0.5]]}, r"shares=\[\[0.5\]\], but it must be a list"),
    ({"shares": [0.5, 1.5]}, r"shares holds 1.5, but a share is in \[0, 1\]"),
    ({"shares": [-0.25]}, "shares holds -0.25, but"),
    ({"shares": [math.nan]}, "shares holds nan, but"),
    ({"weights": [1, 1]}, "weights has 2 values for 3 columns; pass one"),
    ({"weights": [1, 1, 2]}, "weights holds 2, but it may hold -1, 0"),
    ({"weights": [1, 1, math.nan]}, "weights holds nan, but"),
    ({"weights": [1, 1, "+"]}, "weights=.*, but it must be a list of numbers; pass one weight per column"),
    ({"threshold": "auto"}, "threshold='auto', but it must be a number"),
    ({"threshold": math.nan}, "threshold=nan, but it must be a number"),
    ({"noise": 1.5}, r"noise=1.5, but it must be in \[0, 1\]"),
    ({"noise": -0.1}, "noise=-0.1, but"),
    ({"noise": math.nan}, "noise=nan, but"),
    ({"noise": "none"}, "noise='none', but"),
]


@pytest.mark.parametrize(("bad", "message"), BAD)
def test_errors_name_value_limit_and_remedy(bad, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        product(**{"n_rows": 4, "shares": 3} | bad)
