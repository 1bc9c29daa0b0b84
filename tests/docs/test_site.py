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


def test_what_most_readers_look_for_is_one_click_from_the_start():
    """Install, rules from a CSV file, rejecting, shipping to C, what a certificate promises."""
    start = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    linked = set(re.findall(r"\]\((\S+?\.md)[#)]", start))
    texts = {page: (ROOT / "docs" / page).read_text(encoding="utf-8") for page in linked}
    wanted = {
        "first-steps.md": "pip install",
        "sparse.md": ".csv",
        "conservative.md": "reject_cost=",
        "ship.md": "--to c",
        "trust.md": "confidence",
    }
    assert [page for page, words in wanted.items() if words not in texts.get(page, "")] == []


def test_the_gallery_is_in_order():
    order = re.findall(r'"(plot_\w+)"', (ROOT / "docs" / "_ext" / "gallery_order.py").read_text())
    assert sorted(order) == [path.stem for path in GALLERY]
    assert len(GALLERY) >= 15


@pytest.mark.parametrize("path", GALLERY, ids=lambda path: path.stem)
def test_examples_say_what_they_show(path):
    text = path.read_text(encoding="utf-8")
    assert re.match(r'"""\n(.+)\n(=+)\n\n', text)
    compile(text, str(path), "exec")


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


@pytest.mark.browser
def test_pages_that_speak_or_ask_or_are_too_wide_are_found(tmp_path):
    from tools import site_console

    (tmp_path / "a.html").write_text("<p>A quiet page.</p>", encoding="utf-8")
    (tmp_path / "b.html").write_text("<script>console.log(1)</script>", encoding="utf-8")
    (tmp_path / "c.html").write_text("<div style='width: 999px'>wide</div>", encoding="utf-8")
    (tmp_path / "d.html").write_text("<img src='http://127.0.0.1:9/x.png'>", encoding="utf-8")
    found = "\n".join(site_console.faults(tmp_path))
    assert "a.html" not in found
    assert "b.html: console: 1" in found
    assert re.search(r"c.html: \d+ pixels wider than a phone", found)
    assert "d.html: asks for http://127.0.0.1:9/x.png" in found


def test_the_theme_says_nothing(tmp_path):
    script = tmp_path / "theme.js"
    script.write_text("x=1,console.log(`mode`);return void console.log('done')", encoding="utf-8")
    docs.silence(script)
    assert "console" not in script.read_text(encoding="utf-8")
