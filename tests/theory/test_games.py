"""Matrix games against linear programming; forgeries raise."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perceptrons.theory import solve_game
from tests.forging import nudged
from tests.naive import games as naive
from tests.sizes import cases


def solved(A, tol=1e-6):
    """Solve and verify; the interval must contain the value that linear programming finds."""
    solution = solve_game(A, tol)
    solution.verify(A)
    A = np.asarray(A, float)
    spread, value = np.ptp(A) or 1.0, naive.value(A)
    rounding = 1e-9 * spread + 1e-13 * np.abs(A).max()  # linprog's tolerance
    assert solution.lower - rounding <= value <= solution.upper + rounding
    assert solution.upper - solution.lower <= tol * spread + rounding
    assert solution.lower <= solution.value + rounding
    for strategy in (solution.x, solution.y):
        assert (strategy >= 0).all()
        assert abs(strategy.sum() - 1) <= 1e-14 * len(strategy)
    return solution


def test_random_games_against_linear_programming():
    rng = np.random.default_rng(4)
    mixed, decisions = 0, []
    for i in range(300):
        m, n = rng.integers(1, 13, 2)
        A = rng.standard_normal((m, n)) if i % 2 else rng.integers(-2, 3, (m, n))
        A = A * 10.0 ** rng.integers(-3, 4) + rng.choice([0, 100])
        solution = solved(A, tol=(1e-3, 1e-6, 1e-10)[i % 3])
        mixed += np.count_nonzero(solution.x) > 1
        decisions.append(solution.n_decisions)
    assert mixed >= 150
    assert decisions.count(0) >= 20  # saddle points
    assert max(decisions) <= 20  # halving alone needs twenty for 1e-6


def exact_game(rng):
    """Few choices, whole numbers or tenths of them, near 0 or far away, of any scale."""
    A = rng.integers(-3, 4, rng.integers(1, 6, 2)) * rng.choice([1.0, 0.1, 1 / 3])
    return (A + rng.choice([0.0, 0.0, 2.0**20, 1e12])) * 2.0 ** rng.integers(-60, 61)


def test_the_exact_value_lies_in_the_interval():
    rng, mixed = np.random.default_rng(7), 0
    for _ in range(cases(1000)):
        A = exact_game(rng)
        solution, value = solve_game(A, 1e-9), naive.exact_value(A)
        solution.verify(A)
        assert solution.lower <= value <= solution.upper
        mixed += np.count_nonzero(solution.x) > 1
        for name, towards in (("lower", np.inf), ("upper", -np.inf)):  # by one bit
            end = np.nextafter(getattr(solution, name), towards)
            with pytest.raises(ValueError, match=f"{name} is"):
                replace(solution, **{name: end}).verify(A)
    assert mixed >= cases(1000) // 5


def test_the_last_digits():
    """Where v is very near to the value one player's decision alone stalls (1 game in 14)."""
    rng = np.random.default_rng(6)
    for _ in range(100):
        A = rng.standard_normal(rng.integers(1, 30, 2))
        solve_game(A, 1e-12).verify(A)


DEGENERATE = {
    "one by one": [[3.0]],
    "one row": [[3, -1, 2]],
    "one column": [[3], [-1], [2]],
    "constant": np.full((3, 4), 7.5),
    "zero": np.zeros((2, 2)),
    "saddle point": [[4, 3, 8], [1, 2, 9], [0, 1, 5]],
    "dominated row": [[1, -1], [-1, 1], [-2, -2]],
    "dominated column": [[1, -1, 5], [-1, 1, 5]],
    "duplicates": [[1, -1, 1], [1, -1, 1], [-1, 1, -1]],
    "rock, paper, scissors": [[0, -1, 1], [1, 0, -1], [-1, 1, 0]],
    "matching pennies": [[1, -1], [-1, 1]],
    "identity": np.eye(20),
    "many optimal strategies": [[1, 0, 1, 0], [0, 1, 0, 1], [0.5, 0.5, 0.5, 0.5]],
    "rank one": np.outer(np.arange(-3, 4), np.arange(-2, 3)),
    "nearly constant": 1 + 1e-12 * np.array([[1, -1], [-1, 1]]),
    "far from 0": 1e12 + np.array([[1, -1], [-1, 1]]),
}


@pytest.mark.parametrize("name", DEGENERATE)
@pytest.mark.parametrize("tol", [1e-6, 1e-12])
def test_degenerate_games(name, tol):
    solved(DEGENERATE[name], tol)


def test_values_by_hand():
    assert solved([[3, 1], [0, 2]]).value == pytest.approx(1.5)
    assert solved(np.eye(20)).value == pytest.approx(1 / 20)
    np.testing.assert_allclose(solved(DEGENERATE["rock, paper, scissors"]).x, 1 / 3, atol=1e-6)
    pure = solved(DEGENERATE["saddle point"])
    assert (pure.lower, pure.upper, pure.n_decisions) == (3, 3, 0)
    assert pure.x.tolist() == [1, 0, 0]
    assert pure.y.tolist() == [0, 1, 0]


@pytest.mark.parametrize("shape", [(200, 300), (300, 100)])
def test_large_games(shape):
    A = np.random.default_rng(5).standard_normal(shape)
    assert solved(A, 1e-9).n_decisions <= 12


@pytest.mark.parametrize("scale", [1e150, 1e-150])
def test_huge_and_tiny_games(scale):
    A = np.array([[1.0, 0.4], [0.0, 0.7]]) * scale
    solution = solve_game(A)
    solution.verify(A)
    assert solution.value == pytest.approx(0.7 / 1.3 * scale)


@settings(max_examples=100, deadline=None)
@given(data=st.data(), m=st.integers(1, 5), n=st.integers(1, 5))
def test_the_other_player_and_other_units(data, m, n):
    rows = st.lists(st.integers(-3, 3), min_size=n, max_size=n)
    A = np.array(data.draw(st.lists(rows, min_size=m, max_size=m)))
    base = solved(A, 1e-9)
    assert solved(-A.T, 1e-9).value == pytest.approx(-base.value, abs=1e-7)
    assert solved(4 * A + 3, 1e-9).value == pytest.approx(4 * base.value + 3, abs=1e-7)
    assert solved(np.vstack([A, A[:1]]), 1e-9).value == pytest.approx(base.value, abs=1e-7)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[np.nan, 1.0]],), "A holds nan, but it must be finite; "),
        (([[np.inf, 1.0]],), "A holds inf, but it must be finite; "),
        ((np.empty((0, 3)),), "A has shape .+, but it must not be empty; "),
        ((np.empty((3, 0)),), "A has shape .+, but it must not be empty; "),
        (([1.0, 2.0],), "A has 1 dimensions, but it must have 2"),
        (([[1.0]], 0.0), r"tol = 0, but it must be in \[1e-12, 1\]; use 1e-6"),
        (([[1.0]], np.nan), r"tol = nan, but it must be in \[1e-12, 1\]; use 1e-6"),
        (([[1.0]], "a"), r"tol = 'a', but it must be a real number in \[1e-12, 1\]; use 1e-6"),
        (([[1.0]], None), r"tol = None, but it must be a real number in \[1e-12, 1\]; use 1e-6"),
        (([[1e200]],), "the largest .+ is 1e.200, but it must be"),
    ],
)
def test_bad_games_raise(arguments, message):
    with pytest.raises(ValueError, match=message):
        solve_game(*arguments)


def test_forged_solutions_raise():
    A = np.array([[3.0, 1.0, 2.0], [0.0, 2.5, 1.0]])
    solution = solved(A)
    tried = 0
    for name, value in vars(solution).items():
        special = {"tol": [-1.0, np.nan], "n_decisions": [-1]}
        for other in special[name] if name in special else nudged(value):
            with pytest.raises(ValueError, match="does not hold"):
                replace(solution, **{name: other}).verify(A)
            tried += 1
    assert tried >= 19
    worse = replace(solution, x=np.array([1.0, 0.0]), lower=1.0)  # true, but not within tol
    with pytest.raises(ValueError, match="wider than tol"):
        worse.verify(A)
    with pytest.raises(ValueError, match="does not hold"):
        solution.verify(A + 0.01)
    with pytest.raises(ValueError, match="does not hold"):
        solution.verify(A.T)
