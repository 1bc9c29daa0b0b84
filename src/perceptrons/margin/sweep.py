# mypy: allow-untyped-defs, allow-untyped-calls
"""The compiled part: one sweep over the rows, in a given order, correcting as it goes."""

import math
from typing import NamedTuple

import numpy as np

from .._types import Array
from ..compiled import compiled
from ..rows.layouts import add, dot, ready, sqnorm, stream_group
from ..rows.order import GROUP_ROWS, Order
from .rules import PASSIVE_AGGRESSIVE, SLACK, advance, step_size, violates

NEVER = 2**62  # a count that is not reached


class State(NamedTuple):
    """What a sweep changes. The last two may be empty: then the average is not kept."""

    w: Array
    duals: Array  # a_i ≥ 0, with w = Σ a_i y_i x_i
    clock: Array  # one record, see `rules.CLOCK`
    drift: Array  # Σ (presentations before a correction)·(what it added to w)
    dual_drift: Array


@compiled
def sweep(X, y, order, start, stop_updates, stop_clean, rule, state):
    """Present the rows of an order from `start` on, correcting those that violate; returns where it stopped.

    It stops early after `stop_updates` corrections in all, after `stop_clean` rows running that needed
    none, or before a row that is to be corrected but is not ready. Groups of blocks are read beforehand.
    """
    w, duals, clock, drift = state.w, state.duals, state.clock[0], state.drift
    b, beta_negative, beta_positive = clock["intercept"], clock["beta_negative"], clock["beta_positive"]
    presented = clock["presentations"] - start  # + position: rows presented in all
    first_clean = start - clock["clean"]  # where the rows that needed no correction begin
    n_visits = order.rows.size
    next_group = start if order.blocks.size > 0 and start % GROUP_ROWS == 0 else n_visits
    stop = min(n_visits, first_clean + stop_clean)
    position = start
    while position < stop:
        if position == next_group:
            clock["echo"] = stream_group(X, order.blocks, position // GROUP_ROWS)
            next_group += GROUP_ROWS
        i = order.rows[position]
        label = y[i]
        reach = label * (dot(X, i, w) + b)
        beta = beta_positive if label > 0 else beta_negative
        position += 1
        if reach > beta and not rule.always:
            continue
        if not ready(X, i):
            position -= 1
            break
        if reach < 0.0 or (reach == 0.0 and label > 0):
            clock["errors"] += 1
        q = sqnorm(X, i) + rule.rho_squared
        if q == 0.0 or not (rule.always or violates(reach, beta, label, rule)):
            continue  # q = 0: a row of zeros without intercept, which no step can help
        tau = step_size(reach, beta, q, label, rule)
        if tau <= 0.0:
            continue  # `always`, and the row is already beyond what the rule aims at
        add(X, i, tau * label, w)
        b += tau * label * rule.rho_squared
        duals[i] += tau
        if drift.size:
            late = float(presented + position - 1) * tau
            add(X, i, late * label, drift)
            clock["intercept_drift"] += late * label * rule.rho_squared
            state.dual_drift[i] += late
        clock["updates"] += 1
        clock["step"] = tau
        clock["steps"] += tau
        advance(clock, q, rule)
        beta_negative, beta_positive = clock["beta_negative"], clock["beta_positive"]
        if rule.step != PASSIVE_AGGRESSIVE or reach < (1.0 - SLACK) * beta:
            first_clean = position
            stop = min(n_visits, first_clean + stop_clean)
        if clock["updates"] == stop_updates:
            break
    clock["presentations"] = presented + position
    clock["intercept"], clock["clean"] = b, position - first_clean
    return position


@compiled
def sweep_epochs(X, y, orders, stop_updates, least_bound, rule, state, lines):
    """Whole epochs, one per order; a line for each: updates, errors, the bound on all margins.

    Returns how many were made. The last is one without a correction, one after which the bound is below
    `least_bound` or the weights have overflowed, one in which `stop_updates` was reached, or that of the last
    order.
    """
    clock, nothing = state.clock[0], orders[0, :0]
    for e in range(orders.shape[0]):
        before, clock["errors"] = clock["updates"], 0
        sweep(X, y, Order(orders[e], nothing), 0, stop_updates, NEVER, rule, state)
        lines[e, 0], lines[e, 1] = clock["updates"] - before, clock["errors"]
        lines[e, 2] = np.inf
        if clock["steps"] > 0.0:
            lines[e, 2] = lifted_length(state.w, clock["intercept"], rule.rho_squared) / clock["steps"]
        clean, capped = clock["clean"] >= y.size, clock["updates"] >= stop_updates
        if clean or capped or not lines[e, 2] >= least_bound or (lines[e, 2] == np.inf and e > 0):
            return e + 1
    return orders.shape[0]


@compiled
def lifted_length(w, b, rho_squared):
    """‖(w, b/ρ)‖; scaled, because squares of small numbers vanish."""
    last = abs(b) / math.sqrt(rho_squared) if rho_squared > 0.0 else 0.0
    scale = last
    for j in range(w.size):
        scale = max(scale, abs(float(w[j])))
    if scale == 0.0 or not np.isfinite(scale):
        return scale
    total = (last / scale) ** 2
    for j in range(w.size):
        total += (float(w[j]) / scale) ** 2
    return scale * math.sqrt(total)


@compiled
def excesses(X, y, state):
    """y·score − β of every row."""
    clock = state.clock[0]
    excess = np.empty(y.size)
    for i in range(y.size):
        beta = clock["beta_positive"] if y[i] > 0 else clock["beta_negative"]
        excess[i] = y[i] * (dot(X, i, state.w) + clock["intercept"]) - beta
    return excess


@compiled
def survey(X, y, rule, state):
    """Look at all rows under fixed weights. Returns the row furthest below its target (of equals one
    that violates comes first: at score 0 the class may decide), whether it violates, how many rows fall
    short of (1 − SLACK)·β, the smallest y·score, and how many rows are on the wrong side.
    """
    clock = state.clock[0]
    worst, worst_violates, excess, short, low, errors = -1, False, np.inf, 0, np.inf, 0
    for i in range(y.size):
        label = y[i]
        reach = label * (dot(X, i, state.w) + clock["intercept"])
        beta = clock["beta_positive"] if label > 0 else clock["beta_negative"]
        low = min(low, reach)
        errors += reach < 0.0 or (reach == 0.0 and label > 0)
        if reach < (1.0 - SLACK) * beta and sqnorm(X, i) + rule.rho_squared > 0.0:
            short += 1
        if reach - beta < excess or (reach - beta == excess and not worst_violates):
            violated = violates(reach, beta, label, rule)
            if (reach - beta < excess or violated) and sqnorm(X, i) + rule.rho_squared > 0.0:
                worst, worst_violates, excess = i, violated, reach - beta
    return worst, worst_violates, short, low, errors
