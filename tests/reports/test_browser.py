"""The page in headless Chromium: quiet, without network, right where it computes, whole on paper, accessible.

What is printed is read by pdftotext (Debian's poppler-utils).
"""

import shutil
import subprocess

import numpy as np
import pytest

from perceptrons import SparsePerceptron, compare, report
from perceptrons.rejection.costs import Costs
from perceptrons.reports.reporting import comparison_report
from tests.reports.learned import coffee, learned, reported, three_classes

pytestmark = pytest.mark.browser
WIDTHS = (320, 1000)
FORMS = ("perceptron", "scorecard", "chow", "kernel", "binary")
SERIOUS = {"serious", "critical"}


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        binary = shutil.which("chromium") or shutil.which("chromium-browser")
        chromium = play.chromium.launch(executable_path=binary, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture
def opened(browser, tmp_path):
    """Open a page; whatever it says to the console or asks of a network is kept."""
    said, contexts = [], []

    def run(html, **how):
        context = browser.new_context(**how)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda request: said.append(request.url))
        (tmp_path / "report.html").write_text(html, encoding="utf-8")
        page.goto((tmp_path / "report.html").as_uri())
        return page

    yield run
    for context in contexts:
        context.close()
    assert [one for one in said if not one.startswith("file://")] == []


@pytest.fixture(scope="session")
def axe(tmp_path_factory):
    """axe-core from the registry of npm."""
    folder = tmp_path_factory.mktemp("axe")
    subprocess.run(["npm", "install", "--silent", "--no-audit", "axe-core@4"], cwd=folder, check=True)
    return (folder / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def compared():
    X, y = coffee()
    results = compare(X, y, folds=3, learners=["perceptron", "chow", "shallow tree"])
    data = {
        "title": "coffee.csv",
        "rows": 240,
        "columns": 6,
        "kinds": {"numeric": 3, "nominal": 2, "boolean": 1},
        "missing": 10,
        "left_out": [{"column": "lot", "reason": "names of rows"}],
        "classes": [{"class": "specialty", "rows": 134}, {"class": "commercial", "rows": 106}],
        "most_frequent": {"class": "specialty", "accuracy": 134 / 240},
        "notes": [],
        "hints": [],
    }
    return comparison_report(results, "risk", Costs(), data, {"Command": "perceptrons compare"})


def pages(compared):
    """One of each form a model takes on the page."""
    return {name: reported(name).html for name in FORMS} | {"compared": compared.html}


def test_every_figure_is_there_and_nothing_is_clipped(opened, compared):
    for html in pages(compared).values():
        for width in WIDTHS:
            page = opened(html, viewport={"width": width, "height": 800})
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            for figure in page.query_selector_all("svg.figure"):
                box = figure.bounding_box()
                assert box["width"] > 200
                assert box["x"] + box["width"] <= width
            page.close()


def test_figures_show_their_data(opened):
    """Every bar of the histogram is as high as its rows, on the scale of the axis."""
    figures = {one["id"]: one for one in reported("scorecard").facts["evidence"]["figures"]}
    page = opened(reported("scorecard").html)
    bars = page.locator("#figure-margins svg.figure rect.bar")
    drawn = bars.evaluate_all("all => all.map(one => +one.getAttribute('height'))")
    counts = [n for one in figures["margins"]["counts"] for n in one["n"] if n]
    assert len(drawn) == len(counts)
    assert np.corrcoef(drawn, counts)[0, 1] > 0.99999
    points = page.locator("#figure-roc path.curve").get_attribute("d").count(",")
    assert points == len(figures["roc"]["series"][0]["x"])
    assert page.locator("#figure-calibration circle.point").count() == len(figures["calibration"]["points"])


RUN_RULES = """rows => rows.map(held => {
    const form = document.getElementById('calculator');
    held.forEach((holds, k) => { form.elements['rule-' + k].checked = holds; });
    form.dispatchEvent(new Event('input'));
    const read = name => document.getElementById('calculator-' + name).textContent;
    return [read('answer'), read('probability'), read('sum')];
})"""
RUN_COLUMNS = """rows => rows.map(cells => {
    const form = document.getElementById('calculator');
    cells.forEach((cell, k) => { form.elements['column-' + k].value = cell; });
    form.dispatchEvent(new Event('input'));
    return document.getElementById('calculator-answer').textContent;
})"""


def more_coffee(rows=600):
    """Cells drawn anew from the columns of the table."""
    rng = np.random.default_rng(0)
    X, _ = coffee()
    return X.select(X[name][rng.integers(len(X), size=rows)] for name in X.columns)


@pytest.mark.parametrize("name", ["sparse", "scorecard", "binary"])
def test_ticked_rules_give_the_answer_of_the_model(opened, name):
    """600 rows, and their probabilities."""
    model, rows = learned(name), more_coffee()
    if name == "binary":
        held = model[:-1].transform(rows)[:, np.flatnonzero(model[-1].coef_[0])] > 0
    else:
        held = model._holding(rows)
    found = opened(reported(name).html).evaluate(RUN_RULES, held.tolist())
    answers = model.predict(rows)
    assert [answer for answer, *_ in found] == answers.tolist()
    assert len(set(answers)) == 2
    if name != "binary":
        expected = [f"{100 * share:.1f}" for share in model.predict_proba(rows).max(axis=1)]
        shown = [likely.split()[0] for _, likely, _ in found]
        assert np.allclose(np.array(shown, float), np.array(expected, float), atol=0.11)


def test_ticked_rules_of_three_classes(opened):
    X, y = three_classes(600)
    model = SparsePerceptron(random_state=0, max_points=3, cv=2).fit(X, y)
    found = opened(report(model, X, y, new_rows=True).html).evaluate(RUN_RULES, model._holding(X).tolist())
    assert [answer for answer, *_ in found] == model.predict(X).tolist()


@pytest.mark.parametrize("name", ["perceptron", "conservative", "logistic regression"])
def test_cells_filled_in_give_the_answer_of_the_model(opened, name):
    """600 rows of numbers, names, truth values and holes; a model that rejects, rejects."""
    model, rows = learned(name), more_coffee()
    columns = reported(name).facts["model"]["calculator"]["columns"]
    cells = [[as_input(columns[k], value) for k, value in enumerate(row)] for row in rows.rows()]
    found = opened(reported(name).html).evaluate(RUN_COLUMNS, cells)
    assert found == ["rejected" if one == "reject" else one for one in model.predict(rows).tolist()]


def as_input(column, value):
    if value is None:
        return ""
    if "options" in column:
        return str(column["options"].index({True: "yes", False: "no"}.get(value, value)))
    return repr(value)


def test_keys_alone_fill_in_the_form(opened):
    page = opened(reported("scorecard").html)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    before = page.text_content("#calculator-sum")
    page.focus("#rule-0")
    page.keyboard.press("Space")
    assert page.text_content("#calculator-sum") != before
    page.keyboard.press("Space")
    assert page.text_content("#calculator-sum") == before


def test_without_scripts_the_table_still_works(opened):
    page = opened(reported("scorecard").html, java_script_enabled=False)
    assert page.locator("#calculator input[type=checkbox]").count() == 8
    assert page.locator(".result").is_hidden()
    assert page.locator("tfoot.pencil-line").is_visible()


@pytest.mark.parametrize("paper", ["A4", "Letter"])
def test_paper(opened, tmp_path, paper):
    """The first look and the signature are one page, the model is the second; each part begins one."""
    pdf = tmp_path / "report.pdf"
    opened(reported("scorecard").html).pdf(path=pdf, format=paper)
    text = subprocess.run(
        ["pdftotext", "-layout", pdf, "-"], capture_output=True, text=True, check=True
    ).stdout
    first, second, *others = text.split("\f")[:-1]
    assert 5 <= 2 + len(others) <= 10
    for words in ("Predicting grade", "Errors by origin", "Signature"):
        assert words in first
    for words in ("The model", "altitude > 890", "What each total means", "total"):
        assert words in second
    assert [part.split("\n")[0].split(maxsplit=1)[1] for part in others if part[:1] in "345"] == [
        "Evidence", "Rows", "Data, and how to repeat it"
    ]  # fmt: skip


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_accessible(opened, compared, axe, scheme):
    """No serious fault by axe-core, contrast among them, in either color scheme."""
    for name, html in pages(compared).items():
        page = opened(html, color_scheme=scheme)
        page.evaluate(axe)
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
        faults = [
            f"{name}: {one['id']}: {one['nodes'][0]['html']}" for one in found if one["impact"] in SERIOUS
        ]
        assert faults == []
        page.close()
