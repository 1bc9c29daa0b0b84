"""Tables from files: types, missing cells, headers, and everything that can be wrong with a file."""

import os
import random
import re
import sys
import threading
from collections import Counter
from datetime import date, timedelta
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

from perceptrons import TableEncoder, tables
from perceptrons.tables import stream_table
from perceptrons.tables.delimited import TextFile, read_head, read_rows
from perceptrons.tables.layout import (
    check_something_left,
    describe,
    labels_of,
    lay_out,
    prepare,
    split,
    unseen,
)
from perceptrons.tables.read import as_names, read, read_plain, read_table
from perceptrons.tables.table_error import Argument, TableError
from tests.bad_tables import BAD_FILES, BAD_TARGETS
from tests.commands import shell


def source(path):
    return TextFile(path, path.read_bytes(), path.suffix)


def write(folder, text, name="table.csv"):
    path = folder / name
    path.write_text(text, encoding="utf-8", newline="")
    return path


MIXED = """id, price ,fresh,kind,code,note
1,2.5,yes,Arabica,007,
2,?,No,Robusta,012,NA
3,-1e3,YES, Arabica ,100,null
4,+4,,"a, ""b""
c",N/A,nan
"""


def test_types_are_told_from_the_whole_file(tmp_path):
    frame = read_table(write(tmp_path, MIXED), text=["code"])
    assert frame.schema == {
        "id": pl.Int64,
        "price": pl.Float64,
        "fresh": pl.Boolean,
        "kind": pl.String,
        "code": pl.String,
        "note": pl.String,  # without a value it says nothing, and may hold anything later
    }
    assert frame["price"].to_list() == [2.5, None, -1000.0, 4.0]
    assert frame["fresh"].to_list() == [True, False, True, None]
    assert frame["kind"].to_list() == ["Arabica", "Robusta", "Arabica", 'a, "b"\nc']
    assert frame["code"].to_list() == ["007", "012", "100", None]
    late = "x\n" + "1\n" * 20_000 + "late\n"  # several chunks; the last line decides
    assert read_table(write(tmp_path, late))["x"].dtype == pl.String
    facts = describe(frame)
    assert [one.kind for one in facts] == ["numeric", "numeric", "boolean", "nominal", "nominal", "nominal"]
    assert [one.missing for one in facts] == [0, 1, 1, 0, 1, 4]
    assert [one.distinct for one in facts] == [4, 3, 2, 3, 3, 0]


@pytest.mark.parametrize(
    "missing",
    ["", "?", "NA", "na", "N/A", "#N/A", "<NA>", "NaN", "nan", "NAN", "null", "NULL", '""', " n/a "],
)
def test_missing(tmp_path, missing):
    frame = read_table(write(tmp_path, f"a,b\n1,x\n{missing},{missing}\n"))
    assert frame.rows() == [(1, "x"), (None, None)]


def test_more_that_is_missing(tmp_path):
    """In texts and in numbers, in text files and in typed ones."""
    path = write(tmp_path, "a,b\n1.5,x\n-9,None\n-9.0,-\n")
    expected = [(1.5, "x"), (None, None), (None, None)]
    assert read_table(path, missing=["none", " - ", "-9"]).rows() == expected
    pl.DataFrame({"a": [1.5, -9, np.nan], "b": ["x", "NONE", "-"]}).write_parquet(tmp_path / "t.parquet")
    assert read_table(tmp_path / "t.parquet", missing=["none", "-", "-9"]).rows() == expected
    assert read_table(tmp_path / "t.parquet").rows() == [(1.5, "x"), (-9, "NONE"), (None, "-")]


def test_columns_without_a_name(tmp_path):
    table = read(write(tmp_path, ",a,,\n0,1,,\n1,2,,\n"))
    assert table.frame.rows(named=True)[1] == {"column_1": 1, "a": 2}
    assert table.unnamed == ["column_1"]
    pl.DataFrame({"a": [1], "": [2]}).write_parquet(tmp_path / "t.parquet")
    assert (
        read(tmp_path / "t.parquet").unnamed == read_table(tmp_path / "t.parquet").columns[1:] == ["column_2"]
    )
    assert read(write(tmp_path, "column_1,b\n1,2\n")).unnamed == []


def test_a_pipe_is_read_once(tmp_path):
    """The lines after the first are still there, plain or quoted, whatever the pipe is called."""
    for name, text in (("pipe.csv", "a,b\n1,2\n3,4\n"), ("pipe", 'a,b\n"1",2\n3,4\n')):
        os.mkfifo(tmp_path / name)
        writer = threading.Thread(target=(tmp_path / name).write_text, args=[text], daemon=True)
        writer.start()
        assert read_table(tmp_path / name).rows() == [(1, 2), (3, 4)]
        writer.join()
    os.mkfifo(tmp_path / "pipe.parquet")
    with pytest.raises(ValueError, match="is a device or pipe, from which Parquet cannot be read"):
        read_table(tmp_path / "pipe.parquet")


def test_columns_that_are_not_used_stay_as_they_are(tmp_path):
    frame = pl.DataFrame({"a": [" x "], "b": [" x "], "t": [timedelta(seconds=90)]})
    frame.write_parquet(tmp_path / "t.parquet")
    read = read_table(tmp_path / "t.parquet", used={"a", "t"}.__contains__)
    assert read.rows() == [("x", " x ", 90.0)]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ("y n y", pl.Boolean),
        ("Yes nO", pl.Boolean),
        ("T f", pl.Boolean),
        ("TRUE false", pl.Boolean),
        ("y no", pl.String),
        ("y y", pl.String),  # one word alone may be anything
        ("y n maybe", pl.String),
        ("1 0", pl.Int64),
    ],
)
def test_truth_values(tmp_path, values, kind):
    lines = "".join(f"{value},{value}\n" for value in values.split())
    frame = read_table(write(tmp_path, f"a,label\n{lines}"), text=["label"])
    assert frame["a"].dtype == kind
    assert frame["label"].to_list() == values.split()


@pytest.mark.parametrize(
    ("name", "separator", "given"),
    [
        ("t.csv", ",", None),
        ("t.TSV", "\t", None),
        ("t.tab", "\t", None),
        ("t.data", ",", None),
        ("t.txt", ",", None),
        ("t.csv", ";", ";"),
        ("t.csv", "\t", "tab"),
        ("t.csv", "\t", "\\t"),
        ("t.txt", " ", "space"),
    ],
)
def test_separators(tmp_path, name, separator, given):
    text = "\ufeff" + separator.join("ab") + "\r\n" + separator.join("12") + "\r\n"
    assert read_table(write(tmp_path, text, name), separator=given).rows(named=True) == [{"a": 1, "b": 2}]


@pytest.mark.parametrize("separator", ["", ";;", '"', "\n", "→"])
def test_a_separator_is_one_character(tmp_path, separator):
    with pytest.raises(ValueError, match="is not one character; use for example"):
        read_table(write(tmp_path, "a,b\n1,2\n"), separator=separator)


def test_headers(tmp_path):
    path = write(tmp_path, "1,2\n3,4\n")
    assert read_table(path, header=False).rows(named=True)[0] == {"column_1": 1, "column_2": 2}
    assert read_table(path, header=True).rows(named=True) == [{"1": 3, "2": 4}]
    assert read_table(write(tmp_path, "1,1\n3,4\n"), header=True).columns == ["1", "1_2"]


@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_files(tmp_path, name, capfd):
    content, message = BAD_FILES[name]
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        read_table(tmp_path / name)
    assert str(tmp_path / name) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert capfd.readouterr() == ("", "")


def test_no_file(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"There is no file .*nothing\.csv"):
        read_table(tmp_path / "nothing.csv")
    with pytest.raises(IsADirectoryError, match="is a folder; name a file in it"):
        read_table(tmp_path)


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_damaged_files_are_refused_in_words_or_read(tmp_path, kind, capfd):
    """polars raises several kinds of errors here, and panics, which are no Exceptions and fill the screen."""
    frame, path = pl.DataFrame({"a": [1, 2] * 40, "t": ["u", "v"] * 40}), tmp_path / f"table.{kind}"
    (frame.write_parquet if kind == "parquet" else frame.write_ipc)(path)
    assert read_table(path).rows() == frame.rows()
    whole, dice = path.read_bytes(), random.Random(0)
    refused = 0
    for _ in range(150):
        damaged = bytearray(whole)
        damaged[dice.randrange(len(whole))] ^= 1 << dice.randrange(8)
        path.write_bytes(damaged[: dice.choice([len(whole), dice.randrange(len(whole))])])
        try:
            read_table(path)
        except ValueError as error:
            assert str(path) in str(error)  # noqa: PT017  it may also be read
            refused += 1
    assert refused >= 60
    assert capfd.readouterr().err == ""


def test_typed_files(tmp_path):
    frame = pl.DataFrame(
        {
            "i": [1, 2],
            "t": ["12", "13"],
            "yn": ["y", "n"],
            "c": pl.Series(["p", None], dtype=pl.Categorical),
            "d": pl.Series(["1.5", "2.5"]).cast(pl.Decimal(10, 2)),
            "when": [date(2020, 1, 1), None],
            "nothing": [None, None],
            "list": [[1], [2]],
        }
    )
    frame.write_parquet(tmp_path / "t.pq")
    read = read_table(tmp_path / "t.pq")
    text, number = pl.String, pl.Float64
    assert read.dtypes[:7] == [pl.Int64, text, pl.Boolean, text, number, text, text]
    with pytest.raises(ValueError, match=r"Column 'list' holds List\(Int64\).*use drop=\['list'\]"):
        prepare(read)
    with pytest.raises(ValueError, match=r"Column 'list' holds.*; write its classes as texts"):
        prepare(read, target="list")
    with pytest.raises(ValueError, match=r"use drop=\['a list'\]"):
        prepare(read.rename({"list": "a list"}))
    assert prepare(read, drop=["list"], nominal=["i", "d"])["i"].to_list() == ["1", "2"]
    assert as_names(pl.Series([0.1, 2], dtype=pl.Float32)).to_list() == ["0.1", "2"]
    with pytest.raises(ValueError, match="There is no column 'lst'; did you mean 'list'"):
        prepare(read, drop=["lst"])


@pytest.mark.parametrize("name", BAD_TARGETS)
def test_bad_targets(tmp_path, name):
    content, message = BAD_TARGETS[name]
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=re.escape(message)):
        check_something_left(describe(split(read_table(tmp_path / name, text=["y"]), "y")[0]))


def test_the_separator_of_long_lines(tmp_path):
    wide = "\n".join(";".join(f"{row},{column:06}" for column in range(3000)) for row in range(9))
    text = ";".join(f"c{column}" for column in range(3000)) + f"\n{wide}\n"
    assert read_head(source(write(tmp_path, text)), None, None).mark == ";"


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("id;amount, net;y\n1;2,5;a\n2;3;b\n", ";"),  # the first line has a comma, too
        ("a,b;c,y\n1,2;3,0\n4,5;6,1\n", ","),
        ("a,y\n1,0,\n2,1\n", ","),  # a line is too long: nothing else separates cells either
        ('a,b,y\n"1\n2",3,0\n4,5,1\n', ","),
        ("a|b, c|y\n1|2|0\n3|4|1\n", "|"),
        ("a\n1\n2\n", ","),
    ],
)
def test_separators_are_what_all_lines_have_as_many_of(tmp_path, text, mark):
    assert read_head(source(write(tmp_path, text)), None, None).mark == mark


@pytest.mark.parametrize(
    ("cells", "dtype"),
    [
        ("02139 94110 10001", pl.String),  # a number would lose its zero, and be another code
        ("94110 10001 2139", pl.Int64),
        ("0 -0 10 +5", pl.Int64),
        ("0.5 1.25 00.5", pl.Float64),
        ("007 1.5 2", pl.String),
        ("1.5 2 -01", pl.String),
    ],
)
def test_codes_with_zeros_in_front_are_no_numbers(tmp_path, cells, dtype):
    path = write(tmp_path, "code,y\n" + "".join(f"{cell},{i % 2}\n" for i, cell in enumerate(cells.split())))
    frame = read_table(path)
    assert frame["code"].dtype == dtype
    assert dtype != pl.String or frame["code"].to_list() == cells.split()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stream_table, "BATCH_BYTES", 10)  # a part for each line or two
        source = stream_table.stream_table(path, "y")
        assert source.dtypes == {"code": dtype}
        assert pl.concat([batch.X for batch in source.read()])["code"].equals(frame["code"])


@pytest.mark.parametrize(
    ("written", "labels"),
    [
        ("y n", ["y", "n"]),
        ("1 0", [1, 0]),
        ("01 1", ["01", "1"]),
        ("1.0 2.0", ["1.0", "2.0"]),
        ("true false", ["true", "false"]),
    ],
)
def test_labels_stay_as_they_are_written(tmp_path, written, labels):
    path = write(tmp_path, "a,y\n" + "".join(f"1,{label}\n" for label in written.split()))
    X, y = split(read_table(path, text=["y"]), "y")
    assert X.columns == ["a"]
    assert y.tolist() == labels


def test_labels_of_a_model():
    frame = pl.DataFrame({"y": ["1", "2", "1"], "b": [True, False, True]})
    assert labels_of(frame, "y", np.array([1, 2])).tolist() == [1, 2, 1]
    assert labels_of(frame, "b", np.array(["False", "True"])).tolist() == ["True", "False", "True"]
    with pytest.raises(ValueError, match=r"holds '2' in row 2, but the model knows the classes '1', '3'"):
        labels_of(frame, "y", np.array([1, 3]))
    for written, as_held in (("1.0", 1), ("0.0", 0.0), ("true", True), ("TRUE", True), ("False", False)):
        for label, known in ((written, as_held), (as_held, written)):
            classes = np.array([known, "other"], dtype=object)
            assert labels_of(pl.DataFrame({"y": [label]}), "y", classes).tolist() == [known]
    both = np.array(["1", "1.0"])  # what is written exactly so comes first
    assert labels_of(pl.DataFrame({"y": ["1.0", "1"]}), "y", both).tolist() == ["1.0", "1"]
    with pytest.raises(ValueError, match="write its classes as texts"):
        labels_of(pl.DataFrame({"y": [[1]]}), "y", both)
    with pytest.raises(ValueError, match="holds nothing in row 1"):
        labels_of(pl.DataFrame({"y": [None, "1"]}), "y", np.array(["1", "2"]))


def test_a_table_is_laid_out_as_the_encoder_expects_it():
    train = pl.DataFrame({"n": [1.0, 2.0], "b": [True, False], "code": ["007", "8"], "empty": [None, None]})
    encoder = TableEncoder().fit(train)
    table = pl.DataFrame(
        {"more": [0, 0], "b": ["Y", None], "code": [7, 8], "n": ["1", "2"], "empty": ["x", None]}
    )
    assert lay_out(table, encoder).columns == train.columns
    rows = encoder.transform(lay_out(table.with_columns(pl.lit(None).alias("empty")), encoder))
    assert rows[:, :4].tolist() == [[-1, 1, 0, 0], [1, 0, 0, 1]]  # 7 is not 007
    with pytest.raises(ValueError, match="The model needs 'n', but the table has 'b'"):
        lay_out(table.select("b", "code", "empty"), encoder)
    with pytest.raises(ValueError, match="or give the separator that it uses"):
        lay_out(pl.DataFrame({"n,b,code,empty": ["1"]}), encoder)
    assert unseen(lay_out(table, encoder), encoder) == [("code", 1, 2)]
    nothing = TableEncoder().fit(train.select(pl.col("empty").cast(pl.String)))
    assert unseen(lay_out(table, nothing), nothing) == [("empty", 1, 1)]
    with pytest.raises(
        ValueError, match="Column 'n' held numbers when the encoder was fitted, but now holds 'x'"
    ):
        encoder.transform(lay_out(table.with_columns(pl.lit("x").alias("n")), encoder))


def test_a_column_that_names_rows():
    names = pl.DataFrame({"name": [f"row {i}" for i in range(40)], "half": [f"{i // 2}" for i in range(40)]})
    assert [facts.is_left_out for facts in describe(names)] == [True, False]
    assert not any(facts.is_left_out for facts in describe(names, keep=["name"]))
    assert not describe(names[:5])[0].is_left_out


def test_without_polars(monkeypatch):
    monkeypatch.setitem(sys.modules, "polars", None)
    monkeypatch.delitem(sys.modules, "perceptrons.tables.read")
    monkeypatch.setattr("perceptrons.tables.read", SimpleNamespace(), raising=False)
    with pytest.raises(ImportError, match=r'pip install "perceptrons\[app\]"'):
        __import__("perceptrons.tables.read", fromlist=["read_table"])


def random_text(chance):
    """Mostly a table; some lines too short or too long, some cells strange."""
    width, end = chance.randint(1, 3), chance.choice(["\n", "\n", "\r\n"])
    strange = chance.random() < 0.5

    def cell():
        some = 'a1 é;"\n\r\t\0,' if strange and chance.random() < 0.2 else "ab12 "
        text = "".join(chance.choice(some) for _ in range(chance.choice([0, 1, 1, 2, 3])))
        return f'"{text}"' if strange and chance.random() < 0.1 else text

    def line():
        return ",".join(cell() for _ in range(width + chance.choice([0] * 18 + [-1, 1])))

    return end.join(line() for _ in range(chance.randint(1, 4))) + end * chance.randint(0, 1)


def test_the_fast_way_reads_what_the_careful_one_does(tmp_path):
    """Whatever is in the file: either it is left to the careful way, or both give the same cells."""
    chance, counts = random.Random(0), Counter()
    for _ in range(4000):
        path = write(tmp_path, random_text(chance))
        try:
            head = read_head(source(path), header=False, separator=",")
        except ValueError:
            continue
        fast = read_plain(path.read_bytes(), head)
        counts["fast" if fast is not None else "careful"] += 1
        if fast is not None:
            careful = [row for chunk in read_rows(source(path), head) for row in chunk]
            assert [[(cell or "").strip() for cell in row] for row in fast.rows()] == [
                [cell.strip() for cell in row] for row in careful
            ]
    assert min(counts.values()) > 300


def test_the_fast_way_is_taken(tmp_path):
    """Plain tables go that way, header or not, Windows line ends or not; a hole at the end does not."""
    for text in ("a,b\n1,x\n2,y\n", "a,b\r\n1,x\r\n,y", "\ufeffa,b\n1,x\n"):
        for header in (True, False):
            path = write(tmp_path, text)
            frame = read_plain(path.read_bytes(), read_head(source(path), header, None))
            assert frame is not None
            assert frame.columns == (["a", "b"] if header else ["column_1", "column_2"])
            assert frame.rows()[0][0] == ("1" if header else "a")
    path = write(tmp_path, "a,b\n1,\n")
    assert read_plain(path.read_bytes(), read_head(source(path), True, None)) is None


def test_reading_and_encoding_a_table_imports_no_numba(tmp_path):
    (tmp_path / "table.csv").write_text("n,y\n1,u\n2,v\n")
    code = (
        "import sys\n"
        "from perceptrons import LiteralEncoder, TableEncoder\n"
        "from perceptrons.tables import read\n"
        "frame = read.read(sys.argv[1]).frame; TableEncoder().fit(frame); LiteralEncoder().fit(frame)\n"
        "assert frame.shape == (2, 2) and 'numba' not in sys.modules"
    )
    done = shell(str(tmp_path / "table.csv"), code=code)
    assert (done.returncode, done.stderr) == (0, "")


def test_messages_name_arguments_and_no_options():
    sources = Path(tables.__file__).parent.glob("*.py")
    assert not [path.name for path in sources if re.search(r"--[a-z]", path.read_text())]
    error = TableError(
        "too wide; use ", Argument("drop", ["a b"]), " or another ", Argument("separator"), "."
    )
    assert str(error) == "too wide; use drop=['a b'] or another separator."
