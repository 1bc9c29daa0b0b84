"""Jackson and Craven's tables: what is claimed comes out, and would not with another learner."""

import copy
import json
from dataclasses import replace
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure
from scipy.special import expit
from scipy.stats import t as student
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.tree import DecisionTreeClassifier

from perceptrons import PrunedPerceptron, SparsePerceptron
from perceptrons.papers.experiment import Inputs, in_turn, quietly
from perceptrons.papers.jackson_craven import codons
from perceptrons.papers.jackson_craven import compared_learners as learners
from perceptrons.papers.jackson_craven import jackson_craven_tables as tables
from perceptrons.papers.jackson_craven import table_claims as claims
from tests.experiments import verdicts
from tests.jit import JIT

pytestmark = pytest.mark.slow

NOBODY = "{}: no other algorithm is significantly better than boosting"
STARRED = "{}: the methods with a star are significantly less accurate than boosting"
OTHERS = "promoters, coding (other rows)"
YES, NO, APART = "reproduced", "not reproduced", "not comparable"
VERDICTS = {
    "voting: accuracy of boosting": YES,
    "voting: accuracy of tree": YES,
    "voting: accuracy of multi-layer": YES,
    "voting: accuracy of ordinary": YES,
    "voting: accuracy of 2nd-order": YES,
    "voting: accuracy of pruned": NO,  # 87.6 % there, 91 % here
    "voting: weights of boosting": YES,
    "voting: weights of pruned": YES,
    "voting: weights of multi-layer": YES,
    NOBODY.format("voting"): YES,
    NOBODY.format(OTHERS): YES,
    STARRED.format("voting"): NO,
    STARRED.format(OTHERS): NO,
    "Ordinary perceptrons have 30, 228, 60 weights, 2nd-order ones 450, 25,764, 1,740": YES,
    "Boosting has fewer weights than multi-layer, ordinary and 2nd-order perceptrons": YES,
    "Pruned and boosted perceptrons are of comparable size": NO,  # promoters: by a hair
    "promoters: accuracy and size of boosting": APART,
    "coding: accuracy and size of boosting": APART,
    codons.SAME: YES,
    codons.MORE: YES,
    "Open question: do pruned 2nd-order perceptrons match boosting's accuracy?": APART,
}
HANGS_ON_THE_SEED = {  # in one run of small sizes
    "voting: accuracy of tree",
    "voting: weights of pruned",
    "voting: weights of multi-layer",
    "Pruned and boosted perceptrons are of comparable size",
}
BRIEF = {"inner_folds": 2, "hidden_units": [2, 3], "max_stages": 6, "max_iter": 5}


def sequences(n_rows, width, seed):
    """Bases at random; the class is whether the first two are a and c, with some noise."""
    random = np.random.default_rng(seed)
    letters = random.choice([*"acgt"], (n_rows, width), p=[0.4, 0.4, 0.1, 0.1])
    positive = ((letters[:, 0] == "a") & (letters[:, 1] == "c")) ^ (random.random(n_rows) < 0.05)
    frame = pl.DataFrame({f"p{j + 1}": letters[:, j].tolist() for j in range(width)})
    return tables.FoldedRows(frame, np.where(positive, "+", "-"), np.arange(n_rows) % 3)


def small_inputs():
    """Three little domains, three folds of each, and every method."""
    sets = {
        domain: [sequences(150, width, 10 * width + run) for run in range(2)]
        for domain, width in zip(tables.DOMAINS, (4, 5, 6), strict=True)
    }
    runs = dict.fromkeys(tables.DOMAINS, dict.fromkeys(learners.METHODS, 1) | {"boosting": 2})
    return Inputs(BRIEF | {"runs": runs}, sets)


@pytest.fixture(scope="module")
def small():
    return tables.run(small_inputs(), in_turn)


@pytest.fixture(scope="module")
def inputs():
    """The quick form, with less of what takes long: one size of networks, fewer folds of promoters, and no
    pruned 2nd-order perceptrons, which the small domains have."""
    found = tables.data(quick=True)
    runs = found.settings["runs"] | {"voting": dict.fromkeys(claims.COLUMNS, 1)}
    promoters = [tables.folded(one.X, one.y, 5, 0) for one in found.sets["promoters"]]
    found = replace(
        found,
        settings=found.settings | {"runs": runs, "hidden_units": [20]},
        sets=found.sets | {"promoters": promoters},
    )
    if JIT:
        return found
    coding = [
        one._replace(X=one.X[::20], y=one.y[::20], folds=one.folds[::20]) for one in found.sets["coding"]
    ]
    return replace(found, settings=found.settings | {"max_stages": 15}, sets=found.sets | {"coding": coding})


@pytest.fixture(scope="module")
def quick(inputs):
    return tables.run(inputs, in_turn)


# What the quick form claims


@pytest.mark.data
def test_verdicts(quick):
    found = verdicts(tables, quick.values)
    assert [*found] == [claim.text for claim in tables.check(quick.values)]  # no text twice
    assert found.keys() == VERDICTS.keys()
    if JIT:  # else too few stages and windows
        firm = VERDICTS.keys() - HANGS_ON_THE_SEED
        assert {text: found[text] for text in firm} == {text: VERDICTS[text] for text in firm}
    assert len(quick.tables) == 4
    assert all(len(row) == len({*one.heads}) for one in quick.tables for row in one.rows)


@pytest.mark.data
def test_numbers_of_features_are_those_of_table_2(quick):
    for domain in tables.DOMAINS:
        for method in ("ordinary", "2nd-order"):
            counts = {n for run in quick.values["results"][domain][method]["weights"] for n in run}
            assert counts == {claims.paper(claims.WEIGHTS, domain, method)}


@pytest.mark.data
def test_one_fold_by_hand(inputs, quick):
    """Boosting on voting, the third fold, with rows taken by their numbers."""
    X, y, folds = inputs.sets["voting"][0]
    task = tables.FoldTask("voting", "boosting", 0, [2], inputs.sets["voting"][0], dict(inputs.settings))
    train, test = np.flatnonzero(folds != 2), np.flatnonzero(folds == 2)
    most = inputs.settings["max_stages"]
    model = SparsePerceptron(refit="stagewise", cv=3, max_stages=most, random_state=tables.seed_of(task, 2))
    model.fit(X[train], y[train])
    cell = quick.values["results"]["voting"]["boosting"]
    right = sum(a == b for a, b in zip(model.predict(X[test]), y[test], strict=True))
    assert cell["accuracy"][0][2] == pytest.approx(100 * right / len(test))
    assert cell["weights"][0][2] == np.count_nonzero(model.weights_)
    assert "physician-fee-freeze" not in X.columns
    assert X.shape == (435, 15)


class Stubborn:
    """Answers the first class, whatever the row."""

    def predict(self, X):
        return np.full(X.shape[0], self.classes_[0])


class Wordy:
    """Claims weights that are not there."""

    def fit(self, X, y):
        super().fit(X, y)
        self.n_weights_ = 30 + 3 * self.n_weights_
        return self


class BadBoosting(Stubborn, SparsePerceptron): ...


class BadPruning(Wordy, PrunedPerceptron): ...


class BadTree(Stubborn, DecisionTreeClassifier): ...


class BadNetwork(Stubborn, MLPClassifier): ...


class BadUnit(Stubborn, LogisticRegression): ...


@pytest.mark.data
@pytest.mark.parametrize(
    ("learner", "bad", "method", "claim"),
    [
        ("SparsePerceptron", BadBoosting, "boosting", "voting: accuracy of boosting"),
        ("PrunedPerceptron", BadPruning, "pruned", "voting: weights of pruned"),
        ("DecisionTreeClassifier", BadTree, "tree", "voting: accuracy of tree"),
        ("MLPClassifier", BadNetwork, "multi-layer", "voting: accuracy of multi-layer"),
        ("LogisticRegression", BadUnit, "ordinary", "voting: accuracy of ordinary"),
        ("LogisticRegression", BadUnit, "2nd-order", "voting: accuracy of 2nd-order"),
    ],
)
def test_another_learner_does_not_reproduce(inputs, quick, monkeypatch, learner, bad, method, claim):
    monkeypatch.setattr(learners, learner, bad)
    rows = inputs.sets["voting"][0]
    task = tables.FoldTask("voting", method, 0, [0, 1, 2], rows, dict(inputs.settings))
    learned = quietly(tables.learn, task)
    values = copy.deepcopy(quick.values)
    cell = values["results"]["voting"][method]
    cell["accuracy"], cell["weights"] = [[0.0] * 10], [[0] * 10]
    cell["accuracy"][0][:] = [np.mean([one.accuracy for one in learned])] * 10
    cell["weights"][0][:] = [int(np.mean([one.n_weights for one in learned]))] * 10
    if JIT:
        assert verdicts(tables, quick.values)[claim] == YES
    assert verdicts(tables, values)[claim] == NO


# Values


def test_values_survive_json_and_come_again(small):
    values = small.values
    back = json.loads(json.dumps(values, allow_nan=False))
    assert back == values
    assert tables.check(back) == tables.check(values)
    assert all(len(one.heads) == len({*one.heads}) for one in small.tables)
    assert tables.run(small_inputs(), in_turn).values == values


def test_the_small_domains_are_learned(small):
    """Only pairs tell: the second order is worth something, and each method was run as often as asked."""
    for domain in tables.DOMAINS:
        results = small.values["results"][domain]
        assert results.keys() == learners.METHODS.keys()
        for method, cell in results.items():
            n_runs = 2 if method == "boosting" else 1
            assert (
                [len(run) for run in cell["accuracy"]]
                == [len(run) for run in cell["weights"]]
                == [3] * n_runs
            )
    assert np.mean(claims.means(small.values, "coding", "boosting")) > 85
    assert {*small.values["pairs"]} == {"boosting", "pruned 2nd-order", "without penalty"}
    assert [len(models) for models in small.values["pairs"].values()] == [6, 3, 3]
    assert sum("p1 = a and p2 = c" in one for one in small.values["pairs"]["without penalty"]) >= 2


def test_draw(small):
    before = copy.deepcopy(small.values)
    figure = Figure()
    tables.draw(figure, small.values)
    assert small.values == before
    *panels, bases = figure.axes
    assert [axes.get_title(loc="center") or axes.get_title(loc="left") for axes in panels] == [
        *tables.DOMAINS
    ]
    assert [label.get_text() for label in panels[0].get_yticklabels()] == [*claims.COLUMNS, claims.OPEN]
    opened = [line.get_xdata()[0] for line in panels[0].lines if line.get_markerfacecolor() == "none"]
    assert sorted(opened) == sorted(claims.ACCURACIES["voting"])
    n_pairs = sum(map(len, small.values["pairs"]["boosting"]))
    assert f"of {n_pairs} pairs" in bases.get_title(loc="center") + bases.get_title(loc="left")


# Parts, against computations of their own


def lesson_of(rows, fold=0):
    return learners.Lesson(rows.X, rows.y, rows.folds != fold, rows.folds == fold, 7, BRIEF)


def test_features_are_all_pairs_of_different_attributes():
    lesson = lesson_of(sequences(60, 5, 1))
    X, n_features = learners.features(lesson, 2)
    letters = lesson.X.to_numpy()
    literals = [(j, value) for j in range(5) for value in "acgt"]
    held = {one: letters[:, one[0]] == one[1] for one in literals}
    expected = [held[one] for one in literals]
    expected += [held[a] & held[b] for a, b in combinations(literals, 2) if a[0] != b[0]]
    assert n_features == len(expected) == 20 + 160
    there = {tuple(column) for column in np.array(expected).T.astype(float).T.tolist() if any(column)}
    assert {tuple(column) for column in X.toarray().T.tolist()} == there
    assert X.shape[1] == sum(any(column) for column in expected)


def test_a_unit_is_at_its_optimum():
    """The slope of the mean log loss + α/2 ‖w‖² is 0, in plain NumPy."""
    lesson = lesson_of(sequences(60, 5, 2))
    X, _ = learners.features(lesson, 1)
    X, signs = X[lesson.train], np.where(lesson.y[lesson.train] == "+", 1.0, -1.0)
    y = np.where(signs > 0, 1, 0)
    unit = learners._unit(lesson).set_params(tol=1e-8).fit(X, y)
    w, b = unit.coef_[0], unit.intercept_[0]
    wrong = expit(-signs * (X @ w + b)) / len(y)
    assert np.abs(X.T @ (-signs * wrong) + learners.ALPHA * w).max() < 1e-5
    assert abs((signs * wrong).sum()) < 1e-5
    assert np.abs(w).max() > 1


def test_weights_of_a_network_are_those_of_the_paper():
    """h hidden units over 30 literals have 31 h weights, biases aside: 21 units have 651, and 21 is the mean
    of ten numbers among 5, 10, 20, 40 and 80."""
    X, y = np.eye(30), np.arange(30) % 2
    for h in (5, 20):
        network = quietly(lambda h: MLPClassifier((h,), max_iter=1, random_state=0).fit(X, y), h)
        assert learners.n_weights(network) == 31 * h
    assert 31 * 21 == claims.paper(claims.WEIGHTS, "voting", "multi-layer")
    assert (8 * 20 + 10 + 40) / 10 == 21


def test_literals_are_those_of_the_training_rows():
    rows = sequences(60, 4, 5)
    odd = rows.X.with_columns(
        pl.when(pl.Series(rows.folds == 0)).then(pl.lit("n")).otherwise("p4").alias("p4")
    )
    X, n_features = learners.features(lesson_of(rows._replace(X=odd)), 1)
    assert n_features == sum(odd.filter(rows.folds != 0)[column].n_unique() for column in odd.columns)
    assert "n" in odd["p4"]
    assert X[rows.folds == 0].sum() == 3 * 20  # no literal of p4
    assert X[rows.folds != 0].sum() == 4 * 40


accuracies = st.lists(st.integers(0, 44), min_size=4, max_size=10)


def test_better_is_the_paired_t_test():
    seen = []

    @given(accuracies, accuracies, st.integers(-20, 20))  # shifted, so that more of them differ for sure
    @settings(deadline=None, derandomize=True, max_examples=200)
    def compare(some, others, shift):
        n = min(len(some), len(others))
        some, others = np.array(some[:n]) / 0.44, (np.array(others[:n]) + shift) / 0.44
        differences = some - others
        deviation = differences.std(ddof=1)
        if deviation > 1e-9:
            t = differences.mean() / (deviation / np.sqrt(n))
            seen.append(bool(t > 0 and 2 * student.sf(abs(t), n - 1) <= 0.05))
            assert claims.better(some.tolist(), others.tolist()) == seen[-1]

    compare()
    assert len(seen) >= 100
    assert 5 <= sum(seen) <= len(seen) - 5


def test_differences_without_deviation():
    assert claims.better([90.0, 91.0], [89.0, 90.0])
    assert not claims.better([89.0, 90.0], [90.0, 91.0])
    assert not claims.better([90.0, 91.0], [90.0, 91.0])


PAIRS = [f"p{start} = a and p{start + 1} = c" for start in (1, 4, 7, 10, 13)]


def results():
    """A run of ten folds in which everybody is as the paper says, and boosting ahead by a steady bit."""
    wave = np.linspace(-1, 1, 10)
    values = {"results": {}, "rows": {}, "pairs": {"boosting": [PAIRS]}}
    for domain in tables.DOMAINS:
        values["results"][domain] = {
            method: {
                "accuracy": [
                    (claims.paper(claims.ACCURACIES, domain, method) + wave * (1 + 0.1 * k)).tolist()
                ],
                "weights": [[claims.paper(claims.WEIGHTS, domain, method) or 9] * 10],
            }
            for k, method in enumerate(claims.COLUMNS)
        }
        values["results"][domain]["pruned 2nd-order"] = values["results"][domain]["pruned"]
    return values


def test_the_papers_own_numbers_are_reproduced():
    """All but one: with folds as steady as these, multi-layer perceptrons are better on voting."""
    failed = {text for text, verdict in verdicts(tables, results()).items() if verdict == NO}
    assert failed == {NOBODY.format("voting")}


@pytest.mark.parametrize(
    ("claim", "domain", "method", "of", "number"),
    [
        ("voting: accuracy of boosting", "voting", "boosting", "accuracy", 90.0),
        ("voting: weights of boosting", "voting", "boosting", "weights", 15),
        ("voting: accuracy of ordinary", "voting", "ordinary", "accuracy", 94.0),
        ("voting: weights of pruned", "voting", "pruned", "weights", 15),
        ("voting: weights of multi-layer", "voting", "multi-layer", "weights", 1500),
        (NOBODY.format(OTHERS), "promoters", "ordinary", "accuracy", 99.0),
        (STARRED.format("voting"), "voting", "pruned", "accuracy", 91.5),
        (STARRED.format(OTHERS), "coding", "tree", "accuracy", 73.0),
        (
            "Ordinary perceptrons have 30, 228, 60 weights, 2nd-order ones 450, 25,764, 1,740",
            "coding",
            "2nd-order",
            "weights",
            1739,
        ),
        (
            "Boosting has fewer weights than multi-layer, ordinary and 2nd-order perceptrons",
            "promoters",
            "boosting",
            "weights",
            228,
        ),
        ("Pruned and boosted perceptrons are of comparable size", "coding", "pruned", "weights", 110),
    ],
)
def test_each_claim_can_fail(claim, domain, method, of, number):
    values = results()
    assert verdicts(tables, values)[claim] == YES
    values["results"][domain][method][of] = [[number] * 10]
    assert verdicts(tables, values)[claim] == NO


def test_nobody_better_can_hold():
    values = results()
    values["results"]["voting"]["multi-layer"] = values["results"]["voting"]["boosting"]
    assert verdicts(tables, values)[NOBODY.format("voting")] == YES


def test_runs_draw_their_own_folds():
    first, again, second = (tables.folded(None, np.arange(40) % 2, 4, run).folds for run in (0, 0, 1))
    assert (first == again).all()
    assert (first != second).any()


def test_stars_need_half_of_the_runs():
    values = results()
    cell, boosted = (values["results"]["voting"][one]["accuracy"] for one in ("tree", "boosting"))
    for n_alike, expected in ((1, True), (2, False)):
        values["results"]["voting"]["tree"]["accuracy"] = [*cell, *boosted * n_alike]
        values["results"]["voting"]["boosting"]["accuracy"] = boosted * (1 + n_alike)
        found = claims.stars(values, "voting", "tree")
        assert found == [True] + [False] * n_alike
        assert claims.mostly(found) == expected
