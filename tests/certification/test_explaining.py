"""`explain_bounds`: each bound beside the number it bounds."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from perceptrons import MaxMarginPerceptron, Perceptron, certify, explain_bounds
from perceptrons.synthetic import separable
from tests.certification.models import NEW, OLD, X

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def test_bounds_hold_and_stand_beside_what_they_bound():
    rows, labels, _ = separable(500, 4, margin=0.2, random_state=1)
    model = Perceptron(margin=0, order="cyclic").fit(rows[:300], labels[:300])
    table = explain_bounds(model, rows[:300], labels[:300], rows[300:], labels[300:])
    lines = {one.name: one for one in table.lines}
    assert lines["updates of the run"].seen <= lines["updates of the run"].bound
    assert 0 < lines["margin"].seen <= lines["margin"].bound
    error = float((model.predict(rows[300:]) != labels[300:]).mean())
    assert {one.seen for one in table.lines[2:]} == {error}
    assert any(one.bound is not None and one.bound >= error for one in table.lines[2:])
    text = str(table).splitlines()
    assert len(text) == 1 + len(table.lines)
    assert text[0].split()[:2] == ["bound", "on"]
    assert table._repr_html_().count("<tr>") == len(text)


def test_bounds_are_those_of_certify():
    model = MaxMarginPerceptron(C=1.0).fit(*OLD)
    found = certify(model, *OLD)
    assert [one.bound for one in explain_bounds(model, *OLD, *NEW).lines[2:]] == [
        one.value for one in found.statements
    ]


def test_several_classes_and_models_without_margins():
    labels = np.digitize(X[:, 0], [-1, 2])
    model = Perceptron(random_state=0).fit(X, labels)
    assert len(explain_bounds(model, X, labels).lines) == 6 + 5
    other = LogisticRegression().fit(*OLD)
    lines = explain_bounds(other, *OLD).lines
    assert len(lines) == 5
    assert all(one.bound is None and one.seen is None for one in lines)
