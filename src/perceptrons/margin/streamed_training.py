"""The loop over epochs of a source: as `epochs.train`, batch by batch (`rows.batch_groups`)."""

from collections.abc import Callable
from typing import NamedTuple

from ..rows.batch_groups import groups_of, read_groups
from ..rows.encode import Encoded
from ..rows.order import given, in_order, shuffled
from .epochs import is_streamed, lower_targets, n_bytes, walk
from .margin_training import Training
from .memory import state_of
from .rules import PASSIVE_AGGRESSIVE
from .streamed_rows import StreamedRows
from .streamed_run import StreamedRun
from .sweep import NEVER, State


class Epoch(NamedTuple):
    """An epoch under way."""

    left: list[list[int]]  # groups of batches not presented yet
    updates: list[int]  # corrections before it, of the runs that go on
    live: list[int]  # these runs


class Stream(NamedTuple):
    """The runs of a fit over a source."""

    rows: StreamedRows
    runs: list[StreamedRun]
    states: State  # weights, clocks and drift of all runs; no duals

    def train(
        self, epoch: Epoch | None = None, pause: Callable[["Stream", Epoch | None], None] | None = None
    ) -> None:
        """Run epochs until each run has a verdict or has used up `max_epochs`; `epoch` is one to go on with.

        pause : called where training may be interrupted, with the epoch under way.
        """
        tell = pause or (lambda stream, epoch: None)
        while epoch is not None or (live := [k for k, run in enumerate(self.runs) if run.goes_on()]):
            epoch = self.opened(live) if epoch is None else epoch
            self.finish(epoch, tell)
            epoch = None
            tell(self, None)

    def opened(self, live: list[int]) -> Epoch:
        """A new epoch of the runs that go on."""
        runs = [self.runs[k] for k in live]
        lower_targets(runs)
        return Epoch(self.groups(), [run.open_epoch() for run in runs], live)

    def groups(self) -> list[list[int]]:
        """The batches of an epoch, those together that are presented as one."""
        there = [k for k, place in enumerate(self.rows.facts.places) if place.n_present]
        first = self.runs[0]
        return groups_of(there, first.plan.order, self.rows.source.seekable, first.before.rng)

    def finish(self, epoch: Epoch, pause: Callable[["Stream", Epoch | None], None]) -> None:
        """Present what is left of an epoch, and close it."""
        runs = [self.runs[k] for k in epoch.live]
        plan, rule = runs[0].plan, runs[0].rule
        rolling = plan.order == "cyclic" and rule.step != PASSIVE_AGGRESSIVE
        stop_clean = runs[0].n_rows if rolling else NEVER
        left = [*epoch.left]
        for numbers, data in read_groups(left, self.rows.source.seekable, self.rows.read):
            self.present(numbers, data, epoch.live, stop_clean)
            left = left[1:]
            if all(run.capped() or run.clock["clean"] >= stop_clean for run in runs):
                break
            pause(self, epoch._replace(left=left))
        for run in runs:
            run.close_epoch()
        for run, before in zip(runs, epoch.updates, strict=True):
            run.record(before)

    def present(self, numbers: list[int], data: Encoded, live: list[int], stop_clean: int) -> None:
        """Sweep over the rows of a group."""
        n_rows, first = len(data.codes), self.runs[0]
        signs, states = data.sign_matrix(), self.rows.states_over(numbers, self.states, n_rows)
        for k, run in enumerate(self.runs):
            run.face(data, signs[k], state_of(states, k))
        order = in_order(given(n_rows))
        if first.plan.order == "shuffle":
            order = shuffled(n_rows, first.before.rng)
            order = order if is_streamed(n_bytes(data.X), n_rows) else order.without_blocks()
        walk(Training(self.runs, signs, states, self.rows.threads), live, order, stop_clean)
        self.rows.keep(numbers, states)
