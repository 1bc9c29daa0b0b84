"""Build the site:  python -m tools.docs [FOLDER] [--no-gallery]

Needs the extra `docs`, and no network. The pages of docs/ are copied first, with the examples, CHANGELOG and
CONTRIBUTING beside them, so that what Sphinx writes between them is not in the repository. Warnings are
errors. The site works when its files are opened without a server; the search, too.
"""

import argparse
import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import benchmarks  # noqa: F401  importing it names Numba's cache after a hash of the sources

from . import ROOT

SITE = ROOT / "build" / "site"
BESIDE = {"CHANGELOG.md": "changes.md", "CONTRIBUTING.md": "contributing.md"}
# Links of these two, which stand at the top of the repository, and links of pages to files beside them
MOVED = (
    (re.compile(r"\]\(docs/"), "]("),
    (re.compile(r"\]\(\.\./README\.md"), "](index.md"),
    (re.compile(r"\]\(\.\./CONTRIBUTING\.md"), "](contributing.md"),
    (re.compile(r"\]\(\.\./CHANGELOG\.md"), "](changes.md"),
)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.docs", description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=SITE, help="default: build/site")
    parser.add_argument("--no-gallery", action="store_true", help="do not run the examples")
    options = parser.parse_args(arguments)
    pages = options.folder.with_name(f"{options.folder.name}-pages")
    copy_pages(pages)
    return build(pages, options.folder, gallery=not options.no_gallery)


def copy_pages(pages: Path) -> None:
    """What Sphinx reads, in a folder of its own; what it made there before is kept, as it saves time."""
    shutil.copytree(ROOT / "docs", pages, dirs_exist_ok=True)
    shutil.copytree(ROOT / "examples" / "gallery", pages / "gallery_scripts", dirs_exist_ok=True)
    shutil.copy(ROOT / "examples" / "coffee.csv", pages / "gallery_scripts")
    for name, page in BESIDE.items():
        shutil.copy(ROOT / name, pages / page)
    for page in pages.rglob("*.md"):
        text = page.read_text(encoding="utf-8")
        for pattern, link in MOVED:
            text = pattern.sub(link, text)
        page.write_text(text, encoding="utf-8")


def build(pages: Path, site: Path, gallery: bool) -> int:
    """The exit code of Sphinx."""
    try:
        from sphinx.cmd.build import main as sphinx
    except ImportError as error:
        raise SystemExit('The site needs Sphinx: pip install ".[docs]".') from error
    options = [] if gallery else ["-D", "plot_gallery=0"]
    code = sphinx(["-W", "--keep-going", "-q", "-b", "html", *options, str(pages), str(site)])
    for script in (*(site / "_static" / "scripts").glob("*.js"), site / "search.html"):
        silence(script)
    return code


def silence(script: Path) -> None:
    """The theme logs each change of light and dark; what a reader's console says should matter."""
    text = script.read_text(encoding="utf-8")
    if "console.log(" in text:
        script.write_text(text.replace("console.log(", "void ("), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
