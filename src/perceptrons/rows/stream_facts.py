"""The first pass over a source: classes, norms and weights of all rows, and how to know each batch again."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from .._types import Array
from ..checks import count_rows
from ..input_kinds import check_labels
from ..stream_sources import Batch, Fingerprint, Source, blamed_on, check_same, fingerprint, in_batches
from .encode import (
    Encoded,
    as_rows,
    check_cells,
    check_scale,
    encode_labels,
    encode_read,
    is_sparse,
    read_rows,
)
from .norms import Measured, NormCounts, measure
from .weights import check_every_class, class_factors, is_balanced, weights_of_rows

LOOKED_AT = 64  # rows of a batch, evenly spread, that show the scales of the columns
LAYOUTS = {True: "sparse", False: "dense"}


class BatchPlace(NamedTuple):
    """Where a batch stands in the whole."""

    given: int  # rows given before it,
    present: int  # and those of them that count
    n_present: int
    fingerprint: Fingerprint


@dataclass
class StreamFacts:
    """What the first pass has found out."""

    estimator: Any
    class_weight: Any
    classes: Any  # an array of them; None until the first pass has found them
    whole: bool = False  # is there to be a digest of all cells?
    digest: int = 0
    places: list[BatchPlace] = field(default_factory=list)
    n_given: int = 0
    n_rows: int = 0  # that count
    smallest: float = np.inf  # ‖x‖²
    largest: float = 0.0
    norms: NormCounts = field(default_factory=lambda: NormCounts(0, 0, np.zeros((0, 0), np.int64)))
    lightest: float = np.inf  # the weights of rows, those of classes included
    heaviest: float = 0.0
    weighted: bool = False  # rows came with weights of their own
    dtype: Any = None
    sparse: bool = False
    scales: Array = field(default_factory=lambda: np.zeros(1))  # the largest values of columns, in some rows
    sums: dict[Any, float] = field(default_factory=dict)  # what the rows of each class weigh

    def add(self, batch: Batch) -> None:
        """One more batch."""
        if not count_rows(batch.X):
            self.places.append(BatchPlace(self.n_given, self.n_rows, 0, Fingerprint(0, 0)))
            return
        with blamed_on(batch.name):
            matrix, y = read_rows(self.estimator, batch.X, batch.y, reset=self.dtype is None)
            self._check_kind(matrix, batch.weights is not None)
            names, codes = encode_labels(y, self.classes, least=1)
            codes = codes.astype(np.intp)  # of two classes they are truth values
            weights = self._weights(batch, matrix, names, codes)
            self._add_classes(names, codes, weights)
            found = fingerprint(matrix, y)
            if self.whole:
                self.digest = crc32(repr(fingerprint(matrix, y, whole=True)).encode(), self.digest)
            if not weights.all():
                matrix, weights = matrix[weights > 0.0], weights[weights > 0.0]
            self.places.append(BatchPlace(self.n_given, self.n_rows, matrix.shape[0], found))
            if matrix.shape[0]:
                self._measure(matrix, weights)
        self.n_given += len(y)
        self.n_rows += matrix.shape[0]

    def _check_kind(self, matrix: Any, weighted: bool) -> None:
        """Is all of it as in the batches before?"""
        sparse = is_sparse(matrix)
        if self.dtype is not None and weighted != self.weighted:
            raise ValueError(
                f"There are {'' if weighted else 'no '}weights, unlike in the batches before; give all of "
                "them weights, or none."
            )
        if self.dtype is not None and (matrix.dtype != self.dtype or sparse != self.sparse):
            raise ValueError(
                f"X is {LAYOUTS[sparse]} and of {matrix.dtype}, but the batches before are "
                f"{LAYOUTS[self.sparse]} and of {self.dtype}; convert all of them to one type."
            )
        self.dtype, self.sparse, self.weighted = matrix.dtype, sparse, weighted

    def _weights(self, batch: Batch, matrix: Any, names: Array, codes: Array) -> Array:
        """The weights of a batch, all of whose rows may weigh nothing."""
        factors = self.class_weight
        if isinstance(factors, dict) and self.classes is None:
            factors = {name: factors[name] for name in names.tolist() if name in factors}
        nothing = batch.weights is not None and not np.any(batch.weights)
        if nothing or (
            isinstance(factors, dict) and not class_factors(factors, names, codes, codes)[codes].any()
        ):
            return np.zeros(len(codes))
        return weights_of_rows(batch.weights, factors, matrix, names, codes)

    def _add_classes(self, names: Array, codes: Array, weights: Array) -> None:
        sums = np.bincount(codes, weights if len(weights) else None, len(names))
        for name, total in zip(names.tolist(), sums.tolist(), strict=True):
            known = next(iter(self.sums), name)
            if isinstance(name, str) != isinstance(known, str):
                raise ValueError(
                    f"y holds {name!r}, but the batches before hold labels like {known!r}; labels must be "
                    "all texts or all numbers."
                )
            self.sums[name] = self.sums.get(name, 0.0) + total

    def _measure(self, matrix: Any, weights: Array) -> None:
        if len(weights):
            self.lightest = min(self.lightest, float(weights.min()))
            self.heaviest = max(self.heaviest, float(weights.max()))
        smallest, largest, norms = measure(as_rows(matrix), matrix.shape[0], weights, self.n_rows, level=0)
        check_cells(self.estimator, matrix, largest)
        check_scale(matrix, max(largest, float(np.finfo(matrix.dtype).tiny)))
        self.smallest, self.largest = min(self.smallest, smallest), max(self.largest, largest)
        self.norms = self.norms + norms
        self.scales = np.maximum(self.scales, column_scales(matrix))

    def finish(self) -> None:
        """Are there rows, and classes to tell apart?"""
        if not self.n_given:
            raise ValueError("The source is empty: it gave no rows.")
        if self.classes is None:
            names = np.unique([*self.sums])
            if len(names) < 2:
                raise ValueError(
                    f"y holds one class only: {names.tolist()[0]!r}. A classifier needs at least two classes."
                )
            sums = np.array([self.sums[name] for name in names.tolist()])
            check_every_class(names, np.arange(len(names)), sums)
            self.classes = names
        if isinstance(self.class_weight, dict):  # does it name others?
            class_factors(self.class_weight, self.classes, np.zeros(0, np.intp), np.zeros(0))
        if not self.n_rows:
            raise ValueError("All rows have weight 0, by sample_weight or class_weight; some must have more.")
        check_scale(self.scales[None].astype(self.dtype), self.largest)

    def read(self, batch: Batch, k: int) -> Encoded | None:
        """Batch k in a later pass, the same as in the first; None if it has no rows that count."""
        place = self.places[k]
        if not count_rows(batch.X):
            check_same(Fingerprint(0, 0), place.fingerprint, batch.name)
            return None
        with blamed_on(batch.name):
            matrix, y = self._validated(batch)
            check_same(fingerprint(matrix, y), place.fingerprint, batch.name)
            if not place.n_present:
                return None
            weights = batch.weights, self.class_weight
            norms = Measured(self.smallest, self.largest, self.norms)
            return encode_read(
                self.estimator, matrix, y, self.classes, *weights, place.present, every=False, measured=norms
            )

    def _validated(self, batch: Batch) -> tuple[Any, Array]:
        """Rows and labels; arrays as they come out of validation are not validated again."""
        X, y = batch.X, batch.y
        if isinstance(X, np.ndarray) and isinstance(y, np.ndarray):
            wanted = X.dtype == self.dtype and X.shape == (len(y), self.estimator.n_features_in_)
            if wanted and X.flags.c_contiguous and y.ndim == 1:
                return X, y
        return read_rows(self.estimator, X, y, reset=False)


def column_scales(matrix: Any) -> Array:
    """The largest absolute values of the columns, in some rows."""
    rows = abs(matrix[:: max(1, matrix.shape[0] // LOOKED_AT)])
    return np.asarray(rows.max(axis=0).toarray().ravel() if is_sparse(rows) else rows.max(axis=0))


def first_pass(
    estimator: Any, source: Source, class_weight: Any, classes: Any = None, whole: bool = False
) -> StreamFacts:
    """Read all batches once; twice for balanced classes, whose weights all rows decide.

    classes : those that rows may have, where they are known; `whole` : make a digest of all cells.
    """
    names = None if classes is None else named_classes(classes)
    facts = StreamFacts(estimator, None if is_balanced(class_weight) else class_weight, names, whole)
    for batch in source.read():
        facts.add(batch)
    facts.finish()
    if not is_balanced(class_weight):
        return facts
    known = facts.classes
    sums = np.array([facts.sums.get(name, 0.0) for name in known.tolist()])
    factors = class_factors(class_weight, known, np.arange(len(sums)), sums)
    pairs = dict(zip(known.tolist(), factors.tolist(), strict=True))
    return first_pass(estimator, source, pairs, known, whole)


def named_classes(classes: Any) -> Array:
    check_labels(classes, "classes")
    names = np.unique(classes)
    if len(names) < 2:
        raise ValueError(f"classes={names.tolist()}, but a classifier needs at least two classes.")
    return names


def read_again(
    source: Source, facts: StreamFacts, order: Sequence[int] | None = None
) -> Iterator[tuple[int, Encoded]]:
    """The batches of a later pass that have rows that count, and their numbers."""
    numbers = [*range(len(facts.places))] if order is None else [*order]
    batches = source.read(None if order is None else order)
    for k, batch in zip(numbers, in_batches(batches, len(numbers)), strict=True):
        data = facts.read(batch, k)
        if data is not None:
            yield k, data
