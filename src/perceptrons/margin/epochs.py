"""The loop over sweeps: orders, and when a run ends (Python; the sweep is compiled).

`train` runs the weight vectors of a fit. In the orders "cyclic" and "shuffle" all of them walk the same rows,
and share each while it is in the cache; one that has ended sits out. In "worst" and "active" each chooses
rows of its own. At the end of an epoch a run has a verdict: no row violates; the gap is closed (`tol`); it is
proved that no hyperplane has a margin worth looking for (`min_margin`); stuck, where no row violates but the
gap is open; capped; or none yet.
"""

from collections.abc import Callable, Sequence

import numpy as np

from .._types import Array
from ..rows.layouts import CSR, Rows
from ..rows.order import GROUP_ROWS, Order, given, in_order, permutations, shuffled
from .looks import rows_at_a_time
from .margin_training import Training
from .rules import PASSIVE_AGGRESSIVE
from .run import CAPPED, STUCK, TOL, Run, Verdict
from .sweep import NEVER, excesses, sweep_epochs, sweep_vectors

CACHE = 1 << 24  # bytes; fewer are in the cache anyway, and need no streaming,
NEAR = 1 << 22  # and a group of blocks of more does not stay near enough to be worth it

FIRST, AT_ONCE = 1 << 11, 1 << 15  # rows presented in one call, where epochs are short: more and more
SMALL = 1 << 20  # bytes of rows that all vectors read from the cache, whatever the order

ACTIVE_SHARE = 0.1  # of the rows, those with the lowest scores, are swept between two full passes,
ACTIVE_ROWS = 32  # but at least so many,
ACTIVE_PASSES = 25  # so often in one call of the compiled sweep,
ACTIVE_CALLS = 40  # in so many calls at most


def train(training: Training) -> None:
    """Run epochs until every weight vector has a verdict or has used up `max_epochs`."""
    runs, at_once = training.runs, FIRST
    alone = {"worst": worst, "active": active}.get(runs[0].plan.order)
    if alone is not None:
        training.threads.map(lambda run: train_alone(run, alone), runs)
        return
    while live := [k for k, run in enumerate(runs) if run.goes_on()]:
        few = len(live) == 1 or n_bytes(runs[0].data.X) <= SMALL
        if few and runs[0].needs_no_looks():
            several_epochs(training, live, at_once)
            at_once = min(2 * at_once, AT_ONCE)
        else:
            one_epoch(training, live)


def train_alone(run: Run, epoch: Callable[[Run], Verdict]) -> None:
    """Epochs of a weight vector that chooses its own rows."""
    while run.goes_on():
        updates = run.open_epoch()
        run.verdict = epoch(run)
        run.record(updates)


def one_epoch(training: Training, live: Sequence[int]) -> None:
    """An epoch of the vectors that go on."""
    runs = [training.runs[k] for k in live]
    lower_targets(runs)
    updates, m = [run.open_epoch() for run in runs], len(runs[0].y)
    # Only where rows come as they stand are m rows running without a correction all rows; under fresh
    # permutations both halves may have left out the same row.
    rolling = runs[0].plan.order == "cyclic" and runs[0].rule.step != PASSIVE_AGGRESSIVE
    walk(training, live, next_order(training), m if rolling else NEVER)
    training.threads.map(lambda run: run.close_epoch(), runs)
    for run, before in zip(runs, updates, strict=True):
        run.record(before)


def lower_targets(runs: Sequence[Run]) -> None:
    """Everyday targets are there to make the average better; a row that is right is right enough after some
    epochs, or rows that are separable would take long to be separated."""
    for run in runs:
        if run.aimed_enough():
            run.clock["beta_negative"] = run.clock["beta_positive"] = 0.0


def one_pass(training: Training) -> None:
    """Present every row once to all vectors."""
    updates = [run.open_epoch() for run in training.runs]
    walk(training, range(len(training.runs)), next_order(training), NEVER)
    for run, before in zip(training.runs, updates, strict=True):
        run.verdict = CAPPED if run.capped() else None
        run.record(before)


def next_order(training: Training) -> Order:
    """All rows: in a fresh random order if that is the order, else as they stand."""
    first = training.runs[0]
    if first.plan.order != "shuffle":
        return in_order(first.rows)
    order = shuffled(len(first.y), first.before.rng)
    return order if is_streamed(n_bytes(first.data.X), len(first.y)) else order.without_blocks()


def walk(training: Training, live: Sequence[int], order: Order, stop_clean: int) -> None:
    """Present an order to the vectors that go on: by compiled code, unless Python has a say in each step."""
    runs, signs, states, threads = training
    first, data, m = runs[live[0]], runs[live[0]].data, len(order.rows)
    if first.one_by_one() or first.fetch is not None:
        for k in live:
            runs[k].present(order.rows, stop_clean)
        return
    at_a_time = rows_at_a_time(data.X, m) if len(live) > 1 else GROUP_ROWS if len(order.blocks) else m
    stops = first.max_updates, stop_clean, at_a_time

    def present(vectors: list[int]) -> None:
        sweep_vectors(data.X, signs, data.weights, order, stops, first.rule, states, np.array(vectors))

    threads.map(present, threads.shares([*live]))


def n_bytes(X: Rows) -> int:
    """Of the cells; kernel values are not read row by row."""
    cells = X.data if isinstance(X, CSR) else X
    return cells.nbytes if isinstance(cells, np.ndarray) else 0


def is_streamed(n_bytes: int, n_rows: int) -> bool:
    """Are groups of blocks to be read in memory order before they are visited?"""
    return n_bytes > CACHE and n_bytes / n_rows * GROUP_ROWS <= NEAR


def several_epochs(training: Training, live: Sequence[int], at_once: int) -> None:
    """Epochs of `shuffle` on few rows, in one call of compiled code: each takes less time than a call."""
    runs = [training.runs[k] for k in live]
    m, rng = len(runs[0].y), runs[0].before.rng
    lower_targets(runs)
    n_left = min(run.epochs_alike() for run in runs)
    orders = permutations(m, max(1, min(n_left, at_once // m)), rng)
    training.threads.map(lambda run: walk_orders(run, orders), runs)


def walk_orders(run: Run, orders: Array) -> None:
    """One epoch per order, unless a verdict falls before."""
    m, clock, data = len(run.y), run.clock, run.data
    least = run.least_bound()
    while len(orders) and run.verdict is None:
        lines, before, stops = np.empty((len(orders), 3)), int(clock["updates"]), (run.max_updates, least)
        made = sweep_epochs(data.X, run.y, data.weights, orders, stops, run.rule, run.state, lines)
        updates, errors, bounds = lines[: made - 1].T
        run.lines["updates"] += updates.astype(int).tolist()
        run.lines["errors"] += errors.astype(int).tolist()
        run.lines["margin"] += [np.nan] * (made - 1)
        run.lines["margin_bound"] += [np.nan] * (made - 1) if run.before.foreign else bounds.tolist()
        run.margin = np.nan
        run.verdict = run.epoch_verdict(clean=clock["clean"] >= m)
        run.record(before + int(updates.sum()))
        orders = orders[made:]


def worst(run: Run) -> Verdict:
    """A look at all rows, then one correction: of the row furthest below its target. With `tol` it is
    corrected even if it does not violate, until the gap closes (MinOver, Krauth and Mézard)."""
    seen, clock = run.survey(), run.clock
    if not run.rule.always:
        run.margin = np.nan  # it is about to change; with tol the certified moment is this one
    clock["presentations"] += len(run.y)
    clock["errors"] = seen.errors
    closed = run.rule.always and run.gap_closed()
    corrects = not closed and seen.worst >= 0 and (seen.violated or run.rule.always)
    if run.log is not None:  # the row that is corrected comes last: all were looked at under the same weights
        others = np.delete(run.rows, seen.worst) if corrects else run.rows
        run.log.show(others)
    if closed:
        return TOL
    presentations, updates = int(clock["presentations"]), int(clock["updates"])
    if corrects:
        run.present(run.rows[seen.worst : seen.worst + 1])
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
    run.present(run.rows)
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
    passes = np.tile(lowest(excesses(run.data.X, run.y, run.state), few), ACTIVE_PASSES)
    run.clock["clean"] = 0
    for _ in range(ACTIVE_CALLS):
        run.present(passes, stop_clean=few)
        if run.clock["clean"] >= few or run.clock["presentations"] >= run.half:
            return


def take_back(run: Run) -> None:
    """The state as it was before the first rows were singled out, except for the number of rows presented
    since, which add nothing to the average."""
    presentations, state, clock = int(run.clock["presentations"]), run.state, run.clock
    for part, was in zip(state, run.snapshot or (), strict=True):
        part[...] = was
    if len(state.dual_drift):
        missed = float(presentations - clock["presentations"])
        if len(state.drift):
            state.drift[...] += missed * state.w
        state.dual_drift[...] += missed * state.duals
        clock["intercept_drift"] += missed * clock["intercept"]
    if run.log is not None:
        run.log.cut(int(clock["updates"]), int(clock["presentations"]))
    clock["presentations"] = presentations
    run.plain, run.snapshot = True, None


def lowest(values: Array, few: int) -> Array:
    """The places of the `few` smallest values, in ascending order; of equals the first."""
    limit = np.partition(values, few - 1)[few - 1]
    below = values < limit
    below[np.flatnonzero(values == limit)[: few - np.count_nonzero(below)]] = True
    return np.asarray(given(len(values))[below])
