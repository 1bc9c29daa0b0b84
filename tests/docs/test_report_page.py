"""The gallery has a report of every family, made by the templates of today; the page links to it."""

import re

import pytest

from perceptrons.learner_names import WHAT
from perceptrons.reports.page import FOLDER
from tools import ROOT, gallery

PAGE = (ROOT / "docs" / "report.md").read_text(encoding="utf-8")
OTHERS = {"growing margin", "averaged", "binary sbpi", "logistic regression", "shallow tree"}
NAMES = [*gallery.FAMILIES, "compared"]


def test_every_family_has_a_report():
    """Variants of one family share it; the last two are not ours."""
    assert {*gallery.FAMILIES} - {"network"} | OTHERS == {*WHAT}  # commands train no networks
    linked = re.findall(r"\(gallery/([\w-]+\.html)\)", PAGE)
    assert linked == [gallery.name_of(name) for name in NAMES]


@pytest.mark.parametrize("name", NAMES)
def test_reports_are_made_by_the_templates_of_today(name):
    html = (gallery.FOLDER / gallery.name_of(name)).read_text(encoding="utf-8")
    for tag, file in (("style", "style.css"), ("script", "calculator.js")):
        text = re.search(rf"<{tag}>(.*?)</{tag}>", html, re.DOTALL)[1]
        assert text == (FOLDER / file).read_text(encoding="utf-8"), "run: python -m tools.gallery --pictures"
    assert len(html) < 300_000


def test_pictures_are_there_and_small():
    shown = re.findall(r"\(pictures/(report-[\w-]+\.png)\)", PAGE)
    made = {f"{name}.png" for name in gallery.SHOTS} | {"report-paper-1.png", "report-paper-2.png"}
    assert {*shown} == made
    assert max((gallery.PICTURES / name).stat().st_size for name in shown) < 200_000


def test_a_report_is_built_by_a_command(tmp_path):
    gallery.build(tmp_path, ["max margin"])
    built = (tmp_path / "max-margin.html").read_text(encoding="utf-8")
    kept = (gallery.FOLDER / "max-margin.html").read_text(encoding="utf-8")
    headings = [re.findall(r"<h[1-4][^>]*>(.*?)</h[1-4]>", html) for html in (built, kept)]
    assert [one for one in headings[0] if "Row" not in one] == [
        one for one in headings[1] if "Row" not in one
    ]
