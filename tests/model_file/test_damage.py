"""Model files that were damaged or forged: refused with a reason, or harmless."""

import copy
import hashlib
import json
import os
import re
import warnings
from collections import Counter

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from perceptrons import Perceptron, TableEncoder, load, save
from perceptrons.margin.certificates import certify_margin as certify
from tests.margin.classic import classic, classic_kernel
from tests.sizes import cases

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

X = np.random.default_rng(1).integers(-3, 4, (12, 3)) / 4.0
CODES = np.arange(12) % 2
FRAME = pd.DataFrame({"a": X[:, 0], "b": X[:, 1] > 0, "c": list("xyz") * 4})
SUM = re.compile(rb'"checksum": "sha256:([0-9a-f]{64})"')


def half(t):
    return 0.5


def models():
    """One of each kind: (model, rows to try it on)."""
    names = pd.DataFrame(X, columns=["p", "q", "r"])
    short = {"max_epochs": 2, "random_state": 0}
    yield classic(**short, result="average").fit(X, CODES), X
    yield classic(**short, result="pocket", warm_start=True).fit(names, np.array(["n", "y"])[CODES]), names
    yield classic(**short, margin="growing").fit(X.astype(np.float32), np.arange(12) % 3), X
    yield classic(order="cyclic").partial_fit(X, CODES, classes=[0, 1]).partial_fit(X, CODES), X
    yield classic(**short, eta=half, margin=(0.5, 1.0), order="worst").fit(X, CODES == 1), X
    yield make_pipeline(StandardScaler(), classic(**short, order="active")).fit(X, CODES), X
    yield make_pipeline(TableEncoder(), classic(**short)).fit(FRAME, CODES), FRAME
    yield classic_kernel(**short, result="pocket").fit(names, CODES), names
    yield classic_kernel("poly", **short).fit(sp.csr_array(X), np.arange(12) % 3), X


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """Whole files as bytes, with the rows to try their models on; and a path to write damaged ones to."""
    path = tmp_path_factory.mktemp("files") / "model.json"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return path, [(save(model, path) or path.read_bytes(), rows) for model, rows in models()]


def sealed(data):
    """The bytes with the checksum made right, as a forger would; as they are if there is none to mend."""
    found = SUM.search(data)
    if found is None:
        return data
    blank = data[: found.start(1)] + b"0" * 64 + data[found.end(1) :]
    digest = hashlib.sha256(blank).hexdigest().encode()
    return data[: found.start(1)] + digest + data[found.end(1) :]


def attempt(path, data):
    """The model in these bytes, or None if they are refused."""
    path.write_bytes(data)
    try:
        return load(path)
    except ValueError as error:
        assert str(error).startswith(repr(str(path)))  # noqa: PT017  any reason will do, if it is one
        return None


def use(model, rows):
    """Do with the model what can be done with one; returns how much of it worked.

    Only ValueErrors may come of it, also where compiled code runs on what the file held.
    """
    *steps, last = (step for _, step in model.steps) if isinstance(model, Pipeline) else [model]
    worked = 0

    def attempt(action):
        nonlocal worked
        try:
            result = action()
            worked += 1
            return result
        except ValueError:
            return None

    for step in steps:
        rows = attempt(lambda step=step: step.transform(rows))  # noqa: B023  called at once
    if not hasattr(last, "classes_"):
        attempt(lambda: last.transform(rows))
        return worked
    last.set_params(max_epochs=2, verbose=0)
    y = last.classes_[CODES % len(last.classes_)]
    attempt(lambda: last.predict(rows))
    attempt(lambda: certify(last, rows, y))
    if hasattr(last, "partial_fit"):
        attempt(lambda: last.partial_fit(rows, y))
    if isinstance(last, Perceptron):
        last.set_params(warm_start=True)
    attempt(lambda: last.fit(rows, y))
    attempt(lambda: last.decision_function(rows))
    return worked


def quietly(run, examples):
    """Run a property; forged numbers may overflow, and NumPy may say so."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        checks = list(HealthCheck)
        settings(
            max_examples=examples,
            deadline=None,
            database=None,
            derandomize=True,
            suppress_health_check=checks,
        )(run)()


PLACES, BYTES = st.floats(0, 1, exclude_max=True), st.binary(min_size=1, max_size=6)
DAMAGE = st.sampled_from(["flip", "replace", "delete", "insert", "truncate", "duplicate"])
DIGITS = st.sampled_from([b"9", b"-", b"e9", b"0", b".5", b'"', b"1e999", b"[", b",", b"null"])


def damaged(data, how, place, length, piece):
    at = int(place * len(data))
    end = min(len(data), at + length)
    if how == "flip":
        return data[:at] + bytes([data[at] ^ (1 << length % 8)]) + data[at + 1 :]
    if how == "truncate":
        return data[:at]
    middle = {"replace": piece, "delete": b"", "insert": piece + data[at:end], "duplicate": data[at:end] * 2}
    return data[:at] + middle[how] + data[end:]


@pytest.mark.thorough
def test_damaged_bytes_are_refused(saved):
    path, whole = saved
    counts = Counter()

    @given(st.integers(0, len(whole) - 1), DAMAGE, PLACES, st.integers(1, 99), BYTES)
    def run(number, how, place, length, piece):
        data = whole[number][0]
        other = damaged(data, how, place, length, piece)
        model = attempt(path, other)
        assert (model is not None) == (other == data)
        counts[how] += 1

    quietly(run, cases(2000))
    assert sum(counts.values()) >= cases(2000)
    assert len(counts) == 6


@pytest.mark.thorough
def test_damaged_bytes_with_a_new_checksum(saved):
    path, whole = saved
    counts = Counter()

    @given(st.integers(0, len(whole) - 1), DAMAGE, PLACES, st.integers(1, 3), DIGITS)
    def run(number, how, place, length, piece):
        data, rows = whole[number]
        model = attempt(path, sealed(damaged(data, how, place, length, piece)))
        counts["refused" if model is None else "loaded"] += 1
        counts["worked"] += model is not None and use(model, rows) > 0

    quietly(run, cases(2000))
    assert counts["refused"] + counts["loaded"] >= cases(2000)
    assert min(counts["refused"], counts["loaded"], counts["worked"]) > cases(100)


HOSTILE = [
    None, True, False, 0, 1, -1, 2, 3, 624, 2**31, 2**53, 2**63, -(2**63), 10**39, 0.0, -0.0, 0.5, 1.0, 2.5,
    -1.5, 1e-320, 1e154, 1e200, 1.7e308, "", "nan", "inf", "-inf", "a", "average", "pocket", "radius",
    "growing", "infinity", "worst", "active", "passive-aggressive", "negative", "float32", "int64", "object",
    "<U1", "<U9999999",
    [], [0], [1, 2], [[]], {}, {"tuple": [1, 2]}, {"function": "f"}, {"number": "nan"}, {"values": []},
]  # fmt: skip


def edited(document, steps, how, value):
    """The document with one thing changed, at the end of a walk down from its model."""
    document = copy.deepcopy(document)
    parent, key = document, "model"
    for step in steps:
        child = parent[key]
        if not isinstance(child, dict | list) or not child:
            break
        parent, key = child, [*child][step % len(child)] if isinstance(child, dict) else step % len(child)
    old = parent[key]
    if how == "delete":
        del parent[key]
    elif how == "rename" and isinstance(parent, dict):
        parent[f"{key}x"] = parent.pop(key)
    elif how == "repeat" and isinstance(old, list):
        parent[key] = old + old[-1:]
    elif how == "shuffle" and isinstance(old, list):
        parent[key] = old[::-1]
    elif how == "nudge" and type(old) in (int, float):
        parent[key] = type(old)(np.clip(old * 1.5 + (old == 0), -(10.0**300), 10.0**300))
    else:
        parent[key] = value
    return document


@pytest.mark.thorough
def test_forged_contents_are_refused_or_harmless(saved):
    path, whole = saved
    documents = [json.loads(data) for data, _ in whole]
    ways = st.sampled_from(["set", "set", "set", "nudge", "nudge", "delete", "rename", "repeat", "shuffle"])
    counts = Counter()

    @given(
        st.integers(0, len(whole) - 1),
        st.lists(st.integers(0, 719), min_size=1, max_size=8),
        ways,
        st.sampled_from(HOSTILE),
    )
    def run(number, steps, how, value):
        data = json.dumps(edited(documents[number], steps, how, value)).encode()
        model = attempt(path, sealed(data))
        counts["refused" if model is None else "loaded"] += 1
        counts["worked"] += model is not None and use(model, whole[number][1]) > 0

    quietly(run, cases(3000))
    assert counts["refused"] + counts["loaded"] >= cases(3000)
    assert min(counts["refused"], counts["loaded"], counts["worked"]) > cases(150)


def forged(data, place, value):
    document = json.loads(data)
    inner = document
    *steps, last = place
    for step in steps:
        inner = inner[step]
    if value is ...:
        del inner[last]
    else:
        inner[last] = value
    return sealed(json.dumps(document).encode())


def array(dtype, *values):
    return {"dtype": dtype, "shape": [len(values)], "values": values}


FITTED = ("model", "fitted")
RUN = (*FITTED, "memories", 0)
FORGED = [
    (("version",), 3, r"version 3 of the format, and this library knows 2; upgrade it"),
    (("version",), 0, "its version is 0, but there are only 1 to 2"),
    (("version",), True, "its version is True"),
    (("format",), "pickle", 'its "format" is not "perceptrons-model"'),
    (("library",), 1, "library"),
    (("about",), {"a": None}, "about has 'a': None"),
    (("more",), 1, "'more' is nothing this version knows"),
    (("model", "class"), "os.system", r"class is 'os.system', but it must be one of BinaryPerceptron"),
    (("model", "class"), ..., "class is missing"),
    (("model", "parameters", "etta"), 1, "parameters.'etta' is nothing this version knows"),
    (("model", "parameters", "eta"), {"a": 1}, 'parameters.eta is .* but it must be plain, or an object'),
    ((*FITTED, "coef_"), ..., "fitted.coef_ is missing"),
    ((*FITTED, "coef_", "values", 1), 7.25, "fitted: coef_ and the rest of the model contradict one another"),
    ((*FITTED, "coef_", "shape"), [3, 1], "fitted.coef_ has 1 features, but it must have 3"),
    ((*FITTED, "coef_", "shape"), [2**40, 2**40], "values is .* but it must be a list of"),
    ((*FITTED, "coef_", "dtype"), "object", "coef_.dtype is 'object', but it must be one of 'float64'"),
    ((*FITTED, "intercept_", "values"), [9.5], "intercept_ and the rest"),
    ((*FITTED, "classes_", "values"), [1, 0], "labels of one kind in ascending order"),
    ((*FITTED, "classes_"), array("object", "a", 1), "labels of one kind"),
    ((*FITTED, "classes_"), array("<U99999999", "a", "b"), "16777216 characters"),
    ((*FITTED, "classes_"), array("int8", 1, 2, 3), "classes_ and the rest"),
    ((*FITTED, "classes_"), array("int8", 1), "2 labels or more"),
    ((*FITTED, "certificate_"), [], "certificate_ has 0 vectors, but it must have 1"),
    ((*FITTED, "terms", "settings", "step"), "big", "terms.settings: step='big', but it must be one of"),
    ((*FITTED, "terms", "settings", "more"), 1, "terms.settings: the names and the rest"),
    ((*FITTED, "terms", "rho_squared"), -1.0, "rho_squared is -1.0, but it must be a number >= 0"),
    ((*FITTED, "terms", "rho_squared"), 0.0, "terms.rho_squared and the rest"),
    ((*FITTED, "terms", "streamed"), True, "terms.one_run and the rest"),
    ((*FITTED, "terms", "foreign"), True, "terms.one_run and the rest"),
    ((*RUN, "clock", "updates"), -1, r"fitted.memories\[0\].clock.updates is -1, but it must be an"),
    ((*RUN, "clock", "updates"), 1.0, "clock.updates is 1.0, but it must be an integer"),
    ((*RUN, "clock", "updates"), True, "clock.updates is True"),
    ((*RUN, "clock", "updates"), 2**62, "clock.updates is 4611686018427387904"),
    ((*RUN, "clock", "steps"), -1.0, r"memories\[0\].clock.steps and the rest"),
    ((*RUN, "clock", "steps"), "nan", "clock.steps is 'nan', but it must be a finite number"),
    ((*RUN, "n_rows"), 3, r"memories\[0\].rows and the rest"),
    ((*RUN, "n_rows"), 0, "n_rows is 0"),
    ((*RUN, "rows", "values", 0), -1, r"memories\[0\].rows and the rest"),
    ((*RUN, "rows", "values", 1), 0, r"memories\[0\].rows and the rest"),
    ((*RUN, "rows", "values", 0), 2**63, "from -9223372036854775808 to 9223372036854775807"),
    ((*RUN, "drift"), array("float64", 0.0), r"memories\[0\].drift and the rest"),
    ((*RUN, "drift"), array("float64"), r"memories\[0\].drift and the rest"),
    ((*RUN, "duals", "values"), [1.0], "duals.values is .1.0., but it must be a list of"),
    ((*RUN, "policy"), 1, r"memories\[0\].policy and the rest"),
    ((*RUN, "rng", "pos"), 625, "rng.pos is 625, but it must be an integer from 0 to 624"),
    ((*RUN, "rng", "key", "values", 0), 2**32, "rng.key.values is 4294967296"),
    ((*RUN, "history", "errors"), array("int64", 0), "errors has 1 epochs, but"),
    ((*RUN, "history", "margin", "values", 0), None, r"margin.values\[0\] is None"),
]  # fmt: skip


@pytest.mark.parametrize(("place", "value", "message"), FORGED, ids=lambda value: str(value)[-40:])
def test_reasons(saved, place, value, message):
    path, whole = saved
    path.write_bytes(forged(whole[0][0], place, value))
    with pytest.raises(ValueError, match=message):
        load(path)


@pytest.mark.parametrize(("earlier", "alpha"), [({}, 1.5), ({"Perceptron": {"alpha": 1.25}}, 1.25)])
def test_a_parameter_that_came_later_has_the_value_it_had_then(saved, monkeypatch, earlier, alpha):
    """A file of today, read by a version that knows one parameter more, whatever its default is by then."""
    path, whole = saved
    monkeypatch.setattr("perceptrons.model_file.earlier_defaults.EARLIER", earlier)
    data = forged(whole[0][0], ("model", "parameters", "alpha"), ...)
    path.write_bytes(forged(data, (*FITTED, "terms", "settings", "alpha"), ...))
    model = load(path)
    assert model.alpha == model._terms.settings["alpha"] == alpha
    assert model.coef_.ravel().tolist() == json.loads(whole[0][0])["model"]["fitted"]["coef_"]["values"]


def test_a_claim_that_came_later_has_its_default(saved):
    """A certificate written before there was slack or a witness."""
    path, whole = saved
    data = whole[0][0]
    for name in ("soft_margin", "soft_margin_bound", "witness"):
        data = forged(data, (*FITTED, "certificate_", 0, name), ...)
    path.write_bytes(data)
    assert load(path).certificate_.witness is None
    path.write_bytes(forged(data, (*FITTED, "certificate_", 0, "margin"), ...))
    with pytest.raises(ValueError, match="margin is missing"):
        load(path)


def test_forged_pipelines(saved):
    path, whole = saved
    scaler, last = (step for _, step in json.loads(whole[5][0])["model"]["steps"])
    null, flat = copy.deepcopy(scaler), copy.deepcopy(scaler)
    mixed = json.loads(whole[6][0])["model"]["steps"][0][1]
    null["fitted"]["mean_"] = None
    flat["fitted"]["scale_"]["values"][0] = 0.0
    mixed["fitted"]["categories_"][0] = ["x"]
    for steps, message in [
        ([], "one step or more"),
        ([["a", last], ["b", last]], "the step 'a' hands nothing on"),
        ([["a", scaler], ["a", last]], "different names"),
        ([["a__b", scaler]], "without '__'"),
        ([["a"]], "a name and an estimator"),
        ([["a", last, {"deep": last}]], r"^.{1,400} …, but it must be a name and an estimator.$"),
        ([["a", null]], r"steps\[0\]\[1\].fitted: mean_ is null, but with_mean is true"),
        ([["a", flat]], "scale_ be positive, because with_std is true"),
        ([["a", mixed]], r"categories_ has \['x'\] for a column that is numeric"),
        ([["a", {**last, "class": "Pipeline"}]], "class is 'Pipeline', but"),
    ]:
        path.write_bytes(forged(whole[5][0], ("model", "steps"), steps))
        with pytest.raises(ValueError, match=message):
            load(path)


def test_files_that_are_none_of_ours(saved, tmp_path):
    path, whole = saved
    data = whole[0][0]
    cases = [
        (b"", "it is not JSON, or only a part of it"),
        (data[:-9], "only a part of it"),
        (data + b"{}", "it is not JSON.*Extra data"),
        (b"\xff" + data, "not text in UTF-8"),
        (b"\xef\xbb\xbf" + data, "not JSON"),
        (b"[" * 100_000, "nested too deeply"),
        (b"[1, 2]", "it is JSON, but not a model file"),
        (data.replace(b'"library"', b'"about": {}, "library"'), "two members named 'about'"),
        (data.replace(b'"library": "', b'"library": NaN, "x": "'), "NaN is not a number there"),
        (
            data.replace(b'"library": "', b'"x": ' + b"9" * 5000 + b', "library": "'),
            "an integer has 5000 digits",
        ),
        (data.replace(b'"checksum"', b'"sum"'), "its checksum is missing"),
        (
            data.replace(b'"library": "', b'"library": "1'),
            "has been changed since it was written, or is damaged",
        ),
        (sealed(data.replace(b'"average"', b"[" * 400 + b"]" * 400, 1)), "but it must be null, true"),
        (sealed(data.replace(b'"alpha": 1.5', b'"alpha": 1e999', 1)), "parameters.alpha is inf"),
        (b"\x80\x04\x95.", "UTF-8"),
    ]
    for other, message in cases:
        path.write_bytes(other)
        with pytest.raises(ValueError, match=message):
            load(path)
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "none.json")
    with pytest.raises(ValueError, match="it is not a file"):
        load(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match="it is not a file"):
        load(tmp_path / "pipe")


def test_a_file_that_grows_while_it_is_read(tmp_path, monkeypatch):
    path = tmp_path / "model.json"
    path.write_bytes(b" " * 1001)
    monkeypatch.setattr(os, "fstat", lambda handle: os.stat_result((0,) * 10))
    with pytest.raises(ValueError, match="1,001 bytes, more than max_bytes=1,000"):
        load(path, max_bytes=1000)


def test_long_texts_in_a_file_make_short_messages(saved):
    path, whole = saved
    for place, value in [
        (("version",), "x" * 10**6),
        (("model", "class"), "y" * 10**6),
        (("about",), "z" * 10**6),
    ]:
        path.write_bytes(forged(whole[0][0], place, value))
        with pytest.raises(ValueError, match="cannot be loaded") as refused:
            load(path)
        assert len(str(refused.value)) < 1000


def test_a_kernels_intercept_is_that_of_its_duals(saved):
    path, whole = saved
    place = (*FITTED, "intercept_", "values")
    path.write_bytes(forged(whole[7][0], place, [1e6]))
    with pytest.raises(ValueError, match="intercept_ and the rest of the model contradict"):
        load(path)
