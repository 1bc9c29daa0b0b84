"""`Perceptron`: the margin family behind scikit-learn's interface (Honavar; Moran et al., Section 2)."""

import warnings
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.metaestimators import available_if

from .._types import Array
from ..base import LinearThreshold, all_or_nothing
from ..checks import flag
from ..model_file.declarations import Field
from ..rows.encode import Encoded, encode
from ..rows.order import generators
from ..theory.certificate import Certificate
from .certificates import Examination, certificates_of, examine_linear
from .epochs import SUCCESS, Run, one_pass, train
from .fitted import complaint, count_hopeless, is_uneven, publish
from .margin_file import FIELDS, check_loaded
from .margin_parameters import (
    MarginParameters,
    check_radius,
    read_lift,
    read_parameters,
    read_rule,
    usual_norm,
)
from .memory import Memory, blank, can_resume, given_weights, open_state, recounted, reopen_state, restarted
from .rules import Rule
from .theorem import Terms, frozen_parameters


def _can_stream(model: Any) -> bool:
    if model.result == "pocket":
        raise AttributeError(
            "result='pocket' counts errors on all rows, which partial_fit never sees; use 'average'."
        )
    return True


class Perceptron(LinearThreshold):
    """A linear classifier corrected by the rows it gets wrong, with a certificate of what it achieved.

    While some row violates y·⟨w,x⟩ ≤ β, correct w ← w + τ·y·x. `step` chooses τ, `margin` chooses β,
    `order` the row. Every fit ends with an interval around the best possible margin, see `certificate_`.

    Parameters
    ----------
    step : {"fixed", "absolute", "fractional", "passive-aggressive"}, default "fixed"
        τ = η; the least integer that corrects the row; η·(1 + β − y⟨w,x⟩)/‖x‖²; min(η, (β − y⟨w,x⟩)/‖x‖²).
    eta : float or callable, default 1.0
        η. With `step="fixed"` also a function of the number of the correction, 1, 2, …
    margin : float, pair of floats, "adaptive", "infinity" or "growing", default 0.0
        β: constant (0 is Rosenblatt's rule), one per class in the order of `classes_`, or growing with
        the corrections (Moran et al., Algorithm 3, Algorithm 4 for rows of norm ≤ 1, and both combined).
    alpha : float in (1, 2), default 1.5
        For "infinity" and "growing": nearer to 2 gives more margin and takes more corrections.
    order : {"shuffle", "cyclic", "worst", "active"}, default "shuffle"
        At random; as given; the row furthest below its target; mostly the lowest-scoring rows.
    result : {"auto", "last", "average", "pocket"}, default "auto"
        The last weights, their average over all presentations, or those with the fewest training errors
        at the end of an epoch (of several without errors, those with the largest margin). "auto" is the
        average, which is far better than the last weights on rows that no hyperplane separates; but the last
        weights if training has converged and a margin was asked for (`margin`, `tol`), or the average does
        not separate the rows. Of more than two classes each by itself.
    ties : {"wrong", "negative"}, default "wrong"
        A row with score 0 is wrong whatever its class, or belongs to `classes_[0]` (Honavar).
    fit_intercept : bool, default True
        Without it the hyperplane goes through the origin.
    intercept_scaling : "median", "radius" or float, default "median"
        ρ, the constant coordinate that carries the intercept. "median": the power of two nearest the median
        norm of the rows, which outliers do not change; "radius": the largest norm, which costs at most a
        factor √2 of margin, but makes steps of the intercept too large where one row is much longer than
        the others.
    max_epochs, max_updates : int, default 1000; int or None, default None
        Caps; reaching one warns.
    min_margin : float in [0, 1), default 0.01
        Training ends as soon as it is proved that no hyperplane has a margin of more than this share of the
        usual norm of a lifted row: the ordinary end on rows that are not separable, without a warning. Rows
        that are separable by less may be given up, too. 0 turns it off; so does `tol`.
    tol : float or None, default None
        Stop as soon as the margin achieved is certified to be ≥ (1 − tol) times the best possible.
    random_state : int, RandomState or None, default None
        For `order="shuffle"`; an int makes the fit repeatable.
    warm_start : bool, default False
        Start from the weights of the last fit. On the same rows training goes on, counts included.
    verbose : int, default 0
        1 prints a line per epoch.

    Attributes
    ----------
    classes_, coef_, intercept_, n_features_in_, feature_names_in_ : as in scikit-learn.
    n_updates_, n_presentations_, n_iter_ : corrections; rows looked at; the latter in epochs.
    stopped_ : by what training ended: "converged" (no row violates), "tol", "min_margin", "max_epochs" or
        "max_updates".
    converged_ : whether that was "converged" or "tol"; it speaks of the last weights, which are not those
        returned if `result` is "average" or "pocket".
    support_, dual_coef_ : the rows ever used and what each contributed, a_i·y_i: w = Σ a_i y_i x_i.
    n_rows_ : rows trained on, in a stream all of them. lift_ : ρ; 0 without intercept.
    history_ : per epoch: updates, errors (when presented), margin (where all rows were looked at, else
        NaN), margin_bound.
    certificate_ : a `Certificate`; recheck it with `perceptrons.verify`.
    With more than two classes (one against the rest) counts are arrays and `history_`, `certificate_`
    lists, one entry per class.

    Examples
    --------
    >>> from perceptrons import Perceptron
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 1]
    >>> model = Perceptron(order="cyclic", ties="negative", intercept_scaling=1).fit(X, y)
    >>> model.coef_, model.intercept_
    (array([[1., 1.]]), array([0.]))
    >>> model.n_updates_, model.converged_
    (4, True)
    """

    _file_fields: ClassVar[dict[str, Field]] = FIELDS

    def __init__(
        self,
        *,
        step: str = "fixed",
        eta: Any = 1.0,
        margin: Any = 0.0,
        alpha: float = 1.5,
        order: str = "shuffle",
        result: str = "auto",
        ties: str = "wrong",
        fit_intercept: bool = True,
        intercept_scaling: Any = "median",
        max_epochs: int = 1000,
        max_updates: int | None = None,
        min_margin: float = 0.01,
        tol: float | None = None,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
    ) -> None:
        self.step = step
        self.eta = eta
        self.margin = margin
        self.alpha = alpha
        self.order = order
        self.result = result
        self.ties = ties
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.max_epochs = max_epochs
        self.max_updates = max_updates
        self.min_margin = min_margin
        self.tol = tol
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose

    def fit(self, X: Any, y: Any, coef_init: Any = None, intercept_init: Any = None) -> "Perceptron":
        """Train until no row violates, the gap closes (`tol`), or a cap is reached.

        coef_init, intercept_init : weights to start from, in the shapes of `coef_` and `intercept_`.
        """
        return self._fit(X, y, coef_init, intercept_init)

    def _fit(
        self, X: Any, y: Any, coef_init: Any = None, intercept_init: Any = None, logs: Any = None
    ) -> "Perceptron":
        """`fit`; one log of corrections per weight vector is appended to `logs`, if it is a list."""
        plan = read_parameters(self)
        flag("warm_start", self.warm_start)
        with all_or_nothing(self):
            unfinished = self._train(X, y, plan, coef_init, intercept_init, logs)
        if unfinished is not None:
            warnings.warn(unfinished, ConvergenceWarning, stacklevel=3)
        return self

    def _train(
        self, X: Any, y: Any, plan: MarginParameters, coef_init: Any, intercept_init: Any, logs: Any
    ) -> str | None:
        """Run every weight vector to its end; returns what is to be complained about."""
        given = coef_init is not None or intercept_init is not None
        resume = self.warm_start and not given and hasattr(self, "_memories")
        data = encode(self, X, y, reset=not resume, classes=self.classes_ if resume else None)
        rule = read_rule(self, read_lift(self, data.largest, data.norms))
        check_radius(rule, data.largest)
        typical = usual_norm(data.norms, rule.rho_squared)
        starts = self._memories if resume else self._starts(data, rule, coef_init, intercept_init)
        runs = []
        for start, signs in zip(starts, data.signs(), strict=True):
            if resume and can_resume(start, data, signs, rule, plan.result):
                before = start.without_rows()._replace(pocket=recounted(start.pocket, data, signs, rule))
                state = reopen_state(start, rule, data.matrix.dtype)
            else:
                before = restarted(start, rule, plan.result) if resume else start
                state = open_state(before, len(signs), rule, data.matrix.dtype)
            if before.foreign and plan.tol is not None:
                raise ValueError(
                    f"tol={plan.tol} certifies weights that are a sum of these rows, which starting weights "
                    "are not; use tol=None, or start from zero."
                )
            run = Run(data.X, signs, rule, plan, before, state, typical)
            if logs is not None:
                run.log = []
                logs.append(run.log)
            train(run)
            runs.append(run)
        memories = [run.memory() for run in runs]
        one_run = not resume and not any(memory.foreign for memory in memories)
        self._norms = data.norms
        certificates = self._publish(data, rule, memories, one_run=one_run, streamed=False)
        hopeless = count_hopeless(data, rule, memories)
        verdicts = [run.verdict for run in runs]
        self.converged_ = all(verdict in SUCCESS for verdict in verdicts) and not hopeless
        if self.converged_:
            return None
        return complaint(self, certificates, verdicts, hopeless, is_uneven(data.matrix))

    @available_if(_can_stream)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> "Perceptron":
        """One pass over a batch. The first call needs all `classes`.

        Rows are numbered over all calls. `certificate_.margin` is that of the batch, `margin_bound` holds
        for all rows seen; `converged_` says that the batch needed no correction. With
        `intercept_scaling="median"` ρ follows the rows seen so far, with "radius" the first batch sets it.
        `result="auto"` is the average, and `min_margin` ends nothing.
        """
        plan = read_parameters(self)
        with all_or_nothing(self):
            capped = self._pass_over(X, y, plan, classes)
        if capped:
            message = f"max_updates={self.max_updates} is reached: the stream learns no more. Raise it."
            warnings.warn(message, ConvergenceWarning, stacklevel=2)
        return self

    def _pass_over(self, X: Any, y: Any, plan: MarginParameters, classes: Any) -> bool:
        """One pass of every weight vector over a batch; returns whether `max_updates` is reached."""
        first = not hasattr(self, "_memories")
        names = self._stream_classes(classes, first)
        data = encode(self, X, y, reset=first, classes=names)
        norms = data.norms if first else self._norms + data.norms
        follows = first or self.intercept_scaling == "median"  # ρ, as all rows seen so far say
        rule = read_rule(self, read_lift(self, data.largest, norms) if follows else self._terms.rho_squared)
        check_radius(rule, data.largest)
        starts, runs = self._starts(data, rule, None, None) if first else self._memories, []
        if not first and rule.rho_squared != self._terms.rho_squared:
            starts = [start.relifted(self._terms.rho_squared, rule.rho_squared) for start in starts]
        self._norms = norms
        for start, signs in zip(starts, data.signs(), strict=True):
            if start.policy != rule.margin:
                raise ValueError(
                    f"margin={self.margin!r} is another policy than the stream began with; keep it."
                )
            start.check_result(plan.result)
            state = open_state(start, len(signs), rule, start.w.dtype if start.n_rows else data.matrix.dtype)
            run = Run(data.X, signs, rule, plan, start, state)
            one_pass(run)
            runs.append(run)
        memories = [run.memory() for run in runs]
        self._publish(data, rule, memories, one_run=False, streamed=True)
        self.converged_ = all(memory.clock["clean"][0] >= len(data.codes) for memory in memories)
        return any(run.capped() for run in runs)

    def _stream_classes(self, classes: Any, first: bool) -> Array:
        if first and classes is None:
            raise ValueError(
                "classes must be passed on the first call to partial_fit: all that will ever come."
            )
        names = self.classes_ if classes is None else np.unique(classes)
        if not first and not np.array_equal(names, self.classes_):
            raise ValueError(f"classes={names.tolist()}, but the first call named {self.classes_.tolist()}.")
        if len(names) < 2:
            raise ValueError(f"classes={names.tolist()}, but a classifier needs at least two classes.")
        return np.asarray(names)

    def _starts(self, data: Encoded, rule: Rule, coef_init: Any, intercept_init: Any) -> list[Memory]:
        """One blank memory per weight vector, at the weights given or at zero."""
        n_vectors, n = 1 if len(data.classes) == 2 else len(data.classes), data.matrix.shape[1]
        coef = given_weights("coef_init", coef_init, (n_vectors, n))
        intercept = given_weights("intercept_init", intercept_init, (n_vectors,))
        if intercept.any() and not self.fit_intercept:
            raise ValueError(f"intercept_init={intercept_init!r}, but fit_intercept=False; leave it out.")
        starts = zip(
            coef.astype(data.matrix.dtype), intercept, generators(self.random_state, n_vectors), strict=True
        )
        return [blank(w, float(b), rule, self.result, rng) for w, b, rng in starts]

    def _publish(
        self, data: Encoded, rule: Rule, memories: list[Memory], one_run: bool, streamed: bool
    ) -> list[Certificate]:
        """Turn what the runs left into fitted attributes, and certify them."""
        foreign = any(memory.foreign for memory in memories)
        self._memories = memories
        self._terms = Terms(frozen_parameters(self), rule.rho_squared, one_run, streamed, foreign)
        self.classes_ = data.classes
        self._show()
        certificates = certificates_of(self, data, batch=streamed and self.n_rows_ > len(data.codes))
        self.certificate_ = certificates[0] if len(certificates) == 1 else certificates
        return certificates

    def _examine(self, k: int, data: Encoded, signs: Array, a: Array) -> Examination:
        """What `certify` must know."""
        return examine_linear(self, k, data, signs, a)

    def _show(self) -> None:
        """Set the fitted attributes that follow from what the runs left, `_memories` and `_terms`."""
        self.coef_ = np.stack([model.w for model in publish(self, self._memories, self._terms)])

    def _loaded(self) -> None:
        """Check and complete what a model file held."""
        check_loaded(self)
