"""What a part says where weights are learned together: its rows in codes, their folds, patterns and sums.

The mathematics is that of `sparse.joint`; this module answers its questions for the rows of a part.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .._types import Array
from ..sparse.coded_columns import CodedColumns, code_type, column_sums
from ..sparse.coded_training import CodedTraining
from ..sparse.joint import CoveredRows, JointRowsInMemory, JointVector
from ..sparse.limits import Limits
from ..sparse.risk_card import card_totals
from ..sparse.rows_alike import RowPatterns, patterns_of
from ..sparse.rule_path import PathScope, Picked, RuleSequence, as_all, rounded_sequence, walk
from ..sparse.scorecard import Total
from ..sparse.streamed_rules import code_cells, coded
from ..tables.literal_encoder import LiteralEncoder
from .dealt_folds import DealingPlan, dealt, folds_of_rows, forget_dealt
from .part import CollectionPart
from .part_classes import KnownClasses


class CodeSettings(NamedTuple):
    """What a part must know to code its rows."""

    encoder: LiteralEncoder
    known: KnownClasses
    limits: Limits
    heaviest: float  # weight of a row
    factor: float  # of the shares of it, after which one of 2 is two rows


class FoldedCodes(NamedTuple):
    """The same, and what it must know to find their folds."""

    settings: CodeSettings
    plan: DealingPlan
    before: tuple[int, ...]  # rows of each class in the parts before


class FoldSums(NamedTuple):
    """What the rows of each fold and class are, and weigh."""

    n_rows: Array  # folds × classes
    weights: Array


class RowSample(NamedTuple):
    """Some rows."""

    columns: CodedColumns
    codes: Array
    weights: Array


def present_rows(part: CollectionPart, settings: CodeSettings) -> tuple[Array, Array, Array]:
    """Of the rows that count: which they are, their classes and their weights."""
    codes, weights, _ = settings.known.weights(part)
    there = weights > 0.0
    return there, codes[there], weights[there] / settings.heaviest * settings.factor


def coded_part(part: CollectionPart, settings: CodeSettings) -> CodedTraining:
    """Worked out once on the worker."""
    return part.worked_out("codes", lambda one: code_part(one, settings))  # type: ignore[no-any-return]


def code_part(part: CollectionPart, settings: CodeSettings) -> CodedTraining:
    encoder, known, limits = settings[:3]
    there, codes, weights = present_rows(part, settings)
    rows = len(codes), known.classes, codes, weights, known.weights(part)[2][there]
    training = CodedTraining([], encoder.attributes_, *rows, None, limits)
    chosen = training.chosen
    cells = code_cells(encoder, chosen.tolist(), part.X, code_type(encoder.attributes_, chosen))
    return training._replace(columns=coded(encoder, chosen.tolist(), cells[:, there]))


def folds_of(part: CollectionPart, given: FoldedCodes) -> Array:
    """The fold of each row that counts, worked out once."""

    def find(one: CollectionPart) -> Array:
        return folds_of_rows(given.plan, present_rows(one, given.settings)[1], given.before)

    return part.worked_out("folds", find)  # type: ignore[no-any-return]


def learned_from(part: CollectionPart, given: FoldedCodes, fold: int) -> Array:
    """Which rows a run learns from: those of the other folds. The last run learns from all."""
    return np.asarray(folds_of(part, given) != fold)


# --- questions ---


def class_rows(part: CollectionPart, settings: CodeSettings) -> tuple[Array, Array]:
    """How many rows each class has, and where its first row stands; −1 for a class without rows."""
    codes, n_classes = present_rows(part, settings)[1], len(settings.known.classes)
    first = np.full(n_classes, -1)
    found, places = np.unique(codes, return_index=True)
    first[found] = places
    return np.bincount(codes, minlength=n_classes), first


def fold_sums(part: CollectionPart, given: FoldedCodes) -> FoldSums:
    """One question tells all parts their folds."""
    _, codes, p = present_rows(part, given.settings)
    shape = given.plan.n_folds, len(given.settings.known.classes)
    cells = folds_of(part, given) * shape[1] + codes
    n_rows = np.bincount(cells, minlength=shape[0] * shape[1])
    weights = np.bincount(cells, p, shape[0] * shape[1])
    return FoldSums(n_rows.reshape(shape), weights.reshape(shape))


def after_drawing(part: CollectionPart, plan: DealingPlan) -> Any:
    """The generator."""
    return dealt(plan).rng


def literal_sums(part: CollectionPart, given: FoldedCodes, runs: list[tuple[int, int, float]]) -> list[Array]:
    """For each run, by its number, vector and mean: Σ p (y − mean) over the rows of each literal of the
    columns that rules may speak of."""
    training = coded_part(part, given.settings)
    widths, signs, found = np.bincount(training.attributes), [*training.signs()], []
    for run, vector, mean in runs:
        r = np.where(learned_from(part, given, run), training.weights * (signs[vector] - mean), 0.0)
        sums = [column_sums(training.columns[j], r, int(widths[j])) for j in training.chosen.tolist()]
        found.append(np.concatenate(sums))
    return found


def sampled_rows(
    part: CollectionPart, given: FoldedCodes, samples: list[tuple[int, Array, Array]]
) -> list[RowSample]:
    """For each sample, a run, places among the rows that it learns from, and columns: these."""
    forget_dealt()
    training, found = coded_part(part, given.settings), []
    for run, places, columns in samples:
        rows = np.flatnonzero(learned_from(part, given, run))[places]
        found.append(RowSample(training.coded(columns, rows), training.codes[rows], training.weights[rows]))
    return found


class RunPart:
    """The rows of a part in one run, as one weight vector sees them."""

    def __init__(self, part: CollectionPart, given: FoldedCodes, run: int, vector: int) -> None:
        self.training = coded_part(part, given.settings)
        self.signs = [*self.training.signs()][vector].astype(np.float64)
        there = learned_from(part, given, run)
        self.rows = np.flatnonzero(there), np.flatnonzero(~there)
        self.patterns: list[RowPatterns] = []

    def gather(self, places: list[tuple[int, ...]], most: int) -> list[RowPatterns | None]:
        """Find the patterns of these rules among the rows learned from, and those left out; answer these, or
        None if there are too many."""
        held = [self.training.holding(one) for one in places]
        self.patterns = [
            patterns_of((one[rows] for one in held), self.signs[rows], self.training.weights[rows])
            for rows in self.rows
        ]
        return [one if len(one.weights) <= most else None for one in self.patterns]

    def sums(self, which: int, question: Callable[..., Any], *told: Any) -> Any:
        """What a question says of patterns."""
        return question(self.patterns[which], *told)

    def covered(self, places: list[tuple[int, ...]]) -> CoveredRows:
        return JointRowsInMemory(self.training, self.signs).covered(places)


def begin_run(part: CollectionPart, given: FoldedCodes, run: int, vector: int) -> RunPart:
    return RunPart(part, given, run, vector)


def gathered(state: RunPart, places: list[tuple[int, ...]], most: int) -> list[RowPatterns | None]:
    return state.gather(places, most)


def pattern_sums(state: RunPart, which: int, question: Callable[..., Any], *told: Any) -> Any:
    return state.sums(which, question, *told)


def covered_rows(state: RunPart, places: list[tuple[int, ...]]) -> CoveredRows:
    return state.covered(places)


def forgotten(part: CollectionPart, keys: list[str]) -> None:
    """What was remembered of conversations that are over."""
    for key in keys:
        part.memo.pop(key, None)


def totals_of_cards(
    part: CollectionPart, settings: CodeSettings, vectors: list[JointVector]
) -> list[list[Total]]:
    return card_totals(coded_part(part, settings), vectors)


# --- what is made of the samples of all parts ---


class SampledRun(NamedTuple):
    """What is known of the rows of which a sample was taken."""

    number: int  # of the sample
    vector: int
    n_classes: int
    n_rows: int
    total: float  # of the weights


class SignedRows(NamedTuple):
    """A sample, as one weight vector sees it."""

    columns: CodedColumns
    signs: Array
    weights: Array


def put_together(parts: list[list[RowSample]], run: SampledRun) -> SignedRows:
    """The rows that all parts have taken."""
    columns, codes, weights = zip(*(one[run.number] for one in parts), strict=True)
    whole = columns[0]._replace(codes=np.concatenate([one.codes for one in columns], axis=1))
    own = np.concatenate(codes) == (1 if run.n_classes == 2 else run.vector)
    return SignedRows(whole, np.where(own, 1.0, -1.0), np.concatenate(weights))


def walked(parts: list[list[RowSample]], run: SampledRun, scope: PathScope, most: int) -> Picked:
    """The rules that a path over a sample picks."""
    columns, signs, weights = put_together(parts, run)
    own = weights if len(weights) == run.n_rows else as_all(weights, run.total)
    return walk(columns, signs, own, scope, most)


def pointed(
    parts: list[list[RowSample]],
    run: SampledRun,
    some: Array,
    scope: PathScope,
    picked: Picked,
    sequence: RuleSequence,
) -> RuleSequence:
    """The sequence with whole points, which some rows of a sample choose."""
    columns, signs, weights = put_together(parts, run)
    rules = np.array([columns.column(one)[some] for one in picked.places]).reshape(-1, len(some))
    return rounded_sequence(sequence, picked, rules, signs[some], as_all(weights[some], run.total), scope)
