"""Separable or not, in fractions: the simplex method with Bland's rule, and the sum of a witness."""

from fractions import Fraction


def signed(X, y, intercept):
    """The rows y·x, with an intercept y·(x, 1), as fractions; `X` : nested lists of floats."""
    return [
        [int(label) * Fraction(value) for value in [*map(float, row), *([1.0] if intercept else [])]]
        for row, label in zip(X, y, strict=True)
    ]


def is_separable(X, y, intercept):
    """Is there a hyperplane with every row strictly on its side? No, iff some a >= 0 of sum 1 has
    Σ a_i z_i = 0: phase one of the simplex method."""
    Z = signed(X, y, intercept)
    n_rows, columns = len(Z), [[*z, Fraction(1)] for z in Z]
    size = len(columns[0])
    table = [[column[i] for column in columns] for i in range(size)]
    right = [Fraction(0)] * (size - 1) + [Fraction(1)]
    basis = [n_rows + i for i in range(size)]  # artificial variables, to be driven to 0
    while True:
        gains = [
            sum(table[i][j] for i in range(size) if basis[i] >= n_rows) if j not in basis else Fraction(0)
            for j in range(n_rows)
        ]
        enters = next((j for j in range(n_rows) if gains[j] > 0), None)
        if enters is None:
            return any(right[i] > 0 for i in range(size) if basis[i] >= n_rows)
        ratios = [(right[i] / table[i][enters], basis[i], i) for i in range(size) if table[i][enters] > 0]
        leaves = min(ratios)[2]
        pivot = table[leaves][enters]
        table[leaves] = [value / pivot for value in table[leaves]]
        right[leaves] /= pivot
        for i in range(size):
            factor = table[i][enters]
            if i != leaves and factor:
                table[i] = [a - factor * b for a, b in zip(table[i], table[leaves], strict=True)]
                right[i] -= factor * right[leaves]
        basis[leaves] = enters


def is_witness(X, y, pairs, intercept):
    """Do these (row, weight) add up to exactly 0, with positive weights of sum 1, in each class if there is
    an intercept?"""
    rows, weights = [row for row, _ in pairs], [Fraction(weight) for _, weight in pairs]
    if not rows or min(weights) <= 0 or len(set(rows)) < len(rows):
        return False
    for label in (-1, 1):
        share = sum(w for row, w in zip(rows, weights, strict=True) if y[row] == label)
        if intercept and share != 1:
            return False
    if not intercept and sum(weights) != 1:
        return False
    Z = signed([X[row] for row in rows], [y[row] for row in rows], intercept)
    return all(sum(w * z[j] for w, z in zip(weights, Z, strict=True)) == 0 for j in range(len(Z[0])))
