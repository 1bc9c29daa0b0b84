"""Binary weights on the command line: literals of a table vote."""

import csv
import json
import re

import numpy as np
import pytest

import perceptrons
from perceptrons.cli.explain import MOST_PARTS
from perceptrons.tables.read import read_table
from tests.commands import FIT

BINARY = (*FIT, "--learner", "binary", "--out", "model.json")


def test_from_a_table_to_bits_and_reasons(command, table):
    code, out, err = command("fit", table, *BINARY)
    assert (code, err) == (0, "")
    model = perceptrons.load("model.json")
    encoder, learner = (step for _, step in model.steps)
    assert isinstance(encoder, perceptrons.LiteralEncoder)
    words = " ".join(out.split())
    votes = [int((learner.coef_ == sign).sum()) for sign in (1, -1)]
    assert f"binary, {sum(votes)} weights:" in words
    assert f"votes for poor ({votes[0]} of them) or against it ({votes[1]})" in words
    assert f"more than {learner.threshold_}, else fine. Packed, the model has" in words
    assert f"has {learner.packed_.n_bytes} bytes." in words
    frame = read_table(table, text=["grade", "zip"])
    X, y = frame.select(model.feature_names_in_), frame["grade"].to_numpy()
    assert model.score(X, y) > 0.9
    code, out, err = command("predict", "model.json", table, "--scores")
    assert [row["prediction"] for row in csv.DictReader(out.splitlines())] == model.predict(X).tolist()


def test_reasons_add_up(command, table):
    command("fit", table, *BINARY)
    model = perceptrons.load("model.json")
    frame = read_table(table, text=["grade", "zip"])
    scores = model.decision_function(frame.select(model.feature_names_in_))
    names = model[0].get_feature_names_out().tolist()
    for row, score in enumerate(scores[:5], start=1):
        told = json.loads(command("explain", "model.json", table, "--row", row, "--json")[1])
        assert told["score"] == score == sum(part["adds"] for part in told["parts"])
        *parts, last = told["parts"]
        assert last == {"rule": "threshold", "adds": -model[-1].threshold_, "holds": True}
        side = 1 if score > 0 else -1
        assert [side * part["adds"] for part in parts] == sorted(
            (side * part["adds"] for part in parts), reverse=True
        )
        weights = dict(zip(names, model[-1].coef_[0].tolist(), strict=True))
        assert all(part["adds"] == weights[part["rule"]] * (1 if part["holds"] else -1) for part in parts)
    code, out, err = command("explain", "model.json", table)
    assert (code, err) == (0, "")
    n_votes = model[-1].n_weights_ + 1
    assert (f"… and {n_votes - MOST_PARTS} more" in out) == (n_votes > MOST_PARTS)
    assert re.search(r"^rule +holds +adds$", out, re.MULTILINE)


def test_json_gives_the_bytes(command, table):
    told = json.loads(command("fit", table, *BINARY, "--json")[1])
    assert told["bytes"] == perceptrons.load("model.json")[-1].packed_.n_bytes
    assert told["size"]["count"] == perceptrons.load("model.json")[-1].n_weights_
    assert json.loads(command("fit", table, *FIT, "--json")[1])["bytes"] is None


def test_sbpi_learns_by_its_name(command, table):
    code, out, err = command("fit", table, *BINARY, "--learner", "binary sbpi", "--seed", 3)
    assert (code, err) == (0, "")
    model = perceptrons.load("model.json")[-1]
    assert (model.method, model.random_state, model.max_epochs) == ("sbpi", 3, 200)
    assert model.converged_ or "max_epochs=200" in out


def test_three_classes_are_refused(command, table):
    rows = "".join(f"{'abc'[i % 3]},{i}\n" for i in range(30))
    with open("three.csv", "w") as file:
        file.write(f"y,x\n{rows.replace('7', '8')}")  # not a counter
    code, out, err = command("fit", "three.csv", "--target", "y", "--learner", "binary")
    assert (code, out) == (2, "")
    assert "binary supports two classes, not 3; use --learner chow for more." in err


def test_it_has_no_margin_certificate(command, table):
    command("fit", table, *BINARY)
    code, out, err = command("certify", "model.json", table)
    assert (code, err) == (0, "")
    assert "BinaryPerceptron is wrong on" in out
    assert json.loads(command("certify", "model.json", table, "--json")[1])["holds"] is None


@pytest.mark.parametrize("learner", ["binary", "binary sbpi"])
def test_compare_gives_them_literals(learner, table, monkeypatch):
    """Encoded once per fold, from the training rows alone."""
    fitted = []
    fit = perceptrons.LiteralEncoder.fit

    def spy(self, X, *rest):
        fitted.append(len(X))
        return fit(self, X, *rest)

    monkeypatch.setattr(perceptrons.LiteralEncoder, "fit", spy)
    from perceptrons.comparison import compare

    X = np.arange(40.0)[:, None]
    (result,) = compare(X, X[:, 0] > 19, folds=2, learners=[learner])
    assert fitted == [20, 20, 40]
    assert result.accuracy > 0.8
    assert result.size.unit == "weights"
