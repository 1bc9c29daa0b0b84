"""Theorem 6.3 and Lemma 6.4 on drawn matrices, and `MarginProjection`."""

import json
from dataclasses import replace
from itertools import product
from math import ceil, log

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import DataDimensionalityWarning, NotFittedError
from sklearn.pipeline import make_pipeline

from perceptrons import MarginProjection, load, save
from perceptrons.synthetic import separable
from perceptrons.theory.projection import lemma_dimension, project, projection_dimension, projection_matrix
from tests.margin.classic import classic
from tests.naive import best_margin as naive


def blobs(n_features=50, seed=0):
    """Two clouds on one side of the origin: separable with an intercept alone."""
    rng = np.random.default_rng(seed)
    y = np.arange(20) % 2
    X = rng.normal(size=(20, n_features)) / 10
    X[:, 0] += 2 + y
    return X, np.array(["no", "yes"])[y]


# --- the dimension ---


def test_dimensions_by_hand():
    # eta = 1/4: 1/64 - 1/384 = 5/384; ln(4 * 10/0.05) = 6.684612
    assert projection_dimension(9, 1, 0.05) == ceil(6.684612 * 384 / 5) == 514
    # eta = 1/8: 1/256 - 1/3072 = 11/3072; ln 800 + 4 ln 20 = 18.667541
    assert projection_dimension(9, 0.5, 0.05, all_partitions=True) == ceil(18.667541 * 3072 / 11) == 5214
    # eta = 1/2: 1/16 - 1/48 = 1/24; ln(2 * 100/0.02) = 9.210340
    assert lemma_dimension(10, 0.5, 0.02) == ceil(9.210340 * 24) == 222


@pytest.mark.parametrize(
    ("numbers", "name"),
    [
        ({"n_points": 0, "eps": 0.1}, "n_points"),
        ({"n_points": 9, "eps": 0.0}, "eps"),
        ({"n_points": 9, "eps": 1.1}, "eps"),
        ({"n_points": 9, "eps": float("nan")}, "eps"),
        ({"n_points": 9, "eps": 1e-160}, "eps"),
        ({"n_points": 9, "eps": 1e-200}, "eps"),
        ({"n_points": 9, "eps": 1e-71, "all_partitions": True}, "eps"),
        ({"n_points": 9, "eps": None}, "eps"),
        ({"n_points": 9, "eps": "a"}, "eps"),
        ({"n_points": "a", "eps": 0.1}, "n_points"),
        ({"n_points": 10**400, "eps": 0.1}, "n_points"),
        ({"n_points": 9, "eps": 0.1, "delta": 1.0}, "delta"),
        ({"n_points": 9, "eps": 0.1, "delta": "a"}, "delta"),
    ],
)
def test_dimensions_out_of_range(numbers, name):
    with pytest.raises(ValueError, match=rf"^{name} = .+, but it must be .+; .+"):
        projection_dimension(**numbers)


def test_dimensions_far_out_are_numbers():
    assert projection_dimension(10**300, 1e-70, 1e-300, all_partitions=True) > 1e280
    assert projection_dimension(9, 1e-70) > 1e140
    assert lemma_dimension(10**300, 1e-70, 1e-300) > 1e140


@pytest.mark.parametrize("eta", [1e-160, 1e-200, None, "a", True])
def test_an_eta_that_cannot_be(eta):
    with pytest.raises(ValueError, match=r"^eta = .+, but it must be .+; pass the error allowed"):
        lemma_dimension(9, eta)


def test_lemma_and_matrix_out_of_range():
    with pytest.raises(ValueError, match=r"^eta = 1.5, but it must be"):
        lemma_dimension(10, 1.5)
    with pytest.raises(ValueError, match=r"^k x d = 0, but it must be"):
        projection_matrix(0, 3, np.random.default_rng(0))


def test_the_second_half_for_all_partitions_fits_into_the_same_dimension():
    """The count behind point 2 of the module: for some a, the means of T points lengthen by no more than
    1 + a, T = 16 (1+a)/(3-a)/eps^2, and all (2n)^T of them cost no more than delta/4."""
    a = np.linspace(0.3, 2.5, 45)
    cases = list(product(np.linspace(0.02, 1, 50), (1, 2, 3, 10, 1000, 10**8), (0.999, 0.05, 1e-9)))
    for eps, n, delta in cases:
        needed = np.ceil(16 * (1 + a) / (3 - a) / eps**2) * log(2 * n) + log(4 / delta)
        k = projection_dimension(n, eps, delta, all_partitions=True)
        assert (k * (a - np.log1p(a)) / 2 >= needed).any()
    assert len(cases) == 900


# --- the theorem on drawn matrices ---


def inner_errors(vectors, k, rng):
    projected = project(vectors, projection_matrix(k, vectors.shape[1], rng))
    return np.abs(projected @ projected.T - vectors @ vectors.T).max()


def test_inner_products_keep_to_the_lemma():
    rng, eta = np.random.default_rng(2), 0.4
    k = lemma_dimension(12, eta, 0.1)
    errors = []
    for _ in range(60):
        vectors = rng.normal(size=(12, 30)) * rng.uniform(0.5, 1, size=(12, 1))
        errors.append(inner_errors(vectors / np.linalg.norm(vectors, axis=1).max(), k, rng))
    assert np.mean(np.array(errors) > eta) <= 0.1
    assert len(errors) == 60
    assert max(errors) > eta / 4  # they do move
    alike = np.ones((3, 30)) / np.sqrt(30)
    assert max(inner_errors(alike, k // 50, rng) for _ in range(60)) > eta  # far fewer are too few


def kept(X, y, seed, **settings):
    """The margin before and after, and relative to the largest norm."""
    model = MarginProjection(random_state=seed, **settings).fit(X, y)
    before, after = model.report_.before[0], model.report_.after[0]
    assert model.n_components_ == projection_dimension(len(y), model.eps_, model.delta) < X.shape[1]
    assert model.eps_ == pytest.approx(before.margin / before.radius)
    relative = (after.margin / after.radius) / (before.margin / before.radius)
    return model.projected_margin_ / model.margin_, relative


def test_given_labels_keep_two_thirds_of_their_margin():
    rng, shares = np.random.default_rng(3), []
    for seed in range(54):
        low, n_features = (0.8, 1200) if seed < 50 else (0.5, 2600)
        n, margin = int(rng.integers(10, 30)), float(rng.uniform(low, low + 0.15))
        X, y, _ = separable(n, n_features, margin=margin, random_state=seed)
        shares.append(kept(X * rng.uniform(0.01, 100), y, seed, fit_intercept=False))
    absolute, relative = np.array(shares).T
    assert len(shares) == 54
    assert (absolute > 0.67).all()
    assert (relative > 0.6).all()
    assert (absolute < 1).sum() >= 20  # informative: part of the margin was lost
    assert ((relative < 0.97) | (absolute < 0.97)).sum() >= 10


def test_far_fewer_components_lose_the_margin():
    X, y, _ = separable(20, 1200, margin=0.8, random_state=0)
    few = [MarginProjection(2, fit_intercept=False, random_state=seed).fit(X, y) for seed in range(20)]
    assert sum(model.report_.share_kept < 0.5 for model in few) >= 5


def test_rows_that_need_an_intercept_keep_it_too():
    shares = []
    for seed in range(6):
        X, y = blobs(6000, seed)
        X[:, 0] = 4 * (y == "yes") - 2.0 + 0.5
        X[:, 1:] /= 20
        shares.append(kept(X, y, seed))
    assert (np.array(shares)[:, 0] > 0.67).all()
    assert (np.array(shares)[:, 1] > 0.6).all()
    assert len(shares) == 6


def small_set(rng, n_features):
    """Six points, the largest of norm 1, that one labelling separates widely and some others narrowly."""
    u = rng.normal(size=n_features)
    points = rng.choice([-1, 1], size=(6, 1)) * u / np.linalg.norm(u) + rng.normal(size=(6, n_features)) / 5
    return points / np.linalg.norm(points, axis=1).max()


def test_all_partitions_of_small_sets():
    """Both halves of Theorem 6.3, every labelling, margins by the twin. (The dimension is larger than that of
    the points, which the theorem does not mind.)"""
    rng, eps, found = np.random.default_rng(4), 0.55, {"wide": 0, "narrow": 0}
    for _ in range(5):
        points = small_set(rng, 5)
        k = projection_dimension(len(points), eps, 0.05, all_partitions=True)
        image = np.linalg.qr(project(points, projection_matrix(k, 5, rng)).T, mode="r").T  # same Gram matrix
        for rest in product((-1, 1), repeat=5):
            y = np.array([1, *rest])
            before, after = naive.best_margin(points, y), naive.best_margin(image, y)
            assert after >= eps / 2 or before < eps
            assert before >= eps / 4 or after < eps / 2
            found["wide"] += before >= eps
            found["narrow"] += 0 < before < eps / 4
    assert found["wide"] >= 5
    assert found["narrow"] >= 20


def test_inner_products_alone_keep_all_partitions():
    """The shorter road: every inner product to 3 eps^2/4."""
    rng, eps, wide = np.random.default_rng(5), 0.5, 0
    assert 4 * lemma_dimension(1000, 3 * eps**2 / 4) < projection_dimension(1000, eps, all_partitions=True)
    for _ in range(10):
        points = small_set(rng, 4)
        image = project(points, projection_matrix(lemma_dimension(6, 3 * eps**2 / 4), 4, rng))
        image = np.linalg.qr(image.T, mode="r").T
        for rest in product((-1, 1), repeat=5):
            y = np.array([1, *rest])
            if naive.best_margin(points, y) >= eps:
                wide += 1
                assert naive.best_margin(image, y) >= eps / 2
    assert wide >= 8


# --- the transformer ---


def test_layouts_frames_and_seeds_agree():
    X, y = blobs()
    model = MarginProjection(7, random_state=3).fit(X, y)
    again = clone(model).fit(sp.csr_array(X), y)
    np.testing.assert_array_equal(model.components_, again.components_)
    np.testing.assert_allclose(model.transform(X), again.transform(sp.csr_matrix(X)), rtol=1e-12)
    assert model.margin_ == pytest.approx(again.margin_, rel=1e-9)
    assert model.projected_margin_ == pytest.approx(again.projected_margin_, rel=1e-9)
    assert (MarginProjection(7, random_state=4).fit(X, y).components_ != model.components_).all()
    names = [f"word {j}" for j in range(X.shape[1])]
    for frame in (pd.DataFrame(X, columns=names), pl.DataFrame(X, schema=names)):
        framed = clone(model).fit(frame, y)
        assert framed.feature_names_in_.tolist() == names
        np.testing.assert_allclose(framed.transform(frame), model.transform(X), rtol=1e-12)
    assert model.get_feature_names_out().tolist() == [f"marginprojection{j}" for j in range(7)]
    assert model.set_output(transform="pandas").transform(X).shape == (20, 7)


def test_float32_is_kept():
    X, y = blobs()
    model = MarginProjection(7, random_state=3).fit(X.astype(np.float32), y)
    assert model.components_.dtype == model.transform(X.astype(np.float32)).dtype == np.float32
    assert model.transform(X).dtype == np.float64
    model.report_.verify(X.astype(np.float32), y)
    wide = MarginProjection(7, random_state=3).fit(X, y)
    np.testing.assert_allclose(model.components_, wide.components_, rtol=1e-6)
    assert model.margin_ == pytest.approx(wide.margin_, rel=1e-5)


def test_the_margin_reported_is_that_of_the_perceptron():
    X, y = blobs()
    model = make_pipeline(MarginProjection(30, random_state=1), classic(random_state=0)).fit(X, y)
    assert model.score(X, y) == 1.0
    projection, learner = model[0], model[1]
    direct = classic(random_state=0).fit(X, y).certificate_
    assert direct.margin <= projection.margin_ * (1 + 1e-6) <= direct.margin_bound * (1 + 1e-5)
    # after the projection the perceptron takes the largest norm anew
    same = classic(intercept_scaling=projection.report_.after[0].lift, random_state=0)
    certificate = same.fit(projection.transform(X), y).certificate_
    assert certificate.margin <= projection.projected_margin_ * (1 + 1e-6)
    assert projection.projected_margin_ <= certificate.margin_bound * (1 + 1e-6)
    assert learner.n_features_in_ == projection.n_components_ == 30


def test_the_report_can_be_verified_and_a_false_one_not():
    X, y = blobs()
    report = MarginProjection(7, random_state=3).fit(X, y).report_
    report.verify(X, y)
    report.verify(sp.csr_array(X), y.tolist())
    assert report.share_kept == report.after[0].margin / report.before[0].margin
    with pytest.raises(ValueError, match="The margin does not hold: margin is given as 9"):
        replace(report, after=(replace(report.after[0], margin=9.0),)).verify(X, y)
    with pytest.raises(ValueError, match="does not hold"):
        report.verify(X, np.sort(y))
    with pytest.raises(ValueError, match="does not hold"):
        replace(report, components=2 * report.components).verify(X, y)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_report_holds_in_every_layout(dtype):
    X, y = blobs()
    X = X.astype(dtype)
    layouts = [X, np.asfortranarray(X), sp.csr_array(X), sp.csr_array(X.astype(np.float64))]
    for fitted in layouts:
        report = MarginProjection(30, random_state=0).fit(fitted, y).report_
        assert report.share_kept > 0
        for other in layouts:
            report.verify(other, y)


def test_several_classes_are_measured_one_against_the_rest():
    rng = np.random.default_rng(7)
    y = np.arange(30) % 3
    X = 5 * np.eye(3, 40)[y] + rng.normal(size=(30, 40)) / 10
    model = MarginProjection(20, fit_intercept=False, random_state=0).fit(X, y)
    expected = [naive.best_margin(X, np.where(y == c, 1, -1)) for c in range(3)]
    assert [one.margin for one in model.report_.before] == pytest.approx(expected, rel=1e-6)
    assert model.margin_ == pytest.approx(min(expected), rel=1e-6)
    model.report_.verify(X, y)
    wide = np.hstack([X, np.zeros((30, 20_000))])  # delta is shared by the three
    auto = MarginProjection(fit_intercept=False, random_state=0).fit(sp.csr_array(wide), y)
    assert auto.n_components_ == projection_dimension(30, auto.eps_, 0.05 / 3)
    assert auto.projected_margin_ > auto.margin_ / 2


def test_labels_that_nothing_separates_have_no_margin():
    X = np.array([[0.0, 0.0, 1.0], [1.0, 1.0, 1.0], [0.0, 1.0, 1.0], [1.0, 0.0, 1.0]])
    y = [0, 0, 1, 1]
    model = MarginProjection(2, random_state=0).fit(X, y)
    assert model.margin_ == model.projected_margin_ == model.report_.share_kept == 0
    model.report_.verify(X, y)
    with pytest.raises(
        ValueError,
        match=r"^The margin of the labels is 0, .*no hyperplane separates the classes. Set n_components",
    ):
        MarginProjection().fit(X, y)
    X, y = blobs()
    with pytest.raises(ValueError, match="no hyperplane through the origin separates"):
        MarginProjection(fit_intercept=False).fit(X[:, :1], y)


def test_as_many_components_as_features_gain_nothing():
    k = projection_dimension(20, 1.0)
    X, _ = blobs(k + 1)
    assert MarginProjection(eps=1.0, random_state=0).fit(X).n_components_ == k
    with pytest.raises(ValueError, match=f"takes n_components={k}, but the rows have n_features={k}: proj"):
        MarginProjection(eps=1.0, random_state=0).fit(X[:, :k])


def test_without_labels():
    X, _ = blobs(2000)
    model = MarginProjection(eps=0.9, random_state=0).fit(X)
    assert model.n_components_ == projection_dimension(20, 0.9)
    assert (model.margin_, model.projected_margin_, model.report_) == (None, None, None)
    every = MarginProjection(eps=0.95, all_partitions=True, delta=0.5, random_state=0).fit(X)
    assert every.n_components_ == projection_dimension(20, 0.95, 0.5, all_partitions=True)
    with pytest.raises(ValueError, match="pass y to fit, or eps"):
        MarginProjection().fit(X)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"eps": 0.0}, r"^eps = 0, but it must be in \(0, 1\]; .+"),
        ({"eps": 1.5}, r"^eps = 1.5, but it must be in \(0, 1\]; .+"),
        ({"eps": float("nan")}, r"^eps = nan, but it must be in \(0, 1\]; .+"),
        ({"eps": "a"}, r"^eps = 'a', but it must be a real number in \(0, 1\]; .+"),
        ({"eps": True}, r"^eps = True, but it must be a real number in \(0, 1\]; .+"),
        ({"delta": "a"}, r"^delta = 'a', but it must be a real number in \(0, 1\); .+"),
        ({"fit_intercept": "no"}, "^fit_intercept = 'no', but it must be True or False; .+"),
        ({"all_partitions": 3}, "^all_partitions = 3, but it must be True or False; .+"),
        ({"delta": 0.0}, r"^delta = 0, but it must be in \(0, 1\); .+"),
        ({"delta": 2.0}, r"^delta = 2, but it must be in \(0, 1\); .+"),
        ({"n_components": 0}, "^n_components = 0, but it must be"),
        ({"n_components": 2.5}, "^n_components = 2.5, but it must be"),
        ({"n_components": True}, "^n_components = True, but it must be"),
        ({"n_components": "all"}, "^n_components = 'all', but it must be"),
        ({}, r"takes n_components=\d+, but the rows have n_features=50: .+ Leave this step out, or set"),
    ],
)
def test_settings_that_cannot_be(settings, sentence):
    with pytest.raises(ValueError, match=sentence):
        MarginProjection(**settings).fit(*blobs())


def test_rows_that_cannot_be():
    X, y = blobs()
    hole = X.copy()
    hole[3, 4] = np.nan
    with pytest.raises(ValueError, match="contains NaN"):
        MarginProjection(2).fit(hole, y)
    with pytest.raises(ValueError, match="one class only: 'no'"):
        MarginProjection(2).fit(X, ["no"] * 20)
    with pytest.raises(ValueError, match="squared norms of the rows overflow float64"):
        MarginProjection(2).fit(X * 1e200, y)
    model = MarginProjection(2, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="contains NaN"):
        model.transform(hole)
    with pytest.raises(ValueError, match="expecting 50 features"):
        model.transform(X[:, :3])
    with pytest.raises(NotFittedError):
        MarginProjection(2).transform(X)


def test_warnings_of_what_is_not_promised():
    X, y, _ = separable(10, 1500, margin=0.5, random_state=0)
    with pytest.warns(UserWarning, match=r"eps=0.9, but the labels have a margin of 0.5 .* Set eps to None"):
        MarginProjection(eps=0.9, fit_intercept=False, random_state=0).fit(X, y)
    with pytest.warns(DataDimensionalityWarning, match="n_components=60 is more than the n_features=50"):
        MarginProjection(60, random_state=0).fit(*blobs())


@pytest.mark.parametrize("labels", [True, False])
def test_saved_and_loaded(tmp_path, labels):
    X, y = blobs()
    model = MarginProjection(5, random_state=3).fit(X, y if labels else None)
    save(model, tmp_path / "projection.json")
    twin = load(tmp_path / "projection.json")
    np.testing.assert_array_equal(twin.transform(X), model.transform(X))
    assert (twin.margin_, twin.projected_margin_) == (model.margin_, model.projected_margin_)
    assert twin.get_params() == model.get_params()
    if labels:
        twin.report_.verify(X, y)
    else:
        assert twin.report_ is None


def test_a_pipeline_is_saved_and_loaded(tmp_path):
    X, y = blobs()
    model = make_pipeline(MarginProjection(9, random_state=3), classic(random_state=0)).fit(X, y)
    save(model, tmp_path / "pipeline.json")
    twin = load(tmp_path / "pipeline.json")
    assert (twin.predict(X) == model.predict(X)).all()
    twin[0].report_.verify(X, y)


def test_a_file_with_too_few_margins_is_refused():
    from perceptrons.model_file.estimators import pack, unpack

    packed = json.loads(json.dumps(pack(MarginProjection(2, random_state=0).fit(*blobs()))))
    unpack(packed)
    packed["fitted"]["before"], packed["fitted"]["after"] = [], []
    with pytest.raises(ValueError, match="before has 0 margins for 2 classes"):
        unpack(packed)
