"""Which cells may take the place of a cell: rows whose values stand for all that the model can tell apart.

A model of rules sees of a column only which of its literals hold; so of each such pattern the two rows at its
ends suffice, and the search among them is exact for all values that occur. Of other models' columns a
number of quantiles is tried, and each value of names.
"""

from typing import Any, NamedTuple

import numpy as np

from .._types import Array
from ..sparse.weighted_conjunctions import Between
from ..tables.cells import NUMERIC, Column, as_numbers, as_texts, column_of, is_missing, kind_of
from .subject import Subject
from .tables_of_donors import cells_of_column, names_of

MOST_COLUMNS = 15  # of a model that is not made of rules: those of the largest weights
MOST_VALUES = 16  # tried in each of its columns
MOST_PATTERNS = 64  # of a column of a model of rules


class Donors(NamedTuple):
    """A column, rows that give cells, and all its numbers divided by their deviation (None of names)."""

    name: Any
    rows: Array
    numbers: Array | None
    codes: Array  # of all rows: equal where cells are alike to the model


class Pool(NamedTuple):
    columns: list[Donors]
    exact: bool  # all that the model can tell apart is there


def pool_of(subject: Subject, X: Any) -> Pool:
    encoder = subject.encoder
    if hasattr(subject.scorer, "conjunctions_") and not encoder.groups_:
        return _of_rules(subject, X)
    return Pool([_of_column(X, name) for name in _weightiest(subject, X)], False)


def _of_rules(subject: Subject, X: Any) -> Pool:
    """The columns that rules speak of, as far as their literals tell cells apart."""
    encoder, model = subject.encoder, subject.scorer
    spoken = {str(one) for rule in model.conjunctions_ for one in _literals(rule)}
    places = [k for k, one in enumerate(encoder.literals_) if str(one) in spoken]
    if not places:
        return Pool([], True)
    truth, sources = encoder.evaluate(X, places), encoder.sources_
    names, by_name = names_of(X), _places_in(X, encoder)
    found, exact = [], True
    for source in sorted({sources[encoder.attributes_[k]][0] for k in places}):
        own = [j for j, k in enumerate(places) if sources[encoder.attributes_[k]] == (source,)]
        codes = _patterns(truth[:, own])
        n_patterns = int(codes.max()) + 1
        exact &= n_patterns <= MOST_PATTERNS
        found.append(_of_patterns(X, names[by_name[source]], codes, min(n_patterns, MOST_PATTERNS)))
    return Pool(found, exact)


def _patterns(truth: Array) -> Array:
    """A code per row, the same where the same literals hold; literals are added one by one."""
    codes = np.zeros(len(truth), np.int64)
    for column in truth.T:
        codes = np.unique(2 * codes + column, return_inverse=True)[1]
    return codes


def _places_in(X: Any, encoder: Any) -> dict[int, int]:
    """The place in the table of each column that was fitted; those left out may be absent."""
    fitted = getattr(encoder, "feature_names_in_", None)
    if fitted is None or not hasattr(X, "columns"):
        return {j: j for j in range(encoder.n_features_in_)}
    there = [*map(str, X.columns)]
    return {j: there.index(name) for j, name in enumerate(fitted) if name in there}


def _literals(rule: Any) -> list[Any]:
    """Those of a rule: of an interval both ends, of a negation what it denies."""
    found: list[Any] = []
    for one in rule.literals:
        found += [one.low, one.high] if isinstance(one, Between) else [getattr(one, "literal", one)]
    return found


def _of_patterns(X: Any, name: Any, codes: Array, n_patterns: int) -> Donors:
    """Of each pattern the rows of the smallest and the largest number; of names one row."""
    numbers = _numbers(X, name)
    ends = []
    for code in range(n_patterns):
        rows = np.flatnonzero(codes == code)
        if numbers is None or np.isnan(numbers[rows]).all():
            ends.append(int(rows[0]))
        else:
            ends += [int(rows[np.nanargmin(numbers[rows])]), int(rows[np.nanargmax(numbers[rows])])]
    return Donors(name, np.unique(ends), numbers, codes)


def _of_column(X: Any, name: Any) -> Donors:
    numbers = _numbers(X, name)
    if numbers is None:
        texts = as_texts(_column(X, name))
        _, rows, codes = np.unique(
            np.array([text or "" for text in texts]), return_index=True, return_inverse=True
        )
        return Donors(name, rows[np.argsort(-np.bincount(codes), kind="stable")][:MOST_VALUES], None, codes)
    values, rows, codes = np.unique(numbers, return_index=True, return_inverse=True)
    there = np.flatnonzero(~np.isnan(values))
    chosen = (
        there[np.unique(np.linspace(0, len(there) - 1, MOST_VALUES).round().astype(int))]
        if len(there)
        else there
    )
    return Donors(name, rows[chosen], numbers, codes)


def _numbers(X: Any, name: Any) -> Array | None:
    """The cells in standard deviations, NaN where missing; None of names and truth values."""
    column = _column(X, name)
    if kind_of(column) != NUMERIC:
        return None
    numbers = as_numbers(column)
    scale = float(np.nanstd(numbers)) if not np.isnan(numbers).all() else 0.0
    return numbers / scale if scale and np.isfinite(scale) else numbers


def _column(X: Any, name: Any) -> Column:
    return (
        column_of(str(name), X[name])
        if hasattr(X, "columns")
        else Column(str(name), cells_of_column(X, name))
    )


def _weightiest(subject: Subject, X: Any) -> list[Any]:
    """The columns of the largest weights; the first ones of a model without weights."""
    names, encoder, learner = names_of(X), subject.encoder, subject.scorer
    coef = getattr(learner, "coef_", None)
    if coef is None or encoder is None or len(names) <= MOST_COLUMNS:
        size = np.zeros(len(names)) if coef is None or encoder is not None else np.abs(coef).max(axis=0)
        order = np.argsort(-size, kind="stable") if len(size) == len(names) else np.arange(len(names))
        return [names[j] for j in order[:MOST_COLUMNS].tolist()]
    sizes: dict[Any, float] = dict.fromkeys(names, 0.0)
    for text, weight in zip(subject.coordinates(), np.abs(coef).max(axis=0).tolist(), strict=True):
        name = next(
            (one for one in names if text == str(one) or text.startswith((f"{one} =", f"{one} >"))), None
        )
        if name is not None:
            sizes[name] = max(sizes[name], weight)
    return sorted(names, key=lambda name: -sizes[name])[:MOST_COLUMNS]


def cell_in_words(X: Any, name: Any, row: int) -> str:
    """A cell as a person would write it."""
    value = cells_of_column(X, name)[row]
    if is_missing(value):
        return "nothing"
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    return f"{value:.6g}" if isinstance(value, float | np.floating) else str(value)
