"""What each rule or column added to the score of single rows, beside the cell of the table it looked at."""

from typing import Any

import numpy as np

from ...reasons import Reason, is_scorecard, linear_parts, originals, rule_parts, scored, votes
from ..donors import cell_in_words
from ..spelling import shown, signed
from ..subject import Subject
from ..tables_of_donors import names_of

Facts = dict[str, Any]


def parts_of(subject: Subject, few: Any, encoded: Any) -> list[list[Reason]]:
    """Of each row; nothing where a model has no parts that add up."""
    learner, n_rows = subject.scorer, len(few)
    if hasattr(learner, "explain"):
        columns = _columns_of_rules(learner, few)
        return [_of_rules(learner, _row(encoded, k), few, k, columns) for k in range(n_rows)]
    if hasattr(learner, "packed_"):
        return [votes(subject.coordinates(), learner, _row(encoded, k)) for k in range(n_rows)]
    if not hasattr(learner, "coef_"):
        return [[] for _ in range(n_rows)]
    names, cells = subject.coordinates(), _original_cells(subject, few, encoded)
    scores, coef = np.asarray(learner.decision_function(encoded)), np.asarray(learner.coef_)
    found = []
    for k in range(n_rows):
        vector, _, _ = scored(scores[k], learner.classes_)
        intercept = float(np.ravel(learner.intercept_)[vector])
        found.append(linear_parts(names, _row(encoded, k), coef[vector], intercept, cells[k]))
    return found


def _of_rules(learner: Any, row: Any, few: Any, k: int, columns: dict[str, list[Any]]) -> list[Reason]:
    """Rules that say something about the row, with the cells they look at."""
    parts = [part for part in rule_parts(learner, row) if part.adds or part.holds]
    cells = [", ".join(cell_in_words(few, name, k) for name in columns.get(part.rule, [])) for part in parts]
    return [
        Reason(part.rule, part.adds, part.holds, original=cell)
        for part, cell in zip(parts, cells, strict=True)
    ]


def _columns_of_rules(learner: Any, few: Any) -> dict[str, list[Any]]:
    """The columns of the table that each rule speaks of; of an array they are called x0, x1, …"""
    frame = hasattr(few, "columns")
    there = {str(name) if frame else f"x{name}": name for name in names_of(few)}
    found = {}
    for rule in learner.conjunctions_:
        spoken = dict.fromkeys(getattr(one, "literal", one).column for one in rule.literals)
        found[str(rule)] = [there[name] for name in spoken if name in there]
    return found


def _row(rows: Any, k: int) -> Any:
    return rows.iloc[k : k + 1] if hasattr(rows, "iloc") else rows[k : k + 1]


def _original_cells(subject: Subject, few: Any, encoded: Any) -> list[list[str]]:
    if subject.encoder is not None:
        return originals(subject.encoder, few)
    dense = encoded.toarray() if hasattr(encoded, "toarray") else np.asarray(encoded)
    return [[f"{value:.6g}" for value in row] for row in dense.tolist()]


def table_of(subject: Subject, parts: list[Reason], most: int) -> Facts:
    """A number of lines, the others together, and the sum."""
    first, rest = parts[:most], parts[most:]
    total = sum(part.adds for part in parts)
    numbers = [*(part.adds for part in first), sum(part.adds for part in rest), total]
    *adds, others, total_text = signed(numbers, is_scorecard(subject.scorer))
    return {
        "parts": [
            {"name": shown(part.rule, 120), "cell": shown(_cell(part), 40), "adds": text, "number": part.adds}
            for part, text in zip(first, adds, strict=True)
        ],
        "others": len(rest),
        "others_add": others if rest else "",
        "sum": total_text if parts else "",
    }


def _cell(part: Reason) -> str:
    if part.original is not None:
        return part.original
    return "" if part.value is not None else "yes" if part.holds else "no"
