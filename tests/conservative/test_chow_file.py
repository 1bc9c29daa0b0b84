"""Model files of `ChowClassifier`: any estimator of ours inside, every calibration, and what is refused."""

import json

import jsonschema
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from perceptrons import ChowClassifier, Costs, Perceptron, load, save
from perceptrons.model_file import schema
from tests.forging import forge

SCHEMA = jsonschema.Draft202012Validator(json.loads(schema.text()))
rng = np.random.default_rng(0)
X = rng.integers(-4, 5, (240, 3)).astype(float)
SCORES = X @ [2, -1, 1] + rng.normal(size=240)
TWO, THREE = np.where(SCORES > 0, "yes", "no"), np.digitize(SCORES, [-2, 2])


def averaged():
    return Perceptron(result="average", random_state=0)


CASES = [
    (ChowClassifier(averaged()), THREE),
    (ChowClassifier(averaged(), Costs(gain=0.1, wrong={"yes": 2, "no": 1}, reject=0.3)), TWO),
    (ChowClassifier(averaged(), calibration="isotonic"), THREE),
    (ChowClassifier(averaged(), calibration="isotonic", reject_label=None), TWO),
    (ChowClassifier(ChowClassifier(averaged()), calibration=None), TWO),
    (ChowClassifier(make_pipeline(StandardScaler(), averaged())), THREE),
    (ChowClassifier(FrozenEstimator(averaged().fit(X[:100], TWO[:100]))), TWO),
]


@pytest.mark.parametrize(("model", "y"), CASES)
def test_what_is_loaded_decides_the_same(model, y, tmp_path):
    path = tmp_path / "model.json"
    model = clone(model).fit(X, y)
    save(model, path)
    SCHEMA.validate(json.loads(path.read_text()))
    twin = load(path)
    assert np.array_equal(model.predict_proba(X), twin.predict_proba(X))
    assert np.array_equal(model.predict(X), twin.predict(X))
    assert model.threshold_ == twin.threshold_
    assert model.risk(X, y) == twin.risk(X, y)
    assert vars(model).keys() == vars(twin).keys()
    assert (twin.n_features_in_, repr(twin)) == (3, repr(model))
    save(twin, path)  # and once more, from what was loaded
    assert np.array_equal(load(path).predict_proba(X), model.predict_proba(X))
    assert np.array_equal(twin.fit(X, y).predict_proba(X), model.predict_proba(X))


def curve(fitted):
    return fitted["calibrated_"][0]


FORGED = [
    (lambda fitted: fitted.update(calibrated_=None), "calibrated_ says otherwise"),
    (lambda fitted: fitted["calibrated_"].pop(), "2 curves for 3 classes"),
    (lambda fitted: curve(fitted).update(slope="nan"), "a finite number"),
    (lambda fitted: fitted["prices"]["reject"].update(values=[2.0, 2.0, 2.0]), "rejections that cost less"),
    (lambda fitted: fitted["classes_"].update(values=[0, 1, 3]), "estimator_ knows the classes"),
    (lambda fitted: fitted.update(reject_label_=1), "one of the classes"),
    (lambda fitted: fitted.update(reject_label_="auto"), "must be the label itself"),
]


@pytest.mark.parametrize(("change", "message"), FORGED)
def test_forged_files_are_refused(change, message, tmp_path):
    path = tmp_path / "model.json"
    save(ChowClassifier(averaged()).fit(X, THREE), path)
    with pytest.raises(ValueError, match=message):
        load(forge(path, change))


def test_curves_that_leave_probabilities_are_refused(tmp_path):
    path = tmp_path / "model.json"
    save(ChowClassifier(averaged(), calibration="isotonic").fit(X, TWO), path)

    def change(fitted):
        curve(fitted)["posteriors"]["values"][0] = -0.5

    with pytest.raises(ValueError, match="leaves"):
        load(forge(path, change))
