"""Of many rows only some are measured before training: what is wrong with others is found all the same."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from perceptrons import Perceptron
from perceptrons.rows.norms import level_for
from tests.jit import JIT

pytestmark = [
    pytest.mark.kernels,
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
]
MOST = {} if JIT else {"max_epochs": 2}  # uncompiled epochs are slow
SETTINGS = [MOST, {"order": "cyclic", **MOST}, {"max_updates": 5}, {"order": "worst", "max_epochs": 3}]


def unsampled(m):
    """Rows that are not among those whose norms are counted."""
    golden = 0x9E3779B9
    return [i for i in range(m) if (i + 1) * golden % 2**32 >= 2 ** (32 - level_for(m))]


@pytest.mark.filterwarnings("ignore:overflow")  # of NumPy, where nothing is compiled
@pytest.mark.filterwarnings("ignore:invalid value")
@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("value", [np.nan, np.inf, 1e200])
@pytest.mark.parametrize("settings", SETTINGS)
def test_a_bad_cell_is_found_wherever_it_is(settings, value, layout):
    m = 3000
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(m, 3)), rng.integers(0, 2, m)
    bad = X.copy()
    bad[unsampled(m)[m // 4], 1] = value
    model = Perceptron(random_state=0, **settings).fit(layout(X), y)
    before = model.coef_.copy()
    with pytest.raises(ValueError, match=r"NaN|infinity|overflow"):
        model.fit(layout(bad), y)
    assert np.array_equal(model.coef_, before)


def test_a_refused_batch_leaves_no_trace():
    m = 3000
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(m, 3)), rng.integers(0, 2, m)
    bad = X.copy()
    bad[unsampled(m)[m // 4], 1] = np.nan
    one, other = (Perceptron(random_state=0).partial_fit(X, y, classes=[0, 1]) for _ in range(2))
    with pytest.raises(ValueError, match="NaN"):
        other.partial_fit(bad, y)
    assert np.array_equal(one.partial_fit(X, y).coef_, other.partial_fit(X, y).coef_)


def test_small_batches_go_on_when_few_of_their_rows_are_counted(jit):
    X = np.random.default_rng(0).normal(size=(9000 if jit else 2500, 2))
    y = (X.sum(axis=1) > 0).astype(int)
    model = Perceptron(random_state=0)
    for start in range(0, len(X), 10):
        model.partial_fit(X[start : start + 10], y[start : start + 10], classes=[0, 1])
    whole = Perceptron(random_state=0, max_epochs=1).fit(X, y)
    assert model.lift_ == whole.lift_
    assert model.score(X, y) > 0.9


def test_the_norm_of_rows_that_are_mostly_zero():
    X = np.zeros((3000, 2))
    X[unsampled(3000)[::40]] = 8.0
    X[unsampled(3000)[1::40]] = -8.0
    model = Perceptron(random_state=0).fit(X, X[:, 0] > 0)
    assert model.lift_ in (8.0, 16.0)


@pytest.mark.parametrize("settings", [{}, {"order": "cyclic"}])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_stream_that_is_capped_learns_no_more(settings, n_classes):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(500, 5)), rng.integers(0, n_classes, 500)
    stream = Perceptron(max_updates=10, random_state=0, **settings)
    again = Perceptron(max_updates=10, random_state=0, warm_start=True, **settings)
    for _ in range(3):
        with pytest.warns(ConvergenceWarning):
            stream.partial_fit(X, y, classes=range(n_classes))
        with pytest.warns(ConvergenceWarning):
            again.fit(X, y)
        assert (np.atleast_1d(stream.n_updates_) == 10).all()
        assert (np.atleast_1d(again.n_updates_) == 10).all()
