"""Tables as sources: the same cells and types as `read` gives, file by file and part by part."""

import os

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from perceptrons import stream_table
from perceptrons.tables import read_parts
from perceptrons.tables import stream_table as module
from perceptrons.tables.layout import split
from perceptrons.tables.read import read_table
from tests.sizes import cases


def table(n=300, seed=0):
    rng = np.random.default_rng(seed)
    numbers = [
        f"{value:.3f}" if keep else ""
        for value, keep in zip(rng.normal(size=n), rng.random(n) > 0.1, strict=True)
    ]
    return pl.DataFrame(
        {
            "number": numbers,
            "whole": [str(value) for value in rng.integers(-5, 5, n)],
            "truth": rng.choice(["yes", "no", "?"], n),
            "name": rng.choice(["red", "blue", 'a "quoted"\nname, with a comma', "NA"], n),
            "zip": [f"{value:05}" for value in rng.integers(0, 99_999, n)],
            "label": rng.choice(["1", "2", ""], n, p=[0.5, 0.4, 0.1]),
        }
    )


def all_of(source):
    batches = [batch for batch in source.read() if len(batch.X)]
    return pl.concat([batch.X for batch in batches]), np.concatenate([batch.y for batch in batches])


@pytest.mark.thorough
@settings(max_examples=cases(60), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 10**6), st.integers(60, 5000))
def test_parts_of_a_text_file_are_the_whole(tmp_path_factory, seed, part_bytes):
    path = tmp_path_factory.mktemp("parts") / "table.csv"
    table(80, seed).write_csv(path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "BATCH_BYTES", part_bytes)
        source = stream_table(path, "label")
        X, y = all_of(source)
        shuffled = [*source.read(range(len(source.places)))][::-1]
    frame, labels = split(read_table(path, text=["label"]), "label")
    assert X.equals(frame)
    assert X.dtypes == frame.dtypes
    assert y.tolist() == labels.tolist()
    assert sum(len(batch.X) for batch in shuffled) == len(labels)


@pytest.mark.parametrize("suffix", [".parquet", ".arrow", ".tsv"])
def test_kinds_of_files(tmp_path, suffix):
    frame = table().with_columns(pl.col("whole").cast(pl.Int32), day=pl.lit("2024-05-06").str.to_date())
    path = tmp_path / f"table{suffix}"
    if suffix == ".tsv":
        frame.write_csv(path, separator="\t")
    else:
        (frame.write_parquet if suffix == ".parquet" else frame.write_ipc)(path)
    source = stream_table(path, "label", batch_rows=70, drop=["zip"])
    X, y = all_of(source)
    wanted, labels = split(read_table(path, text=["label"]).drop("zip"), "label")
    assert X.equals(wanted)
    assert X.dtypes == wanted.dtypes
    assert y.tolist() == labels.tolist()
    assert dict(source.classes) == {1: labels.tolist().count(1), 2: labels.tolist().count(2)}


def test_folders_weights_names_and_progress(tmp_path):
    frame = table().with_columns(weight=pl.Series([0, 1, 2] * 100))
    frame[:100].write_csv(tmp_path / "a.csv")
    frame[100:].write_csv(tmp_path / "b.csv")
    (tmp_path / "notes.md").write_text("no table")
    told = []
    source = stream_table(
        tmp_path, "label", weight="weight", nominal=["zip"], missing=["blue"], progress=told.append
    )
    batches = [*source.read()]
    assert [batch.name for batch in batches] == [f"{tmp_path}/a.csv", f"{tmp_path}/b.csv"]
    assert batches[0].X["zip"].dtype == pl.Categorical
    assert batches[0].weights.tolist() == [0, 1, 2] * 33 + [0] if batches[0].X.height == 100 else True
    assert "blue" not in batches[0].X["name"].to_list()
    assert told[-1] == pytest.approx(1.0)
    assert sorted(told[-2:]) == told[-2:]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda one: one.drop("name"), "b.parquet has no 'name', unlike .*a.parquet"),
        (lambda one: one.with_columns(more=1), "b.parquet has 'more', too"),
        (lambda one: one.select(reversed(one.columns)), "b.parquet has them in another order"),
        (
            lambda one: one.with_columns(whole=pl.lit(1.5)),
            "b.parquet: the column 'whole' holds Float64, but in .*String",
        ),
    ],
)
def test_files_that_differ_are_named(tmp_path, change, sentence):
    table().write_parquet(tmp_path / "a.parquet")
    change(table()).write_parquet(tmp_path / "b.parquet")
    with pytest.raises(ValueError, match=sentence):
        stream_table(tmp_path, "label")


def test_a_file_that_changes_or_vanishes_is_named(tmp_path):
    path = tmp_path / "table.csv"
    table().write_csv(path)
    source = stream_table(path, "label")
    os.utime(path, (1, 1))
    with pytest.raises(ValueError, match=r"table.csv has changed since it was first read"):
        [*source.read()]
    path.unlink()
    with pytest.raises(ValueError, match=r"table.csv cannot be read any more \(No such file"):
        [*source.read()]


@pytest.mark.parametrize(
    ("text", "how", "sentence"),
    [
        ("a,label\n", {}, "has column names but no rows"),
        ("a,label\n1,x\n2,x\n", {}, "holds one class only, 'x'"),
        ("a,label\n1,\n", {}, "has no value in any row"),
        ("a,label\n1,x\n2,y\n", {"target": "lable"}, "There is no column 'lable'; did you mean 'label'"),
        ("a,label\n1,x\n2,y\n", {"weight": "a", "drop": ["b"]}, "There is no column 'b'"),
        ("label\nx\ny\n", {}, "no column besides"),
        ("a,label\n1,x\n2,y,3\n", {}, "line 2"),
    ],
)
def test_bad_tables(tmp_path, text, how, sentence):
    path = tmp_path / "table.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match=sentence):
        [*stream_table(path, **{"target": "label", **how}).read()]


def test_what_cannot_be_read_part_by_part(tmp_path):
    with pytest.raises(FileNotFoundError, match="There is no file"):
        stream_table(tmp_path / "nothing.csv", "y")
    with pytest.raises(ValueError, match="holds no table"):
        stream_table(tmp_path, "y")
    for name in ("table.csv.gz", "table.xlsx", "table.jsonl"):
        (tmp_path / name).write_bytes(b"x")
        with pytest.raises(ValueError, match=r"cannot be read part by part|unsupported"):
            stream_table(tmp_path / name, "y")
    (tmp_path / "latin.csv").write_bytes("größe,label\n1,x\n".encode("latin-1"))
    with pytest.raises(ValueError, match="save it as text in UTF-8"):
        stream_table(tmp_path / "latin.csv", "label")
    rows = [f"{k},x{k}" for k in range(2000)]
    (tmp_path / "names.csv").write_text("\n".join(["a,label", *rows]))
    with pytest.raises(ValueError, match="has more than 1,000 different values"):
        stream_table(tmp_path / "names.csv", "label")


def test_lines_end_outside_of_quotes():
    assert read_parts.last_line_end(b'a,"b\nc') == 0
    assert read_parts.last_line_end(b'a\nb,"c\nd') == 2
    assert read_parts.last_line_end(b'"a\nb"\nc') == 6
