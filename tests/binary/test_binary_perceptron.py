"""Binary-weight perceptrons: the library against the slow twin, invariances, the paper's numbers."""

from collections import Counter
from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from perceptrons import BinaryPerceptron
from tests.binary.learned import learned
from tests.jit import JIT
from tests.naive import binary as naive

pytestmark = pytest.mark.kernels

METHODS = ["influence", "clipped-hebb"]
SIZES = [1, 1, 2, 2, 3, 3, 5, 17, 40, 63, 64, 65, 66, 100, 127, 128, 129, 130]  # a word has 64 bits
SOME, FEW = (200, 30) if JIT else (30, 2)  # of about 1900, 400 models
ODD = 0.1234567  # an ε that no share of few rows meets exactly


def without_cuts(twin):
    return {name: value for name, value in twin.items() if name != "cuts"}


def random_column(rng, n_rows):
    """Two values of several kinds, three values, many, one."""
    ones = rng.rand(n_rows) < rng.choice([0.1, 0.3, 0.5, 0.9])
    kind = rng.randint(8)
    if kind < 4:
        low, high = [(-1, 1), (0, 1), (-2.75, 0.1), (0.3, 7)][kind]
        return np.where(ones, high, low)
    if kind == 4:
        return rng.randint(0, 3, n_rows)
    if kind == 5:
        return rng.choice([-1.5, 0, 2, 1e-9], n_rows)
    if kind == 6:
        return rng.normal(size=n_rows)
    return np.full(n_rows, rng.choice([-1, 0, 1, 2.5]))


def random_labels(rng, X):
    """A perceptron's, some of them wrong; now and then few or none of one class."""
    bits = np.where(X > np.median(X, axis=0), 1, -1)
    s = bits @ rng.choice([-1, 0, 1], X.shape[1]) + 0.5 * rng.rand(len(X))
    y = np.where(s > np.quantile(s, rng.choice([0.0, 0.1, 0.5, 0.5, 0.7, 0.97])), 1, -1)
    return np.where(rng.rand(len(X)) < rng.choice([0, 0.1]), -y, y)


def random_set(seed):
    rng = np.random.RandomState(seed)
    n_columns, n_rows = SIZES[seed % len(SIZES)], rng.randint(*[(3, 12), (20, 50)][rng.randint(2)])
    X = np.column_stack([random_column(rng, n_rows) for _ in range(n_columns)]).astype(float)
    if rng.rand() < 0.3:
        X = X[rng.randint(0, max(2, n_rows // 3), n_rows)]  # few different rows
    y = random_labels(rng, X)
    y[rng.randint(n_rows)] *= -1 if len(set(y)) == 1 else 1
    if rng.rand() < 0.4:
        X[:, 0] = (np.arange(n_rows) == 0) ^ (seed % 2)  # one value is rare
    elif rng.rand() < 0.6:
        for label in (-1, 1):
            X[y == label, -1] = np.arange(np.sum(y == label)) % 2  # says nothing of the class
    whole, eighths = rng.randint(0, 4, n_rows), rng.randint(0, 20, n_rows) / 8
    weights = [None, whole, eighths][rng.randint(3)]
    if weights is not None:
        weights[np.unique(y, return_index=True)[1]] = 1  # each class counts
    options = {
        "epsilon": [0.05, 0.9, 0.9, "auto"][rng.randint(4)],
        "binarize": ["auto", "auto", 0.5, 0][rng.randint(4)],
    }
    return X, y, weights, options


def test_the_twin_by_hand():
    """And, or: influences P(+|+) − P(+|−) = ½ twice; scores 2, 0, 0, −2."""
    X = [[1, 1], [1, -1], [-1, 1], [-1, -1]]
    both = naive.fit(X, [1, -1, -1, -1], epsilon=0.1)
    assert both == {
        "cuts": [-1, -1],
        "w": [1, 1],
        "influence": [1, 1],
        "neglected": [False] * 2,
        "threshold": 0,
    }
    assert naive.fit(X, [1, 1, 1, -1], "clipped-hebb", threshold="figure-1")["threshold"] == -2
    assert naive.fit(X, [-1, 1, 1, 1], epsilon=0.1, weights=[1, 1, 1, 0])["w"] == [-1, -1]
    assert naive.fit(X, [1, -1, -1, 1], "clipped-hebb")["w"] == [-1, -1]  # sgn(0) = −1
    assert naive.lower_median([3, 1, 2, 4], [1, 1, 1, 1]) == 2
    assert naive.lower_median([3, 1, 2, 4], [2, 1, 1, 1]) == 3
    hidden = [1, 1, -1]
    assert naive.sbpi_epoch(hidden, [[1, -1, 1]], [1], [0, 0], [0, 0], 0) == 1  # wrong, then right by 3
    assert hidden == [3, -1, 1]
    coins = [0, 1]  # right by 1: the coin decides
    assert naive.sbpi_epoch(hidden, [[1, 1, -1]], [-1], [0, 0], coins, 0) == 0
    assert hidden == [3, -3, 3]


def test_learns_what_the_slow_twin_learns():
    seen = Counter()
    for seed in range(len(SIZES) * (13 if JIT else 3)):
        X, y, weights, options = random_set(seed)
        for method, threshold in product(METHODS, ["auto", "min-error", "figure-1", seed % 5 - 2]):
            options |= {"method": method, "threshold": threshold}
            model = BinaryPerceptron(**options).fit(X, y, sample_weight=weights)
            twin = naive.fit(X, y, weights=weights, **options)
            assert learned(model) == without_cuts(twin), (seed, options)
            counted = X if weights is None else X[weights > 0]  # others may have values that no cut knows
            assert model.predict(counted).tolist() == naive.predict(counted, twin)
            seen.update(what_happened(twin, weights))
    assert min(seen[name] for name in ["both signs", "constant", "shifted", "weighted"]) > SOME, seen
    assert min(seen[name] for name in ["idle", "rare", "tie"]) > FEW, seen


def what_happened(twin, weights):
    w, still = twin["w"], [influence == 0 for influence in twin["influence"]]
    happened = {
        "both signs": {-1, 1} <= set(w),
        "idle": any(w) and any(not a and not left for a, left in zip(w, twin["neglected"], strict=True)),
        "constant": not any(w),
        "shifted": any(w) and twin["threshold"] != 0,
        "weighted": weights is not None,
        "rare": any(left and not zero for left, zero in zip(twin["neglected"], still, strict=True)),
        "tie": any(a and zero for a, zero in zip(w, still, strict=True)),
    }
    return [name for name, true in happened.items() if true]


def test_a_rare_value_is_neglected_on_either_side():
    """Step 5, ε/(4n) = 0.1 of twenty rows: two are too few, and three are not."""
    rows, y = np.arange(20), np.where(np.arange(20) < 5, 1, -1)
    for n_rare, flip in product([2, 3], [False, True]):
        X = np.column_stack([(rows < n_rare) ^ flip, rows % 2])
        model = BinaryPerceptron(epsilon=0.8).fit(X, y)
        assert learned(model) == without_cuts(naive.fit(X, y, epsilon=0.8))
        assert model.neglected_.tolist() == [n_rare == 2, False]
        assert model.coef_[0, 0] == (0 if n_rare == 2 else -1 if flip else 1)


LAYOUTS = {
    "int8": lambda X: X.astype(np.int8),
    "float32": lambda X: X.astype(np.float32),
    "float64": lambda X: X.astype(np.float64),
    "bool": lambda X: X.astype(bool),
    "columns first": lambda X: np.asfortranarray(X, dtype=float),
    "every other": lambda X: np.repeat(np.repeat(X, 2, axis=0), 2, axis=1)[::2, ::2],
    "csr": lambda X: sp.csr_matrix(X.astype(float)),
    "csr of bytes": lambda X: sp.csr_array(X.astype(np.int8)),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("method", METHODS)
def test_layouts_make_one_model(layout, method):
    for n in [1, 5, 63, 64, 65, 129]:
        rng = np.random.RandomState(n)
        X = (rng.rand(50, n) < 0.4).astype(int)
        y = np.where(X @ rng.choice([-1, 1], n) > rng.randint(-1, 2), "yes", "no")
        epsilon = "auto" if n < 60 else 0.1
        twin = naive.fit(X, np.where(y == "yes", 1, -1), method, epsilon, threshold="min-error")
        model = BinaryPerceptron(method=method, epsilon=epsilon, threshold="min-error")
        model.fit(LAYOUTS[layout](X), y)
        assert learned(model) == without_cuts(twin)
        assert any(twin["w"])
        assert model.cuts_.tolist() == [0.5] * n
        answers = [model.predict(LAYOUTS[other](X)).tolist() for other in LAYOUTS]
        assert answers == [["yes" if a > 0 else "no" for a in naive.predict(X, twin)]] * len(LAYOUTS)


@pytest.mark.parametrize("layout", ["float32", "columns first", "every other", "csr"])
def test_layouts_of_numbers_make_one_model(layout):
    rng = np.random.RandomState(7)
    X = rng.randint(-9, 9, (60, 70)) * (rng.rand(60, 70) < 0.5) / 8  # many zeros, which CSR does not store
    y = np.where(X[:, :9].sum(axis=1) > 0, 1, -1)
    weights = rng.randint(0, 3, 60)
    for epsilon in ("auto", 0.1):
        model = BinaryPerceptron(epsilon=epsilon).fit(LAYOUTS[layout](X), y, sample_weight=weights)
        plain = BinaryPerceptron(epsilon=epsilon).fit(X, y, sample_weight=weights)
        twin = without_cuts(naive.fit(X, y, epsilon=epsilon, weights=weights))
        assert learned(model) == learned(plain) == twin
        assert any(twin["w"])
        assert model.cuts_.tolist() == plain.cuts_.tolist()
        assert np.array_equal(model.decision_function(LAYOUTS[layout](X)), plain.decision_function(X))


def test_scores_are_integers_minus_the_threshold():
    X, y, *_ = random_set(63)
    model, twin = BinaryPerceptron(epsilon=0.1).fit(X, y), naive.fit(X, y, epsilon=0.1)
    s = naive.scores(naive.signs(X, twin["cuts"]), twin["w"])
    assert model.decision_function(X).tolist() == [one - twin["threshold"] for one in s]
    assert model.decision_function(X).dtype == np.float64
    assert model.intercept_.tolist() == [-twin["threshold"]] != [0]
    assert model.coef_.dtype == np.int8
    assert model.n_weights_ == sum(a != 0 for a in twin["w"]) > 20


@pytest.mark.parametrize("method", METHODS)
def test_a_weight_is_so_many_rows(method):
    n_told_apart = 0
    for seed in range(40):
        X, y, _, options = random_set(seed)
        rng = np.random.RandomState(seed)
        times = rng.randint(0, 4, len(y))
        times[[np.argmin(y), np.argmax(y)]] = 1  # both classes
        options |= {"method": method, "threshold": "min-error"}
        model = BinaryPerceptron(**options).fit(X, y, sample_weight=times)
        again = BinaryPerceptron(**options).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
        absent = BinaryPerceptron(**options).fit(X[times > 0], y[times > 0], sample_weight=times[times > 0])
        assert learned(model) == learned(again) == learned(absent)
        assert model.cuts_.tolist() == again.cuts_.tolist() == absent.cuts_.tolist()
        assert [np.sum(part) for part in model.counts_] == [np.sum(part) for part in again.counts_]
        n_told_apart += learned(model) != learned(BinaryPerceptron(**options).fit(X, y))
    assert n_told_apart > 20


def test_fractions_are_weights_too():
    """Any factor: only shares count."""
    for seed in range(20):
        X, y, _, options = random_set(seed)
        options["epsilon"] = 0.05 if options["epsilon"] == "auto" else options["epsilon"]
        weights = np.random.RandomState(seed).randint(1, 9, len(y))
        whole = BinaryPerceptron(**options).fit(X, y, sample_weight=weights)
        assert learned(BinaryPerceptron(**options).fit(X, y, sample_weight=weights / 16)) == learned(whole)
        options["binarize"] = 0.5  # rounded, half of the weight may lie on either side of a median
        whole = BinaryPerceptron(**options).fit(X, y, sample_weight=weights)
        tenths = BinaryPerceptron(**options).fit(X, y, sample_weight=weights / 10)
        assert tenths.influence_ == pytest.approx(whole.influence_, abs=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_a_constant_column_stays_constant_when_weights_are_rounded(method):
    """Sums of fractions depend on their order; a column that is always +1 weighs what all rows do."""
    for seed in range(20):
        rng = np.random.RandomState(seed)
        X, weights = rng.choice([-1.0, 1.0], (70, 5)), rng.rand(70)
        X[:, 1:3] = 1, -1
        y = np.where(X[:, 0] + X[:, 4] > 0, 1, -1)
        for rows in (X, X.astype(np.int8), sp.csr_matrix(X)):
            model = BinaryPerceptron(method=method, binarize=0).fit(rows, y, sample_weight=weights)
            assert model.neglected_.tolist() == [False, True, True, False, False]
            assert model.influence_[1:3].tolist() == [0, 0]
            assert model.coef_[0, 1:3].tolist() == [0, 0]
            parts = BinaryPerceptron(method=method, binarize=0)
            parts.partial_fit(rows[:30], y[:30], [-1, 1], weights[:30])
            parts.partial_fit(rows[30:], y[30:], None, weights[30:])
            assert parts.neglected_.tolist() == model.neglected_.tolist()


@pytest.mark.parametrize("low", [1 + 2**-52, -3e-320, 8e307, -1e308])
def test_neighbours_and_giants_are_told_apart(low):
    """A middle must lie below the higher value, whatever is rounded, and not be infinite."""
    high = np.nextafter(low, np.inf) if abs(low) < 8 else 1.7e308
    X = np.array([[low], [high], [high]])
    model = BinaryPerceptron(epsilon=0.1).fit(X, [0, 1, 1])
    assert low <= model.cuts_[0] < high
    assert model.predict(X).tolist() == [0, 1, 1]


signed_rows = st.integers(1, 7).flatmap(
    lambda n: st.lists(st.tuples(*[st.sampled_from([-1, 1])] * (n + 1)), min_size=3, max_size=31)
)


def with_both_values(rows):
    """±1 data with no constant column, so that every column is cut at 0, and an odd number of rows, so that
    no Hebb sum is 0."""
    rows = np.array(rows)
    rows = np.vstack([rows, np.ones_like(rows[:1]), -np.ones_like(rows[:1])])
    rows = rows if len(rows) % 2 else rows[1:]
    return rows[:, :-1], rows[:, -1]


@settings(deadline=None, derandomize=True)
@given(signed_rows, st.sampled_from(METHODS), st.sampled_from(["min-error", "figure-1"]), st.randoms())
def test_the_order_of_columns_and_rows_changes_nothing(rows, method, threshold, random):
    X, y = with_both_values(rows)
    columns, order = list(range(X.shape[1])), list(range(len(X)))
    random.shuffle(columns)
    random.shuffle(order)
    model = BinaryPerceptron(method=method, epsilon=0.1, threshold=threshold)
    before, after = learned(model.fit(X, y)), learned(model.fit(X[order][:, columns], y[order]))
    for name in ["w", "influence", "neglected"]:
        before[name] = [before[name][j] for j in columns]
    assert after == before


@settings(deadline=None, derandomize=True)
@given(signed_rows, st.sampled_from(METHODS), st.sampled_from(["min-error", "figure-1"]), st.data())
def test_a_flipped_column_flips_its_weight(rows, method, threshold, data):
    X, y = with_both_values(rows)
    flips = np.array([data.draw(st.sampled_from([-1, 1])) for _ in X[0]])
    model = BinaryPerceptron(method=method, threshold=threshold, epsilon=ODD)
    before, after = learned(model.fit(X, y)), learned(model.fit(X * flips, y))
    for name in ["w", "influence"]:
        before[name] = (np.array(before[name]) * flips).tolist()
    assert after == before


@settings(deadline=None, derandomize=True)
@given(signed_rows, st.sampled_from(METHODS))
def test_swapped_classes_turn_the_weights(rows, method):
    """r becomes −1−r; of several best thresholds each takes the least, which is the greatest of the other."""
    X, y = with_both_values(rows)
    model = BinaryPerceptron(method=method, threshold="min-error", epsilon=ODD)
    before, after = learned(model.fit(X, y)), learned(model.fit(X, -y))
    assert after["w"] == [-a for a in before["w"]]
    assert after["neglected"] == before["neglected"]
    assert after["influence"] == pytest.approx([-a for a in before["influence"]], abs=1e-12)
    if method == "clipped-hebb" or ODD / 4 < np.mean(y > 0) < 1 - ODD / 4:
        s = (X @ before["w"]).tolist()
        errors = {
            r: naive.training_error(s, y, [1] * len(y), r) for r in range(-X.shape[1] - 1, X.shape[1] + 1)
        }
        assert after["threshold"] == -1 - max(r for r in errors if errors[r] == min(errors.values()))
    else:
        assert after["threshold"] == -1 - before["threshold"]
