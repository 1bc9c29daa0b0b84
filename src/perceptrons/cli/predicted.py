"""What `predict` says of rows, and how it is written."""

import csv
import io
import sys
from typing import Any, NamedTuple

from ..texts import printable

ALTERED = (
    "Some texts are written with ' before them, or with escapes, so that no program computes or obeys them; "
    "--raw writes them as they are"
)


class Told(NamedTuple):
    """What is said beside the predictions."""

    n_rows: int
    n_rejected: int
    altered: bool
    unseen: list[Any]


def answers(loaded: Any, encoded: Any, scores: bool, proba: bool) -> tuple[dict[str, list[Any]], int | None]:
    """Predictions and what is asked for beside them; and how many are rejections, where there may be some."""
    from .appended import probabilities

    columns: dict[str, list[Any]] = {"prediction": loaded.learner.predict(encoded).tolist()}
    if scores:
        columns |= score_columns(loaded.learner, encoded)
    if proba:
        columns |= probabilities(loaded, encoded)
    rejected = loaded.rejected(encoded)
    return columns, None if rejected is None else int(rejected.sum())


def score_columns(learner: Any, encoded: Any) -> dict[str, list[Any]]:
    values = learner.decision_function(encoded)
    if values.ndim == 1:
        return {"score": values.tolist()}
    return {f"score {name}": values[:, k].tolist() for k, name in enumerate(learner.classes_.tolist())}


def as_csv(columns: dict[str, list[Any]], mark: str = ",") -> str:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=mark, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return text.getvalue()


def print_text(text: str) -> None:
    """To a terminal what can be shown, to a pipe what is, in UTF-8 as in a file."""
    if sys.stdout.isatty():
        sys.stdout.writelines(printable(line) + "\n" for line in text.split("\n")[:-1])
    else:
        sys.stdout.flush()
        rest = memoryview(text.encode())
        while rest:  # without a buffer (`python -u`) a pipe takes a part at a time
            rest = rest[sys.stdout.buffer.write(rest) :]
