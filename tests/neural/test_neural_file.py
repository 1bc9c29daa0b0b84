"""Model files of networks: what is loaded scores the same, bit for bit, and what does not fit is refused."""

import json
import warnings

import jsonschema
import numpy as np
import pytest

pytest.importorskip("torch")

from sklearn.exceptions import ConvergenceWarning

from perceptrons import Costs, SelectiveClassifier, load, save
from perceptrons.model_file import schema
from perceptrons.neural import Adaptive, Growing, MarginMLPClassifier
from tests.forging import forge

pytestmark = pytest.mark.torch

SCHEMA = jsonschema.Draft202012Validator(json.loads(schema.text()))
rng = np.random.default_rng(0)
X = rng.normal(size=(150, 3))
PRODUCTS = X[:, 0] * X[:, 1]
TWO, THREE = np.where(PRODUCTS > 0, "yes", "no"), np.digitize(PRODUCTS, [-0.3, 0.3])
CASES = [
    ({}, THREE),
    ({}, TWO),
    ({"schedule": Growing(0.5, 2.0)}, TWO),
    ({"schedule": Adaptive(0.01)}, THREE),
    ({"costs": Costs()}, THREE),
    ({"costs": Costs(wrong={"yes": 2, "no": 1}, reject=0.3)}, TWO),
    ({"standardize": False, "optimizer": "sgd"}, TWO),
]


def fitted(settings, y, dtype=np.float64):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # a few epochs
        return MarginMLPClassifier(max_epochs=6, random_state=0, **settings).fit(X.astype(dtype), y)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("settings", "y"), CASES)
def test_what_is_loaded_scores_the_same(settings, y, dtype, tmp_path):
    path = tmp_path / "model.json"
    model = fitted(settings, y, dtype)
    save(model, path)
    SCHEMA.validate(json.loads(path.read_text()))
    twin = load(path)
    assert np.array_equal(model.decision_function(X), twin.decision_function(X))
    assert np.array_equal(model.predict(X), twin.predict(X))
    assert vars(model).keys() == vars(twin).keys()
    for name in {"n_updates_", "margin_", "training_risk_", "n_iter_", "loss_curve_"} & vars(model).keys():
        assert getattr(model, name) == getattr(twin, name)
    assert repr(twin.loss_) == repr(model.loss_)
    assert (repr(twin), twin.reject_label_) == (repr(model), model.reject_label_)
    assert twin.network_[-1].weight.dtype == model.network_[-1].weight.dtype


def test_a_network_inside(tmp_path):
    path = tmp_path / "model.json"
    inner = MarginMLPClassifier(max_epochs=30, random_state=0)
    model = SelectiveClassifier(inner, max_error=0.45, confidence=0.6, random_state=0).fit(X, TWO)
    save(model, path)
    assert np.array_equal(load(path).predict(X), model.predict(X))


def nest(*names):
    *path, last = names

    def part(fitted):
        for name in path:
            fitted = fitted[name]
        return fitted, last

    return part


FORGED = [
    (nest("network_", "gain"), None, "mean without a gain"),
    (nest("network_", "hidden_bias", "dtype"), "float32", "must be|two precisions"),
    (nest("network_", "output_weight", "shape"), [100, 3], "it must have|as the rest implies"),
    (nest("loss_", "clock"), None, "costs, but no bands"),
    (nest("loss_", "level"), 2.0, "not Adaptive"),
    (nest("training_risk_"), 0.5, "belongs to costs"),
    (nest("classes_", "values"), [0, 0, 1], "ascending"),
    (nest("reject_label_"), "auto", "must be the label itself"),
]


@pytest.mark.parametrize(("place", "value", "message"), FORGED)
def test_forged_files_are_refused(place, value, message, tmp_path):
    path = tmp_path / "model.json"
    save(fitted({}, THREE), path)

    def change(parts):
        part, name = place(parts)
        part[name] = value

    with pytest.raises(ValueError, match=message):
        load(forge(path, change))
