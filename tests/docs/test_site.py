"""What the site promises, as far as it can be seen without building it, which CI does."""

import re
from pathlib import Path

import pytest

import perceptrons
from perceptrons import theory
from tools import docs, site_links

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs").glob("*.md")) + sorted((ROOT / "docs" / "papers").glob("*.md"))
GALLERY = sorted((ROOT / "examples" / "gallery").glob("*.py"))
AVOID = (
    "the least is best",
    "on their side",
    "to begin with",
    "if not said",
    "is told",
    "are told",
    "outshout",
)


def entries(page, kind):
    """What stands in the blocks of a kind, without titles."""
    blocks = re.findall(rf"{kind}\S*\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    lines = [line.strip() for block in blocks for line in block.splitlines()]
    return [re.sub(r".*<(.*)>", r"\1", line) for line in lines if line and not line.startswith((":", ".."))]


def test_every_public_name_has_a_page():
    named = set(entries(ROOT / "docs" / "reference" / "index.md", "autosummary::"))
    modules = {f"theory.{name}" for name in theory.__all__ if name.islower() and f"theory.{name}" in named}
    public = {*perceptrons.__all__} - {"NAMED", "theory"} | {*theory.__all__}
    missing = {name for name in public if name not in named and f"theory.{name}" not in modules}
    assert not missing


def test_every_page_is_in_the_navigation():
    listed = set()
    for page in PAGES:
        folder = page.parent.relative_to(ROOT / "docs")
        listed |= {(folder / name).as_posix() for name in entries(page, r"{toctree}")}
    names = {page.relative_to(ROOT / "docs").with_suffix("").as_posix() for page in PAGES}
    assert names - listed == {"index"}


def test_the_gallery_is_in_order():
    order = re.findall(r'"(plot_\w+)"', (ROOT / "docs" / "_ext" / "gallery_order.py").read_text())
    assert sorted(order) == [path.stem for path in GALLERY]
    assert len(GALLERY) >= 15


@pytest.mark.parametrize("path", GALLERY, ids=lambda path: path.stem)
def test_examples_say_what_they_show(path):
    text = path.read_text(encoding="utf-8")
    assert re.match(r'"""\n(.+)\n(=+)\n\n', text)
    compile(text, str(path), "exec")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_words_that_puzzle_readers_are_avoided(page):
    text = page.read_text(encoding="utf-8").lower()
    assert [words for words in AVOID if words in text] == []


def test_docstrings_avoid_them_too():
    for name in perceptrons.__all__:
        text = (getattr(perceptrons, name).__doc__ or "").lower()
        assert [words for words in AVOID if words in text] == [], name


def test_links_to_the_top_of_the_repository_are_moved(tmp_path):
    docs.copy_pages(tmp_path)
    assert (tmp_path / "changes.md").exists()
    assert "](docs/" not in (tmp_path / "contributing.md").read_text(encoding="utf-8")
    assert not [
        page for page in tmp_path.rglob("*.md") if "](../README.md" in page.read_text(encoding="utf-8")
    ]


def test_links_that_lead_nowhere_are_found(tmp_path):
    links = '<a href="b.html#here"></a><a href="b.html#gone"></a><a href="#top" id="top"></a>'
    (tmp_path / "a.html").write_text(links, encoding="utf-8")
    links = '<p id="here"><a href="c.html"></a><a href="https://example.org"></a></p>'
    (tmp_path / "b.html").write_text(links, encoding="utf-8")
    assert [*site_links.broken(tmp_path)] == ["a.html: b.html#gone", "b.html: c.html"]
