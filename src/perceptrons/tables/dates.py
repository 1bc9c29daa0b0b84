"""Dates and times as people write them, and the numbers and names that are learned from them.

A date becomes days since 1970-01-01 (a fraction for the time of the day), its year, month and weekday;
where times stand beside dates, the hour as well. A time of the day alone becomes hours. Numbers of days are
shown as the dates they stand for.
"""

import datetime
import math
import re
from collections.abc import Iterable
from typing import Any

import numpy as np

from .._types import Array
from .thresholds import spelled

YEAR_FIRST, DAY_FIRST, MONTH_FIRST = "year-month-day", "day-month-year", "month-day-year"
BY_NAME, CLOCK, TIMED = "month by name", "time of day", " and time"
DATES = (YEAR_FIRST, DAY_FIRST, MONTH_FIRST, BY_NAME)  # where several fit, the first
FORMS = (CLOCK, *DATES, *(date + TIMED for date in DATES))
MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
TIME = r"(?P<H>\d{1,2}):(?P<M>\d{2})(?::(?P<S>\d{2}(?:\.\d+)?))?(?: ?(?P<half>[aApP])\.?[mM]\.?)?"
LATER = rf"(?:(?:T| +|, *){TIME}(?: ?(?P<zone>Z|UTC|[-+]\d{{2}}:?\d{{2}}))?)?"
NAME = rf"(?P<n>{'|'.join(MONTHS)})[a-z]*\.?"
PATTERNS = {
    YEAR_FIRST: rf"(?P<y>\d{{4}})(?P<s>[-./])(?P<m>\d{{1,2}})(?P=s)(?P<d>\d{{1,2}}){LATER}",
    DAY_FIRST: rf"(?P<d>\d{{1,2}})(?P<s>[-./])(?P<m>\d{{1,2}})(?P=s)(?P<y>\d{{4}}|\d{{2}}){LATER}",
    MONTH_FIRST: rf"(?P<m>\d{{1,2}})(?P<s>[-./])(?P<d>\d{{1,2}})(?P=s)(?P<y>\d{{4}}|\d{{2}}){LATER}",
    BY_NAME: rf"(?:(?P<d>\d{{1,2}})\.?[-./ ]+{NAME}|{NAME.replace('<n>', '<n2>')} (?P<d2>\d{{1,2}}))"
    rf",?[-./ ]*(?P<y>\d{{4}}){LATER}",
}
COMPILED = {form: re.compile(text, re.IGNORECASE) for form, text in PATTERNS.items()}
AT = re.compile(TIME)
EPOCH = datetime.datetime(1970, 1, 1)
DAY = 86_400  # seconds


class Moment(float):
    """Days since 1970-01-01 that are shown as a date."""

    def __str__(self) -> str:
        return date_text(self)


class Hours(float):
    """Hours since midnight that are shown as a time."""

    def __str__(self) -> str:
        seconds = round(self * 3600)
        return f"{seconds // 3600:02}:{seconds // 60 % 60:02}" + (
            f":{seconds % 60:02}" if seconds % 60 else ""
        )


def date_text(days: float) -> str:
    """The date, and the time if it is not midnight."""
    try:
        moment = EPOCH + datetime.timedelta(seconds=round(days * DAY))
    except OverflowError:
        return spelled(days)
    if moment == datetime.datetime.combine(moment.date(), datetime.time()):
        return f"{moment.date()}"
    return moment.isoformat(" ") if moment.second else moment.isoformat(" ", "minutes")


def date_form(texts: Iterable[str]) -> str | None:
    """How these texts write dates or times, one of `FORMS`; None if one is neither."""
    forms, timed = [CLOCK, *DATES], False
    n = 0
    for text in texts:
        n += 1
        forms = [form for form in forms if days_of(text, form) is not None]
        if not forms:
            return None
        timed = timed or (forms[0] != CLOCK and ":" in text)
    if not n or not forms:
        return None
    return forms[0] + TIMED if timed else forms[0]


def days_of(text: str, form: str) -> float | None:
    """Days since 1970-01-01, or hours of a time; None if the text is not written so."""
    text = text.strip()
    if form == CLOCK:
        at = AT.fullmatch(text)
        seconds = None if at is None else _seconds(at)
        return None if seconds is None else seconds / 3600
    found = COMPILED[form.removesuffix(TIMED)].fullmatch(text)
    if found is None:
        return None
    parts = found.groupdict()
    seconds = _seconds(found) if parts["H"] else 0.0
    if seconds is None:
        return None
    try:
        return (datetime.date(*_date(parts)) - EPOCH.date()).days + (seconds - _offset(parts["zone"])) / DAY
    except ValueError:  # there is no such day
        return None


def _date(parts: dict[str, Any]) -> tuple[int, int, int]:
    name, day = parts.get("n") or parts.get("n2"), parts.get("d") or parts.get("d2")
    month = MONTHS.index(name[:3].title()) + 1 if name else int(parts["m"])
    year = int(parts["y"])
    if len(parts["y"]) == 2:  # 69 is 1969, as POSIX has it
        year += 2000 if year < 69 else 1900
    return year, month, int(day)  # type: ignore[arg-type]  # one of the two groups has matched


def _seconds(found: "re.Match[str]") -> float | None:
    hours, minutes, seconds = int(found["H"]), int(found["M"]), float(found["S"] or 0.0)
    if found["half"]:
        if not 1 <= hours <= 12:
            return None
        hours = hours % 12 + (12 if found["half"] in "pP" else 0)
    return 3600 * hours + 60 * minutes + seconds if hours < 24 and minutes < 60 and seconds < 60 else None


def _offset(zone: str | None) -> int:
    if not zone or not zone[1:3].isdigit():
        return 0
    return (1 if zone[0] == "+" else -1) * (3600 * int(zone[1:3]) + 60 * int(zone[-2:]))


def days_in(values: Array) -> Array:
    """Days since 1970-01-01 of datetime64, NaN for NaT."""
    days = values.astype("datetime64[us]").astype(np.int64) / (DAY * 1e6)
    days[np.isnat(values)] = np.nan
    return np.asarray(days)


def days_of_object(value: Any) -> float | None:
    """The same of a date or datetime object of Python or pandas; hours of a time. None of other objects."""
    if isinstance(value, datetime.datetime):
        if value.tzinfo is not None:
            value = value.astimezone(datetime.UTC).replace(tzinfo=None)
        return float((value - EPOCH).total_seconds() / DAY)
    if isinstance(value, datetime.date):
        return float((value - EPOCH.date()).days)
    if isinstance(value, datetime.time):
        return value.hour + value.minute / 60 + value.second / 3600
    return None


def year_of(days: float) -> float:
    return float(_moment(days).year)


def month_of(days: float) -> str:
    return MONTHS[_moment(days).month - 1]


def weekday_of(days: float) -> str:
    return WEEKDAYS[_moment(days).weekday()]


def hour_of(days: float) -> float:
    return float(round((days - math.floor(days)) * DAY) // 3600 % 24)


def _moment(days: float) -> datetime.datetime:
    return EPOCH + datetime.timedelta(seconds=round(days * DAY))
