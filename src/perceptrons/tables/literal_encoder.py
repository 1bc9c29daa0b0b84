"""`LiteralEncoder`: the columns of a table become literals, statements that are true of a row or not.

    nominal   one per value: odor = none
    boolean   both values: fever = false, fever = true
    numeric   x > t, at quantiles of the rows fitted: age > 47.5

Jackson and Craven, "Learning Sparse Perceptrons", section 3.3: their features are discrete, an attribute with
a value. Deviations: numeric columns (their future work); rows may have weights, and one of weight 0 is as if
absent; a missing or unknown value makes no literal of its column true; a column of very many names keeps the
commonest, with a warning. Of a frame, columns that cannot teach are left out, and texts that write numbers or
dates are read as such (`treatments`): opened > 2024-03-01, weekday of opened = Sun. Columns may be joined
(`groups`).
"""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise
from numbers import Integral
from typing import Any, ClassVar, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from .._types import Array
from ..checks import count_rows, number, row_weights
from ..input_kinds import check_table
from ..model_file import declarations as fields
from ..stream_sources import open_source
from ..structure import check_structure
from ..texts import printable
from .cells import BOOLEAN, NOMINAL, NUMERIC, Column, check_names, column_of, require_names
from .dates import Hours, Moment
from .joined_columns import group_names, joined_column, read_groups
from .literal_cells import (
    TRUTHS,
    AnyColumn,
    CodedNames,
    Columns,
    LiteralCodes,
    SparseColumn,
    StoredColumns,
    categories,
    cells_of,
    csr_of_codes,
    in_rows,
    kind_of_any,
    literal_codes,
    literal_truth,
    n_rows_of,
)
from .streamed_columns import SeenColumn, SeenTable, see_table
from .table_encoder import (
    check_parts,
    check_shape,
    names_in,
    part_names,
    shaped_columns,
    with_absent,
)
from .thresholds import Numbers, spelled, thresholds, whole_weights
from .treatments import AS_IS, LEFT_OUT, TREATMENTS, Part, choose, may_be_absent, parts, treated

WIDE, MOSTLY_ZEROS = 100, 6  # literals from which rows are CSR, if fewer than one cell in six is 1
# memory then, and sums over pairs of literals take less time
MOST = 1_000_000  # literals of a column


class Literal(NamedTuple):
    """A statement about one column."""

    column: str
    relation: str  # "=" or ">"
    value: str | float

    def __str__(self) -> str:
        return printable(f"{self.column} {self.relation} {self.shown}")  # a line break would make two rules

    @property
    def shown(self) -> str:
        """The value in words."""
        as_text = isinstance(self.value, str | Moment | Hours)
        return str(self.value) if as_text else spelled(self.value)  # type: ignore[arg-type]


class LearnedLiterals(NamedTuple):
    """What was learned from one column: the values of its literals, and which of them its cells make true."""

    kind: str
    values: Sequence[Any]
    codes: LiteralCodes


class LiteralEncoder(TransformerMixin, BaseEstimator):
    """Turn a frame, a 2-D array or a sparse matrix into rows of 0 and 1, a column for each literal.

    Parameters
    ----------
    n_thresholds : int, default 8
        The largest number of literals of a numeric column, at quantiles i/(n_thresholds + 1).
    max_categories : int, default 256
        The largest number of literals of a nominal column, those of its most frequent values.
    keep : None, "all" or list of names, default None
        Columns that are not left out, as in `TableEncoder`.
    groups : None, int or list of lists of columns, default None
        The columns of each list, given by name or number, are joined into an additional one, whose values are
        those of all of them: p1 p2 p3 = a t g. An int joins every run of that many adjacent columns of names.

    Attributes
    ----------
    literals_ : list of Literal
        The literals (column, relation, value).
    treatments_ : list of str
        One text per column of the table, as in `TableEncoder`.
    attributes_ : int64 array
        Literal i is about column `attributes_[i]`, among the columns that are used.
    groups_ : list of lists of int
        The columns that are joined; the joined columns come last.
    sources_ : list of tuples of int
        The columns of the table from which each used column is made.
    kinds_ : list of {"numeric", "boolean", "nominal"}
        One entry per column that is used. A date becomes several columns.
    thresholds_ : list of lists of float
        One list per column; it is empty unless the column is numeric.
    categories_ : list of lists of str
        One list per column; it is empty unless the column is nominal.
    sparse_ : bool
        Whether rows are returned as CSR, which is decided by the rows of `fit`.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from perceptrons import LiteralEncoder
    >>> X = [["red", 1.5, True], ["white", 4, None], [None, 9, False], ["red", None, True]]
    >>> encoder = LiteralEncoder(n_thresholds=2).fit(X)
    >>> rows = encoder.transform(X)
    >>> for literal, cells in zip(encoder.get_feature_names_out(["cap", "width", "ring"]), rows.T):
    ...     print(f"{literal:12}", *cells)
    cap = red    1 0 0 1
    cap = white  0 1 0 0
    width > 1.5  0 1 1 0
    width > 4    0 0 1 0
    ring = false 0 0 1 0
    ring = true  1 0 0 1
    """

    _file_fields: ClassVar[dict[str, fields.Field]] = {
        **fields.COLUMNS,
        "treatments_": fields.IfSet(fields.Each(fields.Choice(*TREATMENTS), "features")),
        "kinds_": fields.Each(fields.Choice(NUMERIC, BOOLEAN, NOMINAL), "parts"),
        "thresholds_": fields.Each(fields.Each(fields.Real()), "parts"),
        "categories_": fields.Each(fields.Each(fields.Text()), "parts"),
        "sparse_": fields.Flag(),
        "_groups": fields.IfSet(fields.Each(fields.Each(fields.Count()))),
    }

    def __init__(
        self, *, n_thresholds: int = 8, max_categories: int = 256, keep: Any = None, groups: Any = None
    ) -> None:
        self.n_thresholds = n_thresholds
        self.max_categories = max_categories
        self.keep = keep
        self.groups = groups

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> "LiteralEncoder":
        """Learn kinds, thresholds and categories; `y` is not looked at."""
        self._fit(X, sample_weight)
        return self

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """The same as `fit(X).transform(X)`, but the columns are read once."""
        return self.fit_rows(X, sample_weight)

    def fit_rows(self, X: Any, sample_weight: Any) -> Any:
        """What `fit_transform` returns where no `set_output` makes something else of it."""
        table, there, codes = self._fit(X, sample_weight)
        return self._rows(n_rows_of(table), codes if there is table else self._codes(table))

    def fit_present(self, X: Any, sample_weight: Any) -> Any:
        """The same rows without those of weight 0, whose cells are not looked at."""
        n_rows, codes = self._fit_codes(X, sample_weight)
        return self._rows(n_rows, codes)

    def _fit_codes(self, X: Any, sample_weight: Any) -> tuple[int, list[LiteralCodes]]:
        """Learn; the columns themselves, which may be copies, are not needed any more."""
        _, there, codes = self._fit(X, sample_weight)
        return n_rows_of(there), codes

    def fit_codes(self, X: Any, sample_weight: Any) -> tuple[list[LiteralCodes], int]:
        """The cells of the rows of weight > 0 in codes, a column each, and the number of these rows."""
        _, there, codes = self._fit(X, sample_weight)
        return codes, n_rows_of(there)

    def fit_stream(self, source: Any, *, batch_rows: int | None = None) -> "LiteralEncoder":
        """Learn from rows that come batch by batch, in one pass, as from all of them in memory.

        `source` as in `Perceptron.fit_stream`, an iterator included; labels are not looked at. Thresholds and
        categories are the same as long as a column has no more than 65,536 different values. Of more numbers
        they are quantiles of a sketch: of n rows, the rank of one is off by no more than a share of
        log2(n/8192)/16384, 0.1 % of 100,000,000 rows. A column of more names is left out if it names rows,
        else refused. Sparse rows and `groups` are not for streams.
        """
        if self.groups is not None:
            raise ValueError(f"groups={self.groups!r} is not for fit_stream, which sees columns one by one.")
        return self.fit_seen(see_table(open_source(source, batch_rows), self.keep, quantiles=True))

    def fit_seen(self, seen: SeenTable) -> "LiteralEncoder":
        """Learn from columns that were seen part by part."""
        n_thresholds, max_categories = self._limits()
        learned = [_learn_seen(one, n_thresholds, max_categories) for one in seen.columns]
        self._set(seen.first, learned, seen.treatments, [], seen.n_rows)
        ones = sum(_share_of_ones(one, found) for one, found in zip(seen.columns, learned, strict=True))
        self.sparse_ = len(self.literals_) >= WIDE and MOSTLY_ZEROS * ones < len(self.literals_) * seen.weight
        return self

    def transform(self, X: Any) -> Any:
        """Which literals are true of each row: uint8, C-ordered, or CSR."""
        check_is_fitted(self)
        table = _read(self, X)
        return self._rows(n_rows_of(table), self._codes(table))

    def codes(self, X: Any) -> list[LiteralCodes]:
        """Which literals are true of each row, as a small number for each column and row."""
        check_is_fitted(self)
        return self._codes(_read(self, X))

    def evaluate(self, X: Any, places: Any, owner: Any = None) -> Array:
        """Which of the literals with these places are true of each row: uint8, Fortran-ordered.

        The cells of columns that they do not speak of are not looked at. With `owner`, an estimator fitted to
        the same columns, complaints about columns speak of it.
        """
        check_is_fitted(self)
        chosen = _check_places(places, len(self.literals_))
        owners = self.attributes_[chosen]
        used = np.unique(owners).tolist()
        n_rows, table = _read_some(self, self if owner is None else owner, X, used)
        truth = np.empty((n_rows, len(chosen)), np.uint8, order="F")
        for j, column in table.items():
            cells = self._cells(j, column)
            for k in np.flatnonzero(owners == j):
                truth[:, k] = literal_truth(cells, self.literals_[chosen[k]].value)
        return truth

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """The literals as texts: "odor = none", "age > 47.5"."""
        check_is_fitted(self)
        names = self._names(input_features)
        owners = self.attributes_.tolist()
        texts = [str(one._replace(column=names[j])) for one, j in zip(self.literals_, owners, strict=True)]
        return np.array(texts, dtype=object)

    def _fit(self, X: Any, sample_weight: Any) -> tuple[Columns, Columns, list[LiteralCodes]]:
        """Learn. Returns the columns, the same in the rows of weight > 0, and the cells of these in codes."""
        n_thresholds, max_categories = self._limits()
        table: Any = _columns(X)
        there: Any = table
        weights = None if sample_weight is None else row_weights(sample_weight, range(n_rows_of(table)))
        if weights is not None:
            if not weights.all():
                there = [in_rows(column, weights > 0) for column in table]
            weights = whole_weights(weights[weights > 0], n_thresholds)
        treatments = choose(X, there, self.keep)
        groups = read_groups(self.groups, there, [one == AS_IS for one in treatments])
        same, there = there is table, _with_groups(there, treatments, groups)
        table = there if same else _with_groups(table, treatments, groups)
        learned = [_learn(column, weights, n_thresholds, max_categories) for column in there]
        self._set(X, learned, treatments, groups, n_rows_of(there))
        codes = [one.codes for one in learned]
        self.sparse_ = self._is_sparse(n_rows_of(there), codes, weights)
        return table, there, codes

    def _limits(self) -> tuple[int, int]:
        """The most literals of a numeric and of a nominal column."""
        n_thresholds = number("n_thresholds", self.n_thresholds, f"[1, {MOST}]", "use 8", Integral)
        most = number("max_categories", self.max_categories, f"[2, {MOST}]", "use 256", Integral)
        return int(n_thresholds), int(most)

    def _set(
        self,
        X: Any,
        learned: list[LearnedLiterals],
        treatments: list[str],
        groups: list[list[int]],
        n_rows: int,
    ) -> None:
        """What was learned from the columns."""
        if not any(one.values for one in learned):
            raise ValueError(
                f"No column tells rows apart (n_samples={n_rows}): a numeric one has one number "
                "in all rows, or nearly all; any other has no value. Give rows that differ, raise "
                "n_thresholds, or turn numbers into texts where they are names."
            )
        validate_data(self, X, skip_check_array=True, reset=True)  # from here on nothing raises
        self.treatments_, self._groups = treatments, groups
        self.kinds_ = [one.kind for one in learned]
        self.thresholds_ = [list(one.values) if one.kind == NUMERIC else [] for one in learned]
        self.categories_ = [list(one.values) if one.kind == NOMINAL else [] for one in learned]
        self._loaded()

    def _loaded(self) -> None:
        """Literals and their columns, which follow from the rest; has each column what its kind needs?"""
        self._groups = getattr(self, "_groups", None) or []
        if any(not 0 <= j < self.n_features_in_ for group in self._groups for j in group):
            raise ValueError(f"groups has {self._groups}, but there are {self.n_features_in_} columns")
        check_parts(self)
        for kind, cuts, names in zip(self.kinds_, self.thresholds_, self.categories_, strict=True):
            if (kind != NOMINAL and names) or len(set(names)) < len(names):
                raise ValueError(f"categories_ has {names[:5]} for a column that is {kind}")
            if (kind != NUMERIC and cuts) or any(one >= other for one, other in pairwise(cuts)):
                raise ValueError(
                    f"thresholds_ has {cuts[:5]} for a column that is {kind}; they must increase"
                )
        values = [self._shown(j, part) for j, part in enumerate(self._parts_said())]
        self.attributes_ = np.repeat(np.arange(len(values)), [len(some) for some in values])
        self.literals_ = [
            Literal(name, ">" if kind == NUMERIC else "=", value)
            for name, kind, some in zip(self._names(), self.kinds_, values, strict=True)
            for value in some
        ]

    def _values(self, j: int) -> Sequence[Any]:
        by_kind = {NUMERIC: self.thresholds_[j], NOMINAL: self.categories_[j], BOOLEAN: TRUTHS}
        return by_kind[self.kinds_[j]]

    def _shown(self, j: int, part: str) -> Sequence[Any]:
        """The same; numbers that stand for dates and times are shown as such."""
        make = {"days": Moment, "hours": Hours}.get(part)
        return self._values(j) if make is None else [make(value) for value in self._values(j)]

    @property
    def groups_(self) -> list[list[int]]:
        """The columns that are joined."""
        return self._groups

    @property
    def sources_(self) -> list[tuple[int, ...]]:
        """The columns of the table of which each column that is used is made."""
        return [(part.source,) for part in self._parts()] + [*map(tuple, self._groups)]

    @property
    def left_out_(self) -> list[str]:
        """The names of the columns of a frame that are left out."""
        pairs = zip(getattr(self, "feature_names_in_", []), self.treatments_, strict=False)
        return [name for name, one in pairs if one in LEFT_OUT]

    def _parts(self) -> list[Part]:
        """The columns that are used, except for those of groups."""
        return parts(["x"] * self.n_features_in_, getattr(self, "treatments_", None))

    def part_of(self, j: int) -> str:
        """What of a date or a time a column that is used says: "days", "month", …; "" if it is whole."""
        return self._parts_said()[j]

    def _parts_said(self) -> list[str]:
        """The same of all columns."""
        return [part.part for part in self._parts()] + [""] * len(self._groups)

    def _names(self, given: Any = None) -> list[str]:
        """The names of the columns that are used."""
        return part_names(self, given) + group_names(names_in(self, given), self.groups_)

    def _starts(self) -> list[int]:
        """The place of each column's first literal, and their number."""
        return [int(place) for place in np.searchsorted(self.attributes_, np.arange(len(self.kinds_) + 1))]

    def _is_sparse(self, n_rows: int, codes: list[LiteralCodes], weights: Array | None) -> bool:
        if len(self.literals_) < WIDE:
            return False
        total = n_rows if weights is None else int(weights.sum())
        return MOSTLY_ZEROS * sum(one.ones(weights, total) for one in codes) < total * len(self.literals_)

    def _codes(self, table: Columns) -> list[LiteralCodes]:
        return [literal_codes(self._cells(j, column), self._values(j)) for j, column in enumerate(table)]

    def _cells(self, j: int, column: AnyColumn) -> Numbers | CodedNames:
        """The cells of column j, which must be such as the literals can speak of."""
        if self.kinds_[j] == NOMINAL:
            whole = column.whole() if isinstance(column, SparseColumn) else column
            require_names(whole, self.categories_[j])
        return cells_of(column, self.kinds_[j])

    def _rows(self, n_rows: int, codes: list[LiteralCodes]) -> Any:
        shape, starts = (n_rows, len(self.literals_)), self._starts()
        if self.sparse_:
            return csr_of_codes(codes, starts, shape)
        rows = np.empty(shape, np.uint8)
        for one, (start, end) in zip(codes, pairwise(starts), strict=True):
            one.fill(rows[:, start:end])
        return rows

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = tags.input_tags.categorical = tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = []
        return tags


def _learn(
    column: AnyColumn, weights: Array | None, n_thresholds: int, max_categories: int
) -> LearnedLiterals:
    kind = kind_of_any(column)
    cells = cells_of(column, kind)
    values: Sequence[Any] = TRUTHS
    if isinstance(cells, Numbers):
        values = thresholds(cells, weights, n_thresholds)
    elif kind == NOMINAL:
        values = categories(column, cells, weights, max_categories)
    elif not cells.any():  # no array of None shows that truth values were meant: no frame shall either
        kind, values = NOMINAL, ()
    return LearnedLiterals(kind, values, literal_codes(cells, values))


def _learn_seen(seen: SeenColumn, n_thresholds: int, max_categories: int) -> LearnedLiterals:
    """The same from a cell for each distinct value."""
    if seen.numbers is None:
        whole = whole_weights(seen.weights, n_thresholds) if len(seen.weights) else None
        return _learn(seen.column, whole, n_thresholds, max_categories)
    values = seen.numbers.thresholds(n_thresholds) if seen.numbers.n_present else []
    cells = Numbers(seen.column.values, len(seen.column.values))
    return LearnedLiterals(NUMERIC, values, literal_codes(cells, values))


def _share_of_ones(seen: SeenColumn, learned: LearnedLiterals) -> float:
    """How many cells of the literals are 1, a row counting as often as it weighs."""
    codes = learned.codes.codes.astype(np.int64)
    return float(seen.weights @ (codes if learned.codes.nested else codes > 0))


def _columns(X: Any) -> Columns:
    """The columns; those of a sparse matrix are named like those of an array."""
    return _stored_columns(X) if sp.issparse(X) else [*shaped_columns(X)]


def _stored_columns(X: Any) -> Columns:
    if X.ndim != 2:
        raise ValueError(f"A table has rows and columns, but this array has {X.ndim} dimensions, not 2.")
    check_structure(X)
    check_shape(*X.shape)
    return StoredColumns(X)


def _read(encoder: LiteralEncoder, X: Any) -> Columns:
    """The columns, their names and number checked against those fitted."""
    table = _as_fitted(encoder, encoder, X)
    return _with_groups(table, getattr(encoder, "treatments_", None), encoder.groups_)


def _with_groups(table: Any, treatments: Any, groups: list[list[int]]) -> Columns:
    """The columns that are used."""
    if isinstance(table, StoredColumns) and not groups:  # which have no treatments
        return table
    return [*treated(table, treatments), *(joined_column([table[j] for j in group]) for group in groups)]


def _as_fitted(encoder: LiteralEncoder, owner: Any, X: Any) -> list[Any]:
    """The columns of the table, by the names fitted."""
    table: Any = _columns(X)
    if may_be_absent(encoder, X):
        table = with_absent(encoder, table)
    else:
        validate_data(owner, X, skip_check_array=True, reset=False)
    names = names_in(encoder)
    return [column._replace(name=name) for column, name in zip(table, names, strict=True)]


def _read_some(
    encoder: LiteralEncoder, owner: Any, X: Any, places: list[int]
) -> tuple[int, dict[int, AnyColumn]]:
    """The number of rows, and these columns: no others are taken out of a frame."""
    if sp.issparse(X):
        return _read_some_sparse(encoder, owner, X, places)
    treatments = getattr(encoder, "treatments_", None)
    if not hasattr(X, "columns"):
        table = _with_groups(_as_fitted(encoder, owner, X), treatments, encoder.groups_)
        return count_rows(X), {j: table[j] for j in places}
    check_table(X)
    names = list(X.columns)
    check_names(names)
    check_shape(*X.shape)
    if not may_be_absent(encoder, X):
        validate_data(owner, X, skip_check_array=True, reset=False)
    fitted = names_in(encoder)
    own = parts(fitted, treatments)
    by_name = dict(zip(map(str, names), names, strict=True)) if hasattr(encoder, "feature_names_in_") else {}
    some: dict[int, AnyColumn] = {}

    def column_at(source: int) -> Column:
        there = by_name.get(fitted[source], names[min(source, len(names) - 1)])
        return column_of(str(there), X[there])

    for j in places[bisect_left(places, len(own)) :]:
        some[j] = joined_column([column_at(source) for source in encoder.groups_[j - len(own)]])
    for source in sorted({own[j].source for j in places if j < len(own)}):
        column = column_at(source)
        made = treated([column], None if treatments is None else [treatments[source]])
        first = next(k for k, part in enumerate(own) if part.source == source)
        some |= {first + k: one for k, one in enumerate(made) if first + k in places}
    return len(X), some


def _read_some_sparse(
    encoder: LiteralEncoder, owner: Any, X: Any, places: list[int]
) -> tuple[int, dict[int, AnyColumn]]:
    """Only these columns are copied."""
    check_structure(X)
    check_shape(*X.shape)
    validate_data(owner, X, skip_check_array=True, reset=False)
    rows = X if X.format in ("csr", "csc") else X.tocsr()
    names = names_in(encoder)
    some = StoredColumns(rows[:, places]) if places else []
    return X.shape[0], {j: column._replace(name=names[j]) for j, column in zip(places, some, strict=True)}


def _check_places(places: Any, n_literals: int) -> Array:
    chosen = np.asarray(places)
    if chosen.ndim != 1 or (len(chosen) and chosen.dtype.kind not in "iu"):
        raise ValueError(f"places={places!r}, but it must be a list of integers, places in literals_.")
    wrong = chosen[(chosen < 0) | (chosen >= n_literals)]
    if len(wrong):
        raise ValueError(
            f"places has {wrong[0]}, but they must be from 0 to {n_literals - 1}, as in literals_."
        )
    return chosen.astype(np.intp)
