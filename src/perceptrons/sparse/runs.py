"""Boosting runs, one for each weight vector, and their scores after each stage."""

from collections.abc import Callable, Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np

from .._types import Array
from .boosting import Stage, boost, is_alone
from .encoded_literals import EncodedLiterals
from .majority import boost_by_majority
from .search import ConjunctionSearch
from .sparse_parameters import SparseParameters


class BoostingTrial(NamedTuple):
    """What a run is given: the number of stages, and the edge of votes."""

    stages: int
    gamma: float | None = None


class BoostingRuns(NamedTuple):
    """The stages of each weight vector, and by how much the best conjunction may have been missed."""

    stages: list[list[Stage]]
    missed: float


def run_boosting(
    encoded: EncodedLiterals, trial: BoostingTrial, parameters: SparseParameters, rows: Array | None = None
) -> BoostingRuns:
    """Learn from all rows, or from those given."""
    weights = encoded.weights
    if rows is not None:
        weights = np.zeros(encoded.data.n_rows)
        weights[rows] = encoded.weights[rows]
    stages, missed = [], 0.0
    for signs in encoded.signs():
        search = ConjunctionSearch(encoded.data, signs, parameters.scope)
        if parameters.votes:
            assert trial.gamma is not None
            found = boost_by_majority(search, weights, trial.stages, trial.gamma)
        else:
            found = islice(boost(search, weights), trial.stages)
        stages.append(list(found))
        missed = max([missed, *(report.missed for report in search.reports)])
    return BoostingRuns(stages, missed)


def staged_scores(
    holds: Callable[[tuple[int, ...]], Array], runs: list[list[Stage]], votes: bool
) -> Iterator[Array]:
    """Yield the scores of some rows after each stage, one column per weight vector.

    holds : returns, for a conjunction, in which of the rows it holds."""
    sums, totals = np.zeros((len(holds(())), len(runs))), np.zeros(len(runs))
    for t in range(max(map(len, runs))):
        for vector, stages in enumerate(runs):
            for stage in stages[t : t + 1]:
                if is_alone(stages[: t + 1], votes):
                    sums[:, vector] = totals[vector] = 0.0
                sums[:, vector] += stage.sign * stage.weight * np.where(holds(stage.literals), 1.0, -1.0)
                totals[vector] += stage.weight
        if len(runs) == 1:
            yield sums
        elif votes:
            yield sums * [t + 1 if is_alone(stages, votes) else 1 for stages in runs]
        else:
            yield sums / np.where(totals > 0.0, totals, 1.0)
