"""`MaxMarginPerceptron`: the hyperplane with the largest margin, certified (Moran et al., Section 2).

The limit that Algorithm 4 approaches, reached by exact methods: see `corral`, `descent`, `newton` and, for
which of them when, `methods`.
"""

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ..._types import Array
from ...base import LinearThreshold, all_or_nothing
from ...compiled import one_thread, threads
from ...model_file.declarations import Field
from ...rows.encode import Encoded, encode
from ...rows.weights import is_balanced
from ..certificates import Examination, certificates_of, examine_linear
from ..duals import LESS
from ..facts import ExactFacts
from ..looks import Look
from ..margin_file import WEIGHTS, check_weights_alone
from .descent import warm_point
from .maximum_certificate import MaximumFacts, MaximumTerms, examine_maximum
from .maximum_file import FIELDS, check_loaded
from .maximum_parameters import MaximumParameters, check_squares, read_parameters
from .methods import intercept_of, run
from .pool import MarginSearch, read_start


class MaxMarginPerceptron(LinearThreshold):
    """The linear classifier with the largest margin, within `tol` of the best, and the proof of it.

    Without intercept: the point of the convex hull of the rows y·x that is nearest to the origin. With one:
    the hyperplane half way between the nearest points of the hulls of the two classes. This is the
    hard-margin support vector machine; scores are scaled as there, so that support rows score ±1.

    Parameters
    ----------
    C : float, default inf
        A finite value allows slack, at a cost: ½‖w‖² + (C/2)·Σ max(0, 1 − y·score)² is minimized, which is
        LinearSVC's squared hinge loss with half this C, except that the intercept is not penalized. With
        weights the slack of a row costs C times its weight.
    tol : float, default 1e-3
        The margin is certified to be ≥ (1 − tol) times the best possible. In double precision 1e-3 can be
        reached down to margins of about a millionth of the largest norm.
    fit_intercept : bool, default True
        Whether to fit an intercept. Without it the hyperplane goes through the origin.
    max_iter : int, default 1000
        The largest number of passes over the rows, of Newton steps, or of looks at all rows between which a
        few rows are worked on. Reaching it warns.
    on_inseparable : {"warn", "raise"}, default "warn"
        What to do if no hyperplane separates the classes and C is inf. After a warning the model is the
        hyperplane with the fewest training errors that was found, and `certificate_.witness` proves, exactly,
        that every hyperplane makes errors. If separability is undecided, `certificate_.undecided` says why,
        and so does a warning: "raise" raises on a proof only.
    class_weight : None, "balanced" or dict of class → weight, default None
        The weight of each row is multiplied by that of its class; a class that the dict does not name has
        weight 1. "balanced" gives all classes the same total weight. As with `sample_weight`, positive
        weights change nothing where C is inf.
    n_jobs : int or None, default None
        The number of threads that work on the classes, if there are more than two; None is one, -1 is one per
        core. The model does not depend on it.
    warm_start : bool, default False
        Whether to start from the support rows of the last fit, if the number of rows is the same.

    Attributes
    ----------
    classes_, coef_, intercept_, n_features_in_, feature_names_in_
        As in scikit-learn.
    support_, dual_coef_ : array
        The rows that contribute to the weights, numbered as they were given, and the contribution of each,
        a_i·y_i: w = Σ a_i y_i x_i.
    certificate_ : Certificate
        The proof of the margin; recheck it with `perceptrons.verify`. Margins are those of the rows
        themselves; there is no lifting, and `lift` is 0.
    n_updates_, n_iter_ : int or array
        The number of changes of the weights, and of passes over the rows.
    n_rows_ : int
        The number of rows trained on; rows of weight 0 are not counted.
    converged_ : bool or array
        Whether the gap is within `tol`.
    history_ : list
        Per look at all rows: updates, errors, margin and margin_bound, with slack if C is finite. With more
        than two classes (one against the rest) counts are arrays, and `history_` and `certificate_` are lists
        with one entry per class.

    Examples
    --------
    >>> from perceptrons import MaxMarginPerceptron
    >>> X, y = [[0, 0], [0, 1], [3, 0], [4, 1]], [0, 0, 1, 1]
    >>> model = MaxMarginPerceptron().fit(X, y)
    >>> round(model.certificate_.margin, 9), round(model.certificate_.margin_bound, 9), model.support_
    (1.5, 1.5, array([0, 2]))
    >>> model.decision_function([[0, 0], [3, 0]]).round(9)
    array([-1.,  1.])
    """

    _file_fields: ClassVar[dict[str, Field]] = FIELDS
    _file_weights: ClassVar[tuple[str, ...]] = WEIGHTS

    def __init__(
        self,
        *,
        C: float = np.inf,
        tol: float = 1e-3,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        on_inseparable: str = "warn",
        class_weight: Any = None,
        n_jobs: int | None = None,
        warm_start: bool = False,
    ) -> None:
        self.C = C
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.on_inseparable = on_inseparable
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.warm_start = warm_start

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "MaxMarginPerceptron":
        """Find the hyperplane, one per class if there are more than two.

        `sample_weight` : a weight >= 0 for each row; default 1. With a finite C a row of weight 2 counts as
        the row twice. With C = inf each row must be on its side, so that a positive weight changes nothing. A
        row of weight 0 is left out in both cases.
        """
        given = read_parameters(self)
        # one thread: the same sums in the same order, whatever n_jobs is
        with all_or_nothing(self, X, sample_weight), one_thread():
            data = encode(self, X, y, sample_weight=sample_weight, class_weight=self.class_weight)
            check_squares(data, given.C)
            searches = [MarginSearch(data, signs, given) for signs in data.signs()]
            for search, start in zip(searches, read_start(self, data), strict=False):
                warm_point(search, start)
            with threads(min(given.n_threads, len(searches))) as workers:
                workers.map(run, searches)
            if given.raises and any(search.witness for search in searches):
                raise ValueError(complaint(self, data.classes, searches))
            self._publish(data, given, searches, weighted=sample_weight is not None)
        if not self.converged_:
            warnings.warn(complaint(self, data.classes, searches), ConvergenceWarning, stacklevel=2)
        return self

    def _publish(
        self, data: Encoded, given: MaximumParameters, searches: Sequence[MarginSearch], weighted: bool
    ) -> None:
        """Turn what was found into fitted attributes, and certify them."""
        self.classes_ = data.classes
        self.n_rows_ = len(data.codes)
        one, exact = len(searches) == 1, True
        duals = np.zeros((len(searches), self.n_rows_))
        self.coef_ = np.zeros((len(searches), data.matrix.shape[1]))
        self.intercept_ = np.zeros(len(searches))
        for k, search in enumerate(searches):
            best, task = search.best, search.task
            assert best is not None
            scale = task.sides / best.unit if best.unit > 0.0 else 1.0
            intercept, alone = intercept_of(search, best)
            exact = exact and alone and search.exact
            self.coef_[k] = scale * best.w
            self.intercept_[k] = scale * intercept + 0.0  # no negative zero
            duals[k, best.point.rows] = scale * best.point.weights * task.y[best.point.rows]
            search.release()
        used = np.flatnonzero(duals.any(axis=0))
        self.support_, self.dual_coef_ = data.numbers(used), duals[:, used]
        del duals, used, best  # as long as the rows
        updates, history = [search.n_updates for search in searches], [search.record() for search in searches]
        self.n_updates_ = updates[0] if one else np.array(updates)
        self.history_ = history[0] if one else history
        self.n_iter_ = max(1, int(np.ceil(max(search.n_passes for search in searches))))
        solved = all(search.solved for search in searches)
        self._terms = terms_of(self, data, given, solved and exact, weighted)
        self._witnesses = [search.witness_pairs(data) for search in searches]
        self._undecided = [search.undecided for search in searches]
        self.lift_ = 0.0
        certificates = certificates_of(self, data, batch=False)
        self.certificate_ = certificates[0] if one else certificates
        gaps = [np.inf if certificate.gap is None else certificate.gap for certificate in certificates]
        self.converged_ = bool(max(gaps) <= given.tol * (1.0 + 1e-6) + 4.0 * LESS)

    def _examine(self, k: int, data: Encoded, signs: Array, a: Array, look: Look) -> Examination:
        linear = examine_linear(self, k, data, signs, a, look)
        return examine_maximum(self, linear, k, data, signs, a, look.combination)

    def _n_rows_given(self) -> int:
        return int(self._terms.n_given)

    def _facts(self, k: int, data: Encoded, signs: Array, a: Array) -> ExactFacts:
        return MaximumFacts(self, k, data, signs, a)

    def _loaded(self) -> None:
        """Check and complete what a model file held."""
        check_loaded(self)

    def _weights_loaded(self) -> None:
        """Check a model file that holds weights alone."""
        check_weights_alone(self)


def terms_of(
    model: Any, data: Encoded, given: MaximumParameters, exact: bool, weighted: bool
) -> MaximumTerms:
    """What the model was asked for. Weights may depend on rows that are not among the support rows."""
    classes = dict(model.class_weight) if isinstance(model.class_weight, Mapping) else model.class_weight
    alone = np.isinf(given.C) or not (weighted or is_balanced(classes))
    return MaximumTerms(given.C, given.fit_intercept, bool(exact and alone), classes, data.n_given)


def complaint(model: Any, classes: Array, searches: Sequence[MarginSearch]) -> str:
    """What went wrong, and what to change."""
    for k, search in enumerate(searches):
        against = f" ({classes[k]} against the rest)" if len(searches) > 1 else ""
        if search.witness is not None:
            n_rows = sum(weight > 0 for weight in search.witness.weights)
            return (
                f"The rows are not separable{against}: no hyperplane has all {n_rows} rows of "
                "certificate_.witness on their right sides. Use a finite C, such as C=1, or drop "
                "contradictory rows."
            )
    certificates = model.certificate_ if isinstance(model.certificate_, list) else [model.certificate_]
    gap = max(np.inf if certificate.gap is None else certificate.gap for certificate in certificates)
    if any(search.capped and not search.solved for search in searches):
        return (
            f"Stopped by max_iter={model.max_iter} with a gap of {gap:.2g}, but tol={model.tol}. Raise "
            "max_iter or tol."
        )
    for k, certificate in enumerate(certificates):
        if certificate.separable is None and certificate.undecided:
            against = f" ({classes[k]} against the rest)" if len(searches) > 1 else ""
            return (
                f"It is undecided whether the rows are separable{against}: {certificate.undecided}. The "
                f"search ended with a gap of {gap:.2g}, but tol={model.tol}. Scale the columns, or use a "
                "finite C, such as C=1."
            )
    return (
        f"The search ended with a gap of {gap:.2g}, but tol={model.tol}: so small a margin, beside rows "
        "this large, is hidden by rounding, or too many rows support it. Scale the columns, allow more "
        "slack (a smaller C), or raise tol."
    )
