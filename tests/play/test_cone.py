"""The shaded weights are those that are right about all rows, by brute force."""

import numpy as np

from perceptrons.play.cone import cut, cuts


def inside(corners, w):
    """Is w in a convex polygon? The corners go round against the clock."""
    if len(corners) == 0:
        return False
    edges = np.roll(corners, -1, axis=0) - corners
    to = w - corners
    return bool((edges[:, 0] * to[:, 1] - edges[:, 1] * to[:, 0] > 0).all())


def right_about_all(X, signs, w, b):
    """As `predict` decides."""
    return bool(((X @ w + b > 0) == (signs > 0)).all())


def test_the_polygon_is_what_brute_force_finds():
    rng, checked, members, empty = np.random.default_rng(0), 0, 0, 0
    for trial in range(40):
        X = rng.integers(-3, 4, (rng.integers(2, 9), 2)).astype(float)
        w, b = rng.standard_normal(2), rng.standard_normal()
        signs = np.where(X @ w + b > 0, 1, -1)
        if trial % 5 == 0:
            signs[0] = -signs[0]
        at = [1.0, -1.0, 0.0, 2.5][trial % 4]
        corners = cut(X, signs, at)
        empty += len(corners) == 0
        for v in rng.uniform(-4, 4, (200, 2)):
            reach = signs * (X @ v + at)
            if np.abs(reach[X.any(axis=1)]).min(initial=1) > 1e-6:  # not on a border
                assert inside(corners, v) == right_about_all(X, signs, v, at)
                checked += 1
                members += right_about_all(X, signs, v, at)
    assert checked > 6_000
    assert members > 300
    assert 0 < empty < 40


def test_cuts_scale_with_the_intercept():
    """What the page does: the cut at b is that at the sign of b, times |b|."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((12, 2))
    signs = np.where(X @ [1.0, 2.0] + 0.3 > 0, 1, -1)
    three = cuts(X, signs)
    assert three["plus"]
    for v in rng.uniform(-30, 30, (500, 2)):
        for b, name in ((7.0, "plus"), (-3.0, "minus")):
            right = (signs * (X @ v + b) > 0).all()
            assert inside(np.array(three[name]), v / abs(b)) == right


def test_no_weights_are_right_about_contradictions():
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    assert cuts(X, np.array([-1, 1, 1, -1])) == {"plus": [], "zero": [], "minus": []}
    assert cuts(np.zeros((2, 2)), np.array([1, -1])) == {"plus": [], "zero": [], "minus": []}


def test_a_row_of_zeros_is_of_class_0_where_there_is_no_intercept():
    X = np.array([[0.0, 0.0], [0.0, 1.0]])
    assert len(cut(X, np.array([-1, 1]), 0.0)) == 4
    assert len(cut(X, np.array([1, 1]), 0.0)) == 0
