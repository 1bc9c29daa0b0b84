"""Boosting runs, one for each weight vector, and their scores after each stage."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from .._types import Array
from ..compiled import SERIAL, Threads
from .boosting import Stage, boost, is_alone
from .device_search import search_on
from .encoded_literals import EncodedLiterals
from .majority import boost_by_majority
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
    encoded: EncodedLiterals, trial: BoostingTrial, parameters: SparseParameters, threads: Threads
) -> BoostingRuns:
    """Learn from all rows."""
    return boost_each(encoded, trial, parameters, [slice(None)], threads)[0]


def boost_each(
    encoded: EncodedLiterals,
    trial: BoostingTrial,
    parameters: SparseParameters,
    parts: Sequence[Any],
    threads: Threads,
) -> list[BoostingRuns]:
    """Learn from each part of the rows. Every weight vector of every part is a task for a thread; of a single
    task, threads share the products."""
    vectors = [*encoded.signs()]
    tasks = [(rows, signs) for rows in parts for signs in vectors]
    outer, inner = (SERIAL, threads) if len(tasks) == 1 else (threads, SERIAL)
    done = outer.map(partial(_boost_one, encoded, trial, parameters, inner), tasks)
    runs = (done[start : start + len(vectors)] for start in range(0, len(done), len(vectors)))
    return [BoostingRuns([stages for stages, _ in one], max(missed for _, missed in one)) for one in runs]


def _boost_one(
    encoded: EncodedLiterals,
    trial: BoostingTrial,
    parameters: SparseParameters,
    workers: Threads,
    task: tuple[Any, Array],
) -> tuple[list[Stage], float]:
    """The stages of one weight vector, learned from some rows, and by how much the best was missed."""
    rows, signs = task
    weights = np.zeros(encoded.data.n_rows)
    weights[rows] = encoded.weights[rows]
    search = search_on(parameters.device, encoded.data, signs, parameters.scope, workers)
    if parameters.votes:
        assert trial.gamma is not None
        found = [*boost_by_majority(search, weights, trial.stages, trial.gamma)]
    else:
        found = [*islice(boost(search, weights), trial.stages)]
    return found, max([0.0, *(report.missed for report in search.reports)])


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
