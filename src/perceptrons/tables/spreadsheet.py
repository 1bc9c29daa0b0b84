"""The first sheet of an Excel workbook (.xlsx) as texts, which are then read like those of a CSV file.

A workbook is a zip archive of XML: the cells of a sheet, the texts they share, and styles, by which numbers
are dates. Formulas count by the value they had when the workbook was saved.
"""

import datetime
import re
import zipfile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
STRICT = "{http://purl.oclc.org/ooxml/spreadsheetml/main}"
RELATION = "{http://schemas.openxmlformats.org/package/2006/relationships}"
MOST = 2**30  # bytes of a part, unpacked
DATES = {*range(14, 18), 22}  # formats of dates that every workbook knows
TIMES = {18, 19, 20, 21, 45, 46, 47}
ADDRESS = re.compile(r"([A-Z]{1,3})[0-9]+")


def read_workbook(path: Path) -> tuple[list[list[str]], str]:
    """The rows of the first sheet, all of one length, and its name."""
    try:
        with zipfile.ZipFile(path) as archive:
            book = _xml(archive, "xl/workbook.xml")
            sheet = _first_sheet(archive, book)
            shared = _shared(archive)
            formats = _formats(archive)
            rows = _rows(_xml(archive, sheet[0]), shared, formats, _since_1904(book))
    except (zipfile.BadZipFile, KeyError, ElementTree.ParseError, ValueError, IndexError, EOFError) as error:
        reason = str(error).strip("'\".") or type(error).__name__
        raise ValueError(
            f"{path} is not a readable Excel workbook ({reason}); save the sheet as CSV."
        ) from None
    width = max(map(len, rows), default=0)
    return [[*row, *[""] * (width - len(row))] for row in rows], sheet[1]


def _xml(archive: zipfile.ZipFile, name: str) -> Any:
    if archive.getinfo(name).file_size > MOST:
        raise ValueError(f"{name} would have more than {MOST:,} bytes")
    text = archive.read(name)
    if b"<!DOCTYPE" in text or b"<!ENTITY" in text:  # could be a bomb; no workbook has one
        raise ValueError(f"{name} defines entities")
    return ElementTree.fromstring(text.replace(STRICT[1:-1].encode(), MAIN[1:-1].encode()))


def _first_sheet(archive: zipfile.ZipFile, book: Any) -> tuple[str, str]:
    first = book.find(f"{MAIN}sheets/{MAIN}sheet")
    if first is None:
        raise ValueError("it has no sheet")
    own = next(value for name, value in first.attrib.items() if name.endswith("}id"))
    for relation in _xml(archive, "xl/_rels/workbook.xml.rels"):
        if relation.get("Id") == own:
            target = str(relation.get("Target"))
            return target.lstrip("/") if target.startswith("/") else f"xl/{target}", str(first.get("name"))
    raise ValueError("its first sheet is missing")


def _since_1904(book: Any) -> bool:
    properties = book.find(f"{MAIN}workbookPr")
    return properties is not None and properties.get("date1904") in ("1", "true")


def _shared(archive: zipfile.ZipFile) -> list[str]:
    if "xl/sharedStrings.xml" not in archive.namelist():
        return []
    items = _xml(archive, "xl/sharedStrings.xml").findall(f"{MAIN}si")
    return [_text(item) for item in items]


def _text(item: Any) -> str:
    """Of a text and its parts in several fonts, without how it is to be pronounced."""
    parts = [item.find(f"{MAIN}t"), *item.findall(f"{MAIN}r/{MAIN}t")]
    return "".join(part.text or "" for part in parts if part is not None)


def _formats(archive: zipfile.ZipFile) -> list[str]:
    """For each style: "date", "time", "both", or "" for plain numbers."""
    if "xl/styles.xml" not in archive.namelist():
        return []
    styles = _xml(archive, "xl/styles.xml")
    own = {one.get("numFmtId"): str(one.get("formatCode")) for one in styles.iter(f"{MAIN}numFmt")}
    cells = styles.find(f"{MAIN}cellXfs")
    return [_kind(one.get("numFmtId"), own) for one in (cells if cells is not None else [])]


def _kind(number: str | None, own: dict[str | None, str]) -> str:
    code = own.get(number)
    if code is None:
        place = int(number or 0)
        return "both" if place == 22 else "date" if place in DATES else "time" if place in TIMES else ""
    plain = re.sub(r'"[^"]*"|\[[^\]]*\]|\\.', "", code).lower()
    day, clock = bool(re.search("[yd]", plain)), bool(re.search("[hs]", plain))
    return "both" if day and clock else "date" if day else "time" if clock else ""


def _rows(sheet: Any, shared: list[str], formats: list[str], since_1904: bool) -> list[list[str]]:
    rows: list[list[str]] = []
    for row in sheet.iter(f"{MAIN}row"):
        cells: list[str] = []
        for cell in row.findall(f"{MAIN}c"):
            place = _place(cell.get("r")) if cell.get("r") else len(cells)
            cells += [""] * (place - len(cells))
            cells.append(_cell(cell, shared, formats, since_1904))
        if any(text.strip() for text in cells):
            rows.append(cells)
    return rows


def _place(address: str) -> int:
    found = ADDRESS.fullmatch(address)
    if found is None:
        raise ValueError(f"a cell has the address {address!r}")
    place = 0
    for letter in found[1]:
        place = 26 * place + ord(letter) - ord("A") + 1
    if place > 16_384:
        raise ValueError(f"a cell has the address {address!r}")
    return place - 1


def _cell(cell: Any, shared: list[str], formats: list[str], since_1904: bool) -> str:
    kind, value = cell.get("t", "n"), cell.find(f"{MAIN}v")
    if kind == "inlineStr":
        inner = cell.find(f"{MAIN}is")
        return "" if inner is None else _text(inner)
    text = "" if value is None or value.text is None else str(value.text)
    if kind == "s":
        return shared[int(text)]
    if kind == "b":
        return {"1": "true", "0": "false"}.get(text, text)
    if kind == "e":  # such as #DIV/0!
        return ""
    style = int(cell.get("s", 0))
    form = formats[style] if kind == "n" and style < len(formats) else ""
    return _date(float(text), form, since_1904) if form and text else text


def _date(days: float, form: str, since_1904: bool) -> str:
    """Excel counts days from 1900, with a 29 February that there never was, or from 1904."""
    if form == "time":
        seconds = round(days % 1 * 86_400) % 86_400
        return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    start = datetime.datetime(1904, 1, 1) if since_1904 else datetime.datetime(1899, 12, 30)
    try:
        moment = start + datetime.timedelta(seconds=round(days * 86_400))
    except OverflowError:
        return f"{days:g}"
    return f"{moment.date()}" if form == "date" else moment.isoformat(" ")
