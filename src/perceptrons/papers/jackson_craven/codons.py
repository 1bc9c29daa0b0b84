"""Codons: do the pairs that boosting chooses lie inside one (Jackson and Craven, section 4, last paragraph)?

A window has 15 bases, five codons of three. Of the 105 pairs of positions 15 lie inside one codon: that is
chance. Nothing tells the learner where codons begin.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

from scipy.stats import binomtest

from ..experiment import Claim, ResultTable, Values, incomparable, judged
from ..pictures import BLUE, GRAY, INK, ORANGE, PALE

WIDTH, CODON = 15, 3
CHANCE = (CODON - 1) / (WIDTH - 1)  # of the other positions, those in the same codon: 1/7
NEARLY_ALL, SURE = 0.8, 0.01
Models = Sequence[Sequence[str]]  # the pairs of each model, in words: p1 = a and p2 = g
SAME = "Nearly all pairs chosen lie inside one codon"
MORE = "Pairs lie inside one codon more often than by chance"


def positions(pair: str) -> tuple[int, int]:
    """
    >>> positions("p4 = a and p6 = t")
    (4, 6)
    """
    one, other = map(int, re.findall(r"\bp(\d+) =", pair))
    return one, other


def is_inside(pair: str) -> bool:
    """Whether both bases are in one codon.

    >>> is_inside("p4 = a and p6 = t"), is_inside("p3 = a and p4 = t")
    (True, False)
    """
    one, other = positions(pair)
    return (one - 1) // CODON == (other - 1) // CODON


def n_inside(pairs: Iterable[str]) -> int:
    return sum(map(is_inside, pairs))


def claims(values: Values) -> list[Claim]:
    models: Models = values["pairs"]["boosting"]
    pairs, distinct = [*chain(*models)], {*chain(*models)}
    if not pairs:
        none = "no pair was chosen from so few windows"
        return [incomparable(text, said, "no pairs", none, main=text == SAME) for text, said in _SAID.items()]
    share, p = n_inside(pairs) / len(pairs), p_value(distinct)
    return [
        judged(
            share >= NEARLY_ALL,
            SAME,
            _SAID[SAME],
            f"{n_inside(pairs)} of {len(pairs)}, {share:.0%}",
            f"at least {NEARLY_ALL:.0%}; chance {CHANCE:.0%}; each fold: see the table",
            main=True,
        ),
        judged(
            p <= SURE,
            MORE,
            _SAID[MORE],
            f"{n_inside(distinct)} of {len(distinct)} distinct, p = {p:.1g}",
            f"binomial test against {CHANCE:.3f}, p ≤ {SURE:g}; a pair of several folds counts once",
        ),
    ]


_SAID = {SAME: "nearly all", MORE: "implied"}


def p_value(pairs: Iterable[str]) -> float:
    """Chance of this number inside or more, were positions drawn at random."""
    held = [*pairs]
    return float(binomtest(n_inside(held), len(held), CHANCE, alternative="greater").pvalue)


def table(values: Values) -> ResultTable:
    rows = [_row(method, models) for method, models in values["pairs"].items()]
    return ResultTable(
        f"Pairs of bases inside one codon, coding windows (by chance {CHANCE:.0%})",
        ("method", "pairs", "inside one codon", "in each model"),
        rows,
    )


def _row(method: str, models: Models) -> list[str]:
    pairs = [*chain(*models)]
    share = f"{n_inside(pairs) / len(pairs):.0%}" if pairs else "-"
    return [method, str(len(pairs)), share, ", ".join(f"{n_inside(one)}/{len(one)}" for one in models)]


def draw(axes: Any, values: Values) -> None:
    """The window as a row of bases, an arc for each pair, the wider the more there are for two positions."""
    pairs = [*chain(*values["pairs"]["boosting"])]
    for start in range(1, WIDTH, CODON):
        axes.axvspan(start - 0.44, start + CODON - 0.56, 0, 1, color=PALE, zorder=0)
    for place in range(1, WIDTH + 1):
        axes.plot(place, 0, "o", ms=15, mfc="white", mec=GRAY, zorder=3)
        axes.text(place, -0.02, str(place), ha="center", va="center", fontsize=8, zorder=4)
    counts = _counted(pairs)
    for ends, n_pairs in counts.items():
        _arc(axes, *ends, n_pairs, n_pairs / max(counts.values()))
    axes.set(xlim=(0.3, WIDTH + 0.7), ylim=(-0.4, _tallest(pairs) + 0.2), yticks=[], xticks=[])
    axes.spines[:].set_visible(False)
    said = f"{n_inside(pairs)} of {len(pairs)} pairs that boosting chose lie inside one codon"
    axes.set_title(f"coding: {said} (chance: {CHANCE:.0%})")


def _counted(pairs: Sequence[str]) -> dict[tuple[int, int], int]:
    ends = [positions(pair) for pair in pairs]
    return {one: ends.count(one) for one in sorted(set(ends))}


def _tallest(pairs: Sequence[str]) -> float:
    return max([1.0, *(_height(*positions(pair)) for pair in pairs)])


def _height(one: int, other: int) -> float:
    return 0.35 + 0.35 * (other - one)


def _arc(axes: Any, one: int, other: int, n_pairs: int, share: float) -> None:
    """A parabola from one base to the other."""
    steps = [step / 40 for step in range(41)]
    top = _height(one, other)
    inside = (one - 1) // CODON == (other - 1) // CODON
    axes.plot(
        [one + (other - one) * t for t in steps],
        [4 * top * t * (1 - t) for t in steps],
        color=BLUE if inside else ORANGE,
        lw=0.8 + 3 * share,
        solid_capstyle="round",
        zorder=2,
    )
    paper = {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none"}
    axes.text(
        (one + other) / 2, top, str(n_pairs), ha="center", va="center", fontsize=7, color=INK, bbox=paper
    )
