# mypy: allow-untyped-defs, allow-untyped-calls
"""Whole points for rules, of least logistic loss: a risk scorecard.

    minimize  Σ p_r ln(1 + exp(−y_r (u t_r + b))) + α/2 u² ‖z‖²,   t = Xᵀz,   z whole, |z_j| ≤ P

over the points z, the unit u > 0 of a point, and b. Fitted weights, times some factors, are rounded; then one
point more or less, or another rule instead of one, as long as that lowers the loss (after FasterRisk: Liu,
Zhong, Li, Seltzer, Rudin, 2022, who choose factors and rounding otherwise, and have no conjunctions). As t
takes few values, the best u and b follow from two histograms, and so every step is judged at its own best.
"""

import numpy as np

from .._types import Array
from ..compiled import compiled, inlined
from ..rows.layouts import dot

FACTORS = (1.0, 0.7, 0.45, 0.25)  # of the largest that keeps all points within P
ABOVE = (
    1e-9  # by which halves are above: the largest weight is half a point at 0.7 · 5, but for its last bits
)
MOVES = 100
CANDIDATES = 8  # rules that may take the place of another
STEPS = 12  # of Newton's method for u and b
CLOSE = 1e-7  # of the loss: two losses that differ by less count as equal


def rounded(
    X: Array,
    up: Array,
    down: Array,
    weights: Array,
    bias: float,
    most: int,
    alpha: float,
    own: Array,
    kept: Array,
) -> tuple[Array, Array]:
    """The points of each rule, and u, b and the loss. `up` are the weights of the rows of the class, `down`
    those of the others; rules whose weight is 0 may take the place of others. `own` are the signs that points
    must have, 0 for either; rules that are `kept` have some."""
    best, found = np.zeros(len(X), np.int64), np.array([0.0, bias, np.inf])
    largest = np.abs(weights).max(initial=0.0)
    if largest == 0.0:
        found[2] = line_of(np.zeros(up.size, np.int64), X, -1, 0, -1, 0, up, down, 0.0, found)
        return best, found
    for factor in FACTORS:
        scale = factor * most / largest
        points = np.rint(weights * scale * (1.0 + ABOVE)).astype(np.int64)
        points = np.where(kept & (points == 0), np.sign(weights).astype(np.int64), points)
        if points.any():
            line = np.array([1.0 / scale, bias, 0.0])
            improve(X, up, down, points, most, alpha, line, False, own, kept)
            if line[2] < found[2] * (1.0 - CLOSE):  # the same card in smaller points has the same loss
                best, found = points, line
    improve(X, up, down, best, most, alpha, found, True, own, kept)
    if found[0] < 0.0:
        best, found[0] = -best, -found[0]
        best[own * best < 0] = 0
    shared = np.gcd.reduce(best)
    if shared > 1:
        best, found[0] = best // shared, found[0] * shared
    return best, found


@compiled
def improve(X, up, down, points, most, alpha, line, swap, own, kept):
    """Change points by one, or, if `swap`, give those of a rule to another, as long as the loss falls."""
    totals, none, by_none = np.zeros(up.size, np.int64), np.int64(-1), np.int64(0)
    for j in range(points.size):
        add_points(totals, X, j, points[j])
    squares = squares_of(points)
    line[2] = line_of(totals, X, none, by_none, none, by_none, up, down, alpha * squares, line)
    trial, better, free = np.zeros(3), np.zeros(3), squares_of(own) == 0
    for _ in range(MOVES):
        one, by, other, gets = none, by_none, none, by_none  # a rule, its change, another rule, its points
        better[2], least = line[2], CLOSE * line[2]  # of equal moves the first, whatever their last bits
        others = promising(X, up, down, points, totals, line, CANDIDATES if swap else 0)
        for j in range(points.size):
            if points[j] == 0:
                continue
            for step in (-1, 1):
                if abs(points[j] + step) <= most and not (kept[j] and points[j] + step == 0):
                    norm = alpha * (squares + 2 * step * points[j] + 1)
                    copy_line(trial, line)
                    trial[2] = line_of(totals, X, j, step, none, by_none, up, down, norm, trial)
                    if trial[2] < better[2] - least and (trial[0] > 0.0 or free):
                        one, by, other, gets = j, step, none, by_none  # type: ignore[assignment]
                        copy_line(better, trial)
            for k in others:
                for z in (-points[j], points[j]):
                    if kept[j] or own[k] * z < 0:
                        continue
                    copy_line(trial, line)
                    trial[2] = line_of(totals, X, j, -points[j], k, z, up, down, alpha * squares, trial)
                    if trial[2] < better[2] - least and (trial[0] > 0.0 or free):
                        one, by, other, gets = j, -points[j], k, z  # type: ignore[assignment]
                        copy_line(better, trial)
        if one < 0:
            return
        points[one] += by
        add_points(totals, X, one, by)
        if other >= 0:
            points[other] = gets
            add_points(totals, X, other, gets)
        squares = squares_of(points)
        copy_line(line, better)


@compiled
def add_points(totals, X, j, points):
    """Loops, here and below: assignments to slices take Numba seconds to compile."""
    if points != 0:
        for i in range(totals.size):
            totals[i] += points * np.int64(X[j, i])


@inlined
def squares_of(points):
    total = 0
    for z in points:
        total += z * z
    return total


@compiled
def copy_line(target, source):
    for k in range(target.size):
        target[k] = source[k]


@inlined
def promising(X, up, down, points, totals, line, most):
    """Of the rules without points, those along which the loss falls fastest, the first among equals first."""
    order, slopes = np.empty(min(most, len(X)), np.int64), np.empty(totals.size)
    if most == 0:
        return order
    for i in range(totals.size):
        s = 1.0 / (1.0 + np.exp(-max(min(line[0] * totals[i] + line[1], 700.0), -700.0)))
        slopes[i] = up[i] * (1.0 - s) - down[i] * s
    gains = np.full(len(X), -1.0)
    for k in range(len(X)):
        if points[k] == 0:
            gains[k] = abs(dot(X, k, slopes))
    for n in range(order.size):
        place = 0
        for k in range(len(X)):
            if gains[k] > gains[place]:
                place = k
        if gains[place] < 0.0:
            return order[:n]
        order[n], gains[place] = place, -1.0
    return order


@compiled
def line_of(totals, X, one, by, other, gets, up, down, norm, line):
    """Write the best u and b, from those in `line` on, for these totals after two rules have changed their
    points; return the loss."""
    low, high = np.int64(0), np.int64(0)
    moved = np.empty(totals.size, np.int64)
    for i in range(totals.size):
        total = totals[i]
        if one >= 0:
            total += by * np.int64(X[one, i])
        if other >= 0:
            total += gets * np.int64(X[other, i])
        moved[i] = total
        low, high = min(low, total), max(high, total)
    positive, negative = np.zeros(high - low + 1), np.zeros(high - low + 1)
    for i in range(totals.size):
        positive[moved[i] - low] += up[i]
        negative[moved[i] - low] += down[i]
    u, b, loss = line[0], line[1], np.inf
    for _ in range(STEPS):
        now, gu, gb, huu, hub, hbb = slopes_at(positive, negative, low, u, b, norm)
        if now > loss:  # too far
            u, b = (u + line[0]) / 2.0, (b + line[1]) / 2.0
            continue
        done = loss - now <= 1e-10 * now
        line[0], line[1], loss = u, b, now
        if done:
            break
        det = huu * hbb - hub * hub
        u -= (hbb * gu - hub * gb) / det
        b -= (huu * gb - hub * gu) / det
    return loss


@inlined
def slopes_at(positive, negative, low, u, b, norm):
    """The loss of the line u·t + b, and its first and second derivatives."""
    loss, gu, gb = 0.5 * norm * u * u, norm * u, 1e-9 * b
    huu, hub, hbb = norm + 1e-9, 0.0, 1e-9
    for c in range(positive.size):
        weight = positive[c] + negative[c]
        if weight > 0.0:
            t = c + low
            f = u * t + b
            tail = np.exp(-abs(f))
            s = 1.0 / (1.0 + tail) if f >= 0.0 else tail / (1.0 + tail)
            loss += weight * np.log1p(tail) + positive[c] * max(-f, 0.0) + negative[c] * max(f, 0.0)
            g, h = weight * s - positive[c], weight * s * (1.0 - s)
            gu, gb = gu + g * t, gb + g
            huu, hub, hbb = huu + h * t * t, hub + h * t, hbb + h
    return loss, gu, gb, huu, hub, hbb
