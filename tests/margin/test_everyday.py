"""Rows as they come in daily life: noisy, sorted, on other scales, with outliers; in batches."""

import itertools
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from perceptrons import Perceptron, verify
from perceptrons.margin import epochs
from perceptrons.margin.margin_parameters import AIMED_EPOCHS
from perceptrons.rows.encode import as_rows
from perceptrons.rows.norms import level_for, measure
from perceptrons.rows.order import FEW
from perceptrons.rows.weights import NO_WEIGHTS
from perceptrons.synthetic import separable
from tests.margin.classic import classic
from tests.margin.test_perceptron import assert_same, twin
from tests.naive.margin import median_norm

pytestmark = pytest.mark.kernels
RNG = np.random.default_rng(0)
X = RNG.standard_normal((3000, 6))
Y = X[:, 0] + 0.5 * RNG.standard_normal(3000) > 0.5
TRAIN, TEST = slice(0, 1000), slice(1000, None)


def accuracy(model, X_train, y_train):
    return model.fit(X_train, y_train).score(X[TEST], Y[TEST])


# When it ends


@pytest.mark.parametrize("m", [50, 200, 1000])
def test_noisy_rows_end_by_proof_and_without_a_warning(m):
    """At the first end of an epoch that proves it, however many epochs compiled code makes at once."""
    for seed in range(5):
        model = Perceptron(random_state=seed).fit(X[:m], Y[:m])
        usual = np.hypot(median_norm(X[:m].tolist()), model.lift_)
        bounds = model.history_["margin_bound"]
        assert (model.stopped_, model.converged_) == ("min_margin", False)
        assert bounds[-1] < 0.01 * usual <= bounds[:-1].min()
        verify(model.certificate_, model, X[:m], Y[:m])


def test_the_other_ends():
    with pytest.warns(ConvergenceWarning, match="Stopped by max_epochs=30"):
        assert Perceptron(min_margin=0, max_epochs=30).fit(X[TRAIN], Y[TRAIN]).stopped_ == "max_epochs"
    with pytest.warns(ConvergenceWarning, match="Stopped by max_updates=5"):
        assert Perceptron(max_updates=5).fit(X[TRAIN], Y[TRAIN]).stopped_ == "max_updates"
    clear = X[TRAIN][abs(X[TRAIN, 0] - 0.5) > 0.3]
    model = Perceptron(order="worst", tol=0.5, max_epochs=10_000).fit(clear, clear[:, 0] > 0.5)
    assert (model.stopped_, model.converged_) == ("tol", True)
    assert model.certificate_.margin >= 0.5 * model.certificate_.margin_bound  # not those of an average
    several = Perceptron(random_state=0).fit(X[TRAIN], np.where(X[TRAIN, 1] > 1, 2, Y[TRAIN].astype(int)))
    assert set(several.stopped_) <= {"converged", "min_margin"}
    assert several.stopped_.shape == (3,)


def test_columns_of_very_different_scales_are_complained_of():
    uneven = X[TRAIN] * [1, 1, 1e4, 1, 1, 1]
    for rows in (uneven, sp.csr_array(uneven)):
        with pytest.warns(ConvergenceWarning, match="differ by a factor of more than 1,000: use StandardSc"):
            Perceptron(random_state=0).fit(rows, Y[TRAIN])


# What is returned


def test_auto_is_the_average_unless_it_would_give_up_what_was_reached():
    last, average, auto = (
        Perceptron(result=result, random_state=0).fit(X[TRAIN], Y[TRAIN])
        for result in ("last", "average", "auto")
    )
    assert (auto.coef_ == average.coef_).all()
    assert (auto.coef_ != last.coef_).any()
    rows, y, _ = separable(100, 3, margin=0.4, random_state=1)
    for margin, expected in [(0.0, "average"), (1.0, "last")]:  # where a margin is asked for, what reached it
        chosen, other = (
            Perceptron(margin=margin, result=result, random_state=0).fit(rows, y)
            for result in ("auto", expected)
        )
        assert chosen.converged_
        assert (chosen.coef_ == other.coef_).all()
        assert chosen.certificate_.n_errors == 0


def test_weights_that_separate_are_not_given_up():
    seen = set()
    for seed in range(60):
        rows, y, _ = separable(40, 5, margin=0.02, random_state=seed)
        auto, average = (
            Perceptron(result=result, random_state=0).fit(rows, y) for result in ("auto", "average")
        )
        assert auto.certificate_.n_errors == 0 or not auto.converged_
        seen.add((auto.converged_, average.certificate_.n_errors == 0))
    assert {(True, True), (True, False)} <= seen


def test_training_goes_on_with_the_average():
    whole = classic(result="auto", max_epochs=6, random_state=0)
    parts = classic(result="auto", max_epochs=3, random_state=0, warm_start=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        whole.fit(X[TRAIN], Y[TRAIN])
        parts.fit(X[TRAIN], Y[TRAIN]).fit(X[TRAIN], Y[TRAIN])
    assert parts.n_iter_ == whole.n_iter_ == 6
    assert np.allclose(parts.coef_, whole.coef_, rtol=1e-12)


# The everyday target


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array], ids=["array", "CSR"])
@pytest.mark.parametrize("result", ["auto", "average"])
def test_aims_as_the_slow_twin_aims(result, layout):
    """A target for 20 epochs, then none; short steps for long rows; nothing is given up in three epochs."""
    ends = set()
    for seed in range(10):
        rng = np.random.default_rng(seed)
        rows = rng.standard_normal((40 if seed % 2 else 90, 4))
        rows[3] *= 100
        y = np.where(rows @ [1, 2, -1, 0.5] + rng.normal(0, [0, 0.3, 2][seed % 3], len(rows)) > 0, 1, -1)
        model = Perceptron(
            result=result, eta=[1.0, 0.5][seed % 2], fit_intercept=seed % 4 > 0, random_state=seed,
            max_epochs=[60, 2, 20, 3, 30][seed % 5],
        )  # fmt: skip
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(layout(rows), y)
        assert_same(model, twin(model, rows, y), exact=False)
        verify(model.certificate_, model, layout(rows), y)
        ends.add((model.stopped_, model.n_iter_ > AIMED_EPOCHS))
    assert {stopped for stopped, _ in ends} == {"converged", "min_margin", "max_epochs"}
    assert {late for _, late in ends} == {True, False}


def test_one_epoch_at_a_time_is_the_same(monkeypatch):
    y = np.where(Y[:200], 1, -1)
    at_once = Perceptron(random_state=0).fit(X[:200], y)
    monkeypatch.setattr("perceptrons.margin.run.FEW", 0)  # as for many rows
    by_epoch = Perceptron(random_state=0).fit(X[:200], y)
    assert (by_epoch.coef_ == at_once.coef_).all()
    assert by_epoch.n_iter_ == at_once.n_iter_ >= 3


def test_a_row_much_longer_than_the_others_does_not_outshout_them():
    plain = accuracy(Perceptron(random_state=0), X[TRAIN], Y[TRAIN])
    outlier = X[TRAIN].copy()
    outlier[7] *= 1000
    wrong = Y[TRAIN].copy()
    wrong[7] = not wrong[7]
    for y_train in (Y[TRAIN], wrong):
        assert accuracy(Perceptron(random_state=0), outlier, y_train) >= plain - 0.02
    assert accuracy(Perceptron(margin=0.0, random_state=0), outlier, wrong) < plain - 0.02


def test_small_margins_are_separated_all_the_same():
    for seed in range(10):
        rows, y, _ = separable(200, 10, margin=0.001, random_state=seed)
        model = Perceptron(random_state=0).fit(rows, y)
        assert model.converged_
        assert (model.predict(rows) == y).all()


@pytest.mark.filterwarnings("ignore:No row violates")  # that the gap of tol is open
@pytest.mark.parametrize(
    "settings",
    [
        {"order": "cyclic"}, {"order": "worst"}, {"order": "active"}, {"result": "last"},
        {"result": "pocket"}, {"ties": "negative"}, {"step": "absolute"}, {"step": "fractional"},
        {"tol": 0.99}, {"eta": lambda t: 1.0},
    ],
    ids=lambda settings: next(iter(settings)),
)  # fmt: skip
def test_with_settings_of_the_papers_auto_stands_for_0(settings):
    rows, y, _ = separable(40, 3, margin=0.1, random_state=0)
    auto, zero = (
        Perceptron(**settings, margin=margin, random_state=0).fit(rows, y) for margin in ("auto", 0.0)
    )
    assert (auto.coef_ == zero.coef_).all()
    assert auto.n_updates_ == zero.n_updates_
    assert auto.certificate_.update_bound == zero.certificate_.update_bound


@pytest.mark.parametrize("power", [-30, 30])
def test_the_scale_of_the_rows_and_of_the_step_changes_nothing(power):
    usual = Perceptron(random_state=0).fit(X[TRAIN], Y[TRAIN])
    for scaled, rows in (
        (Perceptron(random_state=0), 2.0**power * X[TRAIN]),
        (Perceptron(random_state=0, eta=2.0**power), X[TRAIN]),
    ):
        scaled.fit(rows, Y[TRAIN])
        assert (scaled.coef_ == 2.0**power * usual.coef_).all()
        assert scaled.n_updates_ == usual.n_updates_


def test_batches_keep_the_target():
    """Rows of norm 2 lifted by 2: twice the square of √8 is 16, and every step is a whole one."""
    rng = np.random.default_rng(0)
    rows = rng.choice([-1.0, 1.0], (60, 4))
    y = rows @ [1, 1, -1, 2] + rng.normal(0, 1, 60) > 0
    auto, same = (Perceptron(margin=margin, random_state=0) for margin in ("auto", 16.0))
    for start in range(0, 60, 20):
        for model in (auto, same):
            model.partial_fit(rows[start : start + 20], y[start : start + 20], classes=[False, True])
    assert (auto.coef_ == same.coef_).all()
    assert auto.certificate_.update_bound is None


# Whatever happened to the rows


def test_sorted_rows_are_as_good_as_mixed_ones():
    order = np.argsort(Y[TRAIN], kind="stable")
    mixed = accuracy(Perceptron(random_state=0), X[TRAIN], Y[TRAIN])
    assert accuracy(Perceptron(random_state=0), X[TRAIN][order], Y[TRAIN][order]) >= mixed - 0.02


def test_the_hardest_rows_do_not_make_the_model():
    """Order "active" takes back what they did once no margin is left."""
    plain = accuracy(Perceptron(random_state=0), X[TRAIN], Y[TRAIN])
    assert accuracy(Perceptron(order="active"), X[TRAIN], Y[TRAIN]) >= plain - 0.02


def test_no_row_changes_the_scale_of_the_intercept():
    usual = Perceptron(random_state=0).fit(X[TRAIN], Y[TRAIN]).lift_
    outlier = X[TRAIN].copy()
    outlier[7] *= 1000
    assert Perceptron(random_state=0).fit(outlier, Y[TRAIN]).lift_ == usual == 2.0
    for power in (-40, 40):
        scaled = Perceptron(random_state=0).fit(2.0**power * X[TRAIN], Y[TRAIN])
        assert scaled.lift_ == 2.0**power * usual


rows = st.lists(
    st.tuples(*[st.one_of(st.just(0.0), st.floats(1e-100, 1e100), st.floats(-9.0, -0.1))] * 2),
    min_size=1,
    max_size=20,
)


@settings(deadline=None)
@given(rows, rows)
def test_norms_are_counted_by_parts_as_in_the_whole(first, second):
    first, second = (np.array(part) for part in (first, second))
    counts = norms_of(first) + norms_of(second, seen=len(first))
    both = np.vstack([first, second])
    assert counts.median() == norms_of(both).median() == median_norm(both.tolist())
    assert norms_of(first).median() == median_norm(first.tolist())


def norms_of(X, seen=0, weights=NO_WEIGHTS):
    return measure(as_rows(X), len(X), weights, seen, every=False).norms


def cells_of(norms, level):
    """What is counted from a level on: {(level, exponent): count}."""
    places = np.argwhere(norms.counts)
    return {(k, norms.first + j): norms.counts[k, j] for k, j in places.tolist() if k >= level}


@pytest.mark.parametrize("weighted", [False, True])
def test_of_many_rows_some_are_counted_the_same_in_batches_as_in_the_whole(weighted, jit):
    """Rows sorted by norm, and a period of two: the sample must not be fooled by either."""
    m = 100_000 if jit else 9_000
    X = np.sort(np.exp(np.random.default_rng(0).normal(0.0, 2.0, m)))[:, None]
    X[::2] *= 64.0
    weights = np.random.default_rng(1).integers(1, 4, m).astype(float) if weighted else NO_WEIGHTS
    whole = norms_of(X, weights=weights)
    ends = [0, 700, 9_000, m // 2, m] if jit else [0, 700, m]
    parts = [(X[a:b], weights[a:b], a) for a, b in itertools.pairwise(ends)]
    first, *others = (norms_of(part, seen, some) for part, some, seen in parts)
    total = sum(others, first)
    counted = whole.counts[level_for(m) :]
    assert cells_of(total, level_for(m)) == cells_of(whole, level_for(m))
    assert total.median() == whole.median()
    assert weighted or 1024 <= counted.sum() <= 2048
    exact = np.quantile(X[:, 0], 0.5, weights=weights if weighted else None, method="inverted_cdf")
    assert 0.5 <= whole.median() / exact <= 2.0


# Many rows, and batches


@pytest.mark.parametrize("streams", [False, True])
def test_groups_of_blocks_are_walked_as_the_twin_walks_them(streams, monkeypatch, jit):
    monkeypatch.setattr(epochs, "is_streamed", lambda n_bytes, n_rows: streams)
    rng = np.random.default_rng(1)
    whole = rng.integers(-3, 4, (FEW + 300, 3)).astype(float)
    y = np.where(whole @ [1, 2, -1] + rng.integers(-1, 2, len(whole)) > 0, 1, -1)
    model = classic(result="last", max_epochs=2, random_state=5, intercept_scaling="median")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for layout in (np.asarray, sp.csr_array):
            assert_same(model.fit(layout(whole), y), twin(model, whole, y), exact=True)


@pytest.mark.parametrize("result", ["last", "average", "auto"])
def test_a_lift_that_changes_from_batch_to_batch(result):
    """The slow way: corrections are counted, and weighed by the ρ of all rows seen so far."""
    rng = np.random.default_rng(2)
    model = Perceptron(order="cyclic", result=result)
    w, count, seen, sums, presented, lifts = np.zeros(3), 0, [], np.zeros(4), 0, []
    for size in (1, 16, 16, 4):
        batch = size * rng.integers(-3, 4, (30, 3)).astype(float)
        y = np.where(batch @ [1, -1, 2] + size * rng.integers(-1, 2, 30) > size, 1, -1)
        seen += batch.tolist()
        rho_squared = median_norm(seen) ** 2
        for x, label in zip(batch, y, strict=True):
            if label * (x @ w + rho_squared * count) <= 0:
                w, count = w + label * x, count + label
            sums, presented = sums + np.append(w, count), presented + 1
        model.partial_fit(batch, y, classes=[-1, 1])
        assert model.lift_ == np.sqrt(rho_squared)
        lifts.append(model.lift_)
        *coef, steps = [*w, count] if result == "last" else sums / presented
        assert model.coef_[0] == pytest.approx(np.array(coef), rel=1e-12)
        assert model.intercept_[0] == pytest.approx(rho_squared * steps, rel=1e-12)
        verify(model.certificate_, model, batch, y)
    assert lifts == [4.0, 4.0, 32.0, 16.0]
