"""The loop over sweeps: orders, stopping, and what is kept of the way (Python; the sweep is compiled).

`train` runs one weight vector over one set of signs. An order is a function that runs one epoch and
returns a verdict: no row violates; the gap is closed (`tol`); it is proved that no hyperplane has a margin
worth looking for (`min_margin`); stuck, where no row violates but the gap is open; capped; or none yet.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .._types import Array
from ..checks import number
from ..rows.layouts import CSR, Gram, Rows
from ..rows.order import FEW, GROUP_ROWS, Order, given, in_order, permutations, shuffled
from ..theory.certificate import lifted_norm
from .certificates import examine
from .kernel_values import kernel_norm
from .margin_parameters import MarginParameters
from .memory import Memory, Pocket, remember
from .rules import PASSIVE_AGGRESSIVE, Rule
from .sweep import NEVER, State, excesses, survey, sweep, sweep_epochs

CONVERGED, TOL, MIN_MARGIN, CAPPED, STUCK = "converged", "tol", "min_margin", "max_updates", "stuck"
SUCCESS = (CONVERGED, TOL)
Verdict = str | None

AHEAD = 1024  # places of an order looked at for rows to be fetched together,
TOGETHER = 256  # so many of them at most
CACHE = 1 << 24  # bytes; fewer are in the cache anyway, and need no streaming,
NEAR = 1 << 22  # and a group of blocks of more does not stay near enough to be worth it

FIRST, AT_ONCE = 1 << 11, 1 << 15  # rows presented in one call, where epochs are short: more and more

ACTIVE_SHARE = 0.1  # of the rows, those with the lowest scores, are swept between two full passes,
ACTIVE_ROWS = 32  # but at least so many,
ACTIVE_PASSES = 25  # so often in one call of the compiled sweep,
ACTIVE_CALLS = 40  # in so many calls at most


class Survey(NamedTuple):
    """What `sweep.survey` returns, by name."""

    worst: int
    violated: bool
    short: int
    low: float
    errors: int


class Entry(NamedTuple):
    """A correction, as it is logged: w ← w + step·y·x of that row, which did not exceed beta."""

    row: int
    step: float
    beta: float


@dataclass
class Run:
    """One training run: the rows, the rule, what went before, and the state that changes."""

    X: Rows
    y: Array
    rule: Rule
    plan: MarginParameters
    before: Memory
    state: State
    typical: float = 0.0  # the usual norm of a lifted row, of which `min_margin` is a share
    verdict: Verdict = None
    margin: float = np.nan  # of the weights when all rows were last looked at in this epoch
    plain: bool = False  # order "active" has given up and sweeps all rows
    snapshot: list[Array] | None = None  # the state before it began
    fetch: Callable[[Array], None] | None = None  # makes rows ready that are about to be corrected
    log: list[Entry] | None = None  # every correction, if it is asked for

    def __post_init__(self) -> None:
        self.history = {name: list(values) for name, values in self.before.history.items()}
        self.pocket = self.before.pocket
        self.rows, self.at_once = given(len(self.y)), FIRST
        cells = self.X.data if isinstance(self.X, CSR) else self.X
        self.streams = isinstance(cells, np.ndarray) and is_streamed(cells.nbytes, len(self.y))
        start, most = int(self.clock["presentations"]), self.plan.max_epochs * len(self.y)
        self.half, self.budget = start + most // 2, start + most
        self.max_updates = NEVER if self.plan.max_updates is None else min(self.plan.max_updates, NEVER)

    @property
    def clock(self) -> Any:
        """The one record of the clock; reading and writing go to the state."""
        return self.state.clock[0]

    def memory(self) -> Memory:
        memory = remember(self.before, self.state, self.y)
        stopped = CONVERGED if self.verdict == STUCK else self.verdict or "max_epochs"
        memory = memory._replace(history=self.history, pocket=self.pocket, stopped=stopped)
        return memory._replace(averaged=self.prefers_average(memory))

    def prefers_average(self, memory: Memory) -> bool:
        """What `result="auto"` returns. The average generalizes better than the last weights (Freund and
        Schapire); but weights that separate the rows are not given up for an average that does not, nor
        weights that were asked for with a margin."""
        if memory.stopped not in SUCCESS or self.plan.result != "auto" or isinstance(self.X, Gram):
            return memory.stopped not in SUCCESS
        if self.plan.tol is not None or self.rule.asks_for_margin():
            return False
        average = memory.average()
        low = examine(self.X, self.y, average.w.astype(np.float64), average.b, np.zeros(len(self.y)))[0]
        return bool(low > 0.0)

    def norm(self) -> float:
        """‖w‖ in lifted space."""
        rho, b = np.sqrt(self.rule.rho_squared), self.clock["intercept"]
        if isinstance(self.X, Gram):
            norm = kernel_norm(self.state.duals * self.y, self.state.w, self.X.diagonal)
            return lifted_norm(np.array([norm.value]), b, rho)
        return lifted_norm(self.state.w.astype(np.float64), b, rho)

    def capped(self) -> bool:
        return bool(self.clock["updates"] >= self.max_updates)

    def shuffled(self) -> Order:
        """All rows in a fresh random order."""
        order = shuffled(len(self.y), self.before.rng)
        return order if self.streams else order.without_blocks()

    def present(self, order: Order, stop_clean: int = NEVER) -> None:
        """Sweep over the rows of an order, pausing for each step that Python must compute or log, and
        for rows that must be fetched."""
        one_by_one = self.plan.eta is not None or self.log is not None
        position = 0
        while position < len(order.rows) and not self.capped() and self.clock["clean"] < stop_clean:
            updates = int(self.clock["updates"])
            betas = float(self.clock["beta_negative"]), float(self.clock["beta_positive"])
            stop = updates + 1 if one_by_one else self.max_updates
            rule = self.rule_of(updates + 1)
            position = sweep(self.X, self.y, order, position, stop, stop_clean, rule, self.state)
            if self.log is not None and self.clock["updates"] > updates:
                row = int(order.rows[position - 1])
                self.log.append(Entry(row, float(self.clock["step"]), betas[int(self.y[row] > 0)]))
            if self.fetch is not None and position < len(order.rows):
                self.fetch(self.soon(order.rows[position:]))

    def rule_of(self, update: int) -> Rule:
        """The rule of that correction, its step from the user's function if there is one."""
        if self.plan.eta is None:
            return self.rule
        eta = number(f"eta({update})", self.plan.eta(update), "(0, inf)", "mend eta")
        return self.rule._replace(eta=float(eta))

    def soon(self, order: Array) -> Array:
        """The next rows that will be corrected if nothing changes until then; not many more than have been
        corrected so far, because corrections change that."""
        rows, clock = order[:AHEAD], self.clock
        y = self.y[rows]
        betas = np.where(y > 0, clock["beta_positive"], clock["beta_negative"])
        calm = y * (self.state.w[rows] + clock["intercept"]) > betas
        limit = min(TOGETHER, 8 + int(clock["updates"]))
        return np.asarray(rows[~calm | self.rule.always][:limit])

    def survey(self) -> Survey:
        """Look at all rows under the present weights."""
        seen, norm = Survey(*survey(self.X, self.y, self.rule, self.state)), self.norm()
        self.margin = seen.low / norm if norm > 0 else np.nan
        return seen

    def margin_bound(self, norm: float) -> float:
        """No hyperplane has a larger margin; infinite before the first correction, NaN if unknown."""
        if self.before.foreign:
            return np.nan
        return norm / float(self.clock["steps"]) if self.clock["steps"] > 0 else np.inf

    def gap_closed(self) -> bool:
        """Is the margin, as last looked at, within tol of the bound?"""
        return self.plan.tol is not None and self.margin >= (1 - self.plan.tol) * self.margin_bound(
            self.norm()
        )

    def epoch_verdict(self, clean: bool) -> Verdict:
        """The verdict at the end of an epoch."""
        seen = self.survey() if clean or self.plan.tol is not None else None
        if self.gap_closed():
            return TOL
        if self.capped():
            return CAPPED
        if clean and seen and (self.rule.step != PASSIVE_AGGRESSIVE or seen.short == 0):
            return CONVERGED if self.plan.tol is None else STUCK
        return MIN_MARGIN if self.has_no_margin() else None

    def has_no_margin(self) -> bool:
        """Is it proved that no hyperplane has a margin worth looking for?"""
        return bool(self.margin_bound(self.norm()) < self.plan.min_margin * self.typical)

    def needs_no_looks(self) -> bool:
        """Is nothing asked for between epochs, and are they short?"""
        plan, few = self.plan, len(self.y) <= FEW
        plain = plan.order == "shuffle" and plan.tol is None and plan.result != "pocket" and not plan.verbose
        return few and plain and plan.eta is None and self.log is None and self.fetch is None

    def record(self, updates_before: int) -> None:
        """Write the epoch's line of history; look into the pocket."""
        norm, clock = self.norm(), self.clock
        if not np.isfinite(norm):
            raise ValueError(
                "The weights overflowed. Scale the columns (StandardScaler), or lower eta or margin."
            )
        line = {
            "updates": max(0, int(clock["updates"]) - updates_before),  # some may have been taken back
            "errors": int(clock["errors"]),
            "margin": self.margin,
            "margin_bound": self.margin_bound(norm),
        }
        for name, value in line.items():
            self.history[name].append(value)
        if self.plan.result == "pocket":
            errors, margin = self.survey().errors, self.margin
            if self.pocket is None or self.pocket.beaten_by(errors, margin):
                last = self.memory().last()
                self.pocket = Pocket(errors, margin, last._replace(w=last.w.copy()))
        if self.plan.verbose:
            shown = (f"{name} {value:.6g}" for name, value in line.items())
            print(f"epoch {len(self.history['updates'])}:", *shown)


def is_streamed(n_bytes: int, n_rows: int) -> bool:
    """Are groups of blocks to be read in memory order before they are visited?"""
    return n_bytes > CACHE and n_bytes / n_rows * GROUP_ROWS <= NEAR


def train(run: Run) -> None:
    """Run epochs until a verdict falls or `max_epochs` is used up."""
    epoch = {"cyclic": cyclic, "shuffle": shuffle, "worst": worst, "active": active}[run.plan.order]
    while run.verdict is None and run.clock["presentations"] < run.budget:
        if run.needs_no_looks():
            several_epochs(run)
            continue
        updates = int(run.clock["updates"])
        run.clock["errors"], run.margin = 0, np.nan
        run.verdict = epoch(run)
        run.record(updates)


def several_epochs(run: Run) -> None:
    """Epochs of `shuffle` on few rows, in one call of compiled code: each takes less time than a call."""
    m, clock = len(run.y), run.clock
    n_left = (run.budget - int(clock["presentations"])) // m
    n_epochs = max(1, min(n_left, run.at_once // m))
    run.at_once = min(2 * run.at_once, AT_ONCE)
    orders = permutations(m, n_epochs, run.before.rng)
    lines, before = np.empty((n_epochs, 3)), int(clock["updates"])
    least = 0.0 if run.before.foreign else run.plan.min_margin * run.typical
    made = sweep_epochs(run.X, run.y, orders, run.max_updates, least, run.rule, run.state, lines)
    updates, errors, bounds = lines[: made - 1].T
    run.history["updates"] += updates.astype(int).tolist()
    run.history["errors"] += errors.astype(int).tolist()
    run.history["margin"] += [np.nan] * (made - 1)
    run.history["margin_bound"] += [np.nan] * (made - 1) if run.before.foreign else bounds.tolist()
    run.margin = np.nan
    run.verdict = run.epoch_verdict(clean=clock["clean"] >= m)
    run.record(before + int(updates.sum()))


def one_pass(run: Run) -> None:
    """Present every row once, in random order if that is the order, else as given."""
    updates = int(run.clock["updates"])
    run.clock["errors"] = 0
    if run.plan.order == "shuffle":
        run.present(run.shuffled())
    else:
        run.present(in_order(run.rows))
    run.verdict = CAPPED if run.capped() else None
    run.record(updates)


def cyclic(run: Run) -> Verdict:
    """The rows as they stand; done after m rows running without a correction, wherever that is."""
    m = len(run.y)
    run.present(in_order(run.rows), stop_clean=NEVER if run.rule.step == PASSIVE_AGGRESSIVE else m)
    return run.epoch_verdict(clean=run.clock["clean"] >= m)


def shuffle(run: Run) -> Verdict:
    """A fresh order each epoch; done after a whole epoch without a correction. (To stop after m clean
    rows, as `cyclic` does, would be wrong: both halves may have left out the same row.)"""
    m = len(run.y)
    run.present(run.shuffled())
    return run.epoch_verdict(clean=run.clock["clean"] >= m)


def worst(run: Run) -> Verdict:
    """A look at all rows, then one correction: of the row furthest below its target. With `tol` it is
    corrected even if it does not violate, until the gap closes (MinOver, Krauth and Mézard)."""
    seen, clock = run.survey(), run.clock
    if not run.rule.always:
        run.margin = np.nan  # it is about to change; with tol the certified moment is this one
    clock["presentations"] += len(run.y)
    clock["errors"] = seen.errors
    if run.rule.always and run.gap_closed():
        return TOL
    presentations, updates = int(clock["presentations"]), int(clock["updates"])
    if seen.worst >= 0 and (seen.violated or run.rule.always):
        run.present(in_order(run.rows[seen.worst : seen.worst + 1]))
        clock["presentations"], clock["errors"] = presentations, seen.errors  # the row is counted already
    idle = bool(clock["updates"] == updates)
    if run.rule.always:
        return STUCK if idle else CAPPED if run.capped() else None
    return run.epoch_verdict(clean=seen.short == 0 if run.rule.step == PASSIVE_AGGRESSIVE else idle)


def active(run: Run) -> Verdict:
    """A full pass, then passes over the rows that score lowest until none of them is corrected.

    On rows that are not separable this never ends, and weights made of the hardest rows are worth little.
    So when half of the budget is gone, or no margin worth looking for is left, what those rows did is taken
    back and all rows are swept.
    """
    m = len(run.y)
    run.present(in_order(run.rows))
    clean = bool(run.clock["clean"] >= m)
    few = max(ACTIVE_ROWS, int(ACTIVE_SHARE * m))
    if not clean and few < m and not run.plain:
        if run.snapshot is None:
            run.snapshot = [part.copy() for part in run.state]
        sweep_lowest(run, few)
        hopeless = run.clock["presentations"] >= run.half or run.has_no_margin()
        if hopeless and not run.capped():
            take_back(run)
    verdict = run.epoch_verdict(clean)
    run.clock["clean"] = 0
    return verdict


def sweep_lowest(run: Run, few: int) -> None:
    """Sweep the lowest rows until none of them is corrected."""
    passes = in_order(np.tile(lowest(excesses(run.X, run.y, run.state), few), ACTIVE_PASSES))
    run.clock["clean"] = 0
    for _ in range(ACTIVE_CALLS):
        run.present(passes, stop_clean=few)
        if run.clock["clean"] >= few or run.clock["presentations"] >= run.half:
            return


def take_back(run: Run) -> None:
    """The state as it was before the first rows were singled out, but for the number of rows presented since,
    which add nothing to the average."""
    presentations, state, clock = int(run.clock["presentations"]), run.state, run.clock
    for part, was in zip(state, run.snapshot or (), strict=True):
        part[...] = was
    if len(state.drift):
        missed = float(presentations - clock["presentations"])
        state.drift[...] += missed * state.w
        state.dual_drift[...] += missed * state.duals
        clock["intercept_drift"] += missed * clock["intercept"]
    clock["presentations"] = presentations
    run.plain, run.snapshot = True, None
    if run.log is not None:
        del run.log[int(run.clock["updates"]) :]


def lowest(values: Array, few: int) -> Array:
    """The places of the `few` smallest values, in ascending order; of equals the first."""
    limit = np.partition(values, few - 1)[few - 1]
    below = values < limit
    below[np.flatnonzero(values == limit)[: few - np.count_nonzero(below)]] = True
    return np.asarray(given(len(values))[below])
