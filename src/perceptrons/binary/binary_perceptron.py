"""`BinaryPerceptron`: Golea and Marchand, "On Learning Perceptrons with Binary Weights".

g(x) = +1 iff Σ w_i x_i > θ, with x_i = ±1, w_i = −1, 0 or +1, and an integer θ. One pass of counting finds
the weights (Figure 1, or eq. 11), a second look at the rows the threshold.

Deviations: columns of numbers are cut in two; the threshold is by default that of fewest errors, because step
7 of Figure 1 breaks under noise; a column of one value is neglected whatever the method; rows may have
weights. The method "sbpi" is not the paper's.
"""

import warnings
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from .._types import Array
from ..base import Threshold, codes_of
from ..model_file.declarations import Field
from ..rows.bits import Bits
from ..rows.encode import is_sparse
from ..rows.order import generators, keys
from ..rows.packing import Flips, cells_of
from .binary_file import FIELDS, restore
from .binary_parameters import SBPI, Settings, read_settings
from .binary_problem import (
    Cut,
    Problem,
    check_kept,
    check_levels,
    learn_cuts,
    merged,
    read_problem,
    read_rows,
)
from .counts import Counts, count, count_array
from .kept_rows import Reservoir, Rows, sample
from .learning import Outcome, conclude
from .packed_perceptron import pack_weights


def _counts_alone(model: Any) -> bool:
    return bool(model.method != SBPI)


class BinaryPerceptron(Threshold):
    """A linear classifier of two classes whose weights are −1, 0 and +1: two bits per column.

    Parameters
    ----------
    method : {"influence", "clipped-hebb", "sbpi"}, default "influence"
        "influence": the sign of how much more often a row is positive where the column is +1, for columns
        that are independent of each other; 0 where it makes no difference. "clipped-hebb": the sign of Σ y x,
        for columns that are +1 as often as −1. Both take one pass. "sbpi": epochs of corrections to hidden
        integers, whose signs the weights are; it often finds weights that are right about all rows, if
        there are any; least so where random rows are 1 to 1.7 times as many as columns.
    epsilon : float in (0, 1), default 0.1
        The error that is aimed at. Of a class a share of epsilon/4 is too small to matter, of a column's
        value one of epsilon/(4n), and so is an influence of epsilon/(4(n + 1)).
    threshold : "auto", "min-error", "figure-1" or int, default "auto"
        "min-error": the fewest errors on the training rows, the lowest of several. "figure-1": the lowest
        that makes all but epsilon/4 of the positive answers right; more noise than that breaks it. "auto": 0
        for "clipped-hebb", "min-error" for "influence"; "sbpi" learns it with the weights.
    binarize : "auto", float or None, default "auto"
        Where columns are cut: a value is +1 if it is greater. "auto": between the two values of a column
        that has two, else at the median. None: a column of more than two values is an error.
    max_epochs : int, default 1000
        Of "sbpi", at most; reaching it warns.
    random_state : int, RandomState or None, default None
        Draws the order of rows in "sbpi", and of long streams those that are kept for the threshold.

    Attributes
    ----------
    classes_, n_features_in_, feature_names_in_ : as in scikit-learn.
    coef_ : int8 array (1, n), the weights of cells ±1. intercept_ : minus the threshold.
    threshold_ : int, θ.
    cuts_ : array, where each column is cut.
    influence_ : array; of each column P(+ | x = +1) − P(+ | x = −1), times 2, among the training rows.
    neglected_ : array of bool; columns that have almost always the same value.
    n_weights_ : how many weights are not 0.
    counts_ : what was counted: rows, positive, ones, positive_ones; the counts of parts add up with `+`.
    packed_ : the model in words of bits (signs, mask, threshold), with `scores`, `predict`, `n_bytes`.
    n_epochs_, converged_ : of "sbpi": epochs made, and whether no training row is wrong.

    Notes
    -----
    All votes weigh the same, so that columns which have nothing to say, and vote at random, do harm: leave
    them out, as with scikit-learn's `SelectKBest`.

    `partial_fit` counts batch by batch; the weights are those of all rows at once. Columns are cut as the
    first batch says; one that is constant in it at half its value, which is right for 0 and 1 or −1 and +1:
    for others give `binarize` as a number. For a threshold that depends on rows, `fit` and `partial_fit` keep
    65,536 of them, a bit per cell (sparse rows stay sparse): all, until there are more, then a fair sample.
    Model files do not hold them, nor do copies and pickles of a model that has seen `fit` alone.

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
    _source: Any  # of its keys
    _streams: bool  # whether more rows have come than those of `fit`

    def __init__(
        self,
        *,
        method: str = "influence",
        epsilon: float = 0.1,
        threshold: Any = "auto",
        binarize: Any = "auto",
        max_epochs: int = 1000,
        random_state: Any = None,
    ) -> None:
        self.method = method
        self.epsilon = epsilon
        self.threshold = threshold
        self.binarize = binarize
        self.max_epochs = max_epochs
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "BinaryPerceptron":
        """Learn from rows of two classes; if there is one only, it is always answered."""
        settings, before = read_settings(self), vars(self).copy()
        try:
            problem = read_problem(self, X, y, sample_weight, reset=True)
            cut = learn_cuts(problem, settings.binarize, self._names())
            counts, rows = _look(problem, cut, settings)
            (rng,) = generators(self.random_state, 1)
            outcome = conclude(counts, rows, settings, rng)
        except Exception:
            self.__dict__ = before  # as if nothing had happened
            raise
        self._reservoir, self._source, self._streams = _keep(rows, settings, rng), rng, False
        self._publish(outcome, problem.classes, counts, cut, settings)
        if rows and not outcome.converged:
            self._complain(rows)
        return self

    @available_if(_counts_alone)  # type: ignore[untyped-decorator]
    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
    ) -> "BinaryPerceptron":
        """Count more rows; not for "sbpi". The first call must name the classes."""
        settings, before = read_settings(self), vars(self).copy()
        first = not hasattr(self, "counts_")
        try:
            names = _named(classes) if first else self.classes_
            if classes is not None and not np.array_equal(_named(classes), names):
                raise ValueError(f"classes={classes!r}, but the first call named {names.tolist()}.")
            problem = read_problem(self, X, y, sample_weight, first, names)
            if first:
                cut = learn_cuts(problem, settings.binarize, self._names())
            else:
                check_kept(self._cut(), settings.binarize)
                cut = check_levels(problem.matrix, self._cut(), self._names())
            counts, rows = _look(problem, cut, settings)
            source = generators(self.random_state, 1)[0] if first else self._source
            kept = _keep(rows, settings, source)
            if not first:
                counts, kept = self.counts_ + counts, _both(self._reservoir, kept)
            outcome = conclude(counts, _rows(kept), settings, source)
        except Exception:
            self.__dict__ = before
            raise
        self._reservoir, self._source, self._streams = kept, source, True
        self._publish(outcome, names, counts, cut, settings)
        return self

    @available_if(_counts_alone)  # type: ignore[untyped-decorator]
    def merge(self, other: "BinaryPerceptron") -> "BinaryPerceptron":
        """Add what another model has counted, as if this one had seen its rows, too; its own parameters rule.

        Both must have the same classes and cuts: give `binarize` as a number if columns have more than two
        values. Where so many rows are seen that a sample is kept, give each its own `random_state`.
        """
        if not isinstance(other, BinaryPerceptron):
            raise ValueError(f"A {type(other).__name__} has no counts to add; merge a BinaryPerceptron.")
        check_is_fitted(self)
        check_is_fitted(other)
        settings = read_settings(self)
        for name in ("classes_", "feature_names_in_", "cuts_"):
            if not np.array_equal(getattr(self, name, ()), getattr(other, name, ())):
                raise ValueError(
                    f"The models differ in {name}, so that their counts cannot be added; give both the same "
                    "classes and columns, and binarize as a number."
                )
        counts, kept = self.counts_ + other.counts_, _both(self._reservoir, other._reservoir)
        cut = merged(self._cut(), other._cut(), self._names())
        outcome = conclude(counts, _rows(kept), settings, self._source)
        self._reservoir, self._streams = kept, True
        self._publish(outcome, self.classes_, counts, cut, settings)
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

    def _cells(self, X: Any) -> Bits | Flips:
        check_is_fitted(self)
        matrix = read_rows(self, X)
        check_levels(matrix, self._cut(), self._names())
        return cells_of(matrix, self.cuts_)

    def _publish(
        self, outcome: Outcome, classes: Array, counts: Counts, cut: Cut, settings: Settings
    ) -> None:
        self.classes_, self.counts_, (self.cuts_, self._levels) = classes, counts, cut
        self.coef_, self.threshold_ = outcome.model.coef[None], outcome.model.threshold
        _, self.influence_, self.neglected_ = outcome.found
        for name in {"n_epochs_", "converged_"} & vars(self).keys():
            delattr(self, name)
        if settings.method == SBPI:
            self.n_epochs_, self.converged_ = outcome.n_epochs, outcome.converged
        self._derive()

    def _derive(self) -> None:
        """What follows from the weights and the threshold."""
        self.packed_ = pack_weights(self.coef_[0], self.threshold_)
        self.intercept_ = np.array([-float(self.threshold_)])
        self.n_weights_ = int(np.count_nonzero(self.coef_))

    def _loaded(self) -> None:
        """Check what a model file held."""
        restore(self)
        self._reservoir, self._source, self._streams = None, None, False
        self._derive()

    def __getstate__(self) -> dict[str, Any]:
        """Copies do not take along the rows that `fit` kept, only those of a stream, which may go on."""
        state = dict(super().__getstate__())
        if not state.get("_streams", True):
            state["_reservoir"] = None
        return state

    def _cut(self) -> Cut:
        return Cut(self.cuts_, self._levels)

    def _names(self) -> Any:
        return getattr(self, "feature_names_in_", None)

    def _complain(self, rows: Rows) -> None:
        share = rows.errors(self.packed_) / float(self.counts_.rows)
        warnings.warn(
            f"After max_epochs={self.max_epochs}, {100 * share:.3g} % of the training rows are wrong; "
            "perhaps no weights of -1 and +1 are right about all. Raise max_epochs, or use 'influence'.",
            ConvergenceWarning,
            stacklevel=3,
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


def _look(problem: Problem, cut: Cut, settings: Settings) -> tuple[Counts, Rows | None]:
    """What is counted; and the rows, if there is something to be chosen by them."""
    matrix, positive, weights, _ = problem
    if not settings.needs_rows and weights is None and not is_sparse(matrix):
        return count_array(matrix, cut.cuts, positive), None
    cells = cells_of(matrix, cut.cuts)
    counts = count(cells, positive, weights)
    return counts, Rows(cells, positive, weights) if settings.needs_rows else None


def _named(classes: Any) -> Array:
    if classes is None:
        raise ValueError("classes must be passed on the first call to partial_fit.")
    return np.unique(classes)


def _keep(rows: Rows | None, settings: Settings, source: Any) -> Reservoir | None:
    """What `partial_fit` will need, if the threshold depends on rows."""
    if rows is None or source is None or settings.method == SBPI:
        return None
    cells = rows.cells.copied() if isinstance(rows.cells, Flips) else rows.cells
    return sample(rows._replace(cells=cells), keys(len(rows.positive), source))


def _rows(kept: Reservoir | None) -> Rows | None:
    return None if kept is None else kept.rows


def _both(one: Reservoir | None, other: Reservoir | None) -> Reservoir | None:
    """None where either kept no rows: those of one alone would not speak for all."""
    return None if one is None or other is None else one + other
