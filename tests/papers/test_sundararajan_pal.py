"""Sundararajan and Pal on Pima: claims are judged, by numbers that are right, and may be judged otherwise."""

import copy
import json
import statistics

import numpy as np
import pytest

from perceptrons import ChowClassifier, ConservativePerceptron, Perceptron
from perceptrons.papers.experiment import in_turn
from perceptrons.papers.pictures import files
from perceptrons.papers.sundararajan_pal import pima_claims as claims
from perceptrons.papers.sundararajan_pal import pima_protocol
from perceptrons.papers.sundararajan_pal import sundararajan_pal_pima as module
from perceptrons.papers.sundararajan_pal.pima_protocol import CHOW, CPLR1, CPLR2, LIBERAL1, LIBERAL2, NAMES
from tests.experiments import run_quickly, verdicts

pytestmark = pytest.mark.data
FEW = {"seeds": [0, 1, 2, 100, 101], "gammas": [0.1, 0.5], "n_restarts": 1}
CLOSING = {**FEW, "gammas": [0.1, 0.6], "n_restarts": 4}  # so many starts to find bands of zero
BETTER = "CPLR gains more over its liberal counterpart the less a rejection costs"
MEDIANS = "{}: median risks agree with another implementation's, γ ≤ 0.5"
ZERO = "{}: both bands are zero for γ > 0.5"
ANSWERS = "Chow's rule rejects nothing for γ ≥ 0.5"
VERDICTS = {
    "CPLR1 beats its liberal counterpart for γ ≤ 0.5": "not reproduced",
    "CPLR2 beats its liberal counterpart for γ ≤ 0.5": "not reproduced",
    "CPLR1 beats PLR + Chow for γ ≤ 0.5": "not reproduced",
    "CPLR2 beats PLR + Chow for γ ≤ 0.5": "not reproduced",
    ZERO.format("CPLR1"): "not reproduced",
    ZERO.format("CPLR2"): "reproduced",
    ANSWERS: "reproduced",
    BETTER: "reproduced",
    "CPLR gains more over PLR + Chow the less a rejection costs": "not reproduced",
    MEDIANS.format("PLR + Chow"): "reproduced",
    MEDIANS.format("CPLR1"): "reproduced",
    MEDIANS.format("CPLR2"): "reproduced",
    "PLR + Chow performs about the same whatever γ is": "not comparable",
}


@pytest.fixture(scope="module")
def result():
    return run_quickly(module, {})


def test_every_claim_has_its_verdict(result):
    assert verdicts(module, result.values) == VERDICTS
    found = {claim.text: claim for claim in module.check(result.values)}
    assert found["CPLR2 beats its liberal counterpart for γ ≤ 0.5"].ours == "at γ = 0.1, 0.3; 4 of 4 at 0.5"
    assert sum(claim.main for claim in found.values()) == 8


@pytest.fixture
def few_runs(monkeypatch):
    """Plain perceptrons, of which the best is taken, are fewer: they take most of the time."""
    monkeypatch.setattr(pima_protocol, "RUNS", 5)


def test_verdicts_of_few_splits_are_those_of_a_working_learner(few_runs):
    found = verdicts(module, run_quickly(module, FEW).values)
    assert found[ANSWERS] == found[BETTER] == "reproduced"
    assert all(found[MEDIANS.format(NAMES[method])] == "reproduced" for method in (CHOW, CPLR1, CPLR2))


class WithoutBands(pima_protocol.AsLearned):
    """Never rejects."""

    def fit(self, X, y):
        super().fit(X, y)
        self.bands_ = np.zeros_like(self.bands_)
        return self


class WideBands(pima_protocol.AsLearned):
    """Bands that never close."""

    def fit(self, X, y):
        super().fit(X, y)
        self.bands_ = self.bands_ + 0.1
        return self


class Backwards(pima_protocol.AsLearned):
    """Weights that point to the other class."""

    def fit(self, X, y):
        super().fit(X, y)
        self.coef_, self.intercept_ = -self.coef_, -self.intercept_
        return self


class CheapRejections(ChowClassifier):
    """Rejects as if that cost a tenth of an error, always."""

    def fit(self, X, y):
        return super().fit(X, y) if self.reject_cost == 0.1 else self.set_params(reject_cost=0.1).fit(X, y)


class Forgetful(Perceptron):
    """Loses the weights of all columns but the last."""

    def fit(self, X, y):
        super().fit(X, y)
        self.coef_[:, :-1] = 0.0
        return self


@pytest.mark.parametrize(
    ("name", "broken", "falls"),
    [
        ("AsLearned", WithoutBands, [BETTER, MEDIANS.format("CPLR1"), MEDIANS.format("CPLR2")]),
        ("AsLearned", WideBands, [ZERO.format("CPLR2")]),
        ("AsLearned", Backwards, [MEDIANS.format("CPLR1"), MEDIANS.format("CPLR2")]),
        ("ChowClassifier", CheapRejections, [ANSWERS, MEDIANS.format("PLR + Chow")]),
        ("Perceptron", Forgetful, [MEDIANS.format("PLR + Chow")]),
    ],
)
def test_a_broken_learner_is_found_out(name, broken, falls, monkeypatch, few_runs):
    monkeypatch.setattr(pima_protocol, name, broken)
    found = verdicts(module, run_quickly(module, CLOSING if broken is WideBands else FEW).values)
    assert [found[text] for text in falls] == ["not reproduced"] * len(falls)


def test_claims_that_fail_on_pima_would_be_believed_if_they_held(result):
    values = copy.deepcopy(result.values)
    shape = np.array(values["risk"][CHOW])
    for method, other in ((CPLR1, LIBERAL1), (CPLR2, LIBERAL2)):
        gain = np.linspace(0.04, 0.01, shape.shape[1])
        values["risk"][method] = (shape - gain).tolist()
        values["risk"][other] = values["risk"][CHOW]
        values["zero"][method] = [[gamma > 0.5 for gamma in values["gammas"]] for _ in values["seeds"]]
    found = verdicts(module, values)
    believed = [text for text in found if "beats" in text or "gains" in text or "bands" in text]
    assert len(believed) == 8
    assert {found[text] for text in believed} == {"reproduced"}


@pytest.mark.parametrize("method", [CHOW, CPLR1, CPLR2])
@pytest.mark.parametrize(
    ("off", "verdict"), [(0.0099, "reproduced"), (0.0101, "not reproduced"), (-0.0101, "not reproduced")]
)
def test_medians_may_be_off_by_a_hundredth(result, method, off, verdict):
    """All splits alike: no standard error to hide behind."""
    values, gammas = copy.deepcopy(result.values), result.values["gammas"]
    ranges = [claims.reference_range(method, gamma) for gamma in gammas if gamma <= 0.5]
    row = [max(ends) + off if off > 0 else min(ends) + off for ends in ranges]
    values["risk"][method] = [row + [0.3] * (len(gammas) - len(row))] * len(values["seeds"])
    assert verdicts(module, values)[MEDIANS.format(NAMES[method])] == verdict


def test_signs_are_counted_as_a_coin_is_tossed():
    assert claims.sign_test(5, 0) == 1 / 32
    assert claims.sign_test(4, 1) == 6 / 32
    assert claims.sign_test(0, 0) == claims.sign_test(0, 7) == 1.0
    assert claims.count_signs([-0.1, 0.2, 1e-12, -1e-12, -0.3]) == (2, 1)


def test_risks_are_those_of_a_count_by_hand(result):
    """A cell of CPLR1 and its counterpart from the weights, one of Chow's from the posteriors."""
    inputs, gamma, seed = module.data(quick=True), 0.3, 100
    X, y = inputs.sets["pima"]
    order = np.random.default_rng(seed).permutation(768)
    train, test = order[:568], order[568:]
    row, column = inputs.settings["seeds"].index(seed), inputs.settings["gammas"].index(gamma)
    model = in_turn(
        lambda how: ConservativePerceptron(**how).fit(X[train], y[train]),
        [{"rule": "cplr1", "band": "learned", "reject_cost": gamma, "n_restarts": 4, "random_state": seed}],
    )[0]
    scores, positive = X[test] @ model.coef_.ravel() + model.intercept_, y[test] == "positive"
    rejected = (scores < model.bands_[1]) & (scores > -model.bands_[0])
    wrong = (scores >= 0) != positive
    risks = {method: cells[row][column] for method, cells in result.values["risk"].items()}
    assert risks[CPLR1] == pytest.approx((gamma * rejected.sum() + (wrong & ~rejected).sum()) / 200)
    assert risks[LIBERAL1] == pytest.approx(wrong.mean())
    assert result.values["rejected"][CPLR1][row][column] == pytest.approx(rejected.mean())
    assert 20 < rejected.sum() < 180
    assert risks[CPLR1] < risks[LIBERAL1]


def test_medians_in_the_table_are_those_of_each_set(result):
    risks = [row for row in result.tables[0].rows if row[0] == "CPLR2"]
    assert [row[1] for row in risks] == ["0–2", "100–102", "reference"]
    first = [cells[0] for cells in result.values["risk"][CPLR2][:3]]
    assert risks[0][2] == f"{statistics.median(first):.3f}"
    assert risks[2][2:] == ["0.088–0.090", "0.198–0.200", "0.240–0.243", "–"]
    assert all(len(row) == len({*table.heads}) for table in result.tables for row in table.rows)
    for row in result.tables[1].rows:
        assert all(sum(map(int, cell.split(" / "))) <= 6 for cell in row[2:])


def test_values_survive_json_and_a_second_run(result):
    text = json.dumps(result.values, allow_nan=False)
    assert json.loads(text) == result.values
    assert module.check(json.loads(text)) == module.check(result.values)
    tiny = {"seeds": [100], "gammas": [0.3], "n_restarts": 4}
    again = run_quickly(module, tiny).values
    row, column = result.values["seeds"].index(100), result.values["gammas"].index(0.3)
    assert {method: cells[0][0] for method, cells in again["risk"].items()} == {
        method: cells[row][column] for method, cells in result.values["risk"].items()
    }


def test_inputs_say_what_they_are():
    quick, full = module.data(quick=True), module.data(quick=False)
    assert full.settings["seeds"] == [*range(10), *range(100, 110)]
    assert full.settings["gammas"] == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]
    assert set(quick.settings["seeds"]) < set(full.settings["seeds"])
    assert quick.digests == full.digests
    assert len(quick.digests["pima"]) == 64
    json.dumps(full.settings)


def test_the_figure_shows_medians_and_differences(result):
    before, axes = copy.deepcopy(result.values), []

    def paint(figure):
        module.draw(figure, result.values)
        axes.extend(figure.axes)

    assert all(data for _, data in files(paint, module.HEIGHT, ("svg",)))
    assert result.values == before
    left, right = axes
    drawn = {line.get_label(): line.get_ydata() for line in left.lines}
    assert drawn["CPLR2"] == pytest.approx(np.median(before["risk"][CPLR2], axis=0))
    assert [label.get_text() for label in left.get_legend().get_texts()] == ["PLR + Chow", "CPLR1", "CPLR2"]
    gaps = np.median(np.array(before["risk"][CPLR1]) - before["risk"][CHOW], axis=0)
    assert right.lines[0].get_ydata() == pytest.approx(gaps)
    assert right.get_xlabel() == "cost of a rejection, γ"
