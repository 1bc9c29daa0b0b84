"""The process that fits, without the process: messages in, answers out."""

import io
import json

import pytest

from perceptrons.play import worker
from perceptrons.play.presets import presets
from perceptrons.play.worker import answer, message_of, read_message, write_message

OR = json.dumps(next(one.request for one in presets() if one.name == "or")).encode()


def told(task, learner="", text=b""):
    return json.loads(answer(message_of(task, learner, text)))


def test_tasks():
    assert len(told(worker.RUN, "perceptron", OR)["steps"]["row"]) == 13
    assert [one["name"] for one in told(worker.LESSONS)["presets"]][:2] == ["or", "xor"]
    assert told(worker.TABLE, text=b'{"text": "a,b,c\\n1,2,x\\n3,4,y\\n"}')["n_rows"] == 2
    assert told(worker.WARM, "maximum") == {}


@pytest.mark.parametrize(
    ("task", "learner", "text"),
    [
        (worker.RUN, "perceptron", b"{"),
        (worker.RUN, "perceptron", b"[]"),
        (worker.RUN, "nobody", OR),
        (worker.TABLE, "", b'{"text": 5}'),
    ],
)
def test_what_is_wrong_is_a_sentence(task, learner, text):
    found = told(task, learner, text)
    assert list(found) == ["error"]
    assert "\n" not in found["error"]


def test_messages():
    out = io.BytesIO()
    write_message(out, b"one")
    write_message(out, b"")
    source = io.BytesIO(out.getvalue() + b"\x00\x00")
    assert [read_message(source), read_message(source), read_message(source)] == [b"one", b"", None]


def test_it_ends_with_its_input(monkeypatch):
    """Requests in, answers out, whatever a fit may print."""
    requests, answers = io.BytesIO(), io.BytesIO()
    write_message(requests, message_of(worker.RUN, "perceptron", OR))
    requests.seek(0)
    source, out = io.TextIOWrapper(requests), io.TextIOWrapper(answers)
    monkeypatch.setattr(worker.sys, "stdin", source)
    monkeypatch.setattr(worker.sys, "stdout", out)
    monkeypatch.setattr(worker.signal, "signal", lambda *_: None)
    worker.main()
    answers.seek(0)
    assert b'"steps"' in read_message(answers)
    assert out is not worker.sys.stdout  # which what is printed does not reach
