"""The JSON Schema of model files, from the declarations:  python -m perceptrons.model_file.schema"""

import json
from pathlib import Path
from typing import Any

from . import packed
from .certificate_fields import CERTIFICATE, ModelCertificateField
from .declarations import SEEN, Count, EstimatorField, Parameter, RandomState, Schema, members_schema
from .document import FORMAT, VERSION, lines
from .estimators import HOMES, declared
from .steps import COLUMNS

PUBLISHED = Path(__file__).with_name("model_file.schema.json")


def schema() -> Schema:
    known = {name: _definition(name) for name in HOMES}
    sparing = {name: field for name in HOMES if (field := _field(name)) and field.weights}
    alone = {_alone(name): _with_class(name, field.schema_of_weights()) for name, field in sparing.items()}
    models = [_reference(name) for name in [*known, *alone]]
    plain = {"type": ["string", "boolean", "number"]}
    document = members_schema(
        {
            "format": {"const": FORMAT},
            "version": {"const": VERSION},
            "checksum": {"type": "string", "pattern": "^sha256:[0-9a-f]{64}$"},
            "library": {"type": "string"},
            "about": {"type": "object", "additionalProperties": plain},
            "model": {"anyOf": [_reference("Pipeline"), *models]},
        }
    )
    common = {
        "RandomState": RandomState().schema(),
        "parameter": Parameter().schema(),
        "packed": packed.schema(),
        "seen_rows": SEEN["_seen_rows"].schema(),
        "margin_certificate": CERTIFICATE.schema(),
    }
    certificates = _shortened(ModelCertificateField().schema(), common)
    document["properties"]["certificate"] = certificates  # of whole models; in some files
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Model files of perceptrons",
        **document,
        "$defs": {**common, **_shortened({**known, **alone}, common), "Pipeline": _pipeline(models)},
    }


def _definition(name: str) -> Schema:
    """What a file holds of a class; if what it needs is not installed, what was published."""
    field = _field(name)
    if field is not None:
        return _estimator(name, field)
    published = json.loads(PUBLISHED.read_text(encoding="utf-8"))
    return dict(published["$defs"][name])


def _field(name: str) -> EstimatorField | None:
    """None if what it needs is not installed."""
    try:
        return declared(name)
    except ImportError:
        return None


def _shortened(value: Any, common: dict[str, Schema]) -> Any:
    """The same, with references to what occurs often."""
    for name, fragment in common.items():
        if value == fragment:
            return _reference(name)
    if isinstance(value, dict):
        return {name: _shortened(one, common) for name, one in value.items()}
    if isinstance(value, list):
        return [_shortened(one, common) for one in value]
    return value


def _reference(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


def _estimator(name: str, field: EstimatorField) -> Schema:
    return _with_class(name, field.schema())


def _with_class(name: str, estimator: Schema) -> Schema:
    return members_schema({"class": {"const": name}, **estimator["properties"]})


def _alone(name: str) -> str:
    """The name of what a file without certificate holds."""
    return f"{name}Weights"


def _pipeline(models: list[Schema]) -> Schema:
    pair: dict[str, Any] = {
        "type": "array",
        "prefixItems": [{"type": "string"}, {"anyOf": models}],
        "minItems": 2,
        "maxItems": 2,
    }
    columns = {"type": "array", "items": Count(1).schema(), "minItems": 1}
    steps = {"type": "array", "items": pair, "minItems": 1}
    return members_schema({"class": {"const": "Pipeline"}, COLUMNS: columns, "steps": steps})


def text() -> str:
    return f"{lines(schema())}\n"


if __name__ == "__main__":
    print(text(), end="")
