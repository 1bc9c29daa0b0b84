"""Which estimators can be saved, and how one becomes a JSON object and back.

A class is looked up here by its name, never imported by a name from a file; what the file holds is passed
to the constructor and set as attributes, nothing of it is run.
"""

import reprlib
from functools import cache
from importlib import import_module
from typing import Any

from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from .declarations import PARTS, EstimatorField, Place, Text, members
from .scikit_learn import FOREIGN

HOMES = {  # imported when needed: a scaler must not wait for Numba
    "BinaryPerceptron": "perceptrons.binary.binary_perceptron",
    "Cascade": "perceptrons.selective.cascade",
    "ChowClassifier": "perceptrons.conservative.chow_classifier",
    "ConservativePerceptron": "perceptrons.conservative.conservative_perceptron",
    "KernelPerceptron": "perceptrons.margin.kernel_perceptron",
    "LiteralEncoder": "perceptrons.tables.literal_encoder",
    "MarginMLPClassifier": "perceptrons.neural.margin_mlp",
    "MarginProjection": "perceptrons.margin.margin_projection",
    "MaxMarginPerceptron": "perceptrons.margin.maximum.max_margin_perceptron",
    "Perceptron": "perceptrons.margin.perceptron",
    "PrunedPerceptron": "perceptrons.sparse.pruned_perceptron",
    "SelectiveClassifier": "perceptrons.selective.selective_classifier",
    "SparsePerceptron": "perceptrons.sparse.sparse_perceptron",
    "StandardScaler": "sklearn.preprocessing",
    "TableEncoder": "perceptrons.tables.table_encoder",
}
PIPELINE = ("class", "steps")
ESTIMATOR = ("class", *PARTS)


@cache
def declared(name: str) -> EstimatorField:
    """What a file holds of a class."""
    make = getattr(import_module(HOMES[name]), name)
    return EstimatorField(make, *FOREIGN.get(name, ()))


def pack(model: Any) -> dict[str, Any]:
    """A fitted estimator or pipeline as a JSON object."""
    if type(model) is not Pipeline:
        return _pack_one(model)
    for name, value in model.get_params(deep=False).items():
        if name != "steps" and value != Pipeline([]).get_params(deep=False)[name]:
            raise ValueError(f"Pipeline has {name}={value!r}, which a model file cannot hold; leave it out.")
    return {"class": "Pipeline", "steps": [[name, _pack_one(step)] for name, step in model.steps]}


def _pack_one(model: Any) -> dict[str, Any]:
    name = type(model).__name__
    if name not in HOMES or declared(name).make is not type(model):
        known = ", ".join([*HOMES, "and a Pipeline of these"])
        raise ValueError(f"A {type(model).__qualname__} cannot be saved; what can: {known}.")
    field = declared(name)
    check_is_fitted(model, field.required())
    return {"class": name, **field.pack(model)}


def unpack(packed: Any) -> Any:
    """The estimator or pipeline that was packed; ValueError with the place of what is wrong."""
    if not isinstance(packed, dict) or packed.get("class") != "Pipeline":
        return _unpack_one(packed, Place("", {}))
    steps = members(packed, PIPELINE, Place("model", {}))["steps"]
    if not isinstance(steps, list) or not steps:
        raise ValueError("a Pipeline has a list of one step or more, this one has not")
    pairs = [_unpack_step(step, Place(f"steps[{number}]", {})) for number, step in enumerate(steps)]
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names) or any("__" in name or name in PIPELINE for name in names):
        called = reprlib.repr(names)
        raise ValueError(f"the steps are called {called}, but a pipeline needs different names without '__'")
    for name, step in pairs[:-1]:
        if not hasattr(step, "transform"):
            raise ValueError(f"the step {name!r} hands nothing on to the next; only the last may do so")
    return Pipeline(pairs)


def _unpack_step(packed: Any, place: Place) -> tuple[str, Any]:
    if not isinstance(packed, list) or len(packed) != 2:
        raise place.refusal(packed, "a name and an estimator")
    return Text().unpack(packed[0], place.at(0)), _unpack_one(packed[1], place.at(1))


def _unpack_one(packed: Any, place: Place) -> Any:
    given = members(packed, ESTIMATOR, place)
    name = Text().unpack(given["class"], place.of("class"))
    if name not in HOMES:
        raise place.of("class").refusal(name, f"one of {', '.join(HOMES)}, or a Pipeline of these")
    return declared(name).unpack({part: given[part] for part in PARTS}, place)


def require_nothing_lost(model: Any, twin: Any) -> None:
    """Nothing that was set on the model may be missing on the twin, which was made from the file."""
    lost = sorted(vars(model).keys() - vars(twin).keys())
    if lost:
        raise ValueError(
            f"{type(model).__name__} cannot be saved: it has {', '.join(lost)}, for which a model file has "
            "no place; delete what you set, or undo what set it (set_output, for example)."
        )
    for one, other in zip(_inside(model), _inside(twin), strict=True):
        require_nothing_lost(one, other)


def _inside(model: Any) -> list[Any]:
    """The fitted estimators within one."""
    if isinstance(model, Pipeline):
        return [step for _, step in model.steps]
    fitted = [value for name, value in sorted(vars(model).items()) if name.endswith("_")]
    each = [one for value in fitted for one in (value if isinstance(value, list) else [value])]
    return [one for one in each if type(one).__name__ in (*HOMES, "Pipeline")]
