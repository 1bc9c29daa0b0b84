"""The rows of a report: cells as the model takes them, classes, weights, groups, and their numbers in the
table."""

from pathlib import Path
from typing import Any, NamedTuple

from .evaluate import labeled
from .models import Loaded
from .tables import Reading


class ReportRows(NamedTuple):
    rows: tuple[Any, Any, Any]  # X, y, weights
    groups: Any  # the column of the groups; None if none was asked for
    numbers: Any  # of the rows that have a class
    unseen: list[Any]


def read_report_rows(loaded: Loaded, path: Path, target: str, by: str | None, how: Reading) -> ReportRows:
    from ..tables.layout import as_fitted, check_name, labels_of
    from ..tables.weight_column import read_weights

    weight: Any = loaded.about.get("weight")
    frame = loaded.read_table(path, how, target, weight, by)
    if by is not None:
        check_name(frame.columns, by)
    there = frame[target].is_not_null() if target in frame.columns else None
    frame, _ = labeled(frame, target)
    cells, unseen = loaded.lay_out(frame)
    return ReportRows(
        (
            as_fitted(cells, loaded.encoder),
            labels_of(frame, target, loaded.learner.classes_),
            read_weights(frame, weight) if weight in frame.columns else None,
        ),
        None if by is None else frame[by],
        there.arg_true().to_numpy() + 1 if there is not None else None,
        unseen,
    )
