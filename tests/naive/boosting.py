"""Figure 1 of Jackson and Craven with the selection rule of their section 3.3, row by row.

A row is a list of 0 and 1, one per literal; attributes[i] is the attribute of literal i; labels are ±1.
"""

from itertools import combinations
from math import log

TIE = 1e-9  # relative: values so close are equal
HALF = 1e-12  # an error so close to one half is one half


def conjunctions(attributes, k):
    """All of at most k literals of different attributes, the simpler first; () is the constant."""
    literals = range(len(attributes))
    return [
        c
        for size in range(k + 1)
        for c in combinations(literals, size)
        if len({attributes[i] for i in c}) == size
    ]


def value(conjunction, row):
    return 1 if all(row[i] for i in conjunction) else -1


def values(rows, labels, D, candidates, k, penalty):
    """Of each: |correlation|, that of a higher-order one counting 1/k; the conjunction; its correlation."""
    found = []
    for c in candidates:
        correlation = sum(d * f * value(c, x) for d, f, x in zip(D, labels, rows, strict=True))
        found.append((abs(correlation) / (k if penalty and len(c) > 1 else 1), c, correlation))
    return found


def tied(found):
    """Those whose value is the highest, or as good as."""
    best = max(score for score, _, _ in found)
    return [(c, correlation) for score, c, correlation in found if score >= best * (1 - TIE)]


def weak(rows, labels, D, candidates, k, penalty):
    """The first conjunction of the highest value; its correlation."""
    return tied(values(rows, labels, D, candidates, k, penalty))[0]


def boost(rows, labels, weights, attributes, k, n_stages, penalty=True):
    """The stages: (conjunction, sign, error, weight)."""
    candidates = conjunctions(attributes, k)
    w, stages = list(weights), []
    for _ in range(n_stages):
        D = [one / sum(w) for one in w]
        c, correlation = weak(rows, labels, D, candidates, k, penalty)
        sign = 1 if correlation > 0 else -1
        right = [sign * value(c, x) == f for f, x in zip(labels, rows, strict=True)]
        error = sum(d for d, hit in zip(D, right, strict=True) if not hit)
        if error == 0:
            return [(c, sign, 0.0, 1.0)]
        if error >= 0.5 - HALF:
            return stages
        beta = error / (1 - error)
        stages.append((c, sign, error, -log(beta)))
        w = [one * beta if hit else one for one, hit in zip(w, right, strict=True)]
    return stages


def score(stages, row):
    return sum(weight * sign * value(c, row) for c, sign, _, weight in stages)


def weights_left(rows, labels, weights, model, passes=10):
    """After going through the constant and a model's conjunctions so often, reweighing as in Figure 1."""
    w = list(weights)
    for c in [(), *model] * passes:
        total = sum(w)
        hits = [value(c, x) == f for f, x in zip(labels, rows, strict=True)]
        error = sum(one for one, hit in zip(w, hits, strict=True) if not hit) / total
        if 0 < error < 1:  # the other sign, if more than one half: β > 1 is its inverse
            w = [one * error / (1 - error) if hit else one for one, hit in zip(w, hits, strict=True)]
    return [one / sum(w) for one in w]


def suggestions(rows, labels, weights, attributes, order, model):
    """The conjunctions of so many literals that tell more than any of their parts, the largest |correlation|
    first, under the weights that a model of these conjunctions leaves: (conjunction, correlation, gain)."""
    D, candidates = weights_left(rows, labels, weights, model), conjunctions(attributes, order)
    found = {c: correlation for _, c, correlation in values(rows, labels, D, candidates, 1, False)}
    told = []
    for c in sorted((c for c in found if len(c) == order), key=lambda c: -abs(found[c])):
        parts = [part for size in range(order) for part in combinations(c, size)]
        gain = abs(found[c]) - max(abs(found[part]) for part in parts)
        if gain > TIE:
            told.append((c, found[c], gain))
    return told
