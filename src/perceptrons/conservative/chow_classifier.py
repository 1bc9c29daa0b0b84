"""Chow's rule on calibrated posteriors: the baseline of Sundararajan and Pal (section 2, equation 7).

With posteriors p, to answer k is expected to cost Σ_{y≠k} p_y·b_y − p_k·a_k, and to reject Σ p_y·c_y. The
rule takes whatever costs least. If costs are the same for all classes, it rejects where the largest p is
below T = (b − c)/(b + a), equation 7.

Deviations: costs may differ by class, classes may be more than two, and posteriors, of which the paper does
not say where they come from, are estimated by calibration (Platt's sigmoid, or isotonic regression).
"""

import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, ClassVar

import numpy as np
from joblib import parallel_config
from sklearn import config_context, get_config
from sklearn.base import BaseEstimator, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from .._types import Array
from ..base import all_or_nothing
from ..compiled import count_threads, one_thread
from ..input_kinds import check_table
from ..model_file import declarations as file
from ..rejection.costs import Prices, read_costs
from ..rejection.labels import resolve
from ..rejection.rejecting import Rejecting
from ..structure import check_structure
from . import chow_file
from .chow_input import (
    ChowRows,
    check_classifier,
    check_known,
    check_weights,
    is_estimator,
    read_folds,
    read_rows,
)


class ChowClassifier(Rejecting, BaseEstimator):
    """Any classifier, made to reject the rows where an answer is expected to cost more.

    Parameters
    ----------
    estimator : classifier
        The classifier to calibrate. A fitted one can be passed as `FrozenEstimator(model)`; it is then
        calibrated by all rows of `fit`, which should not be those it was trained on.
    costs : Costs or None, default None
        What answers and rejections cost. With None an error costs 1 and a rejection `reject_cost`.
    calibration : {"sigmoid", "isotonic", None}, default "sigmoid"
        How scores become posterior probabilities: by Platt's sigmoid, which needs few rows, by isotonic
        regression, or, with None, by the estimator's own `predict_proba`. One estimator, trained on all rows,
        is calibrated by scores that copies of it gave to rows they were not trained on. (An average of
        copies, each calibrated by one fold, needs more rows: with sigmoids it cost three times as much on
        scikit-learn's wine and digits, whose classes are far apart.) This fails if the copies differ much:
        use result="average" or "pocket" for a perceptron that does not converge.
    reject_cost : float, default 0.2
        The cost of a rejection, in [0, 1), where an error costs 1.
    cv : int, splitter or list of (train, test), default 5
        The folds of the calibration: their number (reduced if a class has fewer rows), a scikit-learn
        splitter, or a list of (train, test) rows that tests each row once.
    reject_label : "auto", number, str or None, default "auto"
        What `predict` returns for a rejected row. "auto" is "reject" if classes are texts; otherwise it is 0,
        −1 or the number below all classes, the first of these that is not a class. None makes `predict`
        always answer, as ensembles that count predictions require.
    class_weight : None, "balanced" or dict of class → weight, default None
        The weight of each row is multiplied by that of its class, in calibration too, so that posteriors are
        those of the weighted rows. If errors about some classes cost more, use `costs` instead.
    n_jobs : int or None, default None
        The number of threads that share the folds. None is one, -1 is one per core. The model is the same,
        except for rounding in linear algebra, which then uses one thread.

    Attributes
    ----------
    classes_, n_features_in_, feature_names_in_
        As in scikit-learn, the last two if the estimator has them.
    threshold_ : float or None
        The smallest posterior T that is answered; None if costs differ by class.
    estimator_ : classifier
        The fitted copy of the estimator.
    calibrated_ : classifier
        What gives the posteriors: a `CalibratedClassifierCV`, or the estimator itself.
    reject_label_ : object
        What `predict` returns for a rejected row.

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

    _file_parameters: ClassVar[dict[str, file.Field]] = chow_file.CHOW_PARAMETERS
    _file_fields: ClassVar[dict[str, file.Field]] = chow_file.CHOW

    def __init__(
        self,
        estimator: Any,
        costs: Any = None,
        calibration: str | None = "sigmoid",
        *,
        reject_cost: float = 0.2,
        cv: Any = 5,
        reject_label: Any = "auto",
        class_weight: Any = None,
        n_jobs: Any = None,
    ) -> None:
        self.estimator = estimator
        self.costs = costs
        self.calibration = calibration
        self.reject_cost = reject_cost
        self.cv = cv
        self.reject_label = reject_label
        self.class_weight = class_weight
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> "ChowClassifier":
        """Fit and calibrate; X reaches the estimator as it is, and so do `fit_params`.

        The weights of the rows, times those of their classes, are the estimator's, whose `fit` must take
        sample_weight, and the calibration's; of a frozen estimator, the calibration's alone. A row of weight
        0 is absent, from the folds, too.
        """
        check_classifier(self.estimator, self.calibration)
        costs, n_threads = read_costs(self.costs, self.reject_cost), count_threads(self.n_jobs)
        rows = read_rows(X, y, sample_weight, self.class_weight, fit_params)
        check_weights(self.estimator, sample_weight, self.class_weight)
        prices, label = costs.of(rows.classes), resolve(self.reject_label, rows.classes)
        with all_or_nothing(self, X, sample_weight):
            model = self._prepare(rows, n_threads)
            n_at_work = 1 if self.calibration is None else n_threads  # without it there are no folds
            with _manners(isinstance(self.estimator, FrozenEstimator), n_at_work):
                fitted = model.fit(rows.X, rows.y, **rows.fit_params)
            self.classes_, self.reject_label_, self._prices = rows.classes, label, prices
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

    def _prepare(self, rows: ChowRows, n_threads: int) -> Any:
        """What shall give posteriors, before it is fitted."""
        frozen, estimator = isinstance(self.estimator, FrozenEstimator), clone(self.estimator)
        if frozen:
            check_known(estimator, rows.classes)
        if self.calibration is None:
            return estimator
        routed = get_config()["enable_metadata_routing"] and not frozen
        if routed and "sample_weight" in rows.fit_params and hasattr(estimator, "set_fit_request"):
            estimator.set_fit_request(sample_weight=True)  # without, scikit-learn would not hand it over
        return CalibratedClassifierCV(
            estimator,
            method=self.calibration,
            cv=read_folds(self.cv, rows, frozen),
            ensemble=False,
            n_jobs=n_threads if n_threads > 1 else None,
        )

    def predict_proba(self, X: Any) -> Array:
        """The posteriors, a column per class."""
        check_is_fitted(self)
        check_table(X)
        check_structure(X)  # a classifier of scikit-learn's would read it as it is
        posteriors = np.asarray(self.calibrated_.predict_proba(X))
        if not ((posteriors >= 0.0).all() and np.allclose(posteriors.sum(axis=1), 1.0, atol=1e-3)):
            raise ValueError(
                f"predict_proba of {type(self.calibrated_).__name__} gives values that are < 0, NaN, or do "
                'not sum up to 1; calibrate them, with calibration="sigmoid".'
            )
        return posteriors

    def _decisions(self, X: Any) -> tuple[Array, Array, Array]:
        return decisions(self.predict_proba(X), self._prices)

    def _loaded(self) -> None:
        """Check what was read from a file, and derive the rest."""
        chow_file.check_chow(self)
        self.threshold_ = threshold(self._prices) if self._prices.uniform else None
        if isinstance(self.estimator, FrozenEstimator):
            self.estimator = self.estimator_

    @property
    def n_features_in_(self) -> int:
        return int(self.calibrated_.n_features_in_)

    @property
    def feature_names_in_(self) -> Array:
        return np.asarray(self.calibrated_.feature_names_in_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if not is_estimator(self.estimator):
            return tags  # `fit` will say so
        inner = get_tags(self.estimator)
        tags.input_tags, tags.non_deterministic = inner.input_tags, inner.non_deterministic
        if inner.classifier_tags is not None:
            tags.classifier_tags = inner.classifier_tags
            tags.classifier_tags.multi_label = False  # y is a column, whatever the estimator can do
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


@contextmanager
def _manners(frozen: bool, n_threads: int) -> Iterator[None]:
    """How scikit-learn shall calibrate: by threads; a frozen estimator, which learns nothing from weights,
    without a warning that it does not take them, and without asking it whether it wants them."""
    with ExitStack() as stack:
        if n_threads > 1:
            stack.enter_context(one_thread())
            stack.enter_context(parallel_config(backend="threading"))
        if frozen:
            stack.enter_context(config_context(enable_metadata_routing=False))
            stack.enter_context(warnings.catch_warnings())
            warnings.filterwarnings("ignore", "Since FrozenEstimator does not appear", UserWarning)
        yield
