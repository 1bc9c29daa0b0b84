"""The JSON Schema of model files, from the declarations:  python -m perceptrons.model_file.schema"""

import json
from pathlib import Path
from typing import Any

from .declarations import EstimatorField, Parameter, RandomState, Schema, members_schema
from .document import FORMAT, VERSION, lines
from .estimators import HOMES, declared

PUBLISHED = Path(__file__).with_name("model_file.schema.json")


def schema() -> Schema:
    plain = {"type": ["string", "boolean", "number"]}
    document = members_schema(
        {
            "format": {"const": FORMAT},
            "version": {"const": VERSION},
            "checksum": {"type": "string", "pattern": "^sha256:[0-9a-f]{64}$"},
            "library": {"type": "string"},
            "about": {"type": "object", "additionalProperties": plain},
            "model": {"anyOf": [{"$ref": "#/$defs/Pipeline"}, *map(_reference, HOMES)]},
        }
    )
    known = {name: _definition(name) for name in HOMES}
    common = {"RandomState": RandomState().schema(), "parameter": Parameter().schema()}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Model files of perceptrons",
        **document,
        "$defs": {**common, **_shortened(known, common), "Pipeline": _pipeline()},
    }


def _definition(name: str) -> Schema:
    """What a file holds of a class; if what it needs is not installed, what was published."""
    try:
        return _estimator(name, declared(name))
    except ImportError:
        published = json.loads(PUBLISHED.read_text(encoding="utf-8"))
        return dict(published["$defs"][name])


def _shortened(value: Any, common: dict[str, Schema]) -> Any:
    """The same, with references to what occurs often."""
    for name, fragment in common.items():
        if value == fragment:
            return _reference(name)
    if isinstance(value, dict):
        return {name: _shortened(one, common) for name, one in value.items()}
    return value


def _reference(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


def _estimator(name: str, field: EstimatorField) -> Schema:
    return members_schema({"class": {"const": name}, **field.schema()["properties"]})


def _pipeline() -> Schema:
    pair: dict[str, Any] = {
        "type": "array",
        "prefixItems": [{"type": "string"}, {"anyOf": [*map(_reference, HOMES)]}],
        "minItems": 2,
        "maxItems": 2,
    }
    return members_schema(
        {"class": {"const": "Pipeline"}, "steps": {"type": "array", "items": pair, "minItems": 1}}
    )


def text() -> str:
    return f"{lines(schema())}\n"


if __name__ == "__main__":
    print(text(), end="")
