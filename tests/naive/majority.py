"""Boost-by-majority (Freund 1995, "Boosting a weak learning algorithm by majority"), row by row.

T, odd, and γ are fixed before the run. Were each hypothesis still to come right on a row with probability
½ + γ, independently, a row weighs as much as it is probable that this very stage decides its vote: that, r of
the t so far being right, exactly ⌊T/2⌋ − r of the T − t − 1 after it will be. Every vote counts 1.
"""

from math import comb

from tests.naive.boosting import HALF, conjunctions, value, weak


def probability(hits, trials, chance):
    """Of exactly so many hits; 0 where there cannot be so many."""
    if not 0 <= hits <= trials:
        return 0
    return comb(trials, hits) * chance**hits * (1 - chance) ** (trials - hits)


def importance(n_stages, t, r, gamma):
    """Of a row that r of the first t hypotheses got right."""
    return probability(n_stages // 2 - r, n_stages - t - 1, (1 + 2 * gamma) / 2)


def tail(n_stages, gamma):
    """How probable it is that no more than half of the votes are right: the error that is promised."""
    return sum(probability(hits, n_stages, (1 + 2 * gamma) / 2) for hits in range(n_stages // 2 + 1))


def stages_in_theory(gamma, smallest_share):
    """The fewest, odd, that leave no room for a row to be wrong."""
    n_stages = 1
    while tail(n_stages, gamma) >= smallest_share:
        n_stages += 2
    return n_stages


def boost(rows, labels, weights, attributes, k, n_stages, gamma, penalty=True):
    """The stages: (conjunction, sign, error, 1). Exact, if the weights and γ are fractions."""
    candidates, hits = conjunctions(attributes, k), [0] * len(rows)
    for t in range(n_stages):
        w = [own * importance(n_stages, t, r, gamma) for own, r in zip(weights, hits, strict=True)]
        total = sum(w)
        if total == 0:
            return
        D = [one / total for one in w]
        c, correlation = weak(rows, labels, D, candidates, k, penalty)
        sign = 1 if correlation > 0 else -1
        right = [sign * value(c, x) == f for f, x in zip(labels, rows, strict=True)]
        error = sum(d for d, hit in zip(D, right, strict=True) if not hit)
        if error >= 0.5 - HALF:
            return
        yield c, sign, error, 1
        if t == 0 and error == 0:
            return
        hits = [r + hit for r, hit in zip(hits, right, strict=True)]
