"""`ConservativePerceptron` over collections: mixing beside a slow twin, and bands that are, given the
weights, those of all rows in memory."""

import warnings
from collections import Counter

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import perceptrons
from perceptrons import ConservativePerceptron as InMemory
from perceptrons import Costs
from perceptrons.conservative import band_search, conservative_perceptron, cross_validated
from perceptrons.conservative.conservative_sweep import EACH_ONE, WeightedSigns
from perceptrons.conservative.folds import FoldPlan
from perceptrons.conservative.outcome import outcome_of
from perceptrons.conservative.scored_rows import ScoredRows
from perceptrons.dask import ConservativePerceptron, certify, conservative_perceptron_on_dask, evaluate
from perceptrons.dask.conservative_part import scores_kept
from perceptrons.evaluation import evaluate as evaluate_in_memory
from perceptrons.rows.encode import as_rows
from perceptrons.rows.order import generators
from perceptrons.rows.standardized import standardized
from tests.dask.collections_of import array_of, chunkings, frame_of
from tests.dask.here import Here
from tests.naive import conservative, conservative_cv, mixed_conservative
from tests.sizes import cases

pytestmark = pytest.mark.dask
SEEN = Counter()
RULES = {"cplr1": conservative.cplr1, "cplr2": conservative.cplr2}
COSTS = {"a": {-1: 0, 1: 0}, "b": {-1: 1, 1: 0.5}, "c": {-1: 0.25, 1: 0.125}}


def fitted(model, X, y, cuts, weights=None, client=None, known=True):
    given = [array_of(one, cuts, known) for one in (X, y, weights) if one is not None]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that all rows are rejected, or some wrong
        return model.fit(*given, client=client or Here())


def rows_of(n_rows=600, seed=5, noise=1.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 5))
    return X, (X[:, :3].sum(axis=1) + 0.5 + noise * rng.normal(size=n_rows) > 0).astype(int)


# --- the bands ---


def rows_together(rows):
    """Those of `ScoredParts`, in memory."""
    found = rows.rows.asked("test", kept, rows.what)
    scores, y, weights = (np.concatenate(part) for part in zip(*found, strict=True))
    return ScoredRows(
        scores, WeightedSigns(y, weights if weights.dtype.kind == "f" else EACH_ONE), rows.prices
    )


def kept(part, settings, what):
    found = scores_kept(part, settings, what)
    return None if found is None else (found.rows.scores, *found.rows.signs)


def compare(found, wanted, weighted):
    """Where rows have weights, costs may tie except for rounding, and rounding decides."""
    same = found.tolist() == wanted.tolist()
    assert same or weighted
    SEEN["weighted"] += weighted
    SEEN["weighted, the same"] += weighted and same
    return same


PRICE = st.tuples(
    st.sampled_from([0.0, 0.3]), st.sampled_from([0.5, 1.0, 4.0]), st.sampled_from([0.0, 0.1, 0.2])
)


@st.composite
def problems(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_rows, n = draw(st.integers(4, 150)), draw(st.integers(1, 4))
    X = (
        rng.normal(size=(n_rows, n))
        if draw(st.booleans())
        else rng.integers(-3, 4, (n_rows, n)).astype(float)
    )
    y = (X[:, 0] + draw(st.sampled_from([0.0, 1.0, 3.0])) * rng.normal(size=n_rows) > 0.5).astype(int)
    y[:2] = 0, 1
    weights = draw(st.sampled_from([None, None, "whole", "fractions"]))
    if weights is not None:
        weights = rng.integers(0, 3, n_rows) if weights == "whole" else rng.random(n_rows)
        weights[:2] = 1
    parts = [dict(enumerate(part)) for part in zip(draw(PRICE), draw(PRICE), strict=True)]
    how = {
        "costs": Costs(*parts),
        "band": draw(st.sampled_from(["cv", "cv", "exact", "learned"])),
        "rule": draw(st.sampled_from(["cplr1", "cplr2"])),
        "symmetric": draw(st.booleans()),
        "standardize": draw(st.booleans()),
        "order": draw(st.sampled_from(["shuffle", "cyclic"])),
        "max_band": draw(st.sampled_from(["auto", "auto", 0.5])),
        "max_epochs": 6,
        "n_restarts": 2,
        "random_state": 0,
    }
    return X, y, weights, draw(chunkings(n_rows)), how, draw(st.booleans()), draw(st.booleans())


@pytest.mark.thorough
@settings(max_examples=cases(600), deadline=None, suppress_health_check=list(HealthCheck))
@given(problems())
def test_bands_are_those_of_all_rows_in_memory(problem):
    """What training asks of rows on workers is answered as rows in memory would answer."""
    X, y, weights, cuts, how, sparse, known = problem
    X, n_judged = sp.csr_array(X) if sparse else X, 0

    def judged(rows, *more):
        nonlocal n_judged
        found, wanted = judged_bands(rows, *more), judged_bands(rows_together(rows), *more)
        compare(found[0], wanted[0], weights is not None)
        assert found[1] == pytest.approx(wanted[1], rel=1e-12, abs=1e-12)
        n_judged += 1
        return found

    def published(training, rows, parameters):
        found = outcome_of(training, rows, parameters)
        wanted = outcome_of(training, rows_together(rows), parameters)
        if compare(found.bands, wanted.bands, weights is not None):
            assert found[2:] == wanted[2:]
        assert found.risk == pytest.approx(wanted.risk, rel=1e-12, abs=1e-12)
        return found

    judged_bands = cross_validated.judged_bands
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cross_validated, "judged_bands", judged)
        patch.setattr(conservative_perceptron_on_dask, "outcome_of", published)
        patch.setattr(band_search, "BINS", 8)
        patch.setattr(band_search, "FEW_ROWS", 10)
        client = Here(forgetful=0.05)
        model = fitted(ConservativePerceptron(**how), X, y, cuts, weights, client, known or sparse)
    assert all(part.released for part in client.parts)
    assert n_judged == (2 if how["band"] == "cv" else 0)
    local = model.to_local()
    assert type(local) is InMemory
    present = slice(None) if weights is None else weights > 0
    scores = ScoredRows(
        local.decision_function(X)[present], WeightedSigns(2 * y[present] - 1, EACH_ONE), None
    )
    assert scores.tallies(model.bands_).rows.sum() == len(y[present])
    if weights is None:
        assert model.training_risk_ == pytest.approx(local.risk(X, y), abs=1e-12)
    SEEN["cases"] += 1
    SEEN["rejecting"] += bool(np.isfinite(model.bands_).any() and model.bands_.any())
    SEEN["several chunks"] += bool(cuts)


def test_the_random_cases_told_something():
    assert not SEEN or min(SEEN.values()) > 0.1 * SEEN["cases"]
    assert SEEN["weighted, the same"] >= 0.98 * SEEN["weighted"]


# --- the weights ---


@pytest.mark.thorough
@pytest.mark.parametrize("weighted", [False, True], ids=["even", "weighted"])
@pytest.mark.parametrize("rule", ["cplr1", "cplr2"])
def test_mixing_is_that_of_the_slow_twin(rule, weighted):
    for seed in range(cases(20)):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(30, 3))
        y = np.where(X[:, 0] + rng.normal(size=30) > 0, 1, -1)
        y[[0, 10, 20]], y[[1, 11, 21]] = 1, -1
        weights = rng.permutation([0.5, 1.5] * 15) if weighted else None
        cuts = sorted(rng.integers(0, 31, 3).tolist())
        model = ConservativePerceptron(
            rule=rule, costs=Costs(wrong={-1: 1, 1: 0.5}, reject={-1: 0.25, 1: 0.125}), standardize=False,
            eta_weights=(0.125, 0.5), max_epochs=7, order="cyclic", random_state=seed,
        )  # fmt: skip
        fitted(model, X, y, cuts, weights, Here(forgetful=0.1))
        parts = [part.tolist() for part in np.split(np.arange(30), cuts) if len(part)]
        folds = folds_drawn(seed, [y[part] for part in parts])
        w, b, bands, eta, n_updates = conservative_cv.fit(
            X.tolist(), y.tolist(), [parts] * model.n_iter_, 7, folds.tolist(), COSTS,
            lambda right, label: RULES[rule](right, *(COSTS[part][label] for part in "abc"))[0],
            (0.125, 0.5), False, None if weights is None else weights.tolist(), mixed_conservative.run,
        )  # fmt: skip
        assert (model.step_sizes_[0], model.n_updates_) == (eta, n_updates)
        np.testing.assert_allclose([*model.coef_[0], *model.intercept_], [*w, b], rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(model.bands_, [bands[-1], bands[1]], rtol=1e-9)


def folds_drawn(seed, parts):
    """Those of all rows, drawn part by part."""
    (rng,) = generators(seed, 1)
    seeds, before, found = rng.randint(2**31 - 1, size=len(parts)).tolist(), np.zeros(2, int), []
    totals = [sum(np.count_nonzero(y == label) for y in parts) for label in (-1, 1)]
    for y, own in zip(parts, seeds, strict=True):
        found.append(FoldPlan.of(min(totals)).draw(y, np.random.RandomState(own), tuple(before)))
        before = before + [np.count_nonzero(y == label) for label in (-1, 1)]
    return np.concatenate(found, axis=1)


def test_folds_of_many_parts_are_even():
    y = np.where(np.random.default_rng(0).random(97) < 0.3, 1, -1)
    folds = folds_drawn(1, np.split(y, [1, 2, 3, 30, 31, 64]))
    for line in folds:
        for label in (-1, 1):
            shares = np.bincount(line[y == label], minlength=5)
            assert shares.max() - shares.min() <= 1
    assert not np.array_equal(*folds)


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array], ids=["array", "CSR"])
@pytest.mark.parametrize("band", ["cv", "learned", "exact"])
@pytest.mark.parametrize("rule", ["cplr1", "cplr2"])
def test_of_one_chunk_it_is_the_ordinary_learner(monkeypatch, rule, band, layout):
    X, y = rows_of(200)
    how = {"rule": rule, "band": band, "order": "cyclic", "max_epochs": 5, "n_restarts": 2}
    model = fitted(ConservativePerceptron(random_state=0, **how), layout(X), y, [])
    (rng,) = generators(0, 1)
    if band == "cv":
        rng = np.random.RandomState(rng.randint(2**31 - 1, size=1)[0])  # from which its folds are drawn
    monkeypatch.setattr(conservative_perceptron, "generators", lambda *given: [rng])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        in_memory = InMemory(**how).fit(layout(X), y)
    assert model.n_updates_ == in_memory.n_updates_ > 0
    for name in ("coef_", "intercept_", "bands_", "training_risk_", "step_sizes_"):
        np.testing.assert_allclose(getattr(model, name), getattr(in_memory, name), rtol=1e-9)


@pytest.mark.parametrize("band", ["cv", "learned", "exact"])
def test_runs_agree_bit_for_bit_whatever_is_forgotten(band):
    X, y = rows_of()
    how = {"band": band, "max_epochs": 6, "n_restarts": 2, "random_state": 7}
    models = [
        fitted(ConservativePerceptron(**how), X, y, [50, 200, 420], client=Here(forgetful, seed=1))
        for forgetful in (0.0, 0.0, 0.2)
    ]
    for other in models[1:]:
        for name in ("coef_", "intercept_", "bands_", "training_risk_"):
            assert np.array_equal(getattr(models[0], name), getattr(other, name))


@pytest.mark.parametrize("band", ["cv", "exact"])
def test_weights_of_classes_are_those_of_their_rows(band):
    X, y = rows_of(300)
    how = {"band": band, "max_epochs": 5, "n_restarts": 1, "random_state": 0}
    one = fitted(ConservativePerceptron(class_weight={0: 1.0, 1: 4.0}, **how), X, y, [100, 220])
    other = fitted(ConservativePerceptron(**how), X, y, [100, 220], 1.0 + 3.0 * y)
    balanced = fitted(ConservativePerceptron(class_weight="balanced", **how), X, y, [100, 220])
    plain = fitted(ConservativePerceptron(**how), X, y, [100, 220])
    assert np.array_equal(one.coef_, other.coef_)
    assert np.array_equal(one.bands_, other.bands_)
    assert not np.array_equal(one.coef_, plain.coef_)
    assert not np.array_equal(balanced.coef_, plain.coef_)


@pytest.mark.parametrize("sort", [False, True], ids=["as drawn", "sorted by class"])
@pytest.mark.parametrize("cuts", [[500, 900], [*range(25, 1000, 25)]], ids=["3 chunks", "40 chunks"])
def test_it_is_as_good_as_in_memory(cuts, sort):
    X, y = rows_of(1000, noise=2.0)
    new, truth = rows_of(5000, seed=6, noise=2.0)
    order = np.argsort(y, kind="stable") if sort else slice(None)
    model = fitted(ConservativePerceptron(random_state=0), X[order], y[order], cuts)
    in_memory = InMemory(random_state=0).fit(X, y)
    assert model.risk(new, truth) < in_memory.risk(new, truth) + 0.01
    assert model.risk(new, truth) < min(0.2, (in_memory.predict_liberal(new) != truth).mean())


@pytest.mark.parametrize("weighted", [False, True], ids=["even", "weighted"])
@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array], ids=["array", "CSR"])
def test_columns_are_standardized_over_all_chunks(monkeypatch, layout, weighted):
    """Chunks whose means are far from one another, and a column that is constant except for rounding."""
    X, y = rows_of()
    X = np.column_stack([X * [1e-3, 1.0, 1e4, 5.0, 1.0] + [0.0, 7.0, 0.0, 1e3, 0.0], np.full(len(X), 3.3)])
    X, y = X[np.argsort(X[:, 1])], y[np.argsort(X[:, 1])]
    weights, seen = np.random.default_rng(0).random(len(X)) if weighted else None, []

    def noted(rows, *more, **how):
        seen.append(rows.kind)
        return cross_validated.train_cross_validated(rows, *more, **how)

    monkeypatch.setattr(conservative_perceptron_on_dask, "train_cross_validated", noted)
    model = fitted(ConservativePerceptron(random_state=0), layout(X), y, [100, 101, 400], weights)
    given = (layout(X), as_rows(layout(X))) + (() if weights is None else (weights,))
    wanted = standardized(*given)
    np.testing.assert_allclose(seen[0].mean, wanted.mean, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(seen[0].gains, wanted.gains, rtol=1e-9)
    assert wanted.gains[-1] == model.coef_[0, -1] == 0.0
    with pytest.raises(ValueError, match=r"The largest \|value\| of column 2 is 1e\+150"):
        fitted(ConservativePerceptron(), layout(np.where(np.arange(6) == 2, 1e150, X)), y, [100])


# --- what it costs ---


def test_bytes_do_not_grow_with_the_rows():
    """Bands take a question or two more of ten times the rows, each answered with no more than it may be."""
    moved, bands = [], []
    for n_rows in (20_000, 200_000):
        X, y = rows_of(n_rows)
        cuts = [n_rows // 4, n_rows // 2]
        model = fitted(ConservativePerceptron(random_state=0, max_epochs=4), X, y, cuts)
        traffic = {stage.stage: stage for stage in model.traffic_}
        bands.append(traffic.pop("bands"))
        moved.append(sum(stage.told + stage.answered for stage in traffic.values()))
    assert moved[1] < 1.03 * moved[0]
    assert bands[1].questions <= bands[0].questions + 8
    assert max(stage.answered for stage in bands) < 500_000 < X.nbytes / 10


# --- answers ---


@pytest.fixture(scope="module")
def model():
    X, y = rows_of(noise=2.0)
    return fitted(ConservativePerceptron(random_state=0), X, np.array(["no", "yes"])[y], [100, 101, 400])


def test_answers_are_lazy_and_those_of_one_machine(model):
    new, _ = rows_of(100, seed=8)
    rows, local = array_of(new, [30, 30, 70]), model.to_local()
    assert set(local.predict(new)) == {"no", "yes", "reject"}
    for name in ("predict", "predict_liberal", "rejects", "decision_function"):
        wanted, found = getattr(local, name)(new), getattr(model, name)(rows)
        assert found.chunks == (rows.chunks[0],)
        assert found.dtype == wanted.dtype
        assert np.array_equal(found.compute(scheduler="synchronous"), wanted)
        assert np.array_equal(getattr(model, name)(new), wanted)


def test_frames_keep_names_and_index():
    X, y = rows_of(noise=2.0)
    table = pd.DataFrame(X, columns=list("abcde")).assign(y=y)
    rows = frame_of(table, [100, 100, 350])
    model = ConservativePerceptron(random_state=0).fit(rows[[*"abcde"]], rows["y"], client=Here())
    assert model.feature_names_in_.tolist() == list("abcde")
    said = model.predict(rows[[*"abcde"]]).compute(scheduler="synchronous")
    assert said.index.equals(table.index)
    assert said.tolist() == model.to_local().predict(table[[*"abcde"]]).tolist()
    assert set(said) == {0, 1, model.reject_label_} == {0, 1, -1}


def test_risk_evaluations_and_certificates(model):
    new, truth = rows_of(400, seed=9, noise=2.0)
    truth = np.array(["no", "yes"])[truth]
    rows, labels, local = array_of(new, [100, 100, 250]), array_of(truth, [100, 100, 250]), model.to_local()
    assert model.risk(rows, labels, client=Here()) == pytest.approx(local.risk(new, truth), abs=1e-12)
    assert model.risk(new, truth) == local.risk(new, truth)
    found, wanted = evaluate(model, rows, labels, client=Here()), evaluate_in_memory(local, new, truth)
    assert found.rejected == wanted.rejected > 0.0
    assert found.confusion == wanted.confusion
    assert found.risk == pytest.approx(wanted.risk)
    assert certify(model, rows, labels, client=Here()) == perceptrons.certify(local, new, truth)
    for name in ("error_reject_curve", "confidence", "saving_interval"):
        with pytest.raises(ValueError, match=f"{name} is for rows in memory; for a collection use risk"):
            getattr(model, name)(rows, labels)
        np.testing.assert_equal(getattr(model, name)(new, truth), getattr(local, name)(new, truth))
    with pytest.raises(ValueError, match="y holds 'maybe', which is not one of the classes"):
        model.risk(rows, array_of(np.full(400, "maybe"), [100, 100, 250]), client=Here())


def test_it_is_saved_by_way_of_one_machine(model, tmp_path):
    with pytest.raises(ValueError, match="ConservativePerceptron cannot be saved"):
        perceptrons.save(model, tmp_path / "model.json")
    perceptrons.save(model.to_local(), tmp_path / "model.json")
    loaded, (new, _) = perceptrons.load(tmp_path / "model.json"), rows_of(100)
    assert np.array_equal(loaded.predict(new), model.predict(new))
    assert loaded.bands_.tolist() == model.bands_.tolist()


# --- what is refused, and what is said ---


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ({"band": "widest"}, "band='widest'"),
        ({"reject_cost": 1.0}, "reject_cost=1.0, but it must be a number >= 0 and below 1"),
        ({"costs": 3}, "costs=3, but it must be a Costs object"),
        ({"eta_weights": 0.0}, "eta_weights=0.0"),
        ({"order": "worst"}, "order='worst'"),
        ({"costs": Costs(wrong={0: 1.0, 5: 1.0})}, "costs name the class 5"),
        ({"reject_label": 1}, "reject_label=1, but that is one of the classes"),
        ({"eta_weights": 1e308}, "The weights overflow with eta_weights=1e[+]308"),
    ],
)
def test_parameters_are_refused_in_a_sentence(how, sentence):
    X, y = rows_of(60)
    before = fitted(ConservativePerceptron(random_state=0), X, y, [20])
    coef = before.coef_.copy()
    with pytest.raises(ValueError, match=sentence), np.errstate(all="ignore"):
        fitted(before.set_params(**how), 50.0 * X, y, [20])
    assert np.array_equal(before.coef_, coef)


def test_three_classes_are_refused():
    X, _ = rows_of(60)
    with pytest.raises(ValueError, match="The target has 3 classes"):
        fitted(ConservativePerceptron(), X, np.arange(60) % 3, [20])


@pytest.mark.parametrize("band", ["cv", "learned", "exact"])
def test_a_class_of_one_row_and_separable_rows(band):
    X, y = np.array([[0.0], [1.0], [2.0], [9.0]]), np.array([0, 0, 0, 1])
    model = fitted(ConservativePerceptron(band=band, random_state=0, max_epochs=30), X, y, [1, 3])
    assert model.predict(X).tolist() == y.tolist()
    X, y = rows_of(300, noise=0.0)
    model = fitted(ConservativePerceptron(band=band, random_state=0), X, y, [1, 3, 100])
    assert model.score(X, y) > 0.95
    if band != "cv":
        assert model.converged_
        assert model.training_risk_ == 0.0


def test_it_says_when_all_rows_are_rejected_or_no_run_was_right():
    X, y = rows_of(100, noise=3.0)
    rows, labels = array_of(X, [40]), array_of(y, [40])
    with pytest.warns(UserWarning, match="Rejections cost nothing"):
        model = ConservativePerceptron(reject_cost=0.0, random_state=0).fit(rows, labels, client=Here())
    assert model.rejects(X).all()
    how = {"band": "learned", "n_restarts": 1, "max_epochs": 2}
    with pytest.warns(UserWarning, match="None of 6 runs was right about every row within max_epochs=2"):
        ConservativePerceptron(random_state=0, **how).fit(rows, labels, client=Here())
