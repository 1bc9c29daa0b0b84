"""Columns that cannot teach are left out of frames; texts that write numbers or dates are read as such."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest

from perceptrons import LiteralEncoder, TableEncoder
from perceptrons.tables.cells import column_of
from perceptrons.tables.dates import date_form, date_text, days_of
from perceptrons.tables.layout import describe
from perceptrons.tables.treatments import treatment_of
from perceptrons.tables.written_numbers import COMMA, POINT, decimal_mark, number_of

N = 40
COLUMNS = {  # name of the column: cells, treatment
    "n": (list(range(1, N + 1)), "counter"),
    "gaps": ([i + i // 9 for i in range(N)], "counter"),
    "shuffled": ([(7 * i) % N for i in range(N)], "counter"),
    "customer_id": ([(i * 7919) % 10_007 for i in range(N)], "names of rows"),
    "amount": ([(i * 7919) % 10_007 for i in range(N)], "as it is"),
    "name": ([f"Ann {i}" for i in range(N)], "names of rows"),
    "remark": ([f"the {i} of them came in too late again" for i in range(N)], "free text"),
    "shop": (["web"] * N, "constant"),
    "two": ([2.0] * N, "constant"),
    "rarely": ([None] * 39 + ["yes"], "as it is"),  # that it is missing may teach
    "nothing": ([None] * N, "empty"),
    "hue": (["red", "blue"] * 20, "as it is"),
    "measured": ([i / 7 for i in range(N)], "as it is"),
    "price": ([f"€ {i}.50" for i in range(N)], POINT),
    "preis": ([f"1.{i:03},50" for i in range(N)], COMMA),
    "share": ([f"{i} %" for i in range(N)], POINT),
    "mixed": ([f"${i}" if i % 2 else f"€{i}" for i in range(N)], "names of rows"),
    "code": ([f"00{i}" for i in range(20)] * 2, "as it is"),
    "iso": ([f"2024-01-{i % 28 + 1:02}" for i in range(N)], "year-month-day"),
    "day": ([f"{i % 28 + 1}.2.24" for i in range(N)], "day-month-year"),
    "american": ([f"2/{i % 28 + 1}/2024" for i in range(N)], "month-day-year"),
    "spelled": ([f"{i % 28 + 1} March 2024" for i in range(N)], "month by name"),
    "stamp": ([f"2024-01-01T{i % 24:02}:30:00Z" for i in range(N)], "year-month-day and time"),
    "clock": ([f"{i % 12 + 1}:05 pm" for i in range(N)], "time of day"),
}


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_what_is_done_with_a_column(name, frame):
    cells, treatment = COLUMNS[name]
    table = frame({name: cells})
    assert treatment_of(column_of(name, table[name])) == treatment
    kept = treatment_of(column_of(name, table[name]), keep=True)
    names_or_counts = ("counter", "names of rows", "free text", "constant", "empty")
    assert kept == ("as it is" if treatment in names_or_counts else treatment)


def test_few_rows_are_all_kept_and_so_are_arrays():
    for name, (cells, treatment) in COLUMNS.items():
        few = pl.DataFrame({name: cells[:19]}, strict=False)
        assert treatment_of(column_of(name, few[name])) in ("as it is", treatment)
    ids = np.arange(N, dtype=float)[:, None]
    assert TableEncoder().fit(ids).treatments_ == ["as it is"]
    assert TableEncoder().fit(pd.DataFrame({"n": ids[:, 0]})).treatments_ == ["as it is"]  # nothing else


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("encoder", [TableEncoder, LiteralEncoder])
def test_columns_left_out_may_be_absent(frame, encoder):
    data = {"id": list(range(N)), "hue": ["red", "blue"] * 20, "x": [i / 7 for i in range(N)]}
    fitted = encoder().fit(frame(data))
    assert fitted.treatments_ == ["counter", "as it is", "as it is"]
    rows = fitted.transform(frame(data))
    assert not any(name.startswith("id") for name in fitted.get_feature_names_out())
    without = frame({name: data[name] for name in ("hue", "x")})
    assert np.array_equal(fitted.transform(without), rows)
    for names in (("id", "x"), ("x", "hue")):  # others may not, nor change places
        with pytest.raises(ValueError, match="feature names"):
            fitted.transform(frame({name: data[name] for name in names}))
    kept = encoder(keep=["id"]).fit(frame(data))
    assert any(name.startswith("id") for name in kept.get_feature_names_out())
    with pytest.raises(ValueError, match="keep='id', but it must be None, 'all', or a list"):
        encoder(keep="id").fit(frame(data))


def test_dates_become_numbers_and_literals_read_as_dates():
    start = datetime.date(2024, 1, 1)
    days = [start + datetime.timedelta(i) for i in range(N)]
    texts = pl.DataFrame({"opened": [f"{day:%d.%m.%Y}" for day in days], "x": [i % 3 for i in range(N)]})
    native = pl.DataFrame({"opened": days, "x": texts["x"]})
    encoder = TableEncoder().fit(texts)
    names = encoder.get_feature_names_out().tolist()
    assert names[:3] == ["opened", "year of opened", "month of opened = Feb"]
    assert "weekday of opened = Mon" in names
    rows = encoder.transform(texts)
    assert np.array_equal(encoder.transform(native), rows)
    assert np.array_equal(TableEncoder().fit(native).transform(native), rows)
    assert rows[:7, names.index("weekday of opened = Mon")].tolist() == [1, 0, 0, 0, 0, 0, 0]
    literals = [str(one) for one in LiteralEncoder(n_thresholds=1).fit(texts).literals_]
    assert literals[0] == "opened > 2024-01-20"
    assert "month of opened = Jan" in literals
    strange = pl.DataFrame({"opened": ["soon", None], "x": [0, 1]})  # like names that no row fitted had
    assert encoder.transform(strange)[:, :2].tolist() == [[0, 0], [0, 0]]


@pytest.mark.parametrize(
    ("text", "mark", "number"),
    [
        ("$1,234.50", POINT, 1234.5),
        ("1.234,50 €", COMMA, 1234.5),
        ("(300)", POINT, -300.0),
        ("-$5", POINT, -5.0),
        ("1'000", POINT, 1000.0),
        ("12,5 %", COMMA, 12.5),
        ("CHF 1 000", POINT, 1000.0),
        ("−7 kr", POINT, -7.0),
    ],
)
def test_numbers_as_people_write_them(text, mark, number):
    assert decimal_mark([text]) == mark
    assert number_of(text, mark) == number


def test_what_is_no_number_and_no_date():
    for texts in (["1", "2.5"], ["007 %"], ["1,2", "n.a."], ["$5", "€5"], ["1.2.3"], ["$ 5 €"]):
        assert decimal_mark(texts) is None
    for texts in (["2024-02-30"], ["13/13/2024"], ["2024-01-01", "x"], [], ["25:00"], ["1.2"]):
        assert date_form(texts) is None


def test_days():
    assert days_of("1970-01-02 06:00", "year-month-day and time") == 1.25
    assert days_of("1970-01-01 01:00+01:00", "year-month-day and time") == 0
    assert days_of("1.1.69", "day-month-year") == -365
    assert [date_text(days) for days in (0.0, 0.5, 1.25 / 86_400)] == [
        "1970-01-01",
        "1970-01-01 12:00",
        "1970-01-01 00:00:01",
    ]


COMMAS = {
    "weight": ["1,234", "2,500", "13,750"],  # 1.234 or 1234
    "price": ["0,5", "1.250,75", "3"],
    "points": ["1,234.5", "2,500", "7"],
    "whole": ["1'234", "2'500", "900"],
}


@pytest.mark.parametrize(
    ("names", "mark"),
    [
        ("weight", "decimal point"),
        ("weight price", "decimal comma"),
        ("weight points", "decimal point"),
        ("weight points price", "decimal point"),  # the table does not agree with itself
        ("weight whole price", "decimal comma"),
    ],
)
@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_the_other_columns_tell_what_a_comma_is(names, mark, make):
    columns = {name: COMMAS[name] for name in names.split()}
    encoder = TableEncoder().fit(make(columns))
    assert encoder.treatments_[0] == mark
    assert encoder.means_[0] == pytest.approx({"decimal point": 17484 / 3, "decimal comma": 17.484 / 3}[mark])
    halves = [(make({name: cells[:2] for name, cells in columns.items()}), None)]
    halves += [(make({name: cells[2:] for name, cells in columns.items()}), None)]
    assert TableEncoder().fit_stream(halves).treatments_ == encoder.treatments_
    facts = describe(pl.DataFrame(columns))
    assert [one.treatment for one in facts] == encoder.treatments_
