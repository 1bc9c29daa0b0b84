"""Model files: what is saved comes back the same, goes on the same, and is described by the schema."""

import hashlib
import json
import os
import pickle
import random
import re
from collections import Counter
from itertools import product
from pathlib import Path

import jsonschema
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from perceptrons import Perceptron, TableEncoder, load, save, verify
from perceptrons.model_file import save_load as model_file
from perceptrons.model_file import schema
from perceptrons.model_file.declarations import LostFunction
from tests.margin.classic import classic
from tests.sizes import cases

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

RNG = np.random.default_rng(0)
X = RNG.integers(-3, 4, (24, 3)) / 8.0  # in the unit ball, with the intercept's coordinate
CODES = (X @ [1.0, -2.0, 1.0] > 0).astype(int)
CODES[:2] = 1 - CODES[:2]  # not separable
NAMES = ["height", "Größe", "x y"]

LAYOUTS = {
    "dense": np.array,
    "CSR": sp.csr_array,
    "pandas": lambda rows: pd.DataFrame(rows, columns=NAMES),
    "polars": lambda rows: pl.DataFrame(rows, schema=NAMES),
}
GRID = {
    "step": ["fixed", "absolute", "fractional", "passive-aggressive"],
    "margin": [0.0, 0.25, (0.1, 0.5), "adaptive", "infinity", "growing"],
    "order": ["shuffle", "cyclic", "worst", "active"],
    "result": ["last", "average", "pocket"],
    "ties": ["wrong", "negative"],
    "fit_intercept": [True, False],
}
SCHEMA = jsonschema.Draft202012Validator(json.loads(schema.text()))


@pytest.fixture
def quick(monkeypatch):
    """Thousands of files need not survive a power failure."""
    monkeypatch.setattr(os, "fsync", lambda handle: None)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.json"


def again(model, path, **about):
    save(model, path, about=about)
    SCHEMA.validate(json.loads(path.read_text()))
    return load(path)


def equal(one, other):
    """The same to the last bit, whatever it is made of."""
    if isinstance(one, np.random.RandomState):
        return equal(list(one.get_state()), list(other.get_state()))
    if isinstance(one, np.ndarray):
        return (
            one.dtype == other.dtype
            and one.shape == other.shape
            and one.tolist().__repr__() == repr(other.tolist())
        )
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(equal(one[name], other[name]) for name in one)
    if isinstance(one, list | tuple):
        return type(one) is type(other) and len(one) == len(other) and all(map(equal, one, other))
    return one == other or (one != one and other != other)


def assert_same(model, twin, rows):
    assert type(twin) is type(model)
    assert equal(vars(model), vars(twin))
    assert equal(model.predict(rows), twin.predict(rows))
    assert equal(model.decision_function(rows), twin.decision_function(rows))


def assert_goes_on(model, twin, rows, y):
    """Warm starts and streams continue alike, shuffles included."""
    for one in (model, twin):
        one.set_params(warm_start=True, max_epochs=2).fit(rows, y).fit(rows, y)
    assert_same(model, twin, rows)
    if model.result != "pocket":
        model.partial_fit(rows, y), twin.partial_fit(rows, y)
        assert_same(model, twin, rows)


def valid(settings):
    constant = settings["margin"] not in ("adaptive", "infinity", "growing", 0.0)
    return constant or settings["step"] != "passive-aggressive"


@pytest.mark.thorough
def test_settings_in_every_layout(path, quick):
    """Some of all combinations, drawn: dense, CSR and frame. One of the three trains on, a tenth is compared
    with the schema."""
    chance, seen = random.Random(0), Counter()
    grid = [dict(zip(GRID, values, strict=True)) for values in product(*GRID.values())]
    n_settings = cases(len(grid))
    for settings in filter(valid, chance.sample(grid, n_settings)):
        layouts = ["dense", "CSR", chance.choice(["pandas", "polars"])]
        goes_on = chance.choice(layouts)
        for layout in layouts:
            rows = LAYOUTS[layout](X.astype(chance.choice([np.float64, np.float32])))
            y = CODES if chance.random() < 0.7 else np.arange(24) % 3
            model = classic(**settings, max_epochs=3, random_state=1).fit(rows, y)
            twin = again(model, path) if chance.random() < 0.1 else save(model, path) or load(path)
            assert_same(model, twin, rows)
            verify(twin.certificate_, twin, rows, y)
            if layout == goes_on:
                assert_goes_on(model, twin, rows, y)
            seen[layout] += 1
    assert seen["dense"] == seen["CSR"] == seen["pandas"] + seen["polars"] > 0.7 * n_settings
    assert min(seen.values()) > 0.3 * n_settings


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    "settings",
    [
        {"tol": 0.3, "order": "worst"},
        {"max_updates": 3},
        {"max_updates": np.int64(5), "eta": np.float32(0.1), "margin": [np.float64(0.25), 1]},
        {"intercept_scaling": 0.5, "random_state": np.random.RandomState(3)},
        {"warm_start": True, "verbose": True, "random_state": None},
    ],
)
def test_other_settings(path, quick, layout, settings):
    rows = LAYOUTS[layout](X)
    model = classic(**settings, max_epochs=4).fit(rows, CODES)
    twin = again(model, path)
    assert_same(model, twin, rows)
    verify(twin.certificate_, twin, rows, CODES)
    assert_goes_on(model, twin, rows, CODES) if "tol" not in settings else None


LABELS = [
    np.array(["low", "high"], "U9")[CODES],
    np.array(["low", "é"], object)[CODES],
    CODES == 1,
    CODES.astype(float) - 0.0,
    CODES.astype(np.float16),
    CODES.astype(np.int8),
    CODES.astype(np.uint64) + np.uint64(2**63),
    np.array(["a", "", "b" * 40])[np.arange(24) % 3],
    np.array([-5, 10**12, 7])[np.arange(24) % 3],
]


@pytest.mark.parametrize("labels", LABELS, ids=lambda labels: f"{labels.dtype}-{len(np.unique(labels))}")
def test_labels(path, quick, labels):
    model = classic(max_epochs=3, random_state=0).fit(X, labels)
    twin = again(model, path)
    assert_same(model, twin, X)
    assert twin.predict(X).dtype == labels.dtype
    assert_goes_on(model, twin, X, labels)


@pytest.mark.parametrize("classes", [[b"no", b"yes\xff"], np.array([3, 4], object)])
def test_labels_of_streams(path, quick, classes):
    y = np.array(classes)[CODES]
    model = classic().partial_fit(X, y, classes=classes)
    twin = again(model, path)
    assert_same(model, twin, X)
    assert equal(model.partial_fit(X, y).coef_, twin.partial_fit(X, y).coef_)


def test_labels_that_are_numpys_own_numbers_in_an_object_array(path, quick):
    classes = np.array([*np.array([3, 4])], object)
    model = classic().partial_fit(X, classes[CODES], classes=classes)
    assert (
        again(model, path, n=np.int64(3), x=np.float32(0.5)).predict(X).tolist() == model.predict(X).tolist()
    )


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("settings", [{}, {"result": "average", "margin": "growing"}, {"order": "cyclic"}])
def test_streams(path, quick, layout, settings):
    batches = [(LAYOUTS[layout](X[i : i + 8]), CODES[i : i + 8]) for i in (0, 8, 16)]
    model = classic(**settings, random_state=2).partial_fit(*batches[0], classes=[0, 1])
    model.partial_fit(*batches[1])
    twin = again(model, path)
    assert_same(model, twin, batches[1][0])
    verify(twin.certificate_, twin, *batches[1])
    for one in (model, twin):
        one.partial_fit(*batches[2])
    assert_same(model, twin, batches[2][0])
    assert twin.n_rows_ == 24


def test_what_earlier_fits_left_is_kept(path, quick):
    """A pocket outlives a change to result='last', an average a stream that no longer asks for it."""
    model = classic(result="pocket", warm_start=True, max_epochs=2, random_state=0).fit(X, CODES)
    model.set_params(result="last").fit(X, CODES)
    assert model._memories[0].pocket is not None
    assert_same(model, again(model, path), X)
    model = classic(result="average").partial_fit(X, CODES, classes=[0, 1])
    model.set_params(result="last", intercept_scaling=7.0, fit_intercept=False).partial_fit(X, CODES)
    assert_same(model, again(model, path), X)
    model = classic(max_epochs=2).fit(X, CODES, coef_init=[1, 2, 3], intercept_init=1)
    assert_same(model, again(model, path), X)
    model.set_params(eta=-1, margin="nonsense")  # of no use, but the weights are as they were
    assert_same(model, again(model, path), X)


def halving(t):
    return 1 / t


def test_a_function_is_lost_by_name(path, quick):
    model = classic(eta=halving, random_state=0, max_epochs=3, warm_start=True).fit(X, CODES)
    twin = again(model, path)
    assert twin.eta == LostFunction("halving") == clone(twin).eta == again(twin, path).eta
    assert equal(twin.coef_, model.coef_)
    verify(twin.certificate_, twin, X, CODES)
    with pytest.raises(ValueError, match=r"'halving' is not in the model file.*set the parameter again"):
        twin.fit(X, CODES)
    with pytest.raises(ValueError, match="set_params"):
        twin.partial_fit(X, CODES)
    twin = load(path).set_params(eta=halving).fit(X, CODES)
    model.fit(X, CODES)
    assert equal(twin.coef_, model.coef_)


def test_a_loaded_model_is_like_any_other(path):
    model = classic(random_state=0).fit(pd.DataFrame(X, columns=NAMES), CODES)
    twin = again(model, path, target="class", rows=24, share=0.5, flag=True)
    assert repr(twin) == repr(model)
    assert equal(vars(pickle.loads(pickle.dumps(twin))), vars(model))
    assert clone(twin).get_params() == model.get_params()
    again(twin, path, target="class", rows=24, share=0.5, flag=True)
    first, about = path.read_bytes(), model_file.read(path)[1]
    assert about == {"target": "class", "rows": 24, "share": 0.5, "flag": True}
    save(model, str(path), about=about)
    assert path.read_bytes() == first


@pytest.mark.parametrize("settings", [{}, {"with_mean": False}, {"with_std": False}, {"copy": False}])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_pipelines(path, quick, layout, settings):
    if layout == "CSR" and settings.get("with_mean", True):
        settings = {**settings, "with_mean": False}

    def rows():  # anew for each use: a scaler without copy=True changes them
        return LAYOUTS[layout](X if layout == "CSR" else X * [1, 5, 0] + 0.1)

    model = make_pipeline(StandardScaler(**settings), classic(max_epochs=3)).fit(rows(), CODES)
    twin = again(model, path)
    for step, other in zip(model, twin, strict=True):
        assert equal(vars(step), vars(other))
    assert equal(model.decision_function(rows()), twin.decision_function(rows()))
    assert [*model.named_steps] == [*twin.named_steps]
    assert equal(vars(model[0].partial_fit(rows())), vars(twin[0].partial_fit(rows())))


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")  # scikit-learn's mean of no values
def test_scalers_alone(path, quick):
    gaps = np.where(np.arange(72).reshape(24, 3) % 5, X, np.nan)
    for scaler in (
        StandardScaler().fit(gaps),
        StandardScaler(with_mean=False, with_std=False).fit(X),
        StandardScaler().fit(X, sample_weight=np.arange(24.0)),
        StandardScaler().fit(X * [1, np.nan, 1]),
    ):
        twin = again(scaler, path)
        assert equal(vars(scaler), vars(twin))
        assert equal(scaler.transform(gaps), twin.transform(gaps))


def test_tables(path, quick):
    frame = pd.DataFrame(
        {"age": [20.0, 40, np.nan] * 8, "smokes": [True, False] * 12, "land": list("abcd") * 6}
    )
    model = make_pipeline(TableEncoder(), classic(max_epochs=3)).fit(frame, CODES)
    twin = again(model, path)
    assert equal(model.decision_function(frame), twin.decision_function(frame))
    assert equal(vars(model[0]), vars(twin[0]))


def test_the_checksum_can_be_checked_without_the_library(path):
    save(classic().fit(X, CODES), path)
    data = path.read_bytes()
    digits = re.search(rb'"checksum": "sha256:([0-9a-f]{64})"', data)[1]
    assert hashlib.sha256(data.replace(digits, b"0" * 64)).hexdigest().encode() == digits


def test_a_person_can_read_it(path):
    save(classic(margin=(1, 2), max_epochs=3).fit(pd.DataFrame(X, columns=NAMES), CODES), path)
    text = path.read_text()
    assert '"feature_names_in_": ["height", "Größe", "x y"],\n' in text
    assert '"margin": {"tuple": [1, 2]},\n' in text
    assert max(map(len, text.splitlines())) < 10_000
    assert text.count("\n") < 150


def test_the_published_schema_is_the_declarations():
    published = Path(schema.__file__).with_name("model_file.schema.json")
    assert published.read_text() == schema.text(), (
        "run python -m perceptrons.model_file.schema > " + published.name
    )
    SCHEMA.check_schema(SCHEMA.schema)


class Mine(Perceptron):
    pass


def test_what_cannot_be_saved(path):
    model = classic().fit(X, CODES)
    refused = [
        (
            GaussianNB().fit(X, CODES),
            "A GaussianNB cannot be saved; what can: BinaryPerceptron",
        ),
        (Mine().fit(X, CODES), "A Mine cannot be saved"),
        (type("Perceptron", (Mine,), {})().fit(X, CODES), "A Perceptron cannot be saved"),
        (make_pipeline(StandardScaler(), GaussianNB()).fit(X, CODES), "A GaussianNB cannot"),
        (Pipeline([("a", "passthrough"), ("b", model)]), "A str cannot be saved"),
        (Pipeline([("b", model)], memory="cache"), "Pipeline has memory='cache'"),
        (clone(model).set_params(random_state=np.random).fit(X, CODES), "random_state is <module"),
        (
            clone(model).set_params(max_updates=10**50).fit(X, CODES),
            "max_updates is an integer of more than 40",
        ),
        (classic().fit(X, np.array(["\ud800", "b"])[CODES]), "half of a character"),
        (StandardScaler().set_output(transform="pandas").fit(X), "_sklearn_output_config"),
    ]
    for other, message in refused:
        with pytest.raises(ValueError, match=re.escape(message)):
            save(other, path)
    model.coef_ = 2 * model.coef_
    with pytest.raises(ValueError, match="coef_ and the rest of the model contradict one another"):
        save(model, path)
    with pytest.raises(NotFittedError):
        save(classic(), path)
    with pytest.raises(NotFittedError):
        save(make_pipeline(StandardScaler(), classic()), path)
    half = classic()
    with pytest.raises(ValueError, match="one class only"):
        half.fit(X, np.zeros(24))
    with pytest.raises(NotFittedError):
        save(half, path)
    assert not path.exists()


@pytest.mark.parametrize("about", [[], {1: "a"}, {"a": None}, {"a": [1]}, {"a": np.inf}, {"a": 10**41}])
def test_what_cannot_be_said_about_it(path, about):
    with pytest.raises(ValueError, match="about"):
        save(classic().fit(X, CODES), path, about=about)


def test_sizes(path):
    model = classic().fit(X, CODES)
    with pytest.raises(
        ValueError, match=r"more than max_bytes=1,000; raise max_bytes, here and when loading"
    ):
        save(model, path, max_bytes=1000)
    save(model, path)
    with pytest.raises(
        ValueError, match=r"bytes, more than max_bytes=1,000; raise max_bytes if you trust it"
    ):
        load(path, max_bytes=1000)
    assert load(path, max_bytes=path.stat().st_size).converged_ in (True, False)
