"""Conjunctions of three literals and more: equal to trying all of them, and how far off where not all are."""

import re
import warnings
from itertools import combinations, islice, product

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from perceptrons import SparsePerceptron
from perceptrons.rows.encode import as_rows
from perceptrons.sparse import search
from perceptrons.sparse.boosting import boost
from perceptrons.sparse.conjunctions import arrange
from perceptrons.sparse.search import ConjunctionSearch, Scope
from tests.jit import JIT
from tests.naive import boosting as naive

pytestmark = pytest.mark.kernels

CHANCE = "ignore:No conjunction of at most"  # rows that were drawn may well be so


def random_case(rng, case):
    """Few rows, attributes of one to three literals, columns that repeat; classes that follow from three or
    four of the columns, with noise, or from nothing."""
    n_rows, sizes = int(rng.integers(4, 33)), rng.integers(1, 4, int(rng.integers(4, 7)))
    attributes = np.repeat(np.arange(len(sizes)), sizes)
    L = (rng.random((n_rows, len(attributes))) < rng.choice([0.5, 0.7])).astype(np.uint8)
    if case % 3 == 0:
        L[:, -1] = L[:, 0]
    if case % 2 == 0:
        L[:, -3:-1] = L[:, 1:3]  # of one attribute or of two
    firsts = np.cumsum(sizes) - sizes
    few, four = L[:, firsts[:3]], L[:, firsts[:4]]
    is_true = [rng.random(n_rows) < 0.5, few.sum(axis=1) % 2, few.all(axis=1), four.all(axis=1)][case % 4]
    y = np.where(is_true ^ (rng.random(n_rows) < 0.05), 1, -1).astype(np.int8)
    y[:2] = [1, -1]
    weights = rng.integers(0, 4, n_rows).astype(float) if case % 5 < 2 else np.ones(n_rows)
    weights[:2] = np.maximum(weights[:2], 1.0)
    return L, attributes, y, weights


def stages_of(rows, attributes, y, weights, scope, n_stages):
    """As the twin returns them: a stage without error is alone."""
    data = arrange(as_rows(rows), len(y), attributes)
    found = list(islice(boost(ConjunctionSearch(data, y, scope), weights), n_stages))
    return found[-1:] if found and found[-1].error == 0.0 else found


def as_lists(*arrays):
    return [array.tolist() for array in arrays]


def has_tie(L, y, weights, candidates, k, penalty):
    """In the first stage, between conjunctions that do not hold in the same rows."""
    D = (weights / weights.sum()).tolist()
    winners = naive.tied(naive.values(*as_lists(L, y), D, candidates, k, penalty))
    return len({tuple(L[:, list(c)].all(axis=1)) for c, _ in winners}) > 1


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_every_stage_is_that_of_the_slow_twin(k):
    rng, n_cases = np.random.default_rng(k), 120 if JIT else 30
    stages, longest, ties = 0, [], 0
    for case in range(n_cases):
        L, attributes, y, weights = random_case(rng, case)
        penalty, n_stages = bool(case % 7 < 2), 6
        expected = naive.boost(*as_lists(L, y, weights, attributes), k, n_stages, penalty)
        for rows in (L, sp.csr_array(L)):
            found = stages_of(rows, attributes, y, weights, Scope(k=k, penalty=penalty), n_stages)
            assert [one[:2] for one in found] == [one[:2] for one in expected]
            assert np.allclose([one[2:] for one in found], [one[2:] for one in expected], rtol=1e-7)
        stages += len(expected)
        longest.append(max((len(one[0]) for one in expected), default=0))
        ties += has_tie(L, y, weights, naive.conjunctions(attributes.tolist(), k), k, penalty)
    assert stages >= 3 * n_cases
    assert ties >= n_cases / 5
    for order in range(1, k + 1):
        assert sum(length >= order for length in longest) >= n_cases / (6 if order < 4 else 15)


@pytest.mark.parametrize("share", [-1.0, 1.0])
@pytest.mark.parametrize("k", [2, 3, 4])
def test_both_ways_to_pairs_lead_to_the_same(k, share, monkeypatch):
    """By products, and by branches, whatever is the faster."""
    rng, as_before = np.random.default_rng(20 + k), 0
    monkeypatch.setattr(search, "FEW", share)
    for case in range(40 if JIT else 10):
        L, attributes, y, weights = random_case(rng, case)
        found = stages_of(L, attributes, y, weights, Scope(k=k, penalty=False), 4)
        expected = naive.boost(*as_lists(L, y, weights, attributes), k, 4, penalty=False)
        assert [one[:2] for one in found] == [one[:2] for one in expected]
        as_before += len(found)
    assert as_before >= (100 if JIT else 25)


@pytest.mark.parametrize("share", [-1.0, 1.0])
def test_a_twin_that_cannot_be_joined_does_not_hide_a_conjunction(share, monkeypatch):
    """Literals 2 and 3 hold in the same rows, but 2 is of the attribute of 1: only 3 joins 0 and 1, though 0
    and 3 need not be looked at beside 0 and 2."""
    monkeypatch.setattr(search, "FEW", share)
    L = np.array([*product([0, 1], repeat=3)], np.uint8)[:, [0, 1, 2, 2]]
    y = np.where(L.all(axis=1), 1, -1).astype(np.int8)
    found = stages_of(L, np.array([0, 1, 1, 2]), y, np.ones(8), Scope(k=3, penalty=False), 3)
    assert found == [((0, 1, 3), 1, 0.0, 1.0)]


def test_ten_literals_are_not_too_many():
    """Of ten columns, all conjunctions: 1,024 with the constant; the classes need all ten."""
    rng, longest = np.random.default_rng(10), 0
    for case in range(3 if JIT else 1):
        L = (rng.random((24, 10)) < 0.8).astype(np.uint8)
        L[:4] = 1
        y = np.where(L.all(axis=1), 1, -1).astype(np.int8)
        y[4 + case] = 1
        found = stages_of(L, np.arange(10), y, np.ones(24), Scope(k=10, penalty=False), 3)
        expected = naive.boost(*as_lists(L, y, np.ones(24), np.arange(10)), 10, 3, penalty=False)
        assert [one[:2] for one in found] == [one[:2] for one in expected]
        longest = max(longest, *(len(one.literals) for one in found))
    assert longest >= 4


@given(seed=st.integers(0, 2**32 - 1), k=st.integers(3, 4), penalty=st.booleans())
@settings(deadline=None, derandomize=True, max_examples=60 if JIT else 10)
def test_swapped_classes_swap_signs_and_rows_may_come_in_any_order(seed, k, penalty):
    rng = np.random.default_rng(seed)
    L, attributes, y, weights = random_case(rng, seed % 12)
    order, scope = rng.permutation(len(L)), Scope(k=k, penalty=penalty)
    found = stages_of(L, attributes, y, weights, scope, 5)
    swapped = stages_of(L, attributes, -y, weights, scope, 5)
    shuffled = stages_of(L[order], attributes, y[order], weights[order], scope, 5)
    assert [(one.literals, -one.sign) for one in swapped] == [one[:2] for one in found]
    assert [one[:2] for one in shuffled] == [one[:2] for one in found]


def replayed(held, y, stages):
    """The normalised weights before each stage, and after the last."""
    D = np.full(len(y), 1 / len(y))
    for literals, sign, error, _ in stages:
        yield D
        right = (y == sign) == held[literals]
        D = np.where(right, D * error / (1 - error), D)
        D = D / (D.sum() or 1.0)
    yield D


def shortfalls(model, X, y):
    """By how much each stage's value is below the highest; and the highest after a run that ended early."""
    L, y = np.asarray(model.encoder_.transform(X)), np.where(y, 1, -1)
    candidates = naive.conjunctions(model.encoder_.attributes_.tolist(), model.k)
    held = {c: L[:, list(c)].all(axis=1) for c in candidates}
    H = np.where(np.array([*held.values()]), 1.0, -1.0)
    shares = np.array([1 / model.k if model.penalty and len(c) > 1 else 1.0 for c in candidates])
    gaps = []
    for t, D in enumerate(replayed(held, y, model.history_)):
        found = np.abs(H @ (D * y)) * shares
        if t < len(model.history_):
            gaps.append(found.max() - found[candidates.index(model.history_[t].literals)])
        elif t < model.stages and (not t or model.history_[-1].error > 0.0):
            gaps.append(found.max())
    return gaps


def parity(rng, n_columns, odd):
    """Boolean columns, and whether an odd number of the last holds, with noise."""
    X = rng.integers(0, 2, (60, n_columns)).astype(bool)
    return X, (X[:, -odd:].sum(axis=1) % 2 == 1) ^ (rng.random(60) < 0.1)


@pytest.mark.filterwarnings(CHANCE)
@pytest.mark.parametrize("penalty", [False, True])
def test_what_a_search_that_was_cut_may_have_missed_is_a_bound(penalty):
    """Fewer literals lead nowhere, so a search that is cut finds less. It warns if it may have."""
    rng, n_sets, cut, worse = np.random.default_rng(5), 20 if JIT else 8, 0, 0
    for case in range(n_sets):
        X, y = parity(rng, 9, 4)
        model = SparsePerceptron(
            refit="stagewise", k=4, stages=4, penalty=penalty, max_visits=(1, 10, 100, 1000)[case % 4]
        )
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            model.fit(X, y)
        gaps = shortfalls(model, X, y)
        assert max(gaps) <= model.missed_ + 1e-9
        words = f"stopped at max_visits={model.max_visits} .* up to {model.missed_:.3g} higher"
        assert any(re.search(words, str(one.message)) for one in told) == (model.missed_ > 0.0)
        cut, worse = cut + (model.missed_ > 0.0), worse + (max(gaps) > 1e-6)
    assert cut >= n_sets / 4
    assert penalty or worse >= n_sets / 4  # with the penalty single literals win, and they are never missed


def test_enough_visits_are_exact_and_say_nothing():
    rng = np.random.default_rng(6)
    for k in (1, 2, 3):
        X, y = parity(rng, 5, 3)
        exact = SparsePerceptron(refit="stagewise", k=k, stages=4, penalty=False).fit(X, y)
        enough = SparsePerceptron(refit="stagewise", k=k, stages=4, penalty=False, max_visits=100_000).fit(
            X, y
        )
        assert enough.missed_ == exact.missed_ == 0.0
        assert enough.history_ == exact.history_
        assert max(shortfalls(exact, X, y)) <= 1e-9


def first_value(L, attributes, y, weights, scope):
    """What the first stage's |correlation| counts."""
    data = arrange(as_rows(L), len(y), attributes)
    stage = next(boost(ConjunctionSearch(data, y, scope), weights), None)
    if stage is None:
        return 0.0
    return (1 - 2 * stage.error) / (scope.k if scope.penalty and len(stage.literals) > 1 else 1)


def test_a_beam_is_never_better_and_seldom_worse():
    rng, n_sets, same, higher = np.random.default_rng(8), 100 if JIT else 30, 0, 0
    for case in range(n_sets):
        L, attributes, y, weights = random_case(rng, case)
        beam, k = 2 + case % 3, 3 + case % 2
        exact, narrow = (
            first_value(L, attributes, y, weights, Scope(k=k, penalty=False, beam=width))
            for width in (None, beam)
        )
        pairs = first_value(L, attributes, y, weights, Scope(k=2, penalty=False))
        assert pairs - 1e-9 <= narrow <= exact + 1e-9
        same, higher = same + (narrow >= exact - 1e-9), higher + (exact > pairs + 1e-9)
    assert n_sets * 0.7 <= same
    assert higher >= n_sets / 4  # or no beam could be worse


def parity_rows():
    """All values of three columns, twenty times, after three columns of noise that say a little."""
    noise = np.random.default_rng(9).integers(0, 2, (160, 3))
    L = np.hstack([noise, np.repeat([*product([0, 1], repeat=3)], 20, axis=0)]).astype(np.uint8)
    return L, np.where(L[:, 3:].sum(axis=1) % 2, 1, -1).astype(np.int8)


def test_a_beam_overlooks_what_no_pair_hints_at():
    """No pair of a parity's columns says anything, so that none of them is extended."""
    L, y = parity_rows()
    arguments = L, np.arange(6), y, np.ones(160)
    assert stages_of(*arguments, Scope(k=3, penalty=False), 1)[0][:2] == ((3, 4, 5), 1)
    exact, narrow = (first_value(*arguments, Scope(k=3, penalty=False, beam=width)) for width in (None, 1))
    assert exact == pytest.approx(0.25)
    assert narrow < 0.2


def exception(a, b, c, d):
    """d, but the other way round where c holds and a differs from b."""
    return bool(d) ^ bool(c and a != b)


def perceptron_exists(X, y, k):
    """Do weights for the conjunctions of at most k columns exist that are right on all rows?"""
    terms = [c for n in range(k + 1) for c in combinations(range(X.shape[1]), n)]
    columns = np.array([X[:, list(c)].all(axis=1) for c in terms]).T * np.where(y, 1.0, -1.0)[:, None]
    answer = linprog(np.zeros(len(terms)), A_ub=-columns, b_ub=-np.ones(len(X)), bounds=(None, None))
    return answer.status == 0


@pytest.mark.filterwarnings(CHANCE)
@pytest.mark.parametrize("rule", [lambda a, b, c: (a + b + c) % 2, exception])
def test_what_no_model_of_pairs_can_learn_triples_do(rule):
    """Parity of three columns, and a rule with an exception; noise beside them. Columns of noise differ
    between rows that are else the same, so that pairs with them cannot help on all rows."""
    n = rule.__code__.co_argcount
    cells = np.array([*product([0, 1], repeat=n)], bool)
    y = np.array([bool(rule(*map(int, row))) for row in cells])
    assert not perceptron_exists(cells, y, 2)
    assert perceptron_exists(cells, y, 3)
    rows = np.repeat(np.arange(len(cells)), 4)  # with all values of two more columns
    X = np.hstack([np.tile([*product([False, True], repeat=2)], (len(cells), 1)), cells[rows]])
    pairs = SparsePerceptron(refit="stagewise", k=2, stages=150 if JIT else 20, penalty=False).fit(X, y[rows])
    assert pairs.score(X, y[rows]) < 1.0
    for penalty in (False, True):
        triples = SparsePerceptron(refit="stagewise", k=3, stages=80, penalty=penalty).fit(X, y[rows])
        assert triples.score(X, y[rows]) == 1.0
        assert max(len(rule.literals) for rule in triples.conjunctions_) == 3


def test_a_rule_of_three_literals_is_the_model():
    """Among columns of noise. Pairs say it too, but only with more rules."""
    rng = np.random.default_rng(12)
    X = rng.integers(0, 2, (200, 8)) * 1.0
    y = (X[:, 1] > 0) & (X[:, 4] > 0) & (X[:, 6] > 0)
    model = SparsePerceptron(refit="stagewise", k=3, stages=20, penalty=False).fit(X, y)
    assert [str(rule) for rule in model.conjunctions_] == ["x1 > 0 and x4 > 0 and x6 > 0"]
    assert model.score(X, y) == 1.0
    assert SparsePerceptron(refit="stagewise", k=2, stages=1, penalty=False).fit(X, y).score(X, y) < 1.0


@pytest.mark.parametrize(
    "parameters",
    [
        *({"k": k} for k in (0, 11, 2.5, True, "3", None, -1)),
        *({"k": 3, "beam": beam} for beam in (0, True, 1.5, -1, "wide")),
        *({"k": 3, "max_visits": visits} for visits in (0, True, 1.5, -1, "all")),
    ],
)
def test_wrong_parameters(parameters):
    """The value is named, and what to use instead."""
    name, value = list(parameters.items())[-1]
    with pytest.raises(ValueError, match=rf"{name}={value!r}, but .*use"):
        SparsePerceptron(refit="stagewise", stages=2, **parameters).fit([[0, 1], [1, 0], [1, 1]], [0, 1, 1])


@pytest.mark.slow
@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array])
def test_what_float32_cannot_tell_apart_is_told_apart(layout, monkeypatch):
    """Thirty triples (0, 1, l), each with one row more than common ones, of nearly the same weight: they
    differ by more than a tie, and by less than sums in float32 can show."""
    monkeypatch.setattr(search, "FEW", 1.0)  # no seeds: the search itself must find it
    rng, n = np.random.default_rng(0), 30
    own = slice(40, 40 + n)  # rows of one triple each
    for _ in range(10 if JIT else 3):
        L = rng.integers(0, 2, (40 + n + 60, 2 + n)).astype(np.uint8)
        L[: own.stop, :2] = L[:20, 2:] = 1
        L[20 : own.stop, 2:] = 0  # up to 40, rows that say that 0 and 1 are not enough
        L[own, 2:] = np.eye(n)
        L[own.stop :, 0] &= 1 - L[own.stop :, 1]  # of the rest none has both
        y = np.where(L[:, :2].all(axis=1) & L[:, 2:].any(axis=1), 1, -1).astype(np.int8)
        weights = rng.random(len(L))
        weights[own] = 0.02 + 2e-7 * rng.permutation(n)
        D = weights / weights.sum()
        attributes = np.arange(2 + n)
        found = ConjunctionSearch(arrange(as_rows(layout(L)), len(L), attributes), y, Scope(3, False)).best(D)
        candidates = naive.conjunctions(attributes.tolist(), 3)
        expected = naive.weak(*as_lists(L, y), D.tolist(), candidates, 3, False)
        assert found.literals == expected[0]
        assert len(found.literals) == 3


def test_seeds_and_beams_keep_to_the_limit():
    """But for what was begun: one more conjunction with all literals."""
    L, y = np.random.default_rng(1).integers(0, 2, (2, 80, 70)).astype(np.uint8)
    signs = np.where(y[:, 0], 1, -1).astype(np.int8)
    data = arrange(L, 80, np.arange(70))
    for limit, most in ((10, 70), (None, 20 * 70)):
        one = ConjunctionSearch(data, signs, Scope(3, False, 20, limit))
        one.best(np.full(80, 1 / 80))
        assert one.reports[0].visits[1] == most
