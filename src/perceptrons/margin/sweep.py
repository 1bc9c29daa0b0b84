# mypy: allow-untyped-defs, allow-untyped-calls
"""The compiled part: one sweep over the rows, in a given order, correcting as it goes."""

import math
from typing import NamedTuple

import numpy as np

from .._types import Array
from ..compiled import compiled, inlined, text_for
from ..rows.layouts import Gram, add, dot, is_layout, ready, sqnorm, stream_group
from ..rows.order import GROUP_ROWS
from .rules import ALMA, KNOWN, PASSIVE_AGGRESSIVE, SLACK, advance, measure, step_size, violates, widen

NEVER = 2**62  # a count that is not reached


class State(NamedTuple):
    """What a sweep changes; stacked, a line for each weight vector. The last two may be empty: then the
    average is not kept. `drift` alone is empty for kernel rows, whose scores follow from the duals."""

    w: Array
    duals: Array  # a_i ≥ 0, with w = Σ a_i y_i x_i
    clock: Array  # one record, see `rules.CLOCK`
    drift: Array  # Σ (presentations before a correction)·(what it added to w)
    dual_drift: Array


@compiled
def sweep(X, y, weights, rows, stop_updates, stop_clean, rule, state):
    """Present these rows one after the other, correcting those that violate; returns how many it presented.

    It stops early after `stop_updates` corrections in all, after `stop_clean` rows running that needed
    none, or before a row that is to be corrected but is not ready. A row's weight multiplies its step;
    without `weights` each row counts 1.
    """
    w, duals, clock, drift = state.w, state.duals, state.clock[0], state.drift
    b, unit = clock["intercept"], rule.longest
    beta_negative, beta_positive = clock["beta_negative"] * unit, clock["beta_positive"] * unit
    presented = clock["presentations"]  # + position: rows presented in all
    first_clean = -clock["clean"]  # where the rows that needed no correction begin
    stop = min(rows.size, first_clean + stop_clean) if clock["updates"] < stop_updates else 0
    position = 0
    while position < stop:
        i = int(np.int64(rows[position]))  # as everywhere else, so that nothing is compiled twice
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
        if rule.step == ALMA:
            beta *= math.sqrt(q) / unit
        if q == 0.0 or not (rule.always or violates(reach, beta, label, rule)):
            continue  # q = 0: a row of zeros without intercept, which no step can help
        tau = step_size(reach, beta, q, label, rule, clock["scale"])
        if tau <= 0.0:
            continue  # `always`, and the row is already beyond what the rule aims at
        if weights.size:
            tau *= weights[i]
        add(X, i, tau * label, w)
        b += tau * label * rule.rho_squared
        duals[i] += tau
        if state.dual_drift.size:
            late = float(presented + position - 1) * tau
            if drift.size:
                add(X, i, late * label, drift)
            clock["intercept_drift"] += late * label * rule.rho_squared
            state.dual_drift[i] += late
        clock["updates"] += 1
        clock["step"] = tau
        clock["steps"] += tau
        if rule.margin >= KNOWN:
            measure(clock, reach, tau, q)
            if rule.step == ALMA:
                b = keep_in_range(clock, w, duals, b)
        advance(clock, q, rule)
        beta_negative, beta_positive = clock["beta_negative"] * unit, clock["beta_positive"] * unit
        if rule.step != PASSIVE_AGGRESSIVE or reach < (1.0 - SLACK) * beta:
            first_clean = position
            stop = min(rows.size, first_clean + stop_clean)
        if clock["updates"] == stop_updates:
            break
    clock["presentations"] = presented + position
    clock["intercept"], clock["clean"] = b, position - first_clean
    return position


@inlined
def keep_in_range(clock, w, duals, b):
    """Widen ALMA's ball; where numbers have become large, multiply them all. Returns the intercept."""
    factor = widen(clock)
    if factor != 1.0:
        for j in range(w.size):
            w[j] *= factor
        for i in range(duals.size):
            duals[i] *= factor
    return b * factor


@compiled
def sweep_vectors(X, signs, weights, order, stops, rule, states, vectors):
    """Present all rows of an order to these weight vectors, some rows at a time: they are read once, and are
    still in the cache when the next vector comes. `states` are stacked, one line per vector.

    stops : as in `sweep`, after which a vector sits out; and how many rows at a time. Groups of blocks are
    read beforehand.
    """
    stop_updates, stop_clean, at_a_time = stops
    for start in range(0, order.rows.size, at_a_time):
        if order.blocks.size > 0 and start % GROUP_ROWS == 0:
            states.clock[vectors[0]]["echo"] = stream_group(X, order.blocks, start // GROUP_ROWS)
        rows = order.rows[start : min(start + at_a_time, order.rows.size)]
        for k in vectors:
            state = State(
                states.w[k], states.duals[k], states.clock[k : k + 1], states.drift[k], states.dual_drift[k]
            )
            sweep(X, signs[k], weights, rows, stop_updates, stop_clean, rule, state)


@compiled
def sweep_epochs(X, y, weights, orders, stops, rule, state, lines):
    """Whole epochs, one per order; a line for each: updates, errors, the bound on all margins.

    Returns how many were made. The last is one without a correction, one after which the bound is below the
    second of `stops` or the weights have overflowed, one in which as many updates are reached as the first
    says, or that of the last order.
    """
    clock, (stop_updates, least_bound) = state.clock[0], stops
    for e in range(orders.shape[0]):
        before, clock["errors"] = clock["updates"], 0
        sweep(X, y, weights, orders[e], stop_updates, NEVER, rule, state)
        lines[e, 0], lines[e, 1] = clock["updates"] - before, clock["errors"]
        lines[e, 2] = np.inf
        if clock["steps"] > 0.0:
            lines[e, 2] = length(X, y, state, rule) / clock["steps"]
        clean, capped = clock["clean"] >= y.size, clock["updates"] >= stop_updates
        if clean or capped or not lines[e, 2] >= least_bound or (lines[e, 2] == np.inf and e > 0):
            return e + 1
    return orders.shape[0]


def length(X, y, state, rule):
    """‖(w, b/ρ)‖; of kernel rows ‖w‖² = Σ a_i y_i·(the score of row i)."""
    b = state.clock[0]["intercept"]
    if not isinstance(X, Gram):
        return lifted_length(state.w, b, rule.rho_squared)
    squared = np.maximum(0.0, (state.duals * y * state.w).sum())  # which keeps NaN
    return lifted_length(np.sqrt(np.array([squared])), b, rule.rho_squared)


@text_for(length)
def _length(X, y, state, rule):
    if not is_layout(X, Gram):

        def of_weights(X, y, state, rule):
            return lifted_length(state.w, state.clock[0]["intercept"], rule.rho_squared)

        return of_weights

    def of_scores(X, y, state, rule):
        squared = 0.0
        for i in range(y.size):
            squared += state.duals[i] * y[i] * state.w[i]
        root = np.full(1, 0.0 if squared < 0.0 else math.sqrt(squared))
        return lifted_length(root, state.clock[0]["intercept"], rule.rho_squared)

    return of_scores


@inlined
def lifted_length(w, b, rho_squared):
    """‖(w, b/ρ)‖; scaled, because squares of small numbers vanish."""
    last = abs(b) / math.sqrt(rho_squared) if rho_squared > 0.0 else 0.0
    scale = last
    for j in range(w.size):
        scale = max(scale, abs(float(w[j])))
    if scale == 0.0 or not np.isfinite(scale):
        return scale
    share = last / scale
    total = share * share
    for j in range(w.size):
        share = float(w[j]) / scale
        total += share * share
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
def scores_of_rows(X, rows, w, b):
    """⟨w, x⟩ + b, of these rows."""
    scores = np.empty(rows.size)
    for k in range(rows.size):
        scores[k] = dot(X, rows[k], w) + b
    return scores


@compiled
def survey(X, y, weights, rule, state):
    """Look at all rows under fixed weights. Returns the row furthest below its target (of equals one
    that violates comes first: at score 0 the class may decide), whether it violates, how many rows fall
    short of (1 − SLACK)·β, the smallest y·score, how many rows are on the wrong side, and their weight.
    """
    clock = state.clock[0]
    worst, worst_violates, excess, short, low, errors, lost = -1, False, np.inf, 0, np.inf, 0, 0.0
    for i in range(y.size):
        label = y[i]
        reach = label * (dot(X, i, state.w) + clock["intercept"])
        beta = clock["beta_positive"] if label > 0 else clock["beta_negative"]
        low = min(low, reach)
        if reach < 0.0 or (reach == 0.0 and label > 0):
            errors += 1
            lost += weights[i] if weights.size else 1.0
        if reach < (1.0 - SLACK) * beta and sqnorm(X, i) + rule.rho_squared > 0.0:
            short += 1
        if reach - beta < excess or (reach - beta == excess and not worst_violates):
            violated = violates(reach, beta, label, rule)
            if (reach - beta < excess or violated) and sqnorm(X, i) + rule.rho_squared > 0.0:
                worst, worst_violates, excess = i, violated, reach - beta
    return worst, worst_violates, short, low, errors, lost
