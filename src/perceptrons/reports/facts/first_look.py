"""In one look: what is decided, on what, how well on new rows, and whom it fails."""

from typing import Any

from ...describe import size_of
from ...rejection.rejection_words import costs_in_words, when_it_answers
from ...texts import percent
from ...theory.held_out import binomial_upper
from ..judged_rows import JudgedRows, Material
from ..spelling import between, count, decimals, some
from .claims import claims_of
from .fairness import Grouping, lines_by_class, lines_by_group

FEW = 50  # rows of a class, below which its errors are hardly known
CONFIDENCE = 0.05


def look_facts(material: Material, target: str, by: Grouping | None) -> dict[str, Any]:
    judged = material.judged
    return {
        "decision": _decision(material, target),
        "measures": [] if judged is None else _measures(material, judged),
        "how": "" if judged is None else judged.how,
        "why_not": material.why_not,
        "statements": [*_promise(material), *claims_of(material)],
        "cautions": _cautions(material),
        "classes": [] if judged is None else lines_by_class(judged, material.subject.classes),
        "groups": None if judged is None or by is None else _groups(judged, by),
    }


def _groups(judged: JudgedRows, by: Grouping) -> dict[str, Any]:
    return {"column": by.column, "lines": lines_by_group(judged, by.labels[judged.places])}


def _decision(material: Material, target: str) -> list[str]:
    classes, learner = material.subject.classes, material.subject.learner
    first = f"For each row the model answers which {target} it has: {some(classes, 8, 'or')}."
    if not material.subject.rejects or learner.reject_label_ is None:
        return [f"{first} It always answers."]
    return [first, when_it_answers(learner)]


def _measures(material: Material, judged: JudgedRows) -> list[dict[str, str]]:
    found = judged.evaluation
    tiles = [_accuracy(found, material.subject.rejects)]
    if found.rejected or material.subject.rejects:
        tiles.append(_tile("Rejected", percent(found.rejected), "left to a person"))
        prices = costs_in_words(material.costs)
        tiles.append(
            _tile("Risk", decimals(found.risk), f"mean cost of a row, where {prices}; lower is better")
        )
    tiles.append(
        _tile(
            "Balanced accuracy",
            percent(found.balanced_accuracy),
            "mean of the classes' shares answered right",
        )
    )
    if found.auc is not None:
        tiles.append(_tile("AUC", percent(found.auc), "how well scores order two rows of different classes"))
    if found.brier is not None:
        tiles.append(_tile("Brier score", decimals(found.brier), "of the probabilities; lower is better"))
    size = size_of(material.subject.learner)
    return tiles + ([_tile("Size", f"{size.count:,}", str(size).split()[1])] if size else [])


def _accuracy(found: Any, rejects: bool) -> dict[str, str]:
    baseline = f"always the most frequent class: {percent(found.baseline)}"
    if found.accuracy is None:
        return _tile("Accuracy", "–", f"all rows are rejected; {baseline}")
    of = " of the rows answered" if rejects else ""
    return _tile(
        "Accuracy", percent(found.accuracy), f"95 %: {between(*found.accuracy_interval)}{of}; {baseline}"
    )


def _tile(name: str, value: str, detail: str) -> dict[str, str]:
    return {"name": name, "value": value, "detail": detail}


def _promise(material: Material) -> list[str]:
    """What rows that are new prove; folds share rows, and prove nothing."""
    judged = material.judged
    if judged is None or judged.folds or judged.weights is not None:
        return []
    given = ~judged.answers.rejected
    n_rows, wrong = int(given.sum()), int((judged.answers.given != judged.answers.codes)[given].sum())
    if not n_rows:
        return []
    most = float(binomial_upper(wrong, n_rows, CONFIDENCE))
    return [
        f"{wrong:,} of {count(n_rows, 'row')} answered are wrong. With a confidence of "
        f"{percent(1 - CONFIDENCE)}, at most {percent(most)} of new rows that are answered will be, if they "
        "are drawn like these (Clopper and Pearson)."
    ]


def _cautions(material: Material) -> list[str]:
    """What a person should know before signing."""
    judged, lines = material.judged, []
    if material.n_counted > len(material.rows.y):
        lines.append(
            f"Of {count(material.n_counted, 'row')} a random sample of {len(material.rows.y):,} was looked "
            "at, each class by its share."
        )
    if judged is None:
        return [*lines, "Nothing on this page says how good the model is on new rows."]
    found = judged.evaluation
    if (
        found.accuracy_interval is not None
        and found.accuracy_interval[0] <= found.baseline
        and not found.rejected
    ):
        lines.append(
            "These rows do not show that the model is better than always giving the most frequent answer."
        )
    counts = [
        (name, int((judged.answers.codes == k).sum())) for k, name in enumerate(material.subject.classes)
    ]
    rare = [name for name, rows in counts if rows < FEW]
    if rare:
        few = f"has fewer than {FEW} rows" if len(rare) == 1 else f"have fewer than {FEW} rows each"
        lines.append(
            f"{some(rare)} {few} here: its errors are only roughly known."
            if len(rare) == 1
            else f"{some(rare)} {few} here: their errors are only roughly known."
        )
    if judged.folds:
        lines.append(
            "The rows are those the model was fitted to, so its quality was estimated with copies of it; "
            "columns or parameters chosen by a look at all rows would make the estimate too good."
        )
    return lines
