"""The edits of all rooms, and the modules that have none."""

from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = Path("src/perceptrons")
HOUSE = "house"  # modules that are in no room
MARKS = {"compiled", "few"}


class Edit(NamedTuple):
    module: str
    old: str
    new: str
    tests: str
    marks: str = ""

    def marked(self, mark: str) -> bool:
        return mark in self.marks.split()


def read(room: str) -> list[Edit]:
    text = (Path(__file__).parent / f"{room}.txt").read_text(encoding="utf-8")
    return [Edit(*line.split(" | ")) for line in text.splitlines()]


def rooms() -> list[str]:
    return sorted(path.stem for path in Path(__file__).parent.glob("*.txt"))


def unguarded() -> list[str]:
    """Modules without an edit; `__init__` files and commands' words are left out."""
    edited = {edit.module for room in rooms() for edit in read(room)}
    modules = (path.relative_to(ROOT / PACKAGE).as_posix() for path in (ROOT / PACKAGE).rglob("*.py"))
    return sorted(module for module in modules if module not in edited and "__" not in module)
