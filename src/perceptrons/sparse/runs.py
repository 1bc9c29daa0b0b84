"""Boosting runs: one for each weight vector, and what they say after each stage."""

from collections.abc import Callable, Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np

from .._types import Array
from .boosting import Stage, boost, is_alone
from .majority import boost_by_majority
from .search import Search
from .sparse_parameters import Settings
from .sparse_problem import Problem


class Trial(NamedTuple):
    """What a run is told."""

    stages: int
    gamma: float | None = None  # the edge, of votes


class Runs(NamedTuple):
    """The stages of each weight vector, and by how much the best conjunction may have been missed."""

    stages: list[list[Stage]]
    missed: float


def run(problem: Problem, trial: Trial, settings: Settings, rows: Array | None = None) -> Runs:
    """Learned from all rows, or from those named."""
    weights = problem.weights
    if rows is not None:
        weights = np.zeros(problem.data.n_rows)
        weights[rows] = problem.weights[rows]
    stages, missed = [], 0.0
    for signs in problem.signs():
        search = Search(problem.data, signs, settings.scope)
        task = problem.data, signs, weights, settings.scope
        if settings.votes:
            assert trial.gamma is not None
            found = boost_by_majority(*task, trial.stages, trial.gamma, search)
        else:
            found = islice(boost(*task, search), trial.stages)
        stages.append(list(found))
        missed = max([missed, *(look.missed for look in search.looks)])
    return Runs(stages, missed)


def staged_scores(
    held: Callable[[tuple[int, ...]], Array], runs: list[list[Stage]], votes: bool
) -> Iterator[Array]:
    """The scores of some rows after each stage, one column per weight vector.

    held : tells for a conjunction in which of the rows it holds."""
    sums, totals = np.zeros((len(held(())), len(runs))), np.zeros(len(runs))
    for t in range(max(map(len, runs))):
        for vector, stages in enumerate(runs):
            for stage in stages[t : t + 1]:
                if is_alone(stages[: t + 1], votes):
                    sums[:, vector] = totals[vector] = 0.0
                sums[:, vector] += stage.sign * stage.weight * np.where(held(stage.literals), 1.0, -1.0)
                totals[vector] += stage.weight
        if len(runs) == 1:
            yield sums
        elif votes:
            yield sums * [t + 1 if is_alone(stages, votes) else 1 for stages in runs]
        else:
            yield sums / np.where(totals > 0.0, totals, 1.0)
