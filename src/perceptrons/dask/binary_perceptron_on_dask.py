"""`BinaryPerceptron` over collections: counts add up exactly, so the model is that of all rows in memory.

Each part is a stream of one batch (`binary.streamed_counts`), whose passes are the questions: its classes and
the levels of its columns; medians, where columns have more than two values; counts; the rows of the sample by
which votes are compared, which are those with the smallest keys, wherever they are; and what the rows weigh
whose score is above each threshold.
"""

from copy import deepcopy
from functools import reduce
from operator import add
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.base import clone

from .._types import Array
from ..binary import kept_rows
from ..binary.binarization import Binarization
from ..binary.binary_parameters import SBPI, BinaryParameters, read_parameters
from ..binary.binary_perceptron import BinaryPerceptron as LocalBinaryPerceptron
from ..binary.counts import Counts, count
from ..binary.encoded_bits import read_matrix, require_two_classes
from ..binary.kept_rows import LabeledBits, Reservoir
from ..binary.learning import weight_above
from ..binary.packed_perceptron import pack_weights
from ..binary.streamed_counts import BitStream, FirstLook, learn_from, look_at
from ..rows.order import keys
from ..stream_sources import Batch, ListSource
from ..tables.column_profile import NumberProfile
from .on_collections import OnCollections
from .part import CollectionPart
from .rounds import Rounds

SKIPPED = 1 << 20  # keys at a time
SPARE = 6.0  # standard deviations by which more rows are asked for than are kept


class BinaryPerceptron(OnCollections, LocalBinaryPerceptron):  # type: ignore[misc]
    """`perceptrons.BinaryPerceptron` over Dask collections, with the same parameters and the same model.

    Counts add up exactly, so that the model is that of all rows in memory, bit for bit; weights of rows that
    are fractions add up except for rounding. Where a column has more than 65,536 different numbers, its
    median comes from a sketch.

    Parameters
    ----------
    method : {"influence", "clipped-hebb"}, default "influence"
        How weights are found, from one pass of counting. "influence": a weight is the sign of how much more
        often a row is positive where the column is +1. "clipped-hebb": the sign of Σ y x. The method "sbpi"
        is for rows in memory, since it visits rows in random order.
    epsilon : "auto" or float, default "auto"
        A float in (0, 1) is the error that is aimed at, which determines what is too small to matter. "auto":
        a column votes if its influence is beyond noise and adds to what others say.
    threshold : "auto", "min-error", "figure-1" or int, default "auto"
        "min-error" is the threshold of the fewest errors on the training rows, "figure-1" the lowest that
        makes all but epsilon/4 of the positive predictions right. "auto" is 0 for "clipped-hebb" and
        "min-error" for "influence".
    binarize : "auto", float or None, default "auto"
        Where columns are cut: a greater value becomes +1, another −1. "auto" cuts between the two values of a
        column that has two, otherwise at the median. With None a column of more than two values is an error.
    max_epochs : int, default 1000
        Not used, since it limits the epochs of "sbpi".
    class_weight : None, "balanced" or dict of class → weight, default None
        The weight of each row is multiplied by that of its class; "balanced" gives both classes the same
        total weight.
    device : {"cpu", "cuda", "cuda:N", "auto"}, default "cpu"
        Where each worker cuts its rows into bits and counts them. The model does not depend on it.
    random_state : int, RandomState or None, default None
        Draws the rows by which votes and thresholds are compared, if there are more than 65,536.

    Attributes
    ----------
    classes_, n_features_in_, feature_names_in_
        As in scikit-learn.
    coef_ : int8 array of shape (1, n)
        The weights of cells ±1.
    intercept_ : array
        Minus the threshold.
    threshold_ : int
        The threshold θ.
    cuts_ : array
        Where each column is cut.
    influence_ : array
        For each column P(+ | x = +1) − P(+ | x = −1), times 2, among the training rows.
    neglected_ : array of bool
        Which columns have almost always the same value.
    n_weights_ : int
        The number of weights that are not 0.
    counts_ : object
        What was counted: rows, positive, ones, positive_ones.
    packed_ : object
        The model in words of bits (signs, mask, threshold), with `scores`, `predict` and `n_bytes`.
    traffic_ : list of named tuples
        Per stage of the fit: its name, how many questions were asked, and how many bytes went to the parts
        (`told`) and came back (`answered`).

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> from distributed import Client
    >>> from perceptrons.dask import BinaryPerceptron
    >>> X = np.random.default_rng(0).choice([-1, 1], (2000, 64)).astype(np.int8)
    >>> y = X[:, :40].sum(axis=1) - X[:, 40:].sum(axis=1) > 0
    >>> rows, labels = da.from_array(X, (500, 64)), da.from_array(y, 500)
    >>> with Client(processes=False, dashboard_address=":0") as client:
    ...     model = BinaryPerceptron(random_state=0).fit(rows, labels, client=client)
    >>> local = model.to_local()
    >>> local.packed_.n_bytes, bool((local.predict(X) == y).mean() > 0.99)
    (20, True)
    """

    _home: ClassVar[Any] = LocalBinaryPerceptron

    def _check(self) -> None:
        if read_parameters(self).method == SBPI:
            raise ValueError(
                "method='sbpi' visits rows in random order, again and again, which a collection cannot; use "
                "'influence', or fit on rows in memory, of which a bit per cell is kept."
            )

    def _learn(self, rounds: Rounds) -> None:
        looks = rounds.ask("classes and levels", first_look, clone(self.to_local()))
        self.n_features_in_, names = looks[0][1:]
        if names is not None:
            self.feature_names_in_ = names
        look: FirstLook = reduce(add, [one for one, *_ in looks])
        require_two_classes(look.classes)
        learn_from(BitCollection(self, rounds, read_parameters(self)), look.checked(None))


class BitSettings(NamedTuple):
    """What a part must know to cut its rows into bits."""

    model: Any
    classes: Array
    class_weight: Any
    parameters: BinaryParameters
    binarization: Binarization


class BitCollection(BitStream):
    """The passes of a `BitStream`, made by all parts at once."""

    def __init__(self, model: Any, rounds: Rounds, parameters: BinaryParameters) -> None:
        super().__init__(model, ListSource([]), parameters)
        self.rounds = rounds

    @property
    def settings(self) -> BitSettings:
        blank = clone(self.model.to_local())
        return BitSettings(blank, self.classes, self.class_weight, self.parameters, self.binarization)

    def medians(self, columns: Array) -> list[float]:
        parts = self.rounds.ask("medians", profiles_of, self.settings, columns)
        return [reduce(add, profiles).thresholds(1)[0] for profiles in zip(*parts, strict=True)]

    def count(self) -> tuple[Counts, Reservoir | None]:
        if not len(self.binarization.cuts):
            value = float(self.parameters.binarize)  # type: ignore[arg-type]
            self.binarization = Binarization(np.full(self.model.n_features_in_, value), None)
        answers = self.rounds.ask("counts", counted, self.settings)
        found = [counts for counts, _ in answers if counts is not None]
        if not found:
            raise ValueError("All rows have weight 0, by sample_weight or class_weight; some must have more.")
        counts = reduce(add, found)
        return counts, self.sample([n for _, n in answers]) if self.parameters.needs_rows else None

    def sample(self, n_rows: list[int]) -> Reservoir:
        """The rows with the smallest keys, of parts that have at least that many rows that count."""
        total, before = sum(n_rows), np.cumsum([0, *n_rows])[:-1].tolist()
        wanted = kept_rows.CAPACITY
        share = min(1.0, (wanted + SPARE * np.sqrt(wanted)) / total)
        while True:
            told = [(self.settings, self.rng, n, share) for n in before]
            answers = self.rounds.ask_each("sample", sampled, told)
            few = [one for one, _ in answers if one is not None]
            if share == 1.0 or sum(len(one.keys) for one in few) >= wanted:
                break
            share = min(1.0, 2.0 * share)
        self.rng = answers[-1][1]
        whole: Reservoir = reduce(add, few)
        return whole

    def weight_above(self, coef: Array) -> Array:
        parts = self.rounds.ask("scores", weighed_above, self.settings, coef)
        return np.asarray(reduce(add, [one for one in parts if one is not None]))


# --- questions ---


def first_look(part: CollectionPart, model: Any) -> tuple[FirstLook, int, Any]:
    """What the rows show, and the columns."""
    matrix, y = read_matrix(model, part.X, part.y, reset=True)
    return look_at(matrix, y, part.weights), model.n_features_in_, getattr(model, "feature_names_in_", None)


def stream_of(part: CollectionPart, settings: BitSettings) -> BitStream:
    """The part, as a stream of one batch that has been looked at."""
    batch = Batch(part.X, part.y, part.weights, part.name)
    stream = BitStream(settings.model, ListSource([batch]), settings.parameters)
    stream.classes, stream.class_weight = settings.classes, settings.class_weight
    stream.binarization = settings.binarization
    return stream


def profiles_of(part: CollectionPart, settings: BitSettings, columns: Array) -> list[NumberProfile]:
    return stream_of(part, settings).profiles(columns)


def bits_of(part: CollectionPart, settings: BitSettings) -> LabeledBits | None:
    """The rows in bits, kept on the worker; None if none of them count."""
    return part.worked_out("bits", lambda one: first_bits(one, settings))  # type: ignore[no-any-return]


def first_bits(part: CollectionPart, settings: BitSettings) -> LabeledBits | None:
    rows = next(stream_of(part, settings).labeled(), None)
    return None if rows is None else rows.kept()


def counted(part: CollectionPart, settings: BitSettings) -> tuple[Counts | None, int]:
    """The counts, and of how many rows."""
    rows = bits_of(part, settings)
    return (None, 0) if rows is None else (count(rows.cells, rows.positive, rows.weights), len(rows.positive))


def sampled(
    part: CollectionPart, settings: BitSettings, rng: Any, n_before: int, share: float
) -> tuple[Any, Any]:
    """The rows whose keys are not above this share, which are drawn as if all rows were in one place; and
    where the next part's are drawn from."""
    rows, rng = bits_of(part, settings), deepcopy(rng)  # the next part must find it as it was
    for start in range(0, n_before, SKIPPED):
        keys(min(SKIPPED, n_before - start), rng)
    if rows is None:
        return None, rng
    drawn = keys(len(rows.positive), rng)
    few = np.flatnonzero(drawn <= share)
    weights = None if rows.weights is None else rows.weights[few]
    return Reservoir(LabeledBits(rows.cells.take(few), rows.positive[few], weights), drawn[few]), rng


def weighed_above(part: CollectionPart, settings: BitSettings, coef: Array) -> Array | None:
    rows = bits_of(part, settings)
    if rows is None:
        return None
    return weight_above(pack_weights(coef, 0).scores(rows.cells), rows, len(coef))
