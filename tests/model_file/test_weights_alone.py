"""`save(…, certificate=False)`: the weights and nothing else."""

import json

import jsonschema
import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from perceptrons import (
    BinaryPerceptron,
    ConservativePerceptron,
    KernelPerceptron,
    MaxMarginPerceptron,
    Perceptron,
    SparsePerceptron,
    load,
    save,
    verify,
)
from perceptrons.margin.certificates import certify_margin as certify
from perceptrons.model_file import schema
from tests.margin.classic import classic

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

RNG = np.random.default_rng(0)
X = RNG.normal(size=(3000, 4))
CODES = (X @ [1.0, -2.0, 0.5, 0.0] + RNG.normal(size=3000) > 0).astype(int)
THREE = CODES + (X[:, 3] > 1)
SCHEMA = jsonschema.Draft202012Validator(json.loads(schema.text()))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.json"


def weights_alone(model, path):
    save(model, path, certificate=False)
    SCHEMA.validate(json.loads(path.read_text()))
    return load(path)


@pytest.mark.parametrize("y", [CODES, THREE, np.array(["no", "yes"])[CODES]], ids=["two", "three", "text"])
@pytest.mark.parametrize("make", [Perceptron, MaxMarginPerceptron])
def test_it_predicts_as_before_and_is_small(make, y, path):
    settings = {"random_state": 0} if make is Perceptron else {"C": 1.0}
    model = make(**settings).fit(pd.DataFrame(X, columns=list("abcd")), y)
    save(model, path)
    whole = path.stat().st_size
    twin = weights_alone(model, path)
    assert path.stat().st_size < 2500 < whole / 3
    rows = pd.DataFrame(X, columns=list("abcd"))
    assert (twin.predict(rows) == model.predict(rows)).all()
    assert (twin.decision_function(rows) == model.decision_function(rows)).all()
    assert twin.get_params() == model.get_params()
    assert sorted(vars(twin).keys() - twin.get_params().keys()) == [
        "_seen_rows",
        "classes_",
        "coef_",
        "feature_names_in_",
        "intercept_",
        "n_features_in_",
    ]
    assert (weights_alone(twin, path).coef_ == model.coef_).all()


def test_what_it_cannot_do_is_said(path):
    model = Perceptron(random_state=0, warm_start=True).fit(X, CODES)
    twin = weights_alone(model, path)
    why = r"was saved without its certificate.*no duals.*certificate=True"
    for check in (lambda: certify(twin, X, CODES), lambda: verify(model.certificate_, twin, X, CODES)):
        with pytest.raises(ValueError, match=why):
            check()
    with pytest.raises(
        ValueError, match=r"warm_start=True goes on where training ended.*weights alone; use certificate=True"
    ):
        twin.fit(X, CODES)
    with pytest.raises(ValueError, match=r"partial_fit goes on where training ended.*coef_init=model.coef_"):
        twin.partial_fit(X, CODES)
    with pytest.raises(
        ValueError, match=r"This Perceptron has no certificate to save.*certificate=False again"
    ):
        save(twin, path)
    twin.fit(X, CODES, coef_init=twin.coef_, intercept_init=twin.intercept_)
    again = twin.certificate_  # of the corrections since then; what came before is not known
    assert again.margin_bound >= again.margin
    assert again.generalization_bound() is None
    verify(again, twin, X, CODES)
    fresh = weights_alone(model, path).set_params(warm_start=False).fit(X, CODES)
    assert (fresh.coef_ == model.set_params(warm_start=False).fit(X, CODES).coef_).all()
    save(fresh, path)
    verify(load(path).certificate_, load(path), X, CODES)


def test_pipelines(path):
    model = make_pipeline(StandardScaler(), classic(max_epochs=2, random_state=0)).fit(X, CODES)
    twin = weights_alone(model, path)
    assert (twin.predict(X) == model.predict(X)).all()
    with pytest.raises(ValueError, match="saved without its certificate"):
        certify(twin, X, CODES)


def test_of_others_the_file_is_the_same(path):
    few, codes = X[:60], CODES[:60]
    for model in (
        KernelPerceptron(random_state=0),
        ConservativePerceptron(random_state=0),
        BinaryPerceptron(random_state=0),
        SparsePerceptron(),
        StandardScaler(),
    ):
        save(model.fit(few, codes), path)
        whole = path.read_bytes()
        save(model, path, certificate=False)
        assert path.read_bytes() == whole


def test_what_is_no_such_file(path):
    save(Perceptron(random_state=0).fit(X, THREE), path, certificate=False)
    from perceptrons.model_file.document import to_bytes

    for place, value, message in [
        (("weights", "classes_", "values"), [0, 1], "values is .* but it must be a list of 3 values"),
        (("weights", "coef_", "shape"), [4, 3], "weights.coef_ has 4 features|weights.coef_ has 3 features"),
        (("weights", "support_"), [], "weights.'support_' is nothing this version knows"),
        (("fitted",), {}, "'fitted' is nothing this version knows"),
        (("class",), "KernelPerceptron", "'weights' is nothing this version knows"),
    ]:
        document = json.loads(path.read_text())
        inner = document["model"]
        for step in place[:-1]:
            inner = inner[step]
        inner[place[-1]] = value
        other = path.with_name("other.json")
        other.write_bytes(to_bytes({part: document[part] for part in ("library", "about", "model")}))
        with pytest.raises(ValueError, match=message):
            load(other)
    with pytest.raises(ValueError, match="certificate must be True, False, or what certify or draw returned"):
        save(classic().fit(X, CODES), path, certificate=1)
