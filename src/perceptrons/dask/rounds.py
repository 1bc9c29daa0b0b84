"""Questions to all parts at once, and their answers in the order of the parts.

A question is a function of the library, called with a part on the worker that holds it; what it is given and
what it answers travel as bytes, which are counted by stage. Sums over answers are made in the order of the
parts, whichever worker is first.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import Any, NamedTuple, TypeAlias
from uuid import uuid4

import dask
from distributed.protocol.pickle import dumps, loads

from ..compiled import one_thread
from .chunks import Chunk, in_parts
from .clusters import client_at_hand, said_in_one_sentence
from .part import CollectionPart, RowKind, common_kind, load_part


class StageTraffic(NamedTuple):
    """What a stage of a fit has moved between the client and the parts."""

    stage: str
    questions: int
    told: int  # bytes
    answered: int  # bytes

    def __str__(self) -> str:
        return (
            f"{self.stage}: {self.questions} questions, {self.told:,} bytes told, {self.answered:,} answered"
        )


class Rounds:
    """The parts of a collection on a cluster."""

    def __init__(self, client: Any, chunks: list[Chunk]) -> None:
        self.client, self.traffic = client, {}  # type: Any, dict[str, StageTraffic]
        self._lock = Lock()
        first, delayed = 0, []
        for some in in_parts(chunks):
            parts = [[*each] for each in zip(*some, strict=True)]
            delayed.append(dask.delayed(load_part, pure=False)(first, *parts))
            first += len(some)
        self.parts = client.compute(delayed)
        self.numbers = [*range(len(self.parts))]  # of the parts that have rows
        self.groups = [[k] for k in self.numbers]  # those that one task asks
        self.n_rows: list[int] = []
        self.kind: RowKind | None = None

    def look(self) -> None:
        """Are all rows of one kind? Parts without rows are not asked again."""
        found = self.ask("load", described)
        with said_in_one_sentence(self.client):
            self.groups = neighbors(self.client, self.parts)
        self.numbers = [k for k, (n_rows, *_) in zip(self.numbers, found, strict=True) if n_rows]
        self.n_rows = [n_rows for n_rows, *_ in found if n_rows]
        for n_rows, kind, name in found:
            try:
                self.kind = kind if self.kind is None or not n_rows else common_kind(self.kind, kind)
            except ValueError as error:
                raise ValueError(f"{name}: {error}") from None
        if not self.n_rows:
            raise ValueError("The collection has no rows.")

    def ask(
        self, stage: str, question: Callable[..., Any], *told: Any, only: Sequence[int] | None = None
    ) -> list[Any]:
        """The answers of all parts, or of some of those that have rows."""
        return self.ask_each(stage, question, [told] * len(self.numbers if only is None else only), only)

    def ask_each(
        self,
        stage: str,
        question: Callable[..., Any],
        told: list[tuple[Any, ...]],
        only: Sequence[int] | None = None,
    ) -> list[Any]:
        """The same where each part is given something else."""
        numbers = self.numbers if only is None else [self.numbers[k] for k in only]
        asked = dict(zip(numbers, told, strict=True))
        groups = [[k for k in group if k in asked] for group in self.groups]
        groups = [group for group in groups if group]
        packed = [dumps(in_common([asked[k] for k in group])) for group in groups]
        with said_in_one_sentence(self.client):
            futures = [
                self.client.submit(answer, [self.parts[k] for k in group], question, one, pure=False)
                for group, one in zip(groups, packed, strict=True)
            ]
            answers = self.client.gather(futures)
        self.count(stage, len(packed), sum(map(len, packed)), sum(map(len, answers)))
        found: dict[int, Any] = {}
        for group, one in zip(groups, answers, strict=True):
            found |= dict(zip(group, loads(one), strict=True))
        return [found[k] for k in numbers]

    def count(self, stage: str, questions: int, told: int, answered: int) -> None:
        """Write down what has moved; several threads may ask."""
        with self._lock:
            known = self.traffic.get(stage, StageTraffic(stage, 0, 0, 0))
            moved = known.questions + questions, known.told + told, known.answered + answered
            self.traffic[stage] = StageTraffic(stage, *moved)


@contextmanager
def rounds_over(chunks: list[Chunk], client: Any) -> Iterator[Rounds]:
    """Parts on a cluster, which lets go of them in the end."""
    with client_at_hand(client) as found:
        rounds = Rounds(found, chunks)
        try:
            rounds.look()
            yield rounds
        finally:
            for part in rounds.parts:
                part.release()


def neighbors(client: Any, parts: list[Any]) -> list[list[int]]:
    """The parts that each thread of a worker is to ask, in one task: a task costs the scheduler a millisecond
    or two. Which parts these are has no say in the answers."""
    places, threads = client.who_has(parts), client.nthreads()
    at: dict[str, list[int]] = {}
    for k, part in enumerate(parts):
        at.setdefault(next(iter(places.get(part.key, ())), ""), []).append(k)
    return [
        own[i::n] for place, own in at.items() for n in [threads.get(place, 1)] for i in range(n) if own[i::n]
    ]


def in_common(told: list[tuple[Any, ...]]) -> tuple[int, list[tuple[Any, ...]]]:
    """How many parts are given something, and what: once, if it is the same."""
    return len(told), told[:1] if all(one is told[0] for one in told) else told


def answer(parts: list[CollectionPart], question: Callable[..., Any], packed: bytes) -> bytes:
    """Run on a worker."""
    n_parts, told = loads(packed)
    each = told if len(told) == n_parts else told * n_parts
    return bytes(dumps([answer_of(part, question, *one) for part, one in zip(parts, each, strict=True)]))


def answer_of(part: CollectionPart, question: Callable[..., Any], *told: Any) -> Any:
    try:
        with one_thread():  # as in memory; a worker may not have been told, and threads would wait in vain
            return question(part, *told)
    except ValueError as error:
        if str(error).startswith(part.name):
            raise
        raise ValueError(f"{part.name}: {error}") from error


def described(part: CollectionPart) -> tuple[int, RowKind | None, str]:
    return part.n_rows, part.kind, part.name


FORGOTTEN = "forgotten"
Said: TypeAlias = tuple[
    Callable[..., Any], tuple[Any, ...]
]  # a function of a part's state, and what it is given


class Conversation:
    """Rounds in each of which a part goes on from where the last has led it.

    A worker remembers where it is; one that does not, because another died with the part, is given again all
    that has been said, and comes to the same place.
    """

    def __init__(self, rounds: Rounds, begin: Callable[..., Any], setups: Sequence[tuple[Any, ...]]) -> None:
        self.rounds, self.begin, self.setups = rounds, begin, setups
        self.key, self.said = uuid4().hex, []  # type: str, list[Said]

    def tell(self, stage: str, act: Callable[..., Any], *told: Any) -> list[Any]:
        """Have all parts do one thing more; their answers."""
        self.said.append((act, told))
        return self._hear(stage, len(self.said) - 1, [])

    def peek(self, stage: str, act: Callable[..., Any], *told: Any) -> list[Any]:
        """The answers to a question that changes nothing."""
        return self._hear(stage, len(self.said), [(act, told)])

    def _hear(self, stage: str, first: int, asked: list[Said]) -> list[Any]:
        """What the parts say to all that was said from the number `first` on, and to what is asked."""
        places = [*range(len(self.rounds.numbers))]
        if not first:
            return self._from_the_beginning(stage, places, asked)
        told = self.key, self.begin, None, first, self.said[first:], asked
        answers = self.rounds.ask(stage, go_on, *told)
        lost = [k for k in places if isinstance(answers[k], str) and answers[k] == FORGOTTEN]
        if lost:
            for k, one in zip(lost, self._from_the_beginning(stage, lost, asked), strict=True):
                answers[k] = one
        return answers

    def _from_the_beginning(self, stage: str, places: list[int], asked: list[Said]) -> list[Any]:
        told = [(self.key, self.begin, self.setups[k], 0, self.said, asked) for k in places]
        return self.rounds.ask_each(stage, go_on, told, only=places)


def go_on(
    part: CollectionPart,
    key: str,
    begin: Callable[..., Any],
    setup: tuple[Any, ...] | None,
    first: int,
    said: list[Said],
    asked: list[Said],
) -> Any:
    """Do what was said from the number `first` on, and answer what is asked, or else what was said last."""
    heard, state = part.memo.pop(key, (0, None))
    if setup is not None:
        heard, state = 0, begin(part, *setup)
    if heard != first or state is None:
        return FORGOTTEN
    answered = None
    for act, told in [*said, *asked]:
        answered = act(state, *told)
    part.memo[key] = heard + len(said), state
    return answered
