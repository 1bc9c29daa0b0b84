"""The number of stages by cross-validation over a collection, as `n_stages` chooses it in memory.

The runs of all folds go over all parts at once; a row of the fold left out has weight 0. Then each part says
how much weight of those rows is right after each stage.
"""

from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import Any

import numpy as np

from .._types import Array
from ..sparse.boosting import Stage, boost_over
from ..sparse.encoded_literals import EncodedLiterals
from ..sparse.n_stages import StagePlan, best_of, right_weights
from ..sparse.runs import BoostingTrial
from ..sparse.sparse_parameters import SparseParameters
from .joint_parts import FoldedCodes, folds_of, forgotten
from .joint_runs import FoldsOnCluster
from .part import CollectionPart
from .rounds import Rounds
from .sparse_rounds import LiteralSettings, RowsOnCluster, encoded_part

AT_ONCE = 8  # runs that are under way


def choose_stages(
    rounds: Rounds,
    settings: LiteralSettings,
    folds: FoldsOnCluster,
    twins: Array,
    parameters: SparseParameters,
    n_vectors: int,
) -> StagePlan:
    """As `plan_stages` for the stages "cv"."""
    most = parameters.max_stages or len(twins)

    def run(task: tuple[int, int]) -> list[Stage]:
        fold, vector = task
        given = [(one, fold) for one in folds.told]
        rows = RowsOnCluster(rounds, settings, twins, vector, parameters.scope, given, folds.total(fold))
        stages = [*islice(boost_over(rows), most)]
        rounds.ask("stages", forgotten, [rows.talk.key])
        return stages

    tasks = [(fold, vector) for fold in range(folds.n_folds) for vector in range(n_vectors)]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        done = [*pool.map(run, tasks)]
    runs = [done[start : start + n_vectors] for start in range(0, len(done), n_vectors)]
    accuracies = accuracies_of(rounds, settings, folds, runs, most)
    return StagePlan(BoostingTrial(best_of(accuracies) + 1), accuracies, most=most)


def accuracies_of(
    rounds: Rounds, settings: LiteralSettings, folds: FoldsOnCluster, runs: list[Any], most: int
) -> Array:
    """Of rows left out, after each stage."""
    parts = rounds.ask_each("accuracies", judged_folds, [(settings, one, runs, most) for one in folds.told])
    right, total = (np.sum(some, axis=0) for some in zip(*parts, strict=True))
    return np.asarray(right / total)


def judged_folds(
    part: CollectionPart, settings: LiteralSettings, given: FoldedCodes, runs: list[Any], most: int
) -> tuple[Array, float]:
    """The weight of the rows that is right after each stage, each row judged by the run that has not learned
    from it, and the weight of all rows."""
    data, codes, weights, counts = encoded_part(part, settings)
    encoded = EncodedLiterals(data, settings.known.classes, codes, weights, counts, None)
    folds, right = folds_of(part, given), np.zeros(most)
    for fold, own in enumerate(runs):
        right += right_weights(encoded, most, False, (own, np.flatnonzero(folds == fold)))
    return right, float(weights.sum())
