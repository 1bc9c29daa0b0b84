"""`Cascade`: classifiers in a row; what one cannot answer goes to the next, and last to a person.

Each stage is calibrated and passes a row on where that is expected to cost less than its best answer, see
`cascade_prices`. The stages after the first learn from the rows that those before them pass on *out of fold*:
rows that a stage was trained on look easier to it than new ones.
"""

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from .._types import Array
from ..base import all_or_nothing
from ..checks import count_rows, is_number, number
from ..conservative.chow_classifier import ChowClassifier
from ..conservative.chow_input import check_classifier, read_rows, rows_at
from ..input_kinds import check_table
from ..model_file import declarations as file
from ..rejection.costs import read_costs
from ..rejection.labels import resolve
from ..rejection.rejecting import Rejecting
from . import selective_file
from .cascade_prices import Judged, judge, passed, stage_prices
from .wrapped import PRICES, folds, refuse_weights, tags_of

LEAST = 3  # rows of a class
FEWEST = 20  # rows passed on, from which the next stage learns; of fewer, it learns from all rows


class Cascade(Rejecting, BaseEstimator):
    """Cheap classifiers first: rows a stage is not sure of go to the next, and last to a person.

    Parameters
    ----------
    stages : list of classifiers
        The stages from cheap to rich, each with `predict_proba` or `decision_function`.
    costs : Costs or None, default None
        What right and wrong answers cost, and, as `reject`, a person. With None an error costs 1 and a person
        `reject_cost`.
    stage_costs : list of float or None, default None
        What it costs to ask each stage about a row, in the units of `costs`. None stands for nothing.
    calibration : {"sigmoid", "isotonic", None}, default "sigmoid"
        How scores become posterior probabilities, as in `ChowClassifier`. With None each stage's own
        `predict_proba` is used.
    reject_cost : float, default 0.2
        The cost of a person, in [0, 1), where an error costs 1.
    cv : int, default 5
        The number of folds: for the rows that stages pass on, for prices, and for calibration.
    reject_label : "auto", number, str or None, default "auto"
        What `predict` returns for a row that goes to a person. "auto" is "reject" if classes are texts;
        otherwise it is 0, −1 or the number below all classes, the first of these that is not a class. None
        makes `predict` always answer.
    random_state : int, RandomState or None, default None
        Draws the folds. It is not passed to the stages.

    Attributes
    ----------
    classes_, n_features_in_, feature_names_in_
        As in scikit-learn, the last two if the first stage has them.
    stages_ : list of ChowClassifier
        The fitted stages, calibrated.
    prices_ : list of float or None
        For each stage, the expected cost above which a row is passed on, inf if nothing is passed on; None
        for the last stage, which compares with the costs of a person.
    n_rows_ : list of int
        The number of rows each stage learned from.
    answered_by_ : array
        The share of rows answered by each stage, and last by a person; out of fold.
    risk_ : float
        The mean cost of a row, stages included; out of fold, on the rows that chose the prices.
    reject_label_ : object
        What `predict` returns for a row that goes to a person.

    Notes
    -----
    Only rows that reach a stage are shown to it: where the first answers most rows, the cascade is nearly as
    quick. `answered_by(X)` names the stage. Rows have no weights.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from perceptrons import Cascade
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(600, 2))
    >>> y = np.where(X[:, 0] + np.sin(3 * X[:, 1]) > 0, "yes", "no")
    >>> model = Cascade(
    ...     [LogisticRegression(), KNeighborsClassifier(9)], stage_costs=[0.0, 0.02], random_state=0
    ... ).fit(X, y)
    >>> model.answered_by([[3.0, 0.0], [0.3, 0.3]]).tolist()
    [0, 1]
    """

    _file_parameters: ClassVar[dict[str, file.Field]] = selective_file.CASCADE_PARAMETERS
    _file_fields: ClassVar[dict[str, file.Field]] = selective_file.CASCADE

    def __init__(
        self,
        stages: Any,
        costs: Any = None,
        *,
        stage_costs: Any = None,
        calibration: str | None = "sigmoid",
        reject_cost: float = 0.2,
        cv: int = 5,
        reject_label: Any = "auto",
        random_state: Any = None,
    ) -> None:
        self.stages = stages
        self.costs = costs
        self.stage_costs = stage_costs
        self.calibration = calibration
        self.reject_cost = reject_cost
        self.cv = cv
        self.reject_label = reject_label
        self.random_state = random_state

    def fit(self, X: Any, y: Any, **fit_params: Any) -> "Cascade":
        """Fit the stages, the first to all rows, others to those passed on to them, and find the prices."""
        refuse_weights("Cascade", fit_params, PRICES)
        stages = self._read_stages()
        costs, stage_costs = read_costs(self.costs, self.reject_cost), self._read_stage_costs(len(stages))
        number("cv", self.cv, "[2, inf)", "use 5")
        rows = read_rows(X, y, None, None, {})
        prices, label = costs.of(rows.classes), resolve(self.reject_label, rows.classes)
        codes = rows.codes.astype(int)
        with all_or_nothing(self, X):
            self.classes_, self._prices, self.reject_label_ = rows.classes, prices, label
            splits = folds(codes, self._n_folds(codes), check_random_state(self.random_state))
            every = np.ones(len(codes), bool)
            judged = [self._out_of_fold(stage, rows.X, rows.y, every, splits) for stage in stages]
            rough, _ = stage_prices(judged, codes, [every] * len(stages), prices, stage_costs)
            reaching, learned = [every], [every]
            for i, stage in enumerate(stages[1:], 1):
                reaching.append(reaching[-1] & passed(judged[i - 1], rough[i - 1]))
                learned.append(reaching[-1] if _enough(codes[reaching[-1]]) else learned[-1])
                if learned[-1] is not every:
                    judged[i] = self._out_of_fold(stage, rows.X, rows.y, learned[-1], splits)
            counted = [rows_ if rows_.sum() >= FEWEST else every for rows_ in reaching]
            self.prices_, paid = stage_prices(judged, codes, counted, prices, stage_costs)
            self.risk_, self.answered_by_ = float(paid.mean()), _shares(judged, self.prices_)
            self.n_rows_ = np.array([int(some.sum()) for some in learned])
            self.stages_ = [
                self._calibrated(stage).fit(rows_at(rows.X, np.flatnonzero(some)), rows.y[some])
                for stage, some in zip(stages, learned, strict=True)
            ]
        return self

    def _read_stages(self) -> list[Any]:
        if not isinstance(self.stages, list | tuple) or not self.stages:
            raise ValueError(
                f"stages={self.stages!r}, but it must be a list of classifiers, cheap ones first."
            )
        for stage in self.stages:
            check_classifier(stage, self.calibration)
        return list(self.stages)

    def _n_folds(self, codes: Array) -> int:
        """Enough that copies of stage 0 learn from two rows of every class, and can be calibrated."""
        counts = np.bincount(codes)
        if counts.min() < LEAST and self.calibration is not None:
            raise ValueError(
                f"The class {self.classes_.tolist()[int(counts.argmin())]!r} has {counts.min()} rows, but a "
                f"cascade needs {LEAST} of each: two to be calibrated by, where one is left out; add rows."
            )
        return max(self.cv, LEAST) if counts.min() == LEAST else self.cv

    def _read_stage_costs(self, n_stages: int) -> Array:
        given = [0.0] * n_stages if self.stage_costs is None else self.stage_costs
        several = isinstance(given, list | tuple | np.ndarray) and len(given) == n_stages
        if not several or not all(is_number(one, Real) and 0.0 <= one < np.inf for one in given):
            raise ValueError(
                f"stage_costs={self.stage_costs!r}, but it must hold a number >= 0 for each of "
                f"the {n_stages} stages, or be None."
            )
        return np.array(given, float)

    def _calibrated(self, stage: Any) -> ChowClassifier:
        return ChowClassifier(clone(stage), calibration=self.calibration, cv=self.cv, reject_label=None)

    def _out_of_fold(self, stage: Any, X: Any, y: Array, learned: Array, splits: Any) -> Judged:
        """What copies of a stage say of the rows they were not trained on; they learn from these rows."""
        posteriors = np.zeros((len(y), len(self.classes_)))
        for train, test in splits:
            own = train[learned[train]]
            if not _enough(np.searchsorted(self.classes_, y[own])):
                own = train
            copy = self._calibrated(stage).fit(rows_at(X, own), y[own])
            posteriors[test] = self._posteriors(copy, rows_at(X, test))
        return judge(posteriors, self._prices)

    def _posteriors(self, stage: Any, X: Any) -> Array:
        """A column for each class; 0 for one that the stage never met."""
        found = stage.predict_proba(X)
        posteriors = np.zeros((len(found), len(self.classes_)))
        posteriors[:, np.searchsorted(self.classes_, stage.classes_)] = found
        return posteriors

    def _route(self, X: Any) -> tuple[Array, Array, Array]:
        """For each row: its answer, which stage gives it (their number: a person), how much that saves."""
        check_is_fitted(self)
        check_table(X)
        n_rows, last = count_rows(X), len(self.stages_) - 1
        codes, by, saved = np.zeros(n_rows, int), np.full(n_rows, last + 1), np.zeros(n_rows)
        left = np.arange(n_rows)
        for i, (stage, price) in enumerate(zip(self.stages_, self.prices_, strict=True)):
            if not len(left) and i:
                break
            judged = judge(self._posteriors(stage, rows_at(X, left) if i else X), self._prices)
            on = passed(judged, price)
            codes[left], saved[left] = judged.codes, judged.by_person - judged.expected
            by[left[~on]] = i
            left = left[on]
        return codes, by, saved

    def _decisions(self, X: Any) -> tuple[Array, Array, Array]:
        codes, by, saved = self._route(X)
        return codes, by == len(self.stages_), saved

    def answered_by(self, X: Any) -> Array:
        """The number of the stage that answers each row, from 0; the number of stages stands for a person."""
        return self._route(X)[1]

    def risk(self, X: Any, y: Any) -> float:
        """The mean cost of answers, of persons and of the stages that were asked; lower is better."""
        codes, by, _ = self._route(X)
        truth = self._codes(X, y)
        n_stages = len(self.stages_)
        spent = np.append(0.0, np.cumsum(self._read_stage_costs(n_stages)))[np.minimum(by + 1, n_stages)]
        return float((self._prices.of_rows(truth, codes == truth, by == n_stages) + spent).mean())

    def _loaded(self) -> None:
        """Do the stages, prices and shares of a file fit together?"""
        selective_file.check_cascade(self)

    @property
    def n_features_in_(self) -> int:
        return int(self.stages_[0].n_features_in_)

    @property
    def feature_names_in_(self) -> Array:
        return np.asarray(self.stages_[0].feature_names_in_)

    def __sklearn_tags__(self) -> Any:
        first = self.stages[0] if isinstance(self.stages, list | tuple) and self.stages else None
        return tags_of(first, super().__sklearn_tags__())


def _enough(codes: Array) -> bool:
    """Can a stage learn from these rows, and be calibrated by them?"""
    counts = np.bincount(codes)
    counts = counts[counts > 0]
    return len(counts) > 1 and bool(counts.min() > 1) and int(counts.sum()) >= FEWEST


def _shares(judged: list[Judged], prices: list[float | None]) -> Array:
    """The share of rows that each stage answers, and last a person."""
    left, shares = np.ones(len(judged[0].codes), bool), []
    for one, price in zip(judged, prices, strict=True):
        on = left & passed(one, price)
        shares.append(float((left & ~on).mean()))
        left = on
    return np.array([*shares, float(left.mean())])
