"""Costs from files that people write: what is read, and what is refused in which words."""

import os

import pytest

from perceptrons import Costs
from perceptrons.cli.costs_file import EXAMPLE, LIMIT, for_classes, read_costs_file
from perceptrons.cli.words import costs_in_words, listing
from tests.commands import shell


@pytest.fixture
def write(tmp_path):
    """A file with this text or these bytes; where it is."""

    def write(content):
        file = tmp_path / "costs.json"
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return file

    return write


@pytest.mark.parametrize(
    ("text", "costs"),
    [
        (EXAMPLE, Costs(wrong={"healthy": 1, "ill": 5}, reject=0.3)),
        ("{}", Costs()),
        (' {"gain": 2}\r\n', Costs(gain=2)),
        ('{"gain": {"é": 1}, "wrong": 3, "reject": {"é": 1e-3}}', Costs({"é": 1}, 3, {"é": 0.001})),
        ('\ufeff{"wrong": 9}', Costs(wrong=9)),  # as some editors begin a file
        ('{"wrong": 9}'.ljust(LIMIT), Costs(wrong=9)),
    ],
)
def test_what_is_read(text, costs, write):
    file = write(text)
    assert read_costs_file(file) == read_costs_file(str(file)) == costs


UNREADABLE = [
    ("", "it is not JSON, or only a part of it: Expecting value"),
    ('{"wrong": 1', "it is not JSON, or only a part of it"),
    ("wrong: 1", "it is not JSON"),
    (b'{"wrong": {"\xe9": 1}}', "it is not text in UTF-8"),
    ('{"wrong": 1}'.encode("utf-16"), "it is not text in UTF-8"),
    ('{"wrong": 9}'.ljust(LIMIT + 1), "it has 65,537 bytes, more than the 65,536 that costs may have"),
    ('{"wrong": 1, "wrong": 5}', "an object has two members named 'wrong'"),
    ('{"wrong": {"ill": 1, "ill": 5}}', "an object has two members named 'ill'"),
    ('{"wrong": NaN}', "NaN is not a number there"),
    ('{"wrong": {"ill": -Infinity}}', "-Infinity is not a number there"),
    (f'{{"wrong": {"9" * 5000}}}', "an integer has 5000 digits, more than 40"),
    ('{"rejects": 0.1}', "there is a member 'rejects', but only gain, wrong, reject are known"),
    ('{"' + "x" * 5000 + '": 0.1}', "there is a member 'xxxxxxxxxxxx...xxxxxxxxxxxxx', but"),
    ("[1, 2, 3]", "it is [1, 2, 3], but it must be an object"),
    ("null", "it is None, but it must be an object"),
    ('{"wrong": null}', "wrong is None, but it must be a number, or an object of class → number"),
    ('{"wrong": true}', "wrong is True, but it must be"),
    ('{"wrong": "5"}', "wrong is '5', but it must be"),
    ('{"wrong": [1, 5]}', "wrong is [1, 5], but it must be"),
    ('{"wrong": {"ill": "5"}}', "wrong is {'ill': '5'}, but it must be"),
    ('{"wrong": {"ill": null}}', "wrong is {'ill': None}, but it must be"),
    ('{"wrong": {"ill": {"very": 5}}}', "wrong is {'ill': {'very': 5}}, but it must be"),
    ('{"wrong": ' + "[" * 200 + "]" * 200 + "}", "wrong is [[[[[[[...]]]]]]], but it must be"),
    ('{"wrong": ' * 5000, "it is nested too deeply"),
    ("[" * LIMIT, "it is nested too deeply"),
]


@pytest.mark.parametrize(("content", "reason"), UNREADABLE, ids=range(len(UNREADABLE)))
def test_what_is_no_costs_file(content, reason, write):
    file = write(content)
    with pytest.raises(ValueError, match=r"cannot be read as costs") as caught:
        read_costs_file(file)
    message = str(caught.value)
    assert message.startswith(f"{file} cannot be read as costs: ")
    assert reason in message
    assert message.endswith(f"; write it like {EXAMPLE}.")
    assert len(message) < 400 + len(str(file))
    assert caught.value.__suppress_context__  # nothing but the sentence is shown


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"reject": 1}', "reject=1, but it must be below wrong=1.0"),
        ('{"wrong": {"ill": 0.1}}', "reject['ill']=0.2, but it must be below wrong['ill']=0.1"),
        ('{"gain": -1}', "gain=-1, but costs must be numbers from 0 to 1e+100"),
        ('{"wrong": 1e999}', "wrong=inf, but costs must be numbers from 0 to 1e+100"),
    ],
)
def test_costs_that_cannot_be(text, reason, write):
    file = write(text)
    with pytest.raises(ValueError, match=r"\w") as caught:
        read_costs_file(file)
    assert str(caught.value).startswith(f"{file} holds costs that cannot be: {reason}")


def test_keys_are_the_spelling_of_classes(write):
    file = write('{"wrong": {"0": 1, "-7": 5}, "gain": {"-7": 2, "0": 3}, "reject": 0.3}')
    costs = read_costs_file(file)
    assert for_classes(costs, [-7, 0], file) == Costs({-7: 2, 0: 3}, {0: 1, -7: 5}, 0.3)
    assert for_classes(costs, ["-7", "0"], file) == costs
    truth = read_costs_file(write('{"wrong": {"True": 1, "False": 5}}'))
    assert for_classes(truth, [False, True], file) == Costs(wrong={True: 1, False: 5})
    assert for_classes(Costs(), [0, 1], None) == for_classes(Costs(), [0, 1], file) == Costs()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"wrong": {"0": 1}}', "wrong prices [0], but not the class 1; add it."),
        ('{"wrong": {"0": 1, "1": 1, "2": 1}}', "costs name the class '2', but the classes are [0, 1]; ren"),
        ('{"wrong": {"0": 1, "1": 1, "01": 1}}', "costs name the class '01', but the classes are [0, 1]"),
        ('{"wrong": {"0": 1, "1.0": 1}}', "costs name the class '1.0', but the classes are [0, 1]"),
        ('{"wrong": {"0": 1, "1": 1}, "gain": {"1": 1}}', "gain prices [1], but not the class 0; add it."),
    ],
)
def test_costs_of_other_classes(text, reason, write):
    file = write(text)
    with pytest.raises(ValueError, match="does not fit the table") as caught:
        for_classes(read_costs_file(file), [0, 1], file)
    assert str(caught.value).startswith(f"{file} does not fit the table: {reason}")
    assert caught.value.__suppress_context__


def test_costs_in_words():
    many = dict.fromkeys("abcd", 2.0) | {"e": 7.5}
    for costs, words in (
        (Costs(), "a rejection costs 0.2, an error 1"),
        (Costs(gain=0.5, wrong=3), "a rejection costs 0.2, an error 3, a right answer earns 0.5"),
        (Costs(gain={"a": 0, "b": 0}), "a rejection costs 0.2, an error 1"),
        (
            Costs(gain={"a": 0, "b": 1}, wrong={"a": 1, "b": 2}),
            "a rejection costs 0.2, an error 1 (a) or 2 (b), a right answer earns 0 (a) or 1 (b)",
        ),
        (Costs(wrong=many), "a rejection costs 0.2, an error 2 to 7.5 (by class)"),
        (Costs(wrong=9, reject=many), "a rejection costs 2 to 7.5 (by class), an error 9"),
    ):
        assert costs_in_words(costs) == words
    assert (listing(["a"]), listing(["a", "b"]), listing(["a", "b", "c"])) == ("a", "a and b", "a, b and c")


def test_a_file_that_is_none(tmp_path):
    with pytest.raises(FileNotFoundError) as missing:
        read_costs_file(tmp_path / "missing.json")
    assert missing.value.filename == str(tmp_path / "missing.json")
    with pytest.raises(ValueError, match="cannot be read as costs: it is not a file"):
        read_costs_file(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes among its files")
def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match="it is not a file"):
        read_costs_file(tmp_path / "pipe")


def test_nothing_heavy_is_imported_before_a_file_is_read():
    code = "import sys, perceptrons.cli.costs_file; print({'numba', 'numpy', 'sklearn'} & {*sys.modules})"
    assert shell(code=code).stdout.strip() == "set()"
