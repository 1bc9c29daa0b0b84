"""What the page may ask for, and what is refused with one sentence."""

import json

import numpy as np
import pytest

from perceptrons import NAMED
from perceptrons.play.asked import MOST_ROWS, SETTINGS, named_settings, read_asked, read_json
from perceptrons.play.lesson import run_lesson
from perceptrons.play.presets import presets

GOOD = {"learner": "perceptron", "rows": [[0, 1], [1, 0.5]], "labels": [0, 1], "settings": {"eta": 2}}


def test_a_request():
    asked = read_asked(GOOD)
    assert asked.X.tolist() == [[0.0, 1.0], [1.0, 0.5]]
    assert (asked.y.tolist(), asked.settings, asked.columns) == ([0, 1], {"eta": 2}, ["x1", "x2"])
    pair = read_asked({**GOOD, "settings": {"margin": [1, 2.5]}, "classes": ["no", "yes"]})
    known = read_asked({**GOOD, "settings": {"margin": ["known", 0.25]}})
    assert known.settings == {"margin": ("known", 0.25)}
    assert (pair.settings, pair.classes) == ({"margin": (1.0, 2.5)}, ["no", "yes"])


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"learner": "../etc"}, r"There is no learner '../etc'; choose one of perceptron"),
        ({"learner": None}, "There is no learner None"),
        ({"rows": 3}, "two lists of the same length"),
        ({"labels": [0]}, "two lists of the same length"),
        ({"rows": [[0, 1]], "labels": [0]}, "There are 1 rows, but the playground takes 2 to 2,000"),
        ({"rows": [[0, 1]] * 2001, "labels": [0] * 2001}, "There are 2,001 rows"),
        ({"rows": [[0, 1], [1]]}, "A cell is None"),
        ({"rows": [[0, 1, 2], [1, 2, 3]]}, "must have 2 numbers, but the first has 3"),
        ({"rows": [0, 1]}, "must have 2 numbers, but the first has 0"),
        ({"rows": [[0, 1], [1, 1e10]]}, "A cell is 10000000000.0, but it must be a number between ±1e"),
        ({"rows": [[0, 1], [1, True]]}, "A cell is True"),
        ({"rows": [[0, 1], [1, "x" * 500]]}, "A cell is 'xxx.*…, but"),
        ({"labels": [0, 2]}, "A label is 2, but it must be 0 or 1"),
        ({"labels": [0, [1]]}, r"A label is \[1\]"),
        ({"labels": [1, 1]}, "All rows are of one class"),
        ({"settings": []}, "Settings must be an object"),
        ({"settings": {"n_jobs": 9}}, "The learner perceptron has no setting 'n_jobs'"),
        ({"settings": {"eta": "lambda"}}, "eta='lambda', but a setting must be a number"),
        ({"settings": {"margin": [1, 2, 3]}}, r"margin=\[1, 2, 3\]"),
        ({"settings": {"margin": ["known", "all"]}}, "A cell is 'all'"),
        ({"settings": {"margin": ["unknown", 1]}}, "A cell is 'unknown'"),
        ({"settings": {"max_epochs": 1001}}, "max_epochs=1001, but the playground takes at most 1,000"),
        ({"learner": "kernel", "settings": {"kernel": "precomputed"}}, "kernel='precomputed'; choose one of"),
        ({"columns": ["a"]}, "Columns must be a list of 2 names"),
        ({"classes": ["a", "b" * 99]}, "Classes must be names of at most 60 characters"),
    ],
)
def test_other_requests_are_refused(change, sentence):
    with pytest.raises(ValueError, match=sentence) as refused:
        read_asked({**GOOD, **change})
    assert len(str(refused.value)) < 300


def test_no_more_passes_than_one_waits_for():
    rows = {"rows": [[0, 1]] * 1999 + [[1, 0]], "labels": [0] * 1999 + [1]}
    with pytest.raises(ValueError, match=r"max_epochs=101 passes over 2,000 rows .* use at most 100\."):
        read_asked({**GOOD, **rows, "settings": {"max_epochs": 101}})
    assert len(read_asked({**GOOD, **rows, "settings": {"max_epochs": 100}}).y) == MOST_ROWS


@pytest.mark.parametrize(
    "text",
    [b"", b"{", b"[1]", b'"x"', b"\xff\xfe", b'{"a": NaN}', b"[" * 100_000, b'{"a": ' + b"9" * 5000 + b"}"],
)
def test_what_is_no_json_object_is_refused(text):
    with pytest.raises(ValueError, match="reload the page"):
        read_json(text)
    assert read_json(b'{"a": [1, 2.5e3]}') == {"a": [1, 2500.0]}


def test_every_named_rule_is_offered_and_can_be_asked_for():
    named = named_settings()
    assert list(named) == list(NAMED)
    blob = next(one.request for one in presets() if one.name == "iris")
    X = np.array(blob["rows"])
    small = (X / (2 * np.sqrt((X**2).sum(axis=1)).max())).tolist()  # "infinity" wants the unit ball
    for settings in named.values():
        assert set(settings) <= set(SETTINGS["perceptron"])
        answer = run_lesson({**blob, "rows": small, "settings": {**settings, "max_epochs": 20}})
        assert answer["steps"]["row"]
        json.dumps(answer, allow_nan=False)
