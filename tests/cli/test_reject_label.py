"""The label of rejected rows on the command line, beside classes of any name."""

from pathlib import Path

import numpy as np
import pytest

import perceptrons
from tests.cli.test_rejecting import SAVED, SHORT, as_json, complaint


@pytest.fixture
def write(table):
    """A table of these two classes, which overlap, in an empty folder; where it is."""

    def write(first, second):
        rng = np.random.default_rng(1)
        x = rng.normal(size=80).round(3)
        y = np.where(x + 0.8 * rng.normal(size=80) > 0, str(second), str(first))
        Path("noisy.csv").write_text("x,y\n" + "".join(f"{a},{b}\n" for a, b in zip(x, y, strict=True)))
        return "noisy.csv"

    return write


def test_a_class_called_reject(command, write):
    file = write("reject", "yes")
    assert complaint(command, "fit", file, *SAVED) == (
        "Rejected rows would get 'reject', but that is one of the classes ['reject', 'yes']; choose another "
        "with --reject-label TEXT."
    )
    assert "would get 'reject'" in complaint(command, "fit", file, *SHORT, "--learner", "chow")
    assert command("fit", file, *SAVED, "--reject-label", "ask")[0] == 0
    assert perceptrons.load("model.json")[-1].reject_label == "ask"
    told = as_json(command, "predict", "model.json", file)
    assert 0 < told["prediction"].count("ask") == told["rejected"] < 80
    assert {*told["prediction"]} == {"reject", "yes", "ask"}


@pytest.mark.parametrize(
    ("text", "label"), [("auto", -1), ("7", 7), ("-5", -5), ("+9", 9), ("ask", "ask"), ("9" * 30, "9" * 30)]
)
def test_labels_beside_numbers(command, write, text, label):
    file = write(0, 1)
    assert command("fit", file, *SAVED, "--reject-label", text)[::2] == (0, "")
    told = as_json(command, "predict", "model.json", file)
    assert {*told["prediction"]} == {0, 1, label}
    assert told["prediction"].count(label) == told["rejected"]
    assert f", and get {label!r}\n" in command("predict", "model.json", file)[2]


def test_labels_that_are_classes(command, write):
    numbers = write(0, 1)
    for text, label in (("1", 1), ("+1", 1), ("-0", 0), ("01", 1)):
        assert complaint(command, "fit", numbers, *SAVED, "--reject-label", text).startswith(
            f"Rejected rows would get {label}, but that is one of the classes [0, 1]"
        )
    words = write("no", "yes")
    for text in ("1", "-1"):  # beside texts a text
        assert command("fit", words, *SAVED, "--reject-label", text)[0] == 0
        assert perceptrons.load("model.json")[-1].reject_label == text
    assert complaint(command, "fit", words, *SAVED, "--reject-label", "yes").startswith("Rejected rows would")


def test_help_describes_the_label_of_rejected_rows(command):
    said = " ".join(command("predict", "--help")[1].replace("│", " ").split())
    assert 'answers "reject" for a rejected row, or the text of fit --reject-label' in said
    assert "if the classes are numbers, it is 0, -1 or another number that is not a class." in said
