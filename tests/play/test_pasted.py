"""Tables that are pasted: columns, classes, and one sentence about what is no table."""

import pytest

from perceptrons.play.pasted import read_table_text

GOOD = "height,weight,kind\n1,10,a\n2,20,b\n,30,a\n4,1e12,b\n"


def test_columns_and_classes():
    table = read_table_text({"text": GOOD})
    assert [one["name"] for one in table["numbers"]] == ["height", "weight"]
    assert table["numbers"][0]["values"] == [1.0, 2.0, None, 4.0]
    assert table["numbers"][1]["values"] == [10.0, 20.0, 30.0, None]  # too large to be drawn
    assert table["numbers"][1]["standardized"] == [-1.224745, 0.0, 1.224745, None]
    assert table["targets"][-1] == {"name": "kind", "values": ["a", "b", "a", "b"], "classes": ["a", "b"]}
    assert (table["n_rows"], table["n_shown"]) == (4, 4)


@pytest.mark.parametrize("separator", [";", "\t"])
def test_other_separators(separator):
    table = read_table_text({"text": GOOD.replace(",", separator)})
    assert [one["name"] for one in table["numbers"]] == ["height", "weight"]


def test_only_so_many_rows_are_read():
    text = "a,b,c\n" + "".join(f"{k},{k % 7},{k % 2}\n" for k in range(2_500))
    table = read_table_text({"text": text})
    assert (table["n_rows"], table["n_shown"], len(table["numbers"][0]["values"])) == (2500, 2000, 2000)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (None, "nothing to read"),
        ("  \n ", "nothing to read"),
        ("a,b\n", "no rows"),
        ("name,kind\nx,a\ny,b\n", "0 columns of numbers, but two are needed"),
        ("a,b\n" + "".join(f"{k},{k + 0.5}\n" for k in range(30)), "No column has 2 to 20 different values"),
    ],
)
def test_no_table_is_one_sentence(text, sentence):
    with pytest.raises(ValueError, match=sentence) as refused:
        read_table_text({"text": text})
    assert "\n" not in str(refused.value).strip()


@pytest.mark.parametrize(
    "text", ["\x00\x01\x02", 'a,b\n"1,2\n', "a,b,c\n1,2,3\n1,2\n", "\ud800,b\n1,2\n", "a,a,a\n" * 9]
)
def test_damaged_tables_are_one_sentence_too(text):
    with pytest.raises(ValueError, match=r"[a-z]") as refused:
        read_table_text({"text": text})
    assert "\n" not in str(refused.value).strip()
    assert "Traceback" not in str(refused.value)
