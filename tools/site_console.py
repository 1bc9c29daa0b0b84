"""Open each page of a built site in Chromium, on a phone's width:  python -m tools.site_console FOLDER

A page must not write to the console, ask another machine for anything, or scroll sideways.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

CHROMIUM = "/usr/bin/chromium"
WIDTH = 400
SIDEWAYS = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def faults(site: Path) -> Iterator[str]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": WIDTH, "height": 900})
        heard: list[str] = []
        page.on("console", lambda message: heard.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: heard.append(f"error: {error}"))
        page.on("request", lambda request: heard.extend(_elsewhere(request.url)))
        for file in sorted(site.rglob("*.html")):
            if "_static" not in file.parts:  # the theme's
                yield from (f"{file.relative_to(site)}: {what}" for what in _opened(page, file, heard))
        browser.close()


def _opened(page: Page, file: Path, heard: list[str]) -> list[str]:
    heard.clear()
    page.goto(file.as_uri())
    beyond = page.evaluate(SIDEWAYS)
    return heard + ([f"{beyond} pixels wider than a phone"] if beyond > 0 else [])


def _elsewhere(url: str) -> list[str]:
    return [] if url.startswith(("file:", "data:", "blob:")) else [f"asks for {url}"]


def main() -> int:
    found = [*faults(Path(sys.argv[1]).resolve())]
    print(*found, f"{len(found)} faults", sep="\n")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
