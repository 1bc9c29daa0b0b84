"""How scores become answers, step by step: the rule of each class of classifiers, summed up as in Python."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..conservative.chow_classifier import threshold
from ..conservative.chow_file import Curve
from ..rejection.costs import Prices
from ..sparse.vote_risks import ABOVE
from .program_steps import Ref, Steps

SMALLEST_SUM = 1e-300  # by which shares of classes are divided


class Answer(NamedTuple):
    """What a classifier says of a row."""

    scores: tuple[Ref, ...]
    probabilities: tuple[Ref, ...]
    code: Ref
    rejected: Ref | None = None


def simple(steps: Steps, scores: Sequence[Ref], probabilities: Sequence[Ref] = (), least: int = 1) -> Answer:
    """The second class where the one score is > 0, or the class of the highest score."""
    if len(scores) == 1:
        above = steps.above(scores[0], steps.number(0.0))
        code = steps.choose(above, steps.number(least), steps.number(0.0))
    else:
        code = steps.largest(scores)[0]
    return Answer(tuple(scores), tuple(probabilities), code)


def banded(steps: Steps, score: Ref, bands: Sequence[float]) -> Answer:
    """`ConservativePerceptron`: rejected where |score| is below the band of its side."""
    side = steps.at_least(score, steps.number(0.0))
    band = steps.choose(side, *(steps.number(bands[k]) for k in (1, 0)))
    code = steps.choose(side, steps.number(1.0), steps.number(0.0))
    return Answer((score,), (), code, steps.above(band, steps.size(score)))


def network_banded(steps: Steps, scores: Sequence[Ref], bands: Sequence[float]) -> Answer:
    """`MarginMLPClassifier` with costs: rejected where no score reaches its band."""
    zero = steps.number(0.0)
    if len(scores) == 1:
        plain = simple(steps, scores)
        band = steps.choose(steps.above(scores[0], zero), *(steps.number(bands[k]) for k in (1, 0)))
        left = steps.subtract(steps.size(scores[0]), band)
        return plain._replace(rejected=steps.above(zero, left))
    worth = [steps.subtract(one, steps.number(band)) for one, band in zip(scores, bands, strict=True)]
    code, most = steps.largest(worth)
    return Answer(tuple(worth), (), code, steps.above(zero, most))


def divided(steps: Steps, shares: Sequence[Ref]) -> list[Ref]:
    """Shares of classes against the rest as probabilities."""
    if len(shares) == 1:
        return [steps.subtract(steps.number(1.0), shares[0]), shares[0]]
    total, least = steps.sum(shares), steps.number(SMALLEST_SUM)
    whole = steps.choose(steps.above(least, total), least, total)
    return [steps.divide(one, whole) for one in shares]


def unit_of_risk(steps: Steps, score: Ref, slope: float, shift: float) -> Ref:
    return steps.logistic(steps.add(steps.multiply(steps.number(slope), score), steps.number(shift)))


def sparse_scores(steps: Steps, model: Any, totals: Sequence[Ref]) -> list[Ref]:
    """Of several cards, the log odds of each."""
    if getattr(model, "cards_", None) is None or len(totals) == 1:
        return list(totals)
    cards = zip(model._own_cards, totals, strict=True)
    return [
        steps.add(steps.multiply(steps.number(card.unit), one), steps.number(card.bias))
        for card, one in cards
    ]


def sparse_shares(steps: Steps, model: Any, scores: Sequence[Ref]) -> list[Ref]:
    """The probability of each class against the rest."""
    if getattr(model, "cards_", None) is not None and len(scores) == 1:
        card = model.cards_[0]
        points = steps.subtract(scores[0], steps.number(float(model.intercept_[0])))
        return [unit_of_risk(steps, points, card.unit, card.bias)]
    if model._risk is None:
        return [steps.logistic(one) for one in scores]
    if model._totals is None or len(scores) > 1:
        return [unit_of_risk(steps, one, model._risk.slope, model._risk.shift) for one in scores]
    risk = steps.interpolate(scores[0], *(part.tolist() for part in model._vote_knots()))
    half, above = steps.number(0.5), steps.number(ABOVE)
    high = steps.choose(steps.above(above, risk), above, risk)
    low = steps.choose(steps.above(half, risk), risk, half)
    return [steps.choose(steps.above(scores[0], steps.number(0.0)), high, low)]


def calibrated(steps: Steps, answer: Answer, curves: Sequence[Curve]) -> list[Ref]:
    """Posteriors by the curves of a `CalibratedClassifierCV`."""
    inputs = answer.scores or (answer.probabilities[1:] if len(curves) == 1 else answer.probabilities)
    shares = [_curved(steps, one, curve) for one, curve in zip(inputs, curves, strict=True)]
    if len(shares) == 1:
        return [steps.subtract(steps.number(1.0), shares[0]), shares[0]]
    total, even = steps.sum(shares), steps.number(1.0 / len(shares))
    nothing = steps.at_least(steps.number(0.0), total)
    whole = steps.choose(nothing, steps.number(1.0), total)  # no division by 0
    return [steps.choose(nothing, even, steps.divide(one, whole)) for one in shares]


def _curved(steps: Steps, score: Ref, curve: Curve) -> Ref:
    if len(curve.scores):
        return steps.interpolate(score, curve.scores.tolist(), curve.posteriors.tolist())
    return unit_of_risk(steps, score, -curve.slope, -curve.offset)


def priced(steps: Steps, posteriors: Sequence[Ref], prices: Prices) -> Answer:
    """`ChowClassifier`: the cheapest answer, or a rejection where that is cheaper."""
    gain, wrong, reject = (part.tolist() for part in prices)
    if prices.uniform:
        worth, needed = list(posteriors), steps.number(threshold(prices))
    else:
        factors = [a + b for a, b in zip(gain, wrong, strict=True)]
        worth = [steps.multiply(one, steps.number(f)) for one, f in zip(posteriors, factors, strict=True)]
        needed = steps.weighted(posteriors, [b - c for b, c in zip(wrong, reject, strict=True)])
    code, most = steps.largest(worth)
    rejected = steps.negation(steps.never()) if prices.free else steps.above(needed, most)
    return Answer((), tuple(posteriors), code, rejected)


def promised(steps: Steps, inner: Answer, thresholds: Sequence[float]) -> Answer:
    """`SelectiveClassifier`: answered where the certainty of an answer reaches the threshold of its class."""
    limits = [steps.number(one) for one in thresholds]
    limit = steps.pick(inner.code, limits) if len(set(limits)) > 1 else limits[0]
    enough = steps.at_least(_certainty(steps, inner), limit)
    return inner._replace(rejected=steps.negation(enough))


def _certainty(steps: Steps, inner: Answer) -> Ref:
    """The probability of the answer, or how far its score is ahead of the others."""
    if inner.probabilities:
        return steps.pick(inner.code, inner.probabilities)
    if len(inner.scores) == 1:
        (score,) = inner.scores
        is_second = steps.above(inner.code, steps.number(0.5))
        return steps.choose(is_second, score, steps.subtract(steps.number(0.0), score))
    others = []
    for k, one in enumerate(inner.scores):
        own = steps.both(
            steps.above(inner.code, steps.number(k - 0.5)), steps.above(steps.number(k + 0.5), inner.code)
        )
        others.append(steps.choose(own, steps.number(-np.inf), one))
    return steps.subtract(steps.pick(inner.code, inner.scores), steps.largest(others)[1])


def passed_on(
    steps: Steps, posteriors: Sequence[Sequence[Ref]], prices: Prices, thresholds: Sequence[float | None]
) -> Answer:
    """`Cascade`: each stage answers, or passes the row on where that is expected to be cheaper."""
    gain, wrong, reject = (part.tolist() for part in prices)
    code = rejected = None
    for own, price in reversed([*zip(posteriors, thresholds, strict=True)]):
        worth = [steps.multiply(one, steps.number(a + b)) for one, a, b in zip(own, gain, wrong, strict=True)]
        place, most = steps.largest(worth)
        expected = steps.subtract(steps.weighted(own, wrong), most)
        limit = steps.weighted(own, reject) if price is None else steps.number(price)
        on = steps.above(expected, limit)
        if code is None or rejected is None:
            code, rejected = place, on
        else:
            code = steps.choose(on, code, place)
            rejected = steps.both(on, rejected)
    assert code is not None
    return Answer((), (), code, rejected)
