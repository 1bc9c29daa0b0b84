"""Scorecards: what is printed is all that is needed to classify a row, and what points explain."""

import re
from collections import Counter

import numpy as np
import pandas as pd
import pytest

from perceptrons import SparsePerceptron
from tests.planted import planted_table

pytestmark = pytest.mark.filterwarnings("ignore:Of all numbers of stages the last tried")


def holds(literal, row):
    """A literal as printed, and a row as given."""
    if between := re.fullmatch(r"(\S+) < (\S+) <= (\S+)", literal):
        low, column, high = between.groups()
        return float(low) < row[column] <= float(high)
    if negated := re.fullmatch(r"(\S+) is not (\S+)", literal):
        return str(row[negated[1]]).lower() != negated[2]
    column, relation, value = literal.split(" ")
    if relation == ">":
        return row[column] > float(value)  # never, if it is missing
    return str(row[column]).lower() == value


def points_of(text, row):
    """The total of the points printed, above the table."""
    lines = re.findall(r"^ +([+-]\d+)  (\S.*)$", text.split("\n  total ")[0], re.MULTILINE)
    assert lines
    rules = [(int(p), re.split("  +", rest)[0]) for p, rest in lines]
    return sum(p for p, rule in rules if all(holds(one, row) for one in rule.split(" and ")))


def totals_in(text):
    """What the table says: total → the other cells."""
    rows = re.findall(r"^ +(-?\d+)  +(\S.*)$", text.split("\n  total ")[1], re.MULTILINE)
    return {int(total): rest.split() for total, rest in rows}


@pytest.mark.parametrize("seed", [3, 5, 8])
def test_a_scorecard_says_all_that_is_needed(seed):
    """From the text alone: the class of each row, and how often each total occurred."""
    columns, y = planted_table(seed)
    X, weights = pd.DataFrame(columns), np.random.default_rng(seed).integers(0, 4, len(y))
    for n_stages, size in ((1, 1), (9, 1), (15, 2)):
        model = SparsePerceptron(
            refit="stagewise", booster="majority", stages=n_stages, target_size=size, penalty=False
        )
        text = model.fit(X, y, sample_weight=weights).to_text()
        positive, least, negative = re.match(r"(\S+) from (-?\d+) points? on, else (\S+)\.\n", text).groups()
        totals = np.array([points_of(text, row) for row in X.to_dict("records")])
        expected = np.where(totals >= int(least), positive, negative)
        assert (model.predict(X) == expected).all()
        assert len(set(expected)) == 2
        table = totals_in(text)
        assert sorted(table) == sorted(set(totals[weights > 0].tolist()))
        risks = dict(zip(totals.tolist(), model.predict_proba(X)[:, 1].tolist(), strict=True))
        for total, (label, n_rows, share, risk) in table.items():
            assert risk == f"{risks[total]:.1%}"
            assert label == (positive if total >= int(least) else negative)
            there = weights[totals == total]
            assert int(n_rows) == there.sum()
            assert share == f"{there[y[totals == total] == positive].sum() / there.sum():.1%}"
        assert sum(int(row[1]) for row in table.values()) == weights.sum()


def test_scorecards_of_several_classes_are_compared():
    columns, y = planted_table(4)
    X, y = pd.DataFrame(columns), np.where(columns["width"] > 15, "wide", y)
    model = SparsePerceptron(refit="stagewise", booster="majority", stages=7, target_size=1).fit(X, y)
    _, *cards = re.split(r"^(?=\S+: begins with )", model.to_text(), flags=re.MULTILINE)
    heads = [re.match(r"(\S+): begins with ([+-]?\d+)\n", card).groups() for card in cards]
    labels, starts = zip(*heads, strict=True)
    assert list(labels) == model.classes_.tolist()
    totals = np.array(
        [
            [int(start) + points_of(card, row) for start, card in zip(starts, cards, strict=True)]
            for row in X.to_dict("records")
        ]
    )
    assert (model.predict(X) == np.array(labels)[totals.argmax(axis=1)]).all()
    for label, card, mine in zip(labels, cards, totals.T, strict=True):
        table = totals_in(card)
        assert {total: int(row[0]) for total, row in table.items()} == Counter(mine.tolist())
        for total, (_, share) in table.items():
            assert share == f"{(y[mine == total] == label).mean():.1%}"


def test_points_explain_a_row():
    columns, y = planted_table(3)
    X = pd.DataFrame(columns)
    model = SparsePerceptron(refit="stagewise", booster="majority", stages=9, target_size=1).fit(X, y)
    for row in range(20):
        why = model.explain(X.iloc[[row]])
        assert why.score == sum(part.adds for part in why.parts)
        assert (why.score > 0) == (why.prediction == why.label == "poisonous")
        assert why.prediction == model.predict(X.iloc[[row]])[0]
        assert all(part.holds or part.adds == 0 for part in why.parts)


def test_a_card_without_rules():
    """The constant has the one vote there is."""
    model = SparsePerceptron(refit="stagewise", booster="majority", stages=1, target_size=2)
    X = np.arange(5.0)[:, None]
    for y, always in (([1, 1, 0, 1, 1], 1), ([0, 0, 1, 0, 0], 0)):
        model.fit(X, y)
        assert model.to_text() == f"Always {always}: there are no rules."
        assert (model.predict(X) == always).all()


def test_ties_of_several_classes_go_to_the_first():
    """As the text says."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 9, (300, 3)).astype(float)
    z = X.sum(axis=1) + 3 * rng.normal(size=300)
    y = np.where(z > 15, "high", np.where(z > 9, "mid", "low"))
    model = SparsePerceptron(refit="stagewise", booster="majority", stages=7, target_size=2).fit(X, y)
    assert model.to_text().startswith("The class with the most points, of equal ones the first.\n")
    scores = model.decision_function(X)
    tied = (scores == scores.max(axis=1, keepdims=True)).sum(axis=1) > 1
    assert tied.sum() >= 30
    assert (model.predict(X) == model.classes_[np.argmax(scores, axis=1)]).all()
