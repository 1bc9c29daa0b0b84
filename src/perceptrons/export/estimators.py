"""Which estimators can be saved, and how one becomes a JSON object and back.

A class is looked up here by its name, never imported by a name from a file; what the file holds is passed
to the constructor and set as attributes, nothing of it is run.
"""

import reprlib
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from ..fields import Field, IfSet, Parameter, Place, Text, members
from .foreign import FOREIGN

HOMES = {  # imported when needed: a scaler must not wait for Numba
    "KernelPerceptron": "perceptrons.margin.kernel",
    "MarginProjection": "perceptrons.data.projection",
    "MaxMarginPerceptron": "perceptrons.margin.max_margin",
    "Perceptron": "perceptrons.margin.perceptron",
    "StandardScaler": "sklearn.preprocessing",
    "TableEncoder": "perceptrons.data.columns",
}
PIPELINE = ("class", "steps")
ESTIMATOR = ("class", "parameters", "fitted")


class Declared(NamedTuple):
    """What a file holds of a class."""

    make: Any
    parameters: dict[str, Field]
    fitted: dict[str, Field]
    check: Callable[[Any], None]


@cache
def declared(name: str) -> Declared:
    make = getattr(import_module(HOMES[name]), name)
    if name in FOREIGN:
        return Declared(make, *FOREIGN[name])
    parameters: dict[str, Field] = {name: Parameter() for name in make().get_params(deep=False)}
    return Declared(make, parameters, make._file_fields, getattr(make, "_loaded", lambda model: None))


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
    spec = declared(name)
    check_is_fitted(
        model, [attribute for attribute, field in spec.fitted.items() if not isinstance(field, IfSet)]
    )
    fitted = {attribute: getattr(model, attribute, None) for attribute in spec.fitted}
    parameters = model.get_params(deep=False)
    if parameters.keys() != spec.parameters.keys():  # scikit-learn has added one
        raise ValueError(
            f"{name} has the parameters {[*parameters]}, a model file those of {[*spec.parameters]}."
        )
    return {
        "class": name,
        "parameters": _pack_all(spec.parameters, parameters, name),
        "fitted": _pack_all(spec.fitted, fitted, name),
    }


def _pack_all(fields: dict[str, Field], values: dict[str, Any], owner: str) -> dict[str, Any]:
    packed = {}
    for name, field in fields.items():
        try:
            packed[name.lstrip("_")] = field.pack(values[name])
        except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as error:
            raise ValueError(f"{owner} cannot be saved: its {name} is {error}.") from error
    return packed


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
    spec = declared(name)
    parameters = _with_defaults(spec, given["parameters"])
    model = spec.make(**_unpack_all(spec.parameters, parameters, place.of("parameters")))
    values = _unpack_all(spec.fitted, given["fitted"], place.of("fitted"))
    for attribute, field in spec.fitted.items():
        if values[attribute] is not None or not isinstance(field, IfSet):
            setattr(model, attribute, values[attribute])
    try:
        spec.check(model)
    except ValueError as error:
        raise ValueError(f"{place.of('fitted').path}: {error}") from None
    return model


def _with_defaults(spec: Declared, packed: Any) -> Any:
    """Parameters that did not exist when the file was written are what they are by default."""
    if not isinstance(packed, dict):
        return packed
    defaults = spec.make().get_params(deep=False)
    return {**{name: field.pack(defaults[name]) for name, field in spec.parameters.items()}, **packed}


def _unpack_all(fields: dict[str, Field], packed: Any, place: Place) -> dict[str, Any]:
    names = {name.lstrip("_"): name for name in fields}
    given = members(packed, names, place)
    return {names[short]: fields[names[short]].unpack(given[short], place.of(short)) for short in names}


def require_all_held(model: Any, twin: Any) -> None:
    """Nothing that was set on the model may be missing on the twin that was made from the file."""
    pairs = [(model, twin)]
    if isinstance(model, Pipeline):
        pairs += zip((step for _, step in model.steps), (step for _, step in twin.steps), strict=True)
    for one, other in pairs:
        lost = sorted(vars(one).keys() - vars(other).keys())
        if lost:
            raise ValueError(
                f"{type(one).__name__} cannot be saved: it has {', '.join(lost)}, for which a model file has "
                "no place; delete what you set, or undo what set it (set_output, for example)."
            )
