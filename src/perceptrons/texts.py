"""Names from tables and files on their way to people: what would act instead of being seen is escaped.

A control character can move the cursor, clear the screen or end a line early; one that changes the direction
of writing shows a name, or a whole line, as another one. And shares in percent, everywhere spelled alike.
"""

import re
import unicodedata

UNSEEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}  # control, invisible (they can reverse a line), surrogates, line ends
DIRECTIONS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
ACTS = re.compile(f"[\x00-\x1f\x7f-\x9f\u2028\u2029{DIRECTIONS}]")


def printable(text: object) -> str:
    """Text for a terminal or a message: all that is not seen is escaped."""
    plain = str(text)
    return plain if plain.isprintable() else "".join(map(_escape, plain))


def _escape(character: str) -> str:
    unseen = unicodedata.category(character) in UNSEEN
    return _escaped(character) if unseen else character


def harmless(text: str) -> str:
    """Text for a file: only what acts is escaped, and joiners stay, which words of some languages need."""
    return ACTS.sub(lambda found: _escaped(found[0]), text)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode()


def percent(value: float) -> str:
    return f"{hundredths(value)} %"


def hundredths(value: float) -> str:
    """A share in percent; all and nothing are said of all and nothing alone."""
    text = f"{100 * value:.1f}"
    if text == "100.0" and value < 1:
        return "> 99.9"
    return "< 0.1" if text == "0.0" and value > 0 else text
