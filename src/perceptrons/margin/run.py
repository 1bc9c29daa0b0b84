"""One weight vector in training: the state that changes, what is asked of it, and what is kept of the way."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from .._types import Array
from ..checks import number
from ..compiled import Threads
from ..rows.encode import Encoded
from ..rows.layouts import Gram
from ..rows.order import FEW, given
from ..theory.certificate import lifted_norm
from .kernel_values import kernel_norm
from .looks import Look, look_at
from .margin_parameters import AIMED_EPOCHS, FEWEST_EPOCHS, MarginParameters
from .memory import Memory, Model, Pocket, remember
from .rules import PASSIVE_AGGRESSIVE, Rule
from .sweep import NEVER, State, survey, sweep

CONVERGED, TOL, MIN_MARGIN, CAPPED, STUCK = "converged", "tol", "min_margin", "max_updates", "stuck"
SUCCESS = (CONVERGED, TOL)
Verdict = str | None

AHEAD = 1024  # places of an order looked at for rows to be fetched together,
TOGETHER = 256  # and the most of them that are fetched in one call


class Overflowed(ValueError):
    """Weights that are infinite, or NaN."""


class Survey(NamedTuple):
    """What `sweep.survey` returns, by name."""

    worst: int
    violated: bool
    short: int
    low: float
    errors: int
    lost: float


class Entry(NamedTuple):
    """A correction, as it is logged: w ← w + step·y·x of that row, which did not exceed beta."""

    row: int
    step: float
    beta: float
    presented: int  # rows logged as presented by then, its own included
    ball: float = 0.0  # of ALMA, after it, its radius


@dataclass
class Log:
    """Every correction of a run and, if `every`, all rows presented, in their order."""

    every: bool
    entries: list[Entry] = field(default_factory=list)
    shown: list[Array] = field(default_factory=list)
    n_shown: int = 0

    def show(self, rows: Array) -> None:
        if self.every and len(rows):
            self.shown.append(rows)
            self.n_shown += len(rows)

    def cut(self, n_entries: int, n_shown: int) -> None:
        """Keep only this number of them, the first ones."""
        del self.entries[n_entries:]
        if self.every:
            self.shown = [np.concatenate(self.shown)[:n_shown]]
            self.n_shown = n_shown


def extended(past: Array, lines: list[float]) -> Array:
    """A column of history, and what is new."""
    new = np.array(lines, past.dtype)
    return np.concatenate([past, new]) if len(past) else new


@dataclass
class Run:
    """One training run: the rows, the rule, what went before, and the state that changes."""

    data: Encoded
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
    log: Log | None = None  # every correction, if it is asked for
    looks: list[Look] = field(default_factory=list)  # at the end, at the last weights and at their average

    def __post_init__(self) -> None:
        self.lines: dict[str, list[float]] = {name: [] for name in self.before.history}  # of history
        self.pocket = self.before.pocket
        self.rows = given(len(self.y))
        start, most = int(self.clock["presentations"]), self.plan.max_epochs * self.n_rows
        self.half, self.budget = start + most // 2, start + most
        self.max_updates = NEVER if self.plan.max_updates is None else min(self.plan.max_updates, NEVER)

    @property
    def n_rows(self) -> int:
        """Of an epoch."""
        return len(self.y)

    @property
    def clock(self) -> Any:
        """The one record of the clock; reading and writing go to the state."""
        return self.state.clock[0]

    def goes_on(self) -> bool:
        return self.verdict is None and bool(self.clock["presentations"] < self.budget)

    def epochs_alike(self) -> int:
        """How many epochs are left of the budget, or until `least_bound` rises or the target falls."""
        made, m = int(self.clock["presentations"]), self.n_rows
        turns = (FEWEST_EPOCHS * m, AIMED_EPOCHS * m) if self.plan.everyday else ()
        return int(min(end - made for end in (self.budget, *turns) if end > made) // m)

    def aimed_enough(self) -> bool:
        """Have rows been corrected for long enough that were right, but short of the target?"""
        return self.plan.everyday and bool(self.clock["presentations"] >= AIMED_EPOCHS * self.n_rows)

    def least_bound(self) -> float:
        """Below this bound there is no margin worth looking for; 0 where nothing is to be given up yet."""
        early = self.plan.everyday and self.clock["presentations"] < FEWEST_EPOCHS * self.n_rows
        return 0.0 if early or self.before.foreign else self.plan.min_margin * self.typical

    def memory(self) -> Memory:
        memory = self.remembered()
        stopped = CONVERGED if self.verdict == STUCK else self.verdict or "max_epochs"
        averaged = stopped not in SUCCESS or self.prefers_average()
        history = {name: extended(past, self.lines[name]) for name, past in self.before.history.items()}
        return memory._replace(history=history, pocket=self.pocket, stopped=stopped, averaged=averaged)

    def remembered(self) -> Memory:
        """The rows used, beside what went before."""
        return remember(self.before, self.state, self.y, self.data)

    def may_average(self) -> bool:
        """Can the average be what is returned, after training has converged?"""
        asked = self.rule.asks_for_margin() and not self.plan.everyday
        plain = self.plan.tol is None and not asked
        return self.plan.result == "average" or (self.plan.result == "auto" and plain)

    def prefers_average(self) -> bool:
        """What `result="auto"` returns. The average generalizes better than the last weights (Freund and
        Schapire); but weights that separate the rows are not given up for an average that does not, nor
        weights that were asked for with a margin."""
        return len(self.looks) > 1 and self.looks[1].low > 0.0

    def look(self) -> Look | None:
        """A look at the weights that are returned, lent to the certificate; None if there was none."""
        if not self.looks or self.plan.result == "pocket":
            return None
        averaged = self.plan.result == "average" or (self.plan.result == "auto" and self.prefers_average())
        return self.looks[averaged]

    def look_at_end(self) -> None:
        """After an epoch without a correction nothing changes any more: one look at the last weights and, if
        it may be returned, at their average."""
        memory = self.memory()
        models = [memory.last(), memory.average()] if self.may_average() else [memory.last()]
        self.looks = self.looks_at(models)
        norm = self.norm()
        self.margin = self.looks[0].low / norm if norm > 0 else np.nan

    def looks_at(self, models: list[Model]) -> list[Look]:
        """A look at all rows by these weights."""
        return look_at(
            self.data.X,
            np.stack([self.y] * len(models)),
            np.stack([model.w for model in models]),
            np.array([model.b for model in models]),
            np.flatnonzero(self.state.duals > 0.0),
            np.stack([model.duals for model in models]),
            Threads(),
        )

    def norm(self) -> float:
        """‖w‖ in lifted space."""
        rho, b = np.sqrt(self.rule.rho_squared), self.clock["intercept"]
        if isinstance(self.data.X, Gram):
            norm = kernel_norm(self.state.duals * self.y, self.state.w, self.data.X.diagonal)
            return lifted_norm(np.array([norm.value]), b, rho)
        return lifted_norm(self.state.w.astype(np.float64), b, rho)

    def capped(self) -> bool:
        return bool(self.clock["updates"] >= self.max_updates)

    def one_by_one(self) -> bool:
        """Is each correction to be computed, or logged, by Python?"""
        return self.plan.eta is not None or self.log is not None

    def present(self, rows: Array, stop_clean: int = NEVER) -> None:
        """Sweep over these rows, pausing for each step that Python must compute or log, and for rows that
        must be fetched."""
        while len(rows) and not self.capped() and self.clock["clean"] < stop_clean:
            updates = int(self.clock["updates"])
            betas = float(self.clock["beta_negative"]), float(self.clock["beta_positive"])
            scale = float(self.clock["scale"])
            stop = updates + 1 if self.one_by_one() else self.max_updates
            rule, data = self.rule_of(updates + 1), self.data
            made = sweep(data.X, self.y, data.weights, rows, stop, stop_clean, rule, self.state)
            if self.log is not None:
                self.log.show(rows[:made])
            if self.log is not None and self.clock["updates"] > updates:
                row = int(rows[made - 1])
                step, ball = float(self.clock["step"]), float(self.clock["ball"])
                beta = betas[int(self.y[row] > 0)]
                if ball > 0.0:  # the target is that of a row of norm 1, and τ = η·scale/norm
                    beta *= rule.eta * scale * data.weight(row) / step
                self.log.entries.append(Entry(row, step, beta, self.log.n_shown, ball))
            rows = rows[made:]
            if self.fetch is not None and len(rows):
                self.fetch(self.soon(rows))

    def rule_of(self, update: int) -> Rule:
        """The rule of that correction, its step from the user's function if there is one."""
        if self.plan.eta is None:
            return self.rule
        eta = number(f"eta({update})", self.plan.eta(update), "(0, inf)", "fix eta")
        return self.rule._replace(eta=float(eta))

    def soon(self, order: Array) -> Array:
        """The next rows that will be corrected if nothing changes until then; not many more than have been
        corrected so far, because corrections change that."""
        rows, clock = order[:AHEAD], self.clock
        y = self.y[rows]
        betas = self.rule.longest * np.where(y > 0, clock["beta_positive"], clock["beta_negative"])
        calm = y * (self.state.w[rows] + clock["intercept"]) > betas
        limit = min(TOGETHER, 8 + int(clock["updates"]))
        return np.asarray(rows[~calm | self.rule.always][:limit])

    def survey(self) -> Survey:
        """Look at all rows under the present weights."""
        seen = self.surveyed()
        norm = self.norm()
        self.margin = seen.low / norm if norm > 0 else np.nan
        return seen

    def surveyed(self) -> Survey:
        """What there is to see."""
        return Survey(*survey(self.data.X, self.y, self.data.weights, self.rule, self.state))

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
        if clean and self.ends_by_itself() and not self.capped():
            self.look_at_end()
            return CONVERGED
        seen = self.survey() if clean or self.plan.tol is not None else None
        if self.gap_closed():
            return TOL
        if self.capped():
            return CAPPED
        if clean and seen and (self.rule.step != PASSIVE_AGGRESSIVE or seen.short == 0):
            return CONVERGED if self.plan.tol is None else STUCK
        return MIN_MARGIN if self.has_no_margin() else None

    def open_epoch(self) -> int:
        """Returns how many corrections there have been."""
        self.clock["errors"], self.margin = 0, np.nan
        return int(self.clock["updates"])

    def close_epoch(self) -> None:
        """After all rows were presented once."""
        self.verdict = self.epoch_verdict(clean=self.clock["clean"] >= self.n_rows)

    def ends_by_itself(self) -> bool:
        """Is an epoch without a correction the end, whatever the scores are?"""
        plain = self.plan.tol is None and self.rule.step != PASSIVE_AGGRESSIVE
        return plain and not isinstance(self.data.X, Gram)

    def has_no_margin(self) -> bool:
        """Is it proved that no hyperplane has a margin worth looking for?"""
        return bool(self.margin_bound(self.norm()) < self.least_bound())

    def needs_no_looks(self) -> bool:
        """Is nothing asked for between epochs, and are they short?"""
        plan, few = self.plan, len(self.y) <= FEW
        plain = plan.order == "shuffle" and plan.tol is None and plan.result != "pocket" and not plan.verbose
        return few and plain and not self.one_by_one() and self.fetch is None

    def record(self, updates_before: int) -> None:
        """Write the epoch's line of history; look into the pocket."""
        norm, clock = self.norm(), self.clock
        if not np.isfinite(norm):
            raise Overflowed(
                "The weights overflowed. Scale the columns (StandardScaler), or lower eta or margin."
            )
        line = {
            "updates": max(0, int(clock["updates"]) - updates_before),  # some may have been taken back
            "errors": int(clock["errors"]),
            "margin": self.margin,
            "margin_bound": self.margin_bound(norm),
        }
        for name, value in line.items():
            self.lines[name].append(value)
        if self.plan.result == "pocket":
            lost, margin = self.survey().lost, self.margin
            if self.pocket is None or self.pocket.beaten_by(lost, margin):
                last = self.memory().last()
                self.pocket = Pocket(lost, margin, last._replace(w=last.w.copy()))
        if self.plan.verbose:
            shown = (f"{name} {value:.6g}" for name, value in line.items())
            print(f"epoch {len(self.before.history['updates']) + len(self.lines['updates'])}:", *shown)
