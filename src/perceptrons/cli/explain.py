"""`perceptrons explain`: why a model gives a row of a table its class, in parts that add up."""

from dataclasses import asdict, dataclass
from typing import Annotated, Any

import typer

from . import options
from .reading import reading

MOST_PARTS = 20  # of a linear model, shown
ENCODED = "Values are those of the encoded row: numbers standardised, yes and no +1 and -1, names one-hot."


@dataclass(frozen=True)
class Reason:
    """What a rule or a coordinate adds to a score; `holds` is for rules, `value` for coordinates."""

    rule: str
    adds: float
    holds: bool | None = None
    value: float | None = None

    def facts(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if value is not None}


def explain(
    model: options.Model,
    table: options.Table,
    row: Annotated[int, typer.Option("--row", help="Which row, counted from 1.", metavar="N")] = 1,
    header: options.Header = None,
    separator: options.Separator = None,
    missing: options.Missing = None,
    json: options.AsJson = False,
) -> None:
    """Why a model predicts what it does for a row of a table.

    A score is a sum; shown is what each rule of a sparse model, or each column of a linear one as it is
    encoded, adds to it.

    \b
    Example: perceptrons explain model.json new.csv --row 3
    """
    from .models import load, warn_of
    from .show import emit
    from .waiting import waiting

    loaded = load(model)
    with waiting("explaining"):
        frame = loaded.read_table(table, reading(header, separator, missing))
        cells, unseen = loaded.lay_out(frame, row)
        prediction = loaded.pipeline.predict(cells).tolist()[0]
        vector, label, score = _scored(loaded.pipeline.decision_function(cells)[0], loaded.learner.classes_)
        parts = _parts(loaded, cells, vector)
    facts = {"row": row, "prediction": prediction, "label": label, "score": score}
    if json:
        emit(
            {**facts, "parts": [part.facts() for part in parts], "unseen": [one._asdict() for one in unseen]}
        )
        return
    warn_of(unseen)
    by_rules = hasattr(loaded.learner, "explain")
    _show(f"{table}, row {row}", facts, parts, by_rules, len(loaded.learner.classes_))


def _scored(scores: Any, classes: Any) -> tuple[int, Any, float]:
    """Which weight vector decides, for which class it speaks, and its score."""
    import numpy as np

    vector = int(np.argmax(scores))  # of two classes there is one
    return vector, classes.tolist()[vector if np.ndim(scores) else 1], float(np.ravel(scores)[vector])


def _parts(loaded: Any, cells: Any, vector: int) -> list[Reason]:
    learner, rows = loaded.learner, loaded.encode(cells)
    if hasattr(learner, "explain"):
        return [Reason(part.rule, part.adds, holds=part.holds) for part in learner.explain(rows).parts]
    if not hasattr(learner, "coef_"):
        raise ValueError(
            f"A {type(learner).__name__} compares a row with rows it has kept and has no weights of columns, "
            "so there are no parts to show; fit a linear learner, or --learner sparse."
        )
    return linear_parts(
        loaded.encoder.get_feature_names_out(), rows, learner.coef_[vector], learner.intercept_[vector]
    )


def linear_parts(names: Any, rows: Any, coef: Any, intercept: float) -> list[Reason]:
    """Weight times value of each coordinate of one row, and the intercept, where they are not 0; the largest
    first."""
    import numpy as np

    values = np.ravel(rows.toarray() if hasattr(rows, "toarray") else rows)
    adds = coef * values
    parts = [Reason(names[k], float(adds[k]), value=float(values[k])) for k in np.flatnonzero(adds)]
    parts += [Reason("intercept", float(intercept), value=1.0)] if intercept else []
    return sorted(parts, key=lambda part: -abs(part.adds))


def _show(title: str, facts: dict[str, Any], parts: list[Reason], by_rules: bool, n_classes: int) -> None:
    from ..sparse.explanation import aligned
    from .show import say, table

    shown, rest = (parts, []) if by_rules else (parts[:MOST_PARTS], parts[MOST_PARTS:])
    others = sum(part.adds for part in rest)
    *adds, others_add, total = aligned([*(part.adds for part in shown), others, facts["score"] + 0.0])
    rows = [[part.rule, _how(part), added] for part, added in zip(shown, adds, strict=True)]
    rows += [[f"… and {len(rest)} more", "", others_add]] if rest else []
    say(f"{title}: {facts['prediction']}.")
    names = ["rule", "holds"] if by_rules else ["column", "value"]
    table([*names, "adds"], rows, right=["value", "adds"], whole=["holds"])
    say(_meaning(total.strip(), facts, n_classes))
    if not by_rules:
        say(ENCODED)


def _how(part: Reason) -> str:
    if part.value is not None:
        return f"{part.value:.3g}"
    return "yes" if part.holds else "no"


def _meaning(total: str, facts: dict[str, Any], n_classes: int) -> str:
    if not float(total):  # for a score that is only nearly 0, more decimals
        total = f"{facts['score']:+.1g}"
    if n_classes > 2:
        return f"Sum {total} for {facts['label']}, the highest of {n_classes} classes."
    sign = "> 0" if facts["score"] > 0 else "not > 0"
    return f"Sum {total}, which is {sign}: {facts['prediction']}."
