"""`Perceptron`: the margin family behind scikit-learn's interface (Honavar; Moran et al., Section 2)."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.metaestimators import available_if

from ..base import LinearThreshold
from ..certify import CLOSE, certificates_of, corrections, examine
from ..data.encode import Encoded, encode
from ..data.order import generators
from ..data.rows import Array
from ..theory.certificate import Certificate
from .memory import Memory, blank, open_state, reopen_state
from .parameters import check_radius, read_lift, read_plan, read_rule
from .rules import Rule
from .theorem import rebuilds_from_support, update_bound
from .training import CAPPED, CONVERGED, STUCK, Run, one_pass, train


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
    step : {"fixed", "absolute", "fractional", "passive-aggressive"}
        τ = η; the least integer that corrects the row; η·(1 + β − y⟨w,x⟩)/‖x‖²; min(η, (β − y⟨w,x⟩)/‖x‖²).
    eta : float or callable
        η. With `step="fixed"` also a function of the number of the correction, 1, 2, …
    margin : float, pair of floats, "adaptive", "infinity" or "growing"
        β: constant (0 is Rosenblatt's rule), one per class in the order of `classes_`, or growing with
        the corrections (Moran et al., Algorithm 3, Algorithm 4 for rows of norm ≤ 1, and both combined).
    alpha : float in (1, 2)
        For "infinity" and "growing": nearer to 2 gives more margin and takes more corrections.
    order : {"shuffle", "cyclic", "worst", "active"}
        Random in blocks; as given; the row furthest below its target; mostly the lowest-scoring rows.
    result : {"last", "average", "pocket"}
        The last weights, their average over all presentations, or those with the fewest training errors
        at the end of an epoch.
    ties : {"wrong", "negative"}
        A row with score 0 is wrong whatever its class, or belongs to `classes_[0]` (Honavar).
    fit_intercept : bool
    intercept_scaling : "radius" or float
        ρ, the constant coordinate that carries the intercept; "radius": the largest norm of a row, which
        costs at most a factor √2 of margin.
    max_epochs, max_updates : int, int or None
        Caps; reaching one warns.
    tol : float or None
        Stop as soon as the margin achieved is certified to be ≥ (1 − tol) times the best possible.
    random_state : int, RandomState or None
    warm_start : bool
        Start from the weights of the last fit. On the same rows training goes on where it stopped.
    verbose : int

    Attributes
    ----------
    classes_, coef_, intercept_, n_features_in_, feature_names_in_ : as in scikit-learn.
    n_updates_, n_presentations_, n_iter_ : corrections; rows looked at; the latter in epochs.
    converged_ : whether training ended by its own rule rather than by a cap.
    support_, dual_coef_ : the rows ever used and what each contributed, a_i·y_i: w = Σ a_i y_i x_i.
    lift_ : ρ; 0 without intercept.
    history_ : per epoch: updates, errors (when presented), margin (where known), margin_bound.
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

    def __init__(
        self,
        *,
        step: str = "fixed",
        eta: Any = 1.0,
        margin: Any = 0.0,
        alpha: float = 1.5,
        order: str = "shuffle",
        result: str = "last",
        ties: str = "wrong",
        fit_intercept: bool = True,
        intercept_scaling: Any = "radius",
        max_epochs: int = 1000,
        max_updates: int | None = None,
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
        self.tol = tol
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose

    def fit(self, X: Any, y: Any, coef_init: Any = None, intercept_init: Any = None) -> "Perceptron":
        """Train until no row violates, the gap closes (`tol`), or a cap is reached.

        coef_init, intercept_init : weights to start from, in the shapes of `coef_` and `intercept_`.
        """
        plan = read_plan(self)
        resume = self.warm_start and coef_init is None and hasattr(self, "_memories")
        data = encode(self, X, y, reset=not resume, classes=self.classes_ if resume else None)
        rule = read_rule(self, read_lift(self, data.largest))
        check_radius(rule, data.largest)
        starts = self._memories if resume else self._starts(data, rule, coef_init, intercept_init)
        runs = []
        for start, signs, rng in zip(
            starts, data.signs(), generators(self.random_state, len(starts)), strict=True
        ):
            if resume and _made_of(start, data, signs):
                before, state = start.without_rows(), reopen_state(start)
            else:
                before = start.as_start(rule) if resume else start
                state = open_state(before, len(signs))
            if before.foreign and plan.tol is not None:
                raise ValueError(
                    f"tol={plan.tol} certifies weights that are a sum of these rows, which starting weights "
                    "are not; use tol=None, or start from zero."
                )
            runs.append(Run(data.X, signs, rule, plan, before, state, rng))
            train(runs[-1])
        self._one_run = not resume and not any(run.before.foreign for run in runs)
        certificates = self._publish(data, rule, runs, streamed=False)
        hopeless = _hopeless(data, rule, runs)
        self.converged_ = all(run.verdict == CONVERGED for run in runs) and not hopeless
        if not self.converged_:
            warnings.warn(_complaint(self, certificates, runs, hopeless), ConvergenceWarning, stacklevel=2)
        return self

    @available_if(_can_stream)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> "Perceptron":
        """One pass over a batch. The first call needs all `classes`, and its rows set ρ.

        Rows are numbered over all calls. `certificate_.margin` is that of the batch, `margin_bound` holds
        for all rows seen; `converged_` says that the batch needed no correction.
        """
        plan = read_plan(self)
        first = not hasattr(self, "_memories")
        if first and classes is None:
            raise ValueError(
                "classes must be passed on the first call to partial_fit: all that will ever come."
            )
        names = np.unique(classes) if first else self.classes_
        if len(names) < 2:
            raise ValueError(f"classes={names.tolist()}, but a classifier needs at least two classes.")
        data = encode(self, X, y, reset=first, classes=names)
        rule = read_rule(self, read_lift(self, data.largest) if first else self.lift_**2)
        check_radius(rule, data.largest)
        starts = self._starts(data, rule, None, None) if first else self._memories
        if first or not self._streamed:
            self._generators = generators(self.random_state, len(starts))
        runs = []
        for start, signs, rng in zip(starts, data.signs(), self._generators, strict=True):
            runs.append(Run(data.X, signs, rule, plan, start, open_state(start, len(signs)), rng))
            one_pass(runs[-1])
        self._one_run = False
        self._publish(data, rule, runs, streamed=True)
        self.converged_ = all(bool(run.clock["clean"] >= len(run.y)) for run in runs)
        return self

    def _starts(self, data: Encoded, rule: Rule, coef_init: Any, intercept_init: Any) -> list[Memory]:
        """One blank memory per weight vector, at the weights given or at zero."""
        shape = (1 if len(data.classes) == 2 else len(data.classes), data.matrix.shape[1])
        coef = np.zeros(shape) if coef_init is None else np.atleast_2d(np.asarray(coef_init, np.float64))
        intercept = (
            np.zeros(shape[0])
            if intercept_init is None
            else np.atleast_1d(np.asarray(intercept_init, np.float64))
        )
        for name, given, needed in (("coef_init", coef, shape), ("intercept_init", intercept, shape[:1])):
            if given.shape != needed:
                raise ValueError(f"{name} has shape {given.shape}, but these data need {needed}.")
            if not np.isfinite(given).all():
                raise ValueError(f"{name} holds NaN or infinity; pass finite weights.")
        if intercept.any() and not self.fit_intercept:
            raise ValueError(f"intercept_init={intercept_init!r}, but fit_intercept=False; leave it out.")
        average = self.result == "average"
        return [
            blank(w.astype(data.matrix.dtype), float(b), rule, average)
            for w, b in zip(coef, intercept, strict=True)
        ]

    def _publish(self, data: Encoded, rule: Rule, runs: Sequence[Run], streamed: bool) -> list[Certificate]:
        """Turn the runs into fitted attributes, and certify them."""
        self._memories = [run.memory() for run in runs]
        self._streamed = streamed
        self._foreign = any(memory.foreign for memory in self._memories)
        models = [memory.result(self.result) for memory in self._memories]
        one = len(models) == 1
        self.classes_ = data.classes
        self.lift_ = float(np.sqrt(rule.rho_squared))
        self.coef_ = np.stack([model.w for model in models])
        self.intercept_ = np.array([model.b for model in models])
        self.support_ = models[0].rows if one else np.unique(np.concatenate([model.rows for model in models]))
        self.dual_coef_ = np.zeros((len(models), len(self.support_)))
        for k, model in enumerate(models):
            self.dual_coef_[k, np.searchsorted(self.support_, model.rows)] = model.duals
        updates, presentations = (
            [int(run.clock[name]) for run in runs] for name in ("updates", "presentations")
        )
        self.n_rows_ = self._memories[0].n_rows
        self.n_updates_ = updates[0] if one else np.array(updates)
        self.n_presentations_ = presentations[0] if one else np.array(presentations)
        self.n_iter_ = max(1, -(-max(presentations) // self.n_rows_))
        history = [{name: np.array(values) for name, values in run.history.items()} for run in runs]
        certificates = certificates_of(self, data)
        self.history_ = history[0] if one else history
        self.certificate_ = certificates[0] if one else certificates
        return certificates

    def _update_bound(self, radius: float, margin: float) -> float | None:
        return update_bound(self, radius, margin) if self._one_run else None

    def _reproducible(self) -> bool:
        return self._one_run and rebuilds_from_support(self)


def _made_of(start: Memory, data: Encoded, signs: Array) -> bool:
    """Are the weights the sum of their corrections on these rows? Then training can go on over them."""
    if start.foreign or start.n_rows != len(signs):
        return False
    w, a = start.w.astype(np.float64), corrections(start.rows, start.duals, signs)
    combination = examine(data.X, signs, w, 0.0, a)[2]
    return bool(np.linalg.norm(combination - w) <= CLOSE[start.w.dtype] * np.sqrt(w @ w + data.largest))


def _hopeless(data: Encoded, rule: Rule, runs: Sequence[Run]) -> int:
    """How many rows of zeros no hyperplane through the origin can classify (there is no intercept)."""
    if rule.rho_squared > 0 or data.smallest > 0:
        return 0
    zero = data.vanishing()
    fine = [(run.y < 0) & rule.negative_ties & (run.clock["beta_negative"] == 0.0) for run in runs]
    return int(max((zero & ~right).sum() for right in fine))


def _complaint(model: Perceptron, certificates: list[Certificate], runs: Sequence[Run], hopeless: int) -> str:
    """What went wrong, and what to change."""
    if hopeless:
        return (
            f"{hopeless} rows are all zeros and fit_intercept=False: no hyperplane through the origin "
            "classifies them. Use fit_intercept=True or drop them."
        )
    if any(run.verdict == STUCK for run in runs):
        return (
            f"No row violates its target, but the margin is not certified to be within tol={model.tol} of "
            "the best. Use order='worst', which goes on until it is."
        )
    wrong = max(certificate.n_errors for certificate in certificates) / len(runs[0].y)
    cap = "max_updates" if any(run.verdict == CAPPED for run in runs) else "max_epochs"
    return (
        f"Stopped by {cap}={getattr(model, cap)} with {wrong:.1%} of the training rows wrong. Raise {cap}; "
        "if the data are not separable, use result='pocket' or 'average'."
    )
