"""A model on a sheet of paper: the same cells as text, HTML and LaTeX; how rules are said."""

import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning

from perceptrons import SparsePerceptron
from perceptrons.sparse.sheet import Block, Sheet, Table

ODD = 'a<b & "c" 50 % x_1 {y} ~ \\'


class Cells(HTMLParser):
    """The cells of tables, and whether all elements are closed."""

    def __init__(self):
        super().__init__()
        self.cells, self.open = [], []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        if tag in ("td", "th"):
            self.cells.append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] in ("td", "th"):
            self.cells[-1] += data


def sheet():
    table = Table(("points", "rule"), [("+5", ODD), ("-12", "b = c")], 1)
    return Sheet(["First.", f"{ODD}."], [Block("title & co:", [table, Table((), [])])])


def test_text_is_aligned():
    lines = sheet().text().splitlines()
    assert lines[:4] == ["First.", f"{ODD}.", "", "title & co:"]
    assert lines[4:] == ["  points  rule", f"      +5  {ODD}", "     -12  b = c"]


def test_html_is_closed_and_escaped():
    parser = Cells()
    parser.feed(sheet().html())
    assert not parser.open
    assert parser.cells == ["points", "rule", "+5", ODD, "-12", "b = c"]
    assert "<script" not in sheet().html()


def test_latex_escapes_what_it_reads():
    text = sheet().latex()
    assert r"a\textless{}b \& " in text
    assert r"50 \% x\_1 \{y\} \textasciitilde{} \textbackslash{}" in text
    assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") == 1
    body = re.sub(r"\\.", "", text)
    assert not set("%$#_^~<>") & set(body)


def smell(n_rows=300):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {"odor": rng.choice(["none", "foul", "fish"], n_rows), "ring": rng.choice(["no", "yes"], n_rows)}
    )
    bad = (table["odor"] != "none") ^ (rng.random(n_rows) < 0.1)
    return table, np.where(bad, "poisonous", "edible")


@pytest.mark.parametrize("parameters", [{}, {"max_points": 5}])
def test_rules_are_said_as_a_person_would(parameters):
    X, y = smell()
    model = SparsePerceptron(random_state=0, **parameters).fit(X, y)
    text, holds = model.to_text(), X["odor"] != "none"
    assert "odor is not none" in text
    share = (y[holds] == "poisonous").mean()
    assert re.search(rf"\+\S+  odor is not none +{holds.sum()}  +{100 * share:.1f}%", text)
    for i in range(4):
        why = model.explain(X.iloc[i])
        assert why.score == pytest.approx(model.decision_function(X)[i])
        part = next(part for part in why.parts if part.rule == "odor is not none")
        assert part.holds == holds[i]
        assert (part.adds > 0) == holds[i]
    for html in (model.to_html(), model._repr_html_(), model._repr_mimebundle_()["text/html"]):
        parser = Cells()
        parser.feed(html)
        assert "odor is not none" in parser.cells
    assert r"odor is not none & " in model.to_latex()
    edited = model.without("odor is not none", X, y)
    assert "odor is not none" not in edited.to_text()


def test_points_of_a_negation_can_be_changed():
    X, y = smell()
    model = SparsePerceptron(max_points=5, random_state=0).fit(X, y)
    edited = model.with_points({"odor is not none": 2}, X, y)
    told = dict(zip(map(str, edited.conjunctions_), edited.weights_.tolist(), strict=True))
    assert told["odor is not none"] == 2
    assert (edited.predict(X) == model.predict(X)).mean() > 0.9


def test_a_model_that_is_not_fitted_is_shown_as_ever():
    assert "SparsePerceptron" in SparsePerceptron()._repr_html_()


def test_other_cards_are_nearly_as_good(tmp_path):
    from perceptrons import load, save
    from tests.planted import planted_table

    columns, y = planted_table(3)
    X = pd.DataFrame(columns)
    model = SparsePerceptron(max_points=5, n_cards=4, random_state=0).fit(X, y)
    assert 2 <= len(model.cards_) <= 4
    save(model, tmp_path / "cards.json")
    again = load(tmp_path / "cards.json")
    assert again.cards_ == model.cards_
    first = str(model.cards_[0]).splitlines()
    assert first[-1] == f"from {model.cards_[0].least} on"
    assert len(first) == model.n_weights_ + 1
    texts = set()
    for place in range(len(model.cards_)):
        for own in (model, again):
            chosen = own.with_card(place)
            texts.add(chosen.to_text())
            assert chosen.cards_[0] == model.cards_[place]
            right = (chosen.predict_proba(X)[:, 1] > 0.5) == (chosen.decision_function(X) > 0)
            assert right.all()
        p = chosen.predict_proba(X)[np.arange(len(y)), np.searchsorted(model.classes_, y)]
        own = model.predict_proba(X)[np.arange(len(y)), np.searchsorted(model.classes_, y)]
        assert -np.log(p).mean() < 1.1 * -np.log(own).mean()
    assert len(texts) == len(model.cards_)
    with pytest.raises(ValueError, match="place=9"):
        model.with_card(9)


def test_stages_have_scores_and_probabilities():
    X, y = smell()
    model = SparsePerceptron(refit="stagewise", stages=4, random_state=0).fit(X, y)
    assert np.allclose([*model.staged_decision_function(X)][-1], model.decision_function(X))
    assert np.allclose([*model.staged_predict_proba(X)][-1], model.predict_proba(X))
    assert [*model.staged_score(X, y)][-1] == model.score(X, y)
    together = SparsePerceptron(random_state=0).fit(X, y)
    assert not hasattr(together, "staged_predict_proba")
    assert not hasattr(together, "staged_decision_function")


def test_a_model_without_rules_says_so_and_what_was_left_out():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"row": np.arange(200), "chance": rng.random(200)})
    with pytest.warns(ConvergenceWarning, match=r"Left out: row \(counter\); keep='all' keeps them"):
        model = SparsePerceptron(random_state=0).fit(X, X["row"] > 139)
    assert model.to_text() == "Always False: there are no rules. The probability of True is 30.0%."
    assert "<table" not in model.to_html()
    seen = SparsePerceptron(keep="all", random_state=0).fit(X, X["row"] > 139)
    assert "row >" in seen.to_text()
