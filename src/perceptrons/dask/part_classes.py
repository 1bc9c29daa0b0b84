"""The classes of all rows, from those of the parts."""

from functools import reduce
from operator import add
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import assert_all_finite
from sklearn.utils.validation import column_or_1d

from .._types import Array
from ..checks import row_weights
from ..rows.encode import encode_labels
from ..rows.weights import check_every_class, class_factors
from .part import CollectionPart
from .rounds import Rounds


class ClassSums(NamedTuple):
    """What the rows of each class weigh, and all of them without the weights of their classes."""

    sums: dict[Any, float]
    n_rows: int  # of weight > 0

    def __add__(self, other: Any) -> "ClassSums":
        both = dict(self.sums)
        for name, total in other.sums.items():
            both[name] = both.get(name, 0.0) + total
        return ClassSums(both, self.n_rows + other.n_rows)


class KnownClasses(NamedTuple):
    """The classes of all rows, and the factor of each."""

    classes: Array
    factors: Array
    sums: Array
    n_rows: list[int]  # of weight > 0, of each part

    def weights(self, part: CollectionPart) -> tuple[Array, Array, Array]:
        """Of the rows of a part: the places of their classes, their weights, and these without the factors
        of the classes."""
        places = encode_labels(labels_of(part), self.classes)[1].astype(np.intp)
        counts = own_weights(part)
        return places, counts * self.factors[places], counts


def read_classes(rounds: Rounds, class_weight: Any) -> KnownClasses:
    """One question to all parts."""
    parts: list[ClassSums] = rounds.ask("classes", class_sums)
    found = reduce(add, parts)
    names = np.unique([*found.sums])
    if len(names) < 2:
        raise ValueError(
            f"y holds one class only: {names.tolist()[0]!r}. A classifier needs at least two classes."
        )
    sums, places = np.array([found.sums[name] for name in names.tolist()]), np.arange(len(names))
    if not sums.any():
        raise ValueError("Sample weights must contain at least one non-zero number; all of them are 0.")
    factors = class_factors(class_weight, names, places, sums)
    check_every_class(names, places, sums * factors)
    return KnownClasses(names, factors, sums, [one.n_rows for one in parts])


def class_sums(part: CollectionPart) -> ClassSums:
    names, places = encode_labels(labels_of(part), None, least=1)
    weights = own_weights(part)
    sums = np.bincount(places.astype(np.intp), weights, len(names))
    return ClassSums(dict(zip(names.tolist(), sums.tolist(), strict=True)), int(np.count_nonzero(weights)))


def labels_of(part: CollectionPart) -> Array:
    labels = column_or_1d(part.y)
    assert_all_finite(labels, input_name="y")
    return np.asarray(labels)


def own_weights(part: CollectionPart) -> Array:
    """Without those of the classes; all of them may be 0 in one part."""
    if part.weights is not None and not np.any(part.weights):
        return np.zeros(part.n_rows)
    return row_weights(part.weights, range(part.n_rows), np.float64)
