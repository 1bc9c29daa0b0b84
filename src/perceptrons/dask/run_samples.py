"""The rows that paths look at, which go from the workers that hold them to those that walk the paths."""

from collections.abc import Iterator
from functools import reduce
from operator import add
from typing import NamedTuple

import numpy as np

from .._types import Array
from ..sparse import rule_path
from ..sparse.joint import COLUMNS, strongest
from ..sparse.rule_path import PathScope, Picked, RuleSequence, drawn_rows, most_rules
from .joint_parts import SampledRun, literal_sums, pointed, sampled_rows, walked
from .joint_runs import FoldsOnCluster, JointRun
from .relays import Relay
from .rounds import Rounds


class SampleOfRun(NamedTuple):
    """Which rows, of those that a run learns from, and which columns."""

    run: int
    places: Array
    columns: Array


class RunSamples:
    """The samples of some runs. Weight vectors that look at the same columns share those of their folds."""

    def __init__(self, rounds: Rounds, folds: FoldsOnCluster, runs: list[JointRun], scope: PathScope) -> None:
        self.scope, self.n_classes = scope, folds.sums.n_rows.shape[1]
        self.numbers: dict[JointRun, int] = {}
        samples: list[SampleOfRun] = []
        known: dict[tuple[int, bytes], int] = {}
        for run, columns in columns_of_runs(rounds, folds, runs):
            key = run.number, columns.tobytes()
            if key not in known:
                known[key] = len(samples)
                samples.append(SampleOfRun(run.number, drawn_rows(run.n_rows, rule_path.ROWS), columns))
            self.numbers[run] = known[key]
        told = zip(folds.told, samples_of_parts(folds, samples), strict=True)
        self.relay = Relay(rounds, "rows of paths", sampled_rows, [*told])

    def walk(self, runs: list[JointRun]) -> dict[JointRun, Picked]:
        """What the path of each run picks."""
        tasks = [(self._sampled(run), self.scope, most_rules(run.total)) for run in runs]
        return dict(zip(runs, self.relay.work(walked, tasks), strict=True))

    def pointed(
        self, sequences: dict[JointRun, RuleSequence], picked: dict[JointRun, Picked]
    ) -> dict[JointRun, RuleSequence]:
        """The sequences with whole points."""
        tasks = []
        for run, sequence in sequences.items():
            all_drawn, some = (drawn_rows(run.n_rows, n) for n in (rule_path.ROWS, rule_path.CARD_ROWS))
            places = all_drawn.searchsorted(some)
            tasks.append((self._sampled(run), places, self.scope, picked[run], sequence))
        return dict(zip(sequences, self.relay.work(pointed, tasks), strict=True))

    def _sampled(self, run: JointRun) -> SampledRun:
        return SampledRun(self.numbers[run], run.vector, self.n_classes, run.n_rows, run.total)

    def close(self) -> None:
        self.relay.close()


def samples_of_parts(folds: FoldsOnCluster, samples: list[SampleOfRun]) -> Iterator[list[SampleOfRun]]:
    """For each part its rows of each sample, counted from its own first."""
    starts = [0] * len(samples)
    for n_rows in folds.n_rows:
        own = []
        for k, (run, places, columns) in enumerate(samples):
            n = int(n_rows.sum() - n_rows[run : run + 1].sum())  # of the last run, all
            low, high = places.searchsorted([starts[k], starts[k] + n])
            own.append(SampleOfRun(run, (places[low:high] - starts[k]).astype(np.uint32), columns))
            starts[k] += n
        yield own


def columns_of_runs(
    rounds: Rounds, folds: FoldsOnCluster, runs: list[JointRun]
) -> Iterator[tuple[JointRun, Array]]:
    """The columns that each run looks at, as `joint.fold_columns` chooses them."""
    encoder, limits = folds.told[0].settings.encoder, folds.told[0].settings.limits
    used = np.unique(encoder.attributes_)
    chosen = used[limits.allowed[used]]
    if len(chosen) <= COLUMNS:
        yield from ((run, chosen) for run in runs)
        return
    asked = [(run.number, run.vector, run.mean) for run in runs]
    parts = rounds.ask_each("columns", literal_sums, [(one, asked) for one in folds.told])
    owners = encoder.attributes_[limits.allowed[encoder.attributes_]]
    for run, sums in zip(runs, (reduce(add, some) for some in zip(*parts, strict=True)), strict=True):
        single = np.maximum.reduceat(abs(sums), np.searchsorted(owners, chosen))
        yield run, strongest(chosen, single, limits.required)
