"""The weights and bands of `band="cv"`, row by row in plain Python; nothing of the library.

Classes are +1 and −1; costs are dicts of class → number, as in `conservative`. A run starts at 0 and keeps a
band of 1: a row that is not on its side by at least 1 corrects, by what the rule says of a rejected row if it
is on its side, else of one on the wrong side. Its weights are the average of those after each row that was
visited (one that it leaves out included) in the later half of the `n_epochs` passes; `orders` are fewer where
no run had anything to correct in the last of them. Before that half it is the last weights.
"""

from .conservative import best_bands, risk, side_of


def run(X, y, orders, n_epochs, along, eta, left_out=(), weights=None):
    """The averaged (w, b), and the number of corrections; `along(rejected, y)` is what the rule says."""
    w, b, sums, visited, n_updates = [0] * len(X[0]), 0, [0] * (len(X[0]) + 1), 0, 0
    for number, order in enumerate(orders):
        for i in order:
            s = sum(p * q for p, q in zip(w, X[i], strict=True)) + b
            right = side_of(s) == y[i]
            if i not in left_out and not (right and abs(s) >= 1):
                step = eta * along(right, y[i]) * y[i] * (weights[i] if weights else 1)
                w, b = [p + step * q for p, q in zip(w, X[i], strict=True)], b + step
                n_updates += 1
            if number >= n_epochs // 2:
                sums = [total + part for total, part in zip(sums, [*w, b], strict=True)]
                visited += 1
    if not visited:
        return w, b, n_updates
    return [total / visited for total in sums[:-1]], sums[-1] / visited, n_updates


def scores(X, rows, w, b):
    """In units of the norm of the weights, 1 where all are 0."""
    norm = sum(part * part for part in w) ** 0.5 or 1
    return [(sum(p * q for p, q in zip(w, X[i], strict=True)) + b) / norm for i in rows]


def clear_bands(s, y, costs, symmetric, weights=None, repeats=2, clear=0.5):
    """The bands of least risk, 0 where one saves at most `clear` standard errors of what it saves."""
    _, up, down = best_bands(s, y, costs, symmetric, weights)
    bands, weights = {1: up, -1: down}, weights or [1] * len(y)
    saved = {1: [], -1: []}
    for score, label, weight in zip(s, y, weights, strict=True):
        side = side_of(score)
        if abs(score) < bands[side]:
            answered = -costs["a"][label] if side == label else costs["b"][label]
            saved[side].append(weight * (answered - costs["c"][label]))
    for side in (1, -1):
        own = saved[1] + saved[-1] if symmetric else saved[side]
        if sum(own) <= clear * (repeats * sum(one * one for one in own)) ** 0.5:
            bands[side] = 0
    return bands


def judged_bands(s, y, costs, symmetric, weights=None):
    """Bands and their risk: those beyond chance, unless to reject every row costs less; then the best."""
    nothing = {1: float("inf"), -1: float("inf")}
    least = risk(s, y, nothing, costs, weights)
    clear = clear_bands(s, y, costs, symmetric, weights)
    _, up, down = best_bands(s, y, costs, symmetric, weights)
    for bands in (clear, {1: up, -1: down}):
        if risk(s, y, bands, costs, weights) <= least:
            return bands, risk(s, y, bands, costs, weights)
    return nothing, least


def fit(X, y, orders, n_epochs, folds, costs, along, etas, symmetric=False, weights=None, run=run):
    """The best (w, b, bands, eta, n_updates) by the rows that were left out; `folds` has a line per time, and
    `run` is how a run learns."""
    best = None
    for eta in etas:
        judged, labels, heavy = [], [], []
        for line in folds:
            for fold in range(max(line) + 1):
                rows = [i for i in range(len(y)) if line[i] == fold]
                w, b, _ = run(X, y, orders, n_epochs, along, eta, set(rows), weights)
                judged += scores(X, rows, w, b)
                labels += [y[i] for i in rows]
                heavy += [weights[i] if weights else 1 for i in rows]
        bands, cost = judged_bands(judged, labels, costs, symmetric, heavy)
        if best is None or cost < best[0]:
            w, b, n_updates = run(X, y, orders, n_epochs, along, eta, (), weights)
            norm = sum(part * part for part in w) ** 0.5 or 1
            best = cost, w, b, {side: norm * band for side, band in bands.items()}, eta, n_updates
    return best[1:]
