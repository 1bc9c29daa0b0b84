"""`export` and `perceptrons export`: what is written, what is refused, and that nothing is left half done."""

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from perceptrons import (
    BinaryPerceptron,
    KernelPerceptron,
    MarginProjection,
    Perceptron,
    SparsePerceptron,
    TableEncoder,
    export,
    save,
)
from perceptrons.learners import build_learner, for_tables
from tests.commands import shell

X = pd.DataFrame({"age": [20.0, 30.0, 40.0, None] * 10, "smokes": ["yes", "no", "no", "yes"] * 10})
Y = np.array(["ill", "well", "well", "ill"] * 10)
ROWS = np.arange(40.0).reshape(20, 2)
LABELS = np.repeat([0, 1], 10)


def linear():
    return for_tables(build_learner("perceptron")).fit(X, Y)


@pytest.mark.parametrize("to", ["c", "sql", "python", pytest.param("onnx", marks=pytest.mark.export)])
def test_a_file_says_what_it_is(to, tmp_path):
    written = export(linear(), tmp_path / "model", to=to)
    data = (tmp_path / "model").read_bytes()
    assert b"Perceptron, exported by perceptrons" in data
    assert written == (("age", "smokes"), len(data), None, None)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (
            lambda: KNeighborsClassifier().fit(ROWS, LABELS),
            "A KNeighborsClassifier cannot be exported; what can",
        ),
        (lambda: TableEncoder().fit(X), "export a classifier"),
        (
            lambda: make_pipeline(MarginProjection(1), Perceptron()).fit(ROWS, LABELS),
            "MarginProjection cannot",
        ),
        (lambda: KernelPerceptron(lambda A, B: A @ B.T).fit(ROWS, LABELS), "a function of Python's"),
        (lambda: KernelPerceptron("precomputed").fit(ROWS @ ROWS.T, LABELS), "'precomputed' cannot"),
        (lambda: BinaryPerceptron(binarize=None).fit(ROWS % 4 > 1, LABELS), "binarize='auto'"),
    ],
)
def test_what_no_target_can_express_is_refused(model, words, tmp_path):
    (tmp_path / "old").write_text("old")
    with pytest.raises(ValueError, match=words):
        export(model(), tmp_path / "old", to="python")
    assert (tmp_path / "old").read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 1


def test_dates_are_refused_by_name(tmp_path):
    opened = pd.DataFrame({"opened": ["2024-01-02", "2024-03-04", "2023-05-06", "2022-07-08"] * 10})
    model = for_tables(build_learner("perceptron")).fit(opened, Y)
    with pytest.raises(ValueError, match="'year of opened' out of the dates in 'opened'"):
        export(model, tmp_path / "m.sql", to="sql")


def test_texts_that_write_numbers_are_read_as_numbers(tmp_path):
    prices = pd.DataFrame({"price": ["$1,200.50", "$3.00", "$2.00", "$1,900.00"] * 10})
    model = for_tables(build_learner("perceptron")).fit(prices, Y)
    export(model, tmp_path / "m.py", to="python")
    module = {}
    exec((tmp_path / "m.py").read_text(), module)
    numbers = [module["predict"]({"price": price}) for price in (1200.5, 3.0)]
    assert numbers == model.predict(prices[:2]).tolist()


def test_joined_columns_are_compared_one_by_one(tmp_path):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.choice(["a", "b c", "b", "c"], (200, 3)), columns=["p", "q", "r"])
    y = (table.p + table.q).isin(["ab", "b cc"])
    model = SparsePerceptron(groups=[["p", "q"]], max_rules=3, k=1, cv=2, random_state=0).fit(table, y)
    assert any("p q" in str(rule) for rule in model.conjunctions_)
    export(model, tmp_path / "m.py", to="python")
    module = {}
    exec((tmp_path / "m.py").read_text(), module)
    assert [module["predict"](row) for row in table.to_dict("records")] == model.predict(table).tolist()


def test_options_of_another_target_are_refused(tmp_path):
    for options in (
        {"to": "sql", "fixed": 16},
        {"to": "c", "keep": ["id"]},
        {"to": "java"},
        {"to": "c", "fixed": 40},
    ):
        with pytest.raises(ValueError, match=r"is for|must be"):
            export(linear(), tmp_path / "m", **options)
    assert not list(tmp_path.iterdir())


def test_a_query_keeps_columns_and_names_a_table(tmp_path):
    export(linear(), tmp_path / "m.sql", to="sql", name="people", keep=["id", "age"])
    text = (tmp_path / "m.sql").read_text()
    assert '"id", "age", "smokes",\n    CASE' in text
    assert 'FROM "people" AS t' in text


def test_python_needs_nothing(tmp_path):
    """In a process that may import the standard library alone."""
    model = SparsePerceptron(max_points=3, cv=2, random_state=0).fit(X, Y)
    export(model, tmp_path / "card.py", to="python")
    code = "import card; row = {'age': None, 'smokes': 'yes'}; print(card.predict(row), card.explain(row))"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.insert(0, '.'); {code}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    expected = model.predict(pd.DataFrame({"age": [None], "smokes": ["yes"]}))[0], str(model.conjunctions_[0])
    assert all(one in done.stdout for one in expected)


def test_exporting_imports_no_torch_and_no_onnx():
    code = "import sys; from perceptrons import export; assert not {'torch', 'onnx'} & set(sys.modules)"
    done = shell(code=code)
    assert done.returncode == 0, done.stderr


def test_the_command(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    save(linear(), "model.json")
    code, out, _ = command("export", "model.json", "--to", "c", "--out", "risk.h", "--fixed", "16")
    assert code == 0
    assert "bytes of C written to risk.h" in out
    assert "It reads 2 columns: age, smokes." in out
    assert "A score is at most" in out
    code, out, _ = command(
        "export", "model.json", "--to", "sql", "--out", "risk.sql", "--keep", "id", "--json"
    )
    assert json.loads(out)["columns"] == ["age", "smokes"]
    code, _, error = command("export", "model.json", "--to", "c", "--out", "model.json")
    assert (code, "names the model itself" in error) == (2, True)
    code, _, error = command("export", "model.json", "--to", "jar", "--out", "risk.jar")
    assert (code, "must be one of" in error) == (2, True)
