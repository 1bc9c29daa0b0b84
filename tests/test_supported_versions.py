"""Continuous integration tests with the oldest versions that pyproject.toml allows: the two agree."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = ("app", "test")  # what is installed for these tests
NOT_NAMED = {"pyparsing"}  # pinned for the sake of another


def release(version: str) -> tuple[int, ...]:
    """3.9.0 and 3.9 are the same."""
    numbers = [*map(int, version.split("."))]
    while numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def test_the_oldest_versions_are_tested():
    wanted = PROJECT["dependencies"] + [
        one for extra in EXTRAS for one in PROJECT["optional-dependencies"][extra]
    ]
    floors = {name: release(version) for name, version in (one.split(">=") for one in wanted)}
    lines = (ROOT / ".ci" / "oldest.txt").read_text(encoding="utf-8").splitlines()
    pins = dict(line.split("==") for line in lines if not line.startswith("#"))
    assert {name: release(version) for name, version in pins.items() if name not in NOT_NAMED} == floors


def test_the_page_says_which_versions():
    text = (ROOT / "docs" / "more.md").read_text(encoding="utf-8")
    table = dict(re.findall(r"^\| (\S+) \| ([\d.]+) \|$", text, re.MULTILINE))
    names = {"numpy", "scipy", "scikit-learn", "numba", "polars", "typer"}
    wanted = PROJECT["dependencies"] + PROJECT["optional-dependencies"]["app"]
    floors = dict(one.split(">=") for one in wanted)
    assert {name.lower(): version for name, version in table.items()} == {
        name: floors[name] for name in names
    }
