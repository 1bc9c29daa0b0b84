"""What is gathered of a model for the bounds on training rows, and that the bounds hold on known rows."""

from math import log

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.stats import binomtest
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import make_pipeline

from perceptrons import (
    BinaryPerceptron,
    ConservativePerceptron,
    LiteralEncoder,
    MaxMarginPerceptron,
    Perceptron,
    SparsePerceptron,
    certify,
    load,
    save,
)
from perceptrons.certification.answered_rows import answer_rows
from perceptrons.certification.training_facts import LIFTS, facts_of
from perceptrons.theory.occam import log_binary_perceptrons, log_texts
from tests.certification.models import OLD, X, y
from tests.sizes import cases

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def facts(model, rows, labels):
    found = certify(model, rows, labels)
    return facts_of(answer_rows(model, rows, labels), False, found.margins)


@pytest.mark.parametrize(
    "estimator",
    [
        Perceptron(random_state=0),
        MaxMarginPerceptron(C=1.0),
        ConservativePerceptron(n_restarts=2, max_epochs=20, random_state=0),
        Perceptron(fit_intercept=False, random_state=0),
    ],
    ids=lambda one: type(one).__name__,
)
def test_normalized_margins(estimator):
    model = estimator.fit(*OLD)
    found = facts(model, *OLD)
    assert found.n_dimensions == 5
    w, b = model.coef_[0], model.intercept_[0]
    for line, lift in zip(found.margins, LIFTS, strict=True):
        for gamma, row, label in zip(line, *OLD, strict=True):
            lifted, weights = np.append(row, lift), np.append(w, b / lift)
            sign = 1 if label == "yes" else -1
            slow = sign * lifted @ weights / np.linalg.norm(lifted) / np.linalg.norm(weights)
            assert gamma == pytest.approx(slow, abs=1e-12)
    sparse = facts(model, sp.csr_array(OLD[0]), OLD[1])
    np.testing.assert_allclose(sparse.margins, found.margins, atol=1e-12)


def test_the_first_pass():
    model = Perceptron(random_state=0).fit(*OLD)
    found = facts(model, *OLD)
    assert found.first_pass_mistakes == model.history_["errors"][0]
    assert found.first_pass_choices == log(2098)
    assert found.random_order
    assert not facts(Perceptron(order="cyclic").fit(*OLD), *OLD).random_order
    radius = Perceptron(intercept_scaling="radius", random_state=0).fit(*OLD)
    assert facts(radius, *OLD).first_pass_mistakes is None
    labels = np.digitize(X[:, 0], [-1, 2])
    assert facts(Perceptron(random_state=0).fit(X, labels), X, labels).first_pass_mistakes is None


def test_the_rows_that_a_model_is_made_of():
    model = Perceptron(margin=0, order="cyclic", result="last", min_margin=0).fit(*OLD)
    found, certificate = facts(model, *OLD), model.certificate_
    assert certificate.reproducible
    assert found.compression_size == certificate.compression_size + certificate.lift_from_rows
    assert found.choices == certificate.choices
    average = Perceptron(random_state=None).fit(*OLD)
    assert facts(average, *OLD).compression_size is None


def test_binary_models_are_counted():
    signs = np.where(X > 0, 1.0, -1.0)
    model = BinaryPerceptron(random_state=0).fit(signs, y)
    assert facts(model, signs, y).log_size == pytest.approx(
        float(log_binary_perceptrons(4)) + log_texts(["0"]) + 4 * log(1)
    )
    cut = BinaryPerceptron(random_state=0).fit(X, y)
    assert facts(cut, X, y).log_size > facts(model, signs, y).log_size + 20


def test_cards_pay_for_their_thresholds_and_names():
    table = pd.DataFrame({"a": X[:, 0], "b": np.where(X[:, 1] > 0, "another name", "a long name")})
    card = SparsePerceptron(max_points=2, max_rules=2, k=1, random_state=0).fit(table, y)
    size = facts(card, table, y).log_size
    short = table.assign(b=np.where(X[:, 1] > 0, "x", "n"))
    other = SparsePerceptron(max_points=2, max_rules=2, k=1, random_state=0).fit(short, y)
    assert {str(one) for one in card.conjunctions_} != {str(one) for one in other.conjunctions_}
    assert size > facts(other, short, y).log_size
    assert facts(SparsePerceptron(random_state=0).fit(table, y), table, y).log_size is None


def test_an_encoder_fitted_elsewhere_spoils_nothing():
    encoder = LiteralEncoder().fit(X[:60])
    frozen = make_pipeline(FrozenEstimator(encoder), SparsePerceptron(max_points=2, random_state=0))
    own = make_pipeline(LiteralEncoder(), SparsePerceptron(max_points=2, random_state=0))
    assert not answer_rows(frozen.fit(X[60:], y[60:]), X[60:], y[60:]).scaled
    assert answer_rows(own.fit(X, y), X, y).scaled


def test_a_model_whose_weights_alone_were_saved(tmp_path):
    save(Perceptron(random_state=0).fit(*OLD), tmp_path / "model.json", certificate=False)
    found = certify(load(tmp_path / "model.json"), *OLD)
    assert found.margins == ()
    assert found.weights_alone
    assert "of its margin nothing is proved: it was saved or streamed without its proof" in str(found)
    assert found.best.name == "PAC-Bayes margin"
    whole = certify(Perceptron(random_state=0).fit(*OLD), *OLD)
    assert not whole.weights_alone
    assert "without its proof" not in str(whole)


def test_texts():
    assert log_texts([]) == log(2)
    assert log_texts(["0"]) < log_texts(["1"]) < log_texts(["1.5"]) < log_texts(["a b"]) < log_texts(["äöü"])


@pytest.mark.thorough
def test_bounds_of_cards_hold_on_rows_with_known_errors():
    """Labels are noise: every card is wrong on half of the new rows."""
    draws, broke, least = cases(200), 0, 1.0
    for seed in range(draws):
        rng = np.random.default_rng(seed)
        rows, labels = rng.integers(0, 3, (40, 2)).astype(float), rng.integers(0, 2, 40)
        card = SparsePerceptron(max_points=1, max_rules=1, k=1, random_state=0).fit(rows, labels)
        bound = next(one.value for one in certify(card, rows, labels, confidence=0.5).statements if one.value)
        least, broke = min(least, bound), broke + (bound < 0.5)
    assert least < 1.0
    assert binomtest(broke, draws, 0.5, alternative="greater").pvalue > 0.001
