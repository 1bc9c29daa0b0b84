"""What the experiments found: the results of `perceptrons reproduce all --out docs/papers/results`."""

import json
import os
import re
from pathlib import Path
from typing import Any

from perceptrons.papers.result_files import body, markdown
from perceptrons.papers.runner import EXPERIMENTS

from . import ROOT

RESULTS = ROOT / "docs" / "papers" / "results"
MARKED = re.compile(r"(<!-- (?:reproduced:([\w-]+)|verdicts) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
HEADS = ("paper", "claim", "its number", "ours", "verdict")


def fill(page: str, folder: Path) -> str:
    """The page, which lies in this folder, with what the results say today."""

    def answer(found: re.Match[str]) -> str:
        return found[1] + (_result(found[2], folder) if found[2] else _verdicts()) + found[4]

    return MARKED.sub(answer, page)


def read(name: str) -> dict[str, Any]:
    """The result of an experiment."""
    return json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))


def _result(name: str, folder: Path) -> str:
    result, figure = read(name), Path(os.path.relpath(RESULTS / f"{name}.svg", folder)).as_posix()
    return f"![{result['title']}]({figure})\n\n{body(result)}\n"


def _verdicts() -> str:
    rows = [
        [result["paper"], *(claim[key] for key in ("text", "paper", "ours", "verdict"))]
        for result in map(read, EXPERIMENTS)
        for claim in result["claims"]
        if claim["main"]
    ]
    return markdown(HEADS, rows) + "\n"
