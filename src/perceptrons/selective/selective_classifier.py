"""`SelectiveClassifier`: any classifier, made to reject rows until it can promise few errors on the others.

Thresholds on certainty are tested in a fixed sequence on calibration rows, from strict to lenient, until one
fails (`promise`). Y. Geifman and R. El-Yaniv, *Selective Classification for Deep Neural Networks* (2017), ask
for the same promise with a bisection that divides delta, and is proved only where the error falls with the
threshold; the fixed sequence needs neither and answers more rows. To take the last of all thresholds that
pass would break the promise far more often than stated.
"""

import warnings
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.frozen import FrozenEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from .._types import Array
from ..base import all_or_nothing
from ..checks import flag, number
from ..conservative.chow_input import check_classifier, read_rows, rows_at
from ..input_kinds import check_table
from ..model_file import declarations as file
from ..rejection.costs import Costs
from ..rejection.labels import resolve
from ..rejection.rejecting import Rejecting
from ..structure import check_structure
from . import selective_file
from .calibration_rows import calibration_split
from .promise import Promise, first_level, place_thresholds, promise
from .wrapped import PROMISES, answers_and_certainty, fitted_copies, folds, refuse_weights, tags_of

PREFIT = "prefit"
FOLDS = 5
PLACING = 1 / 5  # the share of the rows that places thresholds, where the model cannot be fitted again


class SelectiveClassifier(Rejecting, BaseEstimator):
    """Any classifier, made to reject rows such that few of its answers are wrong, with a stated confidence.

    With probability `confidence`, over the calibration rows, at most `max_error` of the new rows that are
    answered are answered wrongly. New rows must be drawn as the calibration rows were: not from later years
    or other hospitals. If nothing can be promised, every row is rejected, and a warning says how many
    calibration rows would be needed.

    Parameters
    ----------
    estimator : classifier
        Any classifier with `predict_proba` or `decision_function`, of any number of classes; also a pipeline.
        A fitted one can be passed as `FrozenEstimator(model)`, which is the same as cv="prefit".
    max_error : float, default 0.05
        The largest share of errors among answered rows, in (0, 1).
    confidence : float, default 0.95
        One minus the probability that the promise fails, in (0, 1). The defaults need at least 59 answered
        rows without an error.
    per_class : bool, default False
        Whether to promise the error among the rows *answered* c, for each class c, with a threshold of its
        own. The promises hold all at once, and so does the one about all answers. A class about which nothing
        can be promised is never answered.
    cv : None, int, splitter, list of (train, test) or "prefit", default None
        Which rows calibrate; the estimator learns from the others. None: one of 3 random parts. An int: one
        of that many parts. A splitter, or a list of (train, test): the test rows of its first split.
        "prefit": the estimator is fitted, and all rows of `fit` calibrate; it must not have been trained on
        any of them.
    reject_label : "auto", number, str or None, default "auto"
        What `predict` returns for a rejected row. "auto" is "reject" if classes are texts; otherwise it is 0,
        −1 or the number below all classes, the first of these that is not a class. None makes `predict`
        always answer; `rejects` tells which rows are rejected.
    random_state : int, RandomState or None, default None
        Draws the parts of the rows. It is not passed to the estimator.

    Attributes
    ----------
    classes_, n_features_in_, feature_names_in_
        As in scikit-learn, the last two if the estimator has them.
    estimator_ : classifier
        The fitted estimator.
    promises_ : list of Promise
        One promise, or one per class if `per_class`: threshold, calibration rows, answers and errors among
        them, and, if the promise is not given, how many rows would be needed.
    thresholds_ : array
        The smallest certainty with which each class is answered.
    reject_label_ : object
        What `predict` returns for a rejected row.

    Notes
    -----
    Certainty is the probability of the answer, if the estimator has `predict_proba`, else how far its score
    is above the others. It need not be calibrated: the promise holds whatever it is worth, and a poor one
    rejects more rows. `risk` and `confidence(X, y)` price an error 1 and a rejection 0.2.

    Rows have no weights: a row that counts twice is not two draws. Thresholds are placed by the certainty of
    rows left out of the training, fold by fold; of a fitted estimator, by that of a fifth of the rows, which
    is then not counted, as long as the others suffice.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from perceptrons import SelectiveClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(2000, 2))
    >>> y = np.where(X[:, 0] + 0.3 * rng.normal(size=2000) > 0, "ill", "healthy")
    >>> model = SelectiveClassifier(LogisticRegression(), max_error=0.02, random_state=0).fit(X, y)
    >>> model.predict([[2.0, 0.0], [0.01, 0.0]]).tolist()
    ['ill', 'reject']
    >>> model.promises_[0].given, bool(model.rejects(X).mean() < 0.5)
    (True, True)
    """

    confidence: Any  # the parameter, in the place of `Rejecting.confidence`
    _file_parameters: ClassVar[dict[str, file.Field]] = selective_file.ESTIMATOR
    _file_fields: ClassVar[dict[str, file.Field]] = selective_file.SELECTIVE

    def __init__(
        self,
        estimator: Any,
        max_error: float = 0.05,
        confidence: float = 0.95,
        per_class: bool = False,
        cv: Any = None,
        *,
        reject_label: Any = "auto",
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.max_error = max_error
        self.confidence = confidence
        self.per_class = per_class
        self.cv = cv
        self.reject_label = reject_label
        self.random_state = random_state

    def fit(self, X: Any, y: Any, **fit_params: Any) -> "SelectiveClassifier":
        """Fit the estimator to some of the rows, and choose the thresholds by the others."""
        refuse_weights("SelectiveClassifier", fit_params, PROMISES)
        check_classifier(self.estimator, "sigmoid")  # which asks for scores
        max_error = float(number("max_error", self.max_error, "(0, 1)", "use 0.05"))
        delta = 1.0 - float(number("confidence", self.confidence, "(0, 1)", "use 0.95"))
        per_class, rng = flag("per_class", self.per_class), check_random_state(self.random_state)
        rows = read_rows(X, y, None, None, {})
        with all_or_nothing(self, X):
            if self._is_fitted():
                fitted, places, counted = self._given(rows, max_error, delta, rng)
            else:
                fitted, places, counted = self._trained(rows, max_error, delta, rng)
            self.estimator_ = fitted
            codes, certainty = answers_and_certainty(fitted, rows_at(rows.X, counted), self.classes_)
            wrong = self.classes_[codes] != rows.y[counted]
            self.reject_label_ = resolve(self.reject_label, self.classes_)
            groups = [codes == code for code in range(len(self.classes_))] if per_class else [codes == codes]
            self.promises_ = [
                _promised(certainty[group], wrong[group], seen, max_error, delta / len(groups))
                for group, seen in zip(groups, _by_answer(places, len(self.classes_), per_class), strict=True)
            ]
            self._loaded()
        self._complain()
        return self

    def _is_fitted(self) -> bool:
        return isinstance(self.estimator, FrozenEstimator) or (isinstance(self.cv, str) and self.cv == PREFIT)

    def _given(self, rows: Any, max_error: float, delta: float, rng: Any) -> tuple[Any, Any, Array]:
        """A fitted estimator, answers and certainty that place thresholds, and the rows that count."""
        model = self.estimator.estimator if isinstance(self.estimator, FrozenEstimator) else self.estimator
        check_is_fitted(model)
        unknown = sorted(set(rows.classes.tolist()) - set(np.asarray(model.classes_).tolist()))
        if unknown:
            raise ValueError(
                f"y holds {unknown[0]!r}, but the fitted estimator knows the classes "
                f"{np.asarray(model.classes_).tolist()} alone; leave such rows out, or fit it again."
            )
        self.classes_ = np.asarray(model.classes_)
        order = rng.permutation(len(rows.y))
        n_placing = int(np.ceil(PLACING * len(order)))
        if first_level(len(order) - n_placing, max_error, delta) >= 1.0:
            return model, None, np.sort(order)
        placing, counted = np.sort(order[:n_placing]), np.sort(order[n_placing:])
        return model, answers_and_certainty(model, rows_at(rows.X, placing), self.classes_), counted

    def _trained(self, rows: Any, max_error: float, delta: float, rng: Any) -> tuple[Any, Any, Array]:
        """The estimator fitted to a part of the rows; thresholds are placed by what copies of it, fold by
        fold, think of rows of that part."""
        train, counted = calibration_split(self.cv, rows.y, rng)
        X, y, self.classes_ = rows_at(rows.X, train), rows.y[train], rows.classes
        if len(np.unique(y)) < 2:
            raise ValueError(
                f"The rows left to learn from are all of the class {y[:1].tolist()[0]!r}; add rows of the "
                "others, or pass other splits as cv."
            )
        fitted = clone(self.estimator).fit(X, y)
        if first_level(len(counted), max_error, delta) >= 1.0:
            return fitted, None, counted
        codes = np.unique(y, return_inverse=True)[1]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the fit to all of them has said it
            found = [
                answers_and_certainty(copy, rows_at(X, test), self.classes_)
                for copy, test in fitted_copies(self.estimator, X, y, folds(codes, FOLDS, rng))
            ]
        return fitted, tuple(map(np.concatenate, zip(*found, strict=True))) if found else None, counted

    def _loaded(self) -> None:
        """What follows from the promises, and from a fitted estimator that was given."""
        selective_file.check_promises(self.promises_, len(self.classes_))
        selective_file.check_inside(self.estimator_, self.classes_, self.reject_label_)
        if self._is_fitted() and self.estimator is not self.estimator_:
            frozen = isinstance(self.estimator, FrozenEstimator)
            self.estimator = FrozenEstimator(self.estimator_) if frozen else self.estimator_
        found = np.array([one.threshold for one in self.promises_])
        self.thresholds_ = np.broadcast_to(found, len(self.classes_)).copy()
        self._prices = Costs().of(self.classes_)

    def _complain(self) -> None:
        """Say what cannot be promised, and what would help."""
        names = self.classes_.tolist() if len(self.promises_) > 1 else [None]
        for name, one in zip(names, self.promises_, strict=True):
            if not one.given:
                warnings.warn(_complaint(name, one), UserWarning, stacklevel=3)

    def _decisions(self, X: Any) -> tuple[Array, Array, Array]:
        check_is_fitted(self)
        check_table(X)
        check_structure(X)  # a classifier of scikit-learn's would read it as it is
        codes, certainty = answers_and_certainty(self.estimator_, X, self.classes_)
        return codes, ~(certainty >= self.thresholds_[codes]), certainty

    @property
    def n_features_in_(self) -> int:
        return int(self.estimator_.n_features_in_)

    @property
    def feature_names_in_(self) -> Array:
        return np.asarray(self.estimator_.feature_names_in_)

    def __sklearn_tags__(self) -> Any:
        return tags_of(self.estimator, super().__sklearn_tags__())


def _by_answer(places: Any, n_classes: int, per_class: bool) -> list[Array]:
    """The certainties that place thresholds: of all rows, or of those that got each answer."""
    if places is None:
        return [np.zeros(0)] * (n_classes if per_class else 1)
    codes, certainty = places
    return [certainty[codes == code] for code in range(n_classes)] if per_class else [certainty]


def _promised(certainty: Array, wrong: Array, seen: Array, max_error: float, delta: float) -> Promise:
    first = first_level(len(certainty), max_error, delta)
    return promise(certainty, wrong, place_thresholds(seen, first), max_error, delta)


def _complaint(name: Any, one: Promise) -> str:
    what = "Nothing" if name is None else f"Nothing about the answer {name!r}"
    which = "every row" if name is None else "every row that would get it"
    rows = "calibration rows" if name is None else "calibration rows with that answer"
    help_ = (
        f"about {one.needed:,.0f} would be needed"
        if np.isfinite(one.needed)
        else "more would not help, since wrong answers are more frequent than that at every threshold; "
        "choose another estimator, or a larger max_error"
    )
    return (
        f"{what} can be promised with max_error={one.max_error:g} and a confidence of {1 - one.delta:g} from "
        f"{one.n_rows:,} {rows}, so {which} is rejected: {help_}."
    )
