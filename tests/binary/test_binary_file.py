"""Binary perceptrons in model files: what is kept, what is not, and what is not believed."""

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

from perceptrons import BinaryPerceptron, LiteralEncoder, load, save
from tests.forging import forge

RNG = np.random.default_rng(0)
X = RNG.choice([-1, 1], (60, 70)).astype(np.int8)
Y = np.where(X[:, :5].sum(axis=1) > 0, "yes", "no")

FRACTIONS = [0.4, 0.4, 0.9, 0.2, 0.7]  # with which sums that should be equal are not


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"method": "clipped-hebb", "threshold": -3},
        {"method": "sbpi", "random_state": 0},
        {"binarize": None, "threshold": "figure-1"},
        {"binarize": 0.5, "epsilon": 0.3},
    ],
)
def test_the_model_file_keeps_it(tmp_path, parameters):
    model = BinaryPerceptron(**parameters).fit(X, Y)
    save(model, tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    assert again.get_params() == model.get_params()
    assert (again.predict(X) == model.predict(X)).all()
    assert again.packed_.n_bytes == model.packed_.n_bytes
    assert vars(again).keys() == vars(model).keys()
    for name in ("coef_", "influence_", "neglected_", "cuts_", "intercept_"):
        assert (getattr(again, name) == getattr(model, name)).all()
        assert getattr(again, name).dtype == getattr(model, name).dtype
    assert all(np.array_equal(mine, its) for mine, its in zip(model.counts_, again.counts_, strict=True))


def test_weights_that_are_fractions_one_class_and_pipelines(tmp_path):
    for model, rows in [
        (BinaryPerceptron().fit(X, Y, sample_weight=RNG.random(60)), X),
        (
            BinaryPerceptron().fit([[1, 0], [1, 1], [1, 0], [0, 1], [1, 1]], [0, 0, 0, 1, 1], FRACTIONS),
            X[:, :2],
        ),
        (BinaryPerceptron().fit(X, np.full(60, 3)), X),
        (make_pipeline(LiteralEncoder(), BinaryPerceptron()).fit(X, Y), X),
    ]:
        save(model, tmp_path / "model.json")
        assert (load(tmp_path / "model.json").predict(rows) == model.predict(rows)).all()


def test_a_loaded_model_counts_on_only_where_it_needs_no_rows(tmp_path):
    half = BinaryPerceptron(method="clipped-hebb").fit(X[:30], Y[:30])
    save(half, tmp_path / "model.json")
    whole = BinaryPerceptron(method="clipped-hebb").fit(X, Y)
    assert (load(tmp_path / "model.json").partial_fit(X[30:], Y[30:]).coef_ == whole.coef_).all()
    save(BinaryPerceptron().fit(X[:30], Y[:30]), tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    before = vars(again).copy()
    with pytest.raises(ValueError, match="epsilon='auto' needs rows, and this model has kept none"):
        again.partial_fit(X[30:], Y[30:])
    assert vars(again) == before
    again.set_params(epsilon=0.1)
    with pytest.raises(ValueError, match="threshold='min-error' needs rows, and this model has kept none"):
        again.partial_fit(X[30:], Y[30:])
    assert again.set_params(threshold=0).partial_fit(X[30:], Y[30:]).counts_.rows == 60


CHANGED = [
    (lambda fitted: fitted["coef_"]["values"].__setitem__(0, 2), "coef_ holds other numbers"),
    (lambda fitted: fitted["coef_"]["values"].__setitem__(0, 300), "coef_"),
    (
        lambda fitted: fitted["neglected_"]["values"].__setitem__(0, True),
        "weights of columns that are neglected_",
    ),
    (lambda fitted: fitted["counts_"]["ones"]["values"].__setitem__(0, 61), "counts_ are no counts"),
    (lambda fitted: fitted["counts_"]["ones"]["values"].__setitem__(0, -1), "counts_ are no counts"),
    (lambda fitted: fitted["counts_"]["rows"].update(values=[0]), "counts_ are no counts"),
    (lambda fitted: fitted["cuts_"].update(shape=[1], values=[0.0]), "features"),
    (lambda fitted: fitted["cuts_"]["values"].__setitem__(0, "inf"), "cuts_"),
    (lambda fitted: fitted["classes_"].update(shape=[3], values=["a", "b", "c"], dtype="<U1"), "3 classes"),
    (lambda fitted: fitted["classes_"].update(shape=[0], values=[]), "classes"),
    (lambda fitted: fitted.update(threshold_=0.5), "threshold_"),
    (lambda fitted: fitted.update(n_epochs_=-1), "n_epochs_"),
]


@pytest.mark.parametrize(("change", "message"), CHANGED)
def test_files_that_no_fit_wrote_are_refused(tmp_path, change, message):
    """Each change on its own, the checksum mended."""
    save(BinaryPerceptron(epsilon=0.01).fit(X, Y), tmp_path / "model.json")
    with pytest.raises(ValueError, match=f"cannot be loaded: .*({message})"):
        load(forge(tmp_path / "model.json", change))
