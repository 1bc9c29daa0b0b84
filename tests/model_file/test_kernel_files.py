"""Model files of kernel models, and what the published schema refuses."""

import copy
import json
import os
from itertools import product

import jsonschema
import numpy as np
import pytest

from perceptrons import save, verify
from perceptrons.model_file import schema
from tests.margin.classic import classic, classic_kernel
from tests.model_file.test_save_load import CODES, LAYOUTS, SCHEMA, X, again, equal

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

SHOWN = (
    "support_",
    "dual_coef_",
    "intercept_",
    "n_updates_",
    "n_presentations_",
    "history_",
    "gamma_",
    "lift_",
)


@pytest.fixture
def path(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "fsync", lambda handle: None)
    return tmp_path / "model.json"


def test_every_policy_and_kernel(path):
    policies = product(
        ["rbf", "poly", "linear", "laplacian"],
        ["fixed", "absolute", "fractional"],
        ["shuffle", "cyclic", "worst", "active"],
        ["last", "average", "pocket"],
    )
    ran = 0
    for number, (kernel, step, order, result) in enumerate(policies):
        if number % 7:
            continue
        rows = LAYOUTS[[*LAYOUTS][number % 4 if kernel != "laplacian" else 0]](X)
        y = CODES if number % 3 else np.arange(24) % 3
        model = classic_kernel(
            kernel,
            step=step,
            order=order,
            result=result,
            fit_intercept=number % 5 > 0,
            max_epochs=3,
            random_state=0,
        ).fit(rows, y)
        twin = again(model, path)
        assert type(twin.support_vectors_) is type(model.support_vectors_)
        assert equal(model.decision_function(rows), twin.decision_function(rows))
        assert all(equal(getattr(model, name), getattr(twin, name)) for name in SHOWN)
        assert model.certificate_ == twin.certificate_
        verify(twin.certificate_, twin, rows, y)
        ran += 1
    assert ran == 21


def test_given_matrices_and_functions(path):
    K = X @ X.T
    model = classic_kernel("precomputed", random_state=0).fit(K, CODES)
    twin = again(model, path)
    assert equal(model.decision_function(K), twin.decision_function(K))
    verify(twin.certificate_, twin, K, CODES)
    path.unlink()
    model = classic_kernel(lambda A, B: A @ B.T, random_state=0).fit(X, CODES)
    with pytest.raises(ValueError, match="its kernel is a function, which a file cannot hold"):
        save(model, path)
    assert not path.exists()
    model = classic_kernel(eta=lambda t: 1 / t, random_state=0).fit(X, CODES)
    assert again(model, path).eta.name.endswith("<lambda>")


FITTED = ("model", "fitted")
WRONG = [
    (("checksum",), "sha256:0"),
    (("version",), 3),
    (("model", "class"), "Classifier"),
    ((*FITTED, "coef_", "values"), [True, True, True]),
    ((*FITTED, "coef_", "shape"), [3]),
    ((*FITTED, "classes_", "values"), ["one"]),
    ((*FITTED, "certificate_"), []),
    ((*FITTED, "memories", 0, "rows", "values"), [0.5]),
    ((*FITTED, "memories", 0, "rng", "key", "shape"), [1]),
    ((*FITTED, "memories", 0, "clock", "updates"), -1),
    ((*FITTED, "converged_"), "yes"),
]


@pytest.mark.parametrize(("place", "value"), WRONG, ids=lambda value: str(value)[-30:])
def test_the_schema_refuses_what_is_obviously_wrong(path, place, value):
    save(classic(max_epochs=3, random_state=0).fit(X, CODES), path)
    document = json.loads(path.read_text())
    SCHEMA.validate(document)
    inner = wrong = copy.deepcopy(document)
    for name in place[:-1]:
        inner = inner[name]
    assert place[-1] in inner or isinstance(inner, list)
    inner[place[-1]] = value
    with pytest.raises(jsonschema.ValidationError):
        SCHEMA.validate(wrong)


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(schema.schema())
