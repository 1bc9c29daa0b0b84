"""Chow's rule on calibrated posteriors: the baseline of Sundararajan and Pal (section 2, equation 7).

With posteriors p, to answer k is expected to cost Σ_{y≠k} p_y·b_y − p_k·a_k, and to reject Σ p_y·c_y. The
rule takes whatever costs least. If costs are the same for all classes, it rejects where the largest p is
below T = (b − c)/(b + a), equation 7.

Deviations: costs may differ by class, classes may be more than two, and posteriors, of which the paper does
not say where they come from, are estimated by calibration (Platt's sigmoid, or isotonic regression).
"""

import warnings
from collections.abc import Sized
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.utils import assert_all_finite, get_tags
from sklearn.utils.validation import (
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    has_fit_parameter,
)

from .._types import Array
from ..base import all_or_nothing
from ..checks import is_number, number, one_of
from ..rejection.costs import Prices, read_costs
from ..rejection.labels import resolve
from ..rejection.rejecting import Rejecting
from ..rows.encode import encode_labels

METHODS = ("sigmoid", "isotonic")


class ChowClassifier(Rejecting, BaseEstimator):
    """Any classifier, made to reject the rows where an answer is expected to cost more.

    Parameters
    ----------
    estimator : classifier
        The classifier to calibrate. A fitted one can be passed as `FrozenEstimator(model)`; it is then
        calibrated by all rows of `fit`, which should not be those it was trained on.
    costs : Costs or None, default None
        What answers and rejections cost. None: an error costs 1, a rejection `reject_cost`.
    calibration : {"sigmoid", "isotonic", None}, default "sigmoid"
        How scores become posteriors: by Platt's sigmoid, which needs few rows, by isotonic regression, or not
        at all; then the estimator's own `predict_proba` is believed. One estimator, trained on all rows, is
        calibrated by scores that copies of it gave to rows they were not trained on. (To average copies, each
        calibrated by one fold, needs more rows: with sigmoids it cost three times as much on scikit-learn's
        wine and digits, whose classes are far apart.) This fails if copies differ: use result="average" or
        "pocket" for a perceptron that does not converge.
    reject_cost : float in [0, 1), default 0.2
        What a rejection costs where an error costs 1.
    cv : int, splitter or list, default 5
        The folds of the calibration: their number (fewer if a class has fewer rows), a scikit-learn splitter,
        or a list of (train, test) rows that tests each row once.
    reject_label : "auto", number, str or None, default "auto"
        What `predict` says of a rejected row. "auto" is "reject" beside texts, else 0, −1 or the number below
        all classes, the first that is no class; None: it always answers, as ensembles that count predictions
        need it.

    Attributes
    ----------
    classes_, n_features_in_, feature_names_in_ : as in scikit-learn, the last two if the estimator has them.
    threshold_ : T, the least posterior that is answered; None if costs differ by class.
    estimator_ : the fitted copy of the estimator.
    calibrated_ : what gives the posteriors: a `CalibratedClassifierCV`, or the estimator itself.
    reject_label_ : the label in use.

    Notes
    -----
    The certainty that orders the rows of `error_reject_curve` is what an answer is expected to save, compared
    to a rejection; rows below 0 are rejected. If costs are the same for all classes, it rises with the
    largest posterior. `predict_liberal` gives the answer of least expected cost, which is not always the most
    probable class: errors about some classes may cost more.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from perceptrons import ChowClassifier, Costs
    >>> X, y = [[i // 2] for i in range(40)], ["no"] * 17 + ["yes", "no"] * 3 + ["yes"] * 17
    >>> model = ChowClassifier(LogisticRegression(), reject_cost=0.2).fit(X, y)
    >>> model.threshold_, model.predict([[2], [9], [17]]).tolist()
    (0.8, ['no', 'reject', 'yes'])
    >>> careful = ChowClassifier(LogisticRegression(), Costs(wrong={"no": 1, "yes": 9}, reject=0.9)).fit(X, y)
    >>> careful.predict_liberal([[9]]).tolist(), model.predict_liberal([[9]]).tolist()
    (['yes'], ['no'])
    """

    def __init__(
        self,
        estimator: Any,
        costs: Any = None,
        calibration: str | None = "sigmoid",
        *,
        reject_cost: float = 0.2,
        cv: Any = 5,
        reject_label: Any = "auto",
    ) -> None:
        self.estimator = estimator
        self.costs = costs
        self.calibration = calibration
        self.reject_cost = reject_cost
        self.cv = cv
        self.reject_label = reject_label

    def fit(self, X: Any, y: Any, **fit_params: Any) -> "ChowClassifier":
        """Fit and calibrate; X reaches the estimator as it is, and so do `fit_params`, like sample_weight."""
        _check_classifier(self.estimator, self.calibration)
        costs = read_costs(self.costs, self.reject_cost)
        y = _read_labels(X, y)
        if fit_params.get("sample_weight", ...) is None:
            del fit_params["sample_weight"]
        _check_weights(self.estimator, fit_params)
        classes, codes = encode_labels(y)
        prices, label = costs.of(classes), resolve(self.reject_label, classes)
        with all_or_nothing(self):
            fitted = self._prepare(classes, codes).fit(X, y, **fit_params)
            self.classes_, self.reject_label_, self._prices = classes, label, prices
            self.threshold_ = threshold(prices) if prices.uniform else None
            inner = None if self.calibration is None else fitted.calibrated_classifiers_[0].estimator
            self.calibrated_, self.estimator_ = fitted, fitted if inner is None else inner
        if prices.free:
            warnings.warn(
                "A rejection costs nothing and a right answer gains nothing, so no answer can be better and "
                "every row is rejected; set reject_cost > 0, or a gain.",
                UserWarning,
                stacklevel=2,
            )
        return self

    def _prepare(self, classes: Array, codes: Array) -> Any:
        """What shall give posteriors, before it is fitted."""
        frozen = isinstance(self.estimator, FrozenEstimator)
        if frozen:
            _check_known(self.estimator, classes)
        if self.calibration is None:
            return clone(self.estimator)
        folds = _folds(self.cv, np.bincount(codes), frozen)
        return CalibratedClassifierCV(self.estimator, method=self.calibration, cv=folds, ensemble=False)

    def predict_proba(self, X: Any) -> Array:
        """The posteriors, a column per class."""
        check_is_fitted(self)
        posteriors = np.asarray(self.calibrated_.predict_proba(X))
        if not ((posteriors >= 0.0).all() and np.allclose(posteriors.sum(axis=1), 1.0, atol=1e-3)):
            raise ValueError(
                f"predict_proba of {type(self.calibrated_).__name__} gives values that are < 0, NaN, or do "
                'not sum up to 1; calibrate them, with calibration="sigmoid".'
            )
        return posteriors

    def _decisions(self, X: Any) -> tuple[Array, Array, Array]:
        return decisions(self.predict_proba(X), self._prices)

    @property
    def n_features_in_(self) -> int:
        return int(self.calibrated_.n_features_in_)

    @property
    def feature_names_in_(self) -> Array:
        return np.asarray(self.calibrated_.feature_names_in_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if not _is_estimator(self.estimator):
            return tags  # `fit` will say so
        inner = get_tags(self.estimator)
        tags.input_tags, tags.non_deterministic = inner.input_tags, inner.non_deterministic
        if inner.classifier_tags is not None:
            tags.classifier_tags = inner.classifier_tags
        return tags


def threshold(prices: Prices) -> float:
    """T of equation 7."""
    a, b, c = (float(part[0]) for part in prices)
    return (b - c) / (b + a)


def decisions(posteriors: Array, prices: Prices) -> tuple[Array, Array, Array]:
    """For each row: the code of the cheapest answer, whether rejecting is cheaper, what the answer saves."""
    a, b, c = prices
    if prices.uniform:  # as below, divided by a + b, so that T is exact
        scale, worth, needed = a[0] + b[0], posteriors, threshold(prices)
    else:
        scale, worth, needed = 1.0, posteriors * (a + b), posteriors @ (b - c)
    saved = scale * (worth.max(axis=1) - needed)
    rejected = saved < 0.0 if not prices.free else np.ones(len(saved), bool)
    return worth.argmax(axis=1), rejected, saved


def _read_labels(X: Any, y: Any) -> Array:
    y = column_or_1d(y, warn=True)
    assert_all_finite(y, input_name="y")
    check_consistent_length(X, y)
    if not len(y):
        raise ValueError("Found array with 0 sample(s), but a classifier learns from rows; pass some.")
    return np.asarray(y)


def _check_weights(estimator: Any, fit_params: dict[str, Any]) -> None:
    """scikit-learn would weigh the calibration alone, and warn that this is likely to be wrong."""
    if "sample_weight" in fit_params and not has_fit_parameter(estimator, "sample_weight"):
        raise ValueError(
            f"sample_weight is given, but {type(estimator).__name__}.fit takes none; leave it out, or use "
            "costs, if classes shall count differently."
        )


def _check_classifier(estimator: Any, calibration: Any) -> None:
    """Is it a classifier from which posteriors can be had?"""
    if calibration is not None:
        one_of("calibration", calibration, METHODS)
    if isinstance(estimator, type):
        raise ValueError(
            f"estimator={estimator.__name__} is a class; pass an object: {estimator.__name__}()."
        )
    if not (_is_estimator(estimator) and is_classifier(estimator)):
        raise ValueError(
            f"estimator={estimator!r}, but it must be a scikit-learn classifier, like LogisticRegression()."
        )
    if calibration is None and not hasattr(estimator, "predict_proba"):
        raise ValueError(
            f"estimator={estimator!r} has no predict_proba, which calibration=None relies on; use "
            'calibration="sigmoid".'
        )
    if not (hasattr(estimator, "predict_proba") or hasattr(estimator, "decision_function")):
        raise ValueError(
            f"estimator={estimator!r} has neither decision_function nor predict_proba, and without scores "
            "there is nothing to calibrate; use another."
        )


def _is_estimator(given: Any) -> bool:
    return not isinstance(given, type) and hasattr(given, "fit") and hasattr(given, "__sklearn_tags__")


def _check_known(frozen: Any, classes: Array) -> None:
    """Does a fitted estimator know the classes of these rows, and no others?"""
    check_is_fitted(frozen)
    if not np.array_equal(frozen.classes_, classes):
        raise ValueError(
            f"The frozen estimator knows the classes {frozen.classes_.tolist()}, but y holds "
            f"{classes.tolist()}; pass rows of all its classes, and of no others."
        )


def _folds(cv: Any, counts: Array, frozen: bool) -> Any:
    """The folds, from the number of rows per class; a fitted estimator needs none: all rows calibrate it."""
    cv = 5 if cv is None else cv
    counted = is_number(cv, Integral)
    if counted:
        number("cv", cv, "[2, inf)", "use 5", Integral)
    if frozen:
        return [(np.arange(counts.sum()),) * 2]
    if isinstance(cv, Sized) and not len(cv):
        raise ValueError("cv has no splits, but at least one is needed; use 5.")
    if not counted:
        return cv  # a splitter or a list of splits; for anything else scikit-learn raises
    if counts.min() < 2:
        raise ValueError(
            "A class has 1 row, but calibration needs at least 2 of each, one to learn from and one to "
            "calibrate by; add rows, or use calibration=None."
        )
    return int(min(cv, counts.min()))
