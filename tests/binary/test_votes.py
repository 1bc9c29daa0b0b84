"""`epsilon="auto"`: idle columns have no vote, columns that say the same have one."""

from collections import Counter

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import fisher_exact

from perceptrons import BinaryPerceptron
from perceptrons.binary import kept_rows
from perceptrons.binary.counts import Counts
from perceptrons.binary.discoveries import discoveries, p_values
from tests.jit import JIT
from tests.naive import binary as naive
from tests.naive import binary_votes as twin

pytestmark = pytest.mark.kernels


def test_p_values_by_hand():
    """Seven of ten rows are positive, and so are all five in which the column is 1: Fisher's exact p is 0.17;
    and five rare rows, all of a rare class, for which a normal approximation says 2e-9."""
    exact = fisher_exact([[5, 0], [2, 3]])[1]
    p = p_values(Counts(10, 7, np.array([5, 10]), np.array([5, 7])), 1.0)
    assert p == pytest.approx([exact, 1.0], abs=0.03)
    rare = p_values(Counts(1000, 100, np.array([5]), np.array([5])), 1.0)[0]
    assert fisher_exact([[5, 0], [95, 900]])[1] / 3 < rare < 3e-5


def test_discoveries_by_hand():
    """0.05 i/(n + 1 − 0.95 i) with n = 4: 0.0123, 0.0323, 0.0698, 0.1667."""
    assert discoveries(np.array([0.16, 0.012, 0.06, 0.03])).tolist() == [True] * 4
    assert discoveries(np.array([0.16, 0.012, 0.07, 0.03])).tolist() == [False, True, False, True]
    assert not discoveries(np.array([0.013, 0.013, 0.013, 0.013])).any()
    assert not discoveries(np.array([])).any()


def random_votes(seed, n_rows=None):
    """Numbers behind several columns each, columns that are copies, opposites or idle."""
    rng = np.random.RandomState(seed)
    n_rows = n_rows or rng.randint(30, 150)
    hidden = rng.normal(size=(n_rows, 4))
    columns = [hidden[:, j] > cut for j in range(4) for cut in rng.normal(size=rng.randint(1, 5))]
    columns += [rng.rand(n_rows) < share for share in rng.rand(rng.randint(1, 12))]
    columns += [columns[rng.randint(len(columns))] ^ (k % 2) for k in range(4)]
    y = np.where(hidden[:, :3].sum(axis=1) + 0.5 * rng.normal(size=n_rows) > 0, 1, -1)
    y[:2] = -1, 1
    X = np.column_stack([columns[j] for j in rng.permutation(len(columns))]).astype(np.int8)
    weights = [None, rng.randint(1, 4, n_rows), rng.randint(1, 20, n_rows) / 8][seed % 3]
    return X, y, weights


def test_votes_are_those_of_the_slow_twin():
    seen = Counter()
    for seed in range(90 if JIT else 12):
        X, y, weights = random_votes(seed)
        slow = naive.fit(X, y, weights=weights)
        for rows in (X, sp.csr_array(X.astype(float))):
            model = BinaryPerceptron().fit(rows, y, sample_weight=weights)
            assert model.coef_[0].tolist() == slow["w"], seed
            assert model.threshold_ == slow["threshold"]
        beyond_noise = np.count_nonzero(np.abs(model.influence_) > 0.5)
        seen.update(votes=int(any(slow["w"])), silenced=int(beyond_noise > model.n_weights_))
    assert min(seen.values()) > (45 if JIT else 6), seen


def test_idle_columns_do_not_drown_the_others():
    """7 of 40 columns matter."""
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X = rng.choice([-1, 1], (1500, 40))
        y = X[:, :7].sum(axis=1) > 0
        model = BinaryPerceptron().fit(X[:500], y[:500])
        assert model.score(X[500:], y[500:]) >= 0.95
        assert BinaryPerceptron(epsilon=0.1).fit(X[:500], y[:500]).score(X[500:], y[500:]) < 0.75
        assert model.coef_[0, :7].tolist() == [1] * 7


@pytest.mark.parametrize("n_matter", [0, 7])
def test_idle_columns_have_no_vote_at_the_stated_rate(n_matter):
    """5 % of the discoveries; of 200 tables the mean is within three standard errors."""
    shares = []
    for seed in range(200 if JIT else 20):
        rng = np.random.default_rng(seed)
        X = rng.random((300, 40)) < rng.uniform(0.02, 0.5, 40)
        y = X[:, :n_matter].sum(axis=1) + rng.random(300) > (np.median(X[:, :n_matter].sum(axis=1)) + 0.6)
        votes = BinaryPerceptron().fit(X, y).coef_[0] != 0
        shares.append(votes[n_matter:].sum() / max(1, votes.sum()))
    assert np.mean(shares) < 0.05 + 3 * np.sqrt(0.05 * 0.95 / len(shares))


def test_where_all_columns_matter_all_vote():
    rng = np.random.default_rng(0)
    target, X = rng.choice([-1, 1], 60), rng.choice([-1, 1], (1500, 60))
    model = BinaryPerceptron().fit(X, X @ target > 0)
    assert (model.coef_[0] == target).all()


def test_columns_that_say_the_same_do_not_outvote_the_others():
    """Nine columns decide, and nine more repeat the first except for 3 % of the rows."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        Z = rng.choice([-1, 1], (4000, 9))
        y = Z.sum(axis=1) > 0
        X = np.column_stack([Z, Z[:, :1] * np.where(rng.random((4000, 9)) < 0.03, -1, 1)])
        model, all_vote = (BinaryPerceptron(epsilon=e).fit(X[:2000], y[:2000]) for e in ("auto", 0.1))
        assert model.score(X[2000:], y[2000:]) > all_vote.score(X[2000:], y[2000:]) + 0.09
        assert model.coef_[0, 1:9].tolist() == [1] * 8
        assert np.count_nonzero(model.coef_[0, 9:]) <= 3


@settings(deadline=None, derandomize=True, max_examples=40 if JIT else 5)
@given(st.integers(0, 10_000), st.data())
def test_copies_of_a_column_change_nothing(seed, data):
    """Nor do opposites; whichever comes first has the vote."""
    X, y, weights = random_votes(seed, 60)
    some = data.draw(st.lists(st.integers(0, X.shape[1] - 1), min_size=1, max_size=5))
    turned = data.draw(st.integers(0, 1))
    model, more = BinaryPerceptron(), BinaryPerceptron()
    model.fit(X, y, sample_weight=weights)
    more.fit(np.column_stack([X, X[:, some] ^ turned]), y, sample_weight=weights)
    assert more.coef_[0].tolist() == model.coef_[0].tolist() + [0] * len(some)
    assert more.predict(np.column_stack([X, X[:, some] ^ turned])).tolist() == model.predict(X).tolist()


@settings(deadline=None, derandomize=True, max_examples=40 if JIT else 5)
@given(st.integers(0, 10_000), st.data())
def test_turned_columns_and_classes_turn_the_votes(seed, data):
    X, y, weights = random_votes(seed, 60)
    flips = np.array(data.draw(st.lists(st.booleans(), min_size=X.shape[1], max_size=X.shape[1])))
    before = BinaryPerceptron().fit(X, y, sample_weight=weights).coef_[0]
    turned = BinaryPerceptron().fit(X ^ flips, y, sample_weight=weights).coef_[0]
    swapped = BinaryPerceptron().fit(X, -y, sample_weight=weights).coef_[0]
    assert turned.tolist() == np.where(flips, -before, before).tolist()
    assert swapped.tolist() == (-before).tolist()


def test_fractions_have_the_noise_of_fewer_rows():
    """Any factor gives the same votes; unequal weights fewer."""
    X, y, _ = random_votes(5, 120)
    rng = np.random.default_rng(0)
    alike = [BinaryPerceptron().fit(X, y, sample_weight=np.full(120, w)) for w in (0.5, 1e-200, 1.5e200, 1)]
    assert len({tuple(model.coef_[0]) for model in alike}) == 1
    assert alike[0].n_weights_ > 0
    unequal = rng.pareto(0.5, 120) + 0.01
    assert twin.rows_per_weight(unequal) * unequal.sum() < 20
    assert BinaryPerceptron().fit(X, y, sample_weight=unequal).n_weights_ < alike[0].n_weights_


def test_of_many_rows_a_sample_compares_columns(monkeypatch):
    monkeypatch.setattr(kept_rows, "CAPACITY", 1000)
    rng = np.random.default_rng(0)
    X = rng.choice([-1, 1], (5000, 20))
    y = X[:, :9].sum(axis=1) > 0
    model = BinaryPerceptron(random_state=0).fit(X, y)
    at_once = BinaryPerceptron(random_state=0).partial_fit(X, y, classes=[False, True])
    assert model.coef_[0].tolist() == at_once.coef_[0].tolist() == [1] * 9 + [0] * 11
    assert model.score(X, y) == 1.0
