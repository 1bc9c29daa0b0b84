"""`draw`: the mistakes counted are those of models learned before, and the bound is about the draw."""

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.linear_model import LogisticRegression, SGDClassifier

from perceptrons import Perceptron, draw, verify
from perceptrons.theory.online import online_to_batch
from tests.certification.models import X, y
from tests.sizes import cases

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def test_it_is_the_slow_one():
    """Row by row, all models kept."""
    drawn = draw(Perceptron(), X, y, random_state=4)
    rng = np.random.default_rng(4)
    order, start = rng.permutation(240), 60
    chosen = int(rng.integers(start, 240))
    model, wrong = Perceptron(random_state=4), 0
    model.partial_fit(X[order[:start]], y[order[:start]], classes=["no", "yes"])
    for place in range(start, 240):
        if place == chosen:
            assert np.array_equal(model.coef_, drawn.model.coef_)
        row = order[place : place + 1]
        wrong += int(model.predict(X[row])[0] != y[row][0])
        model.partial_fit(X[row], y[row])
    assert drawn.certificate.n_wrong == wrong
    assert drawn.certificate.bound == pytest.approx(online_to_batch(wrong, 180, 0.05), rel=1e-9)
    assert not drawn.certificate.says_nothing
    assert len(drawn.certificate.sentences()) == 3


def test_other_estimators_and_many_rows():
    rows = np.random.default_rng(0).normal(size=(2000, 2))
    labels = (rows[:, 0] > 0).astype(int)
    for estimator in (SGDClassifier(), Perceptron()):
        drawn = draw(estimator, rows, labels)
        verify(drawn.certificate, drawn.model, rows, labels)
        assert drawn.certificate.n_counted == 1500
        assert drawn.certificate.bound < 0.1


def test_what_says_nothing_is_no_promise():
    noise = np.random.default_rng(0).integers(0, 2, 60)
    found = draw(Perceptron(), X[:60], noise).certificate
    assert found.says_nothing
    assert "promises nothing" in str(found)


def test_refusals():
    with pytest.raises(ValueError, match="draw needs an estimator that has partial_fit"):
        draw(LogisticRegression(), X, y)
    with pytest.raises(ValueError, match="one class only"):
        draw(Perceptron(), X, np.ones(240))
    with pytest.raises(ValueError, match="confidence"):
        draw(Perceptron(), X, y, confidence=2)
    drawn = draw(Perceptron(), X, y)
    with pytest.raises(ValueError, match="another model is drawn"):
        verify(drawn.certificate, Perceptron(random_state=0).fit(X[:20], y[:20]), X, y)


@pytest.mark.thorough
def test_the_mean_error_is_not_above_the_bound_too_often():
    """Two Gaussian clouds; the error of every model met is known by many new rows."""
    draws, broke = cases(500), 0
    new = np.random.default_rng(99).normal(size=(2000, 2))
    truth = np.random.default_rng(98).random(2000) < 1 / (1 + np.exp(-3 * new[:, 0]))
    for seed in range(draws):
        rng = np.random.default_rng(seed)
        rows = rng.normal(size=(60, 2))
        labels = rng.random(60) < 1 / (1 + np.exp(-3 * rows[:, 0]))
        if labels.all() or not labels.any():
            continue
        drawn = draw(Perceptron(), rows, labels, confidence=0.8, random_state=seed)
        broke += float((drawn.model.predict(new) != truth).mean()) > drawn.certificate.bound
    assert binomtest(broke, draws, 0.2, alternative="greater").pvalue > 0.001
