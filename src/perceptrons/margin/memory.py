"""What a run leaves behind, enough to publish its result and to go on from there; and where a run starts:
from weights given, or from what an earlier run left.

Duals are kept signed (a_i·y_i) and for the rows ever used alone: this is the compression of Moran et al.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .._types import Array
from ..compiled import Threads
from ..rows.encode import Encoded, stacked
from ..theory.certificate import lifted_norm
from ..theory.outward import UNIT
from .certificates import CLOSE
from .looks import Look, look_at, own_corrections
from .rules import ALMA, CLOCK, CONSTANT, KNOWN, SHRUNK, Rule
from .sweep import State, survey

History = dict[str, Array]  # per epoch
NOTHING = np.zeros(0)
AVERAGED = ("auto", "average")  # results for which the sums of the average are kept


class Model(NamedTuple):
    """Weights, and the signed duals they are the sum of."""

    w: Array
    b: float
    rows: Array  # numbers of the rows ever used
    duals: Array


class Pocket(NamedTuple):
    """The best weights at the end of an epoch: fewest errors, and if there are none the largest margin."""

    errors: float  # the weight of the rows that are wrong
    margin: float
    model: Model

    def beaten_by(self, errors: float, margin: float) -> bool:
        larger = margin > (1 + 1e-9) * self.margin  # by more than rounding
        return errors < self.errors or (errors == self.errors == 0 and larger)


class Memory(NamedTuple):
    w: Array  # the last weights, whatever `result` asks for; of ALMA as large as its ball
    clock: Array
    n_rows: int  # given in all
    rows: Array
    duals: Array
    drift: Array  # see `sweep.State`
    dual_drift: Array
    foreign: bool  # w is not the sum of these rows' corrections: it started elsewhere
    policy: int  # the margin policy the clock belongs to
    history: History
    rng: np.random.RandomState
    pocket: Pocket | None = None
    stopped: str = ""  # by what training ended; unknown to the first model files
    averaged: bool = False  # whether `result="auto"` is the average
    n_absent: int = 0  # of the rows given, those of weight 0
    length: float = 0.0  # in a stream: no less than Σ τ‖x‖ of the corrections
    blur: float = (
        np.inf
    )  # and how far rounding may have taken the weights from the corrections; else infinite
    start: Array = NOTHING  # weights given, that the run began from; empty: zeros, or unknown
    start_b: float = 0.0

    def last(self) -> Model:
        b, ball = float(self.clock["intercept"][0]), float(self.clock["ball"][0])
        if ball in (0.0, 1.0):
            return Model(self.w, b, self.rows, self.duals)
        return Model((self.w / ball).astype(self.w.dtype), b / ball, self.rows, self.duals / ball)

    def average(self) -> Model:
        """The mean of the weights after each presentation: a correction that came late counts less."""
        clock = self.clock[0]
        n = float(max(1, clock["presentations"]))
        w = self.w[:0]  # of kernel rows the duals say all
        if len(self.drift):
            w = (n * self.w.astype(np.float64) - self.drift) / n
        b = (n * clock["intercept"] - clock["intercept_drift"]) / n
        return Model(w.astype(self.w.dtype), float(b), self.rows, (n * self.duals - self.dual_drift) / n)

    def check_result(self, which: str) -> None:
        """Can a run that goes on from here end with this result?"""
        if which in AVERAGED and not len(self.drift):
            raise ValueError(f"result={which!r} must be set before training starts; it was not.")

    def result(self, which: str) -> Model:
        if which == "pocket" and self.pocket is not None:
            return self.pocket.model
        return self.average() if which == "average" or (which == "auto" and self.averaged) else self.last()

    def relifted(self, before: float, after: float) -> "Memory":
        """The same corrections of rows lifted by another ρ: b = ρ²·Σ a_i y_i, and so the average's.

        before, after : ρ². Weights that training started from have an intercept of their own, which stays.
        """
        clock = self.clock.copy()
        if self.foreign:
            clock["intercept"] += (after - before) * self.duals.sum()
        else:
            clock["intercept"] *= after / before  # a power of two: exact
        clock["intercept_drift"] *= after / before
        square = lifted_norm(self.w.astype(np.float64), float(clock["intercept"][0]), np.sqrt(after)) ** 2
        clock["square"] = np.where(clock["square"] > 0.0, square, 0.0)
        clock["ball"] = np.where(clock["ball"] > 0.0, np.maximum(clock["ball"], np.sqrt(square)), 0.0)
        longer = max(1.0, float(np.sqrt(after / before)))  # the lifted rows
        return self._replace(clock=clock, length=longer * self.length, blur=longer * self.blur)

    def with_rounding(self, start: "Memory", radius: float, rho: float) -> "Memory":
        """With what rounding may have done since then, by corrections of lifted rows no longer than `radius`.

        A correction rounds a step, its products and the sums: by u·(‖w‖ + 3τ‖x‖). The sums of an average
        are in double precision, and are divided by the number of presentations.
        """
        before, now = start.clock[0], self.clock[0]
        if now["ball"] > 0.0:  # sums that were multiplied on the way
            return self._replace(blur=np.inf)
        n_updates, n = int(now["updates"] - before["updates"]), float(max(1, now["presentations"]))
        added = (float(now["steps"] - before["steps"]) + 4.0 * UNIT * float(now["steps"])) * radius
        longest = lifted_norm(start.w.astype(np.float64), float(before["intercept"]), rho) + 3.0 * added
        late = lifted_norm(start.drift, float(before["intercept_drift"]), rho) / n
        unit = UNIT if self.w.dtype == np.float64 else float(np.finfo(self.w.dtype).eps) / 2.0
        each = unit * longest + 4.0 * UNIT * (longest + late)
        return self._replace(
            length=start.length + 1.01 * added, blur=start.blur + 1.01 * (n_updates + 3) * each
        )

    def begin_stream(self, radius: float, rho: float) -> "Memory":
        """What rounding may have done in a fit of rows no longer than `radius`: a stream goes on from it."""
        nothing = self._replace(
            w=np.zeros_like(self.w), clock=np.zeros(1, CLOCK), drift=np.zeros_like(self.drift), blur=0.0
        )
        return self.with_rounding(nothing, radius, rho)

    def without_rows(self) -> "Memory":
        """The same run before any row: where it goes on over the rows it has seen."""
        none = np.zeros(0)
        rows = none.astype(np.int64)
        return self._replace(n_rows=0, rows=rows, duals=none, dual_drift=none, n_absent=0)


def blank(w: Array, b: float, rule: Rule, result: str, rng: np.random.RandomState) -> Memory:
    """A run that has seen nothing yet, at the weights given."""
    clock, none = np.zeros(1, CLOCK), np.zeros(0)
    clock["intercept"] = b
    length = lifted_norm(w.astype(np.float64), b, np.sqrt(rule.rho_squared))
    if rule.margin >= KNOWN:
        ball = max(1.0, length) if rule.step == ALMA else 0.0
        clock["square"], clock["ball"], clock["scale"] = length**2, ball, ball
        clock["beta_negative"] = clock["beta_positive"] = rule.share * (ball or length)
    counts = none.astype(np.int64)
    history = {"updates": counts, "errors": counts, "margin": none, "margin_bound": none}
    return Memory(
        w=w,
        clock=clock,
        n_rows=0,
        rows=none.astype(np.int64),
        duals=none,
        drift=np.zeros(len(w) if result in AVERAGED else 0),
        dual_drift=none,
        foreign=bool(w.any() or b),
        policy=rule.margin,
        history=history,
        rng=rng,
        start=w.astype(np.float64) if w.any() or b else NOTHING,
        start_b=b,
    )


def open_states(before: Sequence[Memory], n_rows: int, rule: Rule, dtype: Any) -> State:
    """The states of runs over rows not seen before, stacked. The sums of an average are kept if all runs
    have them."""
    n, averaged = len(before), all(len(memory.drift) for memory in before)
    clock = np.concatenate([memory.clock for memory in before])
    clock["clean"] = 0
    if rule.margin == CONSTANT:
        clock["beta_negative"], clock["beta_positive"] = rule.beta_negative, rule.beta_positive
    return State(
        w=stacked([memory.w for memory in before]).astype(dtype),
        duals=np.zeros((n, n_rows)),
        clock=clock,
        drift=stacked([memory.drift for memory in before]).copy() if averaged else np.zeros((n, 0)),
        dual_drift=np.zeros((n, n_rows if averaged else 0)),
    )


def state_of(states: State, k: int) -> State:
    """The state of one run, a view of those stacked."""
    return State(states.w[k], states.duals[k], states.clock[k : k + 1], states.drift[k], states.dual_drift[k])


def resume_state(state: State, before: Memory, data: Encoded) -> None:
    """What a run that goes on over the rows it has seen knows of them."""
    rows = data.places(before.rows)
    state.duals[rows] = np.abs(before.duals)
    if len(state.dual_drift):
        state.dual_drift[rows] = np.abs(before.dual_drift)


def remember(before: Memory, state: State, signs: Array, data: Encoded) -> Memory:
    """The memory after a run over rows that follow those seen before."""
    used = np.flatnonzero(state.duals > 0.0)  # of truth values it is quicker
    factor = SHRUNK ** float(state.clock["shrunk"][0] - before.clock["shrunk"][0])
    late = state.dual_drift[used] if len(state.dual_drift) else np.zeros(len(used))
    return before._replace(
        w=state.w,
        clock=state.clock,
        n_rows=before.n_rows + data.n_given,
        rows=np.concatenate([before.rows, before.n_rows + data.numbers(used)]),
        duals=np.concatenate([factor * before.duals, state.duals[used] * signs[used]]),
        drift=state.drift,
        dual_drift=np.concatenate([before.dual_drift, late * signs[used]]),
        n_absent=before.n_absent + data.n_given - len(signs),
    )


def given_weights(name: str, given: Any, shape: tuple[int, ...]) -> Array:
    """Starting weights in the shape needed; zeros if none are given."""
    if given is None:
        return np.zeros(shape)
    weights = np.asarray(given, np.float64)
    weights = weights.reshape(shape) if weights.size == np.prod(shape) else weights
    if weights.shape != shape:
        raise ValueError(f"{name} has shape {weights.shape}, but these data need {shape}.")
    if not np.isfinite(weights).all():
        raise ValueError(f"{name} holds NaN or infinity; pass finite weights.")
    return weights


def can_resume(start: Memory, data: Encoded, signs: Array, rule: Rule, result: str) -> bool:
    """Can training go on over these rows? If it is the same policy, and the weights are the sum of their
    corrections on these rows."""
    lacks_sums = result in AVERAGED and not len(start.drift)
    if start.foreign or start.n_rows != data.n_given or start.policy != rule.margin or lacks_sums:
        return False
    look = look_of(start.last(), data, signs)
    w, b = start.last().w.astype(np.float64), start.last().b
    duals = start.last().duals
    cancelled = rule.rho_squared * np.abs(duals).sum()
    same_b = abs(b - rule.rho_squared * duals.sum()) <= 1e-9 * cancelled
    close = CLOSE[start.w.dtype] * np.sqrt(w @ w + data.largest)
    return bool(same_b and np.linalg.norm(look.combination - w) <= close)


def recounted(pocket: Pocket | None, data: Encoded, signs: Array, rule: Rule) -> Pocket | None:
    """The pocket with its errors and margin on these rows: those never corrected may be others now."""
    if pocket is None:
        return None
    w, clock, none = pocket.model.w, np.zeros(1, CLOCK), np.zeros(0)
    clock["intercept"] = pocket.model.b
    *_, low, _, lost = survey(data.X, signs, data.weights, rule, State(w, none, clock, none, none))
    norm = lifted_norm(w.astype(np.float64), pocket.model.b, np.sqrt(rule.rho_squared))
    return pocket._replace(errors=lost, margin=low / norm if norm > 0 else np.nan)


def look_of(model: Model, data: Encoded, signs: Array) -> Look:
    """A look at these rows; of corrections that cannot be theirs nothing is added up."""
    used, duals = own_corrections(model.rows, model.duals[None], data, signs[None])
    return look_at(data.X, signs[None], model.w[None], np.array([model.b]), used, duals, Threads())[0]


def restarted(start: Memory, rule: Rule, result: str) -> Memory:
    """The last weights, to start from on other rows or with other settings."""
    b = start.last().b if rule.rho_squared > 0 else 0.0
    return blank(start.last().w, b, rule, result, start.rng)
