"""A part of the rows as `ConservativePerceptron` sees it, and what is asked of it.

Nothing is remembered that cannot be worked out again from what each question says: a part that another worker
computes again gives the same answers.
"""

from typing import Any, NamedTuple

import numpy as np

from .._types import Array
from ..conservative.assessed_parts import RunSums, add_costs, count_rows_near, find_ends
from ..conservative.averaged_sweep import AveragedRuns, averaged_sweep, judge
from ..conservative.band_search import Bins, Question, SortedSizes, look, sorted_sizes
from ..conservative.conservative_sweep import (
    EACH_ONE,
    CplrRuns,
    CplrSteps,
    WeightedSigns,
    largest_scores,
    sweep,
)
from ..conservative.folds import FoldPlan, rows_left_out, signs_at
from ..conservative.scored_rows import ScoredRows, Tallies
from ..rejection.costs import Prices
from ..rows.encode import Encoded
from ..rows.order import Order, given, in_order, shuffled
from ..rows.scores import scores_with_true_signs
from ..rows.standardized import Moments, largest_of, means_and_variances, seen_through
from ..rows.stream_facts import StreamFacts
from ..rows.weights import NO_WEIGHTS
from .part import CollectionPart
from .part_facts import encoded_rows


class ColumnSums(NamedTuple):
    """What a part says of its rows before training."""

    n_rows: int
    weight: float  # in units of the heaviest row
    of_classes: Array  # how many rows
    largest: Array  # |value| of each column
    mean: Array
    variance: Array


class PartSettings(NamedTuple):
    """What a part must know of all rows."""

    facts: StreamFacts
    moments: Moments | None = None  # None: columns are as they are
    usual_weight: float = 1.0  # in units of the heaviest row
    plan: FoldPlan | None = None
    seed: int = 0  # of its folds
    before: tuple[int, int] = (0, 0)  # rows of both classes that are in parts before it


class PreparedRows(NamedTuple):
    """The rows of a part that count."""

    X: Any  # as compiled code sees them
    signs: WeightedSigns
    data: Encoded

    def order(self, seed: int | None) -> Order:
        """At random, or with None as given."""
        n_rows = len(self.signs.y)
        if seed is None:
            return in_order(given(n_rows))
        return shuffled(n_rows, np.random.RandomState(seed)).without_blocks()


def shares_of(data: Encoded, facts: StreamFacts) -> Array:
    """The weights of rows in units of the heaviest; none if all rows weigh the same."""
    if not facts.heaviest > facts.lightest:
        return NO_WEIGHTS
    return np.asarray(data.weights / facts.heaviest)


def column_sums(part: CollectionPart, settings: PartSettings, standardize: bool) -> ColumnSums | None:
    data = encoded_rows(part, settings.facts, 0)
    if data is None:
        return None
    shares, n_rows, nothing = shares_of(data, settings.facts), len(data.codes), np.zeros(0)
    found = ColumnSums(
        n_rows,
        float(shares.sum()) if len(shares) else float(n_rows),
        np.bincount(np.asarray(data.codes, np.intp), minlength=2),
        *(nothing, nothing, nothing),
    )
    if not standardize:
        return found
    rows, shape = (data.matrix, data.X, shares), (n_rows, data.matrix.shape[1])
    mean, variance = means_and_variances(lambda: iter([rows]), shape, settings.facts.sparse, shares)
    return found._replace(largest=largest_of(data.matrix, data.X), mean=mean, variance=variance)


def prepared(part: CollectionPart, settings: PartSettings) -> PreparedRows | None:
    def prepare(part: CollectionPart) -> PreparedRows | None:
        data = encoded_rows(part, settings.facts, 0)
        if data is None:
            return None
        shares = shares_of(data, settings.facts)
        signs = WeightedSigns(next(data.signs()), shares / settings.usual_weight if len(shares) else EACH_ONE)
        X = data.X if settings.moments is None else seen_through(data.X, len(signs.y), settings.moments)
        return PreparedRows(X, signs, data)

    return part.worked_out("prepared", prepare)  # type: ignore[no-any-return]


def folds_of(part: CollectionPart, settings: PartSettings, signs: WeightedSigns) -> Array:
    """The folds of the rows, drawn as if those of the parts before had theirs."""

    def draw(part: CollectionPart) -> Array:
        assert settings.plan is not None
        return settings.plan.draw(signs.y, np.random.RandomState(settings.seed), settings.before)

    return part.worked_out("folds", draw)  # type: ignore[no-any-return]


# --- epochs ---


class EpochChange(NamedTuple):
    """What an epoch has changed in each run, and how many corrections it made."""

    updates: Array
    moved: dict[str, Array]


def averaged_epoch(
    part: CollectionPart,
    settings: PartSettings,
    seed: int | None,
    started: AveragedRuns,
    along: Array,
    counts: bool,
) -> EpochChange | None:
    """A pass of averaged runs, whose lags are divided by the number of rows, if the pass `counts`."""
    rows = prepared(part, settings)
    if rows is None:
        return None
    runs = AveragedRuns(*(one.copy() for one in started))._replace(
        lags=np.zeros_like(started.weights), intercept_lags=np.zeros_like(started.intercepts)
    )
    folds, order = folds_of(part, settings, rows.signs), rows.order(seed).rows
    averaged_sweep(rows.X, rows.signs, order, along, folds, runs, 0 if counts else -1)
    moved = {name: getattr(runs, name) - getattr(started, name) for name in ("weights", "intercepts")}
    if counts:
        moved |= {name: getattr(runs, name) / len(order) for name in ("lags", "intercept_lags")}
    return EpochChange(runs.n_updates - started.n_updates, moved)


def restarted_epoch(
    part: CollectionPart,
    settings: PartSettings,
    seed: int | None,
    started: CplrRuns,
    steps: CplrSteps,
    symmetric: bool,
) -> EpochChange | None:
    """A pass of the paper's runs, which correct bands, too."""
    rows = prepared(part, settings)
    if rows is None:
        return None
    runs = CplrRuns(*(one.copy() for one in started))
    sweep(rows.X, rows.data.X, rows.signs, rows.order(seed), steps, symmetric, runs)
    names = ("weights", "intercepts", "bands")
    moved = {name: getattr(runs, name) - getattr(started, name) for name in names}
    return EpochChange(runs.n_updates - started.n_updates, moved)


# --- looks at runs ---


def largest_in_part(part: CollectionPart, settings: PartSettings, runs: CplrRuns) -> Array | None:
    rows = prepared(part, settings)
    return None if rows is None else largest_scores(rows.X, len(rows.signs.y), runs)


def sums_of_part(
    part: CollectionPart, settings: PartSettings, what: str, symmetric: bool, runs: CplrRuns, farthest: Array
) -> RunSums | None:
    """The sums of one of the passes of `assessed_parts`: ends, counts or costs."""
    rows = prepared(part, settings)
    if rows is None:
        return None
    sums = RunSums.of(len(runs.intercepts), rows.signs.weights.dtype)
    sums.farthest[:] = farthest
    if what == "ends":
        find_ends(rows.X, rows.signs, symmetric, runs, sums)
    elif what == "counts":
        count_rows_near(rows.X, rows.signs, symmetric, runs, sums)
    else:
        add_costs(rows.X, rows.signs, runs, sums)
    return sums


# --- scores ---


class LeftOut(NamedTuple):
    """Scores by runs of the rows that each of them left out."""

    key: str
    runs: AveragedRuns
    norms: Array

    def score(self, part: CollectionPart, settings: PartSettings, rows: PreparedRows) -> ScoredRows:
        folds, runs = folds_of(part, settings, rows.signs), self.runs
        places = [rows_left_out(runs, r, folds) for r in range(len(self.norms))]
        scores = [np.empty(len(one)) for one in places]
        for r, own in enumerate(places):
            judge(rows.X, runs, r, self.norms[r], own, scores[r])
        return ScoredRows(np.concatenate(scores), signs_at(rows.signs, np.concatenate(places)), NO_PRICES)


class ByModel(NamedTuple):
    """Scores of all rows by one model."""

    key: str
    coef: Array
    intercept: float

    def score(self, part: CollectionPart, settings: PartSettings, rows: PreparedRows) -> ScoredRows:
        scores = scores_with_true_signs(rows.data.matrix, self.coef, self.intercept)
        return ScoredRows(scores, rows.signs, NO_PRICES)


NO_PRICES = Prices(*np.zeros((3, 2)))  # which parts need not know


class KeptScores(NamedTuple):
    """Scores that were asked about last, and the rows of sides, sorted."""

    key: str
    rows: ScoredRows
    sides: dict[int | None, SortedSizes]


def scores_kept(part: CollectionPart, settings: PartSettings, what: LeftOut | ByModel) -> KeptScores | None:
    rows = prepared(part, settings)
    if rows is None:
        return None
    if part.memo.get("scores", ("",))[0] != what.key:
        part.memo["scores"] = KeptScores(what.key, what.score(part, settings, rows), {})
    return part.memo["scores"]  # type: ignore[no-any-return]


def between_cuts(
    part: CollectionPart,
    settings: PartSettings,
    what: LeftOut | ByModel,
    extra: Array,
    questions: dict[int | None, Question],
) -> dict[int | None, Bins | SortedSizes] | None:
    """Answers to the questions of `band_search` about sides; None is both sides as one."""
    kept = scores_kept(part, settings, what)
    if kept is None:
        return None
    for side in questions:
        if side not in kept.sides:
            on = None if side is None else (kept.rows.scores >= 0.0) == bool(side)
            kept.sides[side] = sorted_sizes(kept.rows.scores, kept.rows.signs, on)
    return {side: look(kept.sides[side], one, extra) for side, one in questions.items()}


def rejected_in_part(
    part: CollectionPart, settings: PartSettings, what: LeftOut | ByModel, bands: Array
) -> Array | None:
    kept = scores_kept(part, settings, what)
    return None if kept is None else kept.rows.rejected_by_kind(bands)


def tallies_of_part(
    part: CollectionPart, settings: PartSettings, what: LeftOut | ByModel, bands: Array
) -> Tallies | None:
    kept = scores_kept(part, settings, what)
    return None if kept is None else kept.rows.tallies(bands)
