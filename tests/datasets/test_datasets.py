"""The papers' data sets: from files and from OpenML (played by pandas frames), checked by their content."""

import os
import runpy
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace
from urllib.error import URLError

import numpy as np
import pandas as pd
import pytest

from perceptrons import datasets
from perceptrons.datasets import NAMES, fetching, load
from perceptrons.datasets.__main__ import main
from perceptrons.datasets.dataset import digest
from perceptrons.datasets.sources import SOURCES
from perceptrons.tables.read import read_table

FACTS = {  # rows, columns, classes, missing cells
    "voting": (435, 16, {"democrat": 267, "republican": 168}, 392),
    "promoters": (106, 57, {"+": 53, "-": 53}, 0),
    "splice": (3190, 60, {"EI": 767, "IE": 768, "N": 1655}, 0),
    "mushroom": (8124, 22, {"edible": 4208, "poisonous": 3916}, 2480),
    "monks-1": (124, 6, {0: 62, 1: 62}, 0),
    "monks-1-test": (432, 6, {0: 216, 1: 216}, 0),
    "monks-2": (169, 6, {0: 105, 1: 64}, 0),
    "monks-2-test": (432, 6, {0: 290, 1: 142}, 0),
    "monks-3": (122, 6, {0: 62, 1: 60}, 0),
    "monks-3-test": (432, 6, {0: 204, 1: 228}, 0),
    "tic-tac-toe": (958, 9, {"positive": 626, "negative": 332}, 0),
    "wisconsin": (699, 9, {"benign": 458, "malignant": 241}, 16),
    "pima": (768, 8, {"negative": 500, "positive": 268}, 0),
}
KINDS = {"wisconsin": {"Int64"}, "pima": {"Int64", "Float64"}}  # else texts


@pytest.fixture
def folder(data, tmp_path, monkeypatch):
    """A folder of our own with the voting records, to be spoiled."""
    file = tmp_path / "voting" / "house-votes-84.data"
    file.parent.mkdir()
    shutil.copy(data / "voting" / file.name, file)
    monkeypatch.setenv("PERCEPTRONS_DATA", str(tmp_path))
    return file


@pytest.fixture
def openml(monkeypatch):
    """Play OpenML: `openml(answer)` has fetch_openml give it, or raise it; returns the numbers asked for."""

    def play(answer):
        def fetch(*, data_id, as_frame, parser):
            assert (as_frame, parser) == (True, "liac-arff")
            asked.append(data_id)
            if isinstance(answer, Exception):
                raise answer
            return answer

        asked = []
        monkeypatch.delenv("PERCEPTRONS_DATA", raising=False)
        monkeypatch.setattr(fetching, "fetch_openml", fetch)
        return asked

    return play


def test_every_set_has_facts():
    assert tuple(FACTS) == NAMES
    assert len({source.digest for source in SOURCES.values()}) == len(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_shape_classes_and_missing_cells(name, data):
    n_rows, n_columns, classes, n_missing = FACTS[name]
    found = load(name)
    assert found.X.shape == (n_rows, n_columns)
    assert len(set(found.X.columns)) == n_columns
    assert (
        dict(zip(*(part.tolist() for part in np.unique(found.y, return_counts=True)), strict=True)) == classes
    )
    assert sum(column.null_count() for column in found.X) == n_missing
    assert {str(kind) for kind in found.X.dtypes} == KINDS.get(name, {"String"})
    license = "UCI has withdrawn it; it is commonly given as CC0" if name == "pima" else "CC BY 4.0"
    assert all(word in found.provenance for word in (str(n_rows), "UCI", license, SOURCES[name].file))
    assert ("CC BY" in found.provenance) == (name != "pima")


def test_names_and_values_can_be_read(data):
    mushroom = load("mushroom").X
    assert "none" in mushroom["odor"].to_list()
    assert set(mushroom["bruises?"]) == {"bruises", "no"}
    assert set(mushroom["stalk-root"]) == {"bulbous", "club", "equal", "rooted", None}
    assert all(len(value) > 1 for column in mushroom for value in column.drop_nulls().unique())
    assert set(load("voting").X["crime"]) == {"y", "n", None}
    promoters, splice = load("promoters").X, load("splice").X
    assert [promoters.columns[j] for j in (0, 49, 50, -1)] == ["p-50", "p-1", "p1", "p7"]
    assert [splice.columns[j] for j in (0, 29, 30, -1)] == ["p-30", "p-1", "p1", "p30"]
    assert {value for column in promoters for value in column} == set("acgt")
    letters = [value for column in splice for value in column]
    assert {letter: letters.count(letter) for letter in "NDSR"} == {"N": 56, "D": 2, "S": 1, "R": 1}
    assert set(letters) == set("ACGTNDSR")
    assert load("wisconsin").X["Bare Nuclei"].max() == 10


def test_patients_of_the_documentation(data):
    """Means and standard deviations that came with the set; zeros that stand for what was not measured."""
    X = load("pima").X
    assert [name for name in X.columns if X[name].dtype.is_float()] == ["body mass index", "pedigree"]
    assert [round(column.mean(), 1) for column in X] == [3.8, 120.9, 69.1, 20.5, 79.8, 32.0, 0.5, 33.2]
    assert [round(column.std(), 1) for column in X] == [3.4, 32.0, 19.4, 16.0, 115.2, 7.9, 0.3, 11.8]
    zeros = {name: (X[name] == 0).sum() for name in X.columns}
    assert list(zeros.values()) == [111, 5, 35, 227, 374, 11, 0, 0]
    told = load("pima").provenance
    assert all(f"{name} ({zeros[name]}" in told for name in X.columns[1:6])


def test_donors_begin_with_gt(data):
    """Biology knows where a splice junction lies: an intron begins with GT at p1, and ends with AG at p-1."""
    splice = load("splice")
    donors, acceptors = splice.X.filter(splice.y == "EI"), splice.X.filter(splice.y == "IE")
    assert (donors["p1"] + donors["p2"] == "GT").mean() > 0.98
    assert (acceptors["p-2"] + acceptors["p-1"] == "AG").mean() > 0.98


CONCEPTS = {
    1: lambda a: (a[:, 0] == a[:, 1]) | (a[:, 4] == 1),
    2: lambda a: (a == 1).sum(axis=1) == 2,
    3: lambda a: ((a[:, 4] == 3) & (a[:, 3] == 1)) | ((a[:, 4] != 4) & (a[:, 1] != 3)),
}


@pytest.mark.parametrize(("problem", "noisy"), [(1, 0), (2, 0), (3, 6)])
def test_monks_follow_their_concepts(problem, noisy, data):
    for name, wrong in ((f"monks-{problem}", noisy), (f"monks-{problem}-test", 0)):
        found = load(name)
        assert (CONCEPTS[problem](found.X.to_numpy().astype(int)) != found.y).sum() == wrong


def test_a_board_is_won_by_three_in_a_row(data):
    found = load("tic-tac-toe")
    board = (found.X.to_numpy() == "x").reshape(-1, 3, 3)
    diagonals = board[:, range(3), range(3)].all(1) | board[:, range(3), [2, 1, 0]].all(1)
    won = board.all(1).any(1) | board.all(2).any(1) | diagonals
    assert (np.where(won, "positive", "negative") == found.y).all()


def test_an_unknown_name():
    with pytest.raises(ValueError, match=r"no data set 'mushrooms'; choose one of voting, .*, pima\."):
        load("mushrooms")


def test_the_digest_sees_cells_but_no_order():
    rows = [("1", "a"), ("2", "b")]
    assert digest(("x", "class"), rows) == digest(("x", "class"), rows[::-1])
    others = [("1", "b"), ("2", "a")], [*rows, rows[0]], rows[:1]
    assert digest(("x", "class"), rows) not in [digest(("x", "class"), other) for other in others]


def test_a_folder_of_our_own(folder):
    lines = folder.read_text().splitlines()
    folder.write_text("\r\n".join([*lines[::-1], "", ""]))  # other order and line ends: the same data
    assert load("voting").y[0] == lines[-1].split(",")[0]


@pytest.mark.parametrize(
    ("spoil", "complaint"),
    [
        (
            lambda text: text.replace("y", "n", 1),
            r"its 435 rows have the digest \w{12}\.\.\., not 959fe8cb9d11\.",
        ),
        (lambda text: text[: text.index("\n") + 1], "its 1 rows have the digest"),
        (lambda text: "", "its 0 rows have the digest"),
        (lambda text: text[:-4], "line 435 gives 16 values, not 17"),
        (lambda text: "<html>404</html>", "line 1 gives 1 values, not 17"),
        (lambda text: text.replace("y", "ÿ", 1), "cannot be read from .*can't decode"),
    ],
    ids=["changed", "cut", "empty", "cut in a line", "another thing", "not ASCII"],
)
def test_a_spoiled_file(spoil, complaint, folder):
    folder.write_text(spoil(folder.read_text()), encoding="utf-8")
    with pytest.raises(ValueError, match=complaint) as caught:
        load("voting")
    assert "'voting'" in str(caught.value)
    assert str(folder) in str(caught.value)
    assert str(caught.value).endswith("or unset PERCEPTRONS_DATA to fetch the set from OpenML.")


def respelled(cell):
    """A number as others write it: 25 as 25.000, 33.6 as 33.60, 0.627 as .6270."""
    return (cell if "." in cell else f"{cell}.00").removeprefix("0") + "0"


def test_a_number_is_the_same_however_it_is_spelled(data, tmp_path, monkeypatch):
    expected = load("pima")
    file = tmp_path / "pima" / "pima-indians-diabetes.csv"
    file.parent.mkdir()
    rows = [line.split(",") for line in (data / "pima" / file.name).read_text().splitlines()]
    others = [",".join([*map(respelled, cells), label]) for *cells, label in rows]
    assert others[0] == "6.000,148.000,72.000,35.000,.000,33.60,.6270,50.000,1"
    file.write_text("\n".join(others))
    monkeypatch.setenv("PERCEPTRONS_DATA", str(tmp_path))
    assert load("pima").frame.equals(expected.frame)
    for other in ("148.001", "149", "-148", "many", "nan", ""):
        file.write_text("\n".join([others[0].replace("148.000", other), *others[1:]]))
        with pytest.raises(ValueError, match="its 768 rows have the digest"):
            load("pima")


def test_a_folder_in_place_of_the_file(folder):
    folder.unlink()
    folder.mkdir()
    with pytest.raises(ValueError, match=r"'voting' cannot be read from .*directory"):
        load("voting")


def as_openml(name, **changes):
    """The table as OpenML would give it: other names, categories, quotes, floats for numbers with gaps."""
    source = SOURCES[name]
    parts = [name, f"{name}-test"] if name.startswith("monks") else [name]
    rows = [row for part in parts for row in fetching.find(part, SOURCES[part]).rows]
    codes = {column: {word: code for code, word in words.items()} for column, words in source.words.items()}
    frame = pd.DataFrame(rows, columns=list(source.header)).replace("?", None)
    if name == "mushroom":
        frame = frame.apply(lambda column: column.map(codes[column.name], na_action="ignore"))
    target = ("tested_" * (name == "pima") + frame.pop("class")).astype("category")
    if source.numbers:
        frame = frame.astype(float)
    else:
        frame = frame.apply(lambda column: "'" + column.astype(object) + "'").astype("category")
    frame.columns = [f"attr{j}" for j in range(1, frame.shape[1] + 1)]
    if name in ("promoters", "splice"):
        frame.insert(0, "Instance_name", [f"it_{i}" for i in range(len(frame))])
    return SimpleNamespace(**{"data": frame, "target": target, **changes})


@pytest.mark.parametrize("name", NAMES)
def test_openml_gives_the_same(name, data, openml, monkeypatch):
    expected, table = load(name), as_openml(name.removesuffix("-test"))
    asked = openml(table)
    found = load(name)
    assert found.X.equals(expected.X)
    assert found.X.schema == expected.X.schema
    assert (found.y == expected.y).all()
    assert asked == [SOURCES[name].openml]
    assert f"OpenML (data_id={asked[0]})" in found.provenance


def test_integers_with_gaps_and_capitals_from_openml(data, openml):
    expected, table = load("wisconsin"), as_openml("wisconsin")
    table.data, table.target = table.data.astype("Int64"), table.target.str.title()
    openml(table)
    assert load("wisconsin").frame.equals(expected.frame)


@pytest.mark.parametrize("name", KINDS)
def test_a_fraction_from_openml_is_not_rounded(name, data, openml):
    table = as_openml(name)
    table.data.iloc[0, 0] += 0.4
    openml(table)
    with pytest.raises(ValueError, match=f"its {FACTS[name][0]} rows have the digest"):
        load(name)


def test_openml_is_asked_if_the_folder_lacks_the_file(data, openml, tmp_path, monkeypatch):
    table = as_openml("voting")
    asked = openml(table)
    for nothing in (tmp_path, tmp_path / "nowhere", ""):
        monkeypatch.setenv("PERCEPTRONS_DATA", str(nothing))
        assert len(load("voting").y) == 435
    assert asked == [56] * 3


def test_openml_with_other_data(data, openml):
    table = as_openml("voting")
    for changes, complaint in (
        ({"target": table.target[::-1]}, "its 435 rows have the digest"),
        ({"data": table.data.iloc[:, 1:]}, "has 15 attributes and a class, not 16 and a class"),
        ({"target": None}, "has 16 attributes and no class, not 16 and a class"),
    ):
        openml(SimpleNamespace(**{**vars(table), **changes}))
        with pytest.raises(
            ValueError, match=rf"'voting' from OpenML \(data_id=56\) .*{complaint}.*set PERCEPTRONS_DATA"
        ):
            load("voting")


def test_offline(openml, monkeypatch, tmp_path):
    openml(URLError("no route to host"))
    sentence = (
        r"'voting' cannot be loaded: {}, and OpenML gave no data_id=56 \(.*no route to host.*\); go online"
    )
    with pytest.raises(OSError, match=sentence.format("PERCEPTRONS_DATA is not set")):
        load("voting")
    monkeypatch.setenv("PERCEPTRONS_DATA", str(tmp_path))
    with pytest.raises(OSError, match=sentence.format(".* has no file voting/house-votes-84.data")):
        load("voting")
    openml(EOFError())
    with pytest.raises(OSError, match=r"data_id=56 \(EOFError\)"):
        load("voting")


def test_without_pandas(openml, monkeypatch):
    asked = openml(None)
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(
        ImportError, match="'voting' from OpenML, pandas is needed: pip install pandas; or set"
    ):
        load("voting")
    assert asked == []


@pytest.mark.parametrize("name", NAMES)
def test_a_written_table_is_read_back(name, data, tmp_path, capsys):
    file = tmp_path / "table.csv"
    main([name, str(file)])
    assert SOURCES[name].title in capsys.readouterr().err
    expected = load(name)
    texts = [] if name in KINDS else expected.X.columns
    table = read_table(file, text=texts)
    assert table.equals(expected.frame)
    assert table.columns[-1] == "class"
    assert list(tmp_path.iterdir()) == [file]


def test_the_command_lists_the_sets(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["datasets"])
    monkeypatch.delitem(sys.modules, "perceptrons.datasets.__main__")  # or runpy warns of a second copy
    runpy.run_module("perceptrons.datasets", run_name="__main__")
    tables, others = (part.splitlines() for part in capsys.readouterr().out.split("\n\n"))
    assert [line.split()[0] for line in tables] == list(NAMES)
    assert all(len(line) <= 110 for line in tables + others)
    for line in others[1:]:
        module, function = line.split("()")[0].split(".")
        assert module == "datasets"
        assert function in datasets.__all__
        assert callable(getattr(datasets, function))


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["voting"], "name a file to write voting to, like voting.csv"),
        (["vote", "new.csv"], "There is no data set 'vote'"),
        (["voting", "old.csv"], "old.csv exists; remove it first"),
        (["voting", "new.csv"], "'voting' cannot be loaded"),
    ],
)
def test_the_command_complains(arguments, complaint, openml, tmp_path, monkeypatch, capsys):
    openml(URLError("no route to host"))
    monkeypatch.chdir(tmp_path)
    Path("old.csv").write_text("mine")
    with pytest.raises(SystemExit) as left:
        main(arguments)
    assert left.value.code == 2
    assert complaint in capsys.readouterr().err
    assert os.listdir() == ["old.csv"]
    assert Path("old.csv").read_text() == "mine"
