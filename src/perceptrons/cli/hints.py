"""Hints: columns that are probably not meant as they are read."""

import re
import shlex
from collections.abc import Callable, Collection
from typing import Any, NamedTuple

from ..tables.cells import NOMINAL, shown
from ..tables.layout import FEW_VALUES
from ..tables.read import CODE

DATE = r"^(\d{4}-\d{2}-\d{2}|\d{1,2}[./]\d{1,2}[./]\d{2,4}|\d{1,2}:\d{2})"
NUMBER = r"^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$"
UNIT = r"^([-+]?\d+(?:[.,]\d+)?)\s?([^\W\d_]{1,5})$"  # a number and a word behind it
FEW = 3  # texts among numbers, which may mark what is missing


class Form(NamedTuple):
    """A way to write numbers that no computer reads."""

    pattern: str
    what: str
    plain: Callable[[str], str]


FORMS = (  # where several fit as many cells, the first
    Form(
        r"^[-+]?[1-9]\d{0,2}([, '’]\d{3})+(\.\d+)?$",
        "thousands separators",
        lambda t: re.sub("[, '’]", "", t),
    ),
    Form(
        r"^[-+]?(\d+|\d{1,3}(\.\d{3})+),\d+$",
        "decimal commas",
        lambda t: t.replace(".", "").replace(",", "."),
    ),
    Form(r"^[-+]?\d+([.,]\d+)?\s?%$", "percent signs", lambda t: t.rstrip(" %").replace(",", ".")),
)


def hints(frame: Any, facts: list[Any], unnamed: list[str], nominal: Collection[str]) -> list[str]:
    """A line each; `nominal` are the columns that were called so."""
    lines = [_no_name(name) for name in unnamed if name in frame.columns]
    for one in facts:
        if one.kind == NOMINAL:
            line = "" if one.name in nominal else _about_numbers(frame[one.name].drop_nulls())
            lines += [line] * bool(line)
    return lines


def _no_name(name: str) -> str:
    return f"column {name.removeprefix('column_')} has no name; it is called {name}, {_drop(name)}."


def _drop(name: str) -> str:
    return f"--drop {shlex.quote(name)} leaves it out"


def _about_numbers(texts: Any) -> str:
    """Of a column that holds names: are most of them numbers, or dates?"""
    if 2 * texts.str.contains(DATE).sum() > len(texts):
        return (
            f"column {texts.name!r} holds dates or times, which are read as names; write them as numbers, "
            f"like days since the first, or {_drop(texts.name)}."
        )
    codes = texts.filter(texts.str.contains(CODE))
    if len(codes) and texts.str.contains(NUMBER).all():
        return (
            f"column {texts.name!r} holds codes, which have zeros in front, so it is read as names; write "
            f"{int(codes[0])}, not {codes[0]}, if they are numbers."
        )
    with_unit = _about_units(texts)
    if with_unit:
        return with_unit
    others = texts.filter(~texts.str.contains(NUMBER))
    form = max(FORMS, key=lambda form: int(others.str.contains(form.pattern).sum()))
    odd = others.filter(others.str.contains(form.pattern))
    if 2 * len(odd) > len(others) and 2 * (len(texts) - len(others) + len(odd)) > len(texts):
        return (
            f"column {texts.name!r}: {len(odd):,} of {len(texts):,} cells have {form.what}, so it is read as "
            f"names; write {form.plain(odd[0])}, not {odd[0]}."
        )
    return _about_strays(texts, others) if 2 * len(others) < len(texts) else ""


def _about_units(texts: Any) -> str:
    """Of numbers that all have one unit behind them, like 12.5k or 80 kg."""
    units = texts.str.extract(UNIT, 2)
    if units.null_count() or units.n_unique() != 1 or texts.n_unique() <= FEW_VALUES:
        return ""
    number = str(texts.str.extract(UNIT, 1)[0]).replace(",", ".")
    return (
        f"column {texts.name!r}: all cells end in {shown(units[0])}, so it is read as names; write {number}, "
        f"not {texts[0]}."
    )


def _about_strays(texts: Any, others: Any) -> str:
    count = f"column {texts.name!r}: {len(texts) - len(others):,} of {len(texts):,} cells are numbers"
    strays = others.unique(maintain_order=True).to_list()
    if not strays:  # a typed file says that they are texts, and few of them may well be
        many = texts.n_unique() > FEW_VALUES
        return f"column {texts.name!r} holds numbers as texts, so it is read as names." if many else ""
    remedy = "fix them, or mark them with --missing."
    if len(strays) <= FEW:
        remedy = f"{' '.join(f'--missing {shlex.quote(text)}' for text in strays)} marks them."
    return f"{count}, the others like {shown(strays[0])}; read as names. {remedy}"
