"""What `predict` writes beside predictions: columns of the table, and probabilities."""

from pathlib import Path
from typing import Any

from .tables import Reading


def read_kept(path: Path, how: Reading, append: bool, id_column: str | None) -> dict[str, list[Any]]:
    """The columns of the table that are asked for, as they are written; an id comes first."""
    if not append and id_column is None:
        return {}
    from ..tables.read import read

    return columns_of(read(path, **how._asdict(), used=lambda name: False).frame, append, id_column)


def columns_of(frame: Any, append: bool, id_column: str | None) -> dict[str, list[Any]]:
    """Those that are asked for."""
    from ..tables.layout import check_name

    if id_column is not None:
        check_name(frame.columns, id_column)
    names = [*([] if id_column is None else [id_column]), *(frame.columns if append else [])]
    return {name: frame[name].to_list() for name in dict.fromkeys(names)}


def beside(kept: dict[str, list[Any]], columns: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Both; where the table has a column of the same name, a prediction gets another one."""
    if not kept:
        return columns
    cells = {name: ["" if value is None else value for value in values] for name, values in kept.items()}
    for name, values in columns.items():
        free = name
        while free in cells:
            free += "_2"
        cells[free] = values
    return cells


def probabilities(loaded: Any, encoded: Any) -> dict[str, list[Any]]:
    """A column per class: the model's own, or those of the calibration in its file."""
    from ..evaluation import probabilities_of
    from .expected import calibrated

    learner = loaded.learner
    found = probabilities_of(learner, encoded)
    if found is None and hasattr(learner, "decision_function"):
        found = calibrated(learner.decision_function(encoded), loaded.about)
    if found is None:
        raise ValueError(
            f"The model has no probabilities: a {type(learner).__name__} has none of its own, and was fitted "
            "without folds; fit it again with --folds 5."
        )
    names = learner.classes_.tolist()
    return {f"probability {name}": found[:, k].tolist() for k, name in enumerate(names)}
