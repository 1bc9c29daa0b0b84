"""The words with which an estimator declares what a model file holds of it.

An estimator joins by one class attribute, a dict of attribute name → field:

    _file_fields: ClassVar[dict[str, Field]] = {"coef_": Array(FLOATS, ("vectors", "features")), …}

where a parameter of the constructor is no plain value, by another, `_file_parameters` (name → field); and,
where attributes must agree with one another or follow from others, by a method `_loaded` that checks and
derives them. What a file says is never trusted: a field takes exactly what it declares and refuses the rest
with the place in the file. In shapes a name stands for a number that must be the same in the whole model; a
name that begins with a dot is each record's own.
"""

from .arrays import FLOATS, Array, Names, Structured
from .class_labels import Labels
from .compound import COLUMNS, SEEN, Each, Either, IfSet, OneOrMore, Optional, Record, Tuples
from .estimator_field import PARTS, WEIGHTS, EstimatorField
from .kinds import (
    LIMIT,
    Choice,
    Count,
    Field,
    Flag,
    Place,
    Ratio,
    Real,
    Room,
    Schema,
    Text,
    members,
    members_schema,
)
from .matrix import Matrix
from .parameter_fields import DIGITS, LostFunction, Parameter, Parameters, RandomState

__all__ = [
    "COLUMNS",
    "DIGITS",
    "FLOATS",
    "LIMIT",
    "PARTS",
    "SEEN",
    "WEIGHTS",
    "Array",
    "Choice",
    "Count",
    "Each",
    "Either",
    "EstimatorField",
    "Field",
    "Flag",
    "IfSet",
    "Labels",
    "LostFunction",
    "Matrix",
    "Names",
    "OneOrMore",
    "Optional",
    "Parameter",
    "Parameters",
    "Place",
    "RandomState",
    "Ratio",
    "Real",
    "Record",
    "Room",
    "Schema",
    "Structured",
    "Text",
    "Tuples",
    "members",
    "members_schema",
]
