"""`Perceptron` over collections: iterative parameter mixing (McDonald, Hall and Mann, "Distributed Training
Strategies for the Structured Perceptron", 2010).

In each epoch every part begins with the same weights w and sweeps over its own rows, which leads it to w_k;
the next weights are the mixture Σ μ_k w_k. With k_k corrections in part k, μ_k their share in those of all
parts, R the largest norm and β the target,

    Σ over epochs of Σ_k μ_k k_k  ≤  (2β + R²)/ε²,

if some hyperplane has the margin ε: and as Σ_k μ_k k_k ≥ 1 in an epoch that is not clean, there are no more
epochs than that. The steps of a part count μ_k times; so w = Σ a_i y_i x_i holds of the mixture, with duals
that stay with their rows until the fit has ended, and so does the certificate, of all rows.

Deviations: the paper mixes the averages of parts at the end; here the average is that of all presentations,
each part's weighing μ_k. Beside the plain step the bounded one of `margin="auto"` is mixed alike.
"""

import warnings
from functools import reduce
from operator import add
from typing import Any, ClassVar, NamedTuple, cast

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from .._types import Array
from ..checks import flag
from ..compiled import Threads
from ..margin.epochs import is_streamed, lower_targets, n_bytes, walk
from ..margin.margin_parameters import MarginParameters, read_parameters, targets
from ..margin.margin_training import begin
from ..margin.memory import Memory, blank
from ..margin.perceptron import Perceptron as LocalPerceptron
from ..margin.rules import CONSTANT, Rule
from ..margin.streamed_fit import begin_stream, finish, nothing_yet
from ..margin.streamed_run import StreamedRun
from ..margin.sweep import NEVER, State
from ..rows.order import Order, given, in_order, shuffled
from ..rows.stream_facts import StreamFacts
from .margin_parts import CollectionRows, n_vectors_of
from .on_collections import OnCollections
from .part import CollectionPart
from .part_facts import encoded_rows, facts_of
from .rounds import Conversation, Rounds


class Perceptron(OnCollections, LocalPerceptron):  # type: ignore[misc]
    """`perceptrons.Perceptron` over Dask collections, by iterative parameter mixing.

    This is another algorithm than in memory, with the same certificate. Parts of the rows are swept side by
    side, each from the same weights, and what they come to is mixed, each part in proportion to its
    corrections. If some hyperplane has the margin ε, there are at most (2β + R²)/ε² epochs until no row
    violates its target β, where R is the largest norm of a lifted row.

    Parameters
    ----------
    step : {"fixed"}, default "fixed"
        The length of a correction is `eta`. Other steps are for rows in memory.
    eta : float, default 1.0
        The step size η. Functions are for rows in memory.
    margin : "auto", float or pair of floats, default "auto"
        The target β: a constant (0 is Rosenblatt's rule), or one per class in the order of `classes_`. "auto"
        is for everyday data: a target of 2ηs² for 20 epochs, where s is the usual norm of a lifted row, with
        bounded steps, then 0. Targets that grow with the corrections are for rows in memory.
    alpha : float, default 1.5
        Not used, since it is about steps and targets that are for rows in memory.
    order : {"shuffle", "cyclic"}, default "shuffle"
        The order in which each part visits its rows: at random, or as given.
    result : {"auto", "last", "average"}, default "auto"
        The weights that are returned: those after the last mixing, or the average over all presentations, in
        which each part weighs what it weighs in the mixture. "auto" is the average, but the last weights if
        training has converged and a margin was asked for, or if the average does not separate the rows.
    ties : {"wrong", "negative"}, default "wrong"
        Whether a row with score 0 is wrong whatever its class, or belongs to `classes_[0]` (Honavar).
    fit_intercept : bool, default True
        Whether to fit an intercept. Without it the hyperplane goes through the origin.
    intercept_scaling : "median", "radius" or float, default "median"
        The constant coordinate ρ that carries the intercept: the power of two nearest the median norm of the
        rows, the largest norm, or a number.
    max_epochs, max_updates : int, default 1000; None
        The largest number of epochs; reaching it warns. A limit of corrections is for rows in memory.
    min_margin : float, default 0.01
        Training stops as soon as it is proved that no hyperplane has a margin of more than this share of the
        usual norm of a lifted row. 0 turns it off.
    tol : None
        To come within `tol` of the best margin, use `perceptrons.dask.MaxMarginPerceptron`.
    class_weight : None, "balanced" or dict of class → weight, default None
        The weight of each row is multiplied by that of its class. "balanced" gives all classes the same total
        weight.
    n_jobs : int or None, default None
        Not used by `fit`, whose work is shared by the threads of the workers.
    random_state : int, RandomState or None, default None
        Draws the order of rows in each part. An int makes the fit repeatable, on any cluster.
    warm_start : bool, default False
        Starting from the last fit is for rows in memory, so that it must be False.
    verbose : int, default 0
        1 prints a line per epoch.

    Attributes
    ----------
    classes_, coef_, intercept_, n_features_in_, feature_names_in_
        As in scikit-learn.
    n_updates_, n_presentations_, n_iter_ : int or array
        The number of corrections of all parts, of rows looked at, and of epochs.
    stopped_ : str
        Why training stopped: "converged" (no row violates its target), "min_margin" or "max_epochs".
    converged_ : bool or array
        Whether training stopped by "converged".
    support_, dual_coef_ : array
        The rows ever used, numbered over all chunks, and what each contributed to the mixture, a_i·y_i:
        w = Σ a_i y_i x_i.
    n_rows_ : int
        The number of rows trained on.
    lift_ : float
        The coordinate ρ; 0 without intercept.
    history_ : list of epochs
        Per epoch: updates, errors, margin (where all rows were looked at, otherwise NaN) and margin_bound.
    certificate_ : Certificate
        The proof of what was achieved on all rows; recheck it with `perceptrons.verify` of `to_local()` and
        the rows in memory. With more than two classes (one against the rest), a list with one entry per
        class.
    traffic_ : list of named tuples
        Per stage of the fit: its name, how many questions were asked, and how many bytes went to the parts
        (`told`) and came back (`answered`).

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> from distributed import Client
    >>> from perceptrons.dask import Perceptron
    >>> X = np.random.default_rng(0).normal(size=(400, 3))
    >>> y = X @ [1.0, -2.0, 0.5] > 0
    >>> keep = abs(X @ [1.0, -2.0, 0.5]) > 0.3
    >>> rows, labels = da.from_array(X[keep], (100, 3)), da.from_array(y[keep], 100)
    >>> with Client(processes=False, dashboard_address=":0") as client:
    ...     model = Perceptron(random_state=0).fit(rows, labels, client=client)
    >>> model.stopped_, model.certificate_.separable, float(model.to_local().score(X[keep], y[keep]))
    ('converged', True, 1.0)
    """

    _home: ClassVar[Any] = LocalPerceptron

    def _check(self) -> None:
        read_parameters(self)
        remedies = {
            f"step={self.step!r}": self.step != "fixed" or callable(self.eta),
            f"margin={self.margin!r}": targets(self.margin, auto=0.0)[0] != CONSTANT,
            f"order={self.order!r}": self.order not in ("shuffle", "cyclic"),
            f"result={self.result!r}": self.result == "pocket",
            f"tol={self.tol!r}": self.tol is not None,
            f"max_updates={self.max_updates!r}": self.max_updates is not None,
            "warm_start=True": flag("warm_start", self.warm_start),
        }
        for what, unknown in remedies.items():
            if unknown:
                raise ValueError(
                    f"{what} is not for parts that are swept side by side; leave it at its default, or fit "
                    "on rows in memory. For a margin near the best use perceptrons.dask.MaxMarginPerceptron."
                )

    def _learn(self, rounds: Rounds) -> None:
        plan, facts = read_parameters(self), facts_of(rounds, self)
        stream, rule = begin_stream(self, facts, plan, lambda *how: MixedRows(rounds, facts, *how))
        rows = cast(MixedRows, stream.rows)
        rows.begin(rule, plan, stream.runs[0].before)
        while live := [k for k, run in enumerate(stream.runs) if run.goes_on()]:
            rows.epoch(stream.runs, live)
        unfinished = finish(self, stream, rule)
        if unfinished is not None:
            warnings.warn(unfinished, ConvergenceWarning, stacklevel=3)


class Swept(NamedTuple):
    """What an epoch has led a part to, a line for each weight vector that goes on."""

    w: Array  # what was added to the weights,
    late: Array  # and what of that the average over the presentations lacks
    b: Array
    late_b: Array
    steps: Array
    updates: Array
    errors: Array

    def mixed(self, shares: Array) -> "Swept":
        """This part's contribution, where it has these shares; corrections and errors count whole."""
        column = shares[:, None]
        b, late_b, steps = (shares * one for one in (self.b, self.late_b, self.steps))
        return Swept(column * self.w, column * self.late, b, late_b, steps, self.updates, self.errors)

    def __add__(self, other: Any) -> "Swept":
        return Swept(*(mine + its for mine, its in zip(self, other, strict=True)))


class MixedRows(CollectionRows):
    """The rows, and the epochs over them."""

    def begin(self, rule: Rule, plan: MarginParameters, before: Memory) -> None:
        seeds = before.rng.randint(2**31 - 1, size=len(self.rounds.numbers)).tolist()
        setups = [(self.facts, k, rule, plan, seed) for k, seed in enumerate(seeds)]
        self.talk = Conversation(self.rounds, PartSweeps, setups)
        self.means = [EpochMeans() for _ in range(self.n_vectors)]
        self.mixed: dict[int, list[float]] = {}  # of the last epoch, the share of each part

    def epoch(self, runs: list[StreamedRun], live: list[int]) -> None:
        """All parts sweep once, and what they come to is mixed."""
        going = [runs[k] for k in live]
        lower_targets(going)
        before = [run.open_epoch() for run in going]
        told = [StartOfEpoch.of(run) for run in going]
        parts: list[Swept] = self.talk.tell("epochs", swept_epoch, live, told, self.mixed)
        updates = np.array([one.updates for one in parts], np.float64)
        shares = updates / np.maximum(updates.sum(axis=0), 1.0)
        total: Swept = reduce(add, [one.mixed(own) for one, own in zip(parts, shares, strict=True)])
        self.mixed = {k: shares[:, i].tolist() for i, k in enumerate(live)}
        for i, run in enumerate(going):
            self.means[live[i]].add(run, total, i)
        for run in going:
            run.close_epoch()
        for run, updates_before in zip(going, before, strict=True):
            run.record(updates_before)

    def memory(self, run: int, before: Memory, state: State) -> Memory:
        """Weights, and the rows they are made of, which parts have kept until now."""
        found = self.talk.peek("duals", duals_of_part, run, self.mixed)
        starts = [place.given for place in self.facts.places]
        rows, duals, means = zip(*found, strict=True)
        n = float(state.clock["presentations"][0])
        late = n * (np.concatenate(duals) - np.concatenate(means) / max(1, self.means[run].n_epochs))
        return before._replace(
            w=state.w,
            clock=state.clock,
            n_rows=self.facts.n_given,
            rows=np.concatenate([own + start for own, start in zip(rows, starts, strict=True)]),
            duals=np.concatenate(duals),
            drift=state.drift,
            dual_drift=late,
            n_absent=self.facts.n_given - self.facts.n_rows,
        )


class StartOfEpoch(NamedTuple):
    """What a weight vector begins an epoch with; a copy, since it may have to be sent again."""

    w: Array
    b: float
    targets: tuple[float, float]

    @classmethod
    def of(cls, run: StreamedRun) -> "StartOfEpoch":
        clock = run.clock
        betas = float(clock["beta_negative"]), float(clock["beta_positive"])
        return cls(run.state.w.copy(), float(clock["intercept"]), betas)


class EpochMeans:
    """The averages of the epochs of one weight vector, added up."""

    def __init__(self) -> None:
        self.w: Any = 0.0
        self.b, self.n_epochs = 0.0, 0

    def add(self, run: StreamedRun, total: Swept, i: int) -> None:
        """Move a run to the mixture, line i of what the parts have come to."""
        w, clock = run.state.w.astype(np.float64) + total.w[i], run.clock
        b = float(clock["intercept"]) + float(total.b[i])
        self.w, self.b = self.w + w - total.late[i], self.b + b - float(total.late_b[i])
        self.n_epochs += 1
        run.state.w[:] = w
        for name in ("updates", "errors", "steps"):
            clock[name] += getattr(total, name)[i]
        clock["presentations"] += run.n_rows
        clock["clean"] = 0 if total.updates[i] else run.n_rows
        n = float(clock["presentations"])
        clock["intercept"], clock["intercept_drift"] = b, n * (b - self.b / self.n_epochs)
        if len(run.state.drift):
            run.state.drift[:] = n * (w - self.w / self.n_epochs)


# --- on a worker ---


class PartSweeps:
    """A part in training: the duals of its rows, and the epochs."""

    def __init__(
        self, part: CollectionPart, facts: StreamFacts, k: int, rule: Rule, plan: MarginParameters, seed: int
    ) -> None:
        self.k, self.order, data = k, plan.order, encoded_rows(part, facts, k)
        self.rng, n_vectors = np.random.RandomState(seed), n_vectors_of(facts)
        self.data = nothing_yet(facts, facts.estimator.n_features_in_) if data is None else data
        start = blank(np.zeros(self.data.matrix.shape[1], facts.dtype), 0.0, rule, plan.result, self.rng)
        self.training = begin(self.data, rule, plan, [start] * n_vectors, Threads(), facts.dtype)
        self.duals, self.means = np.zeros((2, n_vectors, len(self.data.codes)))

    def settled(self, run: int, mixed: dict[int, list[float]]) -> tuple[Array, Array]:
        """The duals, and the sums of their means, after the last epoch has been mixed."""
        if run not in mixed:
            return self.duals[run], self.means[run]
        states, share = self.training.states, mixed[run][self.k]
        duals = self.duals[run] + share * states.duals[run]
        late = states.dual_drift[run] / max(1, len(duals)) if states.dual_drift.size else 0.0
        return duals, self.means[run] + duals - share * late

    def sweep(self, live: list[int], told: list[StartOfEpoch], mixed: dict[int, list[float]]) -> Swept:
        for run in mixed:
            self.duals[run], self.means[run] = self.settled(run, mixed)
        states, n = self.training.states, max(1, len(self.data.codes))
        for k, start in zip(live, told, strict=True):
            for zeros in (states.duals, states.drift, states.dual_drift):
                zeros[k] = 0.0
            states.clock[k : k + 1] = np.zeros(1, states.clock.dtype)
            states.w[k], states.clock["intercept"][k] = start.w, start.b
            states.clock["beta_negative"][k], states.clock["beta_positive"][k] = start.targets
        if len(self.data.codes):
            walk(self.training, live, self.next_order(), NEVER)
        clock, w = states.clock[live], states.w[live].astype(np.float64)
        late = states.drift[live] / n if states.drift.size else np.zeros_like(w)
        return Swept(
            w - np.stack([start.w for start in told]),
            late,
            clock["intercept"] - [start.b for start in told],
            clock["intercept_drift"] / n,
            clock["steps"],
            clock["updates"],
            clock["errors"],
        )

    def next_order(self) -> Order:
        m = len(self.data.codes)
        if self.order != "shuffle":
            return in_order(given(m))
        order = shuffled(m, self.rng)
        return order if is_streamed(n_bytes(self.data.X), m) else order.without_blocks()


def swept_epoch(state: PartSweeps, *told: Any) -> Swept:
    return state.sweep(*told)


def duals_of_part(state: PartSweeps, run: int, mixed: dict[int, list[float]]) -> tuple[Array, Array, Array]:
    """The rows used, their signed duals, and the sums of the means of these."""
    duals, means = state.settled(run, mixed)
    used = np.flatnonzero(duals)
    signs = state.training.signs[run, used]
    return state.data.numbers(used), signs * duals[used], signs * means[used]
