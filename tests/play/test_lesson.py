"""What the page shows is what the library says: steps, the proof, frames, and the code that repeats them."""

import json
import re
import warnings
from base64 import b64decode

import numpy as np
import pytest

from perceptrons import NAMED, Perceptron, trace
from perceptrons.play.asked import SETTINGS, named_settings, read_asked
from perceptrons.play.frames import GRID, MOST_FRAMES, counts
from perceptrons.play.lesson import run_lesson
from perceptrons.play.parameters import parameters
from perceptrons.play.presets import presets
from perceptrons.play.traced_run import MOST_CORRECTIONS
from perceptrons.play.views import box, points

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
PRESETS = {one.name: one for one in presets()}
TRACED = [name for name, one in PRESETS.items() if one.request["learner"] == "perceptron"]


@pytest.fixture(scope="module")
def answers():
    return {name: run_lesson(one.request) for name, one in PRESETS.items()}


def fitted(request):
    asked = read_asked(request)
    model = Perceptron(**parameters(asked))
    return asked, model.fit(asked.X, asked.y)


def test_every_learner_has_a_lesson():
    assert {one.request["learner"] for one in PRESETS.values()} == set(SETTINGS)


@pytest.mark.parametrize("name", TRACED)
def test_steps_are_those_of_the_trace(answers, name):
    answer, (asked, model) = answers[name], fitted(PRESETS[name].request)
    shown = list(trace(model, asked.X, asked.y, presentations=True))
    steps, weights = answer["steps"], answer["weights"]
    assert answer["kind"] == "presentations"
    assert len(shown) == model.n_presentations_ == len(steps["row"])
    corrections = 0
    for k, one in enumerate(shown):
        if one.correction:
            corrections += 1
            assert weights[corrections] == [*one.correction.coef_after, one.correction.intercept_after]
            assert answer["targets"][corrections - 1] == [one.correction.beta, one.correction.step]
        assert (steps["row"][k], steps["score"][k], steps["output"][k]) == (one.row, one.score, one.output)
        assert (steps["corrected"][k], steps["weights"][k]) == (bool(one.correction), corrections)
    given = {one["name"]: one["value"] for one in answer["result"]}
    assert given["corrections"] == corrections == model.n_updates_
    assert given["margin"] == model.certificate_.margin
    assert answer["ended"] == model.stopped_
    last = answer["returned"] or weights[-1]
    assert last == [*model.coef_[0], model.intercept_[0]]


@pytest.mark.parametrize("name", TRACED)
def test_the_proof_holds_at_every_moment(answers, name):
    answer, (asked, model) = answers[name], fitted(PRESETS[name].request)
    facts, signs = answer["facts"], np.where(asked.y > 0, 1, -1)
    steps = np.cumsum([0, *(step for _, step in answer["targets"])])
    close = 1e-9 * max(facts["ceiling"])
    for t, weights in enumerate(np.array(answer["weights"])):
        w, b = weights[:-1], weights[-1]
        scores = asked.X @ w + b
        norm = np.hypot(np.linalg.norm(w), b / model.lift_ if model.lift_ else 0.0)
        assert facts["errors"][t] == ((scores > 0) != (signs > 0)).sum()
        assert facts["length"][t] == pytest.approx(norm, abs=1e-12)
        if t:
            assert facts["bound"][t] == pytest.approx(norm / steps[t], abs=1e-12)
        if facts["margin"][t] is not None:
            assert facts["margin"][t] == pytest.approx((signs * scores).min() / norm)
        assert facts["length"][t] <= facts["ceiling"][t] + close
        if "along" in facts:
            assert facts["floor"][t] <= facts["along"][t] + 1e-5 * max(1, facts["along"][t])
            assert facts["along"][t] <= facts["length"][t] + close
            assert t == 0 or (facts["margin"][t] or 0) <= facts["best"] * (1 + 1e-5) <= facts["bound"][t] * (
                1 + 2e-5
            )
    assert ("along" in facts) == (name not in ("xor", "blobs", "cancer"))


@pytest.mark.parametrize("preset", ["or", "iris"])
@pytest.mark.parametrize("name", NAMED)
def test_the_proof_holds_for_every_named_rule(name, preset):
    """ALMA's, too, whose weights are shrunk: what bounds them shrinks with them."""
    request = PRESETS[preset].request
    rows = np.array(request["rows"])
    small = (rows / (2 * np.linalg.norm(rows, axis=1).max())).tolist()  # "infinity" wants the unit ball
    settings = {**named_settings()[name], "max_epochs": 50}
    facts = run_lesson({**request, "rows": small, "settings": settings})["facts"]
    columns = ("floor", "along", "length", "ceiling", "bound")
    floor, along, length, ceiling, bound = (np.array(facts[one], float)[1:] for one in columns)
    slack = 1 + 2e-5  # the best margin is known to 1e-6
    assert len(floor) > 1
    assert (floor <= along + 1e-5 * np.maximum(1, along)).all()
    assert (along <= length * slack).all()
    assert (length <= ceiling * slack).all()
    assert (bound * slack >= facts["best"]).all()
    if name == "alma":
        assert length.max() <= 1 + 1e-12


def test_honavars_lines(answers):
    assert answers["or"]["steps"]["score"] == [0, 0, 1, 2, 1, 1, 0, 3, 1, 1, 1, 2, 0]


def test_long_runs_show_their_corrections():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((300, 2)).round(2), rng.integers(0, 2, 300)
    request = {**PRESETS["or"].request, "rows": X.tolist(), "labels": y.tolist()}
    settings = {"margin": 0.0, "order": "cyclic", "min_margin": 0.0, "max_epochs": 30}
    answer = run_lesson({**request, "settings": settings})
    assert answer["kind"] == "corrections"
    assert len(answer["steps"]["row"]) == MOST_CORRECTIONS == len(answer["weights"]) - 1
    assert answer["note"].startswith(
        "The run looked at 9,000 rows, so only its corrections are steps here, the"
    )
    for k in (0, 1, 500):
        w = np.array(answer["weights"][k])
        assert answer["steps"]["score"][k] == pytest.approx(X[answer["steps"]["row"][k]] @ w[:2] + w[2])


FRAMED = [name for name in PRESETS if name not in TRACED]


@pytest.mark.parametrize("name", FRAMED)
def test_the_last_frame_is_the_model_that_fit_returns(answers, name):
    frame, request = answers[name]["frames"][-1], PRESETS[name].request
    asked = read_asked(request)
    model = made_by(answers[name]["code"])["model"]
    if "line" in frame:
        assert frame["line"] == [*model.coef_[0], model.intercept_[0]]
    if "corner" in frame:
        assert (frame["corner"], frame["threshold"]) == (model.coef_[0].tolist(), model.threshold_)
    if "band" in frame and name == "rejecting":
        assert frame["band"] == [-model.bands_[0], model.bands_[1]]
        assert frame["rejected"] == np.flatnonzero(model.rejects(asked.X)).tolist()
    if "support" in frame:
        assert frame["support"] == sorted(model.support_.tolist())
    if "text" in frame:
        assert frame["text"].endswith(model.to_text())
    if "grid" in frame:
        shades = np.frombuffer(b64decode(frame["grid"]), np.int8)
        scores = model.decision_function(points(answers[name]["view"], GRID))
        assert ((shades > 0) == (scores > 0)).all()
        assert (shades > 0).any()
        assert (shades < 0).any()


def test_corners_of_the_cube_by_brute_force(answers):
    request, corners = PRESETS["cube"].request, answers["cube"]["corners"]
    assert len(corners) == 27
    for *w, wrong in corners:
        sums = (2 * np.array(request["rows"]) - 1) @ w
        assert wrong == min(((sums > theta) != np.array(request["labels"])).sum() for theta in range(-4, 4))


def made_by(code):
    """What a copied text leaves when it is run."""
    names = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(code, "copied.py", "exec"), names)
    return names


@pytest.mark.parametrize("name", PRESETS)
def test_copied_code_gives_the_same_numbers(answers, name, capsys):
    made, answer = made_by(answers[name]["code"]), answers[name]
    printed = capsys.readouterr().out
    if name in TRACED:
        last = answer["returned"] or answer["weights"][-1]
        assert [*made["model"].coef_[0], made["model"].intercept_[0]] == last
        # number, row, score, output, target: the certificate's sentences, too, may begin with a number
        lines = [line.split() for line in printed.splitlines() if re.match(r"\d+ \d+ \S+ [01] [01] ", line)]
        assert [int(line[0]) for line in lines] == list(range(1, len(lines) + 1))
        assert [int(line[1]) for line in lines] == answer["steps"]["row"]
        assert [float(line[2]) for line in lines] == answer["steps"]["score"]
        assert [line[5:] == ["corrected"] for line in lines] == answer["steps"]["corrected"]
    assert made["X"].tolist() == PRESETS[name].request["rows"]


def test_names_cannot_write_code():
    request = {
        **PRESETS["or"].request,
        "columns": ["a\nimport os", "b"],
        "classes": ["'; import os #", "\r\n1/0"],
    }
    code = run_lesson(request)["code"]
    assert [line for line in code.splitlines() if "import" in line and not line.startswith("#")] == [
        "import numpy as np",
        "from perceptrons import Perceptron, trace",
    ]
    made_by(code)


def test_other_choices_of_every_learner():
    """Costs that differ, slack, points, other kernels and methods: an answer, and code that runs."""
    changes = [
        ("rejecting", {"false_alarm": 3.0}),
        ("rejecting", {"miss": 2.0, "symmetric": True, "rule": "cplr1"}),
        ("maximum", {"C": 1.0}),
        ("maximum", {"fit_intercept": False}),
        ("circle", {"kernel": "poly", "degree": 2}),
        ("circle", {"margin": "auto", "result": "auto"}),
        ("circle", {"margin": ["known", 0.01]}),
        ("cube", {"method": "sbpi", "max_epochs": 20}),
        ("cube", {"method": "influence"}),
        ("rules", {"max_points": 5, "max_rules": 3}),
    ]
    for name, settings in changes:
        request = PRESETS[name].request
        answer = run_lesson({**request, "settings": {**request["settings"], **settings}})
        json.dumps(answer, allow_nan=False)
        assert 0 < len(answer["frames"]) <= MOST_FRAMES + 1
        assert hasattr(made_by(answer["code"])["model"], "classes_")
    two = {**PRESETS["or"].request, "learner": "binary", "settings": {"method": "clipped-hebb"}}
    assert len(run_lesson(two)["corners"]) == 9


def test_bad_parameters_are_explained_by_the_learners():
    request = PRESETS["or"].request
    for settings, sentence in [
        ({"eta": -1}, "eta=-1"),
        ({"order": "sideways"}, "order='sideways'"),
        ({"margin": "infinity", "max_epochs": 5}, "needs rows of norm <= 1"),
    ]:
        with pytest.raises(ValueError, match=sentence):
            run_lesson({**request, "settings": settings})


def test_counts_and_views():
    assert counts(5) == [1, 2, 3, 4, 5]
    many = counts(10_000)
    assert (many[0], many[-1], len(many) <= MOST_FRAMES) == (1, 10_000, True)
    assert many == sorted(set(many))
    left, right, bottom, top = box(np.array([[3.0, 1.0], [3.0, 1.0]]))
    assert left < 3 < right
    assert bottom < 1 < top
    assert points([0, 2, 0, 2], 2).tolist() == [[0.5, 1.5], [1.5, 1.5], [0.5, 0.5], [1.5, 0.5]]
