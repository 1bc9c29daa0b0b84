"""The column that holds the weight of each row: how much the row counts, 0 if not at all."""

from .._types import Array
from .cells import shown
from .layout import check_name
from .read import Frame, Series, as_numbers_or_null

MOST = 1e30  # as for every learner


def split_weights(frame: Frame, name: str, target: str) -> tuple[Frame, Array]:
    """The rows that count, without the column of weights, and their weights, all > 0."""
    weights = read_weights(frame, name)
    check_name(frame.columns, target)
    rows = weights.nonzero()[0]
    _check_every_class(frame[target], frame[target][rows], name)
    return frame.drop(name)[rows], weights[rows]


def read_weights(frame: Frame, name: str, some: bool = True) -> Array:
    """The weights in a column, of which each cell holds a number >= 0, and `some` a larger one."""
    check_name(frame.columns, name)
    column = frame[name]
    _check_no_gap(column)
    numbers = as_numbers_or_null(column)
    good = numbers.is_between(0.0, MOST).fill_null(False)
    if not good.all():
        row = int((~good).arg_max() or 0)
        what = shown(column[row]) if numbers[row] is None else f"{numbers[row]:g}"
        raise ValueError(
            f"The weight column {column.name!r} holds {what} in row {row + 1}, but a weight must be a number "
            f"from 0 to {MOST:g}; use 0 to leave a row out."
        )
    if some and not numbers.sum():
        raise ValueError(f"All weights in the column {column.name!r} are 0; some must be > 0.")
    return numbers.to_numpy()


def _check_no_gap(column: Series) -> None:
    missing = column.null_count()
    if missing:
        row = int(column.is_null().arg_max() or 0)
        raise ValueError(
            f"{missing:,} of {len(column):,} rows have no value in the weight column {column.name!r}, the "
            f"first of them row {row + 1}; fill them in, or use 0 to leave a row out."
        )


def _check_every_class(labels: Series, kept: Series, name: str) -> None:
    """Has each class a row that counts? A row of weight 0 may have no label."""
    lost = labels.drop_nulls().filter(~labels.drop_nulls().is_in(kept.unique().to_list()))
    if len(lost):
        raise ValueError(
            f"All rows of the class {shown(lost[0])} have weight 0 in the column {name!r}, so it cannot be "
            "learned; remove its rows, or give some a weight > 0."
        )
