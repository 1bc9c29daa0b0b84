"""`perceptrons explain`: why a model gives a row of a table its class, in parts that add up."""

import math
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Annotated, Any, NamedTuple

import typer

from . import options
from .tables import called, from_standard_input, reading

MOST_PARTS = 20  # of a linear model, shown
ENCODED = (
    "A number adds the more the farther it is from the mean of the rows fitted; a cell that is missing adds "
    "nothing."
)


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


def explain(
    model: options.Model,
    table: options.Table,
    row: Annotated[
        int | None,
        typer.Option("--row", help="Which row, counted from 1.", show_default="1", metavar="N"),
    ] = None,
    rows: Annotated[
        str | None,
        typer.Option("--rows", help="Several rows, like 1,5,9.", show_default=False, metavar="N,N,…"),
    ] = None,
    hardest: Annotated[
        int | None,
        typer.Option(
            "--hardest",
            help="So many rows about which the model is least certain.",
            show_default=False,
            min=1,
            metavar="N",
        ),
    ] = None,
    header: options.Header = None,
    separator: options.Separator = None,
    encoding: options.Encoding = None,
    missing: options.Missing = None,
    json: options.AsJson = False,
) -> None:
    """Why a model predicts what it does for a row of a table.

    A score is a sum: the table shows what each rule of a sparse model (of a scorecard, its points), or each
    column of a linear one, adds to it. A model that may reject answers where the sum is far enough from 0.

    \b
    Example: perceptrons explain model.json new.csv --row 3
    Several rows: perceptrons explain model.json new.csv --rows 1,5,9
    The doubtful ones: perceptrons explain model.json new.csv --hardest 5
    """
    from .models import load, warn_of
    from .progress import progress_bar
    from .show import emit, say

    asked = _asked(row, rows, hardest)
    loaded = load(model)
    with progress_bar("explaining"):
        path = from_standard_input(table)
        frame = loaded.read_table(path, reading(header, separator, missing, encoding))
        numbers = asked if hardest is None else _hardest(loaded, frame, hardest)
        explained = [_explained(loaded, frame, number) for number in numbers]
    if json:
        objects = [one.facts | {"parts": [part.facts() for part in one.parts]} for one in explained]
        objects = [
            {**some, "unseen": [new._asdict() for new in one.unseen]}
            for some, one in zip(objects, explained, strict=True)
        ]
        emit(objects[0] if rows is None and hardest is None else {"rows": objects})
        return
    for place, one in enumerate(explained):
        say(*[""] * bool(place))
        warn_of(one.unseen)
        _show(f"{called(path)}, row {one.facts['row']}", one.facts, one.parts, loaded.learner)


class Explained(NamedTuple):
    """A row: what is predicted, what adds to it, and names that the model does not know."""

    facts: dict[str, Any]
    parts: list[Reason]
    unseen: list[Any]


def _asked(row: int | None, rows: str | None, hardest: int | None) -> list[int]:
    """Numbers of rows; only one of the three options says which."""
    given = [name for name, one in (("row", row), ("rows", rows), ("hardest", hardest)) if one is not None]
    if len(given) > 1:
        raise ValueError(
            f"--{given[0]} and --{given[1]} both say which rows to explain; omit one of the two."
        )
    if rows is None:
        return [1 if row is None else row]
    numbers = [one.strip() for one in rows.split(",")]
    if not all(one.isascii() and one.isdigit() for one in numbers):
        raise ValueError(f"--rows is {rows!r}, but it must be numbers of rows between commas, like 1,5,9.")
    return [int(one) for one in numbers]


def _hardest(loaded: Any, frame: Any, count: int) -> list[int]:
    """The rows whose score is nearest to 0; of more than two classes, nearest to that of another class."""
    import numpy as np

    cells, _ = loaded.lay_out(frame)
    scores = _scores(loaded.learner, loaded.encode(cells))
    doubt = abs(scores) if scores.ndim == 1 else np.diff(np.sort(scores, axis=1)[:, -2:])[:, 0]
    return (np.argsort(doubt, kind="stable")[:count] + 1).tolist()  # type: ignore[no-any-return]


def _scores(learner: Any, encoded: Any) -> Any:
    scorer = _scorer(learner)
    if not hasattr(scorer, "decision_function"):
        raise ValueError(
            f"A {type(learner).__name__} answers without a score, so there are no parts that add up; use "
            "another learner, like sparse or scorecard."
        )
    return scorer.decision_function(encoded)


def _scorer(learner: Any) -> Any:
    """What makes the scores: the learner, or the one inside a learner that rejects."""
    while not hasattr(learner, "decision_function") and hasattr(learner, "estimator_"):
        learner = learner.estimator_
    return learner


def _explained(loaded: Any, frame: Any, row: int) -> Explained:
    from .words import bands_as_dicts

    cells, unseen = loaded.lay_out(frame, row)
    encoded, learner = loaded.encode(cells), loaded.learner
    vector, label, score = _scored(_scores(learner, encoded)[0], learner.classes_)
    parts = _parts(loaded, _scorer(learner), encoded, vector, cells)
    if is_scorecard(learner):
        score = sum(part.adds for part in parts)
    rejected, liberal = loaded.rejected(encoded), getattr(learner, "predict_liberal", learner.predict)
    facts = {
        "row": row,
        "prediction": learner.predict(encoded).tolist()[0],
        "answer": liberal(encoded).tolist()[0],  # that which a rejection replaces
        "label": label,
        "score": score,
        "probability": _probability(loaded, encoded, label),
        "rejected": None if rejected is None else bool(rejected[0]),
        "bands": bands_as_dicts(learner),
    }
    return Explained(facts, parts, unseen)


def _probability(loaded: Any, encoded: Any, label: Any) -> float | None:
    """Of the class that the score speaks for, by the model or the calibration in its file."""
    from ..evaluation import probabilities_of
    from .expected import calibrated

    found = probabilities_of(loaded.learner, encoded)
    if found is None:
        found = calibrated(_scores(loaded.learner, encoded), loaded.about)
    return None if found is None else float(found[0, loaded.learner.classes_.tolist().index(label)])


def _scored(scores: Any, classes: Any) -> tuple[int, Any, float]:
    """Which weight vector decides, for which class it speaks, and its score."""
    import numpy as np

    vector = int(np.argmax(scores))  # of two classes there is one
    return vector, classes.tolist()[vector if np.ndim(scores) else 1], float(np.ravel(scores)[vector])


def _parts(loaded: Any, learner: Any, rows: Any, vector: int, cells: Any) -> list[Reason]:
    import numpy as np

    if hasattr(learner, "explain"):
        return [Reason(part.rule, part.adds, holds=part.holds) for part in learner.explain(rows).parts]
    if hasattr(learner, "packed_"):
        return votes(loaded.encoder.get_feature_names_out(), learner, rows)
    if not hasattr(learner, "coef_"):
        raise ValueError(
            f"A {type(learner).__name__} compares a row with rows it has kept and has no weights of columns, "
            "so there are no parts to show; use a linear learner, or --learner sparse."
        )
    names, intercept = loaded.encoder.get_feature_names_out(), np.ravel(learner.intercept_)[vector]
    return linear_parts(names, rows, learner.coef_[vector], intercept, originals(loaded.encoder, cells))


def originals(encoder: Any, cells: Any) -> list[str]:
    """The cell of one row behind each coordinate, as a person would write it."""
    from ..tables.cells import BOOLEAN, NOMINAL, as_numbers, as_signs
    from ..tables.dates import date_text
    from ..tables.table_encoder import names_in, read_columns
    from ..tables.treatments import parts

    found: list[str] = []
    what = parts(names_in(encoder), getattr(encoder, "treatments_", None))
    columns = zip(read_columns(encoder, cells), what, encoder.kinds_, encoder.categories_, strict=True)
    for column, part, kind, categories in columns:
        if kind == NOMINAL:
            found += ["yes"] * len(categories)  # of a coordinate that is not 0
        elif kind == BOOLEAN:
            found.append("yes" if as_signs(column)[0] > 0 else "no")
        else:
            number, is_day = float(as_numbers(column)[0]), part.part == "days"
            found.append("" if math.isnan(number) else date_text(number) if is_day else _number(number))
    return found


def _number(number: float) -> str:
    """With thousands separators from five digits on (fewer may be a year), and no digits that say nothing."""
    if not 1e4 <= abs(number) < 1e15:
        return f"{number:.6g}"
    return f"{number:,.6g}" if abs(number) < 1e6 else f"{number:,.0f}"


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


def linear_parts(names: Any, rows: Any, coef: Any, intercept: float, originals: list[str]) -> list[Reason]:
    """Weight times value of each coordinate of one row, and the intercept, where they are not 0; the largest
    first."""
    import numpy as np

    values = np.ravel(rows.toarray() if hasattr(rows, "toarray") else rows)
    adds = coef * values
    parts = [
        Reason(names[k], float(adds[k]), value=float(values[k]), original=originals[k])
        for k in np.flatnonzero(adds)
    ]
    parts += [Reason("intercept", float(intercept), value=1.0)] if intercept else []
    return sorted(parts, key=lambda part: -abs(part.adds))


def _show(title: str, facts: dict[str, Any], parts: list[Reason], learner: Any) -> None:
    from ..sparse.weighted_conjunctions import aligned
    from .show import say, table

    by_rules = not any(part.value is not None for part in parts)
    has_few = hasattr(learner, "explain")  # rules of a sparse model: all are shown
    start = _start(parts, learner)
    parts = parts if start is None else parts[:-1]
    shown, rest = (parts, []) if has_few else (parts[:MOST_PARTS], parts[MOST_PARTS:])
    shown = [part for part in shown if part.adds or part.holds is not False]
    n_silent = len(parts) - len(shown) - len(rest)
    others = sum(part.adds for part in rest)
    numbers = [*(part.adds for part in shown), others, facts["score"] - (start or 0.0)]
    *adds, others_add, total = aligned(numbers, points=is_scorecard(learner))
    rows = [[part.rule, _how(part), added] for part, added in zip(shown, adds, strict=True)]
    rows += [[f"… and {len(rest)} more", "", others_add]] if rest else []
    say(f"{title}: {facts['prediction']}.")
    names = ["rule", "holds"] if by_rules else ["column", "value"]
    if rows:
        table([*names, "adds"], rows, right=["value", "adds"], whole=["holds"])
    if n_silent:
        silent = "rule does not hold, and adds" if n_silent == 1 else "rules do not hold, and add"
        say(f"{n_silent} {silent} nothing.")
    meaning = _meaning if start is None else _beside_points
    say(f"{meaning(total.strip(), facts, learner)}{_likely(facts, learner.classes_.tolist())}")
    if not by_rules:
        say(ENCODED)


def _likely(facts: dict[str, Any], classes: list[Any]) -> str:
    """The probability of the class predicted, or of the answer that a rejection replaces."""
    from .show import percent

    name, likely = facts["label"], facts["probability"]
    if likely is None:
        return ""
    if len(classes) == 2 and facts["answer"] == classes[0]:
        name, likely = classes[0], 1.0 - likely
    return f" Probability of {name}: {percent(likely)}."


def _how(part: Reason) -> str:
    if part.value is not None:
        return part.original or ""
    return "yes" if part.holds else "no"


def _meaning(total: str, facts: dict[str, Any], learner: Any) -> str:
    from .words import bands_of, when_it_answers

    bands, n_classes = bands_of(learner), len(learner.classes_)
    if bands is not None:
        return _beside_bands(total, facts, learner.classes_.tolist(), bands)
    if not float(total):  # for a score that is only nearly 0, more decimals
        total = f"{facts['score']:+.1g}"
    if _scorer(learner) is not learner:  # which decides by probabilities, or by how sure it is
        instead = f" (else {facts['answer']}). {when_it_answers(learner)}" if facts["rejected"] else "."
        return f"Sum {total}: {facts['prediction']}{instead}"
    if n_classes > 2:
        return f"Sum {total} for {facts['label']}, the highest of {n_classes} classes."
    sign = "> 0" if facts["score"] > 0 else "not > 0"
    return f"Sum {total}, which is {sign}: {facts['prediction']}."


def _start(parts: list[Reason], learner: Any) -> float | None:
    """The base points of a card of two classes, which stand on it as the total where the second begins."""
    on_a_card = is_scorecard(learner) and len(learner.classes_) == 2 and len(parts) > 1
    return parts[-1].adds if on_a_card else None


def _beside_points(total: str, facts: dict[str, Any], learner: Any) -> str:
    """The points as they are added up on the card."""
    least = 1 - round(facts["score"] - float(total))
    on = f"{learner.classes_.tolist()[1]} from {least} point{'s' * (least != 1)} on"
    return f"Sum {total}, {on}: {facts['prediction']}."


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
