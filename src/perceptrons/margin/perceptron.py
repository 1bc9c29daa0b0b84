"""`Perceptron`: the margin family behind scikit-learn's interface (Honavar; Moran et al., Section 2)."""

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.metaestimators import available_if

from .._types import Array
from ..base import LinearThreshold, all_or_nothing
from ..checks import flag
from ..compiled import Threads, threads
from ..input_kinds import check_labels
from ..model_file.declarations import Field
from ..rows.encode import Encoded, check_rows, encode
from ..rows.order import generators
from ..rows.weights import is_balanced
from ..theory.certificate import Certificate
from .certificates import Examination, certificates_of, examine_linear, look_for_certificates
from .epochs import one_pass, train
from .facts import ExactFacts
from .fitted import complaint, count_hopeless, is_uneven, publish
from .looks import Look
from .margin_file import FIELDS, WEIGHTS, check_loaded, check_weights_alone
from .margin_parameters import (
    MarginParameters,
    check_radius,
    needs_every_norm,
    read_lift,
    read_linear_rule,
    read_parameters,
    usual_norm,
    with_longest,
)
from .margin_training import Training, begin, begin_again, blamed_on_rows, check_start, has_run, undrawn
from .memory import Memory, blank, given_weights
from .rules import Rule
from .run import SUCCESS, Log
from .theorem import Terms, terms_of


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
    step : {"fixed", "absolute", "fractional", "passive-aggressive", "alma"}, default "fixed"
        The length τ of a correction. "fixed": τ = η. "absolute": the smallest integer that corrects the row.
        "fractional": η·(1 + β − y⟨w,x⟩)/‖x‖². "passive-aggressive": min(η, (β − y⟨w,x⟩)/‖x‖²). "alma" is
        Gentile's algorithm: of rows scaled to norm 1, those with y⟨w,x⟩ ≤ (1/α − 1)/√k are corrected by η/√k,
        k = 1, 2, …, and w is then scaled back into the unit ball if it has left it; the margin comes within a
        share α of the best (`alpha`). It needs `result` "last" or "pocket", `order` "shuffle" or "cyclic",
        and no `margin` but "auto" or 0.
    eta : float or callable, default 1.0
        The step size η. With `step="fixed"` it may be a function of the number of the correction, 1, 2, …
    margin : "auto", float, pair of floats, ("known", γ), "adaptive", "infinity" or "growing", default "auto"
        The target β: a constant (0 is Rosenblatt's rule), one per class in the order of `classes_`, or a
        value that grows with the corrections (Moran et al.: "adaptive" is Algorithm 3, "infinity" Algorithm 4
        for rows of norm ≤ 1, "growing" both combined). ("known", γ) is β = γ‖w‖: a margin of γ is reached if
        rows have more, ε, after at most (R/(ε − γ))² corrections. "auto" is for everyday data: for 20 epochs
        β = 2ηs², where s is the usual norm of a lifted row (as for `min_margin`), then 0; no correction adds
        more than 2ηs² to the score of its own row, so the step of a row with ‖x‖² > 2s² is shorter; and
        `min_margin` stops no fit before the third epoch. "auto" stands for 0 with other steps, orders,
        results or ties than the defaults ("average" is allowed), with `tol`, and where η is a function. In
        `partial_fit` the target stays.
    alpha : float, default 1.5
        For "infinity" and "growing", in (1, 2): a value nearer to 2 gives a larger margin and takes more
        corrections. For `step="alma"`, in (0, 1]: the share of the best margin that may be missing, 0.1 for
        0.9 of it.
    order : {"shuffle", "cyclic", "worst", "active"}, default "shuffle"
        Which row is visited next. "shuffle": at random. "cyclic": as given. "worst": the row furthest below
        its target. "active": mostly the rows of the lowest scores.
    result : {"auto", "last", "average", "pocket"}, default "auto"
        The weights that are returned: the last ones, their average over all presentations, or those with the
        fewest training errors at the end of an epoch (of several without errors, those with the largest
        margin). "auto" is the average, which is far better than the last weights on rows that no hyperplane
        separates; but it is the last weights if training has converged and a margin was asked for (a number
        for `margin`, or `tol`), or if the average does not separate the rows. With more than two classes,
        each weight vector is chosen by itself.
    ties : {"wrong", "negative"}, default "wrong"
        Whether a row with score 0 is wrong whatever its class, or belongs to `classes_[0]` (Honavar).
    fit_intercept : bool, default True
        Whether to fit an intercept. Without it the hyperplane goes through the origin.
    intercept_scaling : "median", "radius" or float, default "median"
        The constant coordinate ρ that carries the intercept. "median": the power of two nearest the median
        norm of the rows, which outliers do not change. "radius": the largest norm, which costs at most a
        factor √2 of margin, but makes steps of the intercept too large where one row is much longer than the
        others.
    max_epochs, max_updates : int, default 1000; int or None, default None
        The largest numbers of epochs and of corrections. Reaching one of them warns.
    min_margin : float, default 0.01
        A number in [0, 1). Training stops as soon as it is proved that no hyperplane has a margin of more
        than this share of the usual norm of a lifted row. This is the ordinary end on rows that are not
        separable, without a warning. It may also give up rows that are separable by a smaller margin. 0 turns
        it off, and so does `tol`.
    tol : float or None, default None
        Training stops as soon as the margin is certified to be ≥ (1 − tol) times the best possible.
    class_weight : None, "balanced" or dict of class → weight, default None
        The weight of each row is multiplied by that of its class. "balanced" gives all classes the same total
        weight; `partial_fit` does not accept it, since it does not know the rows to come.
    n_jobs : int or None, default None
        The number of threads, -1 for one per core. They share the weight vectors of more than two classes,
        and the passes that look at all rows. The model does not depend on it.
    random_state : int, RandomState or None, default None
        Draws the order of rows with `order="shuffle"`. An int makes the fit repeatable.
    warm_start : bool, default False
        Whether to start from the weights of the last fit. On the same rows training goes on, counts included.
    verbose : int, default 0
        1 prints a line per epoch.

    Attributes
    ----------
    classes_, coef_, intercept_, n_features_in_, feature_names_in_
        As in scikit-learn.
    n_updates_, n_presentations_, n_iter_ : int or array
        The number of corrections, of rows looked at, and of epochs that these make up.
    stopped_ : str
        Why training stopped: "converged" (no row violates its target), "tol", "min_margin", "max_epochs" or
        "max_updates".
    converged_ : bool or array
        Whether training stopped by "converged" or "tol". It is about the last weights, which are not those
        returned if `result` is "average" or "pocket".
    support_, dual_coef_ : array
        The rows ever used and what each contributed, a_i·y_i: w = Σ a_i y_i x_i.
    n_rows_ : int
        The number of rows trained on; in a stream, of all rows.
    lift_ : float
        The coordinate ρ; 0 without intercept.
    history_ : list of epochs
        Per epoch: updates, errors (when presented), margin (where all rows were looked at, otherwise NaN) and
        margin_bound.
    certificate_ : Certificate
        The proof of what was achieved; recheck it with `perceptrons.verify`. With more than two classes (one
        against the rest) counts are arrays, and `history_` and `certificate_` are lists with one entry per
        class. All weight vectors visit the rows in the same order.

    Notes
    -----
    A weight multiplies the step τ of its row. Then w = Σ a_i y_i x_i still holds, and the margins of the
    certificate are what they are without weights; the bound on the corrections grows by the ratio of the
    largest and the smallest weight for `margin=0`, and there is none for other targets. A row of weight 0 is
    absent: not visited, not certified. Rows are numbered as they are given all the same. The steps "absolute"
    and "fractional" go as far as the row needs; weights above 2 then overshoot, and may overflow.

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
    _file_weights: ClassVar[tuple[str, ...]] = WEIGHTS

    def __init__(
        self,
        *,
        step: str = "fixed",
        eta: Any = 1.0,
        margin: Any = "auto",
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
        class_weight: Any = None,
        n_jobs: int | None = None,
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
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose

    def fit(
        self, X: Any, y: Any, coef_init: Any = None, intercept_init: Any = None, sample_weight: Any = None
    ) -> "Perceptron":
        """Train until no row violates, the gap closes (`tol`), or a cap is reached.

        coef_init, intercept_init : weights to start from, in the shapes of `coef_` and `intercept_`.
        sample_weight : a weight ≥ 0 for each row, which multiplies its steps; None: each counts 1.
        """
        return self._fit(X, y, coef_init, intercept_init, sample_weight)

    def _fit(
        self,
        X: Any,
        y: Any,
        coef_init: Any = None,
        intercept_init: Any = None,
        sample_weight: Any = None,
        logs: Any = None,
        presentations: bool = False,
    ) -> "Perceptron":
        """`fit`; one log per weight vector is appended to `logs`, if it is a list: of all corrections, or of
        all presentations, too."""
        plan = read_parameters(self)
        flag("warm_start", self.warm_start)
        with (
            all_or_nothing(self, X, sample_weight, more=self.warm_start),
            undrawn(self),
            threads(self.n_jobs) as pool,
        ):
            given = coef_init is not None or intercept_init is not None
            resume = self.warm_start and not given and has_run(self, "warm_start=True goes")
            known = self.classes_ if resume else None
            weights = sample_weight, self.class_weight
            every = resume or needs_every_norm(self)
            data = encode(self, X, y, not resume, known, *weights, every=every)
            median = data.norms.median()
            rule = read_linear_rule(self, read_lift(self, data.largest, median), median)
            check_radius(rule, data.largest)
            rule = with_longest(rule, data.largest)
            typical = usual_norm(median, rule.rho_squared)
            if resume:
                training = begin_again(data, rule, plan, self._memories, pool, typical)
            else:
                starts = self._starts(data, rule, coef_init, intercept_init)
                training = begin(data, rule, plan, starts, pool, data.matrix.dtype, typical)
            check_start(training)
            if logs is not None:
                logs += [Log(every=presentations) for _ in training.runs]
                for run, log in zip(training.runs, logs, strict=True):
                    run.log = log
            with blamed_on_rows(self, data):
                train(training)
            unfinished = self._finish(data, rule, training, resume, weighted=sample_weight is not None)
        if unfinished is not None:
            warnings.warn(unfinished, ConvergenceWarning, stacklevel=3)
        return self

    def fit_stream(
        self,
        source: Any,
        *,
        classes: Any = None,
        batch_rows: int | None = None,
        certificate: bool = True,
        checkpoint: str | Path | None = None,
        checkpoint_seconds: float = 10.0,
    ) -> "Perceptron":
        """Train over rows that come batch by batch: the same model as from all of them in memory.

        Parameters
        ----------
        source : a tuple (X, y) or (X, y, weights) of arrays, memory-mapped ones too; a list of such tuples,
            the batches; a function that returns an iterator of them, again for each epoch; or what
            `stream_table` makes of files.
        classes : those that labels may have; None: those that the first pass finds.
        batch_rows : rows of a batch, where arrays are cut; None: about 4 MB.
        certificate : False keeps nothing for each row, so that memory does not grow with them; the model
            then has no `certificate_`, `support_` and `dual_coef_`, like one that was saved so.
        checkpoint : a file from which the fit goes on after it was interrupted, at most `checkpoint_seconds`
            before, to the same model. It stays after the fit.

        Notes
        -----
        A first pass finds classes, norms and whatever is wrong; each epoch is one more, and so is each look
        at all rows. The order "cyclic" gives what `fit` gives. With "shuffle" batches come in random order,
        where the source can be read so, two at a time, and the rows of both are mixed: where rows are sorted
        by class, shuffle them once beforehand.

        Examples
        --------
        >>> import numpy as np
        >>> from perceptrons import Perceptron
        >>> X, y = np.array([[0.0], [2.0], [3.0], [5.0]]), [0, 1, 0, 1]
        >>> streamed = Perceptron(order="cyclic").fit_stream(lambda: iter([(X[:3], y[:3]), (X[3:], y[3:])]))
        >>> in_memory = Perceptron(order="cyclic").fit(X, y)
        >>> streamed.coef_ == in_memory.coef_, streamed.certificate_ == in_memory.certificate_
        (array([[ True]]), True)
        """
        from .streamed_fit import fit_stream

        pause = checkpoint, checkpoint_seconds
        unfinished = fit_stream(self, source, classes, batch_rows, certificate, *pause)
        if unfinished is not None:
            warnings.warn(unfinished, ConvergenceWarning, stacklevel=2)
        return self

    def _finish(
        self, data: Encoded, rule: Rule, training: Training, resumed: bool, weighted: bool
    ) -> str | None:
        """Publish what the runs have come to; returns what is to be complained about."""
        runs = training.runs
        memories, looks = [run.memory() for run in runs], [run.look() for run in runs]
        self._norms = data.norms
        foreign = any(memory.foreign for memory in memories)
        terms = terms_of(
            self, data, rule, one_run=not (resumed or foreign), foreign=foreign, weighted=weighted
        )
        data, certificates = self._publish(data, terms, memories, looks, training)
        hopeless = count_hopeless(data, rule, memories)
        verdicts = [run.verdict for run in runs]
        self.converged_ = all(verdict in SUCCESS for verdict in verdicts) and not hopeless
        if self.converged_:
            return None
        return complaint(self, certificates, verdicts, hopeless, is_uneven(data.matrix))

    @available_if(_can_stream)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> "Perceptron":
        """One pass over a batch. The first call needs all `classes`.

        Rows are numbered over all calls. `certificate_.margin` is that of the batch, `margin_bound` holds
        for all rows seen; `converged_` says that the batch needed no correction. With
        `intercept_scaling="median"` ρ follows the rows seen so far, with "radius" the first batch sets it.
        `result="auto"` is the average, and `min_margin` ends nothing. `sample_weight` as in `fit`.
        """
        plan = read_parameters(self)
        if is_balanced(self.class_weight):
            raise ValueError(
                "class_weight='balanced' needs all rows, which partial_fit does not know; pass a dict of "
                "weights, such as sklearn.utils.class_weight.compute_class_weight gives, or sample_weight."
            )
        with (
            all_or_nothing(self, X, sample_weight, more=hasattr(self, "_memories")),
            undrawn(self),
            threads(self.n_jobs) as pool,
        ):
            capped = self._pass_over(X, y, plan, classes, sample_weight, pool)
        if capped:
            message = f"max_updates={self.max_updates} is reached: the stream learns no more. Raise it."
            warnings.warn(message, ConvergenceWarning, stacklevel=2)
        return self

    def _pass_over(
        self, X: Any, y: Any, plan: MarginParameters, classes: Any, sample_weight: Any, pool: Threads
    ) -> bool:
        """One pass of every weight vector over a batch; returns whether `max_updates` is reached."""
        first = not has_run(self, "partial_fit goes")
        names = self._stream_classes(classes, first)
        seen, every = 0 if first else self._norms.n_rows, needs_every_norm(self)
        data = encode(self, X, y, first, names, sample_weight, self.class_weight, seen, every)
        norms = data.norms if first else self._norms + data.norms
        follows = first or self.intercept_scaling == "median"  # ρ, as all rows seen so far say
        lift = read_lift(self, data.largest, norms.median()) if follows else self._terms.rho_squared
        rule = read_linear_rule(self, lift, norms.median())
        check_radius(rule, data.largest)
        rule = with_longest(rule, data.largest)
        if first:
            starts = [start._replace(blur=0.0) for start in self._starts(data, rule, None, None)]
        else:
            starts = self._memories if self._terms.streamed else self._begin_stream()
        if not first and rule.rho_squared != self._terms.rho_squared:
            starts = [start.relifted(self._terms.rho_squared, rule.rho_squared) for start in starts]
        for start in starts:
            if start.policy != rule.margin:
                raise ValueError(
                    f"margin={self.margin!r} is another policy than the stream began with; keep it."
                )
            start.check_result(plan.result)
        dtype = data.matrix.dtype if first else starts[0].w.dtype
        training = begin(data, rule, plan, starts, pool, dtype)
        with blamed_on_rows(self, data):
            one_pass(training)
        runs = training.runs
        memories, self._norms = [run.memory() for run in runs], norms
        foreign = any(memory.foreign for memory in memories)
        terms = terms_of(self, data, rule, one_run=False, streamed=True, foreign=foreign)
        self._publish(data, terms, memories, [None] * len(runs), training)
        self.converged_ = all(memory.clock["clean"][0] >= len(data.codes) for memory in memories)
        return any(run.capped() for run in runs)

    def _begin_stream(self) -> list[Memory]:
        """What a fit has left, for a stream to go on from."""
        certificates = self.certificate_ if isinstance(self.certificate_, list) else [self.certificate_]
        pairs = zip(self._memories, certificates, strict=True)
        return [memory.begin_stream(known.radius, self.lift_) for memory, known in pairs]

    def _stream_classes(self, classes: Any, first: bool) -> Array:
        if first and classes is None:
            raise ValueError(
                "classes must be passed on the first call to partial_fit: all that will ever come."
            )
        check_labels(classes, "classes")
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
        (rng,) = generators(self.random_state, 1)
        starts = zip(coef.astype(data.matrix.dtype), intercept, strict=True)
        return [blank(w, float(b), rule, self.result, rng) for w, b in starts]

    def _publish(
        self,
        data: Encoded,
        terms: Terms,
        memories: list[Memory],
        looks: Sequence[Look | None],
        training: Training,
    ) -> tuple[Encoded, list[Certificate]]:
        """Turn what the runs left into fitted attributes, and certify them; returns the rows with their norms
        as that look has measured them."""
        self._memories, self._terms, self.classes_ = memories, terms, data.classes
        self._show()
        signs, batch = training.signs, terms.streamed and self.n_rows_ > len(data.codes)
        looks = look_for_certificates(self, data, signs, looks, training.threads)
        data = data._replace(smallest=looks[0].smallest, largest=looks[0].largest)
        check_rows(self, data)
        if terms.streamed:
            radius = 1.01 * float(np.sqrt(data.largest + terms.rho_squared))
            pairs = zip(memories, training.runs, strict=True)
            self._memories = [one.with_rounding(run.before, radius, self.lift_) for one, run in pairs]
        certificates = certificates_of(self, data, batch, signs, looks)
        self.certificate_ = certificates[0] if len(certificates) == 1 else certificates
        return data, certificates

    def _examine(self, k: int, data: Encoded, signs: Array, a: Array, look: Look) -> Examination:
        """What `certify` must know."""
        return examine_linear(self, k, data, signs, a, look)

    def _n_rows_given(self) -> int:
        return int(self._memories[0].n_rows)

    def _facts(self, k: int, data: Encoded, signs: Array, a: Array) -> ExactFacts:
        """What `verify` asks where bounds leave a claim open."""
        return ExactFacts(self, k, data, signs, a)

    def _show(self) -> None:
        """Set the fitted attributes that follow from what the runs left, `_memories` and `_terms`."""
        self.coef_ = np.stack([model.w for model in publish(self, self._memories, self._terms)])

    def _loaded(self) -> None:
        """Check and complete what a model file held."""
        check_loaded(self)

    def _weights_loaded(self) -> None:
        """Check a model file that holds weights alone."""
        check_weights_alone(self)
