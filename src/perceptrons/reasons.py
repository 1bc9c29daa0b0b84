"""Why a model gives a row its class: the parts that add up to its score, in values as a person wrote them."""

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from .tables.cells import BOOLEAN, NOMINAL, as_numbers, as_signs
from .tables.dates import date_text
from .tables.table_encoder import names_in, read_columns
from .tables.treatments import parts


@dataclass(frozen=True)
class Reason:
    """What a rule or a coordinate adds to a score; `holds` is for rules. `value` is that of the encoded row,
    `original` what the table says."""

    rule: str
    adds: float
    holds: bool | None = None
    value: float | None = None
    original: str | None = None

    def facts(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if value is not None}


def scored(scores: Any, classes: Any) -> tuple[int, Any, float]:
    """Which weight vector decides about a row, for which class it speaks, and its score."""
    vector = int(np.argmax(scores))  # of two classes there is one
    return vector, classes.tolist()[vector if np.ndim(scores) else 1], float(np.ravel(scores)[vector])


def is_scorecard(learner: Any) -> bool:
    """Is it a vote of rules, of which a row has points?"""
    has_card = getattr(learner, "cards_", None) is not None and len(learner.classes_) == 2
    return has_card or getattr(learner, "gamma_", None) is not None


def rule_parts(learner: Any, rows: Any) -> list[Reason]:
    """Of a model of rules, about one row."""
    return [Reason(part.rule, part.adds, holds=part.holds) for part in learner.explain(rows).parts]


def votes(names: Any, learner: Any, rows: Any) -> list[Reason]:
    """Of binary weights, those of one row that agree with the answer first; and the threshold."""
    holds = learner.pack(rows).unpacked()[0].tolist()
    pairs = zip(names, learner.coef_[0].tolist(), holds, strict=True)
    parts = [Reason(name, float(w if held else -w), holds=held) for name, w, held in pairs if w]
    side = 1.0 if learner.decision_function(rows)[0] > 0 else -1.0
    parts.sort(key=lambda part: -side * part.adds)
    return (
        [*parts, Reason("threshold", -float(learner.threshold_), holds=True)] if learner.threshold_ else parts
    )


def linear_parts(names: Any, rows: Any, coef: Any, intercept: float, originals: list[str]) -> list[Reason]:
    """Weight times value of each coordinate of one row, and the intercept, where they are not 0; the largest
    first."""
    values = np.ravel(rows.toarray() if hasattr(rows, "toarray") else rows)
    adds = coef * values
    parts = [
        Reason(names[k], float(adds[k]), value=float(values[k]), original=originals[k])
        for k in np.flatnonzero(adds)
    ]
    parts += [Reason("intercept", float(intercept), value=1.0)] if intercept else []
    return sorted(parts, key=lambda part: -abs(part.adds))


def originals(encoder: Any, cells: Any) -> list[list[str]]:
    """For each row, the cell behind each coordinate, as a person would write it."""
    found: list[list[str]] = []  # by coordinate
    what = parts(names_in(encoder), getattr(encoder, "treatments_", None))
    columns = zip(read_columns(encoder, cells), what, encoder.kinds_, encoder.categories_, strict=True)
    for column, part, kind, categories in columns:
        if kind == NOMINAL:
            found += [["yes"] * len(column.values)] * len(categories)  # of a coordinate that is not 0
        elif kind == BOOLEAN:
            found.append(["yes" if sign > 0 else "no" for sign in as_signs(column).tolist()])
        else:
            write = date_text if part.part == "days" else spelled_number
            numbers = as_numbers(column).tolist()
            found.append(["" if math.isnan(number) else write(number) for number in numbers])
    return [list(row) for row in zip(*found, strict=True)]


def spelled_number(number: float) -> str:
    """With thousands separators from five digits on (fewer may be a year), and no digits that say nothing."""
    if not 1e4 <= abs(number) < 1e15:
        return f"{number:.6g}"
    return f"{number:,.6g}" if abs(number) < 1e6 else f"{number:,.0f}"
