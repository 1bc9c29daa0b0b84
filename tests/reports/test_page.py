"""The page: whole, escaped, with a policy that lets nothing else run; hostile tables."""

import base64
import hashlib
import json
import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from perceptrons import Perceptron, SparsePerceptron, report
from perceptrons.learners import build_learner, for_tables
from perceptrons.reports.page import as_json
from tests.reports.learned import FAMILIES, coffee, learned, reported

VOID = {"meta", "input", "br"}
HOSTILE = (
    "<script>alert(1)</script>",
    "</svg></title></style></script><img src=x onerror=alert(1)>",
    "{{ 7*7 }}{% raw %}{# #}",
    "\"' onload=alert(1) x='",
    "&lt;b&gt; &amp;",
    "\u202egnp.exe\x1b[31m\x00",
    "<!--",
    "]]>",
)


class Page(HTMLParser):
    """Elements that must be closed are, and what the page holds."""

    def __init__(self, html):
        super().__init__()
        self.open, self.elements, self.texts, self.ids = [], [], [], []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        self.ids += [value for name, value in attributes if name == "id"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        self.ids += [value for name, value in attributes if name == "id"]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)

    @property
    def text(self):
        return "".join(self.texts)

    def count(self, tag):
        return sum(name == tag for name, _ in self.elements)


@pytest.mark.parametrize("name", FAMILIES)
def test_a_page_of_every_family_is_well_formed(name):
    page = Page(reported(name).html)
    assert len(page.ids) == len(set(page.ids))
    ids = {one["id"] for one in reported(name).facts["evidence"]["figures"]}
    assert {f"figure-{one}" for one in ids} <= set(page.ids)
    assert page.count("h1") == 1
    assert page.count("section") == 5
    assert len(reported(name).html) < 300_000
    labels = {value["aria-labelledby"] for _, value in page.elements if "aria-labelledby" in value}
    assert {one for label in labels for one in label.split()} <= set(page.ids)


def test_the_policy_allows_its_own_style_and_script_alone():
    html = reported("scorecard").html
    policy = re.search(r'Security-Policy" content="([^"]*)"', html)[1].replace("&#39;", "'")
    assert policy.startswith("default-src 'none'; ")
    for tag, part in (("style", "style-src"), ("script", "script-src")):
        text = re.search(rf"<{tag}>(.*?)</{tag}>", html, re.DOTALL)[1]
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{part} 'sha256-{digest}'" in policy
    assert not re.search(r"\son\w+=|\sstyle=|https?://|src=|url\(", html)


def test_the_calculator_is_data():
    html = reported("scorecard").html
    found = re.search(r'<script type="application/json" id="calculator-data">(.*?)</script>', html)[1]
    assert json.loads(found) == reported("scorecard").facts["model"]["calculator"]
    assert as_json("</script><!--&") == '"\\u003c/script\\u003e\\u003c!--\\u0026"'


def test_facts_are_plain_data():
    for name in FAMILIES:
        text = json.dumps(reported(name).facts, allow_nan=False)
        assert json.loads(text) == reported(name).facts


def hostile_table(rows=64):
    kinds = [HOSTILE[k % len(HOSTILE)] for k in range(rows)]
    frame = pd.DataFrame(
        {HOSTILE[0]: kinds, HOSTILE[1]: np.arange(rows) % 7 + 0.5, HOSTILE[2]: [*"ab"] * (rows // 2)}
    )
    return frame, np.array([HOSTILE[3], HOSTILE[4]])[np.arange(rows) % 2]


@pytest.mark.parametrize("name", ["sparse", "perceptron"])
def test_names_of_the_data_are_texts(name):
    """They stand on the page as they were written, and the page has the elements it has anyway."""
    frame, y = hostile_table()
    model = for_tables(build_learner(name)).fit(frame, y)
    where = {"target": HOSTILE[5], "table": HOSTILE[6], "record": {HOSTILE[7]: HOSTILE[0]}}
    html = report(model, frame, y, new_rows=True, by=HOSTILE[0], rows=[1], **where).html
    page = Page(html)
    tags = {name for name, _ in page.elements}
    assert not tags & {"img", "b"}
    assert page.count("script") == (2 if "calculator-data" in page.ids else 1)
    assert not any(attribute.startswith("on") for _, found in page.elements for attribute in found)
    for text in HOSTILE[:4]:
        assert text[:70] in page.text
    assert "\\u202egnp.exe\\x1b[31m" in page.text
    assert "\x1b" not in html


def test_long_cells_are_cut():
    """Ten million characters in a cell, and a class of as many."""
    long = "x" * 10_000_000
    frame = pd.DataFrame({"a": [long, "b"] * 20, "c": [0.0, 1.0] * 20})
    y = np.array([long[:100_000], "short"] * 20)
    model = SparsePerceptron(random_state=0, cv=2).fit(frame, y)
    html = report(model, frame, y, new_rows=True, by="a").html
    assert len(html) < 200_000
    assert "x" * 60 in html


def test_five_thousand_columns():
    rng = np.random.default_rng(0)
    X = pl.DataFrame(rng.normal(size=(60, 5000)), schema=[f"column {k}" for k in range(5000)])
    y = np.where(X["column 7"].to_numpy() > 0, "up", "down")
    html = report(for_tables(build_learner("perceptron")).fit(X, y), X, y, new_rows=True).html
    assert len(html) < 400_000
    assert "4,940 more columns" in Page(html).text


def test_two_hundred_classes():
    y = np.repeat([f"class {k:03}" for k in range(200)], 3)
    X = pl.DataFrame({"a": np.repeat(np.arange(200.0), 3), "b": np.tile([0.0, 1.0, 2.0], 200)})
    model = for_tables(build_learner("shallow tree")).fit(X, y)
    html = report(model, X, y, new_rows=True).html
    assert len(html) < 500_000
    assert "189 other classes" in Page(html).text


def test_no_rows_and_other_bad_input():
    X, y = coffee()
    with pytest.raises(ValueError, match="does not predict classes"):
        report(learned("perceptron")[:-1], X, y)
    with pytest.raises(ValueError, match="y holds 'best', but the model knows the classes"):
        report(learned("perceptron"), X, np.array(["best", *y[1:]]), new_rows=True)
    model = Perceptron().fit([[0.0], [2.0]], [0, 1])
    with pytest.raises(ValueError, match="A sparse matrix has no columns"):
        report(model, sp.csr_array([[0.0], [2.0]]), [0, 1])


def test_two_rows():
    """Nothing can be said about new rows, and the page says so."""
    X, y = np.array([[0.0], [2.0]]), ["low", "high"]
    found = report(Perceptron(random_state=0).fit(X, y), X, y)
    assert found.facts["look"]["why_not"]
    assert "Nothing can be said about new rows" in Page(found.html).text


def test_saved_whole(tmp_path):
    reported("scorecard").save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == reported("scorecard").html
    shown = reported("scorecard")._repr_html_()
    assert shown.startswith("<iframe srcdoc=")
    assert shown.count("<") == 2
