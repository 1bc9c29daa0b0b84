"""The model in full: rules or a card as a form to fill in, a linear model by its columns, others in a
sentence."""

from typing import Any

import numpy as np

from ...describe import size_of
from ...reasons import spelled_number
from ...rejection.rejection_words import when_it_answers
from ...sparse.tally import Tally, printed, tally_of
from ...tables.table_encoder import part_names
from ..judged_rows import Material
from ..spelling import shown, signed
from ..subject import Subject
from .calculator import linear_calculator, rules_calculator

MOST_WEIGHTS = 25  # of a linear model, by their absolute values
MOST_VOTES = 60  # statements of a model of binary weights
MOST_LABELS = 6  # columns of weights

Facts = dict[str, Any]


def model_facts(material: Material) -> Facts:
    subject = material.subject
    learner = subject.learner
    about = {
        "learner": type(learner).__name__,
        "size": str(size_of(learner) or ""),
        "answers": when_it_answers(learner) if subject.rejects and learner.reject_label_ is not None else "",
        "classes": [*map(shown, subject.classes)],
    }
    if hasattr(subject.scorer, "conjunctions_"):
        return {**about, **_rules(subject.scorer, learner is subject.scorer)}
    if hasattr(subject.scorer, "packed_"):
        return {**about, **_votes(subject)}
    if hasattr(subject.scorer, "coef_"):
        return {**about, **_weights(subject)}
    return {**about, "kind": "other", "calculator": None, "words": _in_words(learner)}


def _rules(model: Any, decides: bool) -> Facts:
    """A card, or weighted rules: a line each, with how many of the rows fitted it holds in."""
    tally, sheet = tally_of(model), printed(model)
    covers = {row[1]: row[2:] for block in sheet.blocks for row in block.tables[0].rows if len(row) > 3}
    adds = np.array(tally.held).reshape(len(tally.labels), len(tally.rules))
    base = np.array(tally.base)[:, None]
    *words, base_words = _by_rule(np.hstack([adds, base]), tally.points)
    order = np.argsort(-np.abs(adds).max(axis=0), kind="stable").tolist() if adds.size else []
    one = len(tally.labels) == 1
    return {
        "kind": "rules",
        "head": [shown(line, 300) for line in sheet.head],
        "labels": [*map(shown, tally.labels)],
        "lines": [
            {
                "place": k,
                "rule": shown(tally.rules[k], 300),
                "adds": words[k],
                "covers": [*covers.get(tally.rules[k], ())] if one else [],
            }
            for k in order
        ],
        "base": [] if tally.points else base_words,
        "subtracts": bool(np.any(tally.not_held)),
        "points": tally.points,
        "covered": one and bool(covers),
        "totals": _totals(sheet) if one else None,
        "calculator": rules_calculator(tally, model.classes_.tolist()) if decides else None,
    }


def _by_rule(numbers: Any, points: bool) -> list[list[str]]:
    """Signed numbers, a list per rule, each label's with the same decimals."""
    columns = [signed(column, points) for column in numbers.tolist()]
    return [list(row) for row in zip(*columns, strict=True)]


def _totals(sheet: Any) -> Facts | None:
    """Of a card, what each total means."""
    tables = sheet.blocks[0].tables if sheet.blocks else []
    if len(tables) < 2:
        return None
    return {"header": [*map(shown, tables[1].header)], "rows": [[*map(shown, row)] for row in tables[1].rows]}


def _votes(subject: Subject) -> Facts:
    """Statements that vote, and the number of votes that decides."""
    learner, names = subject.scorer, subject.coordinates()
    weights = learner.coef_[0].astype(float)
    used = np.flatnonzero(weights).tolist()
    tally = Tally(
        [names[k] for k in used],
        learner.classes_.tolist()[1:],
        [[weights[k] for k in used]],
        [[-weights[k] for k in used]],
        [-float(learner.threshold_)],
        False,
        None,
        None,
    )
    few = len(used) <= MOST_VOTES
    votes = [
        {"place": place, "name": shown(names[k]), "weight": f"{weights[k]:+.0f}"}
        for place, k in enumerate(used[:MOST_VOTES])
    ]
    return {
        "kind": "votes",
        "for": shown(learner.classes_.tolist()[1]),
        "against": shown(learner.classes_.tolist()[0]),
        "threshold": int(learner.threshold_),
        "bytes": learner.packed_.n_bytes,
        "votes": votes,
        "n_votes": len(used),
        "calculator": rules_calculator(tally, subject.classes)
        if few and subject.learner is learner
        else None,
    }


def _weights(subject: Subject) -> Facts:
    """The largest weights; of more than two classes those that differ most between classes."""
    learner, names = subject.scorer, subject.coordinates()
    coef = np.asarray(learner.coef_, float)
    size = np.abs(coef).max(axis=0)
    order = np.argsort(-size, kind="stable")[:MOST_WEIGHTS].tolist()
    labels = subject.classes[-len(coef) :]
    top = float(size.max()) or 1.0
    lines = [
        {
            "name": shown(names[k]),
            "weights": [float(f"{weight:.4g}") for weight in coef[:, k].tolist()],
            "shares": [round(weight / top, 4) for weight in coef[:, k].tolist()],
            "scale": _scale(subject, names[k]),
        }
        for k in order
        if size[k]
    ]
    return {
        "kind": "weights",
        "labels": [*map(shown, labels)][:MOST_LABELS],
        "lines": lines,
        "n_weights": int(np.count_nonzero(size)),
        "left": int(np.count_nonzero(size)) - len(lines),
        "intercepts": [float(f"{b:.4g}") for b in np.ravel(learner.intercept_).tolist()][:MOST_LABELS],
        "encoded": subject.encoder is not None,
        "calculator": linear_calculator(subject),
    }


def _scale(subject: Subject, name: str) -> str:
    """What one unit of a standardized column is, and its mean."""
    found = getattr(subject.encoder, "scales_", None)
    if found is None:
        return ""
    names = part_names(subject.encoder)
    if name not in names or not found[names.index(name)]:
        return ""
    place = names.index(name)
    mean, scale = float(subject.encoder.means_[place]), float(found[place])
    return f"{spelled_number(float(f'{mean:.4g}'))} ± {spelled_number(float(f'{scale:.3g}'))}"


def _in_words(learner: Any) -> str:
    if hasattr(learner, "support_"):
        return (
            f"A kernel model compares a row with {len(learner.support_):,} rows it has kept; there are no "
            "weights of columns to read."
        )
    return (
        f"A {type(learner).__name__} has no weights of columns or rules to read; what it does is shown below."
    )
