"""Run the commands on the pages and write down what they print:  python -m tests.pages

In a block marked ```console every line that begins with "$ " is a command; what follows is its output, never
typed by hand. The commands of a page run one after the other in an empty folder that holds the examples.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SETTINGS = {"NO_COLOR": "1", "NUMBA_DISABLE_JIT": "0"}  # as a reader runs them
PAGES = (
    ROOT / "README.md",
    ROOT / "docs" / "first-steps.md",
    ROOT / "docs" / "sparse.md",
    ROOT / "docs" / "scorecards.md",
    ROOT / "docs" / "conservative.md",
    ROOT / "docs" / "binary.md",
    ROOT / "docs" / "papers" / "index.md",
)
WITH_DATA = "perceptrons.datasets"  # pages that use it need the data, or the network
BLOCK = re.compile(r"(?<=```console\n).*?(?=```)", re.DOTALL)
TIME = re.compile(r"\b\d+(\.\d+)? (µs|ms|s)\b")  # differs from run to run, and so do the widths of columns
LONG = re.compile(
    r"\b\d{1,3}(,\d{3})+(?= +TIME| corrections)|\d+\.\d{4,}"
)  # thousands of corrections, and the last digits, hang on the last bit of a sum
SPACE = re.compile(r"[\s─]+")


def run(command: str, folder: Path) -> str:
    """What a command prints, on a terminal 104 columns wide."""
    python = f'"{sys.executable}"'.replace("\\", r"\\")
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "COLUMNS": "104", **SETTINGS}
    line = re.sub(r"^python\b", python, re.sub(r"^perceptrons\b", "python -m perceptrons", command))
    done = subprocess.run(line, shell=True, cwd=folder, env=environment, capture_output=True, text=True)
    lines = (done.stdout + done.stderr).splitlines()
    return "\n".join(text.rstrip() for text in lines).strip("\n")


def fill(page: str) -> str:
    """The page with the output of its commands as it is today."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for table in (ROOT / "examples").glob("*.csv"):
            shutil.copy(table, folder)

        def answer(found: re.Match[str]) -> str:
            commands = re.findall(r"^\$ (.*)$", found[0], re.MULTILINE)
            return "\n\n".join(f"$ {command}\n{run(command, folder)}".rstrip() for command in commands) + "\n"

        return BLOCK.sub(answer, page)


def comparable(page: str) -> str:
    """The page without what may differ from one run, or one processor, to the next."""
    return SPACE.sub(" ", LONG.sub("LONG", TIME.sub("TIME", page)))


def rewrite(pages: Iterable[Path], fill: Callable[[str], str]) -> None:
    for path in pages:
        before = path.read_text(encoding="utf-8")
        after = fill(before)
        path.write_text(after, encoding="utf-8")
        print(f"{path.relative_to(ROOT)}: {'written' if after != before else 'up to date'}")


if __name__ == "__main__":
    rewrite(PAGES, fill)
