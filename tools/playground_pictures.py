"""Pictures of the playground, for docs/play.md, in Debian's Chromium: python -m tools.playground_pictures"""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from . import ROOT

PICTURES = ROOT / "docs" / "pictures"
CHROMIUM = "/usr/bin/chromium"


class Shot(NamedTuple):
    """A lesson at one of its steps, on a screen of this size."""

    name: str
    lesson: str
    step: int
    width: int = 1180
    height: int = 1010
    scheme: str = "light"


SHOTS = [
    Shot("play-or", "or", 7),
    Shot("play-interval", "interval", 960, scheme="dark"),
    Shot("play-cube", "cube", 20, height=700),
    Shot("play-phone", "rejecting", 20, 390, 800),
]


@contextmanager
def served() -> Iterator[str]:
    """The address of a playground."""
    command = [sys.executable, "-m", "perceptrons", "play", "--no-open"]
    process = subprocess.Popen(command, cwd=ROOT / "src", stdout=subprocess.PIPE, text=True)
    try:
        yield re.search(r"http://\S+", process.stdout.readline())[0]
    finally:
        process.kill()
        process.wait()


def main() -> None:
    from playwright.sync_api import sync_playwright

    with served() as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for shot in SHOTS:
            size = {"width": shot.width, "height": shot.height}
            page = browser.new_page(viewport=size, color_scheme=shot.scheme)
            page.goto(f"{url}#lesson={shot.lesson}")
            page.wait_for_selector("html[data-runs]", state="attached", timeout=300_000)
            page.locator("#at").fill(str(shot.step))
            page.locator("#at").blur()
            page.screenshot(path=PICTURES / f"{shot.name}.png")
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
