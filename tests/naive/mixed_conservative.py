"""A run of `conservative_cv` whose epochs are made by parts side by side, in plain Python; nothing of the
library.

Every part begins an epoch with the same (w, b), and visits its rows one after the other. What each has moved
is mixed, in proportion to its corrections. In the later half of the `n_epochs` epochs the averages of the
parts, over the weights after each of their rows, are mixed alike; the result is the average of these.
"""

from .conservative import side_of


def run(X, y, epochs, n_epochs, along, eta, left_out=(), weights=None):
    """The averaged (w, b), and the number of corrections; `epochs` has the parts of each, lists of rows."""
    state, sums, n_counted, n_updates = [0.0] * (len(X[0]) + 1), [0.0] * (len(X[0]) + 1), 0, 0
    for number, parts in enumerate(epochs):
        swept = [sweep(X, y, part, state, along, eta, left_out, weights) for part in parts]
        total = sum(count for _, _, count in swept)
        n_updates += total
        ends, means = list(state), list(state)
        for own, mean, count in swept:
            share = count / total if total else 0.0
            ends = [a + share * (b - c) for a, b, c in zip(ends, own, state, strict=True)]
            means = [a + share * (b - c) for a, b, c in zip(means, mean, state, strict=True)]
        state = ends
        if number >= n_epochs // 2:
            sums, n_counted = [a + b for a, b in zip(sums, means, strict=True)], n_counted + 1
    found = [total / n_counted for total in sums] if n_counted else state
    return found[:-1], found[-1], n_updates


def sweep(X, y, rows, state, along, eta, left_out, weights):
    """Where a part comes to, the average on its way, and how many corrections it made."""
    state, total, count = list(state), [0.0] * len(state), 0
    for i in rows:
        x = [*X[i], 1.0]
        s = sum(p * q for p, q in zip(state, x, strict=True))
        right = side_of(s) == y[i]
        if i not in left_out and not (right and abs(s) >= 1):
            step = eta * along(right, y[i]) * y[i] * (weights[i] if weights else 1)
            state, count = [p + step * q for p, q in zip(state, x, strict=True)], count + 1
        total = [a + b for a, b in zip(total, state, strict=True)]
    return state, [one / len(rows) for one in total], count
