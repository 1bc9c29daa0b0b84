"""The loop over sweeps: orders, stopping, and what is kept of the way (Python; the sweep is compiled).

`train` runs one weight vector over one set of signs. An order is a function that runs one epoch and
returns a verdict: converged, stuck (no row violates but the certified gap is open), capped, or none yet.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..data.order import BLOCK, given, shuffled
from ..data.rows import Array, Rows
from ..theory.certificate import lifted_norm
from .memory import Memory, remember
from .parameters import Plan
from .rules import PASSIVE_AGGRESSIVE, Rule
from .sweep import State, survey, sweep

CONVERGED, STUCK, CAPPED = "converged", "stuck", "capped"
Verdict = str | None

ACTIVE_SHARE = 0.03  # of the rows, those with the lowest scores, are swept between two full passes
ACTIVE_ROWS = 32  # but at least these many
ACTIVE_PASSES = 1000  # over them at most, so that inseparable rows cannot hold the loop


class Survey(NamedTuple):
    """What `sweep.survey` returns, by name."""

    worst: int
    violated: bool
    short: int
    low: float
    errors: int


@dataclass
class Run:
    """One training run: the rows, the rule, what went before, and the state that changes."""

    X: Rows
    y: Array
    rule: Rule
    plan: Plan
    before: Memory
    state: State
    rng: np.random.RandomState
    verdict: Verdict = None

    def __post_init__(self) -> None:
        self.history, self.pocket = self.before.history, self.before.pocket
        self.budget = self.clock.presentations + self.plan.max_epochs * len(self.y)

    @property
    def clock(self) -> Any:
        return self.state.clock[0]

    def memory(self) -> Memory:
        return remember(self.before, self.state, self.y)._replace(pocket=self.pocket)

    def norm(self) -> float:
        """‖w‖ in lifted space."""
        return lifted_norm(self.state.w.astype(np.float64), self.clock.intercept, np.sqrt(self.rule.rho_squared))

    def capped(self) -> bool:
        return bool(self.clock.updates == self.plan.max_updates)

    def present(self, order: Array, block: int = 0, stop_clean: int = -1) -> None:
        """Sweep over the rows of an order, pausing for each step that Python must compute."""
        position = 0
        while position < len(order) and not self.capped() and self.clock.clean != stop_clean:
            rule, stop = self.rule, -1 if self.plan.max_updates is None else self.plan.max_updates
            if self.plan.eta is not None:
                stop = int(self.clock.updates) + 1
                rule = rule._replace(eta=float(self.plan.eta(stop)))
            position = sweep(self.X, self.y, order, position, block, stop, stop_clean, rule, self.state)

    def survey(self) -> Survey:
        return Survey(*survey(self.X, self.y, self.rule, self.state))

    def gap_closed(self, low: float) -> bool:
        """Is the margin achieved within tol of the bound? `low` is the smallest y·score."""
        norm, steps = self.norm(), self.clock.steps
        return norm > 0 and steps > 0 and low / norm >= (1 - self.plan.tol) * norm / steps  # type: ignore[operator]

    def judge(self, clean: bool) -> Verdict:
        """The verdict at the end of an epoch."""
        if self.plan.tol is not None:
            self.clock.low = self.survey().low
            if self.gap_closed(self.clock.low):
                return CONVERGED
        if self.capped():
            return CAPPED
        if clean and self.rule.step == PASSIVE_AGGRESSIVE:
            seen = self.survey()
            self.clock.low, clean = seen.low, seen.short == 0
        if clean:
            return CONVERGED if self.plan.tol is None else STUCK
        return None

    def record(self, updates_before: int) -> None:
        """Write the epoch's line of history; look into the pocket."""
        norm, clock = self.norm(), self.clock
        if not np.isfinite(norm):
            raise ValueError(
                "The weights overflowed. Scale the columns, for example with StandardScaler, or lower eta or margin."
            )
        known = norm > 0 and (self.verdict in (CONVERGED, STUCK) or self.plan.tol is not None)
        line = {
            "updates": int(clock.updates) - updates_before,
            "errors": int(clock.errors),
            "margin": clock.low / norm if known else np.nan,
            "margin_bound": norm / clock.steps if clock.steps > 0 else np.inf,
        }
        for name, value in line.items():
            self.history[name].append(value)
        if self.plan.result == "pocket":
            errors = self.survey().errors
            if self.pocket is None or errors < self.pocket[0]:
                last = self.memory().last()
                self.pocket = errors, last._replace(w=last.w.copy())
        if self.plan.verbose:
            print(f"epoch {len(self.history['updates'])}:", *(f"{name} {value:.6g}" for name, value in line.items()))


def train(run: Run) -> None:
    """Run epochs until a verdict falls or `max_epochs` is used up."""
    epoch = {"cyclic": cyclic, "shuffle": shuffle, "worst": worst, "active": active}[run.plan.order]
    while run.verdict is None and run.clock.presentations < run.budget:
        updates = int(run.clock.updates)
        run.clock.errors = 0
        run.verdict = epoch(run)
        run.record(updates)


def one_pass(run: Run) -> None:
    """Present every row once, in random order if that is the order, else as given."""
    updates, m = int(run.clock.updates), len(run.y)
    run.clock.errors = 0
    if run.plan.order == "shuffle":
        run.present(shuffled(m, run.rng), block=BLOCK)
    else:
        run.present(given(m))
    run.record(updates)


def cyclic(run: Run) -> Verdict:
    """The rows as they stand; done after m rows running without a correction, wherever that is."""
    m = len(run.y)
    run.present(given(m), stop_clean=-1 if run.rule.step == PASSIVE_AGGRESSIVE else m)
    return run.judge(clean=run.clock.clean >= m)


def shuffle(run: Run) -> Verdict:
    """A fresh order each epoch; done after a whole epoch without a correction. (To stop after m clean
    rows, as `cyclic` does, would be wrong: both halves may have left out the same row.)"""
    m = len(run.y)
    run.present(shuffled(m, run.rng), block=BLOCK)
    return run.judge(clean=run.clock.clean >= m)


def worst(run: Run) -> Verdict:
    """A look at all rows, then one correction: of the row furthest below its target. With `tol` it is
    corrected even if it does not violate, until the gap closes (MinOver, Krauth and Mézard)."""
    seen, clock = run.survey(), run.clock
    clock.presentations += len(run.y)
    clock.low, clock.errors = seen.low, seen.errors
    if run.rule.always and run.gap_closed(seen.low):
        return CONVERGED
    presentations, updates = int(clock.presentations), int(clock.updates)
    if seen.worst >= 0 and (seen.violated or run.rule.always):
        run.present(given(len(run.y))[seen.worst : seen.worst + 1])
        clock.presentations, clock.errors = presentations, seen.errors  # the row is counted already
    idle = bool(clock.updates == updates)
    if run.rule.always:
        return STUCK if idle else CAPPED if run.capped() else None
    return run.judge(clean=seen.short == 0 if run.rule.step == PASSIVE_AGGRESSIVE else idle)


def active(run: Run) -> Verdict:
    """A full pass, then passes over the rows that came out lowest until none of them is corrected."""
    m = len(run.y)
    run.present(given(m))
    clean = run.clock.clean >= m
    few = max(ACTIVE_ROWS, int(ACTIVE_SHARE * m))
    if not clean and few < m:
        lowest = np.sort(np.argpartition(run.state.excess, few)[:few]).astype(given(m).dtype)
        for _ in range(ACTIVE_PASSES):
            updates = run.clock.updates
            run.present(lowest)
            if run.clock.updates == updates or run.clock.presentations >= run.budget:
                break
    verdict = run.judge(clean)
    run.clock.clean = 0
    return verdict
