"""Names, texts and numbers that came from data: none ends a literal, begins a comment or is another name."""

import sqlite3
import subprocess

import numpy as np
import pandas as pd
import pytest

from perceptrons import SparsePerceptron, export
from perceptrons.exports.c_text import comment, string
from perceptrons.exports.identifiers import C_WORDS, distinct
from perceptrons.exports.sql_text import exactly, number, quoted
from perceptrons.learners import build_learner, for_tables
from tests.exports import engines
from tests.exports.judging import judge

NASTY = [
    "quote\"s and 'apostrophes'",
    "*/ int main(void) { return 1; } /*",
    "-- ; DROP TABLE x; --",
    "line\nbreak\r\tand tab",
    "??/ trigraph ??'",
    "back\\slash \\",
    "SELECT",
    "select",
    "int",
    "row",
    "Größe (cm)",
    "größe [cm]",
    "日本語 🙂",
    "\u202eevil",
    "@",
    "%s %n {0} {{}} $x",
    "",
    "label",
    "scores",
    "s0_0",
    "t1",
    "c_row",
    "prediction",
    "score",
    "layer_0",
    "\u0130\u0131 \ufb01",
    "step 1",
    "7",
    "7.00",
    "TRUE",
    "a" * 300,
]


def nasty_table() -> tuple[pd.DataFrame, np.ndarray]:
    """Columns and categories with such names; every other column holds numbers."""
    rng, n = np.random.default_rng(1), 80
    names = [name for name in NASTY if name]
    columns = {
        name: rng.choice([one for one in NASTY if one != "7.00"], n) if k % 2 else rng.normal(size=n)
        for k, name in enumerate(names)
    }
    y = np.where(
        sum(values > 0 for values in columns.values() if values.dtype.kind == "f") > 8, "*/\"'--", "??/\\n\n"
    )
    return pd.DataFrame(columns), y


@pytest.fixture(scope="module")
def shipped():
    X, y = nasty_table()
    models = {
        "linear": for_tables(build_learner("perceptron"), keep="all").fit(X, y),
        "sparse": SparsePerceptron(max_rules=20, cv=2, keep="all", random_state=0).fit(X, y),
    }
    return X, [engines.ship(name, model, X.to_dict("records")) for name, model in models.items()]


@pytest.mark.export
def test_in_c_with_sanitizers_and_two_compilers(shipped, tmp_path):
    X, models = shipped
    engines.write_c(models, tmp_path)
    engines.compiled_c(tmp_path, "clang")
    engines.compiled_c(tmp_path, "gcc", *engines.SANITIZED)
    for one in models:
        judge(one, X, engines.read_c(one, tmp_path))


def test_in_python(shipped, tmp_path):
    X, models = shipped
    for one in models:
        judge(one, X, engines.run_python(one, tmp_path), exact=True)


@pytest.mark.export
def test_in_onnx(shipped, tmp_path):
    X, models = shipped
    for one in models:
        judge(one, X, engines.run_onnx(one, tmp_path))


@pytest.mark.export
def test_in_sql(tmp_path):
    """Where names that differ in case alone are one."""
    X, y = nasty_table()
    X = X.drop(columns=["select", "größe [cm]"])
    model = for_tables(build_learner("perceptron"), keep="all").fit(X, y)
    one = engines.ship("-- it's \"SELECT", model, X.to_dict("records"))._replace(name="it's SELECT")
    judge(one, X, engines.run_sqlite(one, tmp_path))
    judge(one, X, engines.run_duckdb(one, tmp_path))


def test_a_string_of_c_is_read_back(tmp_path):
    texts = [name for name in NASTY if name] + [bytes(range(1, 256)).decode("latin-1")]
    lines = "".join(
        f"    fputs({string(text)}, stdout); putchar(0); /* {comment(text)} */\n" for text in texts
    )
    lines = lines.replace("(at)", "@")
    source = f"#include <stdio.h>\nint main(void)\n{{\n{lines}    return 0;\n}}\n"
    (tmp_path / "echo.c").write_text(source)
    command = ["gcc", *engines.WARNINGS, "-trigraphs", "echo.c", "-o", "echo"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = subprocess.run(["./echo"], cwd=tmp_path, capture_output=True).stdout.decode().split("\0")
    assert found[:-1] == texts


def test_numbers_are_read_back_by_sqlite():
    rng = np.random.default_rng(0)
    some = np.concatenate([rng.normal(size=300), rng.normal(size=100) * 10.0 ** rng.integers(-12, 12, 100)])
    values = [0.1, 1e22, 1 / 3, -2.5, 1360.0, 2**53 + 2.0, 5e-324, -1.7976931348623157e308, *some.tolist()]
    with sqlite3.connect(":memory:") as database:
        for value in values:
            written = exactly(value)
            found, same = database.execute(
                f"SELECT CAST({written} AS DOUBLE PRECISION), {written} = ?", (value,)
            ).fetchone()
            assert (found == value and same) or abs(value) > 1e300 or abs(value) < 1e-300, (value, written)
    assert number(1360.0) == "1360e0"


def test_identifiers_are_distinct_and_free():
    found = distinct([*NASTY, "int", "Int", "a-b", "a b", "a_b", "1st"], C_WORDS)
    assert len(set(found)) == len(found)
    assert not set(found) & C_WORDS
    assert all(one.isidentifier() and one.isascii() for one in found)
    assert distinct(["a b", "a-b", "Größe"], ()) == ["a_b", "a_b_2", "grosse"]


@pytest.mark.parametrize(("name", "to"), [("a\0b", "c"), ("a\0b", "sql"), ("\ud800", "c"), ("\ud800", "sql")])
def test_what_a_target_cannot_spell_is_refused(name, to, tmp_path):
    X, y = [[name, 1.0], ["b", 2.0]] * 20, ["no", "yes"] * 20
    model = for_tables(build_learner("perceptron"), keep="all").fit(X, y)
    with pytest.raises(ValueError, match="rename it"):
        export(model, tmp_path / "model", to=to)
    assert not list(tmp_path.iterdir())


def test_a_query_names_its_columns_and_table(tmp_path):
    assert quoted('a"b') == '"a""b"'
    X, y = pd.DataFrame({"x": [0.0, 1.0, 2.0, 3.0]}), ["a", "a", "b", "b"]
    model = for_tables(build_learner("perceptron")).fit(X, y)
    export(model, tmp_path / "q.sql", to="sql", name="a missing column is no text")
    with sqlite3.connect(":memory:") as database:
        database.execute('CREATE TABLE "a missing column is no text" (z REAL)')
        with pytest.raises(sqlite3.OperationalError, match="no such column"):
            database.execute((tmp_path / "q.sql").read_text())
