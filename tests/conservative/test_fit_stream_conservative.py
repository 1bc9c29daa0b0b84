"""`ConservativePerceptron.fit_stream` beside `fit`: however rows are cut, the model is the same."""

import time
import warnings
from collections import Counter

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from perceptrons import ConservativePerceptron, Costs, load, save
from perceptrons.conservative import training_parts
from perceptrons.rows import standardized
from perceptrons.rows.order import Order, shuffled
from perceptrons.stream_sources import ArraySource
from tests.kills import fit_with_kills
from tests.sizes import cases

SEEN = Counter()
SAME = ("classes_", "coef_", "intercept_", "bands_", "reject_label_", "training_risk_", "step_sizes_")
SAME += ("n_updates_", "n_iter_", "converged_", "n_features_in_")
CHUNKINGS = 3  # of each table


@pytest.fixture
def _small_blocks(monkeypatch):
    """In which columns are added up."""
    monkeypatch.setattr(standardized, "BLOCK", 16)


def assert_same(one, other):
    for name in SAME:
        assert np.array_equal(getattr(one, name), getattr(other, name)), name


def fitted(fit, *args, **how):
    """The model and what it warned of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        return fit(*args, **how), [str(one.message) for one in caught]


@st.composite
def problems(draw):
    """Rows, labels, weights, several ways to cut them, and parameters."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, n_columns = draw(st.integers(6, 90)), draw(st.integers(1, 5))
    X = rng.normal(size=(n, n_columns)) * rng.choice([0.0, 1.0, 30.0], n_columns) + rng.normal(size=n_columns)
    X = X.astype(draw(st.sampled_from([np.float64, np.float32])))
    y = (X[:, 0] - X[:, 0].mean() + rng.normal(size=n) * draw(st.sampled_from([0.0, 2.0])) > 0).astype(int)
    y[:4] = 0, 1, 0, 1
    weights = None
    if draw(st.booleans()):
        weights = rng.choice([0.0, 0.5, 1.0, 1.7], n)
        weights[:4] = 1.0
    parameters = {
        "order": "cyclic",
        "random_state": draw(st.integers(0, 9)),
        "rule": draw(st.sampled_from(["cplr1", "cplr2"])),
        "band": draw(st.sampled_from(["cv", "cv", "learned", "exact"])),
        "n_restarts": 2,
        "standardize": draw(st.booleans()),
        "symmetric": draw(st.booleans()),
        "max_epochs": draw(st.sampled_from([1, 5, 30])),
        "costs": draw(st.sampled_from([None, Costs(wrong={0: 1.0, 1: 3.0}, reject=0.3)])),
        "class_weight": draw(st.sampled_from([None, {0: 2.0}])),
        "eta_weights": draw(st.sampled_from(["auto", 0.1])),
        "max_band": draw(st.sampled_from(["auto", 0.5])),
    }
    cuts = [draw(st.lists(st.integers(0, n), max_size=5).map(sorted)) for _ in range(CHUNKINGS)]
    return X, y, weights, cuts, parameters, draw(st.sampled_from(["list", "function", "sparse"]))


def batches_of(X, y, weights, cuts):
    for start, stop in zip([0, *cuts], [*cuts, len(y)], strict=True):
        more = () if weights is None else (weights[start:stop],)
        yield X[start:stop], y[start:stop], *more


@pytest.mark.usefixtures("_small_blocks")
@pytest.mark.thorough
@settings(max_examples=cases(200), deadline=None, suppress_health_check=list(HealthCheck))
@given(problems())
def test_a_stream_gives_the_model_of_a_fit_in_memory(problem):
    X, y, weights, cuts, parameters, kind = problem
    X = sp.csr_array(X) if kind == "sparse" else X
    in_memory, said = fitted(ConservativePerceptron(**parameters).fit, X, y, weights)
    for one in cuts:
        batches = [*batches_of(X, y, weights, one)]
        source = (lambda b=batches: iter(b)) if kind == "function" else batches
        streamed, said_too = fitted(ConservativePerceptron(**parameters).fit_stream, source)
        assert_same(streamed, in_memory)
        assert said == said_too
        SEEN["chunkings"] += 1
        SEEN["bands"] += bool(in_memory.bands_.any())


@pytest.mark.thorough
def test_the_random_cases_told_something(record_property):
    assert not SEEN or SEEN["bands"] > 0.3 * SEEN["chunkings"]
    told = f"{SEEN['chunkings']} chunkings of streams, {SEEN['bands']} with bands"
    record_property("printed", f"conservative: {told}")


def noisy_rows(n_rows, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3))
    return X, (X @ [2.0, -1.0, 0.0] + rng.normal(size=n_rows) > 0).astype(int)


@pytest.mark.parametrize("seekable", [True, False])
def test_shuffled_epochs_are_those_in_memory_of_the_same_order(monkeypatch, seekable):
    X, y = noisy_rows(6000)
    source = ArraySource(X, y, batch_rows=700)

    def streamed_order(n_rows, rng):
        numbers = rng.permutation([*range(9)]).tolist() if seekable else [*range(9)]
        rows = []
        for pair in (numbers[k : k + 2] for k in range(0, 9, 2)):
            own = np.concatenate([np.arange(k * 700, min((k + 1) * 700, n_rows)) for k in pair])
            rows.append(own[shuffled(len(own), rng).rows])
        return Order(np.concatenate(rows).astype(np.uint32), np.zeros(0, np.uint32))

    model = ConservativePerceptron(random_state=3)
    streamed, _ = fitted(model.fit_stream, source if seekable else lambda: source.read())
    monkeypatch.setattr(training_parts, "shuffled", streamed_order)
    assert_same(streamed, fitted(ConservativePerceptron(random_state=3).fit, X, y)[0])


@pytest.mark.filterwarnings("ignore:None of")
@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("rule", ["cplr1", "cplr2"])
def test_bands_of_the_paper_move_as_in_memory(rule, symmetric):
    how = {"band": "learned", "rule": rule, "symmetric": symmetric, "order": "cyclic", "random_state": 0}
    how |= {"n_restarts": 1, "max_epochs": 12}
    for seed in range(3):
        X, y = noisy_rows(200, seed)
        model = ConservativePerceptron(**how).fit(X, y)
        assert_same(ConservativePerceptron(**how).fit_stream((X, y), batch_rows=33), model)


def test_threads_change_nothing_and_an_earlier_fit_is_forgotten():
    X, y = noisy_rows(1000)
    one = ConservativePerceptron(order="cyclic", random_state=0).fit(X, y)
    two = ConservativePerceptron(order="cyclic", random_state=0, n_jobs=2).fit(X[:20], y[:20])
    assert_same(two.fit_stream((X, y), batch_rows=130), one)
    assert not hasattr(two, "_seen_rows")


# --- checkpoints ---


def long_fit(slow=0.0, **how):
    """A fit whose batches come after so many seconds."""
    X, y = noisy_rows(2000)

    def batches():
        for start in range(0, 2000, 200):
            time.sleep(slow)
            yield X[start : start + 200], y[start : start + 200]

    return ConservativePerceptron(random_state=3).fit_stream(batches, **how)


@pytest.mark.slow
@pytest.mark.thorough
def test_a_killed_fit_goes_on_to_the_same_model(tmp_path, record_property):
    most = cases(24, share=12)
    kills, goes_on = fit_with_kills("tests.conservative.test_fit_stream_conservative", tmp_path, most)
    record_property("printed", f"conservative: {kills} kills of a fit that went on")
    assert kills >= max(most // 2, 1)
    assert goes_on
    save(long_fit(), tmp_path / "whole.json")
    assert_same(load(tmp_path / "whole.json"), load(tmp_path / "model.json"))


class Stop(Exception):
    """Stands for a kill, within the process."""


@pytest.mark.filterwarnings("ignore:No hyperplane", "ignore:None of")
@pytest.mark.parametrize("how", [{}, {"band": "learned", "max_epochs": 6, "n_restarts": 2}])
def test_a_fit_that_breaks_off_anywhere_goes_on_to_the_same_model(tmp_path, how):
    X, y = noisy_rows(300)
    batches, how = [*batches_of(X, y, None, [90, 180, 250])], {"random_state": 0, **how}
    whole = ConservativePerceptron(**how).fit_stream(lambda: iter(batches))
    left = 0
    for after in range(5, 100, 9):
        path, count = tmp_path / f"{after}", [0]

        def breaking(after=after, count=count):
            for one in batches:
                count[0] += 1
                if count[0] > after:
                    raise Stop
                yield one

        with pytest.raises(Stop):
            ConservativePerceptron(**how).fit_stream(breaking, checkpoint=path, checkpoint_seconds=0)
        left += path.exists()
        model = ConservativePerceptron(**how).fit_stream(lambda: iter(batches), checkpoint=path)
        assert_same(model, whole)
    assert left > 6
    with pytest.raises(ValueError, match="of other settings"):
        ConservativePerceptron(**{**how, "random_state": 1}).fit_stream(batches, checkpoint=path)
    with pytest.raises(ValueError, match="of other data"):
        ConservativePerceptron(**how).fit_stream((X, y), checkpoint=path)
    with pytest.raises(ValueError, match="random_state=None draws other orders"):
        ConservativePerceptron(order="cyclic").fit_stream((X, y), checkpoint=path)


GOOD = (np.array([[0.0], [1.0], [2.0], [3.0]]), [0, 0, 1, 1])


@pytest.mark.parametrize(
    ("source", "how", "sentence"),
    [
        ([], {}, "The source is empty: it gave no rows"),
        (iter([GOOD]), {}, "is an iterator, which can be read once only, but training reads it epoch by"),
        ([GOOD, (GOOD[0], [0, 1, 2, 2])], {}, "Only binary classification is supported"),
        ([GOOD, (np.array([[np.nan]]), [0])], {}, "batch 2: Input X contains NaN"),
        ([GOOD, (np.array([[1e141]]), [1])], {}, "The largest .value. of column 0 is 1e.141"),
        ([GOOD], {"order": "worst"}, "order='worst', but it must be one of 'shuffle', 'cyclic'"),
        ([GOOD], {"reject_label": 1}, "reject_label"),
    ],
)
def test_what_is_wrong_is_said_and_the_model_stays_as_it_was(source, how, sentence):
    model = ConservativePerceptron(random_state=0).fit(*GOOD).set_params(**how)
    before = vars(model).copy()
    with pytest.raises(ValueError, match=sentence):
        model.fit_stream(source)
    assert vars(model) == before
