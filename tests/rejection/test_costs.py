"""Costs, reject labels and the error–reject curve, against loops that spell out their definitions."""

import copy
import dataclasses
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, clone

from perceptrons import ConservativePerceptron, Costs, load, save
from perceptrons.rejection.costs import read_costs
from perceptrons.rejection.labels import answers, is_rejected, read_answers, resolve
from perceptrons.rejection.rejecting import ErrorRejectCurve, error_reject_curve

seeds = st.integers(0, 2**32 - 1)
two = Costs(wrong={"ill": 5, "well": 1}, reject={"ill": 1, "well": 0.3})


# Costs


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"wrong": "dear"}, r"wrong='dear', but it must be a number, or a dict of class → number"),
        ({"wrong": {}}, r"wrong=\{\}, but it must be a number, or a dict of class → number, of all classes"),
        ({"reject": 10**400}, r"reject=inf, but costs must be numbers"),
        ({"wrong": 2**53 + 1, "reject": 2**53}, r"reject=\S+, but it must be below wrong"),  # equal as floats
        ({"gain": True}, r"gain=True, but it must be a number, or a dict"),
        ({"reject": None}, r"reject=None, but it must be a number"),
        ({"gain": -1.0}, r"gain=-1.0, but costs must be numbers from 0 to 1e.100; use 0 for none"),
        ({"wrong": np.inf}, r"wrong=inf, but costs must be numbers"),
        ({"reject": np.nan}, r"reject=nan, but costs must be numbers"),
        (
            {"gain": {"ill": -2}},
            r"gain\['ill'\]=-2, but costs must be numbers from 0 to 1e.100; use 0 for none",
        ),
        ({"wrong": {"ill": "5"}}, r"wrong\['ill'\]='5', but costs must be numbers from 0"),
        ({"reject": 1.0}, r"reject=1.0, but it must be below wrong=1.0: .* lower it"),
        ({"wrong": {1: 0.1}}, r"reject\[1\]=0.2, but it must be below wrong\[1\]=0.1: .* lower it"),
        (
            {"wrong": {1: 2, 2: 1}, "reject": {1: 1, 2: 1}},
            r"reject\[2\]=1, but it must be below wrong\[2\]=1",
        ),
    ],
)
def test_costs_that_make_no_sense_raise(given, message):
    with pytest.raises(ValueError, match=message):
        Costs(**given)


def test_costs_at_the_limits_are_not():
    assert Costs(gain=0, wrong=1e-9, reject=0) == Costs(0.0, 1e-9, 0.0)
    assert Costs(np.float32(1), np.int64(2), 0.5).of([0, 1]).wrong.tolist() == [2.0, 2.0]


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (Fraction(1, 4), 0.25),
        (np.float32(0.5), 0.5),
        (np.int8(1), 1),
        (7, 7),
        (2**53, 2**53),
        (2**53 + 2, float(2**53 + 2)),
        (10**50, 1e50),
    ],
)
def test_costs_are_numbers_that_can_be_saved(given, kept):
    for costs, value in (
        (Costs(gain=given), kept),
        (Costs(gain={"ill": given, "well": 1}), {"ill": kept, "well": 1}),
    ):
        assert (costs.gain, repr(costs.gain)) == (value, repr(value))


def test_a_model_with_such_costs_is_saved(tmp_path):
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 0, 1, 1])
    costs = Costs(gain={0: Fraction(1, 3), 1: np.float32(0.5)}, wrong=10**50, reject=Fraction(1, 3))
    save(ConservativePerceptron(costs=costs, random_state=0).fit(X, y), tmp_path / "model.json")
    assert load(tmp_path / "model.json").costs == costs


def test_the_costs_of_classes():
    prices = two.of(np.array(["ill", "well"]))
    assert [part.tolist() for part in prices] == [[0.0, 0.0], [5.0, 1.0], [1.0, 0.3]]
    assert not prices.uniform
    assert not prices.free
    assert Costs(wrong={True: 2, False: 2}).of([False, True]).uniform
    assert Costs(reject=0).of([0, 1]).free
    assert not Costs(gain=1, reject=0).of([0, 1]).free
    with pytest.raises(
        ValueError, match=r"name the class 'well', but the classes are \['ill', 'weak'\]; ren"
    ):
        two.of(["ill", "weak"])
    with pytest.raises(ValueError, match=r"wrong prices \['ill', 'well'\], but not the class 'weak'; add it"):
        two.of(["ill", "weak", "well"])
    with pytest.raises(ValueError, match=r"reject prices \[2\], but not the class 1; add it"):
        Costs(wrong={1: 2, 2: 2}, reject={2: 1}).of([1, 2])


def test_costs_stay_as_they_are():
    mine = {"ill": 5, "well": 1}
    costs = Costs(wrong=mine)
    mine["ill"] = 0
    assert costs.wrong == {"ill": 5, "well": 1}
    with pytest.raises(dataclasses.FrozenInstanceError):
        costs.gain = 1.0


class Priced(BaseEstimator):
    def __init__(self, costs=None):
        self.costs = costs


@pytest.mark.parametrize("costs", [Costs(), two, Costs(gain={0: 1, 1: 2})])
def test_copies_are_equal_and_independent(costs):
    cloned = clone(Priced(costs)).costs
    for other in (copy.copy(costs), copy.deepcopy(costs), pickle.loads(pickle.dumps(costs)), cloned):
        assert other == costs
        assert other is not costs
    assert cloned.wrong is not costs.wrong or not isinstance(costs.wrong, dict)
    assert costs != dataclasses.replace(costs, gain=7)


def test_reading_costs():
    assert read_costs(None, 0.3) == Costs(0.0, 1.0, 0.3)
    assert read_costs(two, "unused") is two
    for bad in (1.0, -0.1, np.nan, "0.2", None, True):
        with pytest.raises(ValueError, match=rf"reject_cost={bad!r}, but it must be .* below 1.*use costs=C"):
            read_costs(None, bad)
    with pytest.raises(
        ValueError, match=r"costs=0.2, but it must be a Costs object, like Costs\(wrong=5, re"
    ):
        read_costs(0.2, 0.2)


def naive_risk(costs, y_true, y_pred, label, weights):
    paid = 0.0
    for truth, answer, weight in zip(y_true, y_pred, weights, strict=True):
        part = "reject" if answer == label else "wrong"
        sign, part = (-1, "gain") if answer == truth else (1, part)
        price = getattr(costs, part)
        paid += sign * weight * (price[truth] if isinstance(price, dict) else price)
    return paid / sum(weights)


def some_prices(rng, names, low):
    one = lambda: float(low + rng.integers(0, 5) / 4)  # noqa: E731
    return one() if rng.random() < 0.4 else {name: one() for name in names}


outcomes = {"right": 0, "wrong": 0, "rejected": 0, "per class": 0}


@given(seed=seeds)
@settings(deadline=None, derandomize=True, max_examples=150)
def check_the_risk(seed):
    rng = np.random.default_rng(seed)
    names, label = [([1, 2, 5], 0), (["a", "b"], "reject"), ([0, 1], "no"), (["a", "b"], -3)][seed % 4]
    costs = Costs(some_prices(rng, names, 0.0), some_prices(rng, names, 2.0), some_prices(rng, names, 0.0))
    size = int(rng.integers(1, 12))
    y_true = [names[i] for i in rng.integers(len(names), size=size)]
    y_pred = [[*names, label][i] for i in rng.integers(len(names) + 1, size=size)]
    weights = rng.integers(1, 4, size=size).tolist()
    expected = naive_risk(costs, y_true, y_pred, label, weights)
    for form in (list, tuple, lambda values: np.array(values, object)):
        given = costs.risk(y_true, form(y_pred), reject_label=label, sample_weight=weights)
        assert given == pytest.approx(expected, abs=1e-12)
    plain = naive_risk(costs, y_true, y_pred, label, [1] * size)
    assert costs.risk(np.array(y_true), y_pred, reject_label=label) == pytest.approx(plain, abs=1e-12)
    outcomes["right"] += any(a == b for a, b in zip(y_true, y_pred, strict=True))
    outcomes["wrong"] += any(a != b != label for a, b in zip(y_true, y_pred, strict=True))
    outcomes["rejected"] += label in y_pred
    outcomes["per class"] += isinstance(costs.wrong, dict)


def test_the_risk_is_the_mean_of_what_is_paid():
    outcomes.update(dict.fromkeys(outcomes, 0))
    check_the_risk()
    assert min(outcomes.values()) > 50, outcomes


def test_the_risk_of_classes_without_prices():
    assert two.risk(["ill"], ["reject"]) == 1.0  # not all classes need have rows
    with pytest.raises(ValueError, match="not the class 'dead'; add it"):
        two.risk(["dead"], ["ill"])
    partly = Costs(wrong={"ill": 5, "well": 1}, reject={"ill": 1})
    assert partly.risk(["ill"], ["reject"]) == 1.0


def test_classes_that_are_priced_are_known():
    costs = Costs(wrong={0: 1, 1: 5})
    assert costs.risk([1, 1, 1], [1, -1, 1]) == pytest.approx(0.2 / 3)
    assert costs.risk([1, 1, 1], [1, 0, 1]) == pytest.approx(5 / 3)  # Costs() would raise rather than guess
    assert Costs(wrong=5).risk([1, 1, 1], [1, 0, 1], labels=[0, 1]) == pytest.approx(5 / 3)
    with pytest.raises(ValueError, match=r"Mix of label .*y_true holds \['0'\], but .* name \[0, 1\]; name"):
        costs.risk(["0"], ["0"])


@pytest.mark.parametrize("odd", ["heathy", "rejected"])
def test_answers_that_are_no_class_raise_if_classes_are_priced(odd):
    with pytest.raises(
        ValueError, match=rf"y_pred holds '{odd}', which is neither .* \['ill', 'well'\] nor .* 'reject'"
    ):
        two.risk(["ill", "well"], ["ill", odd])
    assert two.risk(["ill", "well"], ["ill", odd], reject_label=odd) == 0.15
    assert Costs().risk(["ill", "well"], ["ill", odd]) == 0.5  # it may be a class that no row has


# Labels


@pytest.mark.parametrize(
    ("classes", "label"),
    [
        ([1, 2], 0),
        ([-1, 1], 0),
        ([0, 1], -1),
        ([-1, 0, 1], -2),
        ([-7, -1, 0], -8),
        ([1.0, 2.0], 0),
        ([-1.5, -1.0, 0.0], -2),
        ([False, True], -1),
        (np.array([0, 1], np.uint8), -1),
        (np.array([3, 4], np.uint64), 0),
        (["a", "b"], "reject"),
        (np.array(["a", "b"], object), "reject"),
    ],
)
def test_the_automatic_label_is_no_class(classes, label):
    classes = np.array(classes)
    found = resolve("auto", classes)
    assert (found, type(found)) == (label, type(label))
    assert found not in classes.tolist()


def test_labels_by_name():
    texts, numbers = np.array(["a", "b"]), np.array([1, 2])
    for label in (None, 0, -0.5, "none", np.int8(7)):
        assert resolve(label, numbers) is label
        assert resolve(label, texts) is label
    assert np.isnan(resolve(np.nan, numbers))
    assert resolve(None, np.array(["None", "a"])) is None
    for label in (1, 2.0, np.int64(1)):
        with pytest.raises(
            ValueError, match=r"^reject_label=\S+, but that is one of .*\[1, 2\]; choose another"
        ):
            resolve(label, numbers)
    with pytest.raises(
        ValueError, match=r"^reject_label='a', but that is one of the classes \['a', 'b'\]; ch"
    ):
        resolve("a", texts)
    for label, classes in (("1", numbers), (1, np.array(["0", "1"])), ("True", np.array([False, True]))):
        with pytest.raises(
            ValueError, match=r"^reject_label=\S+, but that is written like one of the classes"
        ):
            resolve(label, classes)
    with pytest.raises(ValueError, match=r"^reject_label='auto' is 'reject', but that is one of the classes"):
        resolve("auto", np.array(["accept", "reject"]))
    for label in (True, [0], b"no"):
        with pytest.raises(
            ValueError, match=r"but it must be 'auto', a number, a text, or None to always an"
        ):
            resolve(label, numbers)


@pytest.mark.parametrize(
    ("classes", "label", "kind"),
    [
        (np.array([1, 2]), 0, "i"),
        (np.array([0, 1], np.int8), -1, "i"),
        (np.array([0, 1], np.int8), 1000, "i"),
        (np.array([0, 255], np.uint8), -1, "i"),
        (np.array([0, 1], np.uint64), -1, "i"),
        (np.array([0, 2**63 - 1], np.uint64), -1, "i"),
        (np.array([0, 1], np.uint64), 2**64 - 1, "u"),
        (np.array([-1, 0]), 2**63 + 1, "O"),
        (np.array([0, 2**63 + 1], np.uint64), -1, "O"),  # a float would round the class
        (np.array([2**62 + 1, 2**62 + 2]), 0.5, "O"),
        (np.array([-(2**63), -1, 0]), -(2**63) - 1, "O"),
        (np.array([False, True]), -1, "i"),
        (np.array([False, True]), 0.1, "f"),
        (np.array([0, 1], np.int8), 0.1, "f"),
        (np.array([0, 1], np.float32), 0.1, "f"),
        (np.array([0, 1], np.float32), 16777217, "f"),
        (np.array([1, 2]), np.nan, "f"),
        (np.array([1, 2]), "reject", "O"),
        (np.array(["a", "b"]), "reject", "U"),
        (np.array(["a", "b"]), 0, "O"),
        (np.array(["a", "b"], object), "reject", "O"),
    ],
)
def test_answers_hold_classes_and_label(classes, label, kind):
    codes, rejected = np.array([0, 1, 1, 0]), np.array([False, False, True, True])
    got = answers(classes, codes, rejected, label)
    assert got.dtype.kind == kind
    assert got[:2].tolist() == classes[:2].tolist()
    assert got[2:].tolist() == [label] * 2 or np.isnan([label, *got[2:].astype(float)]).all()
    assert is_rejected(got, label).tolist() == rejected.tolist()
    always = answers(classes, codes, rejected, None)
    assert always.dtype == classes.dtype
    assert always.tolist() == classes[codes].tolist()
    assert not is_rejected(always, None).any()


def test_rejections_are_found_in_arrays_of_any_kind():
    assert is_rejected(np.array(["a", "b"]), 0).tolist() == [False, False]
    assert is_rejected(np.array([1.0, 2.0]), "reject").tolist() == [False, False]
    assert is_rejected(np.array([1.0, np.nan]), np.nan).tolist() == [False, True]
    assert is_rejected(np.array(["a", np.nan, 0], object), np.nan).tolist() == [False, True, False]
    assert is_rejected(np.array([1.0, np.nan]), 1).tolist() == [True, False]


def test_automatic_labels_are_not_guessed():
    """Classes 0 and 1, rejections −1, but no row of class 0: the answer 0 would pass for a rejection."""
    with pytest.raises(
        ValueError, match=r"y_pred holds 0 and -1, neither of which is in y_true.* name it as"
    ):
        read_answers([1, 1, 1], [1, 0, -1])
    with pytest.raises(ValueError, match=r"y_pred holds 0 and -2, neither"):
        read_answers([1, -1], [0, -2])
    assert read_answers([1, 1, 1], [1, 0, -1], -1).rejected.tolist() == [False, False, True]
    assert read_answers([1, 2, 2], [1, 0, 3]).rejected.tolist() == [False, True, False]
    assert read_answers([1, 1, 1], [1, 0, -1], labels=[0, 1]).label == -1


def test_a_class_alone_leaves_automatic_labels_open():
    """Of classes 0 and 1, a fold has the second alone: the wrong answer 0 would pass for a rejection."""
    for y_true, y_pred, alone, odd in (
        ([1, 1, 1], [1, 0, 1], 1, 0),
        ([1, 1, 1], [1, 2, 1], 1, 2),
        ([1.0, 1.0], [1, -1], 1.0, -1),
        ([True, True], [True, False], True, False),
    ):
        message = (
            rf"^reject_label='auto', but {alone} is the only class known, and y_pred holds {odd}, .* name"
        )
        with pytest.raises(ValueError, match=message):
            read_answers(y_true, y_pred)
    assert not read_answers([1, 1], [1, 1]).rejected.any()
    assert read_answers([1, 1], [1, 0], reject_label=0).rejected.tolist() == [False, True]
    assert read_answers([1, 1], [1, 0], labels=[1, 2]).rejected.tolist() == [False, True]
    assert read_answers([1, 1], [1, 0], labels=[0]).rejected.tolist() == [False, False]
    assert read_answers(["a"], ["reject"]).rejected.all()  # of texts there is no doubt


# The curve


def naive_curve(wrong, certainty):
    points = []
    for threshold in [*sorted(set(certainty)), np.inf]:
        answered = [threshold != np.inf and one >= threshold for one in certainty]
        errors = sum(bool(bad) for bad, given in zip(wrong, answered, strict=True) if given)
        points.append((answered.count(False) / len(wrong), errors / len(wrong), threshold))
    return points


def some_answers(seed):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 25))
    certainty = [rng.normal(size=size), rng.integers(0, 4, size=size), rng.normal(size=size).round(1)][
        seed % 3
    ]
    return rng.random(size) < rng.choice([0.0, 0.3, 0.7, 1.0]), certainty


curves = {"ties": 0, "errors": 0}


@given(seed=seeds)
@settings(deadline=None, derandomize=True, max_examples=150)
def check_the_curve(seed):
    wrong, certainty = some_answers(seed)
    curve = error_reject_curve(wrong, certainty)
    assert list(zip(*(part.tolist() for part in curve), strict=True)) == naive_curve(
        wrong, certainty.tolist()
    )
    assert curve.rejected[0] == 0.0
    assert curve.rejected[-1] == 1.0
    for place, share in enumerate(curve.selective_accuracy[:-1]):
        kept = certainty >= curve.thresholds[place]
        assert share == pytest.approx(1.0 - wrong[kept].mean(), abs=1e-12)
    assert curve.selective_accuracy[-1] == 1.0
    costs = [0.0, 0.1, 0.35, 0.5]
    risks = [min(e + cost * r for r, e, _ in naive_curve(wrong, certainty.tolist())) for cost in costs]
    assert curve.least_risk(costs) == pytest.approx(risks, abs=1e-15)
    assert curve.least_risk(0.1).tolist() == curve.least_risk(costs)[1:2].tolist()
    curves["ties"] += len(set(certainty.tolist())) < len(certainty)
    curves["errors"] += bool(wrong.any())


def test_the_curve_is_that_of_all_thresholds():
    curves.update(dict.fromkeys(curves, 0))
    check_the_curve()
    assert min(curves.values()) > 50, curves


@pytest.mark.parametrize("values", [[1.0, 1e308, -1e308], [0.0, np.inf, np.inf], [-np.inf, -np.inf, 2.0]])
def test_the_curve_of_extreme_certainties(values):
    certainty = np.array(values)
    curve = error_reject_curve(np.array([True, False, True]), certainty)
    assert len(curve.thresholds) == len(set(values)) + 1
    assert curve.rejected.tolist()[-1] == 1.0
    assert curve.errors.tolist()[0] == pytest.approx(2 / 3)


def test_a_curve_by_hand():
    curve = error_reject_curve(np.array([True, False, True, False]), np.array([0.1, 0.1, 0.5, 0.9]))
    expected = ErrorRejectCurve([0.0, 0.5, 0.75, 1.0], [0.5, 0.25, 0.0, 0.0], [0.1, 0.5, 0.9, np.inf])
    assert [part.tolist() for part in curve] == list(expected)
    assert curve.selective_accuracy.tolist() == [0.5, 0.5, 1.0, 1.0]
    assert curve.least_risk([0.0, 0.2, 0.5]).tolist() == pytest.approx([0.0, 0.15, 0.375])


def test_no_accuracy_is_negative():
    curve = error_reject_curve(np.ones(200, bool), np.arange(200))
    assert curve.selective_accuracy.min() >= 0.0
    assert curve.selective_accuracy[:-1] == pytest.approx(np.zeros(200), abs=1e-12)
