"""`TableEncoder`: the columns of a table become the coordinates of rows that a perceptron can add up.

    numeric   (x - mean) / sd over the rows fitted; a constant column is 0; missing is 0, the mean
    boolean   +1 or -1; missing is 0
    nominal   one coordinate per value, 1 where it stands; missing and unknown values set none

So no coordinate is large because its unit is small, and what is missing adds nothing. Unlike StandardScaler,
a column that was constant stays 0 whatever it holds later: nothing can have been learned from it. Of a frame,
columns that cannot teach are left out, and texts that write numbers or dates are read as such: `treatments`
says when. Means and
deviations are computed without overflow, for numbers of any size. Rows may have weights: an integer counts
like as many copies of the row, and a row of weight 0 is as if absent.
"""

from collections.abc import Iterable
from typing import Any, ClassVar, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from .._types import Array
from ..checks import row_weights
from ..model_file import declarations as fields
from ..stream_sources import open_source
from .cells import (
    BOOLEAN,
    NOMINAL,
    NUMERIC,
    Column,
    as_numbers,
    as_signs,
    as_texts,
    columns,
    kind_of,
    require_names,
)
from .streamed_columns import SeenColumn, SeenTable, see_table
from .treatments import TREATMENTS, choose, may_be_absent, parts, treated

WIDE, MOSTLY_ZEROS = 100, 0.3  # CSR from 100 coordinates on, if a smaller share than 0.3 is not 0
HUGE = 1e300  # the difference of two numbers like this may overflow
Entries = tuple[Array, Array, Array]  # rows, coordinates, values


class LearnedColumn(NamedTuple):
    """What was learned from one column; `filled` is the weight of the cells that are not encoded as 0."""

    kind: str
    filled: float
    mean: float = 0.0
    scale: float = 0.0
    categories: tuple[str, ...] = ()


class TableEncoder(TransformerMixin, BaseEstimator):
    """Turn a pandas or polars frame, or a 2-D array, into rows of float64: dense, or CSR if mostly zeros.

    Parameters
    ----------
    keep : None, "all" or list of names, default None
        Columns of a frame to keep although they seem to carry no information: ids, counters, free text,
        constant and empty columns. "all" keeps every column.

    Attributes
    ----------
    treatments_ : list of str
        One text per column of the table: "as it is", why it is left out ("counter", "names of rows", "free
        text", "constant", "empty"), or how its texts are read ("decimal comma", "day-month-year", ...).
    kinds_ : list of {"numeric", "boolean", "nominal"}
        One entry per column that is used. A date becomes several columns: days since 1970, year, month and
        weekday.
    means_, scales_ : array
        One entry per column; the scale is 0 where the column is constant or not numeric.
    categories_ : list of lists of str
        One list per column; it is empty unless the column is nominal.
    sparse_ : bool
        Whether rows are returned as CSR, which is decided by the rows of `fit`.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from perceptrons import TableEncoder
    >>> X = [[20, True, "Kenya"], [40, False, "Peru"], [None, None, None]]
    >>> encoder = TableEncoder().fit(X)
    >>> encoder.transform(X)
    array([[-1.,  1.,  1.,  0.],
           [ 1., -1.,  0.,  1.],
           [ 0.,  0.,  0.,  0.]])
    >>> encoder.get_feature_names_out().tolist()
    ['x0', 'x1', 'x2 = Kenya', 'x2 = Peru']
    """

    _file_fields: ClassVar[dict[str, fields.Field]] = {
        **fields.COLUMNS,
        "treatments_": fields.IfSet(fields.Each(fields.Choice(*TREATMENTS), "features")),
        "kinds_": fields.Each(fields.Choice(NUMERIC, BOOLEAN, NOMINAL), "parts"),
        "means_": fields.Array(("float64",), ("parts",)),
        "scales_": fields.Array(("float64",), ("parts",)),
        "categories_": fields.Each(fields.Each(fields.Text()), "parts"),
        "sparse_": fields.Flag(),
    }

    def __init__(self, *, keep: Any = None) -> None:
        self.keep = keep

    def _loaded(self) -> None:
        """Have nominal columns categories, and only they? Is every scale a deviation?"""
        check_parts(self)
        for kind, categories in zip(self.kinds_, self.categories_, strict=True):
            if (kind != NOMINAL and categories) or len(set(categories)) < len(categories):
                raise ValueError(f"categories_ has {categories[:5]} for a column that is {kind}")
        if (self.scales_ < 0).any():
            raise ValueError(f"scales_ has {self.scales_.min()}, but a deviation is >= 0")

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> "TableEncoder":
        """Learn kinds, means, scales and categories; `y` is not looked at."""
        table, weights = _rows_that_count(shaped_columns(X), sample_weight)
        treatments = choose(X, table, self.keep)
        learned = [_learn(column, weights) for column in treated(table, treatments)]
        validate_data(self, X, skip_check_array=True, reset=True)  # from here on nothing raises
        self._set(treatments, learned, float(weights.sum()))
        return self

    def _set(self, treatments: list[str], learned: list[LearnedColumn], weight: float) -> None:
        """What was learned from the columns of rows that weigh so much."""
        self.treatments_ = treatments
        self.kinds_ = [one.kind for one in learned]
        self.means_ = np.array([one.mean for one in learned])
        self.scales_ = np.array([one.scale for one in learned])
        self.categories_ = [list(one.categories) for one in learned]
        cells = weight * self._width()
        self.sparse_ = self._width() >= WIDE and sum(one.filled for one in learned) < MOSTLY_ZEROS * cells

    def fit_stream(self, source: Any, *, batch_rows: int | None = None) -> "TableEncoder":
        """Learn from rows that come batch by batch, in one pass, as from all of them in memory.

        `source` as in `Perceptron.fit_stream`, an iterator included; labels are not looked at. Means and
        deviations are the same up to rounding, and so is what is left out, as long as a column has no more
        than 65,536 different values; one of more names is left out if it names rows, else refused.
        """
        return self.fit_seen(see_table(open_source(source, batch_rows), self.keep, quantiles=False))

    def fit_seen(self, seen: SeenTable) -> "TableEncoder":
        """Learn from columns that were seen part by part."""
        learned = [_learn_seen(one) for one in seen.columns]
        validate_data(self, seen.first, skip_check_array=True, reset=True)
        self._set(seen.treatments, learned, seen.weight)
        return self

    def transform(self, X: Any) -> Any:
        """The rows in coordinates."""
        check_is_fitted(self)
        table = read_columns(self, X)
        shape, starts = (len(table[0].values), self._width()), np.cumsum([0, *self._widths()])
        entries = (self._entries(j, column, starts[j]) for j, column in enumerate(table))
        return csr_of(entries, shape) if self.sparse_ else _dense(entries, shape)

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """The column's name; with one coordinate per value, "column = value"."""
        check_is_fitted(self)
        names = part_names(self, input_features)
        coordinates = [
            [f"{name} = {value}" for value in values] if kind == NOMINAL else [name]
            for name, kind, values in zip(names, self.kinds_, self.categories_, strict=True)
        ]
        return np.array([name for some in coordinates for name in some], dtype=object)

    def _widths(self) -> list[int]:
        pairs = zip(self.kinds_, self.categories_, strict=True)
        return [len(values) if kind == NOMINAL else 1 for kind, values in pairs]

    def _width(self) -> int:
        return sum(self._widths())

    def _entries(self, j: int, column: Column, start: int) -> Entries:
        """What column j sets, its coordinates beginning at `start`: rows, coordinates, values."""
        if self.kinds_[j] == NOMINAL:
            require_names(column, self.categories_[j])
            index = {value: place for place, value in enumerate(self.categories_[j])}
            codes = np.array([index.get(text, -1) for text in as_texts(column)], dtype=np.int64)  # type: ignore[arg-type]
            known = np.flatnonzero(codes >= 0)
            return known, start + codes[known], np.ones(len(known))
        if self.kinds_[j] == BOOLEAN:
            values = as_signs(column)
        else:
            values = standardize(column, self.means_[j], self.scales_[j])
        rows = np.flatnonzero(values)
        return rows, np.full(len(rows), start), values[rows]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = tags.input_tags.categorical = tags.input_tags.allow_nan = True
        return tags


def _dense(entries: Iterable[Entries], shape: tuple[int, int]) -> Array:
    dense = np.zeros(shape)
    for rows, places, values in entries:
        dense[rows, places] = values
    return dense


def csr_of(entries: Iterable[Entries], shape: tuple[int, int]) -> Any:
    """CSR from what each column sets, with indices of 32 bits where they do: trees want them."""
    rows, places, values = map(np.concatenate, zip(*entries, strict=True))
    index = np.int32 if max(*shape, len(values)) < 2**31 else np.int64
    return sp.csr_array((values, (rows.astype(index), places.astype(index))), shape)


def shaped_columns(X: Any) -> list[Column]:
    """The columns, of which there is one at least, and a row."""
    table = columns(X)
    check_shape(len(table[0].values) if table else len(X), len(table))
    return table


def read_columns(encoder: Any, X: Any) -> list[Column]:
    """The columns, their names and number checked against those fitted."""
    table = shaped_columns(X)
    if may_be_absent(encoder, X):
        table = with_absent(encoder, table)
    else:
        validate_data(encoder, X, skip_check_array=True, reset=False)
    names = getattr(encoder, "feature_names_in_", None)  # an array may follow a frame
    if names is not None:
        table = [column._replace(name=name) for column, name in zip(table, names, strict=True)]
    return treated(table, getattr(encoder, "treatments_", None))


def with_absent(encoder: Any, table: list[Column]) -> list[Column]:
    """The columns fitted, those that were left out and are absent without values."""
    there = {column.name: column for column in table}
    nothing = np.full(len(table[0].values), None)
    return [there.get(name, Column(name, nothing)) for name in encoder.feature_names_in_]


def check_parts(encoder: Any) -> None:
    """Of an encoder from a file: is there a kind for each column that is used?"""
    n_parts = len(parts(names_in(encoder), getattr(encoder, "treatments_", None)))
    n_parts += len(getattr(encoder, "_groups", []))
    if len(encoder.kinds_) != n_parts:
        raise ValueError(f"kinds_ has {len(encoder.kinds_)} kinds, but {n_parts} columns are used")


def part_names(encoder: Any, given: Any = None) -> list[str]:
    """The names of the columns that are used, as `names_in` has them, and of the parts of dates."""
    treatments = getattr(encoder, "treatments_", None)
    return [part.name for part in parts(names_in(encoder, given), treatments)]


def check_shape(n_rows: int, n_columns: int) -> None:
    if not n_columns:
        raise ValueError(f"0 feature(s) (shape=({n_rows}, 0)) while a minimum of 1 is required.")
    if not n_rows:
        raise ValueError(f"0 sample(s) (shape=(0, {n_columns})) while a minimum of 1 is required.")


def names_in(encoder: Any, given: Any = None) -> list[str]:
    """The names of the columns: those fitted, else those given, else x0, x1, ..."""
    own = getattr(encoder, "feature_names_in_", None)
    if given is None:
        return list(own) if own is not None else [f"x{j}" for j in range(encoder.n_features_in_)]
    if own is not None and list(given) != list(own):
        raise ValueError("input_features is not equal to feature_names_in_, the names fitted; leave it out.")
    if len(given) != encoder.n_features_in_:
        raise ValueError(
            f"input_features should have length equal to number of features ({encoder.n_features_in_}), got "
            f"{len(given)}."
        )
    return list(given)


def _rows_that_count(table: list[Column], sample_weight: Any) -> tuple[list[Column], Array]:
    """The cells of rows that have a weight, and the weights: ones if all are the same, so that means are as
    without, else brought below 1 by a power of 2, lest their sum overflow."""
    n_rows = len(table[0].values)
    if sample_weight is None:
        return table, np.ones(n_rows)
    weights = row_weights(sample_weight, range(n_rows), np.float64)
    there = weights > 0.0
    weights = weights[there]
    same = bool((weights == weights[0]).all())
    weights = np.ones(len(weights)) if same else np.ldexp(weights, -np.frexp(weights.max())[1])
    return [column._replace(values=column.values[there]) for column in table], weights


def _learn(column: Column, weights: Array) -> LearnedColumn:
    kind = kind_of(column)
    if kind == NUMERIC:
        numbers = as_numbers(column)
        there = ~np.isnan(numbers)
        mean, scale = mean_and_deviation(numbers[there], weights[there])
        return LearnedColumn(kind, float(weights[there].sum()) if scale else 0.0, mean, scale)
    if kind == BOOLEAN:
        return LearnedColumn(kind, float(weights[as_signs(column) != 0.0].sum()))
    texts = as_texts(column)
    filled = float(weights[[text is not None for text in texts]].sum())
    names = {text for text in texts if text is not None}
    by = float if column.values.dtype.kind in "iuf" else str  # categories that are numbers keep their order
    return LearnedColumn(kind, filled, categories=tuple(sorted(names, key=by)))


def _learn_seen(seen: SeenColumn) -> LearnedColumn:
    """The same from a cell for each distinct value."""
    if seen.numbers is None:
        return _learn(seen.column, seen.weights)
    mean, scale = seen.numbers.mean_and_deviation()
    return LearnedColumn(NUMERIC, seen.numbers.weight if scale else 0.0, mean, scale)


def mean_and_deviation(x: Array, weights: Array) -> tuple[float, float]:
    """Computed from numbers brought below 1, whose squares cannot overflow, by a power of 2: nothing is lost.
    The deviation is 0 where it is no more than rounding (as scikit-learn has it)."""
    if not len(x):
        return 0.0, 0.0
    if x.min() == x.max():
        return float(x[0]), 0.0
    exponent = int(np.frexp(np.abs(x).max())[1])
    small = np.ldexp(x, -exponent)
    mean = np.average(small, weights=weights)
    deviation = np.sqrt(np.average((small - mean) ** 2, weights=weights))
    if deviation <= len(x) * np.finfo(float).eps * abs(mean):
        deviation = 0.0
    return float(np.ldexp(mean, exponent)), float(np.ldexp(deviation, exponent))


def standardize(column: Column, mean: float, scale: float) -> Array:
    x = as_numbers(column)
    if scale == 0.0:
        return np.zeros(len(x))
    x[np.isnan(x)] = mean
    half = 0.5 if max(np.abs(x).max(), abs(mean)) > HUGE else 1.0
    with np.errstate(over="ignore"):
        values = (half * x - half * mean) / (half * scale)
    if not np.isfinite(values).all():
        far = column.values[np.flatnonzero(~np.isfinite(values))[0]]
        raise ValueError(
            f"Column {column.name!r} holds {far}, too far from the {mean:.3g} ± {scale:.3g} of the rows "
            "fitted to be standardized; mark it as missing or fit on such rows, too."
        )
    return values
