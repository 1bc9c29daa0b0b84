"""The kernels behind the maximum margin, against NumPy: the factor, its solutions, sweeps, Newton steps."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from perceptrons import MaxMarginPerceptron
from perceptrons.margin.maximum.corral import climb, combine, empty_corral, join, leave, minimise, walk_to
from perceptrons.margin.maximum.descent import squared_norms, sweep
from perceptrons.margin.maximum.maximum_parameters import MaximumParameters
from perceptrons.margin.maximum.newton import accumulate, line_search, minimiser
from perceptrons.margin.maximum.pool import MarginSearch
from perceptrons.rows.encode import encode
from perceptrons.rows.weights import NO_WEIGHTS
from tests.naive.max_margin import objective

pytestmark = pytest.mark.kernels


def searched(X, y, intercept, C=np.inf, weights=None):
    data = encode(MaxMarginPerceptron(), X, y, sample_weight=weights)
    return MarginSearch(data, np.asarray(y, np.int8), MaximumParameters(C, 1e-6, intercept, 10_000, False))


def task_of(drawn, m, n):
    """A search, its rows and its source of random numbers, from what Hypothesis has drawn."""
    seed, intercept, C, sparse, weighted = drawn
    rng = np.random.default_rng(seed)
    X, y = random_set(rng, m, n)
    weights = rng.integers(1, 9, m) / 4 if weighted else None
    return searched(sp.csr_array(X) if sparse else X, y, intercept, C, weights), X, rng


def random_set(rng, m, n):
    X = rng.integers(-3, 4, (m, n)) + 0.25 * rng.standard_normal((m, n))
    y = rng.choice([-1, 1], m)
    y[:2] = [-1, 1]
    return X, y


def ridges(task, rows):
    return task.ridge / task.weights[rows] if len(task.weights) else np.full(len(rows), task.ridge)


def gram(search, X, rows):
    """M as the module's docstring says it is."""
    task, rows = search.task, np.asarray(rows)
    Z = task.y[rows, None] * (X[rows] - task.centre)
    return (Z @ Z.T + np.diag(ridges(task, rows))) / task.lift + (task.side[rows, None] == task.side[rows])


def indicators(search, rows):
    return np.array([search.task.side[rows] == h for h in range(search.task.sides)], float)


def check_factor(search, X, corral, expected):
    k = corral.counts[0]
    assert list(corral.rows[:k]) == expected
    factor = np.linalg.cholesky(gram(search, X, expected))
    assert np.triu(corral.factor[:k, :k]) == pytest.approx(factor.T, rel=1e-8, abs=1e-8)
    ones = np.linalg.solve(factor, indicators(search, expected).T).T
    assert corral.ones[: len(ones), :k] == pytest.approx(ones, rel=1e-7, abs=1e-7)


TASKS = st.tuples(
    st.integers(0, 10**6), st.booleans(), st.sampled_from([np.inf, 0.5]), st.booleans(), st.booleans()
)


@settings(max_examples=60, deadline=None)
@given(TASKS, st.lists(st.sampled_from(["join", "join", "join", "first", "middle", "last"]), min_size=9))
def test_the_factor_after_joins_and_leaves(task, steps):
    search, X, *_ = task_of(task, 30, 9)
    corral, waiting, expected = empty_corral(12), list(range(30)), []
    line, row, joined, left = np.empty(12), np.empty(9), 0, 0
    for step in ["join", "join", "join", *steps]:
        if step == "join" and len(expected) < 8:
            r = waiting.pop(0)
            corral.spots[len(expected)] = 100 + r
            assert join(search.task, corral, r, line, row)
            corral.weights[len(expected)] = r
            expected.append(r)
            joined += 1
        elif step != "join" and len(expected) > 1:
            place = {"first": 0, "middle": len(expected) // 2, "last": len(expected) - 1}[step]
            leave(corral, place)
            waiting.append(expected.pop(place))
            left += 1
        check_factor(search, X, corral, expected)
        k = len(expected)
        assert list(corral.spots[:k]) == [100 + r for r in expected]
        assert list(corral.weights[:k]) == expected
    assert list(corral.counts) == [len(expected), joined, left]


@pytest.mark.parametrize("intercept", [False, True])
def test_a_row_that_depends_on_the_corral_is_refused(intercept):
    X = np.array([[1.0, 0.0], [0.0, 2.0], [0.5, 1.0], [2.0, -2.0], [1.0, 0.0], [3.0, 3.0]])
    y = np.array([1, 1, 1, 1, 1, -1])
    for C, refuses in ((np.inf, True), (1.0, False)):  # with slack no row depends on others
        search, corral = searched(X, y, intercept, C), empty_corral(6)
        line, row = np.empty(6), np.empty(2)
        assert join(search.task, corral, 0, line, row)
        assert join(search.task, corral, 1, line, row)
        for dependent in (2, 3, 4):
            assert join(search.task, corral, dependent, line, row) is not refuses
        assert corral.counts[0] == (2 if refuses else 5)


def plain_minimise(M, sides, r, total):
    system = np.block([[M, -sides.T], [sides, np.zeros((len(sides), len(sides)))]])
    return np.linalg.solve(system, np.append(r, np.full(len(sides), total)))[: len(r)]


def plain_settle(search, X, rows, weights):
    """Wolfe's minor cycles: walk to the shortest affine combination; at a border its row is dropped."""
    while True:
        goal = plain_minimise(gram(search, X, rows), indicators(search, rows), np.zeros(len(rows)), 1.0)
        if (goal > 0.0).all():
            return rows, goal
        reach = np.where(goal <= 0.0, weights / (weights - np.minimum(goal, 0.0)), np.inf)
        weights = weights + reach.min() * (goal - weights)
        kept = np.arange(len(rows)) != reach.argmin()
        rows, weights = rows[kept], weights[kept]


@settings(max_examples=60, deadline=None)
@given(TASKS, st.sampled_from([0.0, 1.0]))
def test_minimise_solves_the_conditions_of_optimality(task, total):
    """M a = r + a level per side, Σ a = total per side; as one system for numpy.linalg."""
    search, X, rng = task_of(task, 8, 9)
    corral = rebuilt_without_leaving(search, range(8))
    r = rng.standard_normal(8) if total == 0.0 else np.zeros(8)
    M, sides = gram(search, X, range(8)), indicators(search, np.arange(8))
    out = np.linalg.solve(np.linalg.cholesky(M), r)
    minimise(corral, search.task.sides, total, out)
    expected = plain_minimise(M, sides, r, total)
    assert out == pytest.approx(expected, rel=1e-6, abs=1e-6 * (1 + np.abs(expected).max()))


def rebuilt_without_leaving(search, rows):
    rows = list(rows)
    corral, line, row = (
        empty_corral(len(rows) + 1),
        np.empty(len(rows) + 1),
        np.empty(len(search.task.centre)),
    )
    for s, r in enumerate(rows):
        assert join(search.task, corral, r, line, row)
        corral.spots[s] = s
    return corral


@settings(max_examples=150, deadline=None, derandomize=True)
@given(TASKS)
def test_settle_walks_as_wolfe_says(task):
    search, X, rng = task_of(task, 8, 9)
    corral, sides = rebuilt_without_leaving(search, range(8)), indicators(search, np.arange(8))
    start = rng.random(8) * (rng.random(8) < 0.8) + 1e-3
    start /= (sides * start).sum(axis=1)[search.task.side[:8]]
    corral.weights[:8] = start
    goal, used, w = np.zeros(9), np.ones(8, bool), np.empty(9)
    before = combine(search.task, corral, w)
    minimise(corral, search.task.sides, 1.0, goal)
    walk_to(search.task, corral, used, goal)
    k = corral.counts[0]
    rows, weights = corral.rows[:k], corral.weights[:k]
    expected = plain_settle(search, X, np.arange(8), start)
    assert list(rows) == list(expected[0])
    assert weights == pytest.approx(expected[1], abs=1e-6)
    assert (weights > 0.0).all()
    assert indicators(search, rows) @ weights == pytest.approx(np.ones(len(sides)), abs=1e-9)
    assert set(np.flatnonzero(used)) == set(corral.spots[:k])
    length = combine(search.task, corral, w)
    assert length <= before * (1 + 1e-9)
    assert w == pytest.approx((weights * search.task.y[rows]) @ X[rows], abs=1e-9)
    assert length == pytest.approx(w @ w + weights**2 @ ridges(search.task, rows), rel=1e-9)


@settings(max_examples=40, deadline=None)
@given(TASKS)
def test_an_inaccurate_corral_is_refined(task):
    """Weights a little off are put right by solving for what they miss, before any row joins."""
    search, X, rng = task_of(task, 8, 9)
    rows, expected = plain_settle(search, X, np.arange(8), indicators(search, np.arange(8)).sum(axis=0) / 8)
    corral, sides, w = rebuilt_without_leaving(search, rows), indicators(search, rows), np.empty(9)
    off = expected * (1 + 1e-4 * rng.random(len(rows)))
    corral.weights[: len(rows)] = off / (sides @ off)[search.task.side[rows]]
    climb(search.task, corral, rows.copy(), w, 1e-9, search.zero)
    assert list(corral.rows[: corral.counts[0]]) == list(rows)
    assert corral.weights[: len(rows)] == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("C", [np.inf, 0.5])
@pytest.mark.parametrize("make", [np.array, sp.csr_array])
def test_one_sweep_of_descent(C, make, weighted):
    rng = np.random.default_rng(1)
    X, y = random_set(rng, 20, 4)
    X[3] = 0.0
    weights = np.arange(1, 21) / 8 if weighted else np.ones(20)
    search, lift = searched(make(X), y, True, C, weights if weighted else None), 0.7
    alpha, w, b = np.maximum(0.0, rng.standard_normal(20)), rng.standard_normal(4), 0.3
    squares = squared_norms(search.task.X, 20)
    assert squares == pytest.approx(np.where((X == 0).all(axis=1), 1.0, (X * X).sum(axis=1)))
    order, expected, v, c, moves = rng.permutation(20), alpha.copy(), w.copy(), b, 0
    far, slopes = np.full(20, np.nan), np.zeros(20)
    for i in order:
        ridge = 1 / (C * weights[i])
        slope = y[i] * (X[i] @ v + c) - 1 + expected[i] * ridge
        new = max(0.0, expected[i] - slope / (squares[i] + lift + ridge))
        v, c = v + (new - expected[i]) * y[i] * X[i], c + lift * (new - expected[i]) * y[i]
        slopes[i] = abs(slope) if max(new, expected[i]) > 0 else 0  # 0, and stays so: as it should be
        moves, expected[i] = moves + (new != expected[i]), new
    b, changed = sweep(search.task, order.astype(np.uint64), squares, alpha, w, b, lift, far)
    assert alpha == pytest.approx(expected, abs=1e-12)
    assert w == pytest.approx(v, abs=1e-12)
    assert far == pytest.approx(slopes, abs=1e-12)
    assert b == pytest.approx(c, abs=1e-12)
    assert changed == moves
    assert 5 <= moves <= 20


@pytest.mark.parametrize("weights", [NO_WEIGHTS, np.arange(1, 41) / 8], ids=["", "weighted"])
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("make", [np.array, sp.csr_array])
def test_a_newton_step(intercept, make, weights):
    """Ridge regression on the rows that are short, and the lowest point along the step."""
    rng, C = np.random.default_rng(2), 3.0
    X, y = random_set(rng, 40, 5)
    costs = C * weights if len(weights) else np.full(40, C)
    short = rng.random(40) < 0.6
    squares, totals = np.zeros((X.shape[1] + 1, X.shape[1] + 1)), np.zeros(X.shape[1] + 1)
    for rows, sign in ((np.arange(40), 1.0), (np.flatnonzero(~short), -1.0)):  # all, less the others
        accumulate(make(X), y, rows, sign, squares, totals, weights)
    v = minimiser(squares, totals, C, intercept)
    A = np.hstack([X, np.ones((40, 1))])[short][:, : 5 + intercept] * np.sqrt(costs[short, None])
    penalty = np.eye(5 + intercept)[:5]
    expected = np.linalg.lstsq(
        np.vstack([A, penalty]), np.append(np.sqrt(costs[short]) * y[short], np.zeros(5)), rcond=None
    )[0]
    assert v == pytest.approx(expected, abs=1e-9)
    start = np.zeros(5 + intercept)

    def value(t):
        w = start + t * (v - start)
        return objective(X, y, w[:5], w[5] if intercept else 0.0, 1.0, costs)

    reach, moved = np.zeros(40), y * (X @ v[:5] + (v[5] if intercept else 0.0))
    t = line_search(reach, moved, start, v - start, C, intercept, weights)
    assert 0.0 < t <= 1.0
    assert value(t) <= min(value(s) for s in np.linspace(0.0, 1.0, 201)) + 1e-9
