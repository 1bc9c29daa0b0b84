"""`PrunedPerceptron`: the pruned perceptrons of Jackson and Craven, "Learning Sparse Perceptrons", section 4.

They train a perceptron by backpropagation, drop the weight of the smallest salience (a variant of optimal
brain damage), and iterate; a validation set decides when to stop. With k = 2 the features include all
conjunctions of two: whether a perceptron pruned from these matches boosting is the question they leave open.

Deviations: the unit is the same, but Newton's method brings it to its optimum, with a small L2 term so that
there is one on separable rows too; all sizes down to 0 are tried; the best is trained again, on all rows; of
many weights, several are dropped at a time. As in `SparsePerceptron`, numeric columns become literals, rows
and classes may have weights, and with more than two classes each is learned against the rest. Literals are
made from all rows, including those held out.
"""

import warnings
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from .._types import Array
from ..base import all_or_nothing
from ..compiled import one_thread, threads
from ..model_file.declarations import Field
from ..tables.literal_encoder import LiteralEncoder
from .encoded_literals import EncodedLiterals, encode_literals
from .features import Features, features_of
from .logistic_unit import LogisticSample, train
from .pruning import Pruned, prune
from .sparse_file import PRUNED_FIELDS, check_loaded_pruned
from .sparse_parameters import PrunedParameters, read_pruned_parameters
from .weighted_conjunctions import WeightedConjunctions


class PrunedPerceptron(WeightedConjunctions):
    """A perceptron over literals, or over these and their pairs, from which weights were dropped one by one.

    f(x) = sign(b + Σ v_h·h(x)), h being +1 where its literals hold and −1 where they do not. It is
    fitted to tables as they are: frames or arrays of numbers, names and truth values, in which cells may be
    missing, and sparse matrices of numbers.

    Parameters
    ----------
    k : {1, 2}, default 1
        The largest number of literals in a conjunction.
    drop : int, float or None, default None
        The number of weights dropped at a time, or the share of the remaining ones. None drops one, but 5 %
        while there are more than 1,000.
    validation_fraction : float, default 0.2
        The share of each class's rows that is held out, at random, to choose the size. At least one row is
        held out, and at least one is not. With more than two classes, a class of a single row is used for
        training alone, and ends without weights.
    alpha : float, default 0.001
        The factor of the term α/2 ‖w‖² beside the mean log-loss. The w are the weights of features 0 and 1, w
        = 2v.
    max_iter : int, default 100
        The largest number of Newton steps of one training.
    n_thresholds : int, default 8
        The largest number of literals `x > t` per numeric column.
    keep : None, "all" or list of names, default None
        Columns of a frame that are not left out, as in `SparsePerceptron`.
    class_weight : None, "balanced" or dict of class → weight, default None
        The weight of each row is multiplied by that of its class. "balanced" gives all classes the same total
        weight.
    n_jobs : int or None, default None
        The number of threads that learn classes against the rest in parallel, if there are more than two.
        None is one, -1 is one per core. The model does not depend on it.
    random_state : int, RandomState or None, default None
        Draws the rows held out. An int makes the fit repeatable.

    Attributes
    ----------
    conjunctions_ : list of conjunctions
        The conjunctions that were kept; `str` gives each in words.
    weights_ : array
        One weight per conjunction; with more than two classes, one row of weights per class.
    intercept_ : array
        The weights of the constant, which are not counted and not pruned.
    n_weights_ : int or array
        The number of weights that are not 0; with more than two classes, an array.
    path_ : list of Pruning
        The number of weights and the accuracy on the rows held out, one entry per training; with more than
        two classes, a list of lists.
    n_iter_ : int
        The largest number of steps that a training took.
    encoder_ : LiteralEncoder
        The fitted encoder of the table.
    classes_, n_features_in_, feature_names_in_
        As in scikit-learn.

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

    _file_fields: ClassVar[dict[str, Field]] = PRUNED_FIELDS

    def __init__(
        self,
        *,
        k: int = 1,
        drop: float | None = None,
        validation_fraction: float = 0.2,
        alpha: float = 1e-3,
        max_iter: int = 100,
        n_thresholds: int = 8,
        keep: Any = None,
        class_weight: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.k = k
        self.drop = drop
        self.validation_fraction = validation_fraction
        self.alpha = alpha
        self.max_iter = max_iter
        self.n_thresholds = n_thresholds
        self.keep = keep
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "PrunedPerceptron":
        """Learn from the rows of a table and their classes; rows of weight 0 are absent."""
        parameters = read_pruned_parameters(self)
        with all_or_nothing(self, X, sample_weight), one_thread(), threads(self.n_jobs) as workers:
            encoder = LiteralEncoder(n_thresholds=self.n_thresholds, keep=self.keep)
            encoded = encode_literals(encoder, X, y, sample_weight, self.class_weight)
            held_out = _hold_out(encoded, parameters.validation_fraction, self.random_state)
            features = features_of(encoded.data, np.arange(encoded.data.n_rows), parameters.k)
            samples = [LogisticSample(features.X, signs, encoded.weights) for signs in encoded.signs()]
            fitted = workers.map(lambda sample: _fit_one(sample, held_out, parameters), samples)
            self._adopt(encoded.classes, encoder)
            self._keep(features, fitted)
        if not all(one.converged for one in fitted):
            warnings.warn(complaint(parameters), ConvergenceWarning, stacklevel=2)
        return self

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
        check_loaded_pruned(self)
        self._derive()

    def _derive(self) -> None:
        self.path_ = self._paths[0] if len(self._paths) == 1 else self._paths
        self._publish()


def _hold_out(encoded: EncodedLiterals, fraction: float, random_state: Any) -> Array:
    """Which of the rows are held out."""
    codes = encoded.codes
    random, held_out = check_random_state(random_state), np.zeros(len(codes), np.bool_)
    counts = np.bincount(codes, minlength=len(encoded.classes))
    if np.count_nonzero(counts > 1) < 2:
        rare = encoded.classes[counts == 1].tolist()[0]
        raise ValueError(
            f"Class {rare!r} has 1 row whose weight is > 0, but at least two classes need 2 rows each, "
            "to learn from and to hold out. Add rows of this class."
        )
    for code in np.flatnonzero(counts > 1):
        members = random.permutation(np.flatnonzero(codes == code))
        share = round(fraction * len(members))
        held_out[members[: min(max(share, 1), len(members) - 1)]] = True
    return held_out


def _fit_one(sample: LogisticSample, held_out: Array, parameters: PrunedParameters) -> Pruned:
    """The best size, trained again on all rows."""
    learn, test = (LogisticSample(*(part[rows] for part in sample)) for rows in (~held_out, held_out))
    alpha, max_iter = parameters.alpha, parameters.max_iter
    run = prune(learn, test, alpha, max_iter, parameters.to_drop)
    last = train(sample.select(run.columns), alpha, max_iter, run.unit.weights, run.unit.intercept)
    return run.followed_by(last)


def complaint(parameters: PrunedParameters) -> str:
    """What a fit says whose steps ran out."""
    return (
        f"Some training did not reach its optimum in max_iter={parameters.max_iter} steps; raise max_iter, "
        f"or alpha={parameters.alpha:g}."
    )
