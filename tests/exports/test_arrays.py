"""Models that were fitted to arrays: rows are lists of numbers, in C arrays, in ONNX one matrix."""

import ctypes
import subprocess
import warnings

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from perceptrons import (
    BinaryPerceptron,
    ConservativePerceptron,
    KernelPerceptron,
    LiteralEncoder,
    MaxMarginPerceptron,
    Perceptron,
    SparsePerceptron,
    export,
)
from tests.exports import engines
from tests.exports.judging import judge

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
KERNELS = {"linear": 1.0, "poly": 0.1, "rbf": 0.5, "laplacian": 0.3, "sigmoid": 1e-3, "cosine": 1.0}  # gamma


def kernels():
    for kind, gamma in KERNELS.items():
        yield f"k_{kind}", KernelPerceptron(kind, gamma=gamma, degree=2, max_epochs=3, random_state=0)


MODELS = dict(
    [
        ("three", Perceptron(max_epochs=20, random_state=0)),
        ("scaled", make_pipeline(StandardScaler(), MaxMarginPerceptron(C=1.0))),
        ("logistic", LogisticRegression(max_iter=500)),
        ("rules", SparsePerceptron(max_rules=4, stages=20, cv=2, random_state=0)),
        ("cards", SparsePerceptron(max_points=3, max_rules=3, stages=20, cv=2, random_state=0)),
        *kernels(),
    ]
)
TWO = {
    "two": Perceptron(max_epochs=20, random_state=0),
    "reject": make_pipeline(StandardScaler(), ConservativePerceptron(max_epochs=5, random_state=0)),
    "bits": BinaryPerceptron(epsilon=0.1),
    "cut": make_pipeline(StandardScaler(), BinaryPerceptron(epsilon=0.1)),
    "votes": SparsePerceptron(booster="majority", stages=5, target_size=5, random_state=0),
    "literals": make_pipeline(LiteralEncoder(n_thresholds=3), BinaryPerceptron(epsilon=0.1)),
    "logit": LogisticRegression(),
}


@pytest.fixture(scope="module")
def shipped():
    X, y = load_iris(return_X_y=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        models = {name: model.fit(X, y) for name, model in MODELS.items()}
        models |= {name: model.fit(X, y == 1) for name, model in TWO.items()}
    return X, [engines.ship(name, model, X.tolist()) for name, model in models.items()]


def test_in_python(shipped, tmp_path):
    X, models = shipped
    for one in models:
        judge(one, X, engines.run_python(one, tmp_path))


@pytest.mark.export
def test_in_c_and_in_32_bits(shipped, tmp_path):
    X, models = shipped
    engines.write_c(models, tmp_path)
    for compiler, *flags in (["gcc", *engines.SANITIZED], ["gcc", "-m32", "-Os"], ["clang", "-O2"]):
        engines.compiled_c(tmp_path, compiler, *flags)
        for one in models:
            judge(one, X, engines.read_c(one, tmp_path))


@pytest.mark.export
def test_in_onnx_and_sql(shipped, tmp_path):
    X, models = shipped
    for one in models:
        for run in (engines.run_onnx, engines.run_sqlite, engines.run_duckdb):
            judge(one, X, run(one, tmp_path))


@pytest.mark.export
def test_rows_of_bits_may_come_packed(tmp_path):
    """As `pack` packs them; the score is that of Python."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (300, 70))
    model = BinaryPerceptron(epsilon=0.1).fit(X, X[:, :40].sum(axis=1) > X[:, 40:].sum(axis=1) + 5)
    export(model, tmp_path / "b.h", to="c")
    (tmp_path / "b.c").write_text('#include "b.h"\nint score(const uint64_t *w) { return b_0_packed(w); }\n')
    command = ["gcc", *engines.WARNINGS, "-shared", "-fPIC", "b.c", "-o", "b.so"]
    subprocess.run(command, cwd=tmp_path, check=True)
    library, words = ctypes.CDLL(str(tmp_path / "b.so")), np.ascontiguousarray(model.pack(X).words)
    found = [library.score(ctypes.c_void_p(row.ctypes.data)) for row in words]
    np.testing.assert_array_equal(found, model.decision_function(X))


@pytest.mark.export
def test_a_missing_number_has_no_answer(tmp_path):
    X = np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 0.0], [5.0, 1.0]])
    model = Perceptron(max_epochs=50, random_state=0).fit(X, [0, 0, 1, 1])
    one = engines.ship("gap", model, [[np.nan, 1.0], [2.0, 3.0]])
    engines.write_c([one], tmp_path)
    engines.compiled_c(tmp_path)
    assert engines.read_c(one, tmp_path).labels == [None, 0]
    assert engines.run_sqlite(one, tmp_path).labels == [None, 0]
    assert engines.run_duckdb(one, tmp_path).labels == [None, 0]
    assert np.isnan(engines.run_onnx(one, tmp_path).scores[0])
    with pytest.raises(ValueError, match="missing number"):
        engines.run_python(one, tmp_path)


def test_a_sign_in_doubt_is_that_of_the_real_number(tmp_path):
    """1e16 + 1 − 1e16: in doubles 0 or 1, by the order."""
    model = Perceptron(max_epochs=1, fit_intercept=False).fit([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [0, 1])
    model.coef_, model.intercept_ = np.array([[1e16, 1.0, -1e16]]), np.zeros(1)
    rows = [[1.0, 1.0, 1.0], [1.0, -1.0, 1.0], [1.0, 0.0, 1.0]]
    one = engines.ship("doubt", model, rows)
    assert engines.run_python(one, tmp_path).labels == model.predict(rows).tolist() == [1, 0, 0]
