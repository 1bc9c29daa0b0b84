"""`perceptrons explain`: why a model gives a row of a table its class, in parts that add up."""

import math
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
            help="The given number of rows about which the model is least certain.",
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
    """Explain why a model predicts what it does for a row of a table.

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
    parts: list[Any]  # `reasons.Reason`
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
    return options.read_row_numbers(rows)


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
    from ..reasons import is_scorecard, scored
    from .words import bands_as_dicts

    cells, unseen = loaded.lay_out(frame, row)
    encoded, learner = loaded.encode(cells), loaded.learner
    vector, label, score = scored(_scores(learner, encoded)[0], learner.classes_)
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


def _parts(loaded: Any, learner: Any, rows: Any, vector: int, cells: Any) -> list[Any]:
    import numpy as np

    from ..reasons import linear_parts, originals, rule_parts, votes

    if hasattr(learner, "explain"):
        return rule_parts(learner, rows)
    if hasattr(learner, "packed_"):
        return votes(loaded.encoder.get_feature_names_out(), learner, rows)
    if not hasattr(learner, "coef_"):
        raise ValueError(
            f"A {type(learner).__name__} compares a row with rows it has kept and has no weights of columns, "
            "so there are no parts to show; use a linear learner, or --learner sparse."
        )
    names, intercept = loaded.encoder.get_feature_names_out(), np.ravel(learner.intercept_)[vector]
    return linear_parts(names, rows, learner.coef_[vector], intercept, originals(loaded.encoder, cells)[0])


def _show(title: str, facts: dict[str, Any], parts: list[Any], learner: Any) -> None:
    from ..reasons import is_scorecard
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


def _how(part: Any) -> str:
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


def _start(parts: list[Any], learner: Any) -> float | None:
    """The base points of a card of two classes, which stand on it as the total where the second begins."""
    from ..reasons import is_scorecard

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
    """Signed, with this number of decimals, or more if numbers would look alike or like 0."""
    texts = [f"{number:+.{decimals}f}" if number else "0" for number in numbers]
    pairs = combinations([*zip(numbers, texts, strict=True), (0.0, "0")], 2)
    if all(one == other or float(text) != float(said) for (one, text), (other, said) in pairs):
        return texts
    return [f"{number:+}" if number else "0" for number in numbers]
