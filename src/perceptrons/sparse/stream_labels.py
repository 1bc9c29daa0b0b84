"""The labels and weights of a source's rows, kept as the rows go by, and how to know each batch again."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._types import Array
from ..checks import count_rows, row_weights
from ..rows.encode import encode_labels
from ..stream_sources import Batch, Fingerprint, Source, blamed_on, check_same, fingerprint, in_batches
from .encoded_literals import WeighedClasses, read_labels, weighed


@dataclass
class StreamLabels:
    """Of all batches: a code for each label, weights, and fingerprints."""

    names: list[Array] = field(default_factory=list)  # the classes of each batch
    codes: list[Array] = field(default_factory=list)  # names[codes] = y
    weights: list[Array] = field(default_factory=list)
    prints: list[Fingerprint] = field(default_factory=list)

    def add(self, batch: Batch) -> None:
        """One more batch."""
        if not count_rows(batch.X):
            self.prints.append(Fingerprint(0, 0))
            return
        with blamed_on(batch.name):
            labels = read_labels(batch.X, batch.y)
            names, codes = encode_labels(labels, least=1)
            self._check_kind(names)
            self.names.append(names)
            self.codes.append(codes.astype(np.min_scalar_type(len(names))))
            self.weights.append(weights_in(batch))
            self.prints.append(print_of(batch.X, labels))

    def _check_kind(self, names: Array) -> None:
        if not self.names:
            return
        name, known = names.tolist()[0], self.names[0].tolist()[0]
        if isinstance(name, str) != isinstance(known, str):
            raise ValueError(
                f"y holds {name!r}, but the batches before hold labels like {known!r}; labels must be all "
                "texts or all numbers."
            )

    def weighed(self, class_weight: Any) -> WeighedClasses:
        """All rows, as one training set."""
        if not self.names:
            raise ValueError("The source is empty: it gave no rows.")
        classes = np.unique(np.concatenate(self.names))
        if len(classes) < 2:
            raise ValueError(
                f"y holds one class only: {classes.tolist()[0]!r}. A classifier needs at least two classes."
            )
        pairs = zip(self.names, self.codes, strict=True)
        codes = np.concatenate([np.searchsorted(classes, names)[codes] for names, codes in pairs])
        return weighed(classes, codes.astype(np.intp), np.concatenate(self.weights), class_weight)

    def again(self, source: Source) -> Iterator[tuple[Batch, Array]]:
        """The batches of a later pass that have rows, each with which of them weigh something."""
        there = iter(self.weights)
        batches = in_batches(source.read(), len(self.prints))
        for batch, known in zip(batches, self.prints, strict=True):
            found = Fingerprint(0, 0)
            if count_rows(batch.X):
                with blamed_on(batch.name):
                    found = print_of(batch.X, read_labels(batch.X, batch.y))
            check_same(found, known, batch.name)
            if found.n_rows:
                yield batch, next(there) > 0.0


def weights_in(batch: Batch) -> Array:
    """Of a batch; all of its rows may weigh nothing."""
    if batch.weights is not None and not np.any(batch.weights):
        return np.zeros(count_rows(batch.X))
    return row_weights(batch.weights, batch.X, np.float64)


def print_of(X: Any, labels: Array) -> Fingerprint:
    """By labels, and by some cells where these are numbers in an array."""
    is_array = isinstance(X, np.ndarray) and X.dtype.kind in "biuf"
    return fingerprint(X if is_array else np.zeros((len(labels), 0)), labels)


class LabeledSource:
    """A source whose labels are kept as its batches go by."""

    def __init__(self, source: Source, labels: StreamLabels) -> None:
        self.source, self.labels = source, labels
        self.seekable, self.repeatable = source.seekable, source.repeatable

    def read(self, order: Sequence[int] | None = None) -> Iterator[Batch]:
        for batch in self.source.read(order):
            self.labels.add(batch)
            yield batch
