"""Weights of rows and classes, many classes in one pass, and threads."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import config_context
from sklearn.datasets import make_classification
from sklearn.metrics import recall_score
from sklearn.model_selection import cross_validate

from perceptrons import KernelPerceptron, Perceptron, trace, verify
from perceptrons.margin.certificates import certify_margin as certify
from perceptrons.rows.order import generators, shuffled
from perceptrons.synthetic import separable
from tests.margin.classic import classic
from tests.margin.test_perceptron import assert_same, dyadic_set, integer_set, rho_squared
from tests.naive.margin import median_norm
from tests.naive.margin import perceptron as naive_perceptron

pytestmark = [
    pytest.mark.kernels,
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
]
OURS = (
    "fit_intercept",
    "intercept_scaling",
    "random_state",
    "warm_start",
    "verbose",
    "class_weight",
    "n_jobs",
)


def weighted_twin(model, X, y, weights):
    """The slow twin with weights, walking the same rows."""
    settings = {name: value for name, value in model.get_params().items() if name not in OURS}
    rng = generators(model.random_state, 1)[0]
    settings["permutations"] = (shuffled(len(X), rng).rows.tolist() for _ in itertools.count())
    lift = model.intercept_scaling
    median = lift == "median" and model.fit_intercept
    squared = median_norm(X.tolist(), weights) ** 2 if median else rho_squared(X, model.fit_intercept, lift)
    return naive_perceptron(X.tolist(), y.tolist(), weights=weights, rho_squared=squared, **settings)


@pytest.mark.parametrize("order", ["cyclic", "shuffle", "worst", "active"])
@pytest.mark.parametrize("step", ["fixed", "absolute", "fractional", "passive-aggressive"])
def test_compiled_equals_naive_with_integer_weights(order, step):
    rng, ran, moved = np.random.default_rng([len(order), len(step)]), 0, 0
    divides = step in ("fractional", "passive-aggressive")
    margins = [2.0] if step == "passive-aggressive" else [0.0, 3.0, "adaptive"]
    for margin, result, intercept in itertools.product(margins, ["auto", "last", "pocket"], [False, True]):
        X, y = (dyadic_set if divides else integer_set)(rng, m=70 if order == "active" else 24)
        weights = rng.integers(1, 5, len(X)).tolist()
        model = classic(
            step=step,
            margin=margin,
            order=order,
            result=result,
            fit_intercept=intercept,
            intercept_scaling=[2, "median"][rng.integers(2)],
            min_margin=float(rng.choice([0.0, 0.2])),
            max_epochs=int(rng.choice([3, 40])),
            max_updates=None if step == "fixed" else 12,  # weights above 2 overshoot, and numbers grow
            random_state=int(rng.integers(1000)),
        ).fit(X, y, sample_weight=weights)
        assert_same(model, weighted_twin(model, X, y, weights), exact=result != "auto")
        verify(model.certificate_, model, X, y, sample_weight=weights)
        sparse = classic(**model.get_params()).fit(sp.csr_array(X), y, sample_weight=weights)
        assert np.array_equal(sparse.coef_, model.coef_)
        ran, moved = ran + 1, moved + (model.n_updates_ > 0)
    assert ran == moved == 6 * len(margins)


LEARNERS = {
    "default": Perceptron(random_state=0),
    "pocket": Perceptron(result="pocket", order="cyclic", max_epochs=9),
    "worst": Perceptron(order="worst", max_epochs=40),
    "active": Perceptron(order="active", max_epochs=20, result="last"),
    "balanced": Perceptron(class_weight="balanced", random_state=1),
    "kernel": KernelPerceptron(random_state=0, max_epochs=30),
    "kernel, balanced": KernelPerceptron(class_weight="balanced", random_state=0, max_epochs=30),
}
SHARED = ("intercept_", "dual_coef_", "n_updates_", "n_presentations_", "n_iter_", "n_rows_", "converged_")


def blobs(n_classes, m=150, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.integers(-6, 7, (m, 4)).astype(float)
    return X, np.argmax(X @ rng.integers(-3, 4, (4, n_classes)) + rng.integers(0, 4, (m, n_classes)), axis=1)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", LEARNERS)
def test_a_row_of_weight_0_is_absent(name, n_classes):
    X, y = blobs(n_classes)
    weights = np.random.default_rng(1).integers(0, 3, len(X)).astype(float)
    there = np.flatnonzero(weights)
    model = LEARNERS[name].fit(X, y, sample_weight=weights)
    scores = model.decision_function(X)
    found = {one: getattr(model, one) for one in SHARED}
    certificate, support = model.certificate_, model.support_
    verify(certificate, model, X, y, sample_weight=weights)
    again = certify(model, X, y, sample_weight=weights)
    verify(again, model, X, y, sample_weight=weights)
    assert name.startswith("kernel") or again == certificate  # kernel values are summed in another order
    alone = LEARNERS[name].fit(X[there], y[there], sample_weight=weights[there])
    assert all(np.array_equal(found[one], getattr(alone, one)) for one in SHARED)
    assert np.array_equal(scores, alone.decision_function(X))
    assert certificate == alone.certificate_
    assert np.array_equal(support, there[alone.support_])
    assert 0 < len(there) < len(X)


def test_a_row_of_weight_0_is_absent_from_a_precomputed_kernel():
    X, y = blobs(2)
    K, weights = X @ X.T, np.arange(len(X)) % 3.0
    model = KernelPerceptron("precomputed", random_state=0, max_epochs=20).fit(K, y, sample_weight=weights)
    linear = KernelPerceptron("linear", random_state=0, max_epochs=20).fit(X, y, sample_weight=weights)
    assert np.array_equal(model.dual_coef_, linear.dual_coef_)
    assert np.array_equal(model.predict(K), linear.predict(X))
    verify(model.certificate_, model, K, y, sample_weight=weights)


def test_weights_in_a_stream():
    X, y = blobs(3)
    weights = np.arange(len(X)) % 4.0
    there = np.flatnonzero(weights)
    one, other = (Perceptron(random_state=0) for _ in range(2))
    for batch in np.split(np.arange(len(X)), 3):
        some = batch[weights[batch] > 0]
        one.partial_fit(X[batch], y[batch], classes=[0, 1, 2], sample_weight=weights[batch])
        other.partial_fit(X[some], y[some], classes=[0, 1, 2], sample_weight=weights[some])
        verify(one.certificate_, one, X[batch], y[batch], sample_weight=weights[batch])
    assert np.array_equal(one.coef_, other.coef_)
    assert np.array_equal(one.support_, there[other.support_])
    assert one.certificate_ == other.certificate_
    assert (one.n_rows_, one.n_iter_) == (other.n_rows_, other.n_iter_) == (len(there), 1)


def test_training_goes_on_with_weights():
    X, y = blobs(2)
    weights = np.arange(len(X)) % 3.0
    settings = {"order": "cyclic", "result": "last", "min_margin": 0.0, "warm_start": True}
    twice = Perceptron(max_epochs=3, **settings).fit(X, y, sample_weight=weights)
    twice.fit(X, y, sample_weight=weights)
    once = Perceptron(max_epochs=6, **settings).fit(X, y, sample_weight=weights)
    assert np.array_equal(twice.coef_, once.coef_)
    assert twice.n_updates_ == once.n_updates_ > 0
    assert np.array_equal(twice.dual_coef_, once.dual_coef_)


def test_trace_shows_steps_times_weights():
    X, y = blobs(2, m=40)
    weights = np.arange(len(X)) % 3.0
    model = Perceptron(order="cyclic", result="last", max_epochs=5, min_margin=0.0)
    corrections = [*trace(model, X, y, sample_weight=weights)]
    model.fit(X, y, sample_weight=weights)
    assert np.array_equal(corrections[-1].coef_after, model.coef_[0])
    assert all(one.step == weights[one.row] for one in corrections)
    assert len(corrections) == model.n_updates_ > 5


@pytest.mark.parametrize("order", ["cyclic", "shuffle"])
@pytest.mark.parametrize(("m", "n", "most"), [(300, 5, None), (5000, 40, None), (5000, 40, 300)])
def test_many_classes_equal_one_at_a_time_on_the_same_orders(order, m, n, most, jit):
    """5,000 rows are visited by groups of blocks; few rows several epochs in a call."""
    if m > 1000 and not jit:
        m, n = 4200, 6
    rng = np.random.default_rng(m)
    X = rng.integers(-3, 4, (m, n)).astype(float)
    y = np.argmax(X[:, :5] + rng.integers(0, 3, (m, 5)), axis=1)
    weights = rng.integers(1, 4, m)
    settings = {"order": order, "result": "last", "random_state": 3, "max_epochs": 6, "max_updates": most}
    model = classic(**settings).fit(X, y, sample_weight=weights)
    ends = set()
    for k in range(5):
        one = classic(**settings).fit(X, y == k, sample_weight=weights)
        assert np.array_equal(model.coef_[k], one.coef_[0])
        assert (model.n_updates_[k], model.stopped_[k]) == (one.n_updates_, one.stopped_)
        assert model.certificate_[k] == one.certificate_
        assert one.certificate_.margin_bound == pytest.approx(one.history_["margin_bound"][-1], rel=1e-9)
        ends.add(int(one.n_updates_))
    assert ends == {most} if most else len(ends) > 1


def test_a_vector_that_has_ended_sits_out():
    """Class 0 is found in one epoch, the others go on."""
    rng = np.random.default_rng(0)
    X = rng.integers(-3, 4, (200, 3)).astype(float)
    X[:50, 0] += 20
    y = np.r_[np.zeros(50, int), rng.integers(1, 3, 150)]
    model = classic(random_state=0, max_epochs=30).fit(X, y)
    assert model.stopped_.tolist() == ["converged", "max_epochs", "max_epochs"]
    assert model.n_presentations_[0] < model.n_presentations_[1] == 30 * 200
    for k in range(3):
        one = classic(random_state=0, max_epochs=30).fit(X, y == k)
        assert np.array_equal(model.coef_[k], one.coef_[0])


@pytest.mark.parametrize(
    "settings", [{}, {"order": "worst", "max_epochs": 20}, {"order": "cyclic", "max_epochs": 5}]
)
@pytest.mark.parametrize("n_classes", [2, 5])
def test_threads_give_the_same_model(settings, n_classes):
    X, y = blobs(n_classes, m=900, seed=3)
    one, two = (Perceptron(random_state=0, n_jobs=n, **settings).fit(X, y) for n in (None, 2))
    assert np.array_equal(one.coef_, two.coef_)
    assert one.certificate_ == two.certificate_
    assert np.array_equal(one.dual_coef_, two.dual_coef_)


def test_threads_share_looks_without_changing_sums(jit):
    """Sums of fractions depend on their order, which is that of fixed parts."""
    X, y, _ = separable(70_000 if jit else 500, 3, margin=0.01, random_state=0)
    one, two = (Perceptron(random_state=0, max_epochs=2, n_jobs=n).fit(X, y) for n in (1, 2))
    assert one.certificate_ == two.certificate_
    verify(one.certificate_, one, X, y)


def test_update_bound_with_weights():
    """(R/ε)²·s_max/s_min for β = 0, and none for other targets."""
    informative = 0
    for seed in range(20):
        X, y, _ = separable(80, 3, margin=0.1, random_state=seed)
        weights = np.random.default_rng(seed).uniform(0.5, 2.0, len(X))
        plain, weighted = (classic(fit_intercept=False, random_state=seed) for _ in range(2))
        plain.fit(X, y)
        weighted.fit(X, y, sample_weight=weights)
        bound = weighted.certificate_.update_bound
        ratio = weights.max() / weights.min()
        expected = (weighted.certificate_.radius / weighted.certificate_.margin) ** 2 * ratio
        assert bound == pytest.approx(expected, rel=1e-9)
        assert weighted.n_updates_ <= bound
        informative += weighted.n_updates_ > 3
        assert (
            classic(margin=1.0, random_state=seed).fit(X, y, sample_weight=weights).certificate_.update_bound
            is None
        )
    assert informative >= 15


def test_what_weights_do_to_the_bound_for_new_rows():
    """Weights given may depend on other rows; balanced ones are paid for; fixed ones of classes are free."""
    X, y, _ = separable(400, 3, margin=0.2, random_state=0)
    plain, by_class = (Perceptron(random_state=0, class_weight=given).fit(X, y) for given in (None, {1: 1.0}))
    balanced = Perceptron(random_state=0, class_weight="balanced").fit(X, y).certificate_
    weighted = Perceptron(random_state=0).fit(X, y, sample_weight=np.ones(400)).certificate_
    assert weighted.generalization_bound() is None
    assert by_class.certificate_.generalization_bound() == plain.certificate_.generalization_bound()
    assert balanced.choices == pytest.approx(plain.certificate_.choices + np.log(401))


@pytest.mark.parametrize("make", [Perceptron, KernelPerceptron])
def test_balanced_weights_find_a_rare_class(make):
    X, y = make_classification(
        1500, 6, n_informative=4, n_redundant=0, weights=[0.95], class_sep=0.8, flip_y=0.02, random_state=0
    )
    train, test = slice(0, 1000), slice(1000, None)
    recalls = [
        recall_score(
            y[test], make(class_weight=given, random_state=0).fit(X[train], y[train]).predict(X[test])
        )
        for given in (None, "balanced")
    ]
    assert recalls[1] > recalls[0] + 0.2


def test_weights_of_classes_multiply_those_of_rows():
    X, y = blobs(3)
    weights = 1.0 + np.arange(len(X)) % 2
    by_class = Perceptron(random_state=0, class_weight={0: 2.0, 2: 4.0}).fit(X, y, sample_weight=weights)
    by_row = Perceptron(random_state=0).fit(X, y, sample_weight=weights * np.array([2.0, 1.0, 4.0])[y])
    assert np.array_equal(by_class.coef_, by_row.coef_)


@pytest.mark.parametrize("make", [Perceptron, KernelPerceptron])
@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([-1.0] + [1.0] * 39, "sample_weight has -1"),
        ([np.nan] + [1.0] * 39, "NaN"),
        ([np.inf] + [1.0] * 39, "infinity"),
        ([0.0] * 40, "at least one non-zero"),
        ([1.0] * 39, "39 entries for 40 rows"),
        (["a"] * 40, "could not convert|dtype"),
        (np.repeat([0.0, 1.0], 20), "All rows of the class 'no' have weight 0"),
    ],
)
def test_bad_weights(make, weights, message):
    X, y = np.arange(80.0).reshape(40, 2), np.repeat(["no", "yes"], 20)
    with pytest.raises(ValueError, match=message):
        make().fit(X, y, sample_weight=weights)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"class_weight": {"maybe": 2}}, "names the class 'maybe', but the classes are"),
        ({"class_weight": {"no": -1}}, "class 'no' is -1, but it must be a number >= 0"),
        ({"class_weight": {"no": 0}}, "All rows of the class 'no' have weight 0"),
        ({"class_weight": "even"}, "must be 'balanced', a dict or None"),
        ({"n_jobs": 0}, "n_jobs=0, but it must be an integer other than 0"),
        ({"n_jobs": 1.5}, "n_jobs=1.5"),
    ],
)
def test_bad_parameters(given, message):
    X, y = np.arange(80.0).reshape(40, 2), np.repeat(["no", "yes"], 20)
    with pytest.raises(ValueError, match=message):
        Perceptron(**given).fit(X, y)


def test_a_stream_cannot_be_balanced():
    with pytest.raises(ValueError, match="needs all rows, which partial_fit does not know"):
        Perceptron(class_weight="balanced").partial_fit([[0.0], [1.0]], [0, 1], classes=[0, 1])


def test_metadata_is_routed():
    X, y = blobs(2)
    weights = np.arange(len(X)) % 3.0
    with config_context(enable_metadata_routing=True):
        model = Perceptron(random_state=0).set_fit_request(sample_weight=True)
        model.set_score_request(sample_weight=False)
        scores = cross_validate(model, X, y, params={"sample_weight": weights}, return_estimator=True)
    assert all(one._terms.weighted for one in scores["estimator"])


@pytest.mark.parametrize("make", [Perceptron, KernelPerceptron])
@pytest.mark.parametrize("weight", [1e-60, 1e60])
def test_weights_out_of_all_proportion(weight, make):
    X, y = blobs(2)
    with pytest.raises(ValueError, match=r"A row has the weight .*, but weights must be 0 or lie between"):
        make().fit(X, y, sample_weight=np.full(len(X), weight))
    with pytest.raises(ValueError, match="A row has the weight inf"):  # and NumPy does not warn before
        make(class_weight={0: 1e308}).fit(X, y, sample_weight=np.full(len(X), 10.0))
    with pytest.raises(ValueError, match="All rows have weight 0"):
        Perceptron(class_weight={0: 0.0, 1: 0.0}).fit(X, y)


@pytest.mark.parametrize("weight", [2, 2.0, np.float32(2), np.array(2.0)])
def test_one_weight_for_all_rows(weight):
    X, y = blobs(2)
    one = Perceptron(random_state=0).fit(X, y, sample_weight=weight)
    assert np.array_equal(one.coef_, Perceptron(random_state=0).fit(X, y, sample_weight=[2.0] * len(X)).coef_)


@pytest.mark.parametrize("weight", [True, "two", np.array("two")])
def test_one_weight_that_is_no_number(weight):
    with pytest.raises(ValueError, match=r"sample_weight=.*, but it must be a number, or one for each row"):
        Perceptron().fit(*blobs(2), sample_weight=weight)


def test_training_goes_on_where_the_intercept_cancels():
    """b is 0 except for rounding, which no relative error forgives."""
    tiny = 0
    for seed in range(200):
        X, y, _ = separable(30, 3, margin=0.01, random_state=seed)
        model = classic(eta=0.1, order="cyclic", max_epochs=2, warm_start=True).fit(X, y)
        tiny += abs(model.intercept_[0]) < 1e-12
        assert model.fit(X, y).certificate_.margin_bound is not None
    assert tiny >= 5
