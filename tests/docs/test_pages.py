"""What the pages show is what the commands print, and what the results of experiments and benchmarks say."""

import json
import re
from pathlib import Path

import pytest

from perceptrons.papers.runner import EXPERIMENTS
from tools import ROOT, benchmark_tables, console, experiment_results, pages
from tools.benchmark_tables import SHORT
from tools.console import comparable

TEXTS = {path: path.read_text(encoding="utf-8") for path in pages.PAGES}
MARK = re.compile(r"<!-- (?!end)([\w:-]+) -->\n")


def shown(pattern):
    return [found for text in TEXTS.values() for found in pattern.findall(text)]


COMMANDS = [
    pytest.param(path, marks=pytest.mark.data if "perceptrons.datasets" in text else (), id=path.name)
    for path, text in TEXTS.items()
    if console.BLOCK.search(text)
]


@pytest.mark.slow
@pytest.mark.parametrize("path", COMMANDS)
def test_pages_show_what_the_commands_print(path):
    assert comparable(console.fill(TEXTS[path])) == comparable(TEXTS[path])


@pytest.mark.parametrize("path", [path for path, text in TEXTS.items() if MARK.search(text)], ids=str)
def test_pages_show_the_results(path):
    filled = pages.fill(path, TEXTS[path], commands=False)
    assert filled == TEXTS[path], f"{path.name} is out of date; run: python -m tools.pages"


def test_every_mark_is_known_and_has_an_end():
    ended = len(shown(experiment_results.MARKED)) + len(shown(benchmark_tables.MARKED))
    assert len(shown(MARK)) == len(shown(re.compile("<!-- end -->"))) == ended > 20


def test_every_result_is_shown():
    experiments = [name for _, name, *_ in shown(experiment_results.MARKED)]
    assert sorted(filter(None, experiments)) == sorted(EXPERIMENTS)  # each on one page
    assert experiments.count("") == 1  # the verdicts
    measured = {path.stem for path in benchmark_tables.RESULTS.glob("*.json")}
    assert {name for _, name, *_ in shown(benchmark_tables.MARKED)} == measured
    assert not any(benchmark_tables.read(name)["quick"] for name in measured)


def test_output_is_replaced():
    page = "```console\n$ echo 12 ms\nold\n$ echo b\n```\nrest"
    assert console.fill(page) == "```console\n$ echo 12 ms\n12 ms\n\n$ echo b\nb\n```\nrest"
    assert console.BLOCK.search("```python\n$ echo\n```") is None


def test_what_differs_from_run_to_run_is_not_compared():
    assert comparable("fit  7,853  1.5 ms ──\n") == comparable("fit   12,345   12 s ─\n")
    assert comparable("- 7,853 corrections were made") == comparable("- 12,345 corrections were made")
    assert comparable("7,853 rows") != comparable("12,345 rows")
    assert comparable("  52  1.5 ms") != comparable("  53  1.5 ms")
    assert comparable("score 1.23456, 97.5 ± 2.9 %") == comparable("score 1.23457, 97.5 ± 2.9 %")
    assert comparable("97.5 ± 2.9 %") != comparable("97.4 ± 2.9 %")


def test_figures_are_found_from_any_page():
    for folder, link in ((ROOT, "docs/papers/results/"), (ROOT / "docs" / "papers", "results/")):
        page = experiment_results.fill("<!-- reproduced:honavar-or -->\n<!-- end -->", folder)
        assert f"]({link}honavar-or.svg)\n" in page


def test_only_the_pages_named_are_written(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(pages, "ROOT", tmp_path)
    page, other = tmp_path / "page.md", tmp_path / "other.md"
    for path in (page, other):
        path.write_text("```console\n$ echo a\n```\n<!-- verdicts -->\n<!-- end -->\n")
    pages.main([str(page), "--no-commands"])
    assert "| reproduced |" in page.read_text()
    assert "$ echo a\n```" in page.read_text()
    assert "| reproduced |" not in other.read_text()
    pages.main([str(page)])
    assert "$ echo a\na\n```" in page.read_text()
    pages.main([str(page)])
    assert capsys.readouterr().out == "page.md: written\n" * 2


RESULT = {
    "benchmark": "defaults",
    "command": "python -m benchmarks defaults",
    "date": "2026-01-02",
    "machine": {"cpu": "Abacus", "cores": 2, "memory_gib": 0.1},
    "versions": {"python": "3.11", "numba": "0.61", "vowpalwabbit": "not installed"},
    "notes": ["A note."],
    "sections": [
        {
            "title": "Title",
            "columns": [[key, key, "count"] for key in ("name", *SHORT["defaults"].columns[1:], "epochs")],
            "rows": [{"id": "a", **dict.fromkeys(SHORT["defaults"].columns), "name": 1, "epochs": 7}],
        }
    ],
}
FILLED = """Before
<!-- benchmark:defaults:short -->
| name | no_errors | warned | silent | seconds |
| --- | ---: | ---: | ---: | ---: |
| 1 | – | – | – | – |

`python -m benchmarks defaults`, 2026-01-02; Abacus, 2 cores, 0.1 GiB; python 3.11, numba 0.61.
<!-- end -->
After
"""


def test_a_page_is_filled_between_its_markers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(benchmark_tables, "RESULTS", tmp_path)
    empty = "Before\n<!-- benchmark:defaults:short -->\nold\n<!-- end -->\nAfter\n"
    with pytest.raises(FileNotFoundError, match="python -m benchmarks defaults"):
        benchmark_tables.fill(empty)
    (tmp_path / "defaults.json").write_text(json.dumps(RESULT), encoding="utf-8")
    assert benchmark_tables.fill(empty) == FILLED
    assert benchmark_tables.fill(FILLED) == FILLED
    whole = benchmark_tables.fill(empty.replace(":short", ""))
    assert "**Title**" in whole
    assert "| epochs |" in whole
    assert "A note." in whole
