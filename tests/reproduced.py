"""Write the experiments' results into the pages:  python -m tests.reproduced

<!-- reproduced:NAME -->    verdicts, figure and tables of one experiment, on the page of its paper
<!-- verdicts -->           the main claims of all papers, in docs/papers/index.md
<!-- end -->

The results are those of `perceptrons reproduce all --out docs/papers/results`; nothing is typed by hand.
"""

import json
import re

from perceptrons.papers.result_files import body, markdown
from perceptrons.papers.runner import EXPERIMENTS
from tests.pages import ROOT, rewrite

RESULTS = ROOT / "docs" / "papers" / "results"
PAGES = sorted((ROOT / "docs" / "papers").glob("*.md"))
MARKED = re.compile(r"(<!-- (?:reproduced:([\w-]+)|verdicts) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
HEADS = ("paper", "claim", "its number", "ours", "verdict")


def read(name: str) -> dict:
    return json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))


def fill(page: str) -> str:
    """The page with what the results say today."""
    return MARKED.sub(lambda found: found[1] + (_one(found[2]) if found[2] else _verdicts()) + found[4], page)


def _one(name: str) -> str:
    result = read(name)
    return f"![{result['title']}](results/{name}.svg)\n\n{body(result)}\n"


def _verdicts() -> str:
    rows = []
    for name in EXPERIMENTS:
        result = read(name)
        rows += [
            [result["paper"], *(claim[key] for key in ("text", "paper", "ours", "verdict"))]
            for claim in result["claims"]
            if claim["main"]
        ]
    return markdown(HEADS, rows) + "\n"


if __name__ == "__main__":
    rewrite(PAGES, fill)
