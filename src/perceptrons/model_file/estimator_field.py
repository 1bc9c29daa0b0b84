"""A fitted estimator: its parameters and what it has learned, in a file of its own or inside another."""

from collections.abc import Callable
from typing import Any

from .compound import IfSet
from .earlier_defaults import names_of, with_earlier_defaults
from .kinds import Field, Place, Schema, members, members_schema
from .parameter_fields import Parameter

PARTS = ("parameters", "fitted")
WEIGHTS = ("parameters", "weights")  # of a model without its certificate


class EstimatorField(Field):
    """An estimator that declares `_file_fields`; where parameters are not plain, `_file_parameters`; where
    attributes must agree or follow from others, `_loaded`. Or one that others declare for it.

    Where the fitted attributes are much more than it takes to predict, `_file_weights` names those that are
    enough; a file without certificate has these alone, as "weights", and `_weights_loaded` checks them.
    """

    def __init__(
        self,
        make: Any,
        parameters: dict[str, Field] | None = None,
        fitted: dict[str, Field] | None = None,
        check: Callable[[Any], None] | None = None,
    ) -> None:
        self.make, self.name = make, make.__name__
        self.defaults = names_of(make)
        self.parameters = self._own_parameters() if parameters is None else parameters
        self.fitted = fitted or make._file_fields
        enough = getattr(make, "_file_weights", ())
        self.weights = {name: self.fitted[name] for name in enough}
        self.check: Any = check or getattr(make, "_loaded", lambda model: None)

    def _own_parameters(self) -> dict[str, Field]:
        """A field per parameter of the constructor: its own, or the one for all that is plain."""
        special: dict[str, Field] = getattr(self.make, "_file_parameters", {})
        unknown = [name for name in special if name not in self.defaults]
        if unknown:  # a name misspelled would leave its parameter to the plain field in silence
            raise TypeError(f"{self.name} has the parameters {[*self.defaults]}, but declares {unknown}")
        return {name: special.get(name) or Parameter() for name in self.defaults}

    def required(self, certificate: bool = True) -> list[str]:
        """The attributes that a fitted one has in any case."""
        fields = self.fitted if certificate else self.weights or self.fitted
        return [name for name, field in fields.items() if not isinstance(field, IfSet)]

    def has_weights_alone(self, value: Any) -> bool:
        """Is it a model that was saved without its certificate?"""
        return bool(self.weights) and _has_all(value, self.weights) and not _has_all(value, self.fitted)

    def pack(self, value: Any, certificate: bool = True) -> dict[str, Any]:
        fields = self.fitted if certificate or not self.weights else self.weights
        fitted = {name: getattr(value, name, None) for name in fields}
        packed = [self.pack_parameters(value), self._pack(fields, fitted)]
        return dict(zip(PARTS if fields is self.fitted else WEIGHTS, packed, strict=True))

    def pack_parameters(self, value: Any) -> dict[str, Any]:
        parameters = value.get_params(deep=False)
        if parameters.keys() != self.parameters.keys():  # scikit-learn has added one
            raise ValueError(
                f"{self.name} has the parameters {[*parameters]}, a model file those of {[*self.parameters]}."
            )
        return self._pack(self.parameters, parameters)

    def _pack(self, fields: dict[str, Field], values: dict[str, Any]) -> dict[str, Any]:
        packed = {}
        for name, field in fields.items():
            try:
                packed[name.lstrip("_")] = field.pack(values[name])
            except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as error:
                raise ValueError(f"{self.name} cannot be saved: its {name} is {error}.") from error
        return packed

    def unpack(self, packed: Any, place: Place) -> Any:
        alone = bool(self.weights) and isinstance(packed, dict) and "weights" in packed
        given, fields = members(packed, WEIGHTS if alone else PARTS, place), self.fitted
        check, where = self.check, place.of("fitted")
        if alone:
            fields, check, where = self.weights, self.make._weights_loaded, place.of("weights")
        model = self.unpack_parameters(given["parameters"], place.of("parameters"))
        values = _unpack(fields, given[where.path.rpartition(".")[2]], where)
        for name, field in fields.items():
            if values[name] is not None or not isinstance(field, IfSet):
                setattr(model, name, values[name])
        try:
            check(model)
        except ValueError as error:
            raise ValueError(f"{where.path}: {str(error).removesuffix('.')}") from None
        return model

    def unpack_parameters(self, packed: Any, place: Place) -> Any:
        """The estimator before it was fitted."""
        return self.make(**_unpack(self.parameters, self._completed(packed), place))

    def _completed(self, packed: Any) -> Any:
        """The parameters, with those that did not exist when the file was written."""
        if not isinstance(packed, dict):
            return packed
        earlier = with_earlier_defaults(self.make, {})
        packed_earlier = {
            name: field.pack(earlier[name]) for name, field in self.parameters.items() if name in earlier
        }
        return {**packed_earlier, **packed}

    def schema(self) -> Schema:
        return _schema(PARTS, self.parameters, self.fitted)

    def schema_of_weights(self) -> Schema:
        return _schema(WEIGHTS, self.parameters, self.weights)


def _schema(parts: tuple[str, ...], *fields: dict[str, Field]) -> Schema:
    return members_schema(
        {
            part: members_schema({name.lstrip("_"): field.schema() for name, field in some.items()})
            for part, some in zip(parts, fields, strict=True)
        }
    )


def _has_all(value: Any, fields: dict[str, Field]) -> bool:
    return all(hasattr(value, name) for name, field in fields.items() if not isinstance(field, IfSet))


def _unpack(fields: dict[str, Field], packed: Any, place: Place) -> dict[str, Any]:
    names = {name.lstrip("_"): name for name in fields}
    if isinstance(packed, dict):  # attributes that did not exist when the file was written
        packed = {
            **{short: None for short, name in names.items() if isinstance(fields[name], IfSet)},
            **packed,
        }
    given = members(packed, names, place)
    return {names[short]: fields[names[short]].unpack(given[short], place.of(short)) for short in names}
