"""Counts of partitions and rows, each against counting. (Values by hand and limits: `test_bounds`.)"""

from itertools import product
from math import ceil, comb, inf, log

import numpy as np
import pytest

from perceptrons.theory import bounds
from tests.naive.best_margin import best_margin


def margins_of_all_partitions(points):
    """The margin of every labeling of the points, 0 where there is none; one of each pair Y, -Y."""
    signs = [(1, *rest) for rest in product((-1, 1), repeat=len(points) - 1)]
    return np.array([best_margin(points, np.array(y)) for y in signs])


def point_sets(rng):
    for n, d in ((4, 2), (6, 3), (8, 3), (9, 8), (8, 8), (7, 2)):
        points = rng.normal(size=(n, d)) + 3 * rng.normal(size=d) * (n == 7)  # one set of neighbours
        yield points / np.linalg.norm(points, axis=1).max()
    yield np.eye(8)


def test_no_more_partitions_than_theorem_6_1_allows():
    informative = 0
    for points in point_sets(np.random.default_rng(1)):
        margins, n = margins_of_all_partitions(points), len(points)
        for eps in (0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 0.8, 0.9):
            count = 2 * int((margins >= eps).sum())
            assert count <= bounds.partitions(n, eps)
            assert count == 0 or log(count) <= bounds.log_partitions(n, eps)
            informative += 0 < count < 2**n
    assert informative >= 20


@pytest.mark.parametrize("lift", [0.0, 0.5, 1.0, 3.0])
def test_the_margin_of_unit_vectors_is_exact(lift):
    for n in range(2, 8):
        for k in range(1, n):
            y = np.where(np.arange(n) < k, 1, -1)
            exact = best_margin(np.eye(n), y, lift**2)
            assert bounds.unit_vector_margin(n, k, lift) == pytest.approx(exact, rel=1e-9)


def test_example_6_2_needs_a_threshold():
    n, k = 10**6, np.arange(1, 20)
    assert (bounds.unit_vector_margin(n, k) < 0.01 / np.sqrt(k)).all()  # not Omega(1/sqrt k)
    assert (bounds.unit_vector_margin(n, k, inf) >= 0.5 / np.sqrt(k)).all()
    assert (bounds.unit_vector_margin(n, k, 1) >= np.sqrt(1 / (4 * k + 1))).all()
    np.testing.assert_allclose(
        bounds.unit_vector_margin(9, k[:8], 1e6), bounds.unit_vector_margin(9, k[:8], inf)
    )
    assert bounds.unit_vector_margin(9, 2, 1e200) == bounds.unit_vector_margin(9, 2, inf)


def test_the_compression_that_example_6_2_forces():
    for n, k in ((5, 2), (30, 10), (1000, 3), (10**6, 20)):
        value = bounds.unit_vector_compression(n, k)
        assert value == pytest.approx(log(comb(n, k)) / log(2 * (n + 1)), rel=1e-9)
        assert value < k
        eps = bounds.unit_vector_margin(n, k, 1) / np.sqrt(2)  # the lifted vectors have norm sqrt 2
        assert value <= bounds.novikoff(1, eps)  # as the perceptron itself shows
    assert bounds.unit_vector_compression(10**15, 20) > 0.9 * 20 * (1 - log(20) / log(2e15))


def test_occam_sample_size_is_the_least():
    def enough(m, s, terms, eps, delta):
        r = ceil(2 * s * s * log(m))
        return m * eps >= log(1 / delta) + r * r * log(2) + r * log(terms)

    cases = list(product((1, 2), (1, 7, 466), (0.1, 0.3, 0.9), (0.01, 0.3, 0.95)))
    sizes = [int(bounds.occam_sample_size(*case)) for case in cases]
    for case, size in zip(cases, sizes, strict=True):
        assert size == next(m for m in range(1, 10**6) if enough(m, *case))
    assert len(cases) == 54
    assert min(sizes) == 1  # ln(1/0.95) < 0.1: no stage, no hypothesis to choose
    assert max(sizes) > 50_000
    assert bounds.occam_sample_size(*np.array(cases).T).tolist() == sizes
    m = int(bounds.occam_sample_size(6, 1e6, 1e-3, 1e-3))  # too many to count
    assert enough(m, 6, 1e6, 1e-3, 1e-3)
    assert not enough(m - 1, 6, 1e6, 1e-3, 1e-3)
