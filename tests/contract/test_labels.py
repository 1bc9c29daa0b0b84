"""Labels that are no classes, and frames that NumPy cannot hold: every public estimator says so in words."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import clone, is_classifier

from perceptrons import MarginProjection, Perceptron, TableEncoder, certify, compare, verify
from tests.contract.estimators import PUBLIC

pytestmark = pytest.mark.filterwarnings("ignore")

X = np.random.default_rng(0).normal(size=(24, 3))
GOOD = np.arange(24) % 2
LEARNERS = [one for one, _ in PUBLIC if is_classifier(one) or isinstance(one, MarginProjection)]
MISSING = "Input y contains NaN or None: .* counted from 0, is no label. Leave such rows out"
MIXED = "y mixes (text and numbers|numbers and text) .*; write all labels as text, or all as numbers"
LABELS = {
    "None": (np.array(["a", "b", None] * 8, object), ValueError, MISSING),
    "None in a list": (["a", None] * 12, ValueError, MISSING),
    "NaN": (np.array(["a", np.nan] * 12, object), ValueError, MISSING),
    "pandas NA": (pd.Series(["a", pd.NA] * 12, dtype="string"), ValueError, MISSING),
    "pandas category": (pd.Series(["a", None] * 12, dtype="category"), ValueError, MISSING),
    "polars null": (pl.Series(["a", None] * 12), ValueError, MISSING),
    "mixed": (np.array(["a", 1] * 12, object), ValueError, MIXED),
    "mixed in a list": (["a", 1] * 12, ValueError, MIXED),
    "text and truth": (np.array(["a", True] * 12, object), ValueError, MIXED),
    "text and bytes": (np.array(["a", b"b"] * 12, object), ValueError, "mixes text and bytes"),
    "objects": (
        np.array([object(), object()] * 12, object),
        ValueError,
        "Unknown label type: y holds <object",
    ),
    "128 bits": (
        pl.Series([0, 1] * 12, dtype=pl.Int128),
        ValueError,
        "^y has the polars dtype Int128.*cast it",
    ),
    "lazy": (pl.DataFrame({"y": GOOD}).lazy(), TypeError, r"y is a polars LazyFrame.*pass y.collect\(\)"),
    "StringDType": (
        GOOD.astype(str).astype(np.dtypes.StringDType()),
        ValueError,
        r"y has NumPy's StringDType.*use y.astype\(str\)",
    ),
    "sparse": (sp.csr_array(GOOD[:, None]), ValueError, r"y is a sparse matrix, but .* use y.toarray\(\)"),
}
FRAME = pl.DataFrame({"a": GOOD, "b": X[:, 0]})
TABLES = {
    "128 bits": (
        FRAME.with_columns(pl.col("a").cast(pl.Int128)),
        ValueError,
        "Column 'a' of X has the polars",
    ),
    "lazy": (FRAME.lazy(), TypeError, r"X is a polars LazyFrame.*pass X.collect\(\)"),
}


def said_by(kind, cases):
    labels, error, message = cases[kind]
    return labels, lambda: pytest.raises(error, match=message)


@pytest.mark.parametrize("kind", LABELS)
@pytest.mark.parametrize("learner", LEARNERS, ids=lambda one: type(one).__name__)
def test_labels(learner, kind):
    labels, refusal = said_by(kind, LABELS)
    with refusal():
        clone(learner).fit(X, labels)
    if hasattr(learner, "partial_fit"):
        with refusal():
            clone(learner).partial_fit(X, labels, classes=[0, 1])


@pytest.mark.parametrize("kind", LABELS)
def test_labels_of_functions_and_scores(kind):
    labels, refusal = said_by(kind, LABELS)
    model = Perceptron(random_state=0).fit(X, GOOD)
    for use in (compare, lambda X, y: certify(model, X, y), model.score):
        with refusal():
            use(X, labels)
    with refusal():
        verify(model.certificate_, model, X, labels)


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("public", PUBLIC, ids=lambda one: type(one.estimator).__name__)
def test_tables(public, kind):
    table, refusal = said_by(kind, TABLES)
    with refusal():
        clone(public.estimator).fit(table, GOOD)
    if getattr(public.estimator, "kernel", "") == "precomputed":
        return
    fitted = clone(public.estimator).fit(FRAME, GOOD)
    for name in {"predict", "transform", "decision_function"} & {*dir(fitted)}:
        with refusal():
            getattr(fitted, name)(table)


@pytest.mark.parametrize("kind", TABLES)
def test_tables_that_are_compared(kind):
    table, refusal = said_by(kind, TABLES)
    with refusal():
        compare(table, GOOD)
    with refusal():
        TableEncoder().fit(table)


def test_classes_of_a_stream():
    with pytest.raises(ValueError, match="classes mixes text and numbers"):
        Perceptron().partial_fit(X, GOOD, classes=["a", 1])
    with pytest.raises(ValueError, match=r"y holds 'a', which is not one of the classes \[0, 1\]"):
        Perceptron().partial_fit(X, np.array(["a", "b"] * 12, object), classes=[0, 1])


def test_labels_of_one_kind_are_taken_however_they_are_held():
    text = ["no", "yes"] * 12
    for labels in (
        text,
        np.array(text, object),
        pd.Series(text, dtype="category"),
        pd.Series(text, dtype="string"),
        pl.Series(text),
        pl.Series(text, dtype=pl.Categorical),
        np.array([0, 1.0] * 12, object).astype(float),
        [True, False] * 12,
        pl.Series([1, 2] * 12, dtype=pl.UInt8),
        (0, 1) * 12,
        [np.int64(3), 4] * 12,
    ):
        assert len(Perceptron(random_state=0).fit(X, labels).classes_) == 2
