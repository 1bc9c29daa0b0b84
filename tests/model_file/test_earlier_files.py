"""Model files that earlier versions wrote load, predict as they did, and keep the parameters they had."""

import json
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from perceptrons import load
from perceptrons.model_file.earlier_defaults import EARLIER
from perceptrons.model_file.estimators import HOMES, declared
from tests.recorded_fits import cases

FOLDER = Path(__file__).parents[1] / "model_files"
FILES = sorted(path for path in FOLDER.glob("version_*/*.json") if path.stem != "expected")
NEEDS_TORCH = "MarginMLPClassifier"
LATER = {"DecisionTreeClassifier", "LogisticRegression"}  # whose files name no parameters of the usual value
NAMES = [name for name in HOMES if name not in LATER and (name != NEEDS_TORCH or find_spec("torch"))]
TORCH = {"network": pytest.mark.torch}
ROWS = {
    "whole": lambda: cases.whole_numbers()[0],
    "flowers": lambda: cases.flowers()[0],
    "pair": lambda: cases.flowers(two=True)[0],
    "tumors": lambda: cases.tumors()[0],
    "table": lambda: cases.table()[0],
    "bits": lambda: cases.bits()[0],
}


def expected(path):
    return json.loads((path.parent / "expected.json").read_text())[path.stem]


def test_there_is_a_file_for_every_estimator_that_can_be_saved():
    first = [path for path in FILES if path.parent.name == "version_1"]
    kept = {json.loads(path.read_text())["model"]["class"] for path in first} | {"StandardScaler"}
    assert kept == {*HOMES, "Pipeline"} - LATER


def test_a_parameter_that_no_early_file_mentions_has_an_earlier_default():
    models = [json.loads(path.read_text())["model"] for path in FILES if path.parent.name == "version_1"]
    models += [step for model in models for _, step in model.get("steps", [])]
    for name in NAMES:
        known = [model["parameters"].keys() for model in models if model["class"] == name]
        assert known
        assert declared(name).parameters.keys() == known[0] | EARLIER.get(name, {}).keys()


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=TORCH.get(path.stem, ()), id=f"{path.parent.name}-{path.stem}")
        for path in FILES
    ],
)
def test_an_earlier_file_means_what_it_meant(path):
    model, then = load(path), expected(path)
    X = ROWS[then["rows"]]()[:12]
    output = model.predict(X) if hasattr(model, "predict") else model.transform(X)
    output = output.toarray() if hasattr(output, "toarray") else np.asarray(output)
    if output.dtype.kind == "f":
        np.testing.assert_allclose(output, then["output"], rtol=1e-9, atol=1e-12)
    else:
        assert output.tolist() == then["output"]
    now = {name: repr(value) for name, value in model.get_params(deep=False).items()}
    assert {name: now[name] for name in then["parameters"]} == then["parameters"]
