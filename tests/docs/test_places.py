"""docs/papers/places.md: every place that it names exists."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from tools import ROOT

PAGE = ROOT / "docs" / "papers" / "places.md"
ROWS = [line.split(" | ") for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
ROWS = [row for row in ROWS if not row[0].startswith("| in the")]
PLACE = re.compile(r"`([\w/]+\.py)(?:::([\w.]+))?`")
LINK = re.compile(r"\]\(([\w-]+\.md)#([\w-]+)\)")


@cache
def names(path: Path) -> set[str]:
    """Functions, classes, methods and constants of a module."""
    found = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        if isinstance(node, ast.ClassDef):
            found |= {f"{node.name}.{one.name}" for one in node.body if isinstance(one, ast.FunctionDef)}
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)}
    return found


def test_there_are_many():
    assert len(ROWS) > 100
    assert sum(line.startswith("## ") for line in PAGE.read_text(encoding="utf-8").splitlines()) == 5


@pytest.mark.parametrize("row", ROWS, ids=[row[0][2:60] for row in ROWS])
def test_its_place_exists(row):
    places = PLACE.findall(row[1])
    assert places
    assert len(places) == row[1].count(".py")
    for file, name in places:
        path = ROOT / file if file.startswith("tests/") else ROOT / "src" / "perceptrons" / file
        assert path.exists(), file
        assert not name or name in names(path), f"{file} has no {name}"
    for page, heading in LINK.findall(row[1]):
        text = (PAGE.parent / page).read_text(encoding="utf-8")
        titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
        assert heading in {re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in titles}
