"""`BinaryPerceptron.fit_stream`: counts add up exactly, so the model is that of all rows at once.

One pass finds the classes and where columns are cut, unless both are given; one counts, and keeps a fair
sample of the rows for the votes; one more scores the rows for the threshold, unless it is given. In a stream
as in memory the sample is the rows with the smallest keys, and keys are drawn row by row.
"""

from collections.abc import Iterator
from functools import reduce
from operator import add
from typing import Any, NamedTuple

import numpy as np

from .._types import Array
from ..base import all_or_nothing
from ..checks import count_rows
from ..input_kinds import check_labels
from ..rows.bits import Bits
from ..rows.encode import encode_labels
from ..rows.order import generators, keys
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
from .device_bits import bits_on, device_for
from .encoded_bits import EncodedBits, encode_bits, read_matrix
from .kept_rows import LabeledBits, Reservoir, fill_reservoir
from .learning import BinaryFit, learn, learn_weights, threshold_of, weight_above
from .packed_perceptron import pack_weights


class FirstLook(NamedTuple):
    """What the first pass has found out."""

    classes: Array
    sums: Array  # the weights of the classes
    levels: Levels | None  # of the columns; None where no row weighs anything
    more: Array  # which columns have more than two values

    def __add__(self, other: Any) -> "FirstLook":
        """What was found out of the rows of both, which name their own classes."""
        sums: dict[Any, float] = {}
        for one in (self, other):
            for name, total in zip(one.classes.tolist(), one.sums.tolist(), strict=True):
                sums[name] = sums.get(name, 0.0) + total
        levels, more = both_levels(self.levels, self.more, other.levels, other.more)
        names = np.unique([*sums])
        totals = np.array([sums[name] for name in names.tolist()])
        return FirstLook(names, totals, levels, more)

    def checked(self, known: Array | None) -> "FirstLook":
        """With the sums of the classes known, or of those found, if there are rows that count."""
        if self.levels is None:
            raise ValueError("The source is empty: it gave no rows of weight > 0.")
        if known is None:
            check_every_class(self.classes, np.arange(len(self.classes)), self.sums)
        return self


def fit_stream(model: Any, source: Any, classes: Any, batch_rows: int | None) -> LabeledBits | None:
    """Learn from a source; returns the rows in bits if they were kept."""
    parameters = read_parameters(model)
    opened = open_source(source, batch_rows)
    given_cuts = parameters.binarize is not None and parameters.binarize != AUTO
    one_pass = given_cuts and classes is not None and isinstance(parameters.threshold, int)
    if not one_pass or is_balanced(model.class_weight):
        check_repeatable(opened, "classes, cuts and threshold take a pass of their own, unless all are given")
    with all_or_nothing(model):
        rows = BitStream(model, opened, parameters)
        looks = not (given_cuts and classes is not None) or is_balanced(model.class_weight)
        learn_from(rows, rows.first_look(classes) if looks else None, classes)
        vars(model).pop("_seen_rows", None)  # of an earlier fit
        return rows.all_rows


def learn_from(rows: "BitStream", look: FirstLook | None, classes: Any = None) -> None:
    """Count, learn, and publish; `classes` are those given, where there was no first look."""
    rows.begin(look, classes)
    counts, kept = rows.count()
    fitted = rows.learn(counts, kept)
    model = rows.model
    model._reservoir, model._rng, model._streams = kept, rows.rng, True
    model._publish(fitted, rows.classes, counts, rows.binarization, rows.parameters)


class BitStream:
    """A source as rows of bits."""

    def __init__(self, model: Any, source: Source, parameters: BinaryParameters) -> None:
        self.model, self.source, self.parameters = model, source, parameters
        self.class_weight: Any = model.class_weight
        self.prints: list[Fingerprint] = []
        self.classes: Array = np.zeros(0)
        self.binarization = Binarization(np.zeros(0), None)
        self.all_rows: LabeledBits | None = None  # of "sbpi"
        (self.rng,) = generators(model.random_state, 1)

    def first_look(self, classes: Any) -> FirstLook:
        """Classes, their weights, and the levels of the columns."""
        known = None if classes is None else named(classes)
        looks: list[FirstLook] = []
        for batch in self.source.read():
            if not count_rows(batch.X):
                self.prints.append(Fingerprint(0, 0))
                continue
            with blamed_on(batch.name):
                matrix, y = read_matrix(self.model, batch.X, batch.y, reset=not looks)
                self.prints.append(fingerprint(matrix, y))
                looks.append(look_at(matrix, y, batch.weights, known))
        if not looks:
            raise ValueError("The source is empty: it gave no rows of weight > 0.")
        return reduce(add, looks).checked(known)

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
        return [profile.thresholds(1)[0] for profile in self.profiles(columns)]

    def profiles(self, columns: Array) -> list[NumberProfile]:
        """What the numbers of these columns are."""
        profiles = [NumberProfile() for _ in columns]
        for encoded in self.read():
            cells = encoded.matrix[:, columns]
            cells = cells if isinstance(cells, np.ndarray) else cells.toarray()
            for j, profile in enumerate(profiles):
                profile.add(cells[:, j].astype(np.float64), encoded.weights)
        return profiles

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
            device = device_for(self.model, encoded.matrix)
            cells = bits_on(device, encoded.matrix, self.binarization.cuts)
            yield LabeledBits(cells, encoded.positive, encoded.weights)

    def count(self) -> tuple[Counts, Reservoir | None]:
        """Of all rows; and a sample of them, if something is to be chosen by them."""
        counts: Counts | None = None
        kept: Reservoir | None = None
        every: list[LabeledBits] = []
        by_epochs = self.parameters.method == SBPI
        for rows in self.labeled():
            some = count(rows.cells, rows.positive, rows.weights)
            counts = some if counts is None else counts + some
            if by_epochs:  # in bits: the batch itself is not kept
                every.append(rows._replace(cells=packed_cells(rows)))
            elif self.parameters.needs_rows:
                few = fill_reservoir(rows, keys(len(rows.positive), self.rng))
                kept = few if kept is None else kept + few
        if counts is None:
            raise ValueError("The source is empty: it gave no rows of weight > 0.")
        self.all_rows = packed_together(every) if by_epochs else None
        return counts, kept

    def learn(self, counts: Counts, kept: Reservoir | None) -> BinaryFit:
        """The weights, from the counts; the threshold, from the scores of all rows. By epochs, if all rows
        were kept."""
        if self.all_rows is not None:
            return learn(counts, self.all_rows, self.parameters, self.rng)
        sample = kept.rows if kept else None
        counted, constant = learn_weights(counts, sample, self.parameters)
        if constant is not None:
            return BinaryFit(constant, counted)
        if isinstance(self.parameters.threshold, int):
            return BinaryFit(pack_weights(counted.coef, self.parameters.threshold), counted)
        threshold = threshold_of(self.weight_above(counted.coef), self.parameters)
        return BinaryFit(pack_weights(counted.coef, threshold), counted)

    def weight_above(self, coef: Array) -> Array:
        """`learning.weight_above` of all rows."""
        model = pack_weights(coef, 0)
        parts = (weight_above(model.scores(rows.cells), rows, len(coef)) for rows in self.labeled())
        return np.asarray(sum(parts))


def packed_together(parts: list[LabeledBits]) -> LabeledBits:
    """All rows, a bit for each cell."""
    cells = [packed_cells(one) for one in parts]
    words = np.concatenate([one.words for one in cells])
    weights = None if parts[0].weights is None else np.concatenate([one.all_weights() for one in parts])
    return LabeledBits(Bits(words, cells[0].width), np.concatenate([one.positive for one in parts]), weights)


def packed_cells(rows: LabeledBits) -> Bits:
    return rows.cells if isinstance(rows.cells, Bits) else rows.cells.packed()


def named(classes: Any) -> Array:
    check_labels(classes, "classes")
    return np.unique(classes)


def look_at(matrix: Any, y: Array, weights: Any, known: Array | None = None) -> FirstLook:
    """What some rows show."""
    names, codes = encode_labels(y, known, least=1)
    each = None if weights is None else np.asarray(weights, np.float64)
    sums = np.bincount(codes.astype(np.intp), each, len(names))
    if each is not None:
        matrix = matrix[each > 0]
    if not matrix.shape[0]:
        return FirstLook(names, sums, None, np.zeros(0, np.bool_))
    levels = levels_of(matrix)
    return FirstLook(names, sums, levels, has_other_values(matrix, levels))


def both_levels(
    levels: Levels | None, more: Array, own: Levels | None, others: Array
) -> tuple[Levels | None, Array]:
    """The levels of the columns in all rows, from those in two parts, and which columns have more values;
    None of a part without rows."""
    if levels is None or own is None:
        return (own, others) if levels is None else (levels, more)
    both = Levels(np.minimum(levels.low, own.low), np.maximum(levels.high, own.high))
    for one in (*levels, *own):
        others = others | ((one != both.low) & (one != both.high))
    return both, more | others
