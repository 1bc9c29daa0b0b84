"""Certificates as statements about real numbers, against fractions: small sets of integers, far from the
origin and at every scale, and forged certificates of them."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import StandardScaler

from perceptrons import KernelPerceptron, MaxMarginPerceptron, Perceptron, load, save, verify
from perceptrons.margin.certificates import certify_margin as certify
from tests.naive import certificates as naive
from tests.sizes import cases

pytestmark = [
    pytest.mark.kernels,
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
]
LAYOUTS = {"dense": np.array, "csr": sp.csr_array}


def small_set(rng):
    """Integers, some of them moved far away and scaled by a power of two: what a double or a float holds."""
    m, n = int(rng.integers(2, 7)), int(rng.integers(1, 4))
    X = rng.integers(-4, 5, (m, n)).astype(float)
    if rng.random() < 0.6:
        X = X + rng.integers(-1, 2, n) * 2.0 ** rng.integers(0, 52)
    X = X * 2.0 ** rng.integers(-60, 61) if rng.random() < 0.6 else X
    y = np.where(X @ rng.standard_normal(n) + rng.standard_normal() > 0, 1, -1)
    flips = rng.random(m) < rng.choice([0.0, 0.3])
    y = np.where(flips, -y, y)
    if abs(y.sum()) == m:
        y[0] = -y[0]
    X = X.astype(rng.choice([np.float32, np.float64]))
    return X, y


def some_model(rng):
    if rng.random() < 0.4:
        return MaxMarginPerceptron(
            fit_intercept=bool(rng.random() < 0.6), C=float(rng.choice([np.inf, np.inf, 1.0, 1e6]))
        )
    margin = [0.0, 0.0, 1.0, "growing", "adaptive"][rng.integers(5)]
    return Perceptron(
        margin=margin,
        step="fixed" if isinstance(margin, str) else str(rng.choice(["fixed", "absolute", "fractional"])),
        order=str(rng.choice(["shuffle", "cyclic", "worst"])),
        result=str(rng.choice(["auto", "last", "average", "pocket"])),
        eta=float(rng.choice([1.0, 0.1])) if not isinstance(margin, str) else 1.0,
        fit_intercept=bool(rng.random() < 0.6),
        intercept_scaling=rng.choice(["median", "radius"]),
        max_epochs=int(rng.choice([3, 60])),
        random_state=0,
    )


def fitted_cases(seed, how_many):
    """Models with their rows, labels and certificates."""
    rng = np.random.default_rng(seed)
    for _ in range(how_many):
        X, y = small_set(rng)
        model = some_model(rng)
        rows = LAYOUTS[str(rng.choice(list(LAYOUTS)))](X)
        try:
            model.fit(rows, y)
        except ValueError:  # squares overflow in float32, or weights do
            continue
        yield rng, X, rows, y, model, model.certificate_


class Truth:
    """What is so, in fractions."""

    def __init__(self, X, y, model):
        w, b, self.lift = model.coef_[0], model.intercept_[0], model.lift_
        self.free = isinstance(model, MaxMarginPerceptron) and model.fit_intercept
        self.X, self.y, self.duals = X, y, np.zeros(len(X))
        self.duals[model.support_] = model.dual_coef_[0]
        self.reach = naive.reaches(X, y, w, b)
        self.low, self.norm = min(self.reach), naive.norm_squared(w, b, self.lift)
        rows = naive.fractions(X)
        self.radius = max(naive.inner(row, row) for row in rows) + Fraction(self.lift) ** 2
        C = getattr(model, "C", np.inf)
        self.ridges = None if C == np.inf else [1 / Fraction(C)] * len(X)

    def best(self, ridges=None):
        return naive.best_margin_squared(self.X, self.y, self.lift, self.free, ridges)

    def proved(self, ridges=None):
        return naive.proved_squared(self.X, self.duals, self.lift, self.free, ridges)

    def soft(self):
        """The lowest y·score with slack, and the squared norm."""
        own = [r * abs(Fraction(float(d))) for r, d in zip(self.ridges, self.duals, strict=True)]
        low = min(one + other for one, other in zip(self.reach, own, strict=True))
        squares = (r * Fraction(float(d)) ** 2 for r, d in zip(self.ridges, self.duals, strict=True))
        return low, self.norm + sum(squares)

    def of(self, name):
        """Whether a claim of that name is true, as a function, and the signed square at which it ends."""
        if name in ("margin", "soft_margin"):
            low, norm = self.soft() if name == "soft_margin" else (self.low, self.norm)
            return lambda claim: achieved(claim, low, norm), naive.signed_square(low) / (norm or 1)
        if name == "radius":
            square = self.radius
        else:
            square = self.proved(self.ridges if name == "soft_margin_bound" else None)
        return lambda claim: claim >= 0.0 and Fraction(claim) ** 2 >= square, square


def achieved(claim, low, norm):
    square = naive.signed_square
    return square(Fraction(claim)) * norm <= square(low) if norm else claim <= 0.0


@pytest.mark.thorough
def test_no_certificate_states_a_falsehood(record_property):
    seen = Counter()
    for _, X, rows, y, model, one in fitted_cases(0, cases(3000)):
        truth = Truth(X, y, model)
        best = truth.best()
        assert achieved(one.margin, truth.low, truth.norm)
        assert Fraction(one.radius) ** 2 >= truth.radius
        assert one.n_errors == naive.n_errors(truth.reach, y) == int((model.predict(rows) != y).sum())
        assert one.margin_bound is None or Fraction(one.margin_bound) ** 2 >= best
        if one.margin_bound is not None and one.witness is None:  # and not much above what the duals prove
            assert Fraction(one.margin_bound) ** 2 <= truth.proved() * (1 + Fraction(1, 10**5))
        assert one.separable is not True or (best > 0 and truth.low > 0)
        if one.separable is False and one.witness is None:
            assert best == 0
        if one.soft_margin is not None:
            assert achieved(one.soft_margin, *truth.soft())
            assert Fraction(one.soft_margin_bound) ** 2 >= truth.best(truth.ridges)
            assert Fraction(one.soft_margin_bound) ** 2 <= truth.proved(truth.ridges) * (
                1 + Fraction(1, 10**5)
            )
        verify(one, model, rows, y)
        seen.update(sets=1, bounds=one.margin_bound is not None, soft=one.soft_margin is not None)
        seen.update({f"separable {one.separable}": 1, "errors": one.n_errors > 0})
        seen.update(far=0 < best < Fraction(one.radius) ** 2 / 10**18)  # margins below a billionth of R
        if one.separable and one.margin_bound is not None and best:
            seen.update(tight=abs(one.margin_bound / float(best) ** 0.5 - 1.0) < 0.01)
    record_property("printed", f"certificates beside fractions: {dict(seen)}")
    assert seen["sets"] >= cases(2000)
    for name in ("bounds", "soft", "far", "errors", "separable True", "separable None", "tight"):
        assert seen[name] >= seen["sets"] // 20, name
    assert seen["separable False"] > 0


def mutated(rng, value):
    """A number near or far."""
    ways = [
        lambda v: np.nextafter(v, np.inf), lambda v: np.nextafter(v, -np.inf), lambda v: v * (1 + 1e-12),
        lambda v: v * (1 - 1e-12), lambda v: v * 1.001, lambda v: v * 0.999, lambda v: 10.0 * v,
        lambda v: 0.1 * v, lambda v: 0.0, lambda v: -v, lambda v: v + 1.0,
    ]  # fmt: skip
    return float(ways[rng.integers(len(ways))](value))


def boundary(square):
    """The double nearest to a signed root, and its neighbours."""
    root = float(abs(square)) ** 0.5 * (1 if square >= 0 else -1)
    return [float(np.nextafter(root, -np.inf)), root, float(np.nextafter(root, np.inf))]


@pytest.mark.thorough
def test_forged_certificates_are_decided_as_fractions_decide(record_property):
    seen = Counter()
    for rng, X, rows, y, model, one in fitted_cases(1, cases(1200)):
        truth = Truth(X, y, model)
        one = replace(one, update_bound=None)
        for _ in range(8):
            name = str(rng.choice(["margin", "margin_bound", "radius", "soft_margin", "soft_margin_bound"]))
            value = getattr(one, name)
            if value is None:
                continue
            true_of, square = truth.of(name)
            near = rng.random() < 0.5  # as near to the truth as doubles are
            claim = float(rng.choice(boundary(square))) if near else mutated(rng, value)
            forged = replace(one, **{name: claim})
            witnessed = one.witness is not None and name == "margin_bound" and claim >= value
            true = true_of(claim) or witnessed
            if one.separable and forged.margin <= 0.0:
                true = False  # contradicts itself
            if one.separable is False and (
                forged.margin > 0.0 or (one.witness is None and forged.margin_bound)
            ):
                true = False
            try:
                verify(forged, model, rows, y)
                accepted = True
            except ValueError as error:
                assert "does not hold" in str(error)  # noqa: PT017
                accepted = False
            assert accepted == true, (name, value, claim, one)
            seen.update({f"{name} {true}": 1, "forged": 1, "near": abs(claim - value) <= 1e-11 * abs(value)})
    record_property("printed", f"forged certificates beside fractions: {dict(seen)}")
    assert seen["forged"] >= cases(3000)
    for name in ("margin", "margin_bound", "radius"):
        assert min(seen[f"{name} True"], seen[f"{name} False"]) >= seen["forged"] // 40
    assert seen["near"] >= seen["forged"] // 4


FAR = np.array([[0.0, 1e9], [1e-5, 1e9], [5.0, 1e9]])


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("kind", [Perceptron, MaxMarginPerceptron])
def test_margins_far_below_the_radius_are_not_overstated(kind, fit_intercept):
    settings = {"max_epochs": 50} if kind is Perceptron else {}
    model = kind(fit_intercept=fit_intercept, **settings).fit(FAR, [0, 1, 1])
    one = model.certificate_
    verify(one, model, FAR, [0, 1, 1])
    forged = [replace(one, margin=10.0 * abs(one.margin) + 1e-6)]
    if one.margin_bound is not None:
        forged += [
            replace(one, separable=True, margin_bound=0.0),
            replace(one, margin_bound=one.margin_bound / 10),
        ]
    for other in forged:
        with pytest.raises(ValueError, match="does not hold"):
            verify(other, model, FAR, [0, 1, 1])


@pytest.mark.parametrize(
    "change",
    [
        {"separable": True, "margin_bound": 0.0}, {"margin": 2.0, "margin_bound": 1.0},
        {"margin": float("nan")}, {"margin": None}, {"margin": "1"}, {"margin_bound": float("nan")},
        {"n_errors": -1}, {"n_errors": 0.0}, {"n_errors": True}, {"n_updates": -1}, {"n_rows": 0},
        {"compression_size": -2}, {"separable": 1}, {"radius": -1.0}, {"radius": None},
        {"lift_from_rows": 0}, {"reproducible": None}, {"choices": -1.0}, {"witness": []},
        {"witness": ((0, -1.0),)}, {"witness": ((0, 1.0),)}, {"separable": False}, {"update_bound": 0.0},
        {"soft_margin": 2.0, "soft_margin_bound": 1.0}, {"n_errors": 1}, {"n_errors": 99},
    ],
)  # fmt: skip
def test_what_contradicts_itself_is_refused_before_anything_is_computed(change):
    X, y = [[0.0, 1.0], [2.0, 1.0]], [0, 1]
    model = Perceptron(order="cyclic").fit(X, y)
    with pytest.raises(ValueError, match="does not hold"):
        verify(replace(model.certificate_, **change), None, None, None)  # no model is needed to see it


@pytest.mark.parametrize("model", [Perceptron(), MaxMarginPerceptron(), KernelPerceptron()])
@pytest.mark.parametrize("rows", [[-1], [10**9], [0, 10**7, 1], [1, 0], [0, 0], [0.5], [[0]]])
def test_rows_that_do_not_exist_are_refused(model, rows):
    X, y = np.array([[0.0], [1.0], [3.0], [4.0]]), [0, 0, 1, 1]
    model.fit(X, y)
    model.support_ = np.array(rows)
    model.dual_coef_ = np.ones((1, len(rows)))
    with pytest.raises(ValueError, match="support_"):
        certify(model, X, y)
    with pytest.raises(ValueError, match="support_"):
        verify(model.certificate_, model, X, y)


@pytest.mark.parametrize("make", [np.array, sp.csr_array])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_errors_are_those_of_predict_on_the_hyperplane(make, dtype):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((40, 20)), rng.integers(0, 2, 40)
    model = Perceptron(random_state=0, max_epochs=5, fit_intercept=False).fit(X.astype(dtype), y)
    w = model.coef_[0].astype(np.float64)
    near = rng.standard_normal((200, 20))
    near = make((near - np.outer(near @ w / (w @ w), w)).astype(dtype))
    labels = rng.integers(0, 2, 200)
    one = certify(model, near, labels)
    assert one.n_errors == (model.predict(near) != labels).sum() > 50
    verify(one, model, near, labels)


def test_errors_of_a_kernel_model_are_those_of_predict():
    rng = np.random.default_rng(1)
    X, y = rng.integers(-2, 3, (300, 3)).astype(float), rng.integers(0, 2, 300)
    wrong = 0
    for kernel in ("linear", "rbf", "poly"):
        model = KernelPerceptron(kernel, gamma=0.1, random_state=0, max_epochs=3, margin=0.0).fit(X, y)
        one = model.certificate_
        wrong += one.n_errors
        assert one.n_errors == (model.predict(X) != y).sum()
        verify(one, model, X, y)
    assert wrong > 50


def test_a_stream_knows_what_rounding_may_have_done():
    """The rows are gone: the bound must not be below what the duals make of all of them."""
    rng, far = np.random.default_rng(2), 0
    for trial in range(cases(300, 5)):
        X = rng.integers(-9, 10, (40, 2)) * 0.1 + rng.choice([0.0, 1e3, 1e6])
        X, y = X.astype(rng.choice([np.float32, np.float64])), rng.integers(0, 2, 40)
        model = Perceptron(result=str(rng.choice(["last", "average"])), random_state=trial)
        if rng.random() < 0.5:
            model.set_params(max_epochs=3).fit(X[:10], y[:10])
            starts, model.max_epochs = range(10, 40, 10), 1000
        else:
            starts = range(0, 40, 10)
        for start in starts:
            model.partial_fit(X[start : start + 10], y[start : start + 10], classes=[0, 1])
        one = model.certificate_
        signed = np.zeros(40)
        signed[model.support_] = model.dual_coef_[0]
        proved = naive.proved_squared(X, signed, model.lift_)
        assert Fraction(one.margin_bound) ** 2 >= proved
        verify(one, model, X[30:], y[30:])
        far += one.margin_bound < 1e-2 * one.radius
    assert far >= cases(300, 5) // 6


def test_a_stream_that_goes_on_from_a_file_knows_it_too(tmp_path):
    X, y = np.array([[0.0], [1.0], [3.0], [4.0]]), [0, 1, 0, 1]
    model = Perceptron().partial_fit(X, y, classes=[0, 1])
    save(model, tmp_path / "model.json")
    again = load(tmp_path / "model.json").partial_fit(X, y)
    assert again.certificate_ == model.partial_fit(X, y).certificate_
    assert again.certificate_.margin_bound is not None


def test_pipelines_within_pipelines_are_unwrapped():
    rng = np.random.default_rng(3)
    X = 100.0 * rng.standard_normal((60, 4)) + 7.0
    y = X[:, 0] > 7.0
    union = FeatureUnion([("all", StandardScaler()), ("raw", "passthrough")])
    columns = ColumnTransformer([("scaled", StandardScaler(), [0, 1])], remainder="passthrough")
    nested = make_pipeline(StandardScaler(), columns)
    for steps in ([nested], [union], [columns, "passthrough"], [None, columns]):
        inner = make_pipeline(*steps, Perceptron(random_state=0))
        model = make_pipeline(StandardScaler(), inner).fit(X, y)
        learner = model[-1][-1]
        assert certify(model, X, y) == learner.certificate_
        verify(learner.certificate_, model, X, y)
    with pytest.raises(ValueError, match="LogisticRegression keeps no duals"):
        certify(make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y), X, y)
    with pytest.raises(ValueError, match="pipeline that ends with one, not 'passthrough'"):
        certify(make_pipeline(StandardScaler(), "passthrough").fit(X, y), X, y)
