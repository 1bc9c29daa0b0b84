"""Sparse strategies against the nearest point, matrix games against linear programming, forgeries refused."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perceptrons.theory import SparseStrategy, solve_game, sparse_strategy
from tests.naive import games as naive
from tests.naive.separation import shortest

# --- points against hyperplanes ---


def random_points(rng):
    """Points around or beside the origin, of some scale."""
    n = int(rng.integers(1, 6))
    V = rng.standard_normal((rng.integers(1, 15), n)) + rng.choice([0, 1, 3]) * rng.standard_normal(n)
    return V * 10.0 ** rng.integers(-4, 5)


def test_sparse_strategies_enclose_the_value_and_keep_the_claim():
    rng = np.random.default_rng(0)
    ended, long_runs, worst = {"eps": 0, "no violator": 0}, 0, 0.0
    for _ in range(300):
        V = random_points(rng)
        R = np.linalg.norm(V, axis=1).max()
        eps = R * 10 ** rng.uniform(-1.7, 0.1)
        played = sparse_strategy(V, eps)
        played.verify(V)
        value, t = np.linalg.norm(shortest(V)), played.times.sum()
        assert played.lower - 1e-9 * R <= value <= played.upper + 1e-9 * R
        assert len(played.rows) <= t <= 3 * (R / eps) ** 2 + 1
        assert played.upper <= R * np.sqrt(3 / t) * (1 + 1e-9)
        np.testing.assert_allclose(played.weights.sum(), 1)
        if played.upper > eps:  # the last strategy of the sequence: T ≥ 1/(3ε*²), a loss of at most 3ε*
            assert t >= (R / value) ** 2 / 3 * (1 - 1e-9)
            assert played.upper <= 3 * played.lower * (1 + 1e-9)
            worst = max(worst, played.upper / value)
        ended["eps" if played.upper <= eps else "no violator"] += 1
        long_runs += t > 10
    assert min(ended.values()) >= 60
    assert long_runs >= 40
    assert 1.1 < worst <= 3


def test_how_much_more_than_the_value_the_last_strategy_loses():
    """At most 3ε* is proved; 1.3 ε* happens, and 1.5 ε* was never seen in thousands of sets."""
    rng = np.random.default_rng(1)
    ratios = []
    for _ in range(200):
        V = rng.standard_normal((4, 2)) + np.array([1.5, 0])
        played = sparse_strategy(V, 1e-2)
        if played.upper > 1e-2:
            ratios.append(played.upper / np.linalg.norm(shortest(V)))
    assert len(ratios) >= 60
    assert 1.3 < max(ratios) <= 3  # proved


def test_the_steps_are_those_of_the_plain_perceptron():
    rng = np.random.default_rng(2)
    long_runs = 0
    for _ in range(100):
        V = random_points(rng)
        V /= np.linalg.norm(V, axis=1).max()
        played = sparse_strategy(V, 0.08)
        used = dict(zip(played.rows.tolist(), played.times.tolist(), strict=True))
        assert used == naive.play(V, 0.08)
        long_runs += sum(used.values()) > 5
    assert long_runs >= 20


def test_strategies_scale_with_the_points():
    rng = np.random.default_rng(3)
    for _ in range(30):
        V = rng.standard_normal((6, 3)) + 0.5
        base = sparse_strategy(V, 0.1)
        for factor in (2.0**-490, 2.0**5, 2.0**490):
            scaled = sparse_strategy(V * factor, 0.1 * factor)
            scaled.verify(V * factor)
            assert scaled.rows.tolist() == base.rows.tolist()
            assert scaled.times.tolist() == base.times.tolist()
            assert scaled.upper == pytest.approx(base.upper * factor)


def test_strategies_at_the_edges():
    zero = sparse_strategy([[0, 0]], 0.1)
    zero.verify([[0, 0]])
    assert (zero.lower, zero.upper) == (0, 0)
    alone = sparse_strategy([[3, 4]], 0.1)  # ⟨w,v⟩ = 25 is not above R² = 25: a second step
    alone.verify([[3, 4]])
    assert (alone.times.tolist(), alone.lower, alone.upper) == ([2], pytest.approx(5), pytest.approx(5))
    opposite = sparse_strategy([[1, 0], [-1, 0]], 1e-9)
    assert opposite.times.tolist() == [1, 1]
    assert opposite.upper == 0
    assert sparse_strategy([[3, 4], [5, 0]], 1e300).times.tolist() == [1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[np.nan]], 0.1), "V holds nan, but it must be finite; "),
        ((np.empty((0, 3)), 0.1), "V has shape .+, but it must not be empty; "),
        (([1.0, 2.0], 0.1), "V has 1 dimensions, but it must have 2"),
        (([[1.0]], 0.0), r"eps = 0, but it must be in \(0, inf\); "),
        (([[1.0]], np.inf), r"eps = inf, but it must be in \(0, inf\); "),
        (([[1.0]], None), r"eps = None, but it must be a real number in \(0, inf\); "),
        (([[1.0]], "a"), r"eps = 'a', but it must be a real number in \(0, inf\); "),
        (([[1e200]], 1.0), "the largest .+ is 1e.200, but it must be"),
    ],
)
def test_bad_points_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        sparse_strategy(*arguments)


def test_max_steps():
    V = [[1.0, 0.2], [-1.0, 0.1], [0.3, -1.0]]
    t = int(sparse_strategy(V, 0.01).times.sum())
    assert t > 10
    assert sparse_strategy(V, 0.01, max_steps=t).times.sum() == t
    with pytest.raises(ValueError, match=rf"After {t - 1} steps the loss is .+ eps; use a larger eps, or"):
        sparse_strategy(V, 0.01, max_steps=t - 1)
    with pytest.raises(ValueError, match="max_steps = 0, but it must be a whole number >= 1; leave it out"):
        sparse_strategy(V, 0.01, max_steps=0)


def changed(value):
    """Other values near a field's own."""
    if isinstance(value, (int, float)):
        return [value * 1.01 + 1e-3, value - 0.01, np.nan]
    if value.dtype.kind == "i":
        return [value + 1 + np.arange(len(value)), value - 1, value[:-1], value * 1.0]
    return [value * 1.01, value[::-1].copy(), value[:-1], value * np.nan, -value]


@pytest.mark.parametrize("shift", [0.0, 1.0])
def test_forged_strategies_are_refused(shift):
    V, eps = np.array([[1.0, 0.2], [-0.5, 0.9], [-0.2, -0.8]]) + shift, 0.05
    played = sparse_strategy(V, eps)
    assert (played.upper <= eps) == (shift == 0)
    assert len(played.rows) >= 2  # else more of the same is as true
    tried = 0
    for name, value in vars(played).items():
        forged = changed(value)
        if name == "eps":  # what matters is upper ≤ eps, and not even that where upper ≤ 3 lower
            forged = [played.upper * 0.99] if shift == 0 else []
        for other in forged:
            with pytest.raises(ValueError, match="does not hold"):
                replace(played, **{name: other}).verify(V)
            tried += 1
    assert tried >= 18
    for other in (V + 0.01, V[:1], V[:, :1]):
        with pytest.raises(ValueError, match="does not hold"):
            played.verify(other)


def test_strategies_that_are_true_but_not_good_enough_are_refused():
    V = np.array([[1.0, 0.0], [0.2, 0.5]])
    first, w = np.array([0]), np.array([1.0, 0.0])
    with pytest.raises(ValueError, match="upper exceeds both eps and 3 lower"):
        SparseStrategy(first, np.array([1]), w, lower=0.2, upper=1.0, eps=0.05).verify(V)
    with pytest.raises(ValueError, match=r"upper exceeds 1 sqrt\(3/t\)"):
        SparseStrategy(first, np.array([100]), w, lower=1.0, upper=1.0, eps=0.05).verify(V[:1])


# --- matrix games ---


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
def test_bad_games_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        solve_game(*arguments)


def test_forged_solutions_are_refused():
    A = np.array([[3.0, 1.0, 2.0], [0.0, 2.5, 1.0]])
    solution = solved(A)
    tried = 0
    for name, value in vars(solution).items():
        forged = {"tol": [-1.0, np.nan], "n_decisions": [-1]}.get(name, changed(value))
        for other in forged:
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
