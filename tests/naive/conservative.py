"""Sundararajan and Pal's conservative perceptron, row by row in plain Python; nothing of the library.

Classes are +1 and −1; costs are dicts of class → number: a (gain), b (wrong), c (reject). A state is
{"w": list, "b": number, "bands": {+1: λ₊, −1: λ₋}}. Deviations from the paper, which are ours: bands have a
cap, whether the hyperplane separates all rows is looked at after each epoch, a score of 0 is on side +1. Ours
are weights, too: a row's multiplies its steps and what is counted of it; bands shrink without (section 3.3).
"""

from itertools import pairwise, product
from math import exp


def score(x, state):
    return sum(w * v for w, v in zip(state["w"], x, strict=True)) + state["b"]


def side_of(s):
    return 1 if s >= 0 else -1


def is_rejected(s, bands):
    return abs(s) < bands[side_of(s)]


def risk(scores, y, bands, costs, weights=None):
    weights, total = weights or [1] * len(y), 0
    for s, label, weight in zip(scores, y, weights, strict=True):
        if is_rejected(s, bands):
            total += weight * costs["c"][label]
        else:
            total += weight * (-costs["a"][label] if side_of(s) == label else costs["b"][label])
    return total / sum(weights)


def cplr1(rejected, a, b, c):
    """Equations 9 to 11: what is added to w (times y·x), to the band of the row's class, to the other."""
    return (a + b, -(a + c), b - c) if rejected else (a + 2 * b - c, -(a + b), b - c)


def cplr2(rejected, a, b, c):
    """Equation 13; the bands have a step of their own."""
    return (a + c, 0, 0) if rejected else (a + b, 0, 0)


def criterion(x, y, state, costs):
    """J of equation 8; 0 where the answer is right."""
    s, bands = score(x, state), state["bands"]
    a, b, c = (costs[part][y] for part in "abc")
    rejected = is_rejected(s, bands)
    if not rejected and side_of(s) == y:
        return 0
    tau_c, tau_r = bands[y] - y * s, bands[-y] + y * s
    return ((a + c) if rejected else (a + b)) * tau_c - (b - c) * tau_r


def present(x, y, state, costs, rule, eta_weights, eta_bands, cap, symmetric=False, frozen=False, weight=1):
    """Look at one row; returns whether it changed anything."""
    s, bands = score(x, state), state["bands"]
    rejected = is_rejected(s, bands)
    if not rejected and side_of(s) == y:
        return False
    along, own, other = (weight * part for part in rule(rejected, *(costs[part][y] for part in "abc")))
    if frozen:
        along, other = 0, 0
    state["w"] = [w + eta_weights * along * y * v for w, v in zip(state["w"], x, strict=True)]
    state["b"] += eta_weights * along * y
    change = {y: own + other, -y: own + other} if symmetric else {y: own, -y: other}
    for side, delta in change.items():
        bands[side] = min(max(bands[side] + eta_bands * delta, 0), cap)
    return True


def band_correction(scores, y, lam, side, costs, weights=None):
    """Equations 14 to 17 for one side; `side=0` pools both, by |s|."""
    rows = [
        (abs(s), label, side_of(s) == label, weight)
        for s, label, weight in zip(scores, y, weights or [1] * len(y), strict=True)
        if side in (0, side_of(s))
    ]
    xi = max([s for s, _, right, _ in rows if not right], default=0)
    predicted = [row[1:] for row in rows if lam <= row[0] <= xi]
    rejected = [row[1:] for row in rows if row[0] < lam]
    return max(_trade_off(predicted, costs), 0) + min(_trade_off(rejected, costs), 0)


def _trade_off(region, costs):
    if not region:
        return 0
    lost = sum(w * (costs["b"][label] - costs["c"][label]) for label, right, w in region if not right)
    won = sum(w * (costs["a"][label] + costs["c"][label]) for label, right, w in region if right)
    return (lost - won) / sum(w for _, _, w in region)


def band_step(scores, y, bands, costs, eta_bands, cap, symmetric=False, weights=None):
    for side in (1, -1):
        delta = band_correction(scores, y, bands[side], 0 if symmetric else side, costs, weights)
        bands[side] = min(max(bands[side] + eta_bands * delta, 0), cap)


def epoch(X, y, order, state, costs, rule, eta_weights, eta_bands, cap, symmetric=False, weights=None):
    """One pass, and what follows it; returns the risk."""
    for i in order:
        weight = weights[i] if weights else 1
        state["updates"] = state.get("updates", 0) + present(
            X[i], y[i], state, costs, rule, eta_weights, eta_bands, cap, symmetric, weight=weight
        )
    scores = [score(x, state) for x in X]
    state["separates"] = all(side_of(s) == label for s, label in zip(scores, y, strict=True))
    if state["separates"]:
        freeze(X, y, state, costs, rule, eta_weights, eta_bands, cap, symmetric)
    elif rule is cplr2:
        band_step(scores, y, state["bands"], costs, eta_bands, cap, symmetric, weights)
    return risk(scores, y, state["bands"], costs, weights)


def freeze(X, y, state, costs, rule, eta_weights, eta_bands, cap, symmetric):
    """Section 3.3: the weights stay, bands are learned until they change no more. Where rejections cost
    nothing and answers earn nothing steps lead nowhere; a band that still rejects a row then becomes 0."""
    before = None
    while state["bands"] != before:
        before = dict(state["bands"])
        if rule is cplr2:
            band_step([score(x, state) for x in X], y, state["bands"], costs, eta_bands, cap, symmetric)
        else:
            for x, label in zip(X, y, strict=True):
                present(x, label, state, costs, rule, eta_weights, eta_bands, cap, symmetric, frozen=True)
    scores = [score(x, state) for x in X]
    for side in (1, -1):
        if any(is_rejected(s, state["bands"]) for s in scores if symmetric or side_of(s) == side):
            state["bands"][side] = 0


def best_bands(scores, y, costs, symmetric=False, weights=None):
    """Brute force: the least risk over all pairs of thresholds, and the smallest bands that reach it."""
    cuts = {
        side: [0, *_beyond({abs(s) for s in scores if symmetric or side_of(s) == side})] for side in (1, -1)
    }
    pairs = [(t, t) for t in cuts[1]] if symmetric else product(cuts[1], cuts[-1])
    return min((risk(scores, y, {1: up, -1: down}, costs, weights), up, down) for up, down in pairs)


def worthwhile(scores, y, bands, costs, symmetric=False, weights=None):
    """The bands, 0 where one costs more than none."""
    kept = dict(bands)
    for sides in [(1, -1)] if symmetric else [(1,), (-1,)]:
        without = {**bands, **dict.fromkeys(sides, 0)}
        if risk(scores, y, without, costs, weights) < risk(scores, y, bands, costs, weights):
            kept.update(dict.fromkeys(sides, 0))
    return kept


def _beyond(values):
    """A threshold between each two neighbours, and one above all."""
    values = sorted(values)
    return [(low + high) / 2 for low, high in pairwise(values)] + [float("inf")] * bool(values)


def confidence(n_rejected, n_wrong, a, b, c):
    """Equation 18."""
    if not n_rejected or n_wrong / n_rejected <= (a + c) / (a + b):
        return 0.0
    return 1 - exp(-2 * n_rejected * (n_wrong / n_rejected - (a + c) / (a + b)) ** 2)


def savings(costs, truth, answers):
    """What each rejected row saved, compared to its answer; costs: gain, wrong, reject → class → number."""
    saved = []
    for label, answer in zip(truth, answers, strict=True):
        rejection = costs["reject"][label]
        saved.append(
            costs["wrong"][label] - rejection if label != answer else -costs["gain"][label] - rejection
        )
    return saved
