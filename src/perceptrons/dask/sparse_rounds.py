# mypy: allow-untyped-defs, allow-untyped-calls
"""A stage of boosting over all parts, whose products of rows add up to those of `sparse.pairs`.

Each part keeps the weights of its rows, and with two literals the matrices P and N of its pairs
(`PairSearch`). Their sums, and the bounds of their rounding, name the finalists, as in memory; these are
judged row by row, and the sums of that decide.
"""

from typing import Any, NamedTuple

import numpy as np

from .._types import Array
from ..compiled import compiled
from ..rows.encode import as_rows, signs_of
from ..sparse.conjunctions import TIE, FoundConjunction, Literals, Reweighing, add_all, rows_of
from ..sparse.pairs import MANY, ROUNDING, WORTH, PairSearch, finalists, rescore_rows
from ..sparse.search import Scope, add_each
from ..tables.literal_encoder import LiteralEncoder
from .joint_parts import FoldedCodes, learned_from
from .part import CollectionPart
from .part_classes import KnownClasses
from .rounds import Conversation, Rounds

FEW = 8  # finalists that are judged at once


class LiteralSettings(NamedTuple):
    """What a part must know to encode its rows."""

    encoder: LiteralEncoder
    known: KnownClasses


class EncodedPart(NamedTuple):
    """The rows of a part that count, as literals."""

    data: Literals  # without twins
    codes: Array
    weights: Array
    counts: Array


class PairSums(NamedTuple):
    """What the parts say of all conjunctions."""

    mean: float  # E_D[f]
    total: float  # of the weights
    P: Array  # the upper triangles; with one literal the diagonals
    N: Array
    error: float

    def __add__(self, other: Any) -> "PairSums":
        return PairSums(*(mine + its for mine, its in zip(self, other, strict=True)))


def encoded_part(part: CollectionPart, settings: LiteralSettings) -> EncodedPart:
    """Worked out once on the worker."""
    return part.worked_out("literals", lambda one: encode_part(one, settings))  # type: ignore[no-any-return]


def encode_part(part: CollectionPart, settings: LiteralSettings) -> EncodedPart:
    codes, weights, counts = settings.known.weights(part)
    there = weights > 0.0
    literals: Any = settings.encoder.transform(part.X)
    if not there.all():
        literals, codes, weights, counts = (one[there] for one in (literals, codes, weights, counts))
    attributes = settings.encoder.attributes_
    ends = np.searchsorted(attributes, attributes, side="right")
    rows: Any = as_rows(literals)
    return EncodedPart(Literals(rows, len(codes), ends, np.arange(len(ends))), codes, weights, counts)


def twins_in(rounds: Rounds, settings: LiteralSettings) -> Array:
    """The first literal that holds in the same rows, by sums of random numbers of the rows."""
    told = [(settings, k) for k in range(len(rounds.numbers))]
    sums = np.sum(rounds.ask_each("literals", random_sums, told), axis=0, dtype=np.uint64)
    _, first, which = np.unique(sums, return_index=True, return_inverse=True)
    return np.asarray(first[which])


def random_sums(part: CollectionPart, settings: LiteralSettings, number: int) -> Array:
    data = encoded_part(part, settings).data
    numbers = np.random.default_rng([0, number]).integers(2**63, size=data.n_rows, dtype=np.uint64)
    sums = np.zeros(data.n_literals, np.uint64)
    add_all(data.rows, numbers, sums)
    return sums


class PartBoosting:
    """The rows of a part while one weight vector is learned."""

    def __init__(
        self,
        part: CollectionPart,
        settings: LiteralSettings,
        vector: int,
        total: float,
        scope: Scope,
        given: FoldedCodes | None = None,
        fold: int = -1,
    ) -> None:
        encoded = encoded_part(part, settings)
        self.data, self.scope = encoded.data, scope
        self.signs = [*signs_of(encoded.codes, len(settings.known.classes))][vector]
        self.D = encoded.weights / total
        if given is not None:  # the rows of one fold are left out
            self.D = np.where(learned_from(part, given, fold), self.D, 0.0)
        self.signed = np.empty(len(self.D))  # kept, since room for many rows is taken again page by page
        self.pairs = PairSearch(self.data, self.signs, self.D, scope.share) if scope.k > 1 else None
        self.held: dict[tuple[int, ...], Array] = {}  # of the conjunctions judged last

    def sums(self) -> PairSums:
        """Of the weights as they are."""
        signed = np.multiply(self.D, self.signs, out=self.signed)
        ends = float(signed.sum()), float(self.D.sum())
        if self.pairs is None:
            p, n = np.zeros((2, self.data.n_literals))
            add_each(self.data.rows, signed, p, n)
            return PairSums(*ends, p, n, 0.0)
        upper = np.triu_indices(self.data.n_literals)
        P, N = (self.pairs.sides[sign] for sign in (1, -1))
        return PairSums(*ends, P.entries[upper], N.entries[upper], P.error + N.error)

    def reweigh(self, literals: tuple[int, ...], sign: int, beta: float, total: float) -> PairSums:
        held = self.held.get(literals)
        right = (self.signs == sign) == (rows_of(self.data, literals) if held is None else held)
        if self.pairs is not None:
            self.pairs.follow(Reweighing(self.D, right, beta, total))
        reweigh_rows(self.D, right, beta, total)
        if self.pairs is not None and self.pairs.stale:
            self.pairs.refresh(self.D)
        return self.sums()

    def refresh(self) -> PairSums:
        """Compute the products again, which updates have made inexact."""
        if self.pairs is not None:
            self.pairs.refresh(self.D)
        return self.sums()

    def gains(self, pairs: Array) -> Array:
        """Σ D f over the rows in which both literals of a pair hold."""
        sums = np.zeros(len(pairs))
        signed = np.multiply(self.D, self.signs, out=self.signed)
        rescore_rows(self.data.rows, signed, pairs, sums)
        return sums

    def judge(self, conjunctions: list[tuple[int, ...]]) -> Array:
        """Of each Σ D f over the rows in which it holds, and the weight of the rows that it gets right, and
        wrong."""
        self.held = {one: rows_of(self.data, one) for one in conjunctions}
        return np.array([judge_rows(self.D, self.signs, held) for held in self.held.values()])


@compiled
def reweigh_rows(D, right, beta, total):
    for r in range(D.size):
        D[r] = (beta * D[r] if right[r] else D[r]) / total


@compiled
def judge_rows(D, signs, held):
    """In one pass: Σ D f where held, and the weights of the rows in which held says what f says, and not."""
    gain, right, wrong = 0.0, 0.0, 0.0
    for r in range(D.size):
        if held[r]:
            gain += D[r] * signs[r]
        if held[r] == (signs[r] > 0):
            right += D[r]
        else:
            wrong += D[r]
    return gain, right, wrong


def begin_boosting(part: CollectionPart, *setup: Any) -> PartBoosting:
    return PartBoosting(part, *setup)


def first_sums(state: PartBoosting) -> PairSums:
    return state.sums()


def reweighed(state: PartBoosting, *stage: Any) -> PairSums:
    return state.reweigh(*stage)


def refreshed(state: PartBoosting) -> PairSums:
    return state.refresh()


def gains_of_pairs(state: PartBoosting, pairs: Array) -> Array:
    return state.gains(pairs)


def judged(state: PartBoosting, conjunctions: list[tuple[int, ...]]) -> Array:
    return state.judge(conjunctions)


class RowsOnCluster:
    """The rows of one weight vector, for `boosting.boost_over`."""

    def __init__(
        self,
        rounds: Rounds,
        settings: LiteralSettings,
        twins: Array,
        vector: int,
        scope: Scope,
        given: list[tuple[FoldedCodes, int]] | None = None,
        total: float | None = None,
    ) -> None:
        """`given`: for each part what it must know of its folds, and which is left out; `total`: what the
        rows of the others weigh."""
        attributes, n = settings.encoder.attributes_, len(twins)
        self.ends = np.searchsorted(attributes, attributes, side="right") if scope.k > 1 else np.full(n, n)
        self.twins, self.scope = twins, scope
        total = float(settings.known.sums @ settings.known.factors) if total is None else total
        setup = settings, vector, total, scope
        setups = [setup] * len(rounds.numbers) if given is None else [(*setup, *one) for one in given]
        self.talk = Conversation(rounds, begin_boosting, setups)
        self.sums = self._added(self.talk.tell("stages", first_sums))
        self.fresh = True
        self.seen: dict[tuple[int, ...], Array] = {}
        self.last: tuple[tuple[int, ...], int] = ((), 1)

    def _added(self, parts: list[PairSums]) -> PairSums:
        total = parts[0]._replace(P=parts[0].P.astype(np.float64), N=parts[0].N.astype(np.float64))
        for one in parts[1:]:
            total = total + one
        return total

    def best(self) -> FoundConjunction:
        pairs = self._finalists()
        if not self.fresh and len(pairs) > MANY + len(self.twins) ** 2 // WORTH:
            self.sums, self.fresh = self._added(self.talk.tell("stages", refreshed)), True
            pairs = self._finalists()
        if len(pairs) > FEW:
            gains = sum(self.talk.peek("finalists", gains_of_pairs, pairs))
            values = self._value(2.0 * np.asarray(gains) - self.sums.mean, pairs[:, 0] < pairs[:, 1])
            pairs = pairs[values >= values.max() * (1.0 - 2.0 * TIE)]
        literals = [*(tuple(dict.fromkeys(pair)) for pair in pairs.tolist()), ()]
        judgments = sum(self.talk.peek("finalists", judged, literals))
        self.seen = dict(zip(literals, np.asarray(judgments), strict=True))
        correlations = 2.0 * np.asarray(judgments)[:, 0] - self.sums.mean
        correlations[-1] = self.sums.mean
        values = self._value(correlations, np.array([len(one) > 1 for one in literals]))
        equal = np.flatnonzero(values >= values.max() * (1.0 - TIE)).tolist()
        winner = min(equal, key=lambda place: (len(literals[place]), literals[place]))
        return FoundConjunction(literals[winner], float(correlations[winner]))

    def _value(self, correlations: Array, several: Array) -> Array:
        return np.asarray(np.abs(correlations) * np.where(several, self.scope.share, 1.0))

    def _finalists(self) -> Array:
        """As `PairSearch`, from the sums of its matrices."""
        n, slack = len(self.twins), 2.0 * self.sums.error + ROUNDING
        P, N = square(self.sums.P, n), square(self.sums.N, n)
        room = MANY
        while True:
            pairs = np.empty((room, 2), np.int64)
            count = finalists(P, N, self.sums.mean, self.scope.share, self.ends, self.twins, slack, pairs)
            if count <= room:
                return pairs[:count]
            room = count

    def error(self, literals: tuple[int, ...], sign: int) -> float:
        self.last = literals, sign
        right, wrong = self._masses()
        return float(wrong / (right + wrong))

    def _masses(self) -> tuple[float, float]:
        """The weights of the rows that the last hypothesis gets right, and wrong."""
        literals, sign = self.last
        _, right, wrong = self.seen[literals].tolist()
        return (right, wrong) if sign > 0 else (wrong, right)

    def reweigh(self, beta: float) -> None:
        right, wrong = self._masses()
        told = (*self.last, beta, beta * right + wrong)
        self.sums, self.fresh = self._added(self.talk.tell("stages", reweighed, *told)), False


def square(entries: Array, n: int) -> Array:
    """The matrix of an upper triangle, or of a diagonal."""
    if len(entries) == n and n > 1:
        return np.diag(entries)
    whole = np.zeros((n, n))
    whole[np.triu_indices(n)] = entries
    return whole
