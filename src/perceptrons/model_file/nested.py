"""Fields for estimators inside estimators: fitted ones, and those a constructor was given."""

from typing import Any

from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline

from .estimators import HOMES, declared, pack, unpack
from .kinds import Field, Place, Schema, Text, members, members_schema

FROZEN, PIPELINE = FrozenEstimator.__name__, Pipeline.__name__


class AnyEstimator(Field):
    """A fitted estimator that can be saved, or a pipeline of such; a frozen one as what is frozen."""

    def pack(self, value: Any) -> Any:
        if type(value) is FrozenEstimator:
            return {"class": FROZEN, "estimator": self.pack(value.estimator)}
        return pack(value)

    def unpack(self, packed: Any, place: Place) -> Any:
        if isinstance(packed, dict) and packed.get("class") == FROZEN:
            inner = members(packed, ("class", "estimator"), place)["estimator"]
            return FrozenEstimator(self.unpack(inner, place.of("estimator")))
        try:
            return unpack(packed)
        except ValueError as error:
            raise ValueError(f"{place.path}: {error}") from None

    def schema(self) -> Schema:
        known = {"anyOf": [{"$ref": f"#/$defs/{name}"} for name in (PIPELINE, *HOMES)]}
        frozen = members_schema({"class": {"const": FROZEN}, "estimator": known})
        return {"anyOf": [*known["anyOf"], frozen]}


class Unfitted(Field):
    """An estimator as a constructor takes it: its class and its parameters, nothing it may have learned."""

    def pack(self, value: Any) -> Any:
        name = type(value).__name__
        if type(value) is Pipeline:
            return {
                "class": name,
                "parameters": {"steps": [[one, self.pack(step)] for one, step in value.steps]},
            }
        if type(value) is FrozenEstimator:
            return {"class": name, "parameters": {"estimator": self.pack(value.estimator)}}
        if name not in HOMES or declared(name).make is not type(value):
            raise ValueError(
                f"a {type(value).__qualname__}, which cannot be saved; what can: {', '.join(HOMES)}"
            )
        return {"class": name, "parameters": declared(name).pack_parameters(value)}

    def unpack(self, packed: Any, place: Place) -> Any:
        given = members(packed, ("class", "parameters"), place)
        name, inside = Text().unpack(given["class"], place.of("class")), place.of("parameters")
        if name == PIPELINE:
            steps = members(given["parameters"], ("steps",), inside)["steps"]
            if not isinstance(steps, list) or not all(
                isinstance(one, list) and len(one) == 2 for one in steps
            ):
                raise inside.refusal(steps, "a list of names and estimators")
            return Pipeline([(Text().unpack(one, inside), self.unpack(step, inside)) for one, step in steps])
        if name == FROZEN:
            inner = members(given["parameters"], ("estimator",), inside)["estimator"]
            return FrozenEstimator(self.unpack(inner, inside))
        if name not in HOMES:
            raise place.of("class").refusal(name, f"one of {', '.join(HOMES)}, {PIPELINE} or {FROZEN}")
        return declared(name).unpack_parameters(
            given["parameters"], place._replace(sizes={}).of("parameters")
        )

    def schema(self) -> Schema:
        names = {"enum": [*HOMES, PIPELINE, FROZEN]}
        return members_schema({"class": names, "parameters": {"type": "object"}})
