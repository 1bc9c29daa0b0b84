"""Farkas' lemma: every answer proved from the system alone, and none forged."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import nnls

from perceptrons.theory import Solvable, Unsolvable, farkas
from tests.forging import nudged
from tests.sizes import cases


def test_farkas_on_random_systems():
    rng = np.random.default_rng(8)
    kinds = {"solvable": 0, "none": 0, "none below the bound": 0}
    for i in range(200):
        m, n = (int(k) for k in rng.integers(1, 7, 2))
        A = rng.standard_normal((m, n)) * 10.0 ** rng.integers(-3, 4, n)
        b = rng.standard_normal(m) * 10.0 ** rng.integers(-3, 4)
        if i % 3 == 0:
            b = A @ (np.maximum(rng.standard_normal(n), 0.1) / np.linalg.norm(A, axis=0))
        length = np.linalg.norm(b)
        if length == 0:
            continue  # on some processors two columns cancel exactly
        answer = farkas(A, b, 0.05 * length)
        answer.verify(A, b)
        x, away = nnls(A, b, maxiter=1000)
        if isinstance(answer, Solvable):
            assert away < 0.05 * length
            kinds["solvable"] += 1
        elif answer.excludes == np.inf:
            assert (A.T @ answer.y >= -1e-9 * np.linalg.norm(A, axis=0)).all()
            assert away >= -answer.value * length * (1 - 1e-6) > 0
            kinds["none"] += 1
        else:
            assert answer.excludes > 10
            assert away > 0 or x @ np.linalg.norm(A, axis=0) > 10 * length
            kinds["none below the bound"] += 1
    assert kinds["solvable"] >= 60
    assert kinds["none"] >= 60


def test_farkas_claims_hold_of_real_numbers():
    """In fractions: the residual, the inner products of y, and so which solutions are excluded."""
    rng, counts = np.random.default_rng(12), {"solvable": 0, "none": 0, "none below": 0}
    for _ in range(cases(600)):
        m, n = (int(k) for k in rng.integers(1, 5, 2))
        A, b = rng.integers(-3, 4, (m, n)) * 0.1, rng.integers(-3, 4, m) * 0.1
        if rng.random() < 0.3:
            A[0] = 1e-9 * rng.integers(0, 3, n)
        answer = farkas(A, b, 0.1)
        answer.verify(A, b)
        a, c = [[Fraction(value) for value in row] for row in A.tolist()], [Fraction(v) for v in b.tolist()]
        if isinstance(answer, Solvable):
            x = [Fraction(value) for value in answer.x.tolist()]
            rest = [sum(p * q for p, q in zip(row, x, strict=True)) - t for row, t in zip(a, c, strict=True)]
            assert sum(part**2 for part in rest) <= Fraction(answer.error) ** 2 < Fraction(answer.eps) ** 2
            counts["solvable"] += 1
            continue
        y = [Fraction(value) for value in answer.y.tolist()]
        value = sum(p * q for p, q in zip(y, c, strict=True))
        inner = [sum(y[i] * a[i][j] for i in range(m)) for j in range(n)]
        assert value < 0
        square, length = sum(part**2 for part in y), sum(part**2 for part in c)
        assert Fraction(answer.value) ** 2 * square * length <= value**2
        if answer.excludes == np.inf:
            assert min(inner) >= 0
            counts["none"] += 1
            continue
        for j in range(n):  # ⟨y,b⟩ = Σ x_j ⟨y,a_j⟩, so Σ x_j‖a_j‖ is at least this many times ‖b‖
            norm = sum(a[i][j] ** 2 for i in range(m))
            if inner[j] < 0:
                assert Fraction(answer.excludes) ** 2 * inner[j] ** 2 * length <= value**2 * norm
        counts["none below"] += 1
        with pytest.raises(ValueError, match="does not hold"):
            replace(answer, excludes=np.nextafter(answer.excludes * (1 + 1e-15), np.inf)).verify(A, b)
    assert min(counts["solvable"], counts["none"]) >= cases(600) // 6


def test_farkas_shows_that_nothing_solves_where_the_cone_is_pointed():
    rng = np.random.default_rng(9)
    every_size, up_to_the_bound = 0, 0
    for _ in range(150):
        m = int(rng.integers(1, 9))
        A = rng.standard_normal((m, 3 * m)) + 2 * np.eye(m, 1)
        b = rng.standard_normal(m) - 0.3 * np.eye(1, m)[0]
        answer = farkas(A, b, 0.05 * np.linalg.norm(b))
        answer.verify(A, b)
        if isinstance(answer, Unsolvable):
            every_size += answer.excludes == np.inf
            up_to_the_bound += answer.excludes < np.inf
    assert every_size >= 80
    assert up_to_the_bound <= 3


def test_farkas_says_when_only_large_solutions_exist():
    A, b = [[1.0, -1.0], [0.01, 0.01]], [0.0, 1.0]  # x = (50, 50)
    answer = farkas(A, b, 0.1)
    answer.verify(A, b)
    assert isinstance(answer, Unsolvable)
    assert 10 < answer.excludes < 100.1
    larger = farkas(A, b, 0.1, bound=200)
    larger.verify(A, b)
    assert isinstance(larger, Solvable)


@pytest.mark.parametrize("tilt", [1e-3, 1e-6, 1e-10, 1e-12, 1e-14, 1e-17, 1e-30])
def test_farkas_never_denies_a_huge_solution(tilt):
    A, b = [[1.0, -1.0], [tilt, 0.0]], [0.0, 1.0]  # x = (1, 1)/tilt, exactly
    answer = farkas(A, b, 0.01)
    answer.verify(A, b)
    assert isinstance(answer, Unsolvable)
    assert 10 < answer.excludes <= (np.hypot(1, tilt) + 1) / tilt
    assert -2 * tilt < answer.least < 0
    for forged in ({"excludes": np.inf}, {"excludes": np.inf, "least": 0.0}, {"least": 0.0}):
        with pytest.raises(ValueError, match="does not hold"):
            replace(answer, **forged).verify(A, b)


def test_farkas_never_denies_a_huge_solution_in_any_direction():
    rng = np.random.default_rng(10)
    finite = 0
    for _ in range(200):
        m, tilt = int(rng.integers(2, 6)), 10.0 ** -rng.integers(2, 13)
        A = np.hstack([np.eye(m)[:, 1:], -np.eye(m)[:, 1:]])  # a cone that is all but a half-space
        A[0] = tilt * rng.uniform(0.5, 1, A.shape[1])
        turn = np.linalg.qr(rng.standard_normal((m, m)))[0]
        A, b = turn @ A, turn[:, 0]
        answer = farkas(A, b, 0.01)
        answer.verify(A, b)
        assert isinstance(answer, Unsolvable)
        assert 10 < answer.excludes < 2.5 / tilt  # a solution has Σ x_j‖a_j‖ between 1 and 2 over tilt
        with pytest.raises(ValueError, match="does not hold"):
            replace(answer, excludes=np.inf, least=0.0).verify(A, b)
        finite += 1
    assert finite == 200


def test_farkas_edges():
    assert farkas([[0.0]], [0.0], 1e-3).x.tolist() == [0]
    assert farkas([[1.0]], [0.5], 1.0).x.tolist() == [0]
    zero_column = farkas([[0.0, 1.0], [0.0, 0.0]], [2.0, 0.0], 0.1)
    zero_column.verify([[0.0, 1.0], [0.0, 0.0]], [2.0, 0.0])
    assert zero_column.x[0] == 0
    assert isinstance(farkas([[0.0]], [1.0], 0.5), Unsolvable)
    for scale in (1e-140, 1e140):
        A, b = np.array([[1.0, 1.0], [0.0, 1.0]]) * scale, np.array([3.0, 1.0])
        farkas(A, b, 0.1).verify(A, b)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[1.0], [2.0]], [1.0], 0.1), "A has 2 rows, b has 1 entries, but they must agree; "),
        (([[1.0]], [[1.0]], 0.1), "b has 2 dimensions, but it must have 1; "),
        (([[1.0]], [1.0], 0.0), "eps = 0, but it must be finite, > 0 and at least .+; "),
        (([[1.0]], [1.0], 1e-12), "eps = 1e-12, but it must be finite, > 0 and at least .+; "),
        (([[1.0]], [1.0], None), "eps = None, but it must be a real number in .+; "),
        (([[1.0]], [1.0], "a"), "eps = 'a', but it must be a real number in .+; "),
        (([[1.0]], [10**400], 0.1), "b must be an array of real numbers.+"),
        (([[1.0]], [np.inf], 0.1), "b holds inf, but it must be finite; "),
    ],
)
def test_farkas_bad_input(arguments, message):
    with pytest.raises(ValueError, match=message):
        farkas(*arguments)


def test_farkas_bad_bound():
    with pytest.raises(ValueError, match=r"bound = 0.5, but it must be in \[1, inf\); use 10"):
        farkas([[1.0]], [1.0], 0.1, bound=0.5)
    with pytest.raises(ValueError, match=r"bound = 'a', but it must be a real number in \[1, inf\); use 10"):
        farkas([[1.0]], [1.0], 0.1, bound="a")


@pytest.mark.parametrize("b", [[3.0, 1.0], [-1.0, 1.0]])
def test_farkas_forgeries_raise(b):
    A = [[1.0, 1.0], [0.0, 1.0]]
    answer = farkas(A, b, 0.05)
    answer.verify(A, b)
    tried = 0
    for name, value in vars(answer).items():
        others = [value / 1e6] if name == "eps" else nudged(value)
        for other in others:
            if np.array_equal(other, value):
                continue  # −0, 1.01·inf
            with pytest.raises(ValueError, match="does not hold"):
                replace(answer, **{name: other}).verify(A, b)
            tried += 1
    assert tried >= 8
    with pytest.raises(ValueError, match="does not hold"):
        answer.verify(A, [-v for v in b])
