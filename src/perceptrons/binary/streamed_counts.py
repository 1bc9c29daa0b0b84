"""`BinaryPerceptron.fit_stream`: counts add up exactly, so the model is that of all rows at once.

One pass finds the classes and where columns are cut, unless both are given; one counts, and keeps a fair
sample of the rows for the votes; one more scores the rows for the threshold, unless it is given. In a stream
as in memory the sample is the rows with the smallest keys, and keys are drawn row by row.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from .._types import Array
from ..base import all_or_nothing
from ..checks import count_rows
from ..input_kinds import check_labels
from ..rows.encode import encode_labels
from ..rows.order import generators, keys
from ..rows.packing import to_bits
from ..rows.weights import check_every_class, class_factors, is_balanced
from ..stream_sources import (
    Batch,
    Fingerprint,
    Source,
    blamed_on,
    check_repeatable,
    check_same,
    fingerprint,
    in_batches,
    open_source,
)
from ..tables.column_profile import NumberProfile
from .binarization import Binarization, Levels, has_other_values, levels_of, midpoints, require_two_values
from .binary_parameters import AUTO, SBPI, BinaryParameters, read_parameters
from .counts import Counts, count
from .encoded_bits import EncodedBits, encode_bits, read_matrix
from .kept_rows import LabeledBits, Reservoir, fill_reservoir
from .learning import BinaryFit, learn_weights, threshold_of, weight_above
from .packed_perceptron import pack_weights


class FirstLook(NamedTuple):
    """What the first pass has found out."""

    classes: Array
    sums: Array  # the weights of the classes
    levels: Levels | None
    more: Array  # which columns have more than two values
    prints: list[Fingerprint]


def fit_stream(model: Any, source: Any, classes: Any, batch_rows: int | None) -> None:
    """Learn from a source."""
    parameters = read_parameters(model)
    if parameters.method == SBPI:
        raise ValueError(
            "method='sbpi' visits rows in random order, again and again, which a stream cannot; use "
            "'influence', or fit on rows in memory, of which a bit per cell is kept."
        )
    opened = open_source(source, batch_rows)
    given_cuts = parameters.binarize is not None and parameters.binarize != AUTO
    one_pass = given_cuts and classes is not None and isinstance(parameters.threshold, int)
    if not one_pass or is_balanced(model.class_weight):
        check_repeatable(opened, "classes, cuts and threshold take a pass of their own, unless all are given")
    with all_or_nothing(model):
        rows = BitStream(model, opened, parameters)
        look = None
        if not (given_cuts and classes is not None) or is_balanced(model.class_weight):
            look = rows.first_look(classes)
        rows.begin(look, classes)
        counts, kept = rows.count()
        fitted = rows.learn(counts, kept)
        model._reservoir, model._rng, model._streams = kept, rows.rng, True
        model._publish(fitted, rows.classes, counts, rows.binarization, parameters)


class BitStream:
    """A source as rows of bits."""

    def __init__(self, model: Any, source: Source, parameters: BinaryParameters) -> None:
        self.model, self.source, self.parameters = model, source, parameters
        self.class_weight: Any = model.class_weight
        self.prints: list[Fingerprint] = []
        self.classes: Array = np.zeros(0)
        self.binarization = Binarization(np.zeros(0), None)
        (self.rng,) = generators(model.random_state, 1)

    def first_look(self, classes: Any) -> FirstLook:
        """Classes, their weights, and the levels of the columns."""
        known = None if classes is None else named(classes)
        sums: dict[Any, float] = {}
        levels, more = None, np.zeros(0, np.bool_)
        for batch in self.source.read():
            if not count_rows(batch.X):
                self.prints.append(Fingerprint(0, 0))
                continue
            with blamed_on(batch.name):
                matrix, y = read_matrix(self.model, batch.X, batch.y, reset=levels is None)
                self.prints.append(fingerprint(matrix, y))
                names, codes = encode_labels(y, known, least=1)
                weights = None if batch.weights is None else np.asarray(batch.weights, np.float64)
                add_sums(sums, names, codes.astype(np.intp), weights)
                if weights is not None:
                    matrix = matrix[weights > 0]
                if matrix.shape[0]:
                    levels, more = wider(levels, more, matrix)
        if levels is None:
            raise ValueError("The source is empty: it gave no rows of weight > 0.")
        names = np.unique([*sums]) if known is None else known
        totals = np.array([sums.get(name, 0.0) for name in names.tolist()])
        if known is None:
            check_every_class(names, np.arange(len(names)), totals)
        return FirstLook(names, totals, levels, more, self.prints)

    def begin(self, look: FirstLook | None, classes: Any) -> None:
        """Set classes, their weights and the cuts."""
        self.classes = named(classes) if look is None else look.classes
        binarize = self.parameters.binarize
        if look is not None and is_balanced(self.class_weight):
            places = np.arange(len(look.classes))
            factors = class_factors(self.class_weight, look.classes, places, look.sums)
            self.class_weight = dict(zip(look.classes.tolist(), factors.tolist(), strict=True))
        if look is None or (binarize is not None and binarize != AUTO):
            self.binarization = Binarization(np.zeros(0), None)  # as wide as the first batch
            return
        cuts, more = midpoints(look.levels), np.flatnonzero(look.more)  # type: ignore[arg-type]
        if binarize is None:
            require_two_values(more, self.model._names())
            self.binarization = Binarization(cuts, look.levels)
            return
        if len(more):
            cuts[more] = self.medians(more)
        self.binarization = Binarization(cuts, None)

    def medians(self, columns: Array) -> list[float]:
        """The cuts of columns of more than two values: one more pass."""
        profiles = [NumberProfile() for _ in columns]
        for encoded in self.read():
            cells = encoded.matrix[:, columns]
            cells = cells if isinstance(cells, np.ndarray) else cells.toarray()
            for j, profile in enumerate(profiles):
                profile.add(cells[:, j].astype(np.float64), encoded.weights)
        return [profile.thresholds(1)[0] for profile in profiles]

    def read(self) -> Iterator[EncodedBits]:
        """The batches, validated; those that weigh nothing are left out."""
        first, batches = not self.prints, self.source.read()
        for k, batch in enumerate(batches if first else in_batches(batches, len(self.prints))):
            with blamed_on(batch.name):
                encoded = self.encoded(batch, None if first else self.prints[k], reset=first and k == 0)
            if encoded is not None:
                yield encoded

    def encoded(self, batch: Batch, known: Fingerprint | None, reset: bool) -> EncodedBits | None:
        if not count_rows(batch.X):
            check_same(Fingerprint(0, 0), known or Fingerprint(0, 0), batch.name)
            return None
        if known is not None:
            check_same(fingerprint(*read_matrix(self.model, batch.X, batch.y)), known, batch.name)
        if batch.weights is not None and not np.any(batch.weights):
            return None
        weights = batch.weights, self.class_weight
        encoded = encode_bits(self.model, batch.X, batch.y, *weights, reset, self.classes)
        return encoded if len(encoded.positive) else None

    def labeled(self) -> Iterator[LabeledBits]:
        """The batches in bits."""
        for encoded in self.read():
            if not len(self.binarization.cuts):
                value = float(self.parameters.binarize)  # type: ignore[arg-type]
                self.binarization = Binarization(np.full(encoded.matrix.shape[1], value), None)
            cells = to_bits(encoded.matrix, self.binarization.cuts)
            yield LabeledBits(cells, encoded.positive, encoded.weights)

    def count(self) -> tuple[Counts, Reservoir | None]:
        """Of all rows; and a sample of them, if something is to be chosen by them."""
        counts: Counts | None = None
        kept: Reservoir | None = None
        for rows in self.labeled():
            some = count(rows.cells, rows.positive, rows.weights)
            counts = some if counts is None else counts + some
            if self.parameters.needs_rows:
                few = fill_reservoir(rows, keys(len(rows.positive), self.rng))
                kept = few if kept is None else kept + few
        if counts is None:
            raise ValueError("The source is empty: it gave no rows of weight > 0.")
        return counts, kept

    def learn(self, counts: Counts, kept: Reservoir | None) -> BinaryFit:
        """The weights, from the counts; the threshold, from the scores of all rows."""
        sample = kept.rows if kept else None
        counted, constant = learn_weights(counts, sample, self.parameters)
        if constant is not None:
            return BinaryFit(constant, counted)
        if isinstance(self.parameters.threshold, int):
            return BinaryFit(pack_weights(counted.coef, self.parameters.threshold), counted)
        model, n = pack_weights(counted.coef, 0), len(counted.coef)
        above = sum(weight_above(model.scores(rows.cells), rows, n) for rows in self.labeled())
        threshold = threshold_of(np.asarray(above), self.parameters)
        return BinaryFit(pack_weights(counted.coef, threshold), counted)


def named(classes: Any) -> Array:
    check_labels(classes, "classes")
    return np.unique(classes)


def add_sums(sums: dict[Any, float], names: Array, codes: Array, weights: Array | None) -> None:
    totals = np.bincount(codes, weights, len(names))
    for name, total in zip(names.tolist(), totals.tolist(), strict=True):
        sums[name] = sums.get(name, 0.0) + total


def wider(levels: Levels | None, more: Array, matrix: Any) -> tuple[Levels, Array]:
    """The levels of the columns with more rows, and which of them have other values, too."""
    own = levels_of(matrix)
    others = has_other_values(matrix, own)
    if levels is None:
        return own, others
    both = Levels(np.minimum(levels.low, own.low), np.maximum(levels.high, own.high))
    for one in (*levels, *own):
        others = others | ((one != both.low) & (one != both.high))
    return both, more | others
