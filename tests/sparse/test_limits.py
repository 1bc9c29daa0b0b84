"""What a user knows of columns holds in the model: signs, columns that must or must not be there, groups."""

import numpy as np
import pandas as pd
import pytest

from perceptrons import LiteralEncoder, SparsePerceptron, load, save
from perceptrons.sparse.coded_columns import CodedColumns
from perceptrons.sparse.rule_path import PathScope, find_sequence
from perceptrons.sparse.rule_pool import RulePool
from tests.sparse.test_coded_columns import free


def patients(n_rows=400, seed=0):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "age": rng.normal(50, 10, n_rows).round(),
            "bp": rng.normal(120, 15, n_rows).round(),
            "sex": rng.choice(["f", "m"], n_rows),
            "p1": rng.choice(list("acgt"), n_rows),
            "p2": rng.choice(list("acgt"), n_rows),
            "seen": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 700, n_rows), "D"),
        }
    )
    ill = ((table["age"] - 50) / 10).clip(-1, 1) + 2.0 * table["bp"].between(111, 129) - 1.0
    ill += 2.5 * ((table["p1"] == "a") & (table["p2"] == "t"))
    return table, np.where(rng.random(n_rows) < 1 / (1 + np.exp(-ill)), "ill", "well")


@pytest.mark.parametrize("parameters", [{}, {"max_points": 5}])
@pytest.mark.parametrize("sign", [-1, 1])
def test_risk_never_falls_where_it_must_rise(parameters, sign, tmp_path):
    X, y = patients()
    how = {"monotone": {"age": sign, "bp": -1}, "required": ["sex", "age"], "forbidden": ["p1"]}
    model = SparsePerceptron(random_state=0, **how, **parameters).fit(X, y)
    ages = pd.concat([X[:40].assign(age=float(age)) for age in range(20, 90, 5)])
    risks = model.predict_proba(ages)[:, list(model.classes_).index("well")].reshape(14, 40)
    assert (sign * np.diff(risks, axis=0) >= -1e-12).all()  # "well" is the second class
    columns = [{literal.column for literal in rule.literals} for rule in model.conjunctions_]
    assert {"sex"} in columns
    assert not any("p1" in one for one in columns)
    save(model, tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    assert again.to_text() == model.to_text()
    assert again.get_params()["monotone"] == how["monotone"]
    edited = model.without(model.conjunctions_[-1], X, y)
    risks = edited.predict_proba(ages)[:, 1].reshape(14, 40)
    assert (sign * np.diff(risks, axis=0) >= -1e-12).all()


def test_joined_columns_and_intervals_are_found(tmp_path):
    X, y = patients(800)
    model = SparsePerceptron(random_state=0, groups=[["p1", "p2"]]).fit(X, y)
    text = model.to_text()
    assert "p1 p2 = a t" in text
    assert " < bp <= " in text
    assert model.feature_importances_.shape == (6,)
    assert model.feature_importances_[[1, 3]].min() > 0.0
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    save(model, tmp_path / "model.json")
    assert (load(tmp_path / "model.json").predict_proba(X) == model.predict_proba(X)).all()
    held = np.column_stack([one.rows for one in model._vectors])[:, 0]
    assert np.allclose(held, model._holding(X).sum(axis=0))


def test_an_int_joins_adjacent_columns_of_names():
    X, _ = patients(60)
    encoder = LiteralEncoder(groups=2).fit(X)
    assert encoder.groups_ == [[2, 3], [3, 4]]
    names = encoder.get_feature_names_out().tolist()
    rows = encoder.transform(X)
    place = names.index("sex p1 = f a")
    assert (rows[:, place] == ((X["sex"] == "f") & (X["p1"] == "a"))).all()
    assert (encoder.evaluate(X, [place])[:, 0] == rows[:, place]).all()
    hole = X.assign(p1=None).astype({"p1": object})
    assert not encoder.evaluate(hole, [place]).any()
    array = X[["sex", "p1", "p2"]].to_numpy(object)
    assert LiteralEncoder(groups=3).fit(array).groups_ == [[0, 1, 2]]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"monotone": {"age": 1, 0: -1}}, r"the signs \+1 and -1 for the column 'age'"),
        ({"monotone": {"age": 2}}, "monotone has 2 for 'age'"),
        ({"monotone": {"agee": 1}}, "monotone has 'agee', but the columns are age, bp"),
        ({"monotone": {"sex": 1}}, "its values are names"),
        ({"monotone": [1, 0]}, "must be a dict"),
        ({"groups": [["p1", "p9"]]}, "groups has 'p9', but the columns are"),
        ({"groups": [["p1", "age"]]}, "'age', a column of numbers"),
        ({"groups": [["p1"]]}, "a group is a list of two columns or more"),
        ({"groups": [["p1", "p1"]]}, "a column stands twice"),
        ({"groups": 5}, "no 5 columns of names stand side by side"),
        ({"groups": 1}, "a group has at least two"),
        ({"groups": "p1"}, "must be a list of lists"),
        ({"required": "age"}, "must be a list of columns"),
        ({"required": ["age"], "forbidden": ["age"]}, "no rule may speak of it"),
        ({"required": ["age", "bp"], "max_rules": 1}, "required has 2 columns"),
        ({"forbidden": [*range(6)]}, "leaves no column"),
        ({"monotone": {"age": 1}, "refit": "stagewise"}, "monotone is for weights learned together"),
        ({"n_cards": 0}, "n_cards=0"),
        ({"n_cards": 3}, "n_cards=3 is for scorecards"),
        ({"max_rules": 0}, "max_rules=0"),
    ],
)
def test_bad_limits(parameters, message):
    X, y = patients(60)
    with pytest.raises(ValueError, match=message):
        SparsePerceptron(**parameters).fit(X, y)


def test_monotone_is_for_two_classes():
    X, y = patients(90)
    y[:30] = "unknown"
    with pytest.raises(ValueError, match="second of two classes, but there are 3"):
        SparsePerceptron(monotone={"age": 1}).fit(X, y)


def test_intervals_are_the_twins():
    """Of all pairs of thresholds, that of the largest |sum of slopes|, if it beats single literals."""
    rng, n_found = np.random.default_rng(0), 0
    for _ in range(30):
        codes = rng.integers(0, 6, (1, 40)).astype(np.uint8)
        columns = CodedColumns(codes, np.array([True]), np.array([0]), np.array([5]), *free([0]))
        slopes = rng.integers(-9, 10, 40).astype(float)
        sums = {
            (a - 1, b - 1): slopes[(codes[0] >= a) & (codes[0] < b)].sum()
            for a in range(1, 6)
            for b in range(a + 1, 6)
        }
        single = max(abs(slopes[codes[0] >= a].sum()) for a in range(1, 6))
        found = RulePool(columns, 9, 2, penalty=True).intervals(slopes)
        for side, best in ((1, max(sums.values())), (-1, min(sums.values()))):
            gains = [one.gain for one in found if np.sign(one.gain) == side]
            if side * best > single:
                assert gains == [best]
            else:
                assert not gains
        assert all(sums[one.places] == one.gain for one in found)
        n_found += len(found)
        for one in found:
            inside = (codes[0] > one.places[0]) & (codes[0] <= one.places[1])
            assert (columns.column(one.places) == inside).all()
    assert n_found >= 8


def test_what_tells_the_same_rows_apart_does_not_join_twice():
    codes = np.array([[1, 2, 1, 2, 2, 1], [2, 1, 2, 1, 1, 2], [1, 1, 1, 1, 1, 1]], np.uint8)
    columns = CodedColumns(
        codes, np.zeros(3, bool), np.array([0, 2, 4]), np.array([2, 2, 2]), *free(range(3))
    )
    pool = RulePool(columns, 9, 2, penalty=True)
    assert pool.add((0,))
    assert not any(pool.add((place,)) for place in (0, 1, 2, 3, 4, 5))
    assert pool.count == 1


def test_required_columns_stay_at_every_size():
    rng = np.random.default_rng(1)
    codes = rng.integers(1, 3, (4, 200)).astype(np.uint8)
    signs = np.where(codes[0] == 2, 1.0, -1.0) * rng.choice([1, 1, 1, -1], 200)
    starts, widths = 2 * np.arange(4), np.full(4, 2)
    required = np.array([False, False, True, False])
    columns = CodedColumns(codes, np.zeros(4, bool), starts, widths, np.zeros(4, int), required)
    scope = PathScope(2, True, None, 20, 5, (1.0,), least=1)
    found = find_sequence(columns, signs, np.ones(200), scope)
    own = [k for k, places in enumerate(found.places) if places in ((4,), (5,))]
    assert len(own) == 1
    assert (found.weights[0, :, own[0]] != 0.0).all()


def test_a_literal_that_makes_no_difference_is_left_out():
    codes = np.array([[1, 1, 2, 2, 0, 0], [3, 2, 2, 1, 0, 3]], np.uint8)
    columns = CodedColumns(
        codes, np.array([False, True]), np.array([0, 2]), np.array([2, 3]), *free(range(2))
    )
    pool = RulePool(columns, 9, 3, penalty=True)
    for places in ((0, 3), (1, 2), (0, 4), (2, 4)):
        assert pool.add(places)
    assert pool.places == [(0,), (1,), (0, 4), (2, 4)]  # in those of 0, x > t_1; in those of 1, x > t_0
