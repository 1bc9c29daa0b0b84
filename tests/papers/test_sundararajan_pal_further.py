"""Sundararajan and Pal, Section 5: the double hinge beside plain numbers; claims and broken learners."""

import copy

import numpy as np
import pytest
from scipy.optimize import minimize

from perceptrons.papers.pictures import files
from perceptrons.papers.sundararajan_pal import sundararajan_pal_further as module
from perceptrons.papers.sundararajan_pal.double_hinge import DoubleHinge, rounded
from tests.experiments import run_quickly, verdicts

pytestmark = pytest.mark.data
TINY = {"seeds": [0, 1], "gammas": [0.1, 0.3], "sizes": [50, 568]}


@pytest.fixture(scope="module")
def result():
    return run_quickly(module, TINY)


def slow_loss(w, Z, y, strength, reject, wrong, gain):
    """The double hinge row by row, without rounded corners."""
    base, total = sum(reject[k] + gain[k] for k in (0, 1)) / 2, 0.0
    for z, label in zip(Z, y, strict=True):
        k, t = int(label > 0), label * sum(a * b for a, b in zip(w, z, strict=True))
        near, far = reject[k] + gain[k], max(wrong[k] - gain[k] - 2 * reject[k], 0)
        total += (near * max(1 - t, 0) + far * max(-t, 0)) / base
    return total / len(y) + strength / 2 * sum(a * a for a in w[:-1])


@pytest.mark.parametrize("costs", [((0.2, 0.2), (1, 1), (0, 0)), ((0.1, 0.3), (1, 2), (0.1, 0.0))])
def test_the_double_hinge_is_at_its_minimum(costs):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    y = np.where(X[:, 0] + rng.normal(size=80) > 0, 1, -1)
    model = DoubleHinge(*costs).fit(X, y)
    Z = model._standard(X)

    def loss(w):
        return slow_loss(w, Z, y, model.strength_, *costs)

    found = minimize(loss, model.weights_, method="Nelder-Mead", options={"xatol": 1e-6, "fatol": 1e-9})
    assert loss(model.weights_) <= found.fun + 0.01  # the corners are rounded
    assert abs(model.rejects(X).mean() - (np.abs(Z @ model.weights_) < 0.5).mean()) == 0


def test_a_rejection_that_costs_as_much_as_a_guess_is_never_made():
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]] * 5), np.array([-1, 1, -1, 1] * 5)
    assert not DoubleHinge((0.5, 0.5)).fit(X, y).rejects(X).any()
    model = DoubleHinge((0.1, 0.1)).fit(X, y)
    assert model.risk(X, y) <= 0.2


def test_rounded_corners_are_near_the_corner():
    u = np.linspace(-1, 1, 201)
    value, slope = rounded(u)
    assert np.abs(value - np.maximum(u, 0)).max() <= 0.05 / 8 + 0.05 / 2
    assert np.allclose(np.gradient(value, u)[1:-1], slope[1:-1], atol=0.11)


def test_bands_from_few_rows_are_narrower(result):
    found = verdicts(module, result.values)
    assert found["from few rows CPLR2 learns narrower bands than from many"] == "reproduced"
    assert len(found) == 5
    assert all(len(row) == len(table.heads) for table in result.tables for row in table.rows)


def test_verdicts_change_with_the_numbers(result):
    values = copy.deepcopy(result.values)
    values["risk"][module.HINGE] = [[0.0] * 2] * 2
    values["risk"] = {name: risks * 5 for name, risks in values["risk"].items()}
    values["by size"] = values["by size"] * 10
    for one in values["by size"]:
        one[0]["risk"] = [0.5 - 0.01 * k for k in range(len(module.FACTORS))]
    found = verdicts(module, values)
    assert found["an SVM with a band trained for the costs beats CPLR2"] == "reproduced"
    assert found["a width that depends on the number of rows lowers the risk"] == "reproduced"
    for one in values["by size"]:
        one[0]["width"] = 9.0
    assert (
        verdicts(module, values)["from few rows CPLR2 learns narrower bands than from many"]
        == "not reproduced"
    )


class Shrunk(DoubleHinge):
    """Forgets all but the intercept."""

    def fit(self, X, y):
        super().fit(X, y)
        self.weights_[:-1] = 0.0
        return self


def test_a_broken_learner_costs_more(result, monkeypatch):
    monkeypatch.setattr(module, "DoubleHinge", Shrunk)
    broken = run_quickly(module, {**TINY, "seeds": [0], "gammas": [0.3]})
    assert broken.values["risk"][module.HINGE][0][0] > result.values["risk"][module.HINGE][0][1]


def test_it_is_drawn(result):
    drawn = dict(files(lambda figure: module.draw(figure, result.values), module.HEIGHT, ("svg",)))
    assert drawn["svg"].startswith(b"<?xml")
