"""What Sundararajan and Pal claim of their rules on Pima, and whether it holds.

We judge on two sets of ten splits where the paper has one, and by a sign test where it compares medians: 200
test rows and ten splits leave medians uncertain by about 0.01. Splits share rows, so the test is a little too
ready to believe. The paper's numbers stand in a figure alone, which the text at hand lacks: medians are set
beside those of another implementation.
"""

import math
import statistics
from collections.abc import Sequence
from typing import Any

from ..experiment import Claim, Values, incomparable, judged
from .pima_protocol import CHOW, CPLR1, CPLR2, EXACT, GAMMAS, LIBERAL1, LIBERAL2, NAMES, REFERENCE

HALF = 0.5  # what a guess costs: the paper's experiment ends here
TOLERANCE, LEVEL = 0.01, 0.05  # of medians; of the sign test
COMPARED = [(CPLR1, LIBERAL1), (CPLR2, LIBERAL2), (CPLR1, CHOW), (CPLR2, CHOW), (EXACT, CPLR2)]
SIGN_TEST = f"lower risk split by split: one-sided sign test, p ≤ {LEVEL:g}"


def check(values: Values) -> list[Claim]:
    return [
        *(_beats(values, one, other, main=True) for one, other in COMPARED[:4]),
        *(_zero(values, method, main=method == CPLR2) for method in (CPLR1, CPLR2)),
        _chow_answers(values),
        _gains(values, COMPARED[:2]),
        _gains(values, COMPARED[2:4]),
        *(_medians(values, method) for method in REFERENCE),
        _stable(values),
    ]


def _beats(values: Values, one: str, other: str, main: bool) -> Claim:
    wins = {gamma: count_signs(gaps_of(values, one, other, gamma)) for gamma in _up_to_half(values)}
    held = [gamma for gamma, (lower, higher) in wins.items() if sign_test(lower, higher) <= LEVEL]
    rest = [(gamma, signs) for gamma, signs in wins.items() if gamma not in held]
    return judged(
        not rest,
        f"{NAMES[one]} beats {_beside(other)} for γ ≤ 0.5",
        "consistently" if other != CHOW else "an improvement",
        _at(held)
        + "".join(f"; {lower} of {lower + higher} at {gamma:g}" for gamma, (lower, higher) in rest[:1]),
        f"{SIGN_TEST}, at every γ; equal ones left out",
        main=main,
    )


def _gains(values: Values, pairs: Sequence[tuple[str, str]]) -> Claim:
    """Of both rules: more gain where rejections cost least than where they cost half an error."""
    costs = _up_to_half(values)
    signs = [_falls(values, one, other, costs[0], costs[-1]) for one, other in pairs]
    return judged(
        all(sign_test(more, less) <= LEVEL for more, less in signs),
        f"CPLR gains more over {_beside(pairs[0][1])} the less a rejection costs",
        "it seems so",
        ", ".join(f"{NAMES[one]} {more}" for (one, _), (more, _) in zip(pairs, signs, strict=True))
        + f" of {len(values['seeds'])}",
        f"splits that gain more at γ = {costs[0]:g} than at {costs[-1]:g}; sign test (p ≤ {LEVEL:g}), both",
    )


def _falls(values: Values, one: str, other: str, low: float, high: float) -> tuple[int, int]:
    """Splits with more gain, and with less, at the low cost than at the high one."""
    first, last = (gaps_of(values, one, other, gamma) for gamma in (low, high))
    return count_signs([a - b for a, b in zip(first, last, strict=True)])


def _zero(values: Values, method: str, main: bool) -> Claim:
    zeros, silent = _beyond_half(values, "zero", method), _beyond_half(values, "rejected", method)
    return judged(
        sum(zeros) > len(zeros) / 2,
        f"{NAMES[method]}: both bands are zero for γ > 0.5",
        "in most cases",
        f"{sum(zeros)} of {len(zeros)}; no row rejected in {silent.count(0)}",
        "both bands exactly 0 in more than half of splits and costs",
        main=main,
    )


def _chow_answers(values: Values) -> Claim:
    at_least_half = [j for j, gamma in enumerate(values["gammas"]) if gamma >= HALF]
    silent = [row[j] == 0 for row in values["rejected"][CHOW] for j in at_least_half]
    return judged(
        all(silent),
        "Chow's rule rejects nothing for γ ≥ 0.5",
        "always",
        f"{sum(silent)} of {len(silent)}",
        "no row rejected, in all splits and costs",
    )


def _medians(values: Values, method: str) -> Claim:
    """Over all splits, where the reference has them for γ up to 0.5."""
    cells = [
        (column_of(values, method, gamma), reference_range(method, gamma)) for gamma in _up_to_half(values)
    ]
    excess = [_outside(statistics.median(risks), *ends) for risks, ends in cells]
    limits = [max(TOLERANCE, 2 * _median_error(risks)) for risks, _ in cells]
    inside = [gap <= limit for gap, limit in zip(excess, limits, strict=True)]
    return judged(
        all(inside),
        f"{NAMES[method]}: median risks agree with another implementation's, γ ≤ 0.5",
        "a figure; the other: see the table",
        f"{sum(inside)} of {len(inside)} costs; off by ≤ {max(excess):.3f}",
        f"within {TOLERANCE:g} of its range, or two standard errors of a median",
        main=True,
        of_paper=False,
    )


def _stable(values: Values) -> Claim:
    medians = [statistics.median(column_of(values, CHOW, gamma)) for gamma in _up_to_half(values)]
    return incomparable(
        "PLR + Chow performs about the same whatever γ is",
        "fairly stable",
        f"median risk {min(medians):.3f} to {max(medians):.3f}",
        "the text at hand lacks the figure, and so what was measured; risks rise with γ",
    )


def sign_test(lower: int, higher: int) -> float:
    """Chance of this number of successes or more among lower + higher fair coins; 1 without any.

    >>> sign_test(9, 1)
    0.0107421875
    """
    n = lower + higher
    return sum(math.comb(n, k) for k in range(lower, n + 1)) / 2.0**n


def count_signs(gaps: Sequence[float]) -> tuple[int, int]:
    """How many are below 0 and above; risks are rounded, and so are their differences here."""
    rounded = [round(gap, 9) for gap in gaps]
    return sum(gap < 0 for gap in rounded), sum(gap > 0 for gap in rounded)


def column_of(values: Values, method: str, gamma: float, what: str = "risk") -> list[Any]:
    j = values["gammas"].index(gamma)
    return [row[j] for row in values[what][method]]


def gaps_of(values: Values, one: str, other: str, gamma: float) -> list[float]:
    mine, theirs = (column_of(values, method, gamma) for method in (one, other))
    return [a - b for a, b in zip(mine, theirs, strict=True)]


def _up_to_half(values: Values) -> list[float]:
    return [gamma for gamma in values["gammas"] if gamma <= HALF]


def _beyond_half(values: Values, what: str, method: str) -> list[Any]:
    columns = [column_of(values, method, gamma, what) for gamma in values["gammas"] if gamma > HALF]
    return [cell for column in columns for cell in column]


def reference_range(method: str, gamma: float) -> tuple[float, float]:
    return REFERENCE[method][GAMMAS.index(gamma)]


def _outside(number: float, low: float, high: float) -> float:
    return max(low - number, number - high, 0.0)


def _median_error(found: Sequence[float]) -> float:
    """Standard error of a median of normal numbers: √(π/2) that of their mean."""
    return math.sqrt(math.pi / 2) * statistics.stdev(found) / math.sqrt(len(found)) if len(found) > 1 else 0.0


def _beside(other: str) -> str:
    return NAMES[CHOW] if other == CHOW else "its liberal counterpart"


def _at(gammas: Sequence[float]) -> str:
    return "at γ = " + ", ".join(f"{gamma:g}" for gamma in gammas) if gammas else "at no γ"
