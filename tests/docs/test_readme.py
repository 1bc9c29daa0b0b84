"""README: short, and every number that it quotes stands on the page it links to, which is generated."""

import json
import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
TIME = re.compile(r"\d[\d.]* (?:ms|s\b|%)")
OTHER = re.compile(r"\d[\d.]*(?= (?:weights|leaves|rules))|(?<=risk )\d\.\d+|± [\d.]+|\d\.\d{4}")


def quoted(text: str) -> list[str]:
    return TIME.findall(text) + OTHER.findall(text)


def page(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_readme_is_short():
    assert len(README.splitlines()) <= 140


def test_the_benchmarks_quoted_stand_on_the_pages_linked():
    rows = re.findall(r"^\| .*\[more\]\((docs/[\w-]+\.md)#[\w-]+\)\)(.*)$", README, re.MULTILINE)
    found = [(name, number) for name, cells in rows for number in quoted(cells)]
    why = README[README.index("**Why beside") : README.index("## Two commands")]
    measured = page("docs/benchmarks.md") + page("docs/everyday.md")
    assert [number for number in quoted(why) if f"| {number} |" not in measured] == []
    assert len(rows) == 7
    assert len(found) >= 20
    assert len(quoted(why)) >= 5
    assert [one for one in found if f"| {one[1]} |" not in page(one[0])] == []


def test_the_verdicts_quoted_stand_among_all():
    lines = re.findall(r"^- .*: \*\*(?:not )?reproduced\*\*\.$", README, re.MULTILINE)
    numbers = [number for line in lines for number in quoted(line)]
    assert len(lines) == 4
    assert len(numbers) >= 6
    assert [number for number in numbers if number not in page("docs/papers/index.md")] == []


def test_the_claims_are_counted():
    paths = sorted((ROOT / "docs" / "papers" / "results").glob("*.json"))
    results = [json.loads(path.read_text(encoding="utf-8")) for path in paths]
    claims = [claim for one in results for claim in one.get("claims", ()) if claim.get("of_paper", True)]
    counts = Counter(claim["verdict"] for claim in claims)
    sentence = re.search(r"Of (\d+) claims, .* (\d+) are reproduced, (\d+) are not, and (\d+) cannot", README)
    kinds = ("reproduced", "not reproduced", "not comparable")
    assert [int(number) for number in sentence.groups()] == [len(claims), *(counts[kind] for kind in kinds)]
