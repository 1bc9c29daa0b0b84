"""Pairs of bases inside one codon: counted, tested against chance, and judged."""

from itertools import combinations

import pytest
from matplotlib.figure import Figure

from perceptrons.papers.jackson_craven import codons

YES, NO, APART = "reproduced", "not reproduced", "not comparable"
PAIRS = [f"p{start} = a and p{start + 1} = c" for start in (1, 4, 7, 10, 13)]


def test_chance_is_the_share_of_position_pairs():
    pairs = [f"p{i} = a and p{j} = c" for i, j in combinations(range(1, 16), 2)]
    assert codons.n_inside(pairs) == 15
    assert codons.CHANCE == pytest.approx(codons.n_inside(pairs) / len(pairs))


@pytest.mark.parametrize(
    ("models", "expected"),
    [
        ([PAIRS[:4], ["p3 = a and p4 = c"]], [YES, YES]),  # 80 %
        ([PAIRS[:3], ["p3 = a and p4 = c"]], [NO, NO]),  # 75 %, and p = 0.0104
        ([["p1 = a and p3 = c", "p3 = a and p4 = c"], ["p1 = a and p4 = g", "p9 = t and p10 = t"]], [NO, NO]),
        ([["p1 = a and p3 = c"], ["p1 = a and p3 = c"]], [YES, NO]),  # one pair, however often
        ([[], []], [APART, APART]),
    ],
)
def test_codons(models, expected):
    values = {"pairs": {"boosting": models}}
    assert [claim.verdict for claim in codons.claims(values)] == expected
    codons.draw(Figure().subplots(), values)
    assert codons.table(values).rows[0][1] == str(sum(map(len, models)))


def test_p_value_is_the_tail_of_a_binomial():
    pairs = ["p1 = a and p2 = c", "p1 = a and p2 = g", "p1 = a and p4 = g"]
    assert codons.p_value(pairs) == pytest.approx(3 * (1 / 7) ** 2 * (6 / 7) + (1 / 7) ** 3)
