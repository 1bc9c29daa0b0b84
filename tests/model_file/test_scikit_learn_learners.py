"""Files of scikit-learn's learners: the same predictions after loading; trees that lead astray refused."""

import json

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from perceptrons import load, save
from perceptrons.model_file.document import FORMAT
from perceptrons.model_file.estimators import declared, pack, unpack

X, Y = load_iris(return_X_y=True)
LABELS = [Y, (Y > 0).astype(int), np.array(["a", "b", "c"])[Y]]
MODELS = [
    LogisticRegression(C=2.0, max_iter=1000, class_weight="balanced"),
    DecisionTreeClassifier(max_depth=3, random_state=0),
    DecisionTreeClassifier(class_weight="balanced", random_state=0),
]


@pytest.mark.parametrize("y", LABELS, ids=["numbers", "two", "texts"])
@pytest.mark.parametrize("model", MODELS, ids=["logistic", "shallow", "deep"])
def test_a_loaded_model_is_the_same(tmp_path, model, y):
    save(model.fit(X, y), tmp_path / "m.json")
    again = load(tmp_path / "m.json")
    assert again.get_params() == model.get_params()
    assert (again.predict_proba(X) == model.predict_proba(X)).all()
    assert (again.predict(X) == model.predict(X)).all()
    save(again, tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "m.json").read_bytes()
    assert json.loads((tmp_path / "m.json").read_text())["format"] == FORMAT


def test_missing_values_go_the_way_they_went(tmp_path):
    holed = X.copy()
    holed[::3, 2] = np.nan
    model = DecisionTreeClassifier(max_depth=4, random_state=0).fit(holed, Y)
    save(model, tmp_path / "m.json")
    assert (load(tmp_path / "m.json").predict_proba(holed) == model.predict_proba(holed)).all()


@pytest.mark.parametrize(
    ("name", "node", "value"),
    [
        ("left", 0, 0),  # round in a circle
        ("left", 0, 10**6),
        ("left", 2, 1),
        ("right", 0, -1),
        ("feature", 0, 4),
        ("feature", 0, -1),
        ("missing_left", 0, 2),
        ("n_rows", 0, -1),
    ],
)
def test_a_tree_that_leads_astray_is_refused(name, node, value):
    packed = pack(DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, Y))
    packed["fitted"]["tree_"][name]["values"][node] = value
    with pytest.raises(ValueError, match=r"tree_ (has|splits)"):
        unpack(packed)


def test_what_a_file_may_not_say():
    packed = pack(LogisticRegression().fit(X, Y > 0))
    assert packed["parameters"] == {}
    packed["parameters"] = {"penaltyy": 1}
    with pytest.raises(ValueError, match="penaltyy"):
        unpack(packed)
    packed = pack(LogisticRegression().fit(X, Y > 0))
    packed["fitted"]["coef_"]["shape"], packed["fitted"]["intercept_"]["shape"] = [2, 2], [2]
    packed["fitted"]["intercept_"]["values"] *= 2
    with pytest.raises(ValueError, match=r"columns|features|2|coef_"):
        unpack(packed)
    assert declared("LogisticRegression").schema()["properties"]["fitted"]["properties"].keys() >= {"coef_"}
