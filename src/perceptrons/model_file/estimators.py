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

from .declarations import LIMIT, PARTS, WEIGHTS, EstimatorField, Place, Room, Text, members
from .scikit_learn import FOREIGN
from .scikit_learn_learners import LEARNERS, LearnerField
from .steps import COLUMNS, check_steps, columns_of

HOMES = {  # imported when needed: a scaler must not wait for Numba
    "BinaryPerceptron": "perceptrons.binary.binary_perceptron",
    "Cascade": "perceptrons.selective.cascade",
    "ChowClassifier": "perceptrons.conservative.chow_classifier",
    "ConservativePerceptron": "perceptrons.conservative.conservative_perceptron",
    "DecisionTreeClassifier": "sklearn.tree",
    "KernelPerceptron": "perceptrons.margin.kernel_perceptron",
    "LiteralEncoder": "perceptrons.tables.literal_encoder",
    "LogisticRegression": "sklearn.linear_model",
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
PIPELINE = ("class", COLUMNS, "steps")
RESERVED = ("class", "steps")  # no names of steps


@cache
def declared(name: str) -> EstimatorField:
    """What a file holds of a class."""
    make = getattr(import_module(HOMES[name]), name)
    if name in LEARNERS:
        return LearnerField(make)
    return EstimatorField(make, *FOREIGN.get(name, ()))


def pack(model: Any, certificate: bool = True) -> dict[str, Any]:
    """A fitted estimator or pipeline as a JSON object."""
    if type(model) is not Pipeline:
        return _pack_one(model, certificate)
    for name, value in model.get_params(deep=False).items():
        if name != "steps" and value != Pipeline([]).get_params(deep=False)[name]:
            raise ValueError(f"Pipeline has {name}={value!r}, which a model file cannot hold; leave it out.")
    steps = [[name, _pack_one(step, certificate)] for name, step in model.steps]
    return {"class": "Pipeline", COLUMNS: columns_of(step for _, step in model.steps), "steps": steps}


def _pack_one(model: Any, certificate: bool) -> dict[str, Any]:
    name = type(model).__name__
    if name not in HOMES or declared(name).make is not type(model):
        known = ", ".join([*HOMES, "and a Pipeline of these"])
        raise ValueError(f"A {type(model).__qualname__} cannot be saved; what can: {known}.")
    field = declared(name)
    if certificate and field.has_weights_alone(model):
        raise ValueError(
            f"This {name} has no certificate to save, because the file it came from has none; use "
            "certificate=False again, or fit it."
        )
    check_is_fitted(model, field.required(certificate))
    return {"class": name, **field.pack(model, certificate)}


def unpack(packed: Any, max_bytes: int = LIMIT, version: int = 2) -> Any:
    """The estimator or pipeline that was packed; ValueError with the place of what is wrong."""
    start = Place("", {}, room=Room(max(max_bytes, LIMIT)))
    if not isinstance(packed, dict) or packed.get("class") != "Pipeline":
        return _unpack_one(packed, start)
    if version == 1:  # which does not say how many columns each step takes
        packed = {COLUMNS: None, **packed}
    given = members(packed, PIPELINE, start.of("model"))
    steps = given["steps"]
    if not isinstance(steps, list) or not steps:
        raise ValueError("a Pipeline has a list of one step or more, this one has not")
    places = [start._replace(path=f"steps[{number}]", sizes={}) for number in range(len(steps))]
    pairs = [_unpack_step(step, place) for step, place in zip(steps, places, strict=True)]
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names) or any("__" in name or name in RESERVED for name in names):
        called = reprlib.repr(names)
        raise ValueError(f"the steps are called {called}, but a pipeline needs different names without '__'")
    check_steps(pairs, given[COLUMNS])
    return Pipeline(pairs)


def _unpack_step(packed: Any, place: Place) -> tuple[str, Any]:
    if not isinstance(packed, list) or len(packed) != 2:
        raise place.refusal(packed, "a name and an estimator")
    return Text().unpack(packed[0], place.at(0)), _unpack_one(packed[1], place.at(1))


def _unpack_one(packed: Any, place: Place) -> Any:
    parts = WEIGHTS if isinstance(packed, dict) and "weights" in packed else PARTS
    given = members(packed, ("class", *parts), place)
    name = Text().unpack(given["class"], place.of("class"))
    if name not in HOMES:
        raise place.of("class").refusal(name, f"one of {', '.join(HOMES)}, or a Pipeline of these")
    return declared(name).unpack({part: given[part] for part in parts}, place)


def require_nothing_lost(model: Any, twin: Any) -> None:
    """Nothing that was set on the model may be missing on the twin, which was made from the file."""
    known = type(model).__name__ in HOMES
    if known and declared(type(model).__name__).has_weights_alone(twin):
        return  # all else is left out on purpose
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
