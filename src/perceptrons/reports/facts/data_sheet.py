"""The data and how to repeat the model: columns, kinds, holes, ranges, what was left out and why, digest,
versions."""

import hashlib
import platform
from collections import Counter
from typing import Any

import numpy as np
import scipy
import sklearn

from ... import __version__
from ...reasons import spelled_number
from ...tables.cells import BOOLEAN, NUMERIC, Column, as_numbers, as_texts, columns, is_missing, kind_of
from ...tables.treatments import AS_IS, LEFT_OUT
from ..judged_rows import Material
from ..spelling import shown

MOST_COLUMNS = 60
MOST_NAMES = 4  # of a column of names
Facts = dict[str, Any]


def data_facts(material: Material, target: str, record: dict[str, Any]) -> Facts:
    """`record` is what else is known of how the model came to be: names and plain values."""
    table = columns(material.rows.X)
    digest = {"Digest of the cells": digest_of(material.rows.X, material.rows.y)}
    record = {**digest, **record, **versions()}
    treatments = _treatments(material)
    left_out = [(name, one) for name, one in treatments.items() if one in LEFT_OUT]
    used = [column for column in table if treatments.get(column.name, AS_IS) not in LEFT_OUT]
    return {
        "n_rows": material.n_given,
        "n_looked_at": len(material.rows.y),
        "target": shown(target),
        "classes": _classes(material),
        "columns": [_column(column, treatments.get(column.name, AS_IS)) for column in used[:MOST_COLUMNS]],
        "n_columns": len(used),
        "left_out": [{"name": shown(name), "why": why} for name, why in left_out[:MOST_COLUMNS]],
        "n_left_out": len(left_out),
        "weighted": material.rows.weights is not None,
        "record": [{"name": name, "value": shown(value, 500)} for name, value in record.items()],
        "parameters": _parameters(material.subject.learner),
    }


def _treatments(material: Material) -> dict[str, str]:
    encoder = material.subject.encoder
    found = getattr(encoder, "treatments_", None)
    if found is None:
        return {}
    names = getattr(encoder, "feature_names_in_", [f"x{j}" for j in range(len(found))])
    return dict(zip(map(str, names), found, strict=True))


def _classes(material: Material) -> list[Facts]:
    counts = np.bincount(material.rows.codes, minlength=len(material.subject.classes)).tolist()
    pairs = sorted(zip(counts, map(shown, material.subject.classes), strict=True), key=lambda one: -one[0])
    return [{"name": name, "rows": rows} for rows, name in pairs[:MOST_COLUMNS]]


def _column(column: Column, treatment: str) -> Facts:
    kind = kind_of(column) if column.values.dtype.kind != "M" else "date"
    read = "" if treatment == AS_IS else f", {treatment}"
    return {
        "name": shown(column.name),
        "kind": f"{kind}{read}",
        "missing": _n_missing(column.values),
        "range": _range(column, kind),
    }


def _n_missing(values: Any) -> int:
    if values.dtype.kind == "f":
        return int(np.isnan(values).sum())
    return sum(not isinstance(value, str) and is_missing(value) for value in values.tolist())


def _range(column: Column, kind: str) -> str:
    """From the smallest to the largest number, or the most frequent names."""
    if kind == NUMERIC:
        numbers = as_numbers(column)
        there = numbers[~np.isnan(numbers)]
        if not len(there):
            return ""
        return f"{spelled_number(float(there.min()))} to {spelled_number(float(there.max()))}"
    if kind == BOOLEAN:
        return f"yes {sum(value is not None and bool(value) for value in column.values.tolist()):,}"
    counts = Counter(text for text in as_texts(column) if text is not None)
    named = [f"{shown(name, 30)} ({n:,})" for name, n in counts.most_common(MOST_NAMES)]
    more = f" and {len(counts) - MOST_NAMES:,} more" if len(counts) > MOST_NAMES else ""
    return f"{', '.join(named)}{more}"


def versions() -> dict[str, str]:
    """What the numbers of a report depend on."""
    return {
        "perceptrons": __version__,
        "Python": platform.python_version(),
        "NumPy": np.__version__,
        "SciPy": scipy.__version__,
        "scikit-learn": sklearn.__version__,
        "Machine": f"{platform.system()} {platform.machine()}",
    }


def digest_of(X: Any, y: Any) -> str:
    """SHA-256 of names and cells as texts: the same for the same table, in whatever frame it is held."""
    found = hashlib.sha256()
    for column in [*columns(X), Column("", np.asarray(y))]:
        values = column.values
        found.update(f"{column.name}\x1e".encode("utf-8", "surrogatepass"))
        if values.dtype.kind in "biuf":
            found.update(np.ascontiguousarray(values, np.float64).tobytes())
        else:
            texts = "\x1f".join(map(_text, values.tolist()))
            found.update(texts.encode("utf-8", "surrogatepass"))
    return f"sha256 {found.hexdigest()}"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "" if is_missing(value) else str(value)


def _parameters(learner: Any) -> list[Facts]:
    """Those that are not at their defaults."""
    defaults = type(learner)().get_params(deep=False) if _has_defaults(learner) else {}
    given = learner.get_params(deep=False).items()
    return [
        {"name": name, "value": shown(value if isinstance(value, str) else repr(value), 120)}
        for name, value in given
        if repr(value) != repr(defaults.get(name, "no default"))
    ]


def _has_defaults(learner: Any) -> bool:
    """Can it be made without arguments?"""
    import inspect

    needed = inspect.signature(type(learner).__init__).parameters.values()
    return all(
        one.default is not one.empty or one.kind in (one.VAR_KEYWORD, one.VAR_POSITIONAL)
        for one in list(needed)[1:]
    )
