"""`trace` and `NAMED`: the run, step by step, and the old names."""

import itertools
import re
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris

from perceptrons import NAMED, trace
from perceptrons.margin.named import CLASSIC
from perceptrons.synthetic import separable
from tests.margin.classic import classic, classic_kernel
from tests.margin.test_perceptron import MARGINS, STEPS, integer_set, twin

ROOT = Path(__file__).resolve().parents[2]

pytestmark = [
    pytest.mark.kernels,
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
]


@pytest.mark.parametrize("order", ["cyclic", "shuffle", "worst", "active"])
@pytest.mark.parametrize(("step", "eta"), [*STEPS, ("fixed", lambda t: 1 / t)])
def test_a_trace_leads_exactly_to_the_weights(order, step, eta, jit):
    rng, corrections = np.random.default_rng([len(order), len(step)]), 0
    for margin in MARGINS:
        if step == "passive-aggressive":
            margin = 2.0
        X = rng.standard_normal((70, 4))
        X /= 2 * np.sqrt((X**2).sum(axis=1)).max()
        y = X[:, 0] + 0.1 * rng.standard_normal(70) > 0
        model = classic(
            step=step,
            eta=eta,
            margin=margin,
            order=order,
            random_state=1,
            max_epochs=40 if jit else 4,
            intercept_scaling=0.5,
        )
        rows = X.astype(np.float32) if rng.random() < 0.5 else sp.csr_array(X)
        steps = list(trace(model, rows, y))
        model.fit(rows, y)
        assert len(steps) == model.n_updates_ > 0
        assert np.array_equal(steps[-1].coef_after, model.coef_[0])
        assert steps[-1].intercept_after == model.intercept_[0]
        assert not steps[0].coef_before.any()
        for one, following in itertools.pairwise(steps):
            assert one.coef_after is not following.coef_before
            assert np.array_equal(one.coef_after, following.coef_before)
            assert one.intercept_after == following.intercept_before
        corrections += len(steps)
    assert corrections >= 24  # at least one per epoch and setting


@pytest.mark.parametrize("order", ["cyclic", "shuffle", "worst"])
def test_a_trace_is_that_of_the_slow_twin(order):
    rng = np.random.default_rng(len(order))
    for margin in (0.0, 3.0, (1.0, 4.0), "adaptive"):
        X, y = integer_set(rng)
        model = classic(margin=margin, order=order, random_state=4, max_epochs=20)
        naive = twin(model, X, y).updates
        for ours, (row, tau, beta, w, b) in zip(trace(model, X, y), naive, strict=True):
            assert (ours.row, ours.step, ours.beta, ours.intercept_after) == (row, tau, beta, b)
            assert ours.coef_after.tolist() == w
            assert ours.sign == y[row]


@pytest.mark.parametrize("order", ["cyclic", "shuffle", "worst", "active"])
def test_every_presentation_is_that_of_the_slow_twin(order):
    rng, shown, corrected, taken_back = np.random.default_rng(len(order)), 0, 0, 0
    for margin, tol in itertools.product((0.0, 3.0, (1.0, 4.0), "adaptive"), (None, 0.3)):
        X, y = integer_set(rng, m=70 if order == "active" else 24)
        if order == "active" and tol is None:
            y[::7] *= -1
        model = classic(margin=margin, order=order, random_state=4, max_epochs=6, tol=tol)
        naive = twin(model, X, y).presented
        ours = list(trace(model, X, y, presentations=True))
        assert [(one.row, one.score, one.correction is not None) for one in ours] == naive
        assert [one.number for one in ours] == list(range(1, len(naive) + 1))
        assert [one.target for one in ours] == [y[one.row] for one in ours]
        assert [one.output for one in ours] == [1 if one.score > 0 else -1 for one in ours]
        made = [one.correction for one in ours if one.correction]
        assert [one.row for one in ours if one.correction] == [one.row for one in made]
        for one, alone in zip(made, trace(model, X, y), strict=True):
            assert (one.number, one.row, one.step) == (alone.number, alone.row, alone.step)
        shown, corrected = shown + len(ours), corrected + len(made)
        left = model.fit(X, y).n_presentations_ - len(ours)
        assert left >= 0
        taken_back += left > 0
    assert shown > 500
    assert 24 < corrected < shown
    assert taken_back >= 2 if order == "active" else taken_back == 0


def test_the_thirteen_lines_of_the_chapter():
    """Honavar's example: W.X and the output at each step 1, and the patterns that are corrected."""
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 1]
    model = classic(order="cyclic", ties="negative", intercept_scaling=1)
    shown = list(trace(model, X, y, presentations=True))
    assert [one.row + 1 for one in shown] == [1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1]
    assert [one.score for one in shown] == [0, 0, 1, 2, 1, 1, 0, 3, 1, 1, 1, 2, 0]
    assert [one.output for one in shown] == [0, 0, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 0]
    assert [one.target for one in shown] == [0, 1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 0]
    assert [one.number for one in shown if one.correction] == [2, 5, 7, 9]
    assert all((one.output != one.target) == (one.correction is not None) for one in shown)


def test_presentations_of_rows_that_count_and_of_every_class():
    X, y = load_iris(return_X_y=True)
    weights = np.ones(150)
    weights[:50:2] = 0  # absent
    model = classic(random_state=0, max_epochs=3)
    shown = list(trace(model, X, y, weights, presentations=True))
    model.fit(X, y, sample_weight=weights)
    assert {one.vector for one in shown} == {0, 1, 2}
    assert all(weights[one.row] > 0 for one in shown)
    for k in range(3):
        own = [one for one in shown if one.vector == k]
        assert len(own) == model.n_presentations_[k]
        assert all(one.target == (1 if y[one.row] == k else -1) for one in own)


def test_corrections_taken_back_are_left_out():
    X, y = integer_set(np.random.default_rng(0), m=70)
    y[::7] *= -1
    model = classic(order="active", max_epochs=6).fit(X, y)
    assert not model.converged_
    steps = list(trace(model, X, y))
    assert len(steps) == model.n_updates_
    assert np.array_equal(steps[-1].coef_after, model.coef_[0])


def test_one_weight_vector_after_the_other():
    X, y = load_iris(return_X_y=True)
    model = classic(random_state=0, max_epochs=20).fit(X, y)
    steps = list(trace(model, X, y))
    for k in range(3):
        own = [step for step in steps if step.vector == k]
        assert [step.number for step in own] == list(range(1, model.n_updates_[k] + 1))
        assert np.array_equal(own[-1].coef_after, model.coef_[k])


def test_the_model_given_stays_as_it_is():
    X, y = integer_set(np.random.default_rng(3))
    model = classic(order="cyclic")
    list(trace(model, X, y))
    assert not hasattr(model, "coef_")


def test_a_trace_that_would_be_another_run_is_refused():
    X, y = integer_set(np.random.default_rng(3))
    with pytest.raises(ValueError, match="random_state=None: these shuffles could not be drawn again"):
        trace(classic(), X, y)
    with pytest.raises(ValueError, match="not a KernelPerceptron"):
        trace(classic_kernel(), X, y)


@pytest.mark.parametrize("name", NAMED)
def test_named_settings_separate_what_is_separable(name):
    rows = separable(60, 3, margin=0.1, radius=0.5, random_state=1)  # lifted, they have norm <= 1
    model = classic(**NAMED[name], random_state=0).fit(rows.X, rows.y)
    assert model.converged_
    assert model.score(rows.X, rows.y) == 1.0 or name == "averaged"  # an average need not separate the rows


def test_named_settings_cannot_be_changed():
    with pytest.raises(TypeError):
        NAMED["pam"]["margin"] = 2.0


def changed(settings):
    """Those that are not common to all names."""
    common = {"order": "shuffle", **CLASSIC}
    return {name: value for name, value in settings.items() if common.get(name) != value}


def test_the_docs_list_every_name_with_its_settings():
    page = (ROOT / "docs" / "perceptron.md").read_text(encoding="utf-8")
    table = dict(re.findall(r"^\| `([a-z-]+)` \| `Perceptron\((.*?)\)` \|", page, re.MULTILINE))
    assert table == {
        name: ", ".join(f"{key}={value!r}".replace("'", '"') for key, value in settings.items())
        for name, settings in ((name, changed(NAMED[name])) for name in NAMED)
    }
