"""Which links of a built site lead nowhere:  python -m tools.site_links FOLDER"""

import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Links(HTMLParser):
    """What a page links to, and the places in it that can be linked to."""

    def __init__(self) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.places: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.targets.append(value)
            if name in ("id", "name") and value:
                self.places.add(value)


def read(page: Path) -> Links:
    links = Links()
    links.feed(page.read_text(encoding="utf-8"))
    return links


def broken(site: Path) -> Iterator[str]:
    """Links within the site whose file, or place in a page, is not there."""
    found = [page for page in sorted(site.rglob("*.html")) if "_static" not in page.parts]  # the theme's
    pages = {page.resolve(): read(page) for page in found}
    for page, links in pages.items():
        for target in links.targets:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            file = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            there = file.exists() and (not parts.fragment or file not in pages)
            if not there and unquote(parts.fragment) not in getattr(pages.get(file), "places", ()):
                yield f"{page.relative_to(site.resolve())}: {target}"


def main() -> int:
    found = [*broken(Path(sys.argv[1]))]
    print(*found, f"{len(found)} broken links", sep="\n")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
