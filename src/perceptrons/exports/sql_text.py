"""Numbers, strings and names of SQL, as SQLite, DuckDB and PostgreSQL all read them."""

from fractions import Fraction
from typing import Any

DIGITS = 15  # of a number that every engine reads exactly
LARGEST_PART = 2**62


def number(value: float) -> str:
    """A literal of double precision. Without an exponent some engines would read a decimal number."""
    text = repr(float(value))
    return text if "e" in text else f"{text.removesuffix('.0')}e0"


def exactly(value: float) -> str:
    """A number to compare with. SQLite may be wrong in the last bit of one of many digits, so that these are
    fractions of two whole numbers."""
    mantissa = repr(abs(float(value))).partition("e")[0].replace(".", "").strip("0")
    top, bottom = Fraction(value).as_integer_ratio()
    if len(mantissa) <= DIGITS or abs(top) > LARGEST_PART or bottom > LARGEST_PART:
        return number(value)
    return f"(CAST({top}e0 AS DOUBLE PRECISION) / {bottom}e0)"


def string(text: str, what: str = "The name") -> str:
    return "'" + _plain(text, what).replace("'", "''") + "'"


def quoted(name: str) -> str:
    """A name of a table or a column."""
    return '"' + _plain(name, "The name").replace('"', '""') + '"'


def _plain(text: str, what: str) -> str:
    if "\0" in text:
        raise ValueError(f"{what} {text!a} holds a NUL, which SQL cannot; rename it.")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(
            f"{what} {text!a} holds half a surrogate pair, which UTF-8 cannot; rename it."
        ) from None
    return text


def literal(value: Any, as_text: bool = False) -> str:
    """A label."""
    if isinstance(value, str) or as_text:
        return string(str(value), "The label")
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    return str(value) if isinstance(value, int) else number(value)


def comment(text: str) -> str:
    """Text after two hyphens, on one line."""
    return text.encode("unicode_escape").decode()
