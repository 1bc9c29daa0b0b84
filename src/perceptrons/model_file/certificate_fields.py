"""What a model file holds of certificates: those of the margin family, and those of whole models."""

from typing import Any

from ..theory.certificate import Certificate
from ..theory.model_certificates import DrawnCertificate, NewRowsCertificate, TrainingCertificate
from ..theory.statements import HeldOut, Statement
from .compound import Each, Optional, Record, Tuples
from .kinds import Count, Field, Flag, Place, Ratio, Real, Schema, Text, members_schema

_NUMBER = Real(finite=False)  # a claim, which `verify` checks
_SHARE = Real(least=0.0)
CERTIFICATE = Record(
    Certificate,
    {
        "separable": Optional(Flag()),
        "margin": _NUMBER,
        "margin_bound": Optional(_NUMBER),
        "radius": _NUMBER,
        "n_updates": Count(),
        "update_bound": Optional(_NUMBER),
        "compression_size": Count(),
        "n_rows": Count(least=1),
        "n_errors": Count(),
        "lift": _NUMBER,
        "lift_from_rows": Flag(),
        "reproducible": Flag(),
        "soft_margin": Optional(_NUMBER),
        "soft_margin_bound": Optional(_NUMBER),
        "witness": Optional(Tuples(Count(), Ratio())),
        "choices": Real(least=0.0),
        "undecided": Optional(Text()),
    },
)


class TupleOf(Each):
    """A list in the file, a tuple in the model."""

    def unpack(self, packed: Any, place: Place) -> Any:
        return tuple(super().unpack(packed, place))


_HELD_OUT = Record(
    HeldOut,
    {
        "about": Text(),
        "seen": Count(),
        "n_rows": Count(),
        "low": _SHARE,
        "high": _SHARE,
        "name": Text(),
    },
)
_STATEMENT = Record(
    Statement,
    {
        "name": Text(),
        "about": Text(),
        "source": Text(),
        "value": Optional(_SHARE),
        "why_not": Optional(Text()),
    },
)
_COMMON: dict[str, Field] = {
    "model": Text(),
    "n_rows": Count(least=1),
    "n_wrong": Count(),
    "confidence": _SHARE,
    "larger_class": Text(),
    "majority_error": _SHARE,
}
KINDS: dict[str, Record] = {
    "new rows": Record(
        NewRowsCertificate,
        {
            **_COMMON,
            "n_rejected": Count(),
            "shares": TupleOf(_HELD_OUT),
            "risk": Optional(Real()),
            "risk_bound": Optional(Real()),
            "n_known": Count(),
            "holdback": Optional(_SHARE),
            "seed": Optional(Count()),
        },
    ),
    "training rows": Record(
        TrainingCertificate,
        {
            **_COMMON,
            "n_rejected": Count(),
            "statements": TupleOf(_STATEMENT),
            "margins": TupleOf(CERTIFICATE),
            "promises": TupleOf(Text()),
            "weights_alone": Flag(),
        },
    ),
    "drawn": Record(DrawnCertificate, {**_COMMON, "n_counted": Count(), "bound": _SHARE, "seed": Count()}),
}


class ModelCertificateField(Field):
    """A certificate of one of these kinds, with the name of its kind."""

    def pack(self, value: Any) -> Any:
        for kind, record in KINDS.items():
            if isinstance(value, record.make):
                return {"kind": kind, **record.pack(value)}
        raise ValueError(f"{value!r} is no certificate of a whole model, such as certify returns")

    def unpack(self, packed: Any, place: Place) -> Any:
        kind = packed.get("kind") if isinstance(packed, dict) else None
        if not isinstance(kind, str) or kind not in KINDS:
            raise place.refusal(packed, f"an object whose kind is one of {', '.join(KINDS)}")
        return KINDS[kind].unpack({name: one for name, one in packed.items() if name != "kind"}, place)

    def schema(self) -> Schema:
        return {"anyOf": [_with_kind(kind, record.schema()) for kind, record in KINDS.items()]}


def _with_kind(kind: str, schema: Schema) -> Schema:
    return members_schema({"kind": {"const": kind}, **schema["properties"]})
