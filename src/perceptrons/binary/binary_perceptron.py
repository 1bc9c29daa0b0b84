"""`BinaryPerceptron`: Golea and Marchand, "On Learning Perceptrons with Binary Weights".

g(x) = +1 iff Σ w_i x_i > θ, with x_i = ±1, w_i = −1, 0 or +1, and an integer θ. One pass of counting finds
the weights (Figure 1, or eq. 11), a second pass over the rows the threshold.

Deviations: columns of numbers are cut in two; by default a column has no vote unless its influence is beyond
noise and it says more than others do (the paper's rule is `epsilon=0.1`), and the threshold is that of fewest
errors, because step 7 of Figure 1 breaks under noise; a column of one value is neglected whatever the method;
rows may have weights. The method "sbpi" is not the paper's.
"""

import warnings
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from .._types import Array
from ..base import Threshold, all_or_nothing, codes_of
from ..input_kinds import check_labels
from ..model_file.declarations import Field
from ..rows.bits import Bits
from ..rows.encode import is_sparse
from ..rows.order import generators, keys
from ..rows.packing import CutRows
from ..seen_rows import both_seen
from .binarization import Binarization, add_levels, learn_binarization, merge_levels, require_same_binarize
from .binary_file import FIELDS, check_loaded
from .binary_parameters import SBPI, BinaryParameters, read_parameters, refuse_balanced
from .counts import Counts, count, count_array
from .device_bits import DeviceBits, bits_on, device_for
from .encoded_bits import EncodedBits, encode_bits, read_matrix
from .kept_rows import LabeledBits, Reservoir, fill_reservoir
from .learning import BinaryFit, learn, rows_for
from .packed_perceptron import pack_weights
from .sbpi import FEW_EPOCHS, MAX_EPOCHS


def _counts_alone(model: Any) -> bool:
    return bool(model.method != SBPI)


class BinaryPerceptron(Threshold):
    """A linear classifier of two classes whose weights are −1, 0 and +1: two bits per column.

    Parameters
    ----------
    method : {"influence", "clipped-hebb", "sbpi"}, default "influence"
        How weights are found. "influence": a weight is the sign of how much more often a row is positive
        where the column is +1, and 0 where that is too small (`epsilon`). "clipped-hebb": a weight is the
        sign of Σ y x, for columns that are +1 as often as −1. Both take one pass of counting. "sbpi": weights
        are the signs of hidden integers that are corrected in epochs; it often finds weights that classify
        all rows correctly, if there are any, least often where the number of random rows is 1 to 1.7 times
        that of columns. Where rows stay wrong, the weights are the signs of the averaged hidden integers, and
        0 where those are small.
    epsilon : "auto" or float, default "auto"
        A float in (0, 1) is the error that is aimed at, as in the paper. It determines what is too small to
        matter: a class whose share of the rows is epsilon/4, a value whose share of its column is
        epsilon/(4n), and an influence of epsilon/(4(n + 1)), which is far less than chance gives an
        irrelevant column. "auto": a column votes if its influence is beyond noise, at a false-discovery rate
        of 5 %, and if it adds to what columns of larger influence say, at a level of 5 %; everything else is
        as with 0.1. Few rows prove little: with ten rows, it is possible that no column votes.
    threshold : "auto", "min-error", "figure-1" or int, default "auto"
        "min-error" is the threshold of the fewest errors on the training rows, the lowest of several.
        "figure-1" is the lowest that makes all but epsilon/4 of the positive predictions right; it fails if
        noise exceeds that. "auto" is 0 for "clipped-hebb" and "min-error" for "influence"; "sbpi" learns it
        with the weights.
    binarize : "auto", float or None, default "auto"
        Where columns are cut: a greater value becomes +1, another −1. "auto" cuts between the two values of a
        column that has two, otherwise at the median. With None a column of more than two values is an error.
    max_epochs : int, default 1000
        The largest number of epochs of "sbpi". Reaching it warns if it is less than 100.
    class_weight : None, "balanced" or dict of class → weight, default None
        The weight of each row is multiplied by that of its class. Integers keep counts exact. "balanced"
        gives both classes the same total weight; `partial_fit` does not accept it, since the first batches do
        not tell how many rows there will be.
    device : {"cpu", "cuda", "cuda:N", "auto"}, default "cpu"
        Where rows are cut into bits, counted and scored, also by `predict`. A GPU, through PyTorch (extra
        `neural`), gives the same model and the same answers; weights that are fractions are added up by the
        processor. It is not for "sbpi" and sparse rows. "auto" is a GPU if there is one and it can be used,
        otherwise the processor. Use set_params(device="cpu") to predict elsewhere.
    random_state : int, RandomState or None, default None
        Draws the order of rows in "sbpi", and the rows of a long stream that are kept for the threshold.

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
        What was counted: rows, positive, ones, positive_ones. Counts of parts are combined by `+`.
    packed_ : object
        The model in words of bits (signs, mask, threshold), with `scores`, `predict` and `n_bytes`.
    n_epochs_, converged_ : int and bool
        The number of epochs that "sbpi" made, and whether no training row is wrong.
    stopped_ : str
        Why "sbpi" stopped: "converged" (no training row is wrong), "stalled" (after at least 100 epochs, and
        ten times the number that its best result had needed) or "max_epochs".

    Notes
    -----
    All votes weigh the same, so that columns which say nothing of the class, or all the same, do harm. By
    default they have no vote: weights 0. The tests that decide it take a fair sample of the rows where there
    are more than 65,536. Weights of rows that are integers count as repetitions; with fractions the noise is
    that of (Σw)²/Σw² rows. A model from a file has no rows, and goes on with `partial_fit` only if `epsilon`
    is a number and `threshold` an integer.

    `partial_fit` counts batch by batch; the weights are those of all rows at once, with "auto" while all rows
    are kept. The first batch decides where columns are cut; one that is constant in it is cut at half its
    value, which is right for 0 and 1 or −1 and +1: for others give `binarize` as a number. For votes and
    thresholds that depend on rows, `fit` and `partial_fit` keep 65,536 of them, a bit per cell (sparse rows
    stay sparse): all, until there are more, then a fair sample. Model files do not hold them, nor do copies
    and pickles of a model that has seen `fit` alone.

    With weights of rows "sbpi" visits a row as often as it weighs, or draws rows by weight. It packs sparse
    rows, which may take more memory.

    Examples
    --------
    >>> import numpy as np
    >>> from perceptrons import BinaryPerceptron
    >>> rng = np.random.default_rng(0)
    >>> X = rng.choice([-1, 1], (2000, 64)).astype(np.int8)
    >>> y = X[:, :40].sum(axis=1) - X[:, 40:].sum(axis=1) > 0   # 40 columns for, 24 against
    >>> model = BinaryPerceptron().fit(X, y)
    >>> [model.coef_[0, some].sum().item() for some in (slice(40), slice(40, None))]
    [40, -24]
    >>> model.packed_.n_bytes  # 64 signs, 64 times whether it counts, the threshold
    20
    """

    _file_fields: ClassVar[dict[str, Field]] = FIELDS
    _reservoir: Reservoir | None
    _rng: Any  # draws the keys of rows; None in a model from a file
    _streams: bool | None  # whether more rows have come than those of `fit`; None: a copy, without these

    def __init__(
        self,
        *,
        method: str = "influence",
        epsilon: float | str = "auto",
        threshold: Any = "auto",
        binarize: Any = "auto",
        max_epochs: int = 1000,
        class_weight: Any = None,
        device: str = "cpu",
        random_state: Any = None,
    ) -> None:
        self.method = method
        self.epsilon = epsilon
        self.threshold = threshold
        self.binarize = binarize
        self.max_epochs = max_epochs
        self.class_weight = class_weight
        self.device = device
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "BinaryPerceptron":
        """Learn from rows of two classes; if there is one only, every row is predicted to be of it. Rows of
        weight 0 are absent."""
        parameters = read_parameters(self)
        with all_or_nothing(self, X, sample_weight):
            encoded = encode_bits(self, X, y, sample_weight, self.class_weight, reset=True)
            binarization = self._first_binarization(encoded, parameters)
            counts, rows = _count_rows(self, encoded, binarization, parameters)
            (rng,) = generators(self.random_state, 1)
            kept = _keep(rows, parameters, rng)
            fitted = learn(counts, rows, parameters, rng, kept.rows if kept else None)
            self._reservoir, self._rng, self._streams = kept, rng, False
            self._publish(fitted, encoded.classes, counts, binarization, parameters)
        self._warn_if_unfinished(rows)
        return self

    def _warn_if_unfinished(self, rows: LabeledBits | None) -> None:
        """Of epochs that were too few."""
        if rows and getattr(self, "stopped_", None) == MAX_EPOCHS and self.max_epochs < FEW_EPOCHS:
            share = rows.errors(self.packed_) / float(self.counts_.rows)
            warnings.warn(complaint(self.max_epochs, share), ConvergenceWarning, stacklevel=3)

    @available_if(_counts_alone)  # type: ignore[untyped-decorator]
    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
    ) -> "BinaryPerceptron":
        """Count more rows; not for "sbpi". The first call must name the classes."""
        parameters, first = read_parameters(self), not hasattr(self, "counts_")
        refuse_balanced(self.class_weight)
        with all_or_nothing(self, X, sample_weight, more=not first):
            names = _named(classes) if first else self.classes_
            if classes is not None and not np.array_equal(_named(classes), names):
                raise ValueError(f"classes={classes!r}, but the first call named {names.tolist()}.")
            encoded = encode_bits(self, X, y, sample_weight, self.class_weight, first, names)
            if first:
                binarization = self._first_binarization(encoded, parameters)
            else:
                require_same_binarize(self._binarization(), parameters.binarize)
                binarization = add_levels(self._binarization(), encoded.matrix, self._names())
            counts, rows = _count_rows(self, encoded, binarization, parameters)
            rng = generators(self.random_state, 1)[0] if first else self._rng
            if not first:
                self._require_rows(parameters)
            kept = _keep(rows, parameters, rng)
            if not first:
                counts, kept = self.counts_ + counts, _both(self._reservoir, kept)
            fitted = learn(counts, kept.rows if kept else None, parameters, rng)
            self._reservoir, self._rng, self._streams = kept, rng, True
            self._publish(fitted, names, counts, binarization, parameters)
        return self

    def fit_stream(
        self, source: Any, *, classes: Any = None, batch_rows: int | None = None
    ) -> "BinaryPerceptron":
        """Learn from rows that come batch by batch, as from all of them in memory.

        `source` and `batch_rows` as in `Perceptron.fit_stream`. One pass finds classes and cuts, one counts,
        one scores rows for the threshold; given `classes`, `binarize` as a number and `threshold` as an
        integer one pass is enough, and the source may be an iterator. Where columns have more than two
        values, their medians take one more pass: exact up to 65,536 different numbers in a column. "sbpi"
        visits rows at random, and so keeps all of them: a bit for each cell.

        >>> import numpy as np
        >>> X = np.random.default_rng(0).choice([-1, 1], (2000, 64)).astype(np.int8)
        >>> y = X[:, :40].sum(axis=1) - X[:, 40:].sum(axis=1) > 0
        >>> model = BinaryPerceptron(random_state=0).fit_stream((X, y), batch_rows=300)
        >>> bool((model.coef_ == BinaryPerceptron(random_state=0).fit(X, y).coef_).all())
        True
        """
        from .streamed_counts import fit_stream

        self._warn_if_unfinished(fit_stream(self, source, classes, batch_rows))
        return self

    @available_if(_counts_alone)  # type: ignore[untyped-decorator]
    def merge(self, other: "BinaryPerceptron") -> "BinaryPerceptron":
        """Add what another model has counted, as if this one had seen its rows, too; its own parameters rule.

        Both must have the same classes and cuts: give `binarize` as a number if columns have more than two
        values. Where only a sample of the rows is kept, give each its own `random_state`.
        """
        if not isinstance(other, BinaryPerceptron):
            raise ValueError(f"A {type(other).__name__} has no counts to add; merge a BinaryPerceptron.")
        check_is_fitted(self)
        check_is_fitted(other)
        parameters = read_parameters(self)
        for name in ("classes_", "feature_names_in_", "cuts_"):
            if not np.array_equal(getattr(self, name, ()), getattr(other, name, ())):
                raise ValueError(
                    f"The models differ in {name}, so that their counts cannot be added; give both the same "
                    "classes and columns, and binarize as a number."
                )
        self._require_rows(parameters)
        other._require_rows(parameters)
        with all_or_nothing(self):
            counts, kept = self.counts_ + other.counts_, _both(self._reservoir, other._reservoir)
            binarization = merge_levels(self._binarization(), other._binarization(), self._names())
            fitted = learn(counts, kept.rows if kept else None, parameters, self._rng)
            self._reservoir, self._streams = kept, True
            self._seen_rows = both_seen(self, other)
            self._publish(fitted, self.classes_, counts, binarization, parameters)
        return self

    def pack(self, X: Any) -> Bits:
        """Rows as `packed_` takes them: a bit per cell."""
        cells = self._cells(X)
        return cells if isinstance(cells, Bits) else cells.packed()

    def decision_function(self, X: Any) -> Array:
        """Σ w_i x_i − θ."""
        cells = self._cells(X)
        return np.asarray(self.packed_.scores(cells) - self.threshold_, np.float64)

    def predict(self, X: Any) -> Array:
        """The class: `classes_[1]` where the score is > 0; the only one, if there is one."""
        codes = codes_of(self.decision_function(X))
        return np.asarray(self.classes_[np.minimum(codes, len(self.classes_) - 1)])

    def _cells(self, X: Any) -> Bits | CutRows | DeviceBits:
        check_is_fitted(self)
        matrix = read_matrix(self, X)
        add_levels(self._binarization(), matrix, self._names())  # raises for values never seen
        return bits_on(device_for(self, matrix), matrix, self.cuts_)

    def _publish(
        self,
        fitted: BinaryFit,
        classes: Array,
        counts: Counts,
        binarization: Binarization,
        parameters: BinaryParameters,
    ) -> None:
        self.classes_, self.counts_, (self.cuts_, self._levels) = classes, counts, binarization
        self.coef_, self.threshold_ = fitted.model.coef[None], fitted.model.threshold
        _, self.influence_, self.neglected_ = fitted.counted
        for name in {"n_epochs_", "converged_", "stopped_"} & vars(self).keys():
            delattr(self, name)
        if parameters.method == SBPI:
            self.n_epochs_, self.converged_, self.stopped_ = fitted[2:]
        self._derive()

    def _derive(self) -> None:
        """What follows from the weights and the threshold."""
        self.packed_ = pack_weights(self.coef_[0], self.threshold_)
        self.intercept_ = np.array([-float(self.threshold_)])
        self.n_weights_ = int(np.count_nonzero(self.coef_))

    def _loaded(self) -> None:
        """Check what a model file held."""
        check_loaded(self)
        self._reservoir, self._rng, self._streams = None, None, False
        self._derive()

    def __getstate__(self) -> dict[str, Any]:
        """Copies do not take along the rows that `fit` kept, only those of a stream, which may go on."""
        state = dict(super().__getstate__())
        if not state.get("_streams", True) and state.get("_reservoir") is not None:
            state["_reservoir"] = state["_streams"] = None
        return state

    def _require_rows(self, parameters: BinaryParameters) -> None:
        """Are the rows there that a threshold or a choice of votes needs? If not, why?"""
        if not parameters.needs_rows or self._reservoir is not None:
            return
        cause = "it was trained with another epsilon or threshold"
        if self._rng is None:
            cause = "it comes from a model file, which holds none"
        elif self._streams is None:
            cause = "it was pickled or copied after fit: copies take along the rows of partial_fit alone"
        raise ValueError(
            f"{rows_for(parameters)} needs rows, and this model has kept none, because {cause}. Fit a new "
            "one, or give the threshold as an integer and epsilon as a number."
        )

    def _first_binarization(self, encoded: EncodedBits, parameters: BinaryParameters) -> Binarization:
        return learn_binarization(encoded.matrix, encoded.weights, parameters.binarize, self._names())

    def _binarization(self) -> Binarization:
        return Binarization(self.cuts_, self._levels)

    def _names(self) -> Any:
        return getattr(self, "feature_names_in_", None)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


def complaint(max_epochs: int, share: float) -> str:
    return (
        f"After max_epochs={max_epochs}, {100 * share:.3g} % of the training rows are wrong, and it is too "
        f"early to tell whether more epochs would help. Let max_epochs be {FEW_EPOCHS} or more."
    )


def _count_rows(
    model: Any, encoded: EncodedBits, binarization: Binarization, parameters: BinaryParameters
) -> tuple[Counts, LabeledBits | None]:
    """The counts; and the rows as bits, if there is something to be chosen by them."""
    matrix, positive, weights, _ = encoded
    device = device_for(model, matrix)
    if not parameters.needs_rows and weights is None and not is_sparse(matrix) and device is None:
        return count_array(matrix, binarization.cuts, positive), None
    cells = bits_on(device, matrix, binarization.cuts)
    counts = count(cells, positive, weights)
    return counts, LabeledBits(cells, positive, weights) if parameters.needs_rows else None


def _named(classes: Any) -> Array:
    if classes is None:
        raise ValueError("classes must be passed on the first call to partial_fit.")
    check_labels(classes, "classes")
    return np.unique(classes)


def _keep(rows: LabeledBits | None, parameters: BinaryParameters, rng: Any) -> Reservoir | None:
    """What `partial_fit` will need, if the threshold depends on rows."""
    if rows is None or rng is None or parameters.method == SBPI:
        return None
    return fill_reservoir(rows, keys(len(rows.positive), rng))


def _both(one: Reservoir | None, other: Reservoir | None) -> Reservoir | None:
    """None where either kept no rows: those of one alone would not speak for all."""
    return None if one is None or other is None else one + other
