"""Numbers as people write them: $1,234.50, 1.234,50 €, 12 %, (300), 1'000.

A column is read as such numbers if all its cells can be, with one decimal mark and one currency; 12 % is 12.
"""

import re
from collections.abc import Iterable

POINT, COMMA = "decimal point", "decimal comma"
CODES = (
    "USD EUR GBP CHF JPY CNY INR SEK NOK DKK PLN CZK HUF AUD CAD NZD BRL MXN ZAR TRY RUB KRW kr zł Fr R\\$"
)
UNIT = rf"(?:[$€£¥₹₽₩₺₫฿%]|{CODES.replace(' ', '|')})"
SPACES = "[ \u00a0\u202f]"
GROUPS = {  # digits in groups of three, or none
    POINT: rf"(?:[1-9]\d{{0,2}}(?:(?:,|{SPACES}|['’])\d{{3}})+(?:\.\d*)?|\d+\.?\d*|\.\d+)",
    COMMA: rf"(?:[1-9]\d{{0,2}}(?:(?:\.|{SPACES}|['’])\d{{3}})+(?:,\d*)?|\d+,?\d*)",
}
FORMS = {
    mark: re.compile(
        rf"(?P<open>\()?(?P<sign>[-+−]?){SPACES}?(?P<before>{UNIT})?{SPACES}?(?P<inner>[-+−]?)"
        rf"(?P<digits>{digits}){SPACES}?(?P<after>{UNIT})?(?(open)\))"
    )
    for mark, digits in GROUPS.items()
}
PLAIN = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
LEADING_ZERO = re.compile(r"0\d")


def decimal_mark(texts: Iterable[str]) -> str | None:
    """How these texts write numbers: `POINT` or `COMMA`; None if one is no number, or all are plain ones.

    A text that could be either, like 1,234, is read with a point if all others can be, too; other columns of
    the table may tell better (`treatments.in_agreement`).
    """
    units: set[str] = set()
    odd, marks = False, [POINT, COMMA]
    for text in texts:
        fits = [(mark, found) for mark in marks if (found := FORMS[mark].fullmatch(text))]
        if not fits:
            return None
        marks = [mark for mark, _ in fits]
        digits = fits[0][1]
        if LEADING_ZERO.match(digits["digits"]) or (digits["before"] and digits["after"]):
            return None  # a code, such as 007
        units |= {unit for unit in (digits["before"], digits["after"]) if unit}
        odd = odd or not PLAIN.fullmatch(text)
    return marks[0] if odd and marks and len(units) < 2 else None


def may_have_commas(texts: Iterable[str]) -> bool:
    """Could these texts, too, be numbers with decimal commas, like 1,234?"""
    return all(FORMS[COMMA].fullmatch(text) for text in texts)


def number_of(text: str, mark: str) -> float | None:
    """The number that a text writes with this decimal mark; None if it writes none."""
    found = FORMS[mark].fullmatch(text.strip())
    if found is None:
        return float(text) if PLAIN.fullmatch(text.strip()) else None
    digits = re.sub(rf"{SPACES}|['’]", "", found["digits"])
    plain = digits.replace(",", "") if mark == POINT else digits.replace(".", "").replace(",", ".")
    negative = bool(found["open"]) or found["sign"] in ("-", "−") or found["inner"] in ("-", "−")
    return -float(plain) if negative else float(plain)
