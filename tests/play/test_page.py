"""The page in a browser: what it shows is what the library says; and every way to use it."""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode

import numpy as np
import pytest

from perceptrons import NAMED, KernelPerceptron, Perceptron, trace
from perceptrons.play.asked import read_asked
from perceptrons.play.lesson import run_lesson
from perceptrons.play.parameters import parameters
from perceptrons.play.presets import presets

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
]
PRESETS = {one.name: one.request for one in presets()}
PATIENCE = 120_000  # milliseconds; kernels may have to be compiled


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        one = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        yield one
        one.close()


@pytest.fixture
def page(browser):
    """A page of its own, on which nothing may be complained about."""
    told = []
    context = browser.new_context(viewport={"width": 1300, "height": 900})
    one = context.new_page()
    one.set_default_timeout(PATIENCE)
    one.on("console", lambda message: told.append(message.text))
    one.on("pageerror", lambda error: told.append(str(error)))
    one.on("requestfailed", lambda request: told.append(request.url))
    yield one
    context.close()
    assert told == []


def visit(page, served, fragment=""):
    page.goto("about:blank")
    page.goto(served.url + fragment)
    runs(page, 1)


def runs(page, n):
    """Wait until the page has shown so many runs."""
    page.wait_for_selector(f'html[data-runs="{n}"]', state="attached")


def numbers(page, which="now"):
    """The numbers on the page, as they were sent."""
    read = "list => list.map(one => [one.parentElement.previousElementSibling.textContent, one.value])"
    return {name: json.loads(value) for name, value in page.locator(f"#{which} data").evaluate_all(read)}


def announced(page, words):
    """Wait until screen readers are told this."""
    page.locator("#announced", has_text=words).wait_for(state="attached")


def everything(page):
    """All that a moment shows."""
    parts = ["pattern", "weights", "log", "now", "proof", "interval", "message", "cut"]
    return page.evaluate("parts => parts.map(one => document.getElementById(one).innerHTML)", parts)


@pytest.mark.parametrize("name", PRESETS)
def test_each_preset_plays_to_its_end(page, served, name):
    visit(page, served, f"#lesson={name}")
    page.select_option("#speed", "60")
    last = int(page.get_attribute("#at", "max"))
    if last > 60:
        page.locator("#at").fill(str(last - 40))
    page.click("#play")
    page.wait_for_selector("#forward:disabled")
    assert page.input_value("#at") == str(last)
    answer = run_lesson(PRESETS[name])
    shown = {one["name"]: one["value"] for one in answer["result"]}
    whole = numbers(page, "whole")
    assert {key: whole[key] for key in shown} == shown
    now = numbers(page)
    if answer["kind"] == "frames":
        assert now == {one["name"]: one["value"] for one in answer["frames"][-1]["facts"]}
    else:
        weights = answer["returned"] or answer["weights"][-1]
        columns = PRESETS[name]["columns"]
        assert [now[f"w of {column}"] for column in columns] + [now["b"]] == weights


@pytest.mark.parametrize("name", ["or", "two-points", "uneven"])
def test_every_step_shows_the_numbers_of_the_trace(page, served, name):
    visit(page, served, f"#lesson={name}")
    asked = read_asked(PRESETS[name])
    model = Perceptron(**parameters(asked))
    classes, corrections = asked.classes, 0
    for one in list(trace(model, asked.X, asked.y, presentations=True))[:25]:
        page.click("#forward")
        now = numbers(page)
        corrections += one.correction is not None
        assert (now["row"], now["score"], now["output"]) == (one.row + 1, one.score, classes[one.output])
        assert (now["target"], now["corrections so far"]) == (classes[one.target], corrections)
        if one.correction:
            after = [*one.correction.coef_after, one.correction.intercept_after]
            assert [now[f"w of {column}"] for column in asked.columns] + [now["b"]] == after
            assert "corrected" in page.get_attribute("#message", "class")
    assert len(page.locator("#log li").all()) == 13
    announced(page, page.locator("#message").text_content())


@pytest.mark.parametrize("name", ["or", "iris", "uneven", "xor"])
def test_the_shaded_weights_by_brute_force_on_a_grid(page, served, name):
    visit(page, served, f"#lesson={name}")
    page.click("#last")
    asked, b = read_asked(PRESETS[name]), numbers(page)["b"]
    left, right, bottom, top = json.loads(page.get_attribute("#weights", "data-view"))
    found = page.evaluate(
        """([left, right, bottom, top]) => {
          const shape = document.querySelector(".solutions"), told = [];
          const frame = document.querySelector("#weights .ground").getBBox();
          for (let i = 1; i < 40; i++) for (let j = 1; j < 40; j++) {
            const point = document.querySelector("#weights").createSVGPoint();
            point.x = frame.x + frame.width * i / 40 + 0.37;
            point.y = frame.y + frame.height * j / 40 + 0.41;
            const across = (point.x - frame.x) / frame.width, down = (point.y - frame.y) / frame.height;
            const w = [left + (right - left) * across, top - (top - bottom) * down];
            told.push([...w, shape ? shape.isPointInFill(point) : false]);
          }
          return told;
        }""",
        [left, right, bottom, top],
    )
    near = 0.02 * (right - left)
    shaded = agreed = 0
    for w1, w2, inside in found:
        scores = asked.X @ [w1, w2] + b
        if (np.abs(scores) < near * np.linalg.norm(asked.X, axis=1)).any():
            continue  # on a border, as wide as a pixel
        assert inside == bool(((scores > 0) == (asked.y > 0)).all())
        shaded += inside
        agreed += 1
    assert agreed > 300
    assert (shaded > 0) == (name != "xor")


def test_step_back_restores_every_number(page, served):
    visit(page, served, "#lesson=uneven")
    page.click("#correction")
    seen = [everything(page)]
    for _ in range(12):
        page.click("#forward")
        seen.append(everything(page))
    for past in seen[-2::-1]:
        page.click("#back")
        assert everything(page) == past
    page.click("#last")
    page.click("#first")
    assert numbers(page)["step"] == 0


def spot(page, x, y):
    """Where a point of pattern space is on the screen."""
    left, right, bottom, top = json.loads(page.get_attribute("#pattern", "data-view"))
    box = page.locator("#pattern .ground").bounding_box()
    return box["x"] + box["width"] * (x - left) / (right - left), box["y"] + box["height"] * (top - y) / (
        top - bottom
    )


def test_rows_are_added_dragged_and_deleted(page, served):
    visit(page, served, "#lesson=or")
    page.locator("label:has(input[value=add1])").click()
    page.mouse.click(*spot(page, 0.5, 0.5))
    runs(page, 2)
    assert len(page.locator("#pattern .point").all()) == 5
    page.locator("label:has(input[value=move])").click()
    page.mouse.move(*spot(page, 0.5, 0.5))
    page.mouse.down()
    page.mouse.move(*spot(page, 0.7, 0.8), steps=5)
    page.mouse.up()
    runs(page, 3)
    page.click("#share")
    shared = request_of(page.input_value("#dialog-text"))
    page.keyboard.press("Escape")
    assert shared["rows"][4] == pytest.approx([0.7, 0.8], abs=0.01)
    assert shared["labels"] == [0, 1, 1, 1, 1]
    model = Perceptron(**parameters(read_asked(shared))).fit(shared["rows"], shared["labels"])
    assert numbers(page, "whole")["corrections"] == model.n_updates_
    page.locator("label:has(input[value=delete])").click()
    page.mouse.click(*spot(page, *shared["rows"][4]))
    runs(page, 4)
    assert len(page.locator("#pattern .point").all()) == 4


def request_of(address):
    text = address.partition("#run=")[2]
    return json.loads(urlsafe_b64decode(text + "=" * (-len(text) % 4)))


def test_touch(browser, served):
    context = browser.new_context(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    visit(page, served, "#lesson=or")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.locator("label:has(input[value=add0])").tap()
    page.touchscreen.tap(*spot(page, 0.5, 0.4))
    runs(page, 2)
    assert len(page.locator("#pattern .point").all()) == 5
    page.locator("#back").tap()
    context.close()


def test_the_keyboard_alone(page, served):
    visit(page, served, "#lesson=or")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("c")
    assert numbers(page)["step"] == 2
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    assert numbers(page)["step"] == 12
    page.keyboard.press("Home")
    page.keyboard.press(" ")
    page.wait_for_selector("#at[aria-valuetext^='Row']")
    page.keyboard.press(" ")
    page.focus("#pattern")
    page.keyboard.press("n")
    page.keyboard.press("n")
    announced(page, "Row 2 of 4: 0, 1, class 1")
    page.keyboard.press("ArrowUp")
    runs(page, 2)
    page.keyboard.press("x")
    runs(page, 3)
    page.keyboard.press("a")
    runs(page, 4)
    assert len(page.locator("#pattern .point").all()) == 5
    page.keyboard.press("p")
    page.keyboard.press("Delete")
    runs(page, 5)
    assert len(page.locator("#pattern .point").all()) == 4
    for _ in range(60):  # every control can be reached
        page.keyboard.press("Tab")
    assert page.evaluate("document.querySelectorAll('main button, main select, main input').length") > 20


TABLE = "height,weight,kind\n" + "".join(
    f"{k % 7},{k % 5},{'tall' if k % 7 + k % 5 > 6 else 'small'}\n" for k in range(35)
)


def test_a_table_is_pasted_and_dropped(page, served):
    visit(page, served)
    page.fill("#csv", TABLE)
    page.click("#read")
    runs(page, 2)
    assert len(page.locator("#pattern .point").all()) == 35
    assert page.locator("#data-note").text_content() == "35 rows are used."
    assert "height" in page.locator("#pattern").text_content()
    page.select_option("#pick-first", label="weight")
    runs(page, 3)
    page.check("#pick-standardize")
    runs(page, 4)
    page.select_option("#lesson", "")
    runs(page, 5)
    assert len(page.locator("#pattern .point").all()) == 2
    page.set_input_files("#file", {"name": "t.csv", "mimeType": "text/csv", "buffer": TABLE.encode()})
    runs(page, 6)
    drop = """text => {
      const data = new DataTransfer();
      data.setData("text/plain", text);
      document.body.dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true}));
    }"""
    page.evaluate(drop, TABLE.replace("tall", "big"))
    runs(page, 7)
    assert "big" in page.locator("#pick-one").text_content()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "There is nothing to read"),
        ("what is this", "no rows"),
        ("a,b\nx,y\nz,w\n", "0 columns of numbers"),
        ("<script>alert(1)</script>,b,c\n1,2,3\n4,5", ""),
    ],
)
def test_a_bad_table_gets_a_sentence(page, served, text, sentence):
    visit(page, served)
    before = everything(page)
    page.fill("#csv", text)
    page.click("#read")
    page.wait_for_selector("#error:not([hidden])")
    assert sentence in page.locator("#error").text_content()
    assert everything(page) == before


def test_bad_choices_get_a_sentence(page, served):
    visit(page, served)
    page.select_option("#choice-margin", "infinity")
    page.wait_for_selector("#error:not([hidden])")
    assert "norm <= 1" in page.locator("#error").text_content()
    page.select_option("#choice-margin", "growing")
    runs(page, 2)
    assert page.locator("#error").is_hidden()


def test_a_run_is_shared_by_its_address(page, served):
    visit(page, served, "#lesson=blobs")
    page.fill("#choice-eta", "0.5")
    page.press("#choice-eta", "Tab")
    runs(page, 2)
    page.click("#last")
    page.click("#share")
    address, shown = page.input_value("#dialog-text"), everything(page)
    page.keyboard.press("Escape")
    other = page.context.new_page()
    other.set_default_timeout(PATIENCE)
    other.goto(address)
    runs(other, 1)
    other.click("#last")
    assert everything(other) == shown
    other.close()


@pytest.mark.parametrize(
    "text",
    [
        "%%%",
        "e30",
        "W10",
        "bnVsbA",
        "\u00e9",
        urlsafe_b64encode(b'{"learner": "x", "rows": [], "labels": []}').decode(),
    ],
)
def test_an_address_that_holds_no_run(page, served, text):
    visit(page, served, f"#run={text}")
    assert "no run that can be read" in page.locator("#error").text_content()
    assert page.locator("#counter").text_content() == "0 of 13"


def test_an_address_with_nonsense_in_a_run(page, served):
    request = {**PRESETS["or"], "rows": [None, "<b>"], "classes": [1, {}]}
    page.goto(f"{served.url}#run={urlsafe_b64encode(json.dumps(request).encode()).decode()}")
    page.wait_for_selector("#error:not([hidden])")
    assert "two lists of the same length" in page.locator("#error").text_content()


def test_the_python_code_is_offered(page, served):
    visit(page, served, "#lesson=circle")
    page.click("#python")
    names = {}
    exec(page.input_value("#dialog-text"), names)
    assert isinstance(names["model"], KernelPerceptron)
    assert numbers(page, "whole")["corrections"] == names["model"].n_updates_


def test_a_point_lights_up_its_line(page, served):
    visit(page, served, "#lesson=or")
    page.click("#forward")
    page.mouse.move(*spot(page, 0, 1))
    assert page.get_attribute("#weights .rowline.hover", "data-row") == "1"
    assert page.locator("#pattern .ring.hover").count() == 1
    page.mouse.move(5, 5)
    page.locator("#weights .rowline[data-row='2']").dispatch_event("pointerover")
    assert page.locator("#pattern .ring.hover").count() == 1


def test_all_learners_and_named_rules_can_be_chosen(page, served):
    visit(page, served, "#lesson=uneven")
    n = 1
    for learner in ("maximum", "kernel", "conservative", "sparse", "binary", "perceptron"):
        page.select_option("#choice-learner", learner)
        n += 1
        runs(page, n)
        assert page.locator("#error").is_hidden()
    for name in ("rosenblatt", "paum", "averaged", "alma", "known-margin"):
        page.select_option("#choice-named", name)
        n += 1
        runs(page, n)
        assert page.input_value("#choice-named") == name
        assert page.input_value("#choice-step") == NAMED[name].get("step", "fixed")
    assert (page.input_value("#choice-margin"), page.input_value("#choice-beta-0")) == ("known", "0.01")
    page.fill("#choice-beta-0", "0.02")
    page.press("#choice-beta-0", "Enter")
    runs(page, n + 1)
    assert page.locator("#error").is_hidden()
    assert page.input_value("#choice-beta-0") == "0.02"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1920])
def test_it_fits_any_screen(browser, served, scheme, width):
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    visit(page, served, "#lesson=cancer")
    page.click("#large")
    for name in ("or", "cube", "rules"):
        page.select_option("#lesson", name)
        page.wait_for_timeout(300)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()
