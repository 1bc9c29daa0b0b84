"""Questions to parts: answers in their order, whatever is forgotten, and errors that name the chunks."""

import numpy as np
import pytest

from perceptrons.dask.chunks import read_chunks
from perceptrons.dask.rounds import Conversation, rounds_over
from tests.dask.collections_of import array_of
from tests.dask.here import Here

pytestmark = pytest.mark.dask
X = np.arange(24.0).reshape(12, 2)


def chunks(*cuts):
    return read_chunks(array_of(X, cuts), array_of(np.arange(12), cuts))


def first_cell(part, *told):
    return (float(part.X[0, 0]), *told)


def begin(part, start):
    return [start + part.n_rows]


def add(state, number):
    state[0] += number
    return state[0]


def look(state):
    return state[0]


def test_answers_come_in_the_order_of_the_parts_that_have_rows():
    with rounds_over(chunks(2, 2, 5, 9), Here()) as rounds:
        assert rounds.n_rows == [2, 3, 4, 3]
        assert rounds.ask("cells", first_cell) == [(0.0,), (4.0,), (10.0,), (18.0,)]
        each = rounds.ask_each("cells", first_cell, [("a",), ("b",), ("c",), ("d",)])
        assert [told for _, told in each] == ["a", "b", "c", "d"]
        assert rounds.ask("cells", first_cell, 7, only=[3, 1]) == [(18.0, 7), (4.0, 7)]
        traffic = rounds.traffic["cells"]
        assert traffic.told > 0
        assert traffic.answered > 0


@pytest.mark.parametrize("forgetful", [0.0, 0.4, 1.0])
def test_a_conversation_goes_on_after_what_is_forgotten(forgetful):
    client = Here(forgetful)
    with rounds_over(chunks(2, 5, 9), client) as rounds:
        talk = Conversation(rounds, begin, [(100 * k,) for k in range(4)])
        said = [talk.tell("talk", add, number) for number in (1, 10, 1000)]
        assert said[-1] == [1013, 1114, 1215, 1314]
        assert talk.peek("talk", look) == said[-1] == talk.peek("talk", look)
        assert talk.tell("talk", add, 0) == said[-1]
    assert (client.lost > 0) == (forgetful > 0)


def test_two_conversations_do_not_mix():
    with rounds_over(chunks(5), Here(0.3)) as rounds:
        one, other = (Conversation(rounds, begin, [(start,)] * 2) for start in (0, 50))
        for _ in range(4):
            a, b = one.tell("talk", add, 1), other.tell("talk", add, 2)
        assert (a, b) == ([9, 11], [63, 65])


def test_an_error_names_the_chunks():
    def complain(part):
        raise ValueError("something is wrong")

    with (
        rounds_over(chunks(5), Here()) as rounds,
        pytest.raises(ValueError, match=r"^chunk 0: something is wrong$"),
    ):
        rounds.ask("errors", complain)
