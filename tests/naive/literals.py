"""The slow twin of the literal encoder: a dict of column -> list of cells; one cell at a time, in fractions.

A literal is (column, relation, value). Weights are integers or fractions; a row of weight 0 is not there.
"""

import math
from fractions import Fraction


def is_missing(cell):
    return cell is None or (isinstance(cell, float) and math.isnan(cell))


def kind_of(cells):
    """The kind of a column, from the cells that have weight."""
    present = [cell for cell in cells if not is_missing(cell)]
    if present and all(isinstance(cell, bool) for cell in present):
        return "boolean"
    if present and all(isinstance(cell, int | float) and not isinstance(cell, bool) for cell in present):
        return "numeric"
    return "nominal"


def quantile(values, weights, p):
    """The smallest value v such that the values <= v have at least the share p of the weight."""
    total = sum(weights)
    for v in sorted(values):
        if sum(weight for value, weight in zip(values, weights, strict=True) if value <= v) >= p * total:
            return v
    raise AssertionError("p > 1")


def thresholds(values, weights, n_thresholds):
    found = {quantile(values, weights, Fraction(i, n_thresholds + 1)) for i in range(1, n_thresholds + 1)}
    below = sorted(value for value in set(values) if value < max(values))
    cuts = sorted(found & set(below)) or below[-1:]
    return [short(v, min(value for value in values if value > v)) for v in cuts]


def short(v, following):
    """v if six digits say it, else the first number of 3, 4, ... digits from v up to the next value."""
    if float(f"{v:.6g}") == v:
        return v
    for digits in range(3, 17):
        _, _, exponent = f"{v:.17e}".partition("e")
        step = Fraction(10) ** (int(exponent) - digits + 1)
        rounded = math.ceil(Fraction(v) / step) * step
        if rounded < following:
            return float(rounded)
    return v


def categories(values, weights, max_categories):
    names = sorted(set(values))
    weight_of = {
        name: sum(weight for value, weight in zip(values, weights, strict=True) if value == name)
        for name in names
    }
    ranking = sorted(names, key=lambda name: (-weight_of[name], name))
    return sorted(ranking[:max_categories])


def literals(table, weights, n_thresholds=8, max_categories=256):
    """The literals of each column, in order."""
    found = []
    weights = [Fraction(weight) for weight in weights]
    for column, cells in table.items():
        there = [(cell, weight) for cell, weight in zip(cells, weights, strict=True) if weight > 0]
        kind = kind_of([cell for cell, _ in there])
        present = [(cell, weight) for cell, weight in there if not is_missing(cell)]
        values, masses = [cell for cell, _ in present], [weight for _, weight in present]
        if kind == "boolean":
            found += [(column, "=", "false"), (column, "=", "true")]
        elif kind == "numeric":
            found += [(column, ">", v) for v in thresholds(values, masses, n_thresholds)]
        else:
            found += [(column, "=", name) for name in categories(values, masses, max_categories)]
    return found


def is_true(literal, cell):
    _, relation, value = literal
    if is_missing(cell):
        return 0
    if relation == ">":
        return int(cell > value)
    return int((str(cell).lower() if isinstance(cell, bool) else cell) == value)


def rows(table, found):
    """A row of 0 and 1 for each row of the table: which literals are true of it."""
    n_rows = len(next(iter(table.values())))
    return [[is_true(literal, table[literal[0]][i]) for literal in found] for i in range(n_rows)]
