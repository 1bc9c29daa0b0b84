"""`PrunedPerceptron`: the pruned perceptrons of Jackson and Craven, "Learning Sparse Perceptrons", section 4.

They train a perceptron by backpropagation, drop the weight of the smallest salience (a variant of optimal
brain damage), and iterate; a validation set decides when to stop. With k = 2 the features include all
conjunctions of two: whether a perceptron pruned from these matches boosting is the question they leave open.

Deviations: the unit is the same, but brought to its optimum by Newton's method, with a small L2 term so that
there is one on separable rows too; all sizes down to none are tried; the best is trained again, on all rows;
of many weights, several are dropped at a time. As in the rest of the room, numeric columns become literals,
rows and classes may have weights, and of more than two classes each is learned against the rest. Literals are
made of all rows, those held out included.
"""

import warnings
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from .._types import Array
from ..checks import is_number, number
from ..compiled import one_thread
from ..model_file.declarations import Field
from ..tables.literal_encoder import LiteralEncoder
from .features import Features, features_of
from .logistic_unit import Sample, train
from .pruning import Pruned, prune
from .sparse_file import PRUNED, restore_weights
from .sparse_parameters import read_order
from .sparse_problem import Problem, read_problem
from .weighted_conjunctions import WeightedConjunctions

FEW = 1_000  # weights, up to which one is dropped at a time
SHARE = 0.05  # of more
LEAST = 1e-9  # of alpha: with less, slopes that are flat still leave the weights open


class PrunedPerceptron(WeightedConjunctions):
    """A perceptron over literals, or over these and their pairs, from which weights were dropped one by one.

    f(x) = sign(b + Σ v_h·h(x)), h being +1 where its literals hold and −1 where they do not. Takes tables as
    they are: frames or arrays of numbers, names and truth values, with cells missing, and sparse matrices of
    numbers.

    Parameters
    ----------
    k : 1 or 2, the most literals of a conjunction.
    drop : how many weights are dropped at a time: a number, or a share of those that are left. None: one, but
        5 % while there are more than 1,000.
    validation_fraction : the share of each class's rows that is held out, at random, to choose the size; at
        least one row is, and at least one is not. (Of more than two classes, one of a single row is only
        learned from. None of its rows then asks for a weight, and it ends without.)
    alpha : of the term α/2 ‖w‖² beside the mean log loss; w are the weights of features 0 and 1, w = 2v.
    max_iter : the most Newton steps of one training.
    n_thresholds : at most so many literals `x > t` of a numeric column.
    class_weight : None, "balanced", or a dict of class → weight.
    random_state : draws the rows held out.

    Attributes
    ----------
    conjunctions_ : list of conjunctions; `str` says each in words.
    weights_ : array, one weight per conjunction; of more than two classes, a row of them per class.
    intercept_ : the weights of the constant, which are not counted and not pruned.
    n_weights_ : how many weights are not 0; an array of more than two classes.
    path_ : list of `Pruning` (n_weights, accuracy on the rows held out), one per training; of more than two
        classes, a list of lists.
    n_iter_ : the most steps that a training took.
    encoder_ : the fitted `LiteralEncoder`.
    classes_, n_features_in_, feature_names_in_ : as in scikit-learn.

    Examples
    --------
    >>> from perceptrons import PrunedPerceptron
    >>> X = [["red", 3.0], ["red", 8.0], ["brown", 2.0], ["brown", 9.0]] * 5
    >>> y = ["poisonous", "poisonous", "edible", "poisonous"] * 5
    >>> model = PrunedPerceptron(random_state=0).fit(X, y)
    >>> [str(conjunction) for conjunction in model.conjunctions_]
    ['x1 > 2']
    >>> model.weights_.round(2), model.intercept_.round(2)
    (array([3.98]), array([0.56]))
    >>> [(one.n_weights, one.accuracy) for one in model.path_]
    [(5, 1.0), (4, 1.0), (3, 1.0), (2, 1.0), (1, 1.0), (0, 0.75)]
    """

    _file_fields: ClassVar[dict[str, Field]] = PRUNED

    def __init__(
        self,
        *,
        k: int = 1,
        drop: float | None = None,
        validation_fraction: float = 0.2,
        alpha: float = 1e-3,
        max_iter: int = 100,
        n_thresholds: int = 8,
        class_weight: Any = None,
        random_state: Any = None,
    ) -> None:
        self.k = k
        self.drop = drop
        self.validation_fraction = validation_fraction
        self.alpha = alpha
        self.max_iter = max_iter
        self.n_thresholds = n_thresholds
        self.class_weight = class_weight
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "PrunedPerceptron":
        """Learn from the rows of a table and their classes; rows of weight 0 are not learned from."""
        k, to_drop = read_order(self.k, most=2), read_drop(self.drop)
        number("validation_fraction", self.validation_fraction, "(0, 1)", "use 0.2")
        number("alpha", self.alpha, f"({LEAST}, inf)", "use 0.001")
        number("max_iter", self.max_iter, "[1, inf)", "use 100", Integral)
        encoder = LiteralEncoder(n_thresholds=self.n_thresholds)
        with one_thread():
            problem = read_problem(encoder, X, y, sample_weight, self.class_weight)
            rows = np.flatnonzero(problem.weights > 0.0)
            held_out = self._split(problem, rows)
            features = features_of(problem.data, rows, k)
            samples = [Sample(features.X, s[rows], problem.weights[rows]) for s in problem.signs()]
            fitted = [self._fit_one(sample, held_out, to_drop) for sample in samples]
        self._adopt(problem.classes, encoder)
        self._keep(features, fitted)
        if not all(one.converged for one in fitted):
            self._warn()
        return self

    def _split(self, problem: Problem, rows: Array) -> Array:
        """Which of the rows are held out."""
        random, held_out = check_random_state(self.random_state), np.zeros(len(rows), np.bool_)
        codes = problem.codes[rows]
        counts = np.bincount(codes, minlength=len(problem.classes))
        if np.count_nonzero(counts > 1) < 2:
            rare = problem.classes[counts == 1].tolist()[0]
            raise ValueError(
                f"Class {rare!r} has 1 row whose weight is > 0, but at least two classes need 2 rows each, "
                "to learn from and to hold out. Add rows of this class."
            )
        for code in np.flatnonzero(counts > 1):
            members = random.permutation(np.flatnonzero(codes == code))
            share = round(self.validation_fraction * len(members))
            held_out[members[: min(max(share, 1), len(members) - 1)]] = True
        return held_out

    def _fit_one(self, sample: Sample, held_out: Array, to_drop: Callable[[int], int]) -> Pruned:
        """The best size, trained again on all rows."""
        learn, test = (Sample(*(part[rows] for part in sample)) for rows in (~held_out, held_out))
        run = prune(learn, test, self.alpha, self.max_iter, to_drop)
        start = run.unit
        last = train(sample.select(run.columns), self.alpha, self.max_iter, start.weights, start.intercept)
        return run.followed_by(last)

    def _keep(self, features: Features, fitted: list[Pruned]) -> None:
        """A weight w of 0 and 1 is a weight w/2 of −1 and +1, and another w/2 of the constant."""
        used = np.unique(np.concatenate([one.columns for one in fitted]))
        self._places = [features.places[column] for column in used]
        self._weights = np.zeros((len(fitted), len(used)))
        for row, one in zip(self._weights, fitted, strict=True):
            row[np.searchsorted(used, one.columns)] = one.unit.weights / 2
        self.intercept_ = np.array([one.unit.intercept + one.unit.weights.sum() / 2 for one in fitted])
        self._paths = [one.path for one in fitted]
        self.n_iter_ = max(one.n_iter for one in fitted)
        self._derive()

    def _loaded(self) -> None:
        restore_weights(self)
        self._derive()

    def _derive(self) -> None:
        self.path_ = self._paths[0] if len(self._paths) == 1 else self._paths
        self._publish()

    def _warn(self) -> None:
        warnings.warn(
            f"Some training did not reach its optimum in max_iter={self.max_iter} steps; raise max_iter, or "
            f"alpha={self.alpha:g}.",
            ConvergenceWarning,
            stacklevel=3,
        )


def read_drop(drop: Any) -> Callable[[int], int]:
    """How many of so many weights are dropped at a time."""
    if drop is None:
        return lambda n: 1 if n <= FEW else int(SHARE * n)
    if is_number(drop, Integral) and drop >= 1:
        return lambda n: int(drop)
    if is_number(drop, Real) and 0 < drop < 1:
        return lambda n: max(1, int(drop * n))
    raise ValueError(
        f"drop={drop!r}, but it must be an integer >= 1, or a share of the weights left, between 0 and 1; "
        "use None."
    )
