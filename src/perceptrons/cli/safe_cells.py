"""Texts as cells of a file that others open: a spreadsheet computes what begins with =, +, -, @, a tab or a
carriage return, and a class of a table from elsewhere may be anything."""

import re
from typing import Any

from ..texts import harmless

STARTS = ("=", "+", "-", "@", "\t", "\r")
NUMBER = re.compile(r"[-+]?[0-9.,]*[0-9][0-9.,]*([eE][-+]?[0-9]+)?%?")
QUOTE = "'"  # before a text, which a spreadsheet then takes as it is


def safe_columns(columns: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """The same columns; texts that would be computed or obeyed are written so that they are seen."""
    return {safe_text(name): _safe_cells(values) for name, values in columns.items()}


def _safe_cells(values: list[Any]) -> list[Any]:
    texts = {value: safe_text(value) for value in set(values) if isinstance(value, str)}
    return [texts[value] if isinstance(value, str) else value for value in values] if texts else values


def safe_text(text: str) -> str:
    """A sign alone, and what reads as a number, computes nothing and stays.

    >>> safe_text("=1+1"), safe_text("-"), safe_text("-1.5"), safe_text("-1+cmd")
    ("'=1+1", '-', '-1.5', "'-1+cmd")
    """
    formula = text.startswith(STARTS) and len(text) > 1 and not _is_number(text)
    return harmless(QUOTE + text if formula else text)


def _is_number(text: str) -> bool:
    if NUMBER.fullmatch(text):
        return True
    try:
        float(text)
    except ValueError:
        return False
    return text.strip() == text
