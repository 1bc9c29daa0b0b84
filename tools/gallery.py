"""A report of every family, on scikit-learn's breast cancer data:  python -m tools.gallery [--pictures]

Writes docs/gallery/FAMILY.html, and the comparison of all; with --pictures also those of docs/report.md,
for which it opens pages in Chromium (extra `dev`, and Debian's chromium and poppler-utils).
"""

import argparse
import shutil
import subprocess
import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sklearn.datasets import load_breast_cancer

from perceptrons import compare, report
from perceptrons.comparison import ranked
from perceptrons.learners import build_learner, for_tables
from perceptrons.rejection.costs import Costs
from perceptrons.reports.reporting import Report, comparison_report

from . import ROOT

FOLDER, PICTURES = ROOT / "docs" / "gallery", ROOT / "docs" / "pictures"
FAMILIES = (
    "perceptron",
    "max margin",
    "soft margin",
    "sparse",
    "scorecard",
    "kernel",
    "conservative",
    "chow",
    "selective",
    "binary",
    "network",
)
TABLE = "breast cancer (scikit-learn)"
COMMAND = {"Made by": "python -m tools.gallery"}
SHOTS = {  # name → (page, width, height, color scheme, what is at the top)
    "report-look": ("scorecard", 1000, 1000, "light", "header"),
    "report-dark": ("scorecard", 1000, 1000, "dark", "#model"),
    "report-evidence": ("conservative", 1000, 1180, "light", "#evidence"),
    "report-phone": ("scorecard", 320, 1000, "light", "#model"),
    "report-rows": ("sparse", 1000, 900, "light", "#rows h3 >> nth=1"),
    "report-compared": ("compared", 1000, 900, "light", "header"),
}


def page_of(family: str) -> Report:
    """The report of a model with its defaults, and who is served worst by size of the cells."""
    X, y = breast_cancer()
    model = for_tables(_network() if family == "network" else build_learner(family))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, y)
        return report(
            model, X, y, target="diagnosis", table=TABLE, by="mean radius", rows=[1], record=dict(COMMAND)
        )


def _network() -> Any:
    from perceptrons.neural import MarginMLPClassifier

    return MarginMLPClassifier(random_state=0)


def breast_cancer() -> tuple[Any, Any]:
    data = load_breast_cancer(as_frame=True)
    return data.data, data.target_names[data.target.to_numpy()]


def compared() -> Report:
    X, y = breast_cancer()
    data = {
        "title": TABLE,
        "rows": len(y),
        "columns": X.shape[1],
        "kinds": {"numeric": X.shape[1]},
        "missing": 0,
        "left_out": [],
        "classes": [{"class": name, "rows": int((y == name).sum())} for name in ("benign", "malignant")],
        "most_frequent": {"class": "benign", "accuracy": float((y == "benign").mean())},
        "notes": [],
        "hints": [],
    }
    return comparison_report(ranked(compare(X, y)), "risk", Costs(), data, dict(COMMAND))


def name_of(family: str) -> str:
    return f"{family.replace(' ', '-')}.html"


def build(folder: Path, families: Sequence[str] = FAMILIES) -> None:
    """Write the pages."""
    folder.mkdir(parents=True, exist_ok=True)
    for family in families:
        page_of(family).save(folder / name_of(family))
        print(f"{folder / name_of(family)}: written")


def shoot(folder: Path) -> None:
    """Write the pictures."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for name, (family, width, height, scheme, top) in SHOTS.items():
            page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
            page.goto((folder / name_of(family)).as_uri())
            page.locator(top).evaluate("one => one.scrollIntoView({behavior: 'instant'})")
            page.screenshot(path=PICTURES / f"{name}.png")
        page.goto((folder / name_of("scorecard")).as_uri())
        _print(page)
        browser.close()


def _print(page: Any) -> None:
    """The first sheets of paper."""
    with tempfile.TemporaryDirectory() as name:
        pdf = Path(name) / "report.pdf"
        page.pdf(path=pdf, format="A4")
        for number in (1, 2):
            out = PICTURES / f"report-paper-{number}"
            pages = ["-f", str(number), "-l", str(number), "-singlefile", "-r", "72"]
            subprocess.run(["pdftoppm", "-png", *pages, pdf, out], check=True)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.gallery", description=__doc__.splitlines()[0])
    parser.add_argument("families", nargs="*", help=f"default: all, {', '.join(FAMILIES)}")
    parser.add_argument("--pictures", action="store_true", help="write the pictures of docs/report.md, too")
    options = parser.parse_args(arguments)
    build(FOLDER, options.families or FAMILIES)
    if not options.families:
        compared().save(FOLDER / name_of("compared"))
    if options.pictures:
        shoot(FOLDER)


if __name__ == "__main__":
    main()
