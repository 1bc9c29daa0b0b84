"""Which columns of ±1 vote, and how averaged hidden states end, from the rules' text; nothing of the library.

Rows are lists of ±1, y are ±1, weights are numbers > 0.
"""

from math import erfc, log, sqrt

LEVEL = 1.6448536269514722


def votes(bits, y, weights, influence, neglected):
    """The weights −1, 0, +1 of epsilon="auto"."""
    scale = rows_per_weight(weights)
    rows = [scale * a for a in weights]
    kept = distinct(bits, [j for j in range(len(bits[0])) if not neglected[j]])
    p = {j: p_value([x[j] for x in bits], y, rows) for j in kept}
    strength = {j: round(strength_of([x[j] for x in bits], y, weights), 12) for j in discovered(p, 0.05)}
    waiting = sorted(strength, key=lambda j: (-strength[j], j))
    w = [0] * len(bits[0])
    for _ in range(5):
        before = list(w)
        for j in waiting:
            if not w[j]:
                sign = 1 if influence[j] > 0 else -1
                w[j] = sign * says_more(bits, y, rows, w, j, sign)
        if w == before:
            break
    return w


def rows_per_weight(weights):
    """Integers are repetitions; otherwise there are as many rows as (Σw)²/Σw²."""
    if all(a == int(a) for a in weights):
        return 1.0
    return sum(weights) / sum(a * a for a in weights)


def distinct(bits, columns):
    """The first of columns that are equal or opposite."""
    seen, first = set(), []
    for j in columns:
        column = tuple(x[j] for x in bits)
        if column not in seen:
            first.append(j)
        seen |= {column, tuple(-value for value in column)}
    return first


def table(column, y, rows):
    """The weight of the rows of each value and class."""
    cells = {(value, label): 0.0 for value in (1, -1) for label in (1, -1)}
    for value, label, a in zip(column, y, rows, strict=True):
        cells[value, label] += a
    return cells


def p_value(column, y, rows):
    cells, total, G = table(column, y, rows), sum(rows), 0.0
    for (value, label), seen in cells.items():
        of_value, of_label = (
            cells[value, 1] + cells[value, -1],
            cells[1, label] + cells[-1, label],
        )
        expected = of_value * of_label / total
        nearer = max(expected, seen - 0.5) if seen > expected else min(expected, seen + 0.5)
        G += 2 * nearer * log(nearer / expected) if nearer > 0 else 0.0
    return erfc(sqrt(max(G, 0.0) / 2))


def discovered(p, rate):
    """Those of the smallest p-values, down to the first that is too large for its place."""
    found, n = [], len(p)
    for i, j in enumerate(sorted(p, key=lambda j: p[j]), start=1):
        if p[j] > rate * i / (n + 1 - (1 - rate) * i):
            break
        found.append(j)
    return found


def strength_of(column, y, weights):
    """|correlation| of column and class, times what is the same of all columns."""
    total = sum(weights)
    ones = sum(a for x, a in zip(column, weights, strict=True) if x > 0) / total
    positive = sum(a for label, a in zip(y, weights, strict=True) if label > 0) / total
    both = sum(a for x, label, a in zip(column, y, weights, strict=True) if x > 0 and label > 0) / total
    return abs(both - positive * ones) / sqrt(ones * (1 - ones))


def says_more(bits, y, rows, w, j, sign):
    """Cochran, Mantel and Haenszel: rows with as many votes are compared with each other."""
    strata = {}
    for x, label, a in zip(bits, y, rows, strict=True):
        s = sum(wk * xk for wk, xk in zip(w, x, strict=True))
        strata.setdefault(s, []).append((x[j], label, a))
    D = V = 0.0
    for _, stratum in sorted(strata.items()):
        cells, n = table(*zip(*stratum, strict=True)), sum(a for _, _, a in stratum)
        ones, positive = cells[1, 1] + cells[1, -1], cells[1, 1] + cells[-1, 1]
        D += cells[1, 1] - ones * positive / n
        V += ones * (n - ones) * positive * (n - positive) / (n * n * max(n - 1, n / 2))
    return V > 0 and D * sign > LEVEL * sqrt(V)


def cut_averages(sums, bits, y, weights, threshold=None):
    """(errors, w, θ): columns by |sum|, the largest first, as many as make the fewest errors."""
    order = sorted((j for j in range(len(sums)) if sums[j]), key=lambda j: (-abs(sums[j]), j))
    w, best = [0] * len(sums), None
    for j in order:
        w[j] = 1 if sums[j] > 0 else -1
        scores = [sum(wk * xk for wk, xk in zip(w, x, strict=True)) for x in bits]
        for r in range(-len(order) - 1, len(order) + 1) if threshold is None else [threshold]:
            wrong = [a for s, label, a in zip(scores, y, weights, strict=True) if (s > r) != (label > 0)]
            if best is None or sum(wrong) < best[0]:
                best = (sum(wrong), list(w), r)
    return best


def how_it_ends(errors, n_epochs):
    """Errors after each epoch, those of the start first: the epochs made, and by what the run ended."""
    best, found = errors[0], 0
    for epoch, wrong in enumerate(errors):
        if wrong < best:
            best, found = wrong, epoch
        if best == 0:
            return epoch, "converged"
        if epoch >= 100 and epoch >= 10 * found:
            return epoch, "stalled"
        if epoch == n_epochs:
            return epoch, "max_epochs"
    raise AssertionError("no errors are given of the last epoch")
