"""Conservative perceptrons in model files: what is kept, and what is not believed."""

import numpy as np
import pytest

from perceptrons import ConservativePerceptron, Costs, load, save
from tests.forging import forge

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def rows():
    rng = np.random.RandomState(0)
    X = rng.standard_normal((60, 2))
    return X, np.where(X[:, 0] + 0.8 * rng.standard_normal(60) > 0, "yes", "no")


def small(**parameters):
    return ConservativePerceptron(n_restarts=1, max_epochs=5, random_state=0, **parameters)


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"reject_cost": 0},
        {"costs": Costs(gain=1, wrong={"yes": 5, "no": 2}, reject=1)},
        {"reject_label": None},
        {"reject_label": float("nan")},
        {"max_band": 0.5, "eta_weights": [0.1], "eta_bands": (0.1, 1)},
        {"class_weight": {"yes": 2, "no": 0.5}, "n_jobs": 2},
        {"class_weight": "balanced", "n_jobs": -1},
    ],
)
@pytest.mark.filterwarnings("ignore:Rejections cost nothing")
def test_the_model_file_keeps_it(tmp_path, parameters):
    X, y = rows()
    model = small(**parameters).fit(X, y)
    save(model, tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    assert repr(again.get_params()) == repr(model.get_params())  # NaN is not equal to itself
    assert again.predict(X).dtype == model.predict(X).dtype
    assert again.predict(X).tolist() == pytest.approx(model.predict(X).tolist(), nan_ok=True)
    assert (again.rejects(X) == model.rejects(X)).all()
    assert again.risk(X, y) == model.risk(X, y)
    assert vars(again).keys() == vars(model).keys()


def test_it_is_kept_as_it_was_fitted(tmp_path):
    """Parameters may be set anew afterwards, which does not change the model."""
    X, y = rows()
    model = small().fit(X, y)
    risk = model.risk(X, y)
    save(model.set_params(reject_cost=0.5, reject_label="?"), tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    assert (again.reject_cost, again.reject_label_) == (0.5, "reject")
    assert again.risk(X, y) == risk


CHANGED = [
    (lambda fitted: fitted["bands_"].update(values=[-1.0, 0.0]), "bands_ are .* but they must be >= 0"),
    (lambda fitted: fitted["bands_"].update(values=["nan", 0.0]), "bands_ are"),
    (lambda fitted: fitted["classes_"].update(shape=[1], values=["no"]), "2 labels or more"),
    (lambda fitted: fitted["prices"]["wrong"].update(values=[0.1, 1.0]), "prices must be"),
    (lambda fitted: fitted["prices"]["gain"].update(values=[-0.1, 0.0]), "prices must be"),
    (lambda fitted: fitted["prices"]["reject"].update(shape=[1], values=[0.1]), "has 1 classes"),
    (lambda fitted: fitted.update(reject_label_="yes"), "one of the classes .*; choose another label\\.$"),
    (lambda fitted: fitted.update(reject_label_="auto"), "must be the label itself"),
    (lambda fitted: fitted.update(reject_label_=[1]), "reject_label"),
    (lambda fitted: fitted["coef_"].update(shape=[1, 1], values=[1.0]), "features"),
    (lambda fitted: fitted["coef_"].update(shape=[2, 1]), "coef_"),
    (lambda fitted: fitted.update(n_iter_=0), "n_iter_"),
    (lambda fitted: fitted["step_sizes_"].update(values=[-0.1, 0.1]), "step_sizes_ are"),
    (lambda fitted: fitted["prices"]["wrong"].update(values=[1e308, 1.0]), "prices must be"),
]


@pytest.mark.parametrize(("change", "message"), CHANGED)
def test_files_that_no_fit_wrote_are_refused(tmp_path, change, message):
    """Each change on its own, the checksum mended."""
    save(small().fit(*rows()), tmp_path / "model.json")
    with pytest.raises(ValueError, match=f"cannot be loaded: .*({message})"):
        load(forge(tmp_path / "model.json", change))
