"""Lemma 4.2 in a Hilbert space: beside `separate` in the plane, and in spaces that have no coordinates."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel

from perceptrons.theory import KernelNear, KernelSeparated, Near, separate
from tests.sizes import cases


def inner(A, B):
    return np.asarray(A, float) @ np.asarray(B, float).T


@pytest.mark.thorough
def test_the_linear_kernel_answers_as_the_plane_does():
    """Between dist 0 and ε either answer may be right; outside both must be the same."""
    rng, found = np.random.default_rng(0), {KernelNear: 0, KernelSeparated: 0}
    for _ in range(cases(200, share=10)):
        n = int(rng.integers(1, 5))
        K, L = rng.normal(size=(6, n)), rng.normal(size=(5, n)) + rng.choice([0.0, 3.0]) * np.eye(1, n)
        eps = float(rng.uniform(0.2, 1.0))
        answer, plain = separate(K, L, eps, kernel=inner), separate(K, L, eps)
        answer.verify(K, L, inner)
        found[type(answer)] += 1
        if isinstance(answer, KernelNear):
            p, q = answer.times_K / answer.times_K.sum() @ K, answer.times_L / answer.times_L.sum() @ L
            assert np.linalg.norm(p - q) == pytest.approx(answer.distance, abs=1e-9)
            assert isinstance(plain, Near) or plain.margin * 2 < eps
        else:
            w = answer.duals @ np.vstack([K, L])
            assert np.allclose(answer.scores(inner(K, np.vstack([K, L]))), K @ w - answer.b)
            low = min((K @ w - answer.b).min(), (answer.b - L @ w).min()) / np.linalg.norm(w)
            assert low == pytest.approx(answer.margin)
            assert low >= eps / 12 * (1 - 1e-9)
    assert min(found.values()) > 0


def test_a_ring_and_what_it_surrounds():
    """No line separates them; their images under x² are far apart, and those of the Gaussian kernel, too."""
    angles = np.linspace(0, 6, 20)
    K, L = 2 * np.column_stack([np.cos(angles), np.sin(angles)]), np.array([[0.1, 0.1], [0, -0.2]])
    assert isinstance(separate(K, L, 0.5), Near)
    for kernel in (lambda A, B: polynomial_kernel(A, B, degree=2), lambda A, B: rbf_kernel(A, B, gamma=1.0)):
        answer = separate(K, L, 0.3, kernel=kernel)
        assert isinstance(answer, KernelSeparated)
        answer.verify(K, L, kernel)
        assert (answer.scores(kernel(K, np.vstack([K, L]))) > 0).all()
        assert (answer.scores(kernel(L, np.vstack([K, L]))) < 0).all()


def test_points_need_no_coordinates():
    """Words, and how many letters they share."""
    K, L = ["tree", "reed", "deer"], ["aqua", "squash"]

    def shared(A, B):
        return np.array([[len({*a} & {*b}) for b in B] for a in A])

    answer = separate(K, L, 0.5, kernel=shared)
    assert isinstance(answer, KernelSeparated)
    answer.verify(K, L, shared)


def test_forgeries_and_bad_kernels_are_refused():
    K, L = np.array([[0.0], [1.0]]), np.array([[3.0]])
    answer = separate(K, L, 1.0, kernel=inner)
    near = separate(K, [[0.5]], 1.0, kernel=inner)
    for forged, message in (
        (replace(answer, margin=2 * answer.margin), "the margin is"),
        (replace(answer, duals=answer.duals[::-1].copy()), "duals are others"),
        (replace(answer, times_K=-answer.times_K), "times_K are negative"),
    ):
        with pytest.raises(ValueError, match=message):
            forged.verify(K, L, inner)
    with pytest.raises(ValueError, match="the distance is"):
        replace(near, distance=near.distance / 2).verify(K, [[0.5]], inner)
    with pytest.raises(ValueError, match="not positive semidefinite"):
        separate(K, L, 1.0, kernel=lambda A, B: -inner(A, B) - 1)
    with pytest.raises(ValueError, match="it must give a row"):
        separate(K, L, 1.0, kernel=lambda A, B: np.ones((1, 1)))
    with pytest.raises(ValueError, match="After 2 steps"):
        separate([[0.0, 1.0], [0.0, -1.0]], [[0.1, 3.0], [0.1, -3.0]], 0.01, kernel=inner, max_steps=2)
