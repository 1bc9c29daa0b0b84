"""What is true of weights, duals and rows, in fractions: every double is one."""

from fractions import Fraction

from tests.naive.scores import score


def fractions(rows):
    return [[Fraction(float(x)) for x in row] for row in rows]


def inner(one, other):
    return sum((a * b for a, b in zip(one, other, strict=True)), Fraction())


def signed_square(value):
    return value * abs(value)


def solved(A, b):
    """Gauss and Jordan."""
    lines = [[*row, value] for row, value in zip(A, b, strict=True)]
    for p in range(len(lines)):
        pivot = next(s for s in range(p, len(lines)) if lines[s][p] != 0)
        lines[p], lines[pivot] = lines[pivot], lines[p]
        lines[p] = [value / lines[p][p] for value in lines[p]]
        for s in range(len(lines)):
            if s != p and lines[s][p] != 0:
                factor = lines[s][p]
                lines[s] = [a - factor * c for a, c in zip(lines[s], lines[p], strict=True)]
    return [row[-1] for row in lines]


def least_norm_squared(G):
    """The squared norm of the shortest point in the hull of points with Gram matrix G (Wolfe 1976). It ends
    when ⟨p, z⟩ ≥ ‖p‖² for every point z, which proves itself."""
    m = len(G)
    first = min(range(m), key=lambda i: G[i][i])
    a = {first: Fraction(1)}
    while True:
        reach = [sum((w * G[i][j] for i, w in a.items()), Fraction()) for j in range(m)]
        norm = sum((w * reach[i] for i, w in a.items()), Fraction())
        lowest = min(range(m), key=lambda j: reach[j])
        if reach[lowest] >= norm:
            return norm
        a[lowest] = Fraction(0)
        while True:
            rows = list(a)
            A = [[*(G[i][j] for j in rows), Fraction(1)] for i in rows]
            A.append([*(Fraction(1) for _ in rows), Fraction(0)])
            goal = dict(zip(rows, solved(A, [Fraction(0)] * len(rows) + [Fraction(1)])[:-1], strict=True))
            if min(goal.values()) > 0:
                a = goal
                break
            theta = min(a[i] / (a[i] - goal[i]) for i in rows if goal[i] <= 0)
            a = {i: (1 - theta) * a[i] + theta * goal[i] for i in rows}
            a = {i: w for i, w in a.items() if w != 0}


def gram(rows, y, lift, free, ridges):
    """The points whose hull is asked for: y·(x, ρ), with slack a coordinate each; with a free intercept the
    differences of two rows of different classes, halved."""
    X, m = fractions(rows), len(rows)
    lifted = [[*row, Fraction(lift)] for row in X]
    G = [
        [int(y[i]) * int(y[j]) * inner(lifted[i], lifted[j]) + (ridges[i] if i == j else 0) for j in range(m)]
        for i in range(m)
    ]
    if not free:
        return G
    pairs = [(i, j) for i in range(m) for j in range(m) if y[i] > 0 > y[j]]
    return [[(G[i][k] + G[i][n] + G[j][k] + G[j][n]) / 4 for k, n in pairs] for i, j in pairs]


def best_margin_squared(rows, y, lift=0.0, free=False, ridges=None):
    return least_norm_squared(gram(rows, y, lift, free, ridges or [Fraction(0)] * len(rows)))


def reaches(rows, y, w, b):
    """y·score, row by row."""
    return [int(label) * score(row, w, b) for row, label in zip(rows, y, strict=True)]


def norm_squared(w, b, lift):
    square = sum((Fraction(float(v)) ** 2 for v in w), Fraction())
    return square + (Fraction(float(b)) ** 2 / Fraction(lift) ** 2 if lift else 0)


def n_errors(reach, y):
    return sum(r < 0 or (r == 0 and label > 0) for r, label in zip(reach, y, strict=True))


def proved_squared(rows, signed, lift=0.0, free=False, ridges=None):
    """What duals prove, squared: the length of the point that they are, in the hull of the rows."""
    X, duals = fractions(rows), [Fraction(float(d)) for d in signed]
    slack = ridges or [Fraction(0)] * len(rows)
    lifted = [[*row, Fraction(lift)] for row in X]
    if not free:
        total = sum((abs(d) for d in duals), Fraction())
        return point_squared([d / total for d in duals], lifted, slack)
    plus, minus = (sum((abs(d) for d in duals if d * side > 0), Fraction()) for side in (1, -1))
    return point_squared([d / (plus if d > 0 else minus) for d in duals], X, slack) / 4


def point_squared(shares, rows, slack):
    """‖Σ shares·rows‖², each row with a coordinate of its own."""
    point = [inner(shares, column) for column in zip(*rows, strict=True)]
    return inner(point, point) + sum((r * s * s for r, s in zip(slack, shares, strict=True)), Fraction())
