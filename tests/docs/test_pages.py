"""What the pages show is what the commands print."""

import os

import pytest

from tests.pages import BLOCK, PAGES, WITH_DATA, comparable, fill


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_pages_show_what_the_commands_print(path):
    page = path.read_text(encoding="utf-8")
    if WITH_DATA in page and not os.environ.get("PERCEPTRONS_DATA"):
        pytest.skip("PERCEPTRONS_DATA is not set: no folder with the tables")
    assert BLOCK.search(page)
    assert comparable(fill(page)) == comparable(page)


def test_output_is_replaced():
    page = "```console\n$ echo 12 ms\nold\n$ echo b\n```\nrest"
    assert fill(page) == "```console\n$ echo 12 ms\n12 ms\n\n$ echo b\nb\n```\nrest"
    assert BLOCK.search("```python\n$ echo\n```") is None


def test_what_differs_from_run_to_run_is_not_compared():
    assert comparable("fit  7,853  1.5 ms ──\n") == comparable("fit   12,345   12 s ─\n")
    assert comparable("- 7,853 corrections were made") == comparable("- 12,345 corrections were made")
    assert comparable("7,853 rows") != comparable("12,345 rows")
    assert comparable("  52  1.5 ms") != comparable("  53  1.5 ms")
    assert comparable("score 1.23456, 97.5 ± 2.9 %") == comparable("score 1.23457, 97.5 ± 2.9 %")
    assert comparable("97.5 ± 2.9 %") != comparable("97.4 ± 2.9 %")
