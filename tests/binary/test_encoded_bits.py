"""What `BinaryPerceptron` is given: bad parameters, bad rows, odd types; an error leaves all as it was."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.preprocessing import StandardScaler

from perceptrons import BinaryPerceptron

pytestmark = pytest.mark.kernels

X = np.array([[-1, 1, -1], [1, 1, -1], [1, -1, 1], [-1, -1, 1]] * 3)
Y = np.array(["no", "yes", "yes", "no"] * 3)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"method": "hebb"}, "method='hebb', but it must be one of 'influence', 'clipped-hebb', 'sbpi'"),
        ({"epsilon": 0}, "epsilon=0, but it must be a number in \\(0, 1\\); use 'auto', or 0.1"),
        ({"epsilon": float("nan")}, "epsilon=nan"),
        ({"epsilon": "0.1"}, "epsilon='0.1'"),
        ({"threshold": 0.5}, "threshold=0.5, but it must be an integer, 'auto', 'min-error' or 'figure-1'"),
        ({"threshold": "best"}, "threshold='best'"),
        ({"threshold": True}, "threshold=True"),
        ({"threshold": 2**31}, "threshold=2147483648, but it must be an integer in"),
        ({"binarize": "median"}, "binarize='median', but it must be 'auto', a finite number"),
        ({"binarize": float("inf")}, "binarize=inf"),
        ({"binarize": True}, "binarize=True"),
        ({"max_epochs": 0}, "max_epochs=0, but it must be an integer >= 1"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        BinaryPerceptron(**parameters).fit(X, Y)


def test_three_valued_columns_without_binarize():
    three = X.copy()
    three[0, 2] = 0
    with pytest.raises(
        ValueError, match=r"Column 2 has more than two values.*binarize=None takes columns of two"
    ):
        BinaryPerceptron(binarize=None).fit(three, Y)
    with pytest.raises(ValueError, match="Column 'c' has more than two values"):
        BinaryPerceptron(binarize=None).fit(pd.DataFrame(three, columns=["a", "b", "c"]), Y)
    more = np.column_stack([three[:, 2], three[:, 2], X[:, 0]])
    with pytest.raises(ValueError, match=r"Column 0 .*\(and so have 1 more\)"):
        BinaryPerceptron(binarize=None).fit(sp.csr_array(more.astype(float)), Y)
    model = BinaryPerceptron(binarize=None).fit(X, Y)
    with pytest.raises(
        ValueError,
        match="Column 2 has more than two values, or two on the same side of its cut, rows seen before",
    ):
        model.predict(three)
    assert (model.predict(X) == Y).all()


def test_a_second_value_may_come_later():
    """Of a column that has had one so far; on the other side of its cut, or never."""
    first, later = np.array([[1, 0], [1, 1]]), np.array([[0, 0], [1, 1]])
    for method in ("influence", "clipped-hebb"):
        model = BinaryPerceptron(method=method, binarize=None, epsilon=0.5)
        model.partial_fit(first, [0, 1], classes=[0, 1]).partial_fit(later, [0, 1])
        whole = BinaryPerceptron(method=method, binarize=None, epsilon=0.5)
        whole.fit(np.concatenate([first, later]), [0, 1, 0, 1])
        assert (model.coef_ == whole.coef_).all()
        assert model.threshold_ == whole.threshold_
        assert (model.predict(later) == whole.predict(later)).all()
    for wrong in ([[2, 0], [1, 1]], [[0, 0], [2, 1]], [[2, 0], [2, 1]]):
        model = BinaryPerceptron(binarize=None).partial_fit(first, [0, 1], classes=[0, 1])
        before = vars(model).copy()
        with pytest.raises(ValueError, match="Column 0 has more than two values"):
            model.partial_fit(np.array(wrong), [0, 1])
        assert vars(model) == before


def test_constant_columns_are_neglected():
    constant = np.column_stack([X, np.full(len(X), 7), np.zeros(len(X)), -np.ones(len(X))])
    for method in ("influence", "clipped-hebb", "sbpi"):
        for binarize in ("auto", None, 0.5):
            model = BinaryPerceptron(method=method, binarize=binarize, random_state=0).fit(constant, Y)
            assert model.neglected_.tolist() == [False] * 3 + [True] * 3
            assert model.coef_[0, 3:].tolist() == [0, 0, 0]
            assert model.influence_[3:].tolist() == [0.0, 0.0, 0.0]
            assert np.isfinite(model.influence_).all()


@pytest.mark.parametrize("method", ["influence", "clipped-hebb", "sbpi"])
def test_one_class_is_always_answered(method):
    model = BinaryPerceptron(method=method).fit(X, np.full(len(X), "yes"))
    assert model.classes_.tolist() == ["yes"]
    assert (model.predict(-X) == "yes").all()
    assert (model.n_weights_, model.threshold_) == (0, -1)
    for label, threshold in (("no", 0), ("yes", -1)):
        if method != "sbpi":  # a stream keeps the classes it was told
            some, told = BinaryPerceptron(method=method), ["no", "yes"]
            some.partial_fit(X, Y, classes=told, sample_weight=(label == Y) * 2)
            assert (some.predict(X) == label).all()
            assert (some.classes_.tolist(), some.threshold_) == (told, threshold)


def test_three_classes_raise():
    with pytest.raises(
        ValueError, match=r"Only binary classification is supported. The target has 3 classes"
    ):
        BinaryPerceptron().fit(X, np.arange(12) % 3)
    with pytest.raises(ValueError, match="The target has 3 classes"):
        BinaryPerceptron().partial_fit(X, Y, classes=["no", "yes", "perhaps"])


@pytest.mark.parametrize(
    "dtype", [bool, np.int8, np.uint8, np.int32, np.float16, np.float32, np.longdouble, object]
)
def test_types_of_numbers(dtype):
    bits = (X > 0).astype(dtype)
    model = BinaryPerceptron().fit(bits, Y)
    expected = BinaryPerceptron().fit(X, Y)
    assert (model.coef_ == expected.coef_).all()
    assert (model.predict(bits) == expected.predict(X)).all()


def test_models_take_rows_of_other_types_than_they_were_fitted_to():
    """Cuts below what the type can hold, too."""
    model = BinaryPerceptron().fit(np.where(X > 0, 0.0, -500.0), Y)
    for dtype in (np.int8, np.uint8, np.int64, np.float32):
        assert (model.predict(np.zeros((1, 3), dtype)) == model.predict(np.zeros((1, 3)))).all()


def test_values_that_a_type_does_not_hold_are_other_values():
    """Not the same after a cast."""
    model = BinaryPerceptron(binarize=None).fit(np.where(X > 0, 0.0, -256.0), Y)
    assert (model.predict(np.zeros((1, 3), np.int8)) == model.predict(np.zeros((1, 3)))).all()
    huge = np.where(X > 0, 2**63 - 1, -(2**63))
    assert (BinaryPerceptron(binarize=None).fit(huge, Y).coef_ == model.coef_).all()


@pytest.mark.parametrize("kind", ["datetime64[D]", "timedelta64[s]"])
def test_dates_have_no_bits(kind):
    X = np.arange(20).reshape(10, 2).astype(kind)
    with pytest.raises(ValueError, match=r"X holds .*64\[.\], which has no bits; pass numbers, or put"):
        BinaryPerceptron().fit(X, np.arange(10) > 4)


def test_frames():
    names = ["a", "b", "c"]
    model = BinaryPerceptron().fit(pl.DataFrame(X, schema=names), Y)
    assert model.feature_names_in_.tolist() == names
    assert (model.predict(pd.DataFrame(X, columns=names)) == Y).all()


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_rows_that_are_not_finite_raise_and_change_nothing(bad):
    model = BinaryPerceptron().fit(X, Y)
    before = vars(model).copy()
    broken = X.astype(float)
    broken[3, 1] = bad
    for call in (model.fit, model.partial_fit):
        with pytest.raises(ValueError, match=r"NaN|infinity"):
            call(broken, Y)
        assert vars(model) == before
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        model.predict(broken)


def test_weights_of_rows():
    with pytest.raises(ValueError, match=r"sample_weight has -1.0, but a weight must be >= 0"):
        BinaryPerceptron().fit(X, Y, sample_weight=np.full(len(Y), -1.0))
    with pytest.raises(ValueError, match=r"A row has the weight 1e\+308, and all together overflow"):
        BinaryPerceptron().fit(X, Y, sample_weight=np.full(len(Y), 1e308))
    with pytest.raises(ValueError, match=r"0 for every row|at least one non-zero"):
        BinaryPerceptron().fit(X, Y, sample_weight=np.zeros(len(Y)))


def test_huge_counts_are_exact():
    """More than 2³¹ rows' worth of them; one row decides."""
    weights = np.full(len(Y), 2**33)
    weights[0] += 1
    model = BinaryPerceptron().fit(X, Y, sample_weight=weights)
    assert model.counts_.rows == 12 * 2**33 + 1
    assert model.counts_.ones.tolist() == [6 * 2**33, 6 * 2**33 + 1, 6 * 2**33]
    assert model.counts_.ones.dtype == np.int64


def test_first_call_of_a_stream_names_the_classes():
    with pytest.raises(ValueError, match="classes must be passed on the first call"):
        BinaryPerceptron().partial_fit(X, Y)
    model = BinaryPerceptron()
    with pytest.raises(ValueError, match="y holds 'yes', which is not one of the classes"):
        model.partial_fit(X, Y, classes=["maybe", "no"])
    assert not hasattr(model, "counts_")


def test_merging_needs_the_same_classes_and_cuts():
    model = BinaryPerceptron().fit(X, Y)
    with pytest.raises(ValueError, match="The models differ in classes_"):
        model.merge(BinaryPerceptron().fit(X, Y == "yes"))
    with pytest.raises(ValueError, match=r"The models differ in cuts_.*binarize as a number"):
        model.merge(BinaryPerceptron().fit(3 * X + 1, Y))


def test_merging_needs_the_same_columns_and_something_to_count():
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    model, other = (BinaryPerceptron(binarize=0).fit(some, Y) for some in (frame, frame[["c", "b", "a"]]))
    with pytest.raises(ValueError, match="The models differ in feature_names_in_"):
        model.merge(other)
    with pytest.raises(ValueError, match="A StandardScaler has no counts to add"):
        model.merge(StandardScaler())
    assert not hasattr(BinaryPerceptron(method="sbpi"), "merge")


def test_cuts_stay_what_the_first_rows_made_them():
    for first, later in [("auto", None), (None, "auto"), ("auto", 0.7), (0.5, 0.7)]:
        model = BinaryPerceptron(binarize=first).fit(X, Y).set_params(binarize=later)
        with pytest.raises(ValueError, match="but columns were cut otherwise when the first rows came"):
            model.partial_fit(X, Y)


def test_copies_leave_the_rows_of_fit_behind_but_not_those_of_a_stream():
    fitted = BinaryPerceptron().fit(X, Y)
    with pytest.raises(ValueError, match="has kept none, because it was pickled or copied after fit: copies"):
        pickle.loads(pickle.dumps(fitted)).partial_fit(X, Y)
    with pytest.raises(ValueError, match="because it was pickled or copied after fit"):
        BinaryPerceptron().fit(X, Y).merge(pickle.loads(pickle.dumps(fitted)))
    with pytest.raises(ValueError, match="because it was trained with another epsilon or threshold"):
        BinaryPerceptron(epsilon=0.1, threshold=0).fit(X, Y).set_params(epsilon="auto").partial_fit(X, Y)
    assert (fitted.partial_fit(X, Y).predict(X) == Y).all()  # the model itself keeps them
    again = pickle.loads(pickle.dumps(fitted)).partial_fit(X, Y)
    assert again.counts_.rows == 3 * len(Y)
    assert (pickle.loads(pickle.dumps(again)).predict(X) == Y).all()


def test_cells_stored_twice_are_one():
    twice = sp.csr_matrix(([0.5, 0.5, 1, 1, 1.0], [0, 0, 1, 0, 1], [0, 2, 3, 5, 5]), (4, 2))
    for binarize in ("auto", None):
        model = BinaryPerceptron(binarize=binarize).fit(twice, [1, 0, 1, 0])
        assert (
            model.cuts_ == BinaryPerceptron(binarize=binarize).fit(twice.toarray(), [1, 0, 1, 0]).cuts_
        ).all()
        assert model.predict(twice).tolist() == model.predict(twice.toarray()).tolist()
    assert twice.nnz == 5


@pytest.mark.parametrize("weights", [None, np.arange(12), np.arange(12) / 4])
def test_zeros_of_sparse_rows_may_be_the_greater_value(weights):
    """Cuts below 0: a cell that is not stored is +1."""
    rows = np.minimum(X, 0.0)
    dense, sparse = (
        BinaryPerceptron().fit(some, Y, sample_weight=weights) for some in (rows, sp.csr_array(rows))
    )
    assert (sparse.cuts_ == -0.5).all()
    assert all((mine == its).all() for mine, its in zip(dense.counts_[2:], sparse.counts_[2:], strict=True))
    assert (sparse.influence_ == dense.influence_).all()
    assert (sparse.predict(sp.csr_array(rows)) == dense.predict(rows)).all()


@pytest.mark.parametrize("dtype", [">f8", ">i4", ">i2", ">f4"])
def test_bytes_in_the_other_order(dtype):
    assert (BinaryPerceptron().fit(X.astype(dtype), Y).predict(X.astype(dtype)) == Y).all()


def test_merging_knows_the_values_of_both():
    """With binarize=None a value that neither has had raises, but that of the other is known."""
    ones, both = np.ones((4, 1)), np.array([[0], [1], [0], [1]])
    model = BinaryPerceptron(epsilon=0.1, binarize=None).partial_fit(ones, [0, 1, 1, 1], classes=[0, 1])
    model.merge(BinaryPerceptron(binarize=None).fit(both, [0, 1, 0, 1]))
    assert model.predict(both).tolist() == [0, 1, 0, 1]
    with pytest.raises(ValueError, match="more than two values"):
        model.predict([[-1.0]])
    with pytest.raises(ValueError, match="Column 0 has more than two values"):
        model.merge(BinaryPerceptron(binarize=None).fit(3 * both - 1, [0, 1, 0, 1]))


def test_what_is_kept_is_not_the_users_matrix():
    rows = sp.csr_array(np.maximum(X, 0).astype(float))
    model = BinaryPerceptron().fit(rows, Y)
    rows.indices[:] = 0
    half = slice(0, 6)
    again = model.partial_fit(np.maximum(X, 0)[half], Y[half])
    whole = BinaryPerceptron().fit(np.maximum(np.concatenate([X, X[half]]), 0), np.concatenate([Y, Y[half]]))
    assert (again.coef_ == whole.coef_).all()
    assert again.threshold_ == whole.threshold_
    assert (model._reservoir.rows.cells.words == whole._reservoir.rows.cells.words).all()
