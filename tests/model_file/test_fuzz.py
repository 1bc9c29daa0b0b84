"""Files of every estimator, changed in every way we can think of and sealed again: each is refused with a
sentence, or loads into a model that is one: it predicts, and can be saved and loaded again.

A changed weight makes another model, which no check can tell from one that was trained. A change elsewhere,
in what certifies or continues the training, never changes what is predicted.
"""

import base64
import copy
import json
import os
import random
import warnings
import zlib
from collections import Counter
from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from perceptrons import (
    BinaryPerceptron,
    Cascade,
    ChowClassifier,
    ConservativePerceptron,
    KernelPerceptron,
    LiteralEncoder,
    MarginProjection,
    MaxMarginPerceptron,
    Perceptron,
    PrunedPerceptron,
    SelectiveClassifier,
    SparsePerceptron,
    TableEncoder,
    load,
    save,
)
from perceptrons.model_file.document import to_bytes
from perceptrons.model_file.estimators import HOMES
from tests.margin.classic import classic
from tests.sizes import cases

pytestmark = pytest.mark.thorough

ROWS = np.random.default_rng(1).integers(-3, 4, (24, 3)) / 4.0
CODES = np.arange(24) % 2
MANY = np.random.default_rng(2).normal(size=(900, 3))
NOISY = np.random.default_rng(3).integers(0, 2, 900)
FRAME = pd.DataFrame({"a": ROWS[:, 0], "b": ROWS[:, 1] > 0, "c": list("xyz") * 8})
BESIDE = {
    "parameters",
    "certificate_",
    "history",
    "history_",
    "library",
    "about",
    "rng",
    "norms",
    "converged_",
}


def models():
    """(model, rows to try it on, whether its certificate is saved)."""
    short = {"max_epochs": 2, "random_state": 0}
    yield classic(**short, result="average").fit(MANY, NOISY), MANY, True
    yield classic(**short, result="pocket", margin="growing").fit(MANY, NOISY + (MANY[:, 0] > 1)), MANY, True
    yield Perceptron(random_state=0).fit(ROWS, CODES), ROWS, False
    yield MaxMarginPerceptron(C=1.0).fit(MANY, NOISY), MANY, True
    yield KernelPerceptron(**short).fit(MANY[:300], NOISY[:300]), MANY[:300], True
    yield SparsePerceptron().fit(FRAME, CODES), FRAME, True
    yield PrunedPerceptron(random_state=0).fit(FRAME, CODES), FRAME, True
    yield ConservativePerceptron(random_state=0, n_restarts=2).fit(ROWS, CODES), ROWS, True
    yield BinaryPerceptron(random_state=0).fit(ROWS, CODES), ROWS, True
    yield make_pipeline(TableEncoder(), classic(**short)).fit(FRAME, CODES), FRAME, True
    yield make_pipeline(LiteralEncoder(), BinaryPerceptron()).fit(FRAME, CODES), FRAME, True
    yield make_pipeline(StandardScaler(), MaxMarginPerceptron(C=1.0)).fit(ROWS, CODES), ROWS, False
    inside = classic(**short, result="average")
    yield ChowClassifier(inside, cv=2).fit(MANY, NOISY), MANY, True
    yield SelectiveClassifier(inside, max_error=0.3, random_state=0).fit(MANY, NOISY), MANY, True
    yield Cascade([inside, BinaryPerceptron(random_state=0)], cv=2).fit(MANY, NOISY), MANY, True
    if find_spec("torch"):
        from perceptrons.neural import MarginMLPClassifier

        yield MarginMLPClassifier(hidden_size=3, max_epochs=2, random_state=0).fit(ROWS, CODES), ROWS, True
    yield LogisticRegression().fit(ROWS, CODES), ROWS, True
    yield DecisionTreeClassifier(max_depth=3, random_state=0).fit(MANY, NOISY), MANY, True
    projected = make_pipeline(MarginProjection(n_components=2, random_state=0), classic(**short))
    yield projected.fit(ROWS, CODES), ROWS, True


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Of each model: the document, its bytes, rows and what it predicts for them."""
    path, files = tmp_path_factory.mktemp("fuzz") / "model.json", []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for model, rows, certificate in models():
            save(model, path, certificate=certificate)
            files.append((json.loads(path.read_text()), path.read_bytes(), rows, model.predict(rows)))
    return path, files


def test_every_estimator_is_among_them(whole):
    kept = set()
    for document, *_ in whole[1]:
        kept |= {document["model"]["class"]} | {
            step["class"] for _, step in document["model"].get("steps", [])
        }
    assert kept == {*HOMES, "Pipeline"} - (set() if find_spec("torch") else {"MarginMLPClassifier"})


# --- changes; each returns the names on the way to what it has changed, or None where there is nothing ---


def places(value, kind, way=()):
    """Every (parent, key, way) under `value` where something of this kind stands."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in pairs:
        if kind(one):
            yield value, key, (*way, key)
        yield from places(one, kind, (*way, key))


def pick(chance, value, kind):
    found = [*places(value, kind)]
    return chance.choice(found) if found else (None, None, None)


def is_number(value):
    return type(value) in (int, float)


def is_array(value):
    return isinstance(value, dict) and "dtype" in value and "shape" in value


def is_packed(value):
    return isinstance(value, dict) and "zlib" in value


def change_a_number(chance, document, _):
    parent, key, way = pick(chance, document["model"], is_number)
    old = parent[key]
    choices = [
        old + 1,
        -old - 1,
        old * 2,
        0,
        2**53,
        2**63,
        10**39,
        1e300,
        -1e-300,
        0.5,
        old + 1e-9,
        624,
        True,
    ]
    parent[key] = chance.choice(choices)
    return way


def resize_an_array(chance, document, _):
    parent, key, way = pick(chance, document["model"], lambda one: is_array(one) and "values" in one)
    array = parent[key]
    how = chance.choice(["shape", "values", "both", "reshape"])
    more = chance.random() < 0.5
    if how in ("values", "both"):
        array["values"] = array["values"] + array["values"][-1:] if more else array["values"][:-1]
    if how in ("shape", "both") and array["shape"]:
        array["shape"][-1] += 1 if more else -1
    if how == "reshape":
        array["shape"] = chance.choice(
            [array["shape"][::-1], [], [len(array["values"])], [1, *array["shape"]]]
        )
    return way


def declare_a_huge_length(chance, document, _):
    parent, key, way = pick(chance, document["model"], is_array)
    sizes = parent[key]["shape"]
    if not sizes:
        return None
    sizes[chance.randrange(len(sizes))] = chance.choice([2**31, 2**40, 2**53, 2**62, 10**30])
    return way


def swap_between_files(chance, document, other):
    """What stands under a name goes into another file that has this name."""
    parent, key, way = pick(chance, document["model"], lambda one: isinstance(one, dict | list))
    theirs = [
        pair for pair in places(other["model"], lambda one: True) if pair[1] == key and isinstance(key, str)
    ]
    if not theirs:
        return None
    inner, same, _ = chance.choice(theirs)
    parent[key] = copy.deepcopy(inner[same])
    return way


def drop_or_double(chance, document, _):
    parent, key, way = pick(chance, document["model"], lambda one: True)
    if chance.random() < 0.5 or not isinstance(parent, list):
        del parent[key]
    else:
        parent.insert(key, copy.deepcopy(parent[key]))
    return way


def damage_a_packed_array(chance, document, _):
    parent, key, way = pick(chance, document["model"], is_packed)
    if parent is None:
        return None
    packed, size = parent[key], int(np.prod(parent["shape"]))
    data = base64.b64decode(packed["zlib"])
    plain = zlib.decompress(data)
    at = chance.randrange(len(data))
    turned = bytes([plain[at % len(plain)] ^ (1 << chance.randrange(8))])
    others = [
        data[:at],
        data[:at] + bytes([data[at] ^ (1 << chance.randrange(8))]) + data[at + 1 :],
        data + data,
        zlib.compress(plain[:-1]),
        zlib.compress(plain + b"\0"),
        zlib.compress(bytes(2**24)),
        zlib.compress(plain[: at % len(plain)] + turned + plain[at % len(plain) + 1 :]),
    ]
    how = chance.choice(["data", "data", "as", "differences", "shape", "text"])
    if how == "data":
        packed["zlib"] = base64.b64encode(chance.choice(others)).decode()
    elif how == "as":
        packed["as"] = chance.choice(["int8", "uint8", "int64", "float64", "float32", "object", "<U9", 3])
    elif how == "differences":
        packed["differences"] = chance.choice([not packed["differences"], None, 1])
    elif how == "shape":
        parent["shape"] = chance.choice([[size + 1], [size - 1], [2**26], [2**40], [1, size], [-1]])
    else:
        packed["zlib"] = chance.choice(["", "é", packed["zlib"][:-1], packed["zlib"][::-1], 7, None, ["a"]])
    return way


def change_steps(chance, document, other):
    steps = document["model"].get("steps")
    if not steps:
        return None
    theirs = other["model"].get("steps") or [["new", other["model"]]]
    how = chance.choice(["remove", "double", "reverse", "foreign", "columns"])
    at = chance.randrange(len(steps))
    if how == "remove":
        del steps[at]
    elif how == "double":
        steps.insert(at, ["again", copy.deepcopy(steps[at][1])])
    elif how == "reverse":
        steps.reverse()
    elif how == "foreign":
        steps[at] = [steps[at][0], copy.deepcopy(chance.choice(theirs)[1])]
    else:
        document["model"]["columns"][at] += chance.choice([-1, 1, 10**9])
    return ("steps",)


CHANGES = (
    change_a_number,
    resize_an_array,
    declare_a_huge_length,
    swap_between_files,
    drop_or_double,
    damage_a_packed_array,
    damage_a_packed_array,
    change_steps,
)


def loaded(path, data):
    """The model in these bytes, or None if they are refused, in one line that names the file."""
    path.write_bytes(data)
    try:
        return load(path)
    except ValueError as error:
        assert str(error).startswith(f"{str(path)!r} cannot be loaded: ")  # noqa: PT017
        assert "\n" not in str(error)  # noqa: PT017
        assert len(str(error)) < 1000  # noqa: PT017
        return None


def answers(model, rows):
    """What it predicts; None where it says in words that these rows are not its own."""
    try:
        return (model.predict if hasattr(model, "predict") else model.transform)(rows)
    except ValueError as error:
        assert str(error)  # noqa: PT017
        return None


def same(one, other):
    return one is not None and other is not None and np.array_equal(np.asarray(one), np.asarray(other))


def saved_again(path, model):
    last = model[-1] if isinstance(model, Pipeline) else model
    save(model, path, certificate=hasattr(last, "certificate_"))
    return load(path)


def test_changed_files_are_refused_or_are_models(whole, monkeypatch, record_property):
    monkeypatch.setattr(os, "fsync", lambda handle: None)
    path, files = whole
    chance, counts, by_change = random.Random(0), Counter(), Counter()
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        while counts["tried"] < cases(4000):
            document, _, rows, before = chance.choice(files)
            change, other = chance.choice(CHANGES), chance.choice(files)[0]
            document = copy.deepcopy(document)
            way = change(chance, document, other)
            if way is None:
                continue
            try:
                data = to_bytes({part: document[part] for part in ("library", "about", "model")})
            except ValueError:  # not even JSON can hold it
                continue
            counts["tried"] += 1
            model = loaded(path, data)
            counts["refused" if model is None else "loaded"] += 1
            by_change[change.__name__, model is not None] += 1
            if model is None:
                continue
            found = answers(model, rows)
            counts["predict as before" if same(found, before) else "other models"] += 1
            if BESIDE & {*way} and change is not swap_between_files and found is not None:
                assert same(found, before), way
            twin = answers(saved_again(path, model), rows)
            assert same(found, twin) or (found is None and twin is None), way
    record_property("printed", f"changed model files: {dict(counts)}")
    assert counts["tried"] >= cases(4000)
    assert counts["refused"] > counts["loaded"] > cases(300)
    assert counts["predict as before"] > cases(100)
    assert all(by_change[change.__name__, False] for change in CHANGES)


def test_cut_and_turned_bytes_are_refused(whole, record_property):
    """Without a new checksum no change at all passes."""
    path, files = whole
    chance, n_cut, n_turned = random.Random(1), 0, 0
    for _ in range(cases(2000)):
        _, data, _, _ = chance.choice(files)
        at = chance.randrange(len(data))
        if chance.random() < 0.3:
            assert loaded(path, data[:at]) is None
            n_cut += 1
        else:
            turned = data[:at] + bytes([data[at] ^ (1 << chance.randrange(8))]) + data[at + 1 :]
            assert loaded(path, turned) is None
            n_turned += 1
    text = f"damaged model files, all refused: {n_cut} cut off, {n_turned} with a bit turned"
    record_property("printed", text)
    assert min(n_cut, n_turned) > cases(200)
