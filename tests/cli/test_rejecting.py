"""Models that may reject, on the command line: what they cost, what they answer, and why."""

import csv
import json
import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

import perceptrons
from perceptrons import ConservativePerceptron, Costs, TableEncoder
from perceptrons.cli.explain import _told_apart
from perceptrons.cli.words import bands_as_dicts, when_it_answers
from perceptrons.learners import LEARNERS, ON_REQUEST
from perceptrons.tables.read import read_table
from tests.commands import FIT

SHORT = ("--target", "y", "--max-epochs", "20")
CONSERVATIVE = (*SHORT, "--learner", "conservative")
SAVED = (*CONSERVATIVE, "--out", "model.json")
PRICES = '{"wrong": {"no": 1, "yes": 4}, "reject": 0.3}'


@pytest.fixture
def noisy(table):
    """A table whose classes overlap, in an empty folder."""
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 80)).round(3)
    y = np.where(a + b / 2 + 0.8 * rng.normal(size=80) > 0, "yes", "no")
    lines = [
        f"{x},{z},{['red', 'blue'][i % 2]},{label}"
        for i, (x, z, label) in enumerate(zip(a, b, y, strict=True))
    ]
    Path("noisy.csv").write_text("\n".join(["a,b,hue,y", *lines]) + "\n")
    Path("costs.json").write_text(PRICES)
    return "noisy.csv"


@pytest.fixture
def three(table):
    Path("three.csv").write_text("a,b,y\n" + "".join(f"{i % 3},{i % 7},{'uvw'[i % 3]}\n" for i in range(42)))
    return "three.csv"


def as_json(command, *arguments):
    code, out, err = command(*arguments, "--json")
    assert (code, err) == (0, "")
    return json.loads(out, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))


def rows_of(file):
    """The table as Python has it: columns, and classes."""
    frame = read_table(file, text=["y"])
    return frame.drop("y"), frame["y"].to_numpy()


def complaint(command, *arguments):
    """The one sentence of bad input."""
    code, out, err = command(*arguments)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    return err.removeprefix("perceptrons: ").rstrip("\n")


def test_fit_tells_what_it_rejects(command, noisy):
    code, out, err = command("fit", noisy, *SAVED)
    assert (code, err) == (0, "")
    X, y = rows_of(noisy)
    model = perceptrons.load("model.json")
    rows = model[0].transform(X)
    rejected, right = model[-1].rejects(rows), model[-1].predict_liberal(rows) == y
    assert 0 < rejected.sum() < 80
    words = " ".join(out.split())
    assert (
        f"conservative, 4 weights: {100 * (~rejected).mean():.1f} % of the training rows answered, "
        f"{100 * right[~rejected].mean():.1f} % of these correct." in words
    )
    assert re.search(
        r"Expected on new rows: \S+ % answered, \S+ % \(\S+\) of these correct, risk 0\.\d+ \(5", words
    )
    risk = model[-1].risk(rows, y)
    assert f"Risk, the mean cost of a row, where a rejection costs 0.2, an error 1: {risk:.3f}." in words
    low, high = model[-1].bands_
    said = f"Answers no if the sum is ≤ {-low:.3g}, yes if it is ≥ {high:.3g}, and rejects what lies between."
    assert said in words
    assert words.endswith("Written to model.json.")

    report = as_json(command, "fit", noisy, *SAVED)
    assert report["training_accuracy"] == pytest.approx(right[~rejected].mean())
    assert (report["rejected"], report["risk"]) == pytest.approx((rejected.mean(), risk))
    assert report["bands"] == [{"class": "no", "band": low}, {"class": "yes", "band": high}]
    assert report["costs"] == {"gain": 0.0, "wrong": 1.0, "reject": 0.2}
    assert (report["certificates"], report["rules"], report["margin"]) == ([], [], None)


def test_other_learners_reject_nothing(command, noisy):
    report = as_json(command, "fit", noisy, *SHORT)
    assert [report[name] for name in ("rejected", "risk", "bands", "costs")] == [None] * 4
    assert 0.5 < report["training_accuracy"] < 1
    out = command("fit", noisy, *SHORT)[1]
    assert "% of the training rows correct." in " ".join(out.split())
    assert "Risk" not in out


@pytest.mark.parametrize("learner", ["conservative", "chow"])
def test_costs_reach_the_learner(command, noisy, learner):
    rejected = [
        as_json(command, "fit", noisy, *SHORT, "--learner", learner, "--reject-cost", cost)["rejected"]
        for cost in (0.05, 0.6)
    ]
    assert rejected[0] > rejected[1]
    report = as_json(command, "fit", noisy, *SHORT, "--learner", learner, "--costs", "costs.json")
    assert report["costs"] == {"gain": 0.0, "wrong": {"no": 1, "yes": 4}, "reject": 0.3}
    out = " ".join(command("fit", noisy, *SHORT, "--learner", learner, "--costs", "costs.json")[1].split())
    assert "where a rejection costs 0.3, an error 1 (no) or 4 (yes): " in out


def test_costs_are_in_the_model_file(command, noisy):
    command("fit", noisy, *SAVED, "--costs", "costs.json")
    assert perceptrons.load("model.json")[-1].costs == Costs(wrong={"no": 1, "yes": 4}, reject=0.3)


def test_chow(command, noisy, three):
    job = ("fit", noisy, *SHORT, "--max-epochs", 100, "--learner", "chow")
    out = " ".join(command(*job, "--reject-cost", 0.15)[1].split())
    assert "chow, 4 weights: " in out
    assert "Answers where a class has a probability of at least 0.85, and rejects the rest." in out
    assert "Warning" not in out  # none of six fits is to be complained of
    out = " ".join(command("fit", noisy, *SHORT, "--learner", "chow", "--costs", "costs.json")[1].split())
    assert "Answers where that is expected to cost less than a rejection, and rejects the rest." in out
    report = as_json(command, "fit", three, *SHORT, "--learner", "chow")
    assert report["bands"] is None
    assert report["size"] == {"count": 6, "unit": "weights"}
    saved = as_json(command, "fit", noisy, *SHORT, "--learner", "chow", "--out", "model.json")
    assert saved["rejected"] is not None
    assert perceptrons.load("model.json")[-1].threshold_ == 0.8


def test_nothing_is_answered(command, noisy):
    free = ("--reject-cost", "0")
    out = " ".join(command("fit", noisy, *SAVED, *free)[1].split())
    assert "none of the training rows answered." in out
    assert "Expected on new rows: all are rejected (5 folds; baseline, always" in out
    assert "an error 1: 0.000. Rejects every row. conservative, " in out
    assert "answered. Warning: Rejections cost nothing" in out
    report = as_json(command, "fit", noisy, *SAVED, *free)
    assert (report["training_accuracy"], report["rejected"], report["risk"]) == (None, 1.0, 0.0)
    assert report["bands"] == [{"class": "no", "band": None}, {"class": "yes", "band": None}]
    told = as_json(command, "explain", "model.json", noisy)
    assert (told["prediction"], told["rejected"], told["bands"]) == ("reject", True, report["bands"])
    out = command("compare", noisy, *CONSERVATIVE, *free, "--learner", "averaged", "--folds", 2)[1]
    assert re.search(
        r"^\*  conservative +50\.0 +100\.0 %  0\.000 |^\*  conservative .* 100\.0 %  0\.000 ", out, re.M
    )
    assert "\nconservative failed" not in out


def test_predictions(command, noisy):
    command("fit", noisy, *SAVED)
    X, _ = rows_of(noisy)
    model = perceptrons.load("model.json")
    expected = model.predict(X).tolist()
    n_rejected = expected.count("reject")
    assert n_rejected > 0
    code, out, err = command("predict", "model.json", noisy, "--scores")
    assert (code, err) == (0, f"{n_rejected} of 80 rows are rejected, and get 'reject'\n")
    rows = list(csv.DictReader(out.splitlines()))
    assert [row["prediction"] for row in rows] == expected
    low, high = model[-1].bands_
    for row in rows:
        score = float(row["score"])
        assert row["prediction"] == ("no" if score <= -low else "yes" if score >= high else "reject")
    told = as_json(command, "predict", "model.json", noisy)
    assert (told["rejected"], told["prediction"]) == (n_rejected, expected)
    code, out, err = command("predict", "model.json", noisy, "--out", "predictions.csv")
    assert (code, out) == (0, "80 predictions written to predictions.csv.\n")
    assert err.startswith(f"{n_rejected} of 80 rows")
    assert Path("predictions.csv").read_text().splitlines()[1:] == expected


def test_predictions_without_rejection(command, table, noisy):
    """Nothing is said where nothing is rejected, by a model that may or one that never does."""
    command("fit", table, *FIT, "--learner", "conservative", "--out", "model.json")  # can be separated
    assert command("predict", "model.json", table)[2] == ""
    assert as_json(command, "predict", "model.json", table)["rejected"] == 0
    command("fit", noisy, *SHORT, "--out", "model.json")
    assert as_json(command, "predict", "model.json", noisy)["rejected"] is None
    told = as_json(command, "explain", "model.json", noisy)
    assert (told["rejected"], told["bands"]) == (None, None)


def with_bands(file, bands, **settings):
    """A model from Python, with these bands, in model.json; and its scores."""
    X, y = rows_of(file)
    few = ConservativePerceptron(band="learned", max_epochs=2, random_state=0, **settings)
    model = make_pipeline(TableEncoder(), few)
    with pytest.warns(UserWarning, match="runs was right|To reject every row"):
        model.fit(X, y)
    model[-1].bands_ = np.array(bands)
    perceptrons.save(model, "model.json")
    return model, model.decision_function(X)


def closing(command, file, row):
    out = command("explain", "model.json", file, "--row", int(row) + 1)[1]
    return re.search(r"^Sum .*", out, re.MULTILINE)[0]


def test_reasons_for_rejections(command, noisy):
    model, scores = with_bands(noisy, [0.5, 0.25])
    inner, low, high = np.argmin(np.abs(scores - 0.1)), np.argmin(scores), np.argmax(scores)
    assert abs(scores[inner] - 0.1) < 0.1
    number = r"([+]\d+\.\d+)"
    said = re.fullmatch(
        rf"Sum {number}, which is between -0\.50+ and \+0\.250*: reject \(else yes\)\.",
        closing(command, noisy, inner),
    )
    assert float(said[1]) == pytest.approx(scores[inner], abs=0.01)
    assert re.fullmatch(r"Sum -\d+\.\d+, which is at most -0\.50+: no\.", closing(command, noisy, low))
    assert re.fullmatch(r"Sum \+\d+\.\d+, which is at least \+0\.250*: yes\.", closing(command, noisy, high))
    assert command("explain", "model.json", noisy, "--row", inner + 1)[1].startswith(
        f"noisy.csv, row {inner + 1}: reject.\n"
    )
    for row in (inner, low, high):
        told = as_json(command, "explain", "model.json", noisy, "--row", row + 1)
        assert told["rejected"] == (row == inner)
        assert told["prediction"] == model.predict(rows_of(noisy)[0])[row]
        assert told["bands"] == [{"class": "no", "band": 0.5}, {"class": "yes", "band": 0.25}]
        assert sum(part["adds"] for part in told["parts"]) == pytest.approx(told["score"])


@pytest.mark.parametrize(
    ("bands", "of_low", "of_high"),
    [
        ([0.0, 0.0], "below 0: no.", "at least 0: yes."),
        ([0.0, 1e9], "below 0: no.", "between 0 and +1000000000.00: reject (else yes)."),
        ([np.inf, 0.001], "below +0.00: reject (else no).", "at least +0.00: yes."),
        ([0.001, np.inf], "at most -0.00: no.", "above -0.00: reject (else yes)."),
        ([np.inf, np.inf], "never enough: reject (else no).", "never enough: reject (else yes)."),
    ],
)
def test_bands_of_any_width(command, noisy, bands, of_low, of_high):
    _, scores = with_bands(noisy, bands)
    for row, words in ((np.argmin(scores), of_low), (np.argmax(scores), of_high)):
        said = closing(command, noisy, row).partition(", which is ")[2]
        pattern = re.escape(words).replace(r"0\.00", r"0\.0\d+").replace(r"0000\.00", r"0000\.0\d+")
        assert re.fullmatch(pattern, said), said


def test_a_model_from_python_that_always_answers(command, noisy):
    """Its bands are not used: nothing is written as rejected, and nothing is counted so."""
    model, scores = with_bands(noisy, [9.0, 9.0], reject_label=None)
    told = as_json(command, "predict", "model.json", noisy)
    assert (told["rejected"], {*told["prediction"]}) == (None, {"no", "yes"})
    assert command("predict", "model.json", noisy)[2] == ""
    assert closing(command, noisy, np.argmax(scores)).endswith(", which is at least 0: yes.")
    assert as_json(command, "explain", "model.json", noisy)["rejected"] is None
    assert when_it_answers(model[-1]) == "Answers no if the sum is < 0, else yes, and never rejects."


def test_another_label(command, noisy):
    with_bands(noisy, [9.0, 9.0], reject_label="ask\x1b")
    assert command("predict", "model.json", noisy)[2].endswith(
        "80 of 80 rows are rejected, and get 'ask\\x1b'\n"
    )
    assert "reject (else" not in closing(command, noisy, 0)


def test_when_it_answers():
    model = ConservativePerceptron()
    model.classes_, model.reject_label_ = np.array(["a, answers b", "c"]), "reject"
    name = "a, answers b"
    for bands, words in (
        (
            [1.25, 0.5],
            f"Answers {name} if the sum is ≤ -1.25, c if it is ≥ 0.5, and rejects what lies between.",
        ),
        ([0, 0.5], f"Answers {name} if the sum is < 0, c if it is ≥ 0.5, and rejects what lies between."),
        ([1.25, 0], f"Answers {name} if the sum is ≤ -1.25, c if it is ≥ 0, and rejects what lies between."),
        ([1.25, np.inf], f"Answers {name} if the sum is ≤ -1.25, never answers c, and rejects the rest."),
        ([0, np.inf], f"Answers {name} if the sum is < 0, never answers c, and rejects the rest."),
        ([np.inf, 0.5], f"Never answers {name}, answers c if the sum is ≥ 0.5, and rejects the rest."),
        ([np.inf, np.inf], "Rejects every row."),
        ([0, 0], f"Answers {name} if the sum is < 0, else c, and never rejects."),
    ):
        model.bands_ = np.array(bands, float)
        assert when_it_answers(model) == words
        assert [one["band"] for one in bands_as_dicts(model)] == [x if x < np.inf else None for x in bands]


def test_numbers_are_told_apart():
    assert _told_apart([0.31, -1.2, 0.8], 2) == ["+0.31", "-1.20", "+0.80"]
    assert _told_apart([0.3, -0.3, 0.3], 1) == ["+0.3", "-0.3", "+0.3"]
    assert _told_apart([0.301, -1.2, 0.304], 2) == ["+0.301", "-1.2", "+0.304"]
    assert _told_apart([0.004, 0.0, 0.5], 2) == ["+0.004", "0", "+0.5"]
    assert _told_apart([1.0, -np.inf, np.inf], 1) == ["+1.0", "-inf", "+inf"]


def test_no_margin_certificate(command, noisy):
    command("fit", noisy, *SAVED)
    code, out, err = command("certify", "model.json", noisy)
    assert (code, err) == (0, "")
    said = "of its 80 training rows, those that it rejects included. These rows alone promise nothing"
    assert said in " ".join(out.split())


def test_compare(command, noisy, monkeypatch):
    names = [part for name in ("conservative", "chow", "averaged") for part in ("--learner", name)]
    chosen = ("--target", "y", "--max-epochs", 5, "--folds", 3, *names)
    code, out, err = command("compare", noisy, *chosen)
    assert (code, err) == (0, "")
    report = as_json(command, "compare", noisy, *chosen)
    assert report["costs"] == {"gain": 0.0, "wrong": 1.0, "reject": 0.2}
    for one in report["results"]:
        share = rf"{100 * one['rejected']:.1f} %" if one["may_reject"] else ""
        more = rf"{100 * one['balanced_accuracy']:.1f} % +{100 * one['auc']:.1f} +"
        accuracy = rf"{100 * one['accuracy']:.1f} ± \d+\.\d % +"
        line = rf"^[*= ]  {one['learner']} +{accuracy}{more}{share} +{one['risk']:.3f} "
        assert re.search(line, out, re.MULTILINE)
    risks = [one["risk"] for one in report["results"]]
    assert risks == sorted(risks)
    assert report["best"] == report["results"][0]["learner"]
    report["results"].sort(key=lambda one: names.index(one["learner"]))
    assert [one["may_reject"] for one in report["results"]] == [True, True, False]
    words = " ".join(out.split())
    assert "Accuracy: mean ± deviation over 3 folds, without rows rejected." in words
    assert "where a rejection costs 0.2, an error 1; lower is better." in words

    dear = as_json(command, "compare", noisy, *chosen, "--costs", "costs.json")
    assert dear["costs"]["wrong"] == {"no": 1, "yes": 4}
    dear["results"].sort(key=lambda one: names.index(one["learner"]))
    assert dear["results"][2]["risk"] > report["results"][2]["risk"]
    assert dear["results"][2]["accuracy"] == report["results"][2]["accuracy"]
    out = command("compare", noisy, *chosen, "--reject-cost", 0.05)[1]
    assert "where a rejection costs 0.05, an error 1" in " ".join(out.split())

    bold = []
    monkeypatch.setattr("perceptrons.cli.show.table", lambda *_, **settings: bold.append(settings["bold"]))
    command("compare", noisy, *chosen)
    assert bold == [0]  # sorted


def test_compare_the_built_in_table(command):
    report = as_json(
        command, "compare", "--folds", 2, "--max-epochs", 2, "--learner", "conservative", "--learner", "chow"
    )
    for one in report["results"]:
        assert 0 < one["risk"] < 0.2
        assert one["size"] == {"count": 30, "unit": "weights"}


def test_compare_three_classes(command, three):
    short = ("--folds", 2, "--max-epochs", 2, "--target", "y")
    code, out, err = command("compare", three, *short)
    assert (code, err) == (0, "")
    assert "\nconservative supports two classes, not 3, and is left out.\n" in out
    left_out = [name for name in LEARNERS if not re.search(rf"^[*= ]  {name}  ", out, re.MULTILINE)]
    assert set(left_out) == {"conservative", "binary", *ON_REQUEST}
    out = command("compare", three, *short, "--learner", "conservative", "--learner", "chow")[1]
    assert re.search(r"^   conservative +failed$", out, re.MULTILINE)
    reason = "supports two classes, not 3; use --learner chow for more."
    assert f"\nconservative failed: it {reason}\n" in out
    assert "left out" not in out
    assert complaint(command, "compare", three, *short, "--learner", "conservative") == (
        f"conservative failed: it {reason}"
    )
    told = as_json(command, "compare", three, *short, "--learner", "conservative", "--learner", "chow")
    assert told["results"][1]["notes"] == [f"failed: it {reason}"]  # last
    assert told["results"][0]["risk"] is not None
    assert complaint(command, "fit", three, *CONSERVATIVE) == f"conservative {reason}"


def test_many_rows_of_three_classes(command, three, monkeypatch):
    monkeypatch.setattr("perceptrons.learners.MANY_ROWS", 41)
    out = command("compare", three, "--folds", 2, "--max-epochs", 2, "--target", "y")[1]
    said = "Above 41 rows kernel is slow and left out; use --learner kernel"
    assert said in " ".join(out.split())
    assert "conservative supports two classes, not 3, and is left out." in out


@pytest.mark.parametrize("job", [("fit", "--learner", "conservative"), ("compare", "--learner", "chow")])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--reject-cost", "1"], "--reject-cost is 1, but it must be at least 0 and below 1, what an error"),
        (["--reject-cost", "-0.5"], "--reject-cost is -0.5, but it must be at least 0 and below 1"),
        (["--reject-cost", "nan"], "--reject-cost is nan, but it must be at least 0"),
        (["--reject-cost", "dear"], "Invalid value for '--reject-cost'"),
        (["--reject-cost", "0.1", "--costs", "costs.json"], "omit one of the two"),
        (["--costs", "nothing.json"], "nothing.json: No such file or directory"),
        (
            ["--costs", "strange.json"],
            "strange.json does not fit the table: costs name the class 'maybe', but the classes are ['no', ",
        ),
        (
            ["--costs", "half.json"],
            "half.json does not fit the table: wrong prices ['no'], but not the class 'yes'; add it.",
        ),
        (["--costs", "dear.json"], "dear.json holds costs that cannot be: reject=2, but it must be below"),
        (["--costs", "noisy.csv"], "noisy.csv cannot be read as costs"),
    ],
)
def test_bad_costs(command, noisy, job, options, message):
    Path("strange.json").write_text('{"wrong": {"maybe": 1, "no": 1}}')
    Path("half.json").write_text('{"wrong": {"no": 1}}')
    Path("dear.json").write_text('{"reject": 2}')
    name, *learner = job
    assert message in complaint(command, name, noisy, *SHORT, *learner, *options)


def renamed(file, no, yes):
    """The table with other classes."""
    text = Path(file).read_text().replace(",no\n", f",{no}\n").replace(",yes\n", f",{yes}\n")
    Path("renamed.csv").write_text(text)
    return "renamed.csv"


def test_costs_of_numbers(command, noisy):
    """JSON has texts for keys alone; what they say of numbers they say of texts."""
    numbers = renamed(noisy, 0, 1)
    Path("numbers.json").write_text(PRICES.replace("no", "0").replace("yes", "1"))
    for learner in ("conservative", "chow"):
        chosen = (*SHORT, "--learner", learner, "--costs")
        expected = as_json(command, "fit", noisy, *chosen, "costs.json")
        found = as_json(command, "fit", numbers, *chosen, "numbers.json")
        assert (found["risk"], found["rejected"]) == (expected["risk"], expected["rejected"])
    chosen = ("--folds", 2, "--learner", "conservative", *SHORT, "--costs")
    expected = as_json(command, "compare", noisy, *chosen, "costs.json")["results"][0]
    found = as_json(command, "compare", numbers, *chosen, "numbers.json")["results"][0]
    assert found["fold_risks"] == expected["fold_risks"]
    command("fit", numbers, *SAVED, "--costs", "numbers.json")
    assert perceptrons.load("model.json")[-1].costs == Costs(wrong={0: 1, 1: 4}, reject=0.3)


@pytest.mark.parametrize(
    "options", [["--reject-cost", "0.1"], ["--costs", "costs.json"], ["--reject-label", "ask"]]
)
def test_options_for_those_who_always_answer(command, noisy, options):
    assert complaint(command, "fit", noisy, *SHORT, *options) == (
        f"{options[0]} is for learners that can reject, and 'perceptron' always answers; use --learner "
        "conservative, or omit it."
    )
    if options[0] != "--reject-label":
        assert command("compare", noisy, *SHORT, "--folds", 2, "--learner", "averaged", *options)[0] == 0
