"""Certificates of whole models in model files: kept as they are, and refused where they contradict a kind."""

import json

import jsonschema
import numpy as np
import pytest

from perceptrons import Perceptron, certify, draw, load, load_certificate, save, verify
from perceptrons.model_file import schema
from perceptrons.model_file.document import from_bytes, to_bytes
from tests.certification.models import NEW, OLD, X, y

SCHEMA = jsonschema.Draft202012Validator(json.loads(schema.text()))
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture(scope="module")
def model():
    return Perceptron(random_state=0).fit(*OLD)


def kinds(model):
    drawn = draw(Perceptron(), X, y)
    held = Perceptron(random_state=0)
    return [
        (model, certify(model, *OLD), OLD),
        (model, certify(model, *NEW), NEW),
        (held, certify(held, X, y, holdback=0.3), (X, y)),
        (*drawn, (X, y)),
    ]


def test_every_kind_is_kept(model, tmp_path):
    path = tmp_path / "model.json"
    for one, found, rows in kinds(model):
        save(one, path, certificate=found)
        SCHEMA.validate(json.loads(path.read_text()))
        assert load_certificate(path) == found
        verify(load_certificate(path), load(path), *rows)


def test_without_one(model, tmp_path):
    path = tmp_path / "model.json"
    for flag in (True, False, np.True_):
        save(model, path, certificate=flag)
        assert load_certificate(path) is None
    with pytest.raises(ValueError, match="certificate must be True, False, or what certify or draw returned"):
        save(model, path, certificate=model.certificate_)
    assert load_certificate(path) is None


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("kind", "fine", "an object whose kind is one of"),
        ("kind", None, "an object whose kind is one of"),
        ("n_rows", 0, "certificate.n_rows"),
        ("n_wrong", -1, "certificate.n_wrong"),
        ("confidence", "much", "certificate.confidence"),
        ("shares", {}, "certificate.shares"),
        ("shares", [{}], "certificate.shares"),
        ("more", 1, "'more' is nothing this version knows"),
    ],
)
def test_what_is_refused(model, tmp_path, name, value, message):
    path = tmp_path / "model.json"
    save(model, path, certificate=certify(model, *NEW))
    document = from_bytes(path.read_bytes())
    parts = {part: document[part] for part in ("library", "about", "certificate", "model")}
    parts["certificate"][name] = value
    path.write_bytes(to_bytes(parts))
    for read in (load, load_certificate):
        with pytest.raises(ValueError, match=message):
            read(path)
