"""Sparse and pruned perceptrons in model files: what is kept, and what is not believed."""

import copy

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import KFold

from perceptrons import PrunedPerceptron, SparsePerceptron, load, save
from perceptrons.model_file.document import from_bytes, to_bytes
from tests.planted import planted_table


@pytest.mark.parametrize(
    "parameters",
    [
        {"max_stages": 6},
        {"k": 3, "stages": 8, "penalty": False, "beam": 50, "max_visits": 10**6},
        {"booster": "majority", "stages": 9, "target_size": 4},
        {"booster": "majority", "max_stages": 7},
    ],
)
def test_the_model_file_keeps_it(parameters, tmp_path):
    columns, y = planted_table(12)
    X = pd.DataFrame(columns)
    for classes in (y, np.where(columns["width"] > 15, "wide", y)):
        weight = {str(label): 1.0 + (label == "edible") for label in np.unique(classes)}
        model = SparsePerceptron(refit="stagewise", random_state=0, class_weight=weight, **parameters).fit(
            X, classes
        )
        save(model, tmp_path / "model.json")
        again = load(tmp_path / "model.json")
        assert again.get_params() == model.get_params()
        assert (again.decision_function(X) == model.decision_function(X)).all()
        assert again.to_text() == model.to_text()
        for name in ("history_", "stages_", "gamma_", "missed_", "cv_trials_"):
            assert getattr(again, name) == getattr(model, name)
        assert np.array_equal(again.cv_accuracy_, model.cv_accuracy_)
        assert again.weights_.dtype == model.weights_.dtype
        assert list(map(tuple, again.staged_predict(X))) == list(map(tuple, model.staged_predict(X)))
        assert clone(again).fit(X, classes).to_text() == model.to_text()


def test_files_that_no_fit_wrote_are_refused(tmp_path):
    """Each change on its own, the checksum mended: indices would be looked up, stages believed."""
    columns, y = planted_table(12)
    votes = SparsePerceptron(refit="stagewise", booster="majority", stages=5, random_state=0)
    for model in (SparsePerceptron(refit="stagewise", stages=5), PrunedPerceptron(random_state=0), votes):
        save(model.fit(pd.DataFrame(columns), y), tmp_path / "model.json")
        document = from_bytes((tmp_path / "model.json").read_bytes())
        changes = PLACES_CHANGED if isinstance(model, PrunedPerceptron) else STAGES_CHANGED
        for change in VOTES_CHANGED if model is votes else changes:
            forged = copy.deepcopy({part: document[part] for part in ("library", "about", "model")})
            change(forged["model"]["fitted"])
            (tmp_path / "forged.json").write_bytes(to_bytes(forged))
            with pytest.raises(ValueError, match="cannot be loaded"):
                load(tmp_path / "forged.json")


def of_one_class(fitted):
    """As many vectors as two classes have."""
    fitted["classes_"].update(shape=[1], values=fitted["classes_"]["values"][:1])


STAGES_CHANGED = [
    of_one_class,
    lambda fitted: fitted["runs"].append([]),
    lambda fitted: fitted["runs"][0][0].update(literals=[99]),
    lambda fitted: fitted["runs"][0][0].update(literals=[5, 0]),
    lambda fitted: fitted["runs"][0][0].update(literals=[0, 1]),  # one column's
    lambda fitted: fitted["runs"][0][0].update(literals=[-1]),
    lambda fitted: fitted["runs"][0][0].update(sign=0),
    lambda fitted: fitted["runs"][0][0].update(error=0.7),
    lambda fitted: fitted["runs"][0][0].update(weight=-1.0),
    lambda fitted: fitted["runs"][0][0].update(weight=0.0),
    lambda fitted: fitted["runs"][0][0].update(weight=77.0),
    lambda fitted: fitted["runs"][0][0].update(error=0.0, weight=1.0),  # and yet it goes on
    lambda fitted: fitted["encoder_"]["fitted"]["feature_names_in_"].reverse(),
    lambda fitted: fitted["encoder_"]["fitted"].update(feature_names_in_=None),
    lambda fitted: fitted["encoder_"]["fitted"]["kinds_"].append("nominal"),
    lambda fitted: fitted["encoder_"]["fitted"]["thresholds_"][1].append(-1.0),
]
VOTES_CHANGED = [
    lambda fitted: fitted.update(gamma_=None),
    lambda fitted: fitted.update(gamma_=0.0),
    lambda fitted: fitted.update(gamma_=7.0),
    lambda fitted: fitted.update(cv_trials_=None),
    lambda fitted: fitted.update(cv_accuracy_=None),
    lambda fitted: fitted["cv_trials_"].pop(),
    lambda fitted: fitted["cv_trials_"][0].update(stages=2),
    lambda fitted: fitted["cv_trials_"][0].update(gamma=0.6),
    lambda fitted: fitted.update(totals=None),
    lambda fitted: fitted["totals"].append([]),
    lambda fitted: fitted["totals"][0].clear(),
    lambda fitted: fitted["totals"][0].reverse(),
    lambda fitted: fitted["totals"][0][0].update(rows=0.0),
    lambda fitted: fitted["totals"][0][0].update(positive=1e9),
    lambda fitted: fitted["runs"][0][0].update(weight=2.0),
    lambda fitted: fitted["runs"][0][0].update(error=0.0),  # and yet it goes on
]
PLACES_CHANGED = [
    lambda fitted: fitted["places"][0].append(99),
    lambda fitted: fitted["places"][0].clear(),
    lambda fitted: fitted["places"].append([0]),
    lambda fitted: fitted["weights"].update(shape=[2, 1]),
    lambda fitted: fitted["paths"].append([]),
]


def test_a_pruned_model_comes_back_from_its_file(tmp_path):
    columns, y = planted_table(12)
    X = pd.DataFrame(columns)
    for classes in (y, np.where(columns["width"] > 15, "wide", y)):
        model = PrunedPerceptron(random_state=0).fit(X, classes)
        save(model, tmp_path / "model.json")
        again = load(tmp_path / "model.json")
        assert again.to_text() == model.to_text()
        assert again.path_ == model.path_
        assert (again.decision_function(X) == model.decision_function(X)).all()


@pytest.mark.parametrize("cv", [KFold(3), [(list(range(80)), list(range(80, 120)))]])
def test_how_rows_were_split_is_not_kept(cv, tmp_path):
    columns, y = planted_table(12)
    X = pd.DataFrame(columns)
    model = SparsePerceptron(refit="stagewise", cv=cv).fit(X, y)
    save(model, tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    assert again.to_text() == model.to_text()
    with pytest.raises(ValueError, match="is not in the model file"):
        again.fit(X, y)
    assert again.set_params(cv=cv).fit(X, y).to_text() == model.to_text()
