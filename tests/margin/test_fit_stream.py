"""`Perceptron.fit_stream` beside `fit`: however rows are cut into batches, the model is the same."""

import os
import time
import warnings
from collections import Counter

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from perceptrons import Perceptron, load, save, verify
from perceptrons.margin import epochs
from perceptrons.rows.order import Order, shuffled
from perceptrons.stream_sources import ArraySource
from tests.kills import fit_with_kills
from tests.sizes import cases

EXACT = ("coef_", "intercept_", "support_", "dual_coef_", "n_updates_", "n_presentations_", "n_iter_")
EXACT += ("stopped_", "converged_", "n_rows_", "lift_", "classes_")
SEEN = Counter()


@st.composite
def problems(draw):
    """Rows of whole numbers, labels, weights, where they are cut, and parameters."""
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    n_rows, n = draw(st.integers(4, 120)), draw(st.integers(1, 5))
    X = rng.integers(-4, 5, (n_rows, n)).astype(draw(st.sampled_from([np.float64, np.float32])))
    n_classes = draw(st.sampled_from([2, 2, 3]))
    scores = X @ rng.integers(-3, 4, (n, n_classes)) + rng.integers(-2, 3, n_classes)
    y = scores.argmax(axis=1)
    y[:n_classes] = np.arange(n_classes)
    noise = rng.random(n_rows) < draw(st.sampled_from([0.0, 0.0, 0.2]))
    y[noise] = rng.integers(0, n_classes, noise.sum())
    y[:n_classes] = np.arange(n_classes)
    weights = None
    if draw(st.booleans()):
        weights = rng.integers(0, 4, n_rows).astype(float)
        weights[:n_classes] = 1.0
    parameters = {
        "order": "cyclic",
        "result": draw(st.sampled_from(["auto", "last", "average", "pocket"])),
        "margin": draw(st.sampled_from(["auto", 0.0, 2.0, (1.0, 3.0), "adaptive", "growing"])),
        "step": draw(st.sampled_from(["fixed", "fixed", "absolute"])),
        "max_epochs": draw(st.integers(1, 12)),
        "max_updates": draw(st.sampled_from([None, None, 7, 60])),
        "min_margin": draw(st.sampled_from([0.0, 0.01, 0.3])),
        "tol": draw(st.sampled_from([None, None, 0.4])),
        "fit_intercept": draw(st.booleans()),
        "intercept_scaling": draw(st.sampled_from(["median", "radius", 2.0])),
        "ties": draw(st.sampled_from(["wrong", "negative"])),
        "class_weight": draw(st.sampled_from([None, None, "balanced", {0: 2.0}, {1: 0.5}])),
        "eta": draw(st.sampled_from([1.0, 1.0, 0.5])),
        "random_state": 0,
    }
    cuts = draw(st.lists(st.integers(0, n_rows), max_size=6).map(sorted))
    return X, y, weights, cuts, parameters, draw(st.sampled_from(["list", "function", "sparse"]))


def batches_of(X, y, weights, cuts):
    parts = [np.split(X, cuts), np.split(y, cuts)]
    return list(zip(*parts, *([] if weights is None else [np.split(weights, cuts)]), strict=True))


def assert_same(one, other):
    for name in EXACT:
        assert np.array_equal(getattr(one, name), getattr(other, name)), name
    for mine, its in zip(as_list(one.history_), as_list(other.history_), strict=True):
        for name in mine:
            assert np.array_equal(mine[name], its[name], equal_nan=True), name


def as_list(one):
    return one if isinstance(one, list) else [one]


def fitted(fit, *args, **how):
    """The model and what it warned of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        return fit(*args, **how), [str(one.message) for one in caught]


@pytest.mark.kernels
@pytest.mark.thorough
@settings(max_examples=cases(600), deadline=None, suppress_health_check=list(HealthCheck))
@given(problems())
def test_a_stream_gives_the_model_of_a_fit_in_memory(problem):
    X, y, weights, cuts, parameters, kind = problem
    if kind == "sparse":
        X = sp.csr_array(X)
    parts = [slice(start, stop) for start, stop in zip([0, *cuts], [*cuts, len(y)], strict=True)]
    given_weights = [() if weights is None else (weights[part],) for part in parts]
    batches = [(X[part], y[part], *more) for part, more in zip(parts, given_weights, strict=True)]
    source = batches if kind == "list" else lambda: iter(batches)
    in_memory, said = fitted(Perceptron(**parameters).fit, X, y, sample_weight=weights)
    streamed, said_too = fitted(Perceptron(**parameters).fit_stream, source)
    assert_same(streamed, in_memory)
    assert streamed.certificate_ == in_memory.certificate_
    assert said == said_too
    light, _ = fitted(Perceptron(**parameters).fit_stream, source, certificate=False)
    assert np.array_equal(light.coef_, in_memory.coef_)
    assert light.stopped_ == in_memory.stopped_ if len(in_memory.classes_) == 2 else True
    SEEN[str(in_memory.stopped_) if len(in_memory.classes_) == 2 else "classes"] += 1
    SEEN["corrected"] += bool(np.sum(in_memory.n_updates_))


def test_the_random_cases_told_something():
    assert SEEN["corrected"] >= 0.8 * (SEEN.total() - SEEN["corrected"])
    assert not SEEN or {"max_epochs", "classes"} <= SEEN.keys()
    assert SEEN.total() < 200 or {"converged", "min_margin", "max_updates", "tol"} <= SEEN.keys()


def sorted_rows(n_rows, n=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.integers(-9, 10, (n_rows, n)).astype(float)
    y = (X[:, 0] + X[:, 1] + rng.integers(-3, 4, n_rows) > 0).astype(int)
    order = np.argsort(y, kind="stable")
    return X[order], y[order]


@pytest.mark.parametrize("seekable", [True, False])
@pytest.mark.parametrize("result", ["auto", "pocket"])
def test_shuffled_epochs_are_those_in_memory_of_the_same_order(monkeypatch, seekable, result):
    X, y = sorted_rows(6000)
    source = ArraySource(X, y, batch_rows=700)
    given_source = source if seekable else lambda: source.read()
    how = {
        "max_epochs": 4,
        "result": result,
        "random_state": 5,
        "margin": 2.0 if result == "pocket" else "auto",
    }

    def streamed_order(n_rows, rng):
        numbers = [*range(9)]
        numbers = rng.permutation(numbers).tolist() if seekable else numbers
        rows = []
        for pair in (numbers[k : k + 2] for k in range(0, 9, 2)):
            own = np.concatenate([np.arange(k * 700, min((k + 1) * 700, n_rows)) for k in pair])
            rows.append(own[shuffled(len(own), rng).rows])
        return Order(np.concatenate(rows).astype(np.uint32), np.zeros(0, np.uint32))

    streamed, _ = fitted(Perceptron(**how).fit_stream, given_source)
    monkeypatch.setattr(epochs, "shuffled", streamed_order)
    in_memory, _ = fitted(Perceptron(**how).fit, X, y)
    assert_same(streamed, in_memory)
    assert streamed.certificate_.margin_bound == in_memory.certificate_.margin_bound
    assert not streamed.certificate_.reproducible


def test_what_a_stream_certifies_verifies_and_goes_on(tmp_path):
    X, y = sorted_rows(500)
    model, _ = fitted(Perceptron(max_epochs=3, random_state=0).fit_stream, (X, y), batch_rows=64)
    verify(model.certificate_, model, X, y)
    save(model, tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    assert (again.predict(X) == model.predict(X)).all()
    model.partial_fit(X[:20], y[:20])
    assert len(model.history_["updates"]) == 4


def test_without_certificate_nothing_is_kept_for_each_row(tmp_path):
    X, y = sorted_rows(500)
    model = Perceptron(max_epochs=3, random_state=0)
    fitted(model.fit, X, y)
    fitted(model.fit_stream, (X, y), batch_rows=64, certificate=False)
    assert not {"certificate_", "support_", "dual_coef_", "_memories"} & vars(model).keys()
    save(model, tmp_path / "model.json", certificate=False)
    assert (load(tmp_path / "model.json").predict(X) == model.predict(X)).all()
    with pytest.raises(ValueError, match="saved or streamed without its certificate"):
        model.partial_fit(X, y)


def test_threads_and_steps_by_a_function_change_nothing():
    X, y = sorted_rows(3000)
    y[:100] = 2
    how = {"order": "cyclic", "max_epochs": 3, "eta": lambda t: 1.0 / (1 + t // 100)}
    one, _ = fitted(Perceptron(**how).fit, X, y)
    two, _ = fitted(Perceptron(**how, n_jobs=2).fit_stream, (X, y), batch_rows=1000)
    assert_same(one, two)


def test_zero_rows_without_intercept_are_counted_over_all_batches():
    X, y = np.array([[0.0], [1.0], [0.0], [2.0]]), [0, 1, 1, 0]
    how = {"order": "cyclic", "fit_intercept": False, "max_epochs": 2}
    _, said = fitted(Perceptron(**how).fit, X, y)
    _, said_too = fitted(Perceptron(**how).fit_stream, [(X[:1], y[:1]), (X[1:], y[1:])])
    assert said == said_too
    assert said[0].startswith("2 rows are all zeros")


# --- bad input ---

GOOD = (np.array([[0.0], [1.0]]), [0, 1])


@pytest.mark.parametrize(
    ("batches", "sentence"),
    [
        ([], "The source is empty: it gave no rows"),
        ([GOOD, (np.zeros((2, 2)), [0, 1])], "batch 2: X has 2 features, but Perceptron is expecting 1"),
        (
            [GOOD, (np.zeros((2, 1), np.float32), [0, 1])],
            "batch 2: X is dense and of float32, but the batches",
        ),
        ([GOOD, (sp.csr_array((2, 1)), [0, 1])], "batch 2: X is sparse and of float64"),
        ([GOOD, (GOOD[0], ["a", "b"])], "batch 2: y holds 'a', but the batches before hold labels like 0"),
        ([GOOD, (np.array([[np.nan]]), [0])], "batch 2: Input X contains NaN"),
        ([GOOD, (np.array([[1e300]]), [0])], "batch 2: The squared norms of the rows overflow"),
        ([GOOD, (*GOOD, [1, 1])], "batch 2: There are weights, unlike in the batches before"),
        ([(*GOOD, [0, 0])], "All rows of the class 0 have weight 0"),
        ([(GOOD[0], [1, 1])], "y holds one class only: 1"),
        ([GOOD, "ab"], "batch 2 is a str, but it must be a pair"),
        ([GOOD, (GOOD[0], [0.5, 0.25])], "batch 2: Unknown label type: continuous"),
    ],
)
def test_a_bad_batch_is_named_and_the_model_stays_as_it_was(batches, sentence):
    model = Perceptron(order="cyclic").fit(*GOOD)
    before = vars(model).copy()
    with np.errstate(all="ignore"), pytest.raises(ValueError, match=sentence):
        model.fit_stream(batches)
    assert vars(model) == before


def test_labels_that_classes_do_not_name_are_refused():
    with pytest.raises(ValueError, match=r"batch 2: y holds 7, which is not one of the classes \[0, 1\]"):
        Perceptron().fit_stream([GOOD, (GOOD[0], [0, 7])], classes=[0, 1])


def test_an_iterator_is_refused_before_it_is_read():
    read = []

    def rows():
        read.append(1)
        yield GOOD

    with pytest.raises(ValueError, match="is an iterator, which can be read once only"):
        Perceptron().fit_stream(rows())
    one = rows()
    with pytest.raises(ValueError, match="returns the same iterator whenever it is asked"):
        Perceptron().fit_stream(lambda: one)
    assert not read


def test_a_source_that_changes_is_noticed():
    X, y = sorted_rows(300)
    passes = []

    def changing(change):
        def source():
            passes.append(1)
            parts = batches_of(X, y, None, [100, 200])
            return iter(change(parts) if len(passes) > 3 else parts)

        passes.clear()
        return source

    for change, sentence in [
        (lambda parts: parts[:2], "had 3 batches in the first pass, but now has only 2"),
        (lambda parts: [*parts, parts[0]], "had 3 batches in the first pass, but now has more"),
        (lambda parts: [(X[:99], y[:99]), *parts[1:]], r"batch 1 is not .* \(100 rows then, 99 now\)"),
        (lambda parts: [parts[0], (X[100:200] + 1, y[100:200]), parts[2]], "batch 2 is not what it was"),
        (lambda parts: [parts[0], parts[1], (X[200:], 1 - y[200:])], "batch 3 is not what it was"),
    ]:
        with pytest.raises(ValueError, match=sentence):
            Perceptron(order="cyclic", margin=1.0).fit_stream(changing(change))


def test_what_looks_at_all_rows_for_one_is_refused():
    with pytest.raises(ValueError, match="order='worst' looks at all rows for the next one"):
        Perceptron(order="worst").fit_stream([GOOD])
    with pytest.raises(ValueError, match="warm_start=True is not for fit_stream"):
        Perceptron(warm_start=True).fit_stream([GOOD])
    with pytest.raises(ValueError, match="source=3 cannot be iterated over"):
        Perceptron().fit_stream(3)
    with pytest.raises(ValueError, match="X has 2 rows, but y has 1 labels"):
        Perceptron().fit_stream((GOOD[0], [0]))


# --- checkpoints ---


def long_fit(slow=0.0, **how):
    """A fit of three classes; each batch comes after so many seconds."""
    X, y = sorted_rows(2000)
    y[:50] = 2

    def batches():
        for start in range(0, 2000, 100):
            time.sleep(slow)
            yield X[start : start + 100], y[start : start + 100]

    return Perceptron(max_epochs=12, margin=3.0, random_state=3).fit_stream(batches, **how)


@pytest.mark.slow
@pytest.mark.thorough
def test_a_killed_fit_goes_on_to_the_same_model(tmp_path, record_property):
    """SIGKILL at random moments, again and again, until the fit has come to its end; the last time there
    is a checkpoint to go on from."""
    most = cases(24, share=12)
    kills, goes_on = fit_with_kills("tests.margin.test_fit_stream", tmp_path, most)
    record_property("printed", f"margin: {kills} kills of a fit that went on")
    assert kills >= max(most // 2, 1)
    assert goes_on
    whole, _ = fitted(long_fit)
    save(whole, tmp_path / "whole.json")
    one, other = load(tmp_path / "whole.json"), load(tmp_path / "model.json")
    assert_same(one, other)
    assert one.certificate_ == other.certificate_


class Stop(Exception):
    """Stands for a kill, within the process."""


def interrupted(batches, after):
    """A source that breaks off after so many batches."""
    count = [0]

    def source():
        for one in batches:
            count[0] += 1
            if count[0] > after:
                raise Stop
            yield one

    return source


@pytest.mark.parametrize("result", ["auto", "last", "pocket"])
def test_a_fit_that_breaks_off_anywhere_goes_on_to_the_same_model(tmp_path, result):
    X, y = sorted_rows(300)
    weights = np.ones(300)
    weights[::7] = 0.0
    batches = batches_of(X, y, weights, [90, 180, 250])
    how = {"max_epochs": 5, "result": result, "random_state": 0, "margin": 1.0}
    whole, said = fitted(Perceptron(**how).fit_stream, lambda: iter(batches))
    for after in range(4, 40, 3):
        path = tmp_path / f"{after}"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            try:
                Perceptron(**how).fit_stream(
                    interrupted(batches, after), checkpoint=path, checkpoint_seconds=0
                )
            except Stop:
                assert path.exists() or after < 6
        model, said_too = fitted(Perceptron(**how).fit_stream, lambda: iter(batches), checkpoint=path)
        assert_same(model, whole)
        assert model.certificate_ == whole.certificate_
        assert said == said_too


def test_a_checkpoint_of_other_data_or_settings_is_refused(tmp_path):
    X, y = sorted_rows(300)
    path, batches = tmp_path / "point", batches_of(X, y, None, [100])
    how = {"max_epochs": 2, "random_state": 0}
    fitted(Perceptron(**how).fit_stream, batches, checkpoint=path)
    kept = path.read_bytes()
    other = X.copy()
    other[77, 1] += 1.0  # one cell, which no fingerprint need see
    for change, sentence in [
        (
            lambda: Perceptron(**how).fit_stream(batches_of(other, y, None, [100]), checkpoint=path),
            "other data",
        ),
        (lambda: Perceptron(**how).fit_stream(batches_of(X, y, None, [101]), checkpoint=path), "other data"),
        (lambda: Perceptron(**how, eta=2.0).fit_stream(batches, checkpoint=path), "other settings"),
        (lambda: Perceptron(**how).fit_stream(batches, checkpoint=path, certificate=False), "certificate="),
    ]:
        with pytest.raises(ValueError, match=sentence):
            change()
        assert path.read_bytes() == kept
    for damaged in (kept[:-200], kept[:100], b"", b"PK\x03\x04", b"hello", kept[:300] + b"xx" + kept[302:]):
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match=r"no checkpoint of fit_stream|of other"):
            Perceptron(**how).fit_stream(batches, checkpoint=path)
    with pytest.raises(ValueError, match="random_state=None draws other orders after a restart"):
        Perceptron().fit_stream(batches, checkpoint=tmp_path / "new")
    with pytest.raises(ValueError, match="cannot be told from another after a restart"):
        Perceptron(order="cyclic", eta=lambda t: 1.0).fit_stream(batches, checkpoint=tmp_path / "new")
    with pytest.raises(ValueError, match="No checkpoint can be written to"):
        Perceptron(**how).fit_stream(batches, checkpoint=tmp_path / "nowhere" / "point")
    assert not [name for name in os.listdir(tmp_path) if name != "point"]
