"""Model files of this room: with any estimator of ours inside, fitted again or not, and what they refuse."""

import json

import jsonschema
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from perceptrons import (
    BinaryPerceptron,
    Cascade,
    ConservativePerceptron,
    KernelPerceptron,
    MaxMarginPerceptron,
    Perceptron,
    PrunedPerceptron,
    SelectiveClassifier,
    SparsePerceptron,
    load,
    save,
)
from perceptrons.model_file import schema
from perceptrons.model_file.document import to_bytes
from tests.forging import forge

SCHEMA = jsonschema.Draft202012Validator(json.loads(schema.text()))
rng = np.random.default_rng(0)
X = rng.integers(-4, 5, (400, 3)).astype(float)
y = np.where(X @ [2, -1, 1] + rng.normal(size=400) > 0, "yes", "no")
INSIDE = [
    Perceptron(random_state=0),
    make_pipeline(StandardScaler(), Perceptron(random_state=0)),
    KernelPerceptron("rbf", random_state=0),
    MaxMarginPerceptron(C=1.0),
    ConservativePerceptron(max_epochs=10, n_restarts=2, random_state=0),
    SparsePerceptron(stages=5, random_state=0),
    PrunedPerceptron(random_state=0),
    BinaryPerceptron(random_state=0),
]
SETTINGS = {"max_error": 0.2, "random_state": 0}


def again(model, path):
    save(model, path)
    SCHEMA.validate(json.loads(path.read_text()))
    return load(path)


def assert_same(model, twin):
    assert np.array_equal(model.predict(X), twin.predict(X))
    assert np.array_equal(model.thresholds_, twin.thresholds_)
    assert model.promises_ == twin.promises_
    assert model.reject_label_ == twin.reject_label_
    assert model.risk(X, y) == twin.risk(X, y)
    assert vars(model).keys() == vars(twin).keys()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning", "ignore:Nothing can be promised")
@pytest.mark.parametrize("inside", INSIDE, ids=lambda one: type(one).__name__)
def test_any_estimator_of_ours_inside(inside, tmp_path):
    model = SelectiveClassifier(inside, **SETTINGS).fit(X, y)
    twin = again(model, tmp_path / "model.json")
    assert_same(model, twin)
    assert repr(twin) == repr(model)
    assert_same(clone(model).fit(X, y), twin.fit(X, y))  # what was inside the constructor is there, too


@pytest.mark.parametrize("frozen", [False, True])
def test_one_that_was_fitted_before(frozen, tmp_path):
    fitted = Perceptron(random_state=0).fit(X[:200], y[:200])
    model = SelectiveClassifier(
        FrozenEstimator(fitted) if frozen else fitted, cv=None if frozen else "prefit", **SETTINGS
    ).fit(X[200:], y[200:])
    twin = again(model, tmp_path / "model.json")
    assert_same(model, twin)
    assert_same(model, twin.fit(X[200:], y[200:]))


def test_per_class_and_nothing_promised(tmp_path):
    with pytest.warns(UserWarning, match="Nothing about the answer"):
        model = SelectiveClassifier(Perceptron(random_state=0), 0.001, per_class=True, random_state=0).fit(
            X, y
        )
    assert_same(model, again(model, tmp_path / "model.json"))


def test_what_is_not_ours_cannot_be_saved(tmp_path):
    model = SelectiveClassifier(GaussianNB(), **SETTINGS).fit(X, y)
    with pytest.raises(ValueError, match="its estimator is a GaussianNB, which cannot be saved"):
        save(model, tmp_path / "model.json")


def test_what_was_set_on_the_estimator_inside_would_be_lost(tmp_path):
    model = SelectiveClassifier(Perceptron(random_state=0), **SETTINGS).fit(X, y)
    model.estimator_.mark = 1
    with pytest.raises(ValueError, match="Perceptron cannot be saved: it has mark"):
        save(model, tmp_path / "model.json")


FORGED = [
    (("fitted", "promises_", 0, "n_errors"), 200, "contradicts itself"),
    (("fitted", "promises_", 0, "n_errors"), 100, "does not follow from its counts"),
    (("fitted", "promises_", 0, "max_error"), 0.0001, "does not follow from its counts"),
    (("fitted", "promises_", 0, "threshold"), "nan", "contradicts itself"),
    (("fitted", "promises_"), [], "0 promises for 2 classes"),
    (("fitted", "classes_", "values"), ["a", "b"], "estimator_ knows the classes"),
    (("fitted", "reject_label_"), "yes", "one of the classes"),
    (("parameters", "estimator", "class"), "Popen", "must be one of"),
    (("parameters", "estimator", "parameters"), {"shell": True}, "is nothing this version knows"),
    (("fitted", "estimator_", "class"), "Popen", "must be one of"),
]


@pytest.mark.parametrize(("place", "value", "message"), FORGED)
def test_forged_files_are_refused(place, value, message, tmp_path):
    path = tmp_path / "model.json"
    save(SelectiveClassifier(Perceptron(random_state=0), **SETTINGS).fit(X, y), path)
    document = json.loads(path.read_text())
    part = document["model"]
    for name in place[:-1]:
        part = part[name]
    part[place[-1]] = value
    path.write_bytes(to_bytes({part: document[part] for part in ("library", "about", "model")}))
    with pytest.raises(ValueError, match=message):
        load(path)


def test_a_cascade(tmp_path):
    stages = [Perceptron(result="average", random_state=0), KernelPerceptron("rbf", random_state=0)]
    model = Cascade(stages, stage_costs=[0.0, 0.01], cv=3, random_state=0).fit(X, y)
    twin = again(model, tmp_path / "model.json")
    assert np.array_equal(model.predict(X), twin.predict(X))
    assert np.array_equal(model.answered_by(X), twin.answered_by(X))
    assert model.risk(X, y) == twin.risk(X, y)
    assert (model.prices_, model.risk_) == (twin.prices_, twin.risk_)
    assert vars(model).keys() == vars(twin).keys()
    assert np.array_equal(twin.fit(X, y).answered_by(X), model.answered_by(X))


def shorter(fitted):
    fitted["prices_"].pop()


def without_price(fitted):
    fitted["prices_"][0] = None


def of_others(fitted):
    fitted["classes_"]["values"] = ["a", "b"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (shorter, "not as many prices"),
        (without_price, "each other stage has one"),
        (of_others, "knows the classes"),
    ],
)
def test_forged_cascades_are_refused(change, message, tmp_path):
    path = tmp_path / "model.json"
    stages = [Perceptron(result="average", random_state=0)] * 2
    save(Cascade(stages, cv=3, random_state=0).fit(X, y), path)
    with pytest.raises(ValueError, match=message):
        load(forge(path, change))
