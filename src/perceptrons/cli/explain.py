"""`perceptrons explain`: why a model gives a row of a table its class, in parts that add up."""

import math
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Annotated, Any

import typer

from . import options
from .tables import reading

MOST_PARTS = 20  # of a linear model, shown
ENCODED = "Values are those of the encoded row: numbers standardized, yes and no +1 and -1, names one-hot."


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
    encoding: options.Encoding = None,
    missing: options.Missing = None,
    json: options.AsJson = False,
) -> None:
    """Why a model predicts what it does for a row of a table.

    A score is a sum: the table shows what each rule of a sparse model (of a scorecard, its points), or each
    encoded column of a linear one, adds to it. A model that may reject answers where the sum is far enough
    from 0.

    \b
    Example: perceptrons explain model.json new.csv --row 3
    """
    from .models import load, warn_of
    from .progress import progress_bar
    from .show import emit
    from .words import bands_as_dicts

    loaded = load(model)
    with progress_bar("explaining"):
        frame = loaded.read_table(table, reading(header, separator, missing, encoding))
        cells, unseen = loaded.lay_out(frame, row)
        encoded, learner = loaded.encode(cells), loaded.learner
        prediction = learner.predict(encoded).tolist()[0]
        vector, label, score = _scored(learner.decision_function(encoded)[0], learner.classes_)
        parts = _parts(loaded, encoded, vector)
        if is_scorecard(learner):
            score = sum(part.adds for part in parts)
        rejected = loaded.rejected(encoded)
    facts = {"row": row, "prediction": prediction, "label": label, "score": score}
    facts |= {"rejected": None if rejected is None else bool(rejected[0]), "bands": bands_as_dicts(learner)}
    if json:
        emit(
            {**facts, "parts": [part.facts() for part in parts], "unseen": [one._asdict() for one in unseen]}
        )
        return
    warn_of(unseen)
    _show(f"{table}, row {row}", facts, parts, learner)


def _scored(scores: Any, classes: Any) -> tuple[int, Any, float]:
    """Which weight vector decides, for which class it speaks, and its score."""
    import numpy as np

    vector = int(np.argmax(scores))  # of two classes there is one
    return vector, classes.tolist()[vector if np.ndim(scores) else 1], float(np.ravel(scores)[vector])


def _parts(loaded: Any, rows: Any, vector: int) -> list[Reason]:
    learner = loaded.learner
    if hasattr(learner, "explain"):
        return [Reason(part.rule, part.adds, holds=part.holds) for part in learner.explain(rows).parts]
    if hasattr(learner, "packed_"):
        return votes(loaded.encoder.get_feature_names_out(), learner, rows)
    if not hasattr(learner, "coef_"):
        raise ValueError(
            f"A {type(learner).__name__} compares a row with rows it has kept and has no weights of columns, "
            "so there are no parts to show; use a linear learner, or --learner sparse."
        )
    return linear_parts(
        loaded.encoder.get_feature_names_out(), rows, learner.coef_[vector], learner.intercept_[vector]
    )


def is_scorecard(learner: Any) -> bool:
    """Is it a vote of rules, of which a row has points?"""
    has_card = getattr(learner, "cards_", None) is not None and len(learner.classes_) == 2
    return has_card or getattr(learner, "gamma_", None) is not None


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


def linear_parts(names: Any, rows: Any, coef: Any, intercept: float) -> list[Reason]:
    """Weight times value of each coordinate of one row, and the intercept, where they are not 0; the largest
    first."""
    import numpy as np

    values = np.ravel(rows.toarray() if hasattr(rows, "toarray") else rows)
    adds = coef * values
    parts = [Reason(names[k], float(adds[k]), value=float(values[k])) for k in np.flatnonzero(adds)]
    parts += [Reason("intercept", float(intercept), value=1.0)] if intercept else []
    return sorted(parts, key=lambda part: -abs(part.adds))


def _show(title: str, facts: dict[str, Any], parts: list[Reason], learner: Any) -> None:
    from ..sparse.weighted_conjunctions import aligned
    from .show import say, table

    by_rules = not any(part.value is not None for part in parts)
    has_few = hasattr(learner, "explain")  # rules of a sparse model: all are shown
    shown, rest = (parts, []) if has_few else (parts[:MOST_PARTS], parts[MOST_PARTS:])
    shown = [part for part in shown if part.adds or part.holds is not False]
    n_silent = len(parts) - len(shown) - len(rest)
    others = sum(part.adds for part in rest)
    numbers = [*(part.adds for part in shown), others, facts["score"] + 0.0]
    *adds, others_add, total = aligned(numbers, points=is_scorecard(learner))
    rows = [[part.rule, _how(part), added] for part, added in zip(shown, adds, strict=True)]
    rows += [[f"… and {len(rest)} more", "", others_add]] if rest else []
    say(f"{title}: {facts['prediction']}.")
    names = ["rule", "holds"] if by_rules else ["column", "value"]
    table([*names, "adds"], rows, right=["value", "adds"], whole=["holds"])
    if n_silent:
        silent = "rule does not hold, and adds" if n_silent == 1 else "rules do not hold, and add"
        say(f"{n_silent} {silent} nothing.")
    say(_meaning(total.strip(), facts, learner))
    if not by_rules:
        say(ENCODED)


def _how(part: Reason) -> str:
    if part.value is not None:
        return f"{part.value:.3g}"
    return "yes" if part.holds else "no"


def _meaning(total: str, facts: dict[str, Any], learner: Any) -> str:
    from .words import bands_of

    bands, n_classes = bands_of(learner), len(learner.classes_)
    if bands is not None:
        return _beside_bands(total, facts, learner.classes_.tolist(), bands)
    if not float(total):  # for a score that is only nearly 0, more decimals
        total = f"{facts['score']:+.1g}"
    if n_classes > 2:
        return f"Sum {total} for {facts['label']}, the highest of {n_classes} classes."
    sign = "> 0" if facts["score"] > 0 else "not > 0"
    return f"Sum {total}, which is {sign}: {facts['prediction']}."


def _beside_bands(total: str, facts: dict[str, Any], classes: list[Any], bands: list[float]) -> str:
    """Where the sum lies, and what that means; a rejection with the answer it replaces."""
    side = int(facts["score"] >= 0.0)
    told, low, high = _told_apart([facts["score"], 0.0 - bands[0], bands[1]], len(total.partition(".")[2]))
    if not facts["rejected"]:
        where = f"at least {high}" if side else f"at most {low}" if bands[0] else "below 0"
        return f"Sum {told}, which is {where}: {facts['prediction']}."
    ends = [f"above {low}"] * math.isfinite(bands[0]) + [f"below {high}"] * math.isfinite(bands[1])
    where = f"between {low} and {high}" if len(ends) == 2 else "".join(ends) or "never enough"
    return f"Sum {told}, which is {where}: {facts['prediction']} (else {classes[side]})."


def _told_apart(numbers: list[float], decimals: int) -> list[str]:
    """Signed, with so many decimals, or as many as it takes to tell them from one another and from 0."""
    texts = [f"{number:+.{decimals}f}" if number else "0" for number in numbers]
    pairs = combinations([*zip(numbers, texts, strict=True), (0.0, "0")], 2)
    if all(one == other or float(text) != float(said) for (one, text), (other, said) in pairs):
        return texts
    return [f"{number:+}" if number else "0" for number in numbers]
