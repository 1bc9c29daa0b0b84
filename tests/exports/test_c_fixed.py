"""Fixed point: scores within the error that is said, whole points and ties as in Python."""

import ctypes
import subprocess

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from perceptrons import (
    BinaryPerceptron,
    ConservativePerceptron,
    KernelPerceptron,
    Perceptron,
    SparsePerceptron,
    TableEncoder,
    export,
)
from perceptrons.exports.c_fixed import FixedWriter
from perceptrons.exports.read_program import read_program
from tests.exports.engines import WARNINGS

pytestmark = [
    pytest.mark.export,
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
]
BITS = 16


def compiled(model, folder, n_scores, fixed=BITS):
    """The functions predict and scores of an array of cells; and what export says."""
    said = export(model, folder / "m.h", to="c", fixed=fixed)
    fill = "    m_row row;\n" + "".join(f"    row.{n} = cells[{k}];\n" for k, n in enumerate(names(model)))
    row, fill = ("cells", "") if "typedef int32_t m_row" in (folder / "m.h").read_text() else ("&row", fill)
    (folder / "m.c").write_text(
        f'#include "m.h"\nint predict(const int32_t *cells) {{\n{fill}    return m_predict({row});\n}}\n'
        f"void scores(const int32_t *cells, int64_t *out) {{\n{fill}    m_scores({row}, out);\n}}\n"
    )
    command = ["gcc", *WARNINGS, "-O1", "-fsanitize=undefined", "-fno-sanitize-recover", "-shared", "-fPIC"]
    subprocess.run([*command, "m.c", "-o", "m.so"], cwd=folder, check=True)
    library = ctypes.CDLL(str(folder / "m.so"))
    places = FixedWriter(read_program(model), fixed).fixed.places

    def run(X):
        cells = np.where(np.isnan(X), -(2**31), np.rint(X * 2.0**fixed)).astype(np.int32)
        out = np.zeros((len(X), n_scores), np.int64)
        codes = []
        for row, sums in zip(cells, out, strict=True):
            codes.append(library.predict(ctypes.c_void_p(row.ctypes.data)))
            library.scores(ctypes.c_void_p(row.ctypes.data), ctypes.c_void_p(sums.ctypes.data))
        return np.array(codes), out / 2.0**places

    return run, said


def names(model):
    return [f"x{one.place}" for one in read_program(model).inputs]


def cells(X):
    """Numbers that fixed point holds exactly."""
    return np.rint(X * 2.0**BITS) / 2.0**BITS


@pytest.mark.parametrize(
    "model",
    [
        Perceptron(max_epochs=20, random_state=0),
        make_pipeline(StandardScaler(), Perceptron(max_epochs=20, random_state=0)),
        make_pipeline(TableEncoder(), ConservativePerceptron(max_epochs=5, random_state=0)),
        SparsePerceptron(max_rules=5, cv=2, random_state=0),
    ],
    ids=["plain", "scaled", "bands", "rules"],
)
def test_scores_are_within_the_error(model, tmp_path):
    X, y = load_breast_cancer(return_X_y=True)
    X = cells(X[:, :12])
    model.fit(X, y)
    run, said = compiled(model, tmp_path, 1)
    used = [one.place for one in read_program(model).inputs]
    array = "typedef int32_t m_row" in (tmp_path / "m.h").read_text()
    codes, found = run(X if array else X[:, used])
    scores = model.decision_function(X)
    assert abs(found[:, 0] - scores).max() <= said.error + 1e-12 * abs(scores).max()
    sure = abs(scores) > 2 * said.error
    if hasattr(model, "rejects"):
        bands = np.append(model[-1].bands_, 0.0)
        sure = (abs(abs(scores)[:, None] - bands) > 2 * said.error).all(axis=1)
        np.testing.assert_array_equal((codes == -1)[sure], model.rejects(X)[sure])
        sure &= ~model.rejects(X)
        np.testing.assert_array_equal(codes[sure], model.predict_liberal(X)[sure])
    else:
        np.testing.assert_array_equal(codes[sure], model.predict(X)[sure])
    assert sure.mean() > 0.5


def test_the_larger_of_three_scores(tmp_path):
    X, y = load_iris(return_X_y=True)
    X = cells(X)
    model = Perceptron(max_epochs=20, random_state=0).fit(X, y)
    run, said = compiled(model, tmp_path, 3)
    codes, found = run(X)
    assert abs(found - model.decision_function(X)).max() <= said.error + 1e-12
    ranked = np.sort(model.decision_function(X), axis=1)
    sure = ranked[:, -1] - ranked[:, -2] > 2 * said.error
    np.testing.assert_array_equal(codes[sure], model.predict(X)[sure])


def test_points_and_bits_are_exact_ties_included(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, (400, 6)).astype(float)
    y = X[:, 0] + X[:, 1] > X[:, 2] + X[:, 3]
    for model in (
        SparsePerceptron(max_points=3, max_rules=4, cv=2, random_state=0).fit(X, y),
        BinaryPerceptron(epsilon=0.1).fit(X, y),
    ):
        folder = tmp_path / type(model).__name__
        folder.mkdir()
        run, said = compiled(model, folder, 1)
        used = [one.place for one in read_program(model).inputs]
        array = "typedef int32_t m_row" in (folder / "m.h").read_text()
        codes, found = run(X if array else X[:, used])
        assert (said.error, said.cell_error) == (0.0, 0.0)
        np.testing.assert_array_equal(found[:, 0], model.decision_function(X))
        np.testing.assert_array_equal(codes == 1, model.predict(X))


def test_a_missing_cell_is_the_mean(tmp_path):
    X = cells(np.random.default_rng(0).normal(size=(60, 3)))
    model = make_pipeline(TableEncoder(), Perceptron(max_epochs=20, random_state=0)).fit(X, X[:, 0] > 0)
    X[::3, 1] = np.nan
    run, said = compiled(model, tmp_path, 1)
    _, found = run(X)
    assert abs(found[:, 0] - model.decision_function(X)).max() <= said.error


def test_what_fixed_point_cannot_do_is_refused(tmp_path):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="for linear models, rules and bits"):
        export(KernelPerceptron().fit(X, y), tmp_path / "m.h", to="c", fixed=16)
    scaled = make_pipeline(StandardScaler(), BinaryPerceptron(epsilon=0.1)).fit(X, y == 1)
    with pytest.raises(ValueError, match="leave the scaler out"):
        export(scaled, tmp_path / "m.h", to="c", fixed=16)
    far = make_pipeline(TableEncoder(), Perceptron(max_epochs=5)).fit(X + 1e6, y)
    with pytest.raises(ValueError, match="use fewer bits"):
        export(far, tmp_path / "m.h", to="c", fixed=16)
    assert not list(tmp_path.iterdir())
