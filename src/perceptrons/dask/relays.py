"""Answers that stay on the workers, and tasks that see those of all parts: rows of a sample go from worker to
worker, and not to the client."""

from collections.abc import Callable
from typing import Any

from distributed.protocol.pickle import dumps, loads

from ..compiled import one_thread
from .clusters import said_in_one_sentence
from .part import CollectionPart
from .rounds import Rounds, answer_of


class Relay:
    """What each part has answered to a question."""

    def __init__(
        self, rounds: Rounds, stage: str, question: Callable[..., Any], told: list[tuple[Any, ...]]
    ) -> None:
        self.rounds, self.stage, self.is_counted = rounds, stage, False
        each = dict(zip(rounds.numbers, told, strict=True))
        groups = [[k for k in group if k in each] for group in rounds.groups]
        groups = [group for group in groups if group]
        packed = [dumps([(k, each[k]) for k in group]) for group in groups]
        rounds.count(stage, len(packed), sum(map(len, packed)), 0)
        with said_in_one_sentence(rounds.client):
            self.answers = [
                rounds.client.submit(answer_here, [rounds.parts[k] for k in group], question, one, pure=False)
                for group, one in zip(groups, packed, strict=True)
            ]

    def work(self, act: Callable[..., Any], tasks: list[tuple[Any, ...]]) -> list[Any]:
        """For each task what a function makes of all answers, in the order of the parts; some worker calls
        it."""
        rounds, packed = self.rounds, [dumps(one) for one in tasks]
        with said_in_one_sentence(rounds.client):
            futures = [rounds.client.submit(act_on, self.answers, act, one, pure=False) for one in packed]
            done = rounds.client.gather(futures)
        moved = sum(len(one) for one, _ in done) + (0 if self.is_counted or not done else done[0][1])
        self.is_counted = True
        rounds.count(self.stage, len(packed), sum(map(len, packed)), moved)
        return [loads(one) for one, _ in done]

    def close(self) -> None:
        """Workers may forget the answers."""
        self.answers = []


def answer_here(parts: list[CollectionPart], question: Callable[..., Any], packed: bytes) -> bytes:
    """Run on a worker: the numbers of parts, and their answers."""
    pairs = zip(parts, loads(packed), strict=True)
    return bytes(dumps([(k, answer_of(part, question, *told)) for part, (k, told) in pairs]))


def act_on(answers: list[bytes], act: Callable[..., Any], packed: bytes) -> tuple[bytes, int]:
    """Run on a worker: what it makes of the answers, and how large these are."""
    found = sorted((pair for one in answers for pair in loads(one)), key=lambda pair: pair[0])
    with one_thread():
        made = act([answer for _, answer in found], *loads(packed))
    return bytes(dumps(made)), sum(map(len, answers))
