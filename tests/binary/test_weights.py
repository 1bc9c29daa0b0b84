"""`BinaryPerceptron` with weights of rows and classes: exact for integers, absent at 0."""

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn
from sklearn.base import clone
from sklearn.model_selection import cross_validate

from perceptrons import BinaryPerceptron

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

MODELS = [
    BinaryPerceptron(random_state=0),
    BinaryPerceptron(method="clipped-hebb", random_state=0),
    BinaryPerceptron(threshold="figure-1", random_state=0),
    BinaryPerceptron(method="sbpi", max_epochs=20, random_state=0),
]


def skewed(seed=0, n_rows=200, n_columns=9):
    """Rows of a rare class 1, not separable; numbers, to be cut at medians."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-6, 7, (n_rows, n_columns)).astype(float)
    return X, (X[:, :5].sum(axis=1) + 6 * rng.normal(size=n_rows) > 12).astype(int)


def assert_same(one, other):
    """Bit for bit; what was counted in the same type, too."""
    for name in ("classes_", "coef_", "threshold_", "cuts_", "influence_", "neglected_"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name
    for mine, its in zip(one.counts_, other.counts_, strict=True):
        assert np.array_equal(mine, its)
        assert np.asarray(mine).dtype == np.asarray(its).dtype


@pytest.mark.parametrize("model", MODELS, ids=str)
@pytest.mark.parametrize("unit", [1, 0.7], ids=["integers", "fractions"])
def test_rows_of_weight_0_are_absent(model, unit):
    X, y = skewed()
    w = np.random.default_rng(1).integers(0, 3, len(y)) * unit
    there = w > 0
    X[~there] *= 100.0  # would move medians
    for rows in (X, sp.csr_array(X)):
        one = clone(model).fit(rows, y, sample_weight=w)
        other = clone(model).fit(rows[there], y[there], sample_weight=w[there])
        assert_same(one, other)
        assert (one.predict(X) == other.predict(X)).all()
        assert_same(clone(model).fit(rows, y, 1 * there), clone(model).fit(rows[there], y[there]))


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_class_weights_multiply_those_of_rows(model):
    """Integers stay integers: counts are exact in any order."""
    X, y = skewed()
    w = np.random.default_rng(2).integers(1, 4, len(y))
    weighted = clone(model).set_params(class_weight={1: 3}).fit(X, y, sample_weight=w)
    assert_same(weighted, clone(model).fit(X, y, sample_weight=w * np.where(y, 3, 1)))
    assert weighted.counts_.ones.dtype == np.int64
    assert_same(
        clone(model).set_params(class_weight={1: 3}).fit(X, y), clone(model).fit(X, y, np.where(y, 3, 1))
    )


def test_a_class_weight_is_so_many_rows():
    X, y = skewed()
    repeated = np.repeat(np.arange(len(y)), np.where(y, 4, 1))
    model = BinaryPerceptron(class_weight={1: 4}).fit(X, y)
    assert_same(model, BinaryPerceptron().fit(X[repeated], y[repeated]))


def test_balanced_classes_weigh_the_same_and_find_more_of_the_rare_one():
    X, y = skewed(n_rows=400)
    assert 0.05 < y.mean() < 0.25
    plain, balanced = BinaryPerceptron().fit(X, y), BinaryPerceptron(class_weight="balanced").fit(X, y)
    assert balanced.counts_.positive == pytest.approx(balanced.counts_.rows / 2)
    recalls = [(model.predict(X) == 1)[y == 1].mean() for model in (plain, balanced)]
    assert recalls[1] > recalls[0] + 0.2


def test_a_class_without_weight_cannot_be_learned():
    X, y = skewed()
    for how, w in [({}, 1.0 * (y == 0)), ({"class_weight": {1: 0}}, None)]:
        with pytest.raises(ValueError, match="All rows of the class 1 have weight 0"):
            BinaryPerceptron(**how).fit(X, y, sample_weight=w)


def test_chunks_with_class_weights_are_the_whole():
    X, y = skewed()
    X = np.sign(X) + (X == 0)
    whole = BinaryPerceptron(class_weight={0: 2, 1: 5}, random_state=0).fit(X, y)
    stream = BinaryPerceptron(class_weight={0: 2, 1: 5}, random_state=0)
    for part in np.array_split(np.arange(len(y)), 7):
        stream.partial_fit(X[part], y[part], classes=[0, 1])
    assert_same(stream, whole)
    assert whole.counts_.rows == 2 * (y == 0).sum() + 5 * (y == 1).sum()


def test_a_stream_refuses_balanced():
    X, y = skewed()
    model = BinaryPerceptron(class_weight="balanced")
    with pytest.raises(
        ValueError, match=r"'balanced' is not for partial_fit.*compute_class_weight.*sample_weight"
    ):
        model.partial_fit(X, y, classes=[0, 1])
    assert not hasattr(model, "coef_")


@pytest.mark.parametrize(
    ("class_weight", "words"),
    [
        ({7: 1}, r"class_weight names the class 7, but the classes are \[0, 1\]"),
        ({1: -1}, "class_weight of the class 1 is -1, but it must be a number >= 0"),
        ("even", "class_weight='even', but it must be 'balanced', a dict or None"),
        ({0: 0, 1: 0}, "All rows of the class 0 have weight 0"),
        ({0: 1e308, 1: 1e308}, r"A row has the weight 1e\+308, and all together overflow"),
    ],
)
def test_class_weights_that_make_no_sense(class_weight, words):
    X, y = skewed()
    with pytest.raises(ValueError, match=words):
        BinaryPerceptron(class_weight=class_weight).fit(X, y)


def test_metadata_routing_brings_weights():
    X, y = skewed()
    w = np.random.default_rng(0).integers(1, 9, len(y))
    with sklearn.config_context(enable_metadata_routing=True):
        asking = BinaryPerceptron().set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
        split = [(np.arange(150), np.arange(150, 200))]
        routed = cross_validate(asking, X, y, cv=split, params={"sample_weight": w}, return_estimator=True)
    assert_same(routed["estimator"][0], BinaryPerceptron().fit(X[:150], y[:150], sample_weight=w[:150]))
