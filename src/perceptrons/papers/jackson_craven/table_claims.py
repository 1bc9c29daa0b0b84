"""Jackson and Craven's Tables 1 and 2, and what they say about them, held against a run of ours.

`values["results"][domain][method]` has, for each run, the accuracies (percent) and the numbers of weights of
the folds. How near is near, and when a star counts, stands with each claim.
"""

from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any

import numpy as np
from scipy.stats import ttest_rel

from ..experiment import Claim, Values, incomparable, judged, near, spread
from . import codons

DOMAINS = ("voting", "promoters", "coding")
BOOSTING, OPEN = "boosting", "pruned 2nd-order"
COLUMNS = (BOOSTING, "tree", "multi-layer", "ordinary", "2nd-order", "pruned")  # of Table 1
ACCURACIES = {  # Table 1, percent
    "voting": (91.5, 89.2, 92.2, 90.8, 89.2, 87.6),
    "promoters": (92.7, 84.4, 90.6, 90.0, 88.7, 88.2),
    "coding": (72.9, 62.6, 71.6, 70.7, 69.8, 70.3),
}
STARS = {  # Table 1: significantly less accurate than boosting
    "voting": ("tree", "2nd-order", "pruned"),
    "promoters": ("tree", "ordinary", "2nd-order", "pruned"),
    "coding": ("tree", "multi-layer", "ordinary", "2nd-order", "pruned"),
}
WEIGHTS = {  # Table 2; nothing about trees
    "voting": (12, None, 651, 30, 450, 12),
    "promoters": (41, None, 2267, 228, 25764, 59),
    "coding": (52, None, 4270, 60, 1740, 37),
}
LEVEL = 0.05  # of the t-test
PLACES = (("voting", ("voting",)), ("promoters, coding (other rows)", ("promoters", "coding")))
OTHER_ROWS = {"promoters": "UCI's 106 rows, not the authors' superset", "coding": "not the authors' windows"}


def paper(of: dict[str, Any], domain: str, method: str) -> Any:
    """A cell of one of the tables; None where there is none."""
    return dict(zip(COLUMNS, of[domain], strict=True)).get(method)


def means(values: Values, domain: str, method: str, of: str = "accuracy") -> list[float]:
    """The mean over the folds of each run."""
    return [fmean(run) for run in values["results"][domain][method][of]]


def weights(values: Values, domain: str, method: str) -> float:
    return fmean(means(values, domain, method, "weights"))


def better(some: Sequence[float], others: Sequence[float]) -> bool:
    """Whether some accuracies are higher than others, fold by fold, by the paired t-test.

    >>> better([90.0, 91.0, 92.0], [89.0, 89.9, 91.2]), better([90.0, 91.0, 92.0], [90.0, 93.0, 88.0])
    (True, False)
    """
    differences = np.subtract(some, others)
    if np.ptp(differences) == 0.0:  # of which the test cannot tell a deviation
        return bool(differences[0] > 0.0)
    return bool(differences.mean() > 0.0 and ttest_rel(some, others).pvalue <= LEVEL)


def stars(values: Values, domain: str, method: str) -> list[bool]:
    """For each run, whether the method is significantly less accurate than boosting."""
    return [better(boosted, other) for other, boosted in _beside_boosting(values, domain, method)]


def wins(values: Values, domain: str, method: str) -> list[bool]:
    """... more accurate."""
    return [better(other, boosted) for other, boosted in _beside_boosting(values, domain, method)]


def _beside_boosting(values: Values, domain: str, method: str) -> list[tuple[list[float], list[float]]]:
    """Its runs may be fewer."""
    results = values["results"][domain]
    return list(zip(results[method]["accuracy"], results[BOOSTING]["accuracy"], strict=False))


def mostly(runs: Sequence[bool]) -> bool:
    """In half of the runs or more; of no runs, not."""
    return 0 < len(runs) <= 2 * sum(runs)


def check(values: Values) -> list[Claim]:
    return [
        *_voting(values),
        *(claim(values, *of) for claim in (_nobody_better, _starred) for of in PLACES),
        *_sizes(values),
        *_other_rows(values),
        *codons.claims(values),
        _open_question(values),
    ]


def _voting(values: Values) -> list[Claim]:
    """The one domain whose rows are the authors'."""
    claims = []
    for method in (one for one in COLUMNS if one in values["results"]["voting"]):
        main, said = method == BOOSTING, paper(ACCURACIES, "voting", method)
        found = means(values, "voting", method)
        text = f"voting: accuracy of {method}"
        claim = near(text, said, found, 1.0 if main else 2.0, unit=" %", main=main)
        chosen = method == "multi-layer"  # see `compared_learners`
        claims.append(
            replace(claim, rule=claim.rule + "; how it is trained was chosen with this in view" * chosen)
        )
    for method in (BOOSTING, "pruned"):
        found = means(values, "voting", method, "weights")
        text = f"voting: weights of {method}"
        claims.append(near(text, paper(WEIGHTS, "voting", method), found, 2.0, main=method == BOOSTING))
    return claims


def _cells(values: Values, domains: Sequence[str] = DOMAINS) -> list[tuple[str, str]]:
    """The cells of Table 1 that were run, except for boosting."""
    return [
        (domain, method)
        for domain in domains
        for method in COLUMNS[1:]
        if method in values["results"][domain]
    ]


def _nobody_better(values: Values, where: str, domains: Sequence[str]) -> Claim:
    cells = _cells(values, domains)
    found = [cell for cell in cells if mostly(wins(values, *cell))]
    return judged(
        not found,
        f"{where}: no other algorithm is significantly better than boosting",
        "none",
        "; ".join(f"{domain}: {method}" for domain, method in found) or "none",
        f"t-test, p ≤ {LEVEL:g} in half of the runs or more, for none of {len(cells)}",
        main=True,
    )


def _starred(values: Values, where: str, domains: Sequence[str]) -> Claim:
    theirs = [(domain, method) for domain, method in _cells(values, domains) if method in STARS[domain]]
    ours = [cell for cell in theirs if mostly(stars(values, *cell))]
    counts = [f"{_count(ours, domain)} of {_count(theirs, domain)} ({domain})" for domain in domains]
    return judged(
        ours == theirs,
        f"{where}: the methods with a star are significantly less accurate than boosting",
        f"{len(theirs)} stars",
        ", ".join(counts),
        f"t-test, p ≤ {LEVEL:g} in half of the runs or more, for all of them",
        main=True,
    )


def _count(cells: Sequence[tuple[str, str]], domain: str) -> int:
    return sum(one == domain for one, _ in cells)


def _sizes(values: Values) -> list[Claim]:
    """Table 2."""
    larger = [cell for cell in _cells(values) if cell[1] in ("multi-layer", "ordinary", "2nd-order")]
    counted = [cell for cell in larger if cell[1] != "multi-layer"]
    wrong = [cell for cell in counted if _counts(values, *cell) != {paper(WEIGHTS, *cell)}]
    not_fewer = [cell for cell in larger if weights(values, cell[0], BOOSTING) >= weights(values, *cell)]
    ratios = {one: weights(values, one, "pruned") / weights(values, one, BOOSTING) for one in DOMAINS}
    said = {one: paper(WEIGHTS, one, "pruned") / paper(WEIGHTS, one, BOOSTING) for one in DOMAINS}
    hidden, told = weights(values, "voting", "multi-layer"), paper(WEIGHTS, "voting", "multi-layer")
    return [
        judged(
            0.5 <= hidden / told <= 2,
            "voting: weights of multi-layer",
            f"{told}",
            f"{hidden:,.0f}",
            "within a factor of 2",
        ),
        judged(
            not wrong,
            "Ordinary perceptrons have 30, 228, 60 weights, 2nd-order ones 450, 25,764, 1,740",
            "Table 2",
            f"{len(counted) - len(wrong)} of {len(counted)} numbers",
            "equal in every fold",
        ),
        judged(
            not not_fewer,
            "Boosting has fewer weights than multi-layer, ordinary and 2nd-order perceptrons",
            "in all domains",
            f"{len(larger) - len(not_fewer)} of {len(larger)} cells",
            "means over folds and runs, in all cells",
        ),
        judged(
            all(0.5 <= ratio <= 2 for ratio in ratios.values()),
            "Pruned and boosted perceptrons are of comparable size",
            _listed(said),
            _listed(ratios),
            "pruned/boosted weights, all within a factor of 2",
        ),
    ]


def _counts(values: Values, domain: str, method: str) -> set[int]:
    return {count for run in values["results"][domain][method]["weights"] for count in run}


def _listed(ratios: dict[str, float]) -> str:
    return ", ".join(f"{domain} {ratio:.2f}" for domain, ratio in ratios.items())


def _other_rows(values: Values) -> list[Claim]:
    claims = []
    for domain, reason in OTHER_ROWS.items():
        accuracy, size = spread(means(values, domain, BOOSTING)), weights(values, domain, BOOSTING)
        said = f"{paper(ACCURACIES, domain, BOOSTING)} %, {paper(WEIGHTS, domain, BOOSTING)} weights"
        text = f"{domain}: accuracy and size of boosting"
        claims.append(incomparable(text, said, f"{accuracy} %, {size:.0f} weights", reason, main=True))
    return claims


def _open_question(values: Values) -> Claim:
    """Matched, unless it is significantly less accurate."""
    asked = [domain for domain in DOMAINS if OPEN in values["results"][domain]]
    lost = {domain: stars(values, domain, OPEN) for domain in asked}
    answers = [
        f"{'no' if mostly(runs) else 'yes'} on {domain} ({weights(values, domain, OPEN):,.0f} weights)"
        for domain, runs in lost.items()
    ]
    counts = ", ".join(f"{domain} {sum(runs)} of {len(runs)}" for domain, runs in lost.items())
    return incomparable(
        "Open question: do pruned 2nd-order perceptrons match boosting's accuracy?",
        "open",
        ", ".join(answers),
        f"the authors left it open; runs in which they are significantly less accurate: {counts}",
        main=True,
    )
