"""The data of figures about the fit itself."""

import numpy as np
import pytest

from perceptrons import Perceptron, SparsePerceptron, report
from tests.reports.learned import coffee, learned, reported
from tests.reports.test_decisions import figures

X = np.array([[0.0, 1.0], [2.0, 1.0], [1.0, 0.0], [3.0, 2.0]] * 6)
Y = np.array([0, 1, 0, 1] * 6)


def test_margins_lie_beyond_what_is_certified():
    model = Perceptron(random_state=0, tol=0.05, order="worst").fit(X, Y)
    figure = figures(report(model, X, Y, folds=0).facts)["margins"]
    certified = sorted(mark["x"] for mark in figure["marks"] if mark.get("certified"))
    one = model.certificate_
    assert certified == pytest.approx([-one.margin_bound, -one.margin, one.margin, one.margin_bound])
    edges = np.array(figure["edges"])
    for k, sign in ((0, -1), (1, 1)):
        counts = np.array(figure["counts"][k]["n"])
        assert counts.sum() == 12
        inside = (sign * edges[1:] < one.margin) & (sign * edges[:-1] < one.margin)
        assert not counts[inside].any()  # no row is nearer to the boundary


def test_margins_of_new_rows_have_no_certificate():
    figure = figures(reported("perceptron").facts)["margins"]
    assert [mark["label"] for mark in figure["marks"]] == ["boundary"]
    assert sum(map(sum, (one["n"] for one in figure["counts"]))) == 240


def test_bands_are_marked():
    model = learned("conservative")[-1]
    marks = figures(reported("conservative").facts)["margins"]["marks"][1:]
    expected = [sign * band for sign, band in zip((-1, 1), model.bands_, strict=True) if 0 < band < np.inf]
    assert [mark["x"] for mark in marks] == pytest.approx(expected)


def test_sizes_tried_are_those_of_the_fit():
    model, figure = learned("scorecard"), figures(reported("scorecard").facts)["size-path"]
    assert figure["series"][0]["x"] == [*map(float, model.cv_sizes_)]
    assert figure["series"][0]["y"] == pytest.approx(model.cv_loss_.tolist(), rel=1e-5)
    assert figure["marks"][0]["x"] == model.n_weights_


def test_stages_of_boosting_are_a_path_as_well():
    frame, y = coffee()
    model = SparsePerceptron(refit="stagewise", max_stages=7, cv=2, random_state=0).fit(frame, y)
    figure = figures(report(model, frame, y, new_rows=True).facts)["size-path"]
    assert figure["series"][0]["y"] == pytest.approx((1 - model.cv_accuracy_).tolist(), rel=1e-5)


def test_epochs_are_those_of_the_fit():
    model, figure = learned("kernel")[-1], figures(reported("kernel").facts)["training"]
    errors = model.history_["errors"] / model.n_rows_
    assert figure["series"][0]["y"][0] == pytest.approx(min(errors[0], figure["y"]["high"]), rel=1e-5)
    assert f"{len(errors):,} epochs" in figure["says"]


def test_the_rows_a_perceptron_is_made_of():
    model, found = learned("perceptron")[-1], reported("perceptron").facts["evidence"]["compression"]
    assert found["n"] == len(model.support_)
    parts = np.abs(model.dual_coef_[0])
    first = found["rows"][0]
    assert first["row"] - 1 == model.support_[parts.argmax()]
    assert first["share"] == pytest.approx(parts.max() / parts.sum())
    assert reported("sparse").facts["evidence"]["compression"] is None
