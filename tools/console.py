"""What the commands on a page print.

In a block marked ```console every line that begins with "$ " is a command; what follows is its output. The
commands of a page run one after the other in an empty folder that holds the examples' tables, and the
scripts that make something of them.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from . import ROOT

SETTINGS = {
    "NO_COLOR": "1",
    "NUMBA_DISABLE_JIT": "0",
    "COLUMNS": "104",
    "PERCEPTRONS_PROGRESS": "0",
}  # as a reader runs them
BLOCK = re.compile(r"(?<=```console\n).*?(?=```)", re.DOTALL)
TIME = re.compile(r"\b\d+(\.\d+)? (µs|ms|s)\b")  # differs from run to run, and so do the widths of columns
LONG = re.compile(
    r"\b\d{1,3}(,\d{3})+(?= +TIME| corrections| bytes of)|\d+\.\d{4,}"
)  # thousands of corrections, the last digits, and how many there are, depend on the last bit of a sum
SPACE = re.compile(r"[\s─]+")


def fill(page: str) -> str:
    """The page with the output of its commands as it is today."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        examples = ROOT / "examples"
        for file in [*examples.glob("*.csv"), examples / "orders.py", examples / "ship.py"]:
            shutil.copy(file, folder)

        def answer(found: re.Match[str]) -> str:
            commands = re.findall(r"^\$ (.*)$", found[0], re.MULTILINE)
            return "\n\n".join(f"$ {command}\n{run(command, folder)}".rstrip() for command in commands) + "\n"

        return BLOCK.sub(answer, page)


def run(command: str, folder: Path) -> str:
    """What a command prints, on a terminal 104 columns wide."""
    python = f'"{sys.executable}"'.replace("\\", r"\\")
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), **SETTINGS}
    line = re.sub(r"^python\b", python, re.sub(r"^perceptrons\b", "python -m perceptrons", command))
    done = subprocess.run(line, shell=True, cwd=folder, env=environment, capture_output=True, text=True)
    lines = (done.stdout + done.stderr).splitlines()
    return "\n".join(text.rstrip() for text in lines).strip("\n")


def comparable(page: str) -> str:
    """The page without what may differ from one run, or one processor, to the next."""
    return SPACE.sub(" ", LONG.sub("LONG", TIME.sub("TIME", page)))
