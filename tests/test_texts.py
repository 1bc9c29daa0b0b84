"""What would act on a terminal, or turn the direction of writing, is escaped; letters are not."""

import sys
import unicodedata

import pytest

from perceptrons.texts import ACTS, harmless, printable

ATTACKS = {
    "a\x1b[2Jb": r"a\x1b[2Jb",
    "a\nb\rc\td": r"a\nb\rc\td",
    "\u202eevil\u202c": r"\u202eevil\u202c",
    "\u2066x\u2069\u200f\u061c": r"\u2066x\u2069\u200f\u061c",
    "\u2028\u2029\x85\x7f": r"\u2028\u2029\x85\x7f",
}


@pytest.mark.parametrize("text", ATTACKS)
def test_what_acts_is_escaped(text):
    assert printable(text) == harmless(text) == ATTACKS[text]


@pytest.mark.parametrize("text", ["", "plain", "Größe", "年齢", "عمر", "-1", "a b", "😀"])
def test_letters_stay(text):
    assert printable(text) is text
    assert harmless(text) is text


def test_joiners_stay_in_files():
    persian = "می\u200cخواهم"
    assert harmless(persian) == persian
    assert printable(persian) == "می\\u200cخواهم"


def test_nothing_that_turns_or_controls_is_forgotten():
    turning = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
    for character in map(chr, range(sys.maxunicode + 1)):
        acts = unicodedata.category(character) in ("Cc", "Zl", "Zp")
        if acts or unicodedata.bidirectional(character) in turning:
            assert ACTS.fullmatch(character)
