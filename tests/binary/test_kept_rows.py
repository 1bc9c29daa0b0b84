"""Binary-weight perceptrons that learn from parts: batches of a stream, and models merged."""

from copy import deepcopy
from itertools import permutations

import numpy as np
import pytest
import scipy.sparse as sp

from perceptrons import BinaryPerceptron
from perceptrons.binary import kept_rows
from tests.binary.learned import learned
from tests.jit import JIT
from tests.naive import binary as naive

pytestmark = pytest.mark.kernels

METHODS = ["influence", "clipped-hebb"]
THRESHOLDS = ["min-error", "figure-1", -2]


def all_learned(model):
    return {**learned(model), "cuts": model.cuts_.tolist()}


def random_rows(seed, n_rows=90):
    """0/1 or ±1, and rows whose weights are small integers."""
    rng = np.random.RandomState(seed)
    n = [1, 3, 20, 64, 65, 130][seed % 6]
    X = (rng.rand(n_rows, n) < rng.choice([0.2, 0.5, 0.8], n)).astype(np.int8)
    target = rng.choice([-1, 0, 1], n)
    s = (2 * X - 1) @ target
    y = np.where((s > np.median(s)) ^ (rng.rand(n_rows) < 0.1), 1, -1)
    y[:2] = -1, 1
    X[:2] = [0], [1]  # both values of every column, in the first batch too
    weights = rng.randint(0, 4, n_rows)
    weights[:2] = 1
    return (2 * X - 1 if seed % 2 else X), y, weights


def cut_up(rng, n_rows, least=2):
    """Slices of random lengths that cover all rows."""
    ends = np.unique(np.append(rng.randint(least, n_rows, rng.randint(1, 8)), n_rows))
    return [slice(start, end) for start, end in zip(np.append(0, ends[:-1]), ends, strict=True)]


def streamed(model, X, y, parts, weights=None):
    for part in parts:
        its_weights = None if weights is None else weights[part]
        model.partial_fit(X[part], y[part], classes=[-1, 1], sample_weight=its_weights)
    return model


@pytest.mark.parametrize("epsilon", ["auto", 0.1])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("threshold", THRESHOLDS)
def test_batches_make_the_model_of_all_rows(method, threshold, epsilon):
    n_shifted = 0
    for seed in range(30 if JIT else 6):
        X, y, weights = random_rows(seed)
        weights = weights if seed % 3 else None
        options = {"method": method, "threshold": threshold, "epsilon": epsilon}
        parts = cut_up(np.random.RandomState(seed), len(y))
        model = streamed(BinaryPerceptron(**options), X, y, parts, weights)
        whole = BinaryPerceptron(**options).fit(X, y, sample_weight=weights)
        assert all_learned(model) == all_learned(whole)
        twin = naive.fit(X, y, weights=weights, **options)
        assert all_learned(model) | {"cuts": None} == twin | {"cuts": None}
        assert model.predict(X).tolist() == whole.predict(X).tolist()
        n_shifted += any(twin["w"]) and twin["threshold"] != 0
    assert n_shifted > (12 if JIT else 2)


def test_every_batch_leaves_a_model_of_the_rows_so_far():
    X, y, _ = random_rows(4)
    model = BinaryPerceptron()
    for end in range(30, 91, 20):
        model.partial_fit(X[end - 20 if end > 30 else 0 : end], y[end - 20 if end > 30 else 0 : end], [-1, 1])
        assert all_learned(model) == all_learned(BinaryPerceptron().fit(X[:end], y[:end]))


@pytest.mark.parametrize("low", [0, -1])
def test_a_column_may_begin_with_one_value(low):
    """It is cut at half of it, and the other one, of 0/1 or ±1, is on the other side."""
    X, y, _ = random_rows(2)
    X = np.where(X > 0, 1, low)
    X[:20, :10], X[:20, 10:] = 1, low
    model, whole = (
        streamed(BinaryPerceptron(epsilon=0.1), X, y, [slice(0, 20), slice(20, 90)]),
        BinaryPerceptron(epsilon=0.1).fit(X, y),
    )
    assert all_learned(model) | {"cuts": None} == all_learned(whole) | {"cuts": None}
    assert model.predict(X).tolist() == whole.predict(X).tolist()
    assert model.cuts_.tolist() == [0.5] * 10 + [low / 2] * 10
    assert model.n_weights_ > 10


def test_a_given_cut_makes_numbers_of_any_batch_equal():
    rng = np.random.RandomState(2)
    X = rng.normal(size=(120, 9))
    y = np.where((X > 0.25).sum(axis=1) > 3, 1, -1)
    whole = BinaryPerceptron(binarize=0.25).fit(X, y)
    for start in (X, sp.csr_matrix(X), np.asfortranarray(X)):
        model = BinaryPerceptron(binarize=0.25)
        model.partial_fit(start[:1], y[:1], classes=[-1, 1]).partial_fit(start[1:77], y[1:77])
        assert all_learned(model.partial_fit(start[77:], y[77:])) == all_learned(whole)
    assert set(whole.coef_[0]) != {0}


def merged(models):
    first, *others = (deepcopy(model) for model in models)
    for other in others:
        first.merge(other)
    return first


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("threshold", THRESHOLDS)
def test_merged_models_are_the_model_of_all_rows(method, threshold):
    """In any order and grouping."""
    for seed in range(6 if JIT else 2):
        X, y, weights = random_rows(seed)
        options = {"method": method, "threshold": threshold, "binarize": 0}
        whole = BinaryPerceptron(**options).fit(X, y, sample_weight=weights)
        parts = [slice(0, 20), slice(20, 21), slice(21, 70), slice(70, 90)]
        models = [streamed(BinaryPerceptron(**options), X, y, [part], weights) for part in parts]
        for order in permutations(models):
            assert all_learned(merged(order)) == all_learned(whole)
        a, b, c, d = models
        assert all_learned(merged([merged([a, b]), merged([c, d])])) == all_learned(whole)
        assert all_learned(merged([a, merged([b, merged([c, d])])])) == all_learned(whole)
        assert [all_learned(model) for model in models].count(all_learned(whole)) < 4


def test_a_merged_model_goes_on_learning():
    X, y, _ = random_rows(3)
    a, b = (streamed(BinaryPerceptron(), X, y, [part]) for part in (slice(0, 30), slice(30, 60)))
    b_before = all_learned(b)
    a.merge(b)
    assert all_learned(b) == b_before
    assert all_learned(a.partial_fit(X[60:], y[60:])) == all_learned(BinaryPerceptron().fit(X, y))


def test_counts_of_parts_add_up():
    X, y, weights = random_rows(5)
    whole = BinaryPerceptron(binarize=0).fit(X, y, sample_weight=weights).counts_
    parts = [slice(0, 11), slice(11, 12), slice(12, 90)]
    first, second, third = (
        streamed(BinaryPerceptron(binarize=0), X, y, [part], weights).counts_ for part in parts
    )
    for total in (first + second + third, third + (first + second)):
        for name in ["rows", "positive", "ones", "positive_ones"]:
            assert np.array_equal(getattr(total, name), getattr(whole, name))
    bits = X > 0
    assert whole.rows == weights.sum()
    assert whole.positive == weights[y > 0].sum()
    assert whole.ones.tolist() == (weights @ bits).tolist()
    assert whole.positive_ones.tolist() == (weights[y > 0] @ bits[y > 0]).tolist()
    assert whole.ones.dtype == np.int64


@pytest.mark.parametrize("method", METHODS)
def test_counts_beyond_32_bits(method):
    """A row of weight 2³³ is not yet so many rows as int64 can count."""
    X, y, weights = random_rows(2)
    heavy = weights.astype(np.int64) * 2**33
    heavy[3] += 1  # one row more than a power of two shows
    options = {"method": method, "threshold": "min-error"}
    model = BinaryPerceptron(**options).fit(X, y, sample_weight=heavy)
    streaming = streamed(BinaryPerceptron(**options), X, y, [slice(0, 40), slice(40, 90)], heavy)
    twin = naive.fit(X, y, weights=heavy, **options)
    assert all_learned(model) == all_learned(streaming)
    assert all_learned(model) | {"cuts": None} == twin | {"cuts": None}
    for counts in (model.counts_, streaming.counts_):
        assert int(counts.rows) == sum(heavy.tolist()) > 2**39
        assert int(counts.rows) % 2**33 == 1
        assert counts.ones.tolist() == (heavy @ (X > 0)).tolist()


def test_fractional_weights_in_streams():
    """Eighths are exact; thirds are equal to the last digits."""
    X, y, weights = random_rows(2)
    parts = [slice(0, 50), slice(50, 90)]
    model = streamed(BinaryPerceptron(), X, y, parts, weights / 8)
    assert all_learned(model) == all_learned(BinaryPerceptron().fit(X, y, sample_weight=weights / 8))
    plain, whole = (BinaryPerceptron(epsilon=0.1).fit(X, y, sample_weight=weights / k) for k in (8, 1))
    assert all_learned(plain) == all_learned(whole)
    assert model.counts_.ones.tolist() == (weights / 8 @ (X > 0)).tolist()
    thirds = streamed(BinaryPerceptron(), X, y, parts, weights / 3)
    assert thirds.coef_.tolist() == model.coef_.tolist()
    assert thirds.influence_ == pytest.approx(model.influence_, abs=1e-12)
    whole_then_parts = BinaryPerceptron().partial_fit(
        X[:50], y[:50], classes=[-1, 1], sample_weight=weights[:50]
    )
    whole_then_parts.partial_fit(X[50:], y[50:], sample_weight=weights[50:] / 8)
    mixed = np.append(weights[:50], weights[50:] / 8)
    assert all_learned(whole_then_parts) == all_learned(BinaryPerceptron().fit(X, y, sample_weight=mixed))


def numbered(n_rows):
    """Rows that spell their own numbers in twelve bits."""
    return np.array([[i >> b & 1 for b in range(12)] for i in range(n_rows)], np.int8)


def kept_numbers(model):
    return model._reservoir.rows.cells.unpacked() @ 2 ** np.arange(12)


def test_a_full_reservoir_is_a_fair_sample(monkeypatch):
    """Each row as often as any other, the first batch no more than the last."""
    monkeypatch.setattr(kept_rows, "CAPACITY", 20)
    X, y = numbered(100), np.arange(100) % 3 // 2
    kept = np.zeros(100, int)
    n_streams = 300 if JIT else 60
    for seed in range(n_streams):
        model = BinaryPerceptron(binarize=0.5, random_state=seed)
        for part in (slice(0, 35), slice(35, 36), slice(36, 100)):
            model.partial_fit(X[part], y[part], classes=[0, 1])
        numbers = kept_numbers(model)
        assert len(set(numbers)) == 20
        assert model._reservoir.rows.positive.tolist() == y[numbers].astype(bool).tolist()
        kept[numbers] += 1
    expected = n_streams / 5
    chi_square = np.sum((kept - expected) ** 2) / (expected * 0.8)  # about 99 ± 14
    assert 99 - 56 < chi_square < 99 + 56
    for part in (slice(0, 35), slice(36, 100)):
        assert abs(kept[part].mean() - expected) < 0.1 * expected


def test_a_full_reservoir_depends_on_the_seed_and_not_on_the_batches(monkeypatch):
    monkeypatch.setattr(kept_rows, "CAPACITY", 50)
    X, y = numbered(700), np.random.RandomState(0).randint(0, 2, 700)
    models = []
    for seed in (1, 1, 1, 2):
        model = BinaryPerceptron(binarize=0.5, random_state=seed)
        parts = cut_up(np.random.RandomState(len(models)), 700) if models else [slice(0, 700)]
        for part in parts:
            model.partial_fit(X[part], y[part], classes=[0, 1])
        models.append(model)
    one, same, again, other = ([sorted(kept_numbers(model)), all_learned(model)] for model in models)
    assert one == same == again
    assert len(one[0]) == 50
    assert one[0] != other[0]
    assert one[1]["w"] == other[1]["w"]


def test_merged_reservoirs_keep_no_more_than_there_is_room_for(monkeypatch):
    """Streams of their own seeds, in any order and grouping."""
    monkeypatch.setattr(kept_rows, "CAPACITY", 50)
    X, y = numbered(700), np.random.RandomState(0).randint(0, 2, 700)
    parts = [slice(0, 30), slice(30, 400), slice(400, 700)]
    models = [
        BinaryPerceptron(binarize=0.5, random_state=seed).partial_fit(X[part], y[part], classes=[0, 1])
        for seed, part in enumerate(parts)
    ]
    whole = BinaryPerceptron(binarize=0.5).fit(X, y)
    a, b, c = models
    for some in (*permutations(models), [a, merged([b, c])], [merged([a, c]), b]):
        both = merged(some)
        numbers = kept_numbers(both)
        assert both.coef_.tolist() == whole.coef_.tolist()
        assert sorted(numbers) == sorted(kept_numbers(merged(models)))
        assert len(set(numbers)) == 50
        assert [np.sum((part.start <= numbers) & (numbers < part.stop)) > 0 for part in parts] == [True] * 3
        assert both.threshold_ == merged(models).threshold_


def test_the_threshold_of_a_sample_is_nearly_the_best(monkeypatch):
    monkeypatch.setattr(kept_rows, "CAPACITY", 300)
    rng = np.random.RandomState(3)
    X = rng.choice([-1, 1], (5000, 15))
    y = np.where(X.sum(axis=1) > 4, 1, -1) * np.where(rng.rand(5000) < 0.05, -1, 1)
    best = BinaryPerceptron(epsilon=0.1).fit(X, y)
    for seed in range(5):
        model = streamed(BinaryPerceptron(epsilon=0.1, random_state=seed), X, y, cut_up(rng, 5000, least=200))
        assert model.coef_.tolist() == best.coef_.tolist()
        assert model.influence_.tolist() == best.influence_.tolist()
        assert model.score(X, y) > best.score(X, y) - 0.03 > 0.9
        assert len(model._reservoir.keys) == 300


def test_classes_are_named_first():
    X, y, _ = random_rows(3)
    model = BinaryPerceptron()
    with pytest.raises(ValueError, match="classes"):
        BinaryPerceptron().partial_fit(X[:5], y[:5], classes=None)
    model.partial_fit(X[y > 0], y[y > 0], classes=[-1, 1])  # a batch of one class
    assert model.classes_.tolist() == [-1, 1]
    assert model.coef_.tolist() == [[0] * X.shape[1]]
    assert set(model.predict(X)) == {1}
    model.partial_fit(X[y < 0], y[y < 0])
    assert all_learned(model) == all_learned(BinaryPerceptron().fit(X, y))
    before = all_learned(model)
    with pytest.raises(ValueError, match="7"):
        model.partial_fit(X[:2], [1, 7])
    with pytest.raises(ValueError, match="classes"):
        model.partial_fit(X[:2], y[:2], classes=[-1, 2])
    with pytest.raises(ValueError, match="3"):
        BinaryPerceptron().partial_fit(X[:2], y[:2], classes=[-1, 1, 2])
    assert all_learned(model) == before


def test_models_that_do_not_fit_together_raise():
    X, y, _ = random_rows(2)
    model = streamed(BinaryPerceptron(), X, y, [slice(0, 90)])
    others = [
        streamed(BinaryPerceptron(binarize=0.25), X, y, [slice(0, 90)]),
        streamed(BinaryPerceptron(), X[:, :5], y, [slice(0, 90)]),
        BinaryPerceptron().partial_fit(X, y > 0, classes=[False, True]),
    ]
    before = all_learned(model)
    for other in others:
        with pytest.raises(ValueError):  # noqa: PT011  each says something else
            model.merge(other)
    assert all_learned(model) == before


@pytest.mark.parametrize(
    "options", [{}, {"threshold": "figure-1"}, {"method": "clipped-hebb"}, {"threshold": -2}]
)
def test_a_fitted_model_goes_on_learning(options):
    X, y, _ = random_rows(2)
    model = BinaryPerceptron(**options).fit(X[:50], y[:50]).partial_fit(X[50:], y[50:])
    assert all_learned(model) == all_learned(BinaryPerceptron(**options).fit(X, y))
    other = BinaryPerceptron(**options).fit(X[50:], y[50:])
    assert all_learned(BinaryPerceptron(**options).fit(X[:50], y[:50]).merge(other)) == all_learned(model)


def test_hidden_states_have_no_stream():
    assert not hasattr(BinaryPerceptron(method="sbpi"), "partial_fit")
    assert hasattr(BinaryPerceptron(), "partial_fit")
