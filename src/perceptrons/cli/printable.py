"""Text from files and tables on its way to a terminal, which would obey its control characters."""

import unicodedata

UNSEEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}  # control, invisible (they can reverse a line), surrogates, line ends


def printable(text: object) -> str:
    """The text with every character that is not to be seen written as an escape."""
    plain = str(text)
    return plain if plain.isprintable() else "".join(map(_escape, plain))


def _escape(character: str) -> str:
    unseen = unicodedata.category(character) in UNSEEN
    return character.encode("unicode_escape").decode() if unseen else character


def one_line(text: object) -> str:
    """A message as one line."""
    return printable(" ".join(str(text).split()))
