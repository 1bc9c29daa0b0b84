"""Plain twins of rules learned together: the path's optimum, weights with a ridge, the choice of a size, and
what literals and pairs gain."""

from itertools import product
from math import exp, log1p, sqrt


def loss_of(score, sign):
    margin = sign * score
    return log1p(exp(-abs(margin))) + max(-margin, 0.0)


def total_loss(columns, signs, weights, w, b):
    return sum(
        p * loss_of(b + sum(v for v, x in zip(w, row, strict=True) if x), y)
        for row, y, p in zip(columns, signs, weights, strict=True)
    )


def slopes_of(rows, signs, weights, w, b):
    """For each row, minus the derivative of the loss by its score."""
    found = []
    for row, y, p in zip(rows, signs, weights, strict=True):
        score = b + sum(v for v, x in zip(w, row, strict=True) if x)
        found.append(y * p / (1.0 + exp(y * score)))
    return found


def violation(rows, signs, weights, w, b, penalties):
    """By how much the conditions of an L1 optimum are violated: no slope of a weight of 0 exceeds its
    penalty, the others equal it, and the constant has none."""
    slopes = slopes_of(rows, signs, weights, w, b)
    worst = abs(sum(slopes))
    for j, penalty in enumerate(penalties):
        gain = sum(s for s, row in zip(slopes, rows, strict=True) if row[j])
        if w[j]:
            worst = max(worst, abs(gain - (penalty if w[j] > 0 else -penalty)))
        else:
            worst = max(worst, abs(gain) - penalty)
    return worst


def ridge(rows, signs, weights, alpha, steps=20_000):
    """Gradient descent with a fixed step below 1/L, to the optimum."""
    n = len(rows[0])
    w, b = [0.0] * n, 0.0
    rate = 1.0 / (alpha + sum(weights) * (n + 1) / 4)
    for _ in range(steps):
        slopes = slopes_of(rows, signs, weights, w, b)
        gains = [sum(s for s, row in zip(slopes, rows, strict=True) if row[j]) for j in range(n)]
        w = [v + rate * (gain - alpha * v) for v, gain in zip(w, gains, strict=True)]
        b += rate * sum(slopes)
    return w, b


def simplest(losses, weights):
    """`losses[strength][size][row]`: the smallest size within one standard error of the best mean."""
    total = sum(weights)

    def mean(some):
        return sum(p * one for p, one in zip(weights, some, strict=True)) / total

    strengths, sizes = range(len(losses)), range(len(losses[0]))
    best = min(product(strengths, sizes), key=lambda place: mean(losses[place[0]][place[1]]))
    for size in sizes:
        strength = min(strengths, key=lambda one: mean(losses[one][size]))
        pairs = zip(losses[strength][size], losses[best[0]][best[1]], strict=True)
        differences = [one - other for one, other in pairs]
        middle = mean(differences)
        error = sqrt(sum(p * (d - middle) ** 2 for p, d in zip(weights, differences, strict=True))) / total
        if middle <= error + 1e-12:
            return strength, size
    raise AssertionError


def holds(code, number, nested):
    """Is literal `number`, from 0, of a column true of a cell with this code?"""
    return code > number if nested else code == number + 1


def gain(codes, nested, literals, r):
    """Σ r over the rows in which all of these (column, number) hold."""
    return sum(
        value
        for i, value in enumerate(r)
        if all(holds(codes[j][i], number, nested[j]) for j, number in literals)
    )


def card_loss(rows, signs, weights, points, alpha, steps=60):
    """The least penalized loss of u·total + b for these points, by Newton's method with halved steps."""
    totals = [sum(z for z, x in zip(points, row, strict=True) if x) for row in rows]
    norm = alpha * sum(z * z for z in points)

    def loss(u, b):
        terms = zip(totals, signs, weights, strict=True)
        return sum(p * loss_of(u * t + b, y) for t, y, p in terms) + 0.5 * norm * u * u

    u = b = 0.0
    for _ in range(steps):
        gu, gb, huu, hub, hbb = norm * u, 0.0, norm + 1e-9, 0.0, 1e-9
        for t, y, p in zip(totals, signs, weights, strict=True):
            s = 1.0 / (1.0 + exp(-(u * t + b)))
            g, h = p * (s - (y > 0)), p * s * (1.0 - s)
            gu, gb = gu + g * t, gb + g
            huu, hub, hbb = huu + h * t * t, hub + h * t, hbb + h
        det = huu * hbb - hub * hub
        du, db = (hbb * gu - hub * gb) / det, (huu * gb - hub * gu) / det
        rate = 1.0
        while loss(u - rate * du, b - rate * db) > loss(u, b) and rate > 1e-6:
            rate /= 2
        u, b = u - rate * du, b - rate * db
    return loss(u, b)


def best_card(rows, signs, weights, most, alpha):
    """The least loss of all cards with points up to `most`, one by one."""
    cards = product(range(-most, most + 1), repeat=len(rows[0]))
    return min(card_loss(rows, signs, weights, points, alpha, 15) for points in cards)
