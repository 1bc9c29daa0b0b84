"""`SparsePerceptron` given what is odd, wrong, huge, empty or hostile."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from perceptrons import SparsePerceptron
from tests.naive import boosting as naive
from tests.planted import planted_table

pytestmark = [
    pytest.mark.kernels,
    pytest.mark.filterwarnings("ignore:Of all numbers of stages the last tried"),
]


@pytest.mark.parametrize(
    ("splits", "words"),
    [
        ([], "cv has no splits"),
        ([([0, 1, 2, 3], [])], "a part without rows"),
        ([([], [0, 1])], "a part without rows"),
        ([(np.ones(3, bool), [0])], "cv marks 3 rows, but there are 120"),
    ],
)
def test_splits_that_cannot_be_judged_by(splits, words):
    columns, y = planted_table(7)
    with pytest.raises(ValueError, match=words):
        SparsePerceptron(refit="stagewise", cv=splits).fit(pd.DataFrame(columns), y)


def test_a_fit_that_fails_leaves_the_model_as_it_was():
    columns, y = planted_table(7)
    X = pd.DataFrame(columns)
    model = SparsePerceptron(refit="stagewise", stages=5).fit(X, y)
    before = model.to_text(), model.predict(X).tolist()
    model.set_params(stages="cv", cv=[])
    with pytest.raises(ValueError, match="no splits"):
        model.fit(X.assign(colour=X["width"], more=0).rename(columns={"ring": "veil"}), y)
    assert (model.to_text(), model.predict(X).tolist()) == before
    first = clone(model)
    with pytest.raises(ValueError, match="no splits"):
        first.fit(X, y)
    with pytest.raises(NotFittedError):
        first.predict(X)
    named = model.set_params(stages=3).fit(X, y)
    assert not hasattr(named.fit(X.to_numpy(), y), "feature_names_in_")


def test_weights_from_tiny_to_huge():
    """Relative to one another by 200 orders of magnitude, or all near the largest float."""
    rng = np.random.default_rng(21)
    for case in range(20):
        L, y = rng.integers(0, 2, (30, 5)).astype(float), rng.integers(0, 2, 30)
        weights = 10.0 ** rng.uniform(-200, 0, 30)
        if case % 2:
            weights = np.where(rng.random(30) < 0.5, 1.0, weights)
        model = SparsePerceptron(refit="stagewise", stages=4).fit(L, y, sample_weight=weights)
        attributes = model.encoder_.attributes_.tolist()
        rows = np.asarray(model.encoder_.transform(L)).tolist()
        expected = naive.boost(rows, (2 * y - 1).tolist(), weights.tolist(), attributes, 2, 4)
        assert [stage[:2] for stage in model.history_[-len(expected) :]] == [one[:2] for one in expected]
    huge = SparsePerceptron(refit="stagewise", stages=4).fit(L, y, sample_weight=np.full(30, 1e308))
    assert huge.history_ == SparsePerceptron(refit="stagewise", stages=4).fit(L, y).history_
    by_class = SparsePerceptron(refit="stagewise", stages=4, class_weight={0: 1e308, 1: 1e308}).fit(L, y)
    assert by_class.history_ == huge.history_


def test_errors_that_weigh_next_to_nothing():
    """Heavy rows that one literal decides, and many light ones that it gets wrong: then all is theirs."""
    rng, n_stages = np.random.default_rng(24), 0
    for _ in range(10):
        X = rng.integers(0, 2, (40, 5)).astype(float)
        heavy = np.arange(40) < 8
        y = np.where(heavy | (rng.random(40) < 0.3), X[:, 0], 1 - X[:, 0]).astype(int)
        y[:2], X[:2, 0] = [0, 1], [0, 1]
        weights = np.where(heavy, 1.0, 1e-60)
        model = SparsePerceptron(refit="stagewise", stages=6).fit(X, y, sample_weight=weights)
        rows, attributes = (
            np.asarray(model.encoder_.transform(X)).tolist(),
            model.encoder_.attributes_.tolist(),
        )
        expected = naive.boost(rows, (2 * y - 1).tolist(), weights.tolist(), attributes, 2, 6)
        assert [stage[:2] for stage in model.history_] == [one[:2] for one in expected]
        assert model.history_[0].error < 1e-50
        n_stages += model.stages_
    assert n_stages > 40


@pytest.mark.parametrize("weight", [np.nan, np.inf, -1.0])
def test_weights_of_classes_that_are_none(weight):
    columns, y = planted_table(7)
    with pytest.raises(
        ValueError, match=r"class_weight of the class .edible. is .*, but it must be a number >= 0"
    ):
        SparsePerceptron(refit="stagewise", stages=3, class_weight={"edible": weight}).fit(
            pd.DataFrame(columns), y
        )


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"k": 0}, "k=0, but conjunctions have 1 to 10 literals"),
        ({"k": 11}, "k=11, but conjunctions have 1 to 10 literals"),
        ({"k": True}, "k=True"),
        ({"stages": 0}, "stages=0, but it must be an integer >= 1"),
        ({"stages": "many"}, "stages='many', but it must be one of 'cv', 'theory'"),
        ({"stages": "theory"}, 'stages="theory" needs target_size'),
        ({"stages": "theory", "target_size": 0}, "target_size=0"),
        ({"cv": 1}, "cv=1, but it must be an integer >= 2"),
        ({"max_stages": -1}, "max_stages=-1"),
        ({"booster": "logit"}, "booster='logit', but it must be one of 'adaboost', 'majority'"),
        ({"penalty": 0.5}, "penalty=0.5, but it must be True or False"),
        ({"n_thresholds": 0}, "n_thresholds=0"),
        ({"class_weight": {"blue": 1}}, "names the class .blue., but the classes are"),
    ],
)
def test_wrong_parameters(parameters, words):
    columns, y = planted_table(0)
    with pytest.raises(ValueError, match=words.replace("(", r"\(")):
        SparsePerceptron(refit="stagewise", **parameters).fit(pd.DataFrame(columns), y)


def test_tables_that_nothing_can_be_learned_from():
    X, y = [["a"], ["a"], ["b"]], ["x", "y", "x"]
    with pytest.raises(ValueError, match="one class only: 'x'"):
        SparsePerceptron(refit="stagewise").fit(X, ["x"] * 3)
    with pytest.raises(ValueError, match="No column tells rows apart"):
        SparsePerceptron(refit="stagewise").fit([[None], [None], [None]], y)
    with pytest.raises(ValueError, match="No column tells rows apart"):
        SparsePerceptron(refit="stagewise").fit([[1.0], [1.0], [1.0]], y)
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        SparsePerceptron(refit="stagewise").fit(np.empty((0, 2)), [])
    with pytest.raises(ValueError, match="All rows of the class 'y' have weight 0"):
        SparsePerceptron(refit="stagewise").fit(X, y, sample_weight=[1, 0, 1])
    with pytest.raises(ValueError, match="infinity"):
        SparsePerceptron(refit="stagewise").fit([[1.0], [np.inf], [2.0]], y)
    with pytest.raises(ValueError, match=r"20,001 literals, and k=2 .* at most 20,000"):
        SparsePerceptron(refit="stagewise", stages=1).fit(
            sp.eye_array(20_001, format="csr"), np.arange(20_001) % 2
        )


def test_contradictory_rows_and_chance_are_said():
    with pytest.warns(ConvergenceWarning, match="tells 'y' from the rest better than chance"):
        model = SparsePerceptron(refit="stagewise", stages=5).fit(
            [["a"], ["a"], ["b"], ["b"]], ["x", "y", "x", "y"]
        )
    assert model.predict([["a"], ["b"]]).tolist() == ["x", "x"]
    assert model.n_weights_ == model.stages_ == 0
    assert model.conjunctions_ == []
    with pytest.warns(ConvergenceWarning, match="better than chance"):
        SparsePerceptron(refit="stagewise").fit([["a"], ["a"], ["b"], ["b"]] * 5, ["x", "y", "x", "y"] * 5)


def test_one_attribute_has_no_pairs():
    X, y = [["a"], ["a"], ["b"], ["c"]] * 4, ["x", "y", "x", "y"] * 4
    one, two = (SparsePerceptron(refit="stagewise", k=k, stages=6).fit(X, y) for k in (1, 2))
    assert one.history_ == two.history_


def test_many_names_are_capped_with_a_warning():
    rng = np.random.default_rng(14)
    names = pd.DataFrame(
        {"kind": [f"row {i % 5_000}" for i in range(10_000)], "size": rng.integers(0, 5, 10_000)}
    )
    y = names["size"] > 2
    with pytest.warns(UserWarning, match="'kind' has 5000 values, more than max_categories=256"):
        model = SparsePerceptron(refit="stagewise", stages=3).fit(names, y)
    assert model.to_text().splitlines()[-1] == "  +1.00  size > 2"


@pytest.mark.parametrize("n_columns", [3, 150])
def test_output_set_for_transformers_is_none_of_its_business(n_columns):
    X = np.random.default_rng(23).integers(0, 2, (60, n_columns)) * (np.arange(n_columns) % 20 < 3)
    y = X[:, 0] | X[:, 1]
    with config_context(transform_output="pandas"):
        model = SparsePerceptron(refit="stagewise", stages=4).fit(X, y)
    assert model.history_ == SparsePerceptron(refit="stagewise", stages=4).fit(X, y).history_


def test_a_line_break_in_a_name_makes_no_rule():
    X = pd.DataFrame({"a\n  +9.99  b": ["x", "y"] * 4})
    text = SparsePerceptron(refit="stagewise", stages=1).fit(X, ["p", "q"] * 4).to_text()
    assert len(text.splitlines()) == 4
    assert text.endswith("a\\n  +9.99  b = x")


def test_unknown_names_make_no_rule_hold():
    columns, y = planted_table(15)
    model = SparsePerceptron(refit="stagewise", random_state=0).fit(pd.DataFrame(columns), y)
    strange = pd.DataFrame({"colour": ["ultraviolet"], "width": [None], "ring": [None]})
    assert not any(part.holds for part in model.explain(strange).parts if part.rule != "always")
