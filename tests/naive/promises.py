"""Binomial bounds and promises in exact fractions, one case at a time."""

from fractions import Fraction
from math import comb


def tail(k, n, p):
    """P[Bin(n, p) <= k]."""
    p = Fraction(p)
    return sum(comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k + 1))


def fixed_sequence(errors, answered, max_error, delta):
    """Tests from the strictest threshold on; the last before the first failure, −1 if there is none."""
    chosen = -1
    for j in range(len(errors)):
        if answered[j] == 0 or tail(errors[j], answered[j], max_error) > Fraction(delta):
            return chosen
        chosen = j
    return chosen


def rows_needed(max_error, delta):
    n = 1
    while tail(0, n, max_error) > Fraction(delta):
        n += 1
    return n


def promised_threshold(certainties, wrong, thresholds, max_error, delta):
    """The most lenient threshold that may be promised; None if there is none. Thresholds fall."""
    errors, answered = [], []
    for threshold in thresholds:
        chosen = [w for c, w in zip(certainties, wrong, strict=True) if c >= threshold]
        answered.append(len(chosen))
        errors.append(sum(chosen))
    place = fixed_sequence(errors, answered, max_error, delta)
    return None if place < 0 else thresholds[place]


def online_bound(mistakes, m, delta, rates):
    """F2 with a plain loop."""
    from math import exp, log

    return min(
        (1 - exp(-(rate * mistakes + log(len(rates) / delta)) / m)) / (1 - exp(-rate)) for rate in rates
    )


def pac_bayes(margins, n, delta, stretches, offsets, gamma=0.0):
    """F3 with plain loops; kl is inverted by halving."""
    from math import erf, log, sqrt

    def phi(t):
        return (1 + erf(t / sqrt(2))) / 2

    def kl(q, p):
        return (q * log(q / p) if q else 0.0) + ((1 - q) * log((1 - q) / (1 - p)) if q < 1 else 0.0)

    def inverse(q, c):
        low, high = q, 1.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if middle < 1 and kl(q, middle) <= c else (low, middle)
        return high

    m, pairs, best = len(margins), len(stretches) * len(offsets), 1.0
    for mu in stretches:
        paid = (n / 2 * log(1 + mu**2 / n) + log(2 * sqrt(m) * pairs / delta)) / m
        for theta in offsets:
            mean = min(sum(phi(theta + mu * gamma - mu * g) for g in margins) / m, 1.0)
            best = min(best, inverse(mean, paid) / phi(theta))
    return best
