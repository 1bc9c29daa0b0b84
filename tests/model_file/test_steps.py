"""Pipelines whose steps do not belong together are refused when they are loaded, not when they predict."""

import copy
import json

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from perceptrons import (
    BinaryPerceptron,
    LiteralEncoder,
    MarginProjection,
    MaxMarginPerceptron,
    TableEncoder,
    load,
    save,
)
from perceptrons.model_file.document import from_bytes, to_bytes
from tests.margin.classic import classic

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

CODES = np.arange(24) % 2
NUMBERS = np.random.default_rng(1).integers(-3, 4, (24, 4)) / 4.0 + CODES[:, None]
FRAME = pd.DataFrame({"a": NUMBERS[:, 0], "b": NUMBERS[:, 1] > 0, "c": list("xyz") * 8})
PIPELINES = {
    "table": (make_pipeline(TableEncoder(), classic(max_epochs=3)), FRAME),
    "literals": (make_pipeline(LiteralEncoder(), BinaryPerceptron()), FRAME),
    "scaled": (make_pipeline(StandardScaler(), MaxMarginPerceptron(C=1.0)), NUMBERS),
    "three": (make_pipeline(TableEncoder(), StandardScaler(), classic(max_epochs=3)), FRAME),
    "projected": (
        make_pipeline(MarginProjection(n_components=2, random_state=0), classic(max_epochs=3)),
        NUMBERS,
    ),
}


def saved(name, path):
    model, rows = PIPELINES[name]
    save(sklearn.clone(model).fit(rows, CODES), path)
    document = from_bytes(path.read_bytes())
    return {part: document[part] for part in ("library", "about", "model")}


def refused(document, path, message):
    path.write_bytes(to_bytes(document))
    with pytest.raises(ValueError, match=message):
        load(path)


@pytest.mark.parametrize("name", PIPELINES)
def test_a_step_is_missing(name, tmp_path):
    path = tmp_path / "model.json"
    document = saved(name, path)
    load(path)
    n_steps = len(document["model"]["steps"])
    for gone in range(n_steps):
        other = copy.deepcopy(document)
        del other["model"]["steps"][gone]
        refused(other, path, f"saved with {n_steps} steps, but {n_steps - 1} are in the file")


def test_columns_that_contradict_each_other(tmp_path):
    path = tmp_path / "model.json"
    table, scaled = saved("table", path), saved("scaled", path)
    swapped = copy.deepcopy(table)
    swapped["model"]["steps"][1] = scaled["model"]["steps"][1]
    swapped["model"]["columns"][1] = 4
    message = r"the step 'tableencoder' hands on 5 columns, but the step 'maxmarginperceptron' takes 4"
    refused(swapped, path, message)
    for columns, reason in [
        (
            [3, 4],
            r"the steps take \[3, 5\] columns, but the pipeline was saved with steps that take \[3, 4\]",
        ),
        ("all", "columns is 'all', but it must be a list"),
        ([3, 0], r"columns\[1\] is 0, but it must be an integer from 1"),
    ]:
        other = copy.deepcopy(table)
        other["model"]["columns"] = columns
        refused(other, path, reason)
    del other["model"]["columns"]
    refused(other, path, "model.columns is missing")
    lacking = copy.deepcopy(table)  # a category less: a coordinate less
    lacking["model"]["steps"][0][1]["fitted"]["categories_"][2].pop()
    refused(lacking, path, "hands on 4 columns, but the step 'perceptron' takes 5")


def test_names_that_contradict_each_other(tmp_path):
    """Where steps hand on frames, the next one knows the names of their columns."""
    path = tmp_path / "model.json"
    frame = pd.DataFrame(NUMBERS, columns=["p", "q", "r", "s"])
    with sklearn.config_context(transform_output="pandas"):
        model = make_pipeline(StandardScaler(), classic(max_epochs=3)).fit(frame, CODES)
    save(model, path)
    assert load(path)[-1].feature_names_in_.tolist() == ["p", "q", "r", "s"]
    document = json.loads(path.read_text())
    document = {part: document[part] for part in ("library", "about", "model")}
    names = document["model"]["steps"][1][1]["fitted"]["feature_names_in_"]
    names[:2] = names[1::-1]
    refused(document, path, "hands on the column 'p', where the step 'perceptron' takes 'q'")
