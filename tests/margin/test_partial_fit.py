"""Training that goes on: partial_fit, warm_start, coef_init."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from perceptrons import verify
from perceptrons.margin.certificates import certify_margin as certify
from perceptrons.synthetic import separable
from tests.margin.classic import classic
from tests.naive.margin import perceptron as naive_perceptron

pytestmark = [
    pytest.mark.kernels,
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
]


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    X = rng.integers(-4, 5, (120, 5)).astype(float)
    return X, np.where(X @ [1, -2, 3, 0, 1] > 0, 1, -1)


@pytest.mark.parametrize("margin", [0.0, 2.0, "adaptive", "growing"])
@pytest.mark.parametrize("result", ["last", "average"])
def test_batches_of_a_stream_make_one_pass(rows, margin, result):
    """Cut into batches, the stream is one cyclic pass; ρ is that of the first batch."""
    X, y = rows
    model = classic(margin=margin, result=result, order="cyclic", intercept_scaling=3)
    for start in range(0, 120, 50):
        model.partial_fit(X[start : start + 50], y[start : start + 50], classes=[-1, 1])
    whole = classic(**model.get_params()).set_params(max_epochs=1).fit(X, y)
    assert np.allclose(model.coef_, whole.coef_, rtol=1e-12)
    assert np.allclose(model.intercept_, whole.intercept_, rtol=1e-12)
    assert np.array_equal(model.support_, whole.support_)
    assert np.allclose(model.dual_coef_, whole.dual_coef_, rtol=1e-12)
    assert model.n_updates_ == whole.n_updates_ > 5
    assert model.n_presentations_ == 120
    assert model.n_iter_ == 1
    assert len(model.history_["updates"]) == 3
    assert model.certificate_.margin_bound == pytest.approx(whole.certificate_.margin_bound, rel=1e-8)
    assert model.certificate_.margin_bound >= whole.certificate_.margin_bound
    assert model.certificate_.separable is None
    assert certify(model, X[100:], y[100:]).margin_bound is None
    assert model.certificate_.n_rows == 20
    assert model.certificate_.update_bound is None
    verify(model.certificate_, model, X[100:], y[100:])
    assert certify(model, X, y).margin_bound == pytest.approx(whole.certificate_.margin_bound, rel=1e-12)


def test_integer_streams_equal_one_pass_with_the_default_lift(rows):
    """ρ² is kept, not the square of its root: 3 would become 2.9999999999999996."""
    X, y = rows
    X[0] = 5.0  # the largest row comes first
    model = classic(order="cyclic")
    for start in range(0, 120, 30):
        model.partial_fit(X[start : start + 30], y[start : start + 30], classes=[-1, 1])
    whole = classic(order="cyclic", max_epochs=1).fit(X, y)
    assert np.array_equal(model.intercept_, whole.intercept_)
    assert np.array_equal(model.coef_, whole.coef_)


def test_a_flipped_label_or_dual_of_the_last_batch_is_refused(rows):
    X, y = rows
    model = classic(order="cyclic").partial_fit(X[:60], y[:60], classes=[-1, 1]).partial_fit(X[60:], y[60:])
    verify(model.certificate_, model, X[60:], y[60:])
    model.dual_coef_[0, -1] *= -1
    with pytest.raises(ValueError, match="margin_bound"):
        verify(model.certificate_, model, X[60:], y[60:])


def test_a_stream_without_corrections_has_no_bound(rows):
    X, _ = rows
    model = classic(ties="negative").partial_fit(X, np.full(120, -1), classes=[-1, 1])
    assert model.partial_fit(X, np.full(120, -1)).certificate_.margin_bound is None
    assert model.n_updates_ == 0


def test_the_first_batch_sets_the_lift(rows):
    X, y = rows
    model = classic().partial_fit(X[:10], y[:10], classes=[-1, 1])
    lift = model.lift_
    model.partial_fit(100 * X[10:], y[10:])
    assert model.lift_ == lift == np.linalg.norm(X[:10], axis=1).max()


def test_a_batch_may_hold_one_class_and_be_sparse(rows):
    X, y = rows
    model = classic(order="cyclic").partial_fit(X[y > 0], y[y > 0], classes=[-1, 1])
    assert model.n_updates_ == 1
    model.partial_fit(sp.csr_array(X[y < 0]), y[y < 0])
    assert model.n_updates_ > 1
    with pytest.raises(ValueError, match="y holds 7"):
        model.partial_fit(X, np.full(120, 7))


def test_multiclass_stream(rows):
    X, _ = rows
    y = X.argmax(axis=1) % 3
    model = classic(order="cyclic", intercept_scaling=1)
    for start in range(0, 120, 40):
        model.partial_fit(X[start : start + 40], y[start : start + 40], classes=[0, 1, 2])
    whole = classic(order="cyclic", intercept_scaling=1, max_epochs=1).fit(X, y)
    assert np.array_equal(model.coef_, whole.coef_)
    assert np.array_equal(model.support_, whole.support_)
    assert np.array_equal(model.dual_coef_, whole.dual_coef_)


def test_a_clean_batch_says_converged(rows):
    X, y = rows
    model = classic(max_epochs=5000).fit(X, y)
    assert model.converged_
    assert model.partial_fit(X[:30], y[:30]).converged_
    assert model.n_rows_ == 150


def test_what_a_stream_cannot_do(rows):
    X, y = rows
    with pytest.raises(AttributeError) as error:
        classic(result="pocket").partial_fit(X, y, classes=[-1, 1])
    assert "counts errors on all rows" in str(error.value.__cause__)
    with pytest.raises(ValueError, match="first call"):
        classic().partial_fit(X, y)
    with pytest.raises(ValueError, match="at least two classes"):
        classic().partial_fit(X, y, classes=[1])
    model = classic().partial_fit(X, y, classes=[-1, 1])
    with pytest.raises(ValueError, match=r"classes=\[-1, 2\], but the first call named \[-1, 1\]"):
        model.partial_fit(X, y, classes=[-1, 2])
    with pytest.raises(ValueError, match="another policy than the stream began with"):
        model.set_params(margin="growing").partial_fit(X, y)
    with pytest.warns(match="max_updates=3 is reached: the stream learns no more"):
        model = classic(max_updates=3).partial_fit(X, y, classes=[-1, 1])
    assert model.stopped_ == "max_updates"
    with pytest.raises(ValueError, match="before training starts"):
        classic().partial_fit(X, y, classes=[-1, 1]).set_params(result="average").partial_fit(X, y)


@pytest.mark.parametrize("margin", [0.0, 2.0, "adaptive", "growing"])
@pytest.mark.parametrize("result", ["last", "average", "pocket"])
def test_warm_start_on_the_same_rows_goes_on(rows, margin, result):
    X, y = rows
    settings = {"margin": margin, "result": result, "order": "worst", "fit_intercept": False}
    model = classic(**settings, max_epochs=4, warm_start=True).fit(X, y).fit(X, y).fit(X, y)
    whole = classic(**settings, max_epochs=12).fit(X, y)
    assert np.array_equal(model.coef_, whole.coef_)
    assert model.n_updates_ == whole.n_updates_ == 12
    assert np.array_equal(model.dual_coef_, whole.dual_coef_)
    assert np.array_equal(model.history_["errors"], whole.history_["errors"])
    claimed = replace(
        whole.certificate_, update_bound=None, reproducible=False
    )  # the settings may have changed
    assert model.certificate_ == claimed


@pytest.mark.parametrize("order", ["cyclic", "shuffle"])
def test_warm_start_draws_on(rows, order):
    X, y = rows
    settings = {"order": order, "fit_intercept": False, "random_state": 4}
    model = classic(**settings, max_epochs=1, warm_start=True)
    for _ in range(5):
        model.fit(X, y)
    assert np.array_equal(model.coef_, classic(**settings, max_epochs=5).fit(X, y).coef_)


def test_warm_start_with_other_settings(rows):
    X, y = rows
    model = classic(warm_start=True, order="cyclic", max_epochs=3000).fit(X, y)
    model.set_params(margin=50.0).fit(X, y)  # the same policy: goes on, towards the new target
    assert (y * model.decision_function(X)).min() > 50
    assert model.certificate_.margin_bound is not None
    model.set_params(margin="adaptive").fit(X, y)  # another policy: only the weights are kept
    assert model.certificate_.margin_bound is None
    shifted = np.where(X @ [1, -2, 3, 0, 1] > 4, 1, -1)
    model = classic(warm_start=True, order="cyclic", max_epochs=3000).fit(X, shifted)
    assert model.intercept_[0] != 0.0
    model.set_params(fit_intercept=False, max_epochs=5).fit(X, shifted)
    assert model.intercept_[0] == 0.0
    assert model.certificate_.margin_bound > 0  # from the corrections since then
    model = classic(warm_start=True, order="cyclic", max_epochs=3000).fit(X, y)
    with pytest.warns(match="max_updates=1 "):
        model.set_params(max_updates=1, margin=1e4).fit(X, y)
    model.set_params(max_updates=None, margin=0.0, result="average").fit(X[:50], y[:50])
    assert model.n_rows_ == 50
    assert model.fit(X.astype(np.float32), y).coef_.dtype == np.float32


def test_warm_start_on_other_rows_keeps_the_weights_alone(rows):
    X, y = rows
    model = classic(max_epochs=3000, warm_start=True, fit_intercept=False, order="cyclic").fit(X, y)
    assert model.converged_
    weights = model.coef_.copy()
    model.fit(X[:60], y[:60])
    assert np.array_equal(model.coef_, weights)
    assert model.n_updates_ == 0
    assert model.certificate_.margin_bound is None
    assert model.certificate_.update_bound is None
    model.fit(-X[:60], y[:60])
    assert model.n_updates_ > 0
    assert model.certificate_.margin_bound > 0  # from the corrections since that start
    with pytest.raises(ValueError, match="not one of the classes"):
        model.fit(X, y + 5)


def test_warm_start_on_more_rows_starts_from_the_weights(rows):
    X, y = rows
    model = classic(max_epochs=3000, warm_start=True, random_state=0).fit(X[:60], y[:60])
    model.fit(X, y)
    assert model.n_rows_ == 120
    assert model.certificate_.margin_bound > 0  # from the corrections since that start
    verify(model.certificate_, model, X, y)


def test_coef_init_equals_the_twin_started_there(rows):
    X, y = rows
    model = classic(order="cyclic", intercept_scaling=1, max_epochs=3).fit(X, y, [1, 2, 3, 4, 5], 6)
    run = naive_perceptron(X.tolist(), y.tolist(), rho_squared=1.0, max_epochs=3, w=[1, 2, 3, 4, 5], b=6)
    assert np.array_equal(model.coef_[0], run.w)
    assert model.intercept_[0] == run.b
    assert model.n_updates_ == run.n_updates
    assert model.certificate_.margin_bound > 0  # from the corrections since that start
    assert model.certificate_.generalization_bound() is None
    assert np.isnan(model.history_["margin_bound"]).all()
    assert not np.allclose(model.dual_coef_ @ X[model.support_], model.coef_)


def test_fit_starts_anew_without_warm_start(rows):
    X, y = rows
    model = classic(max_epochs=5, random_state=0).fit(X, y)
    first = model.coef_.copy()
    assert np.array_equal(model.fit(X, y).coef_, first)


def test_a_pocket_is_counted_again_on_the_rows_it_goes_on_with():
    """Labels of rows that were never corrected may have changed since."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 3))
    y = (X[:, 0] > 0).astype(int)
    model = classic(order="cyclic", result="pocket", warm_start=True, max_epochs=50).fit(X, y)
    assert model._memories[0].pocket.errors == 0
    others = y.copy()
    unused = np.setdiff1d(np.arange(60), model.support_)
    others[unused[:8]] = 1 - others[unused[:8]]
    model.fit(X, others)
    assert model._memories[0].pocket.errors == model.certificate_.n_errors > 0
    assert model.score(X, others) == 1 - model.certificate_.n_errors / 60


def test_a_list_changed_later_changes_no_certificate():
    X, y, _ = separable(40, 3, margin=0.2, random_state=0)
    margin = [1.0, 2.0]
    model = classic(margin=margin, random_state=0).fit(X, y)
    before = certify(model, X, y)
    margin[1] = 50.0
    assert certify(model, X, y) == before == model.certificate_


def test_average_asked_for_in_the_middle_leaves_the_stream_as_it_was():
    X, y, _ = separable(40, 3, margin=0.2, random_state=0)
    model = classic(order="cyclic").partial_fit(X, y, classes=[-1, 1])
    before = model.coef_.copy(), model.n_rows_
    with pytest.raises(ValueError, match="must be set before training starts"):
        model.set_params(result="average").partial_fit(X, y)
    assert np.array_equal(model.coef_, before[0])
    assert model._memories[0].n_rows == model.n_rows_ == before[1]
