"""One weight vector in training over a source: a `Run` whose looks at all rows are passes over the
batches."""

from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from ..rows.encode import Encoded
from .looks import Look
from .memory import Memory, Model
from .run import Run, Survey
from .streamed_rows import StreamedRows
from .sweep import State, survey


@dataclass
class StreamedRun(Run):
    """`data`, `y` and the duals of `state` are those of the rows being presented; the rest is of all rows."""

    all_rows: StreamedRows = field(kw_only=True)
    number: int = field(kw_only=True)
    together: "list[StreamedRun]" = field(kw_only=True)  # all runs of the fit, this one included
    seen: Survey | None = None  # what a look at all rows has found under the weights as they are

    @property
    def n_rows(self) -> int:
        return self.all_rows.facts.n_rows

    def face(self, data: Encoded, signs: Any, state: State) -> None:
        """Some rows are to be presented."""
        self.data, self.y, self.state, self.seen = data, signs, state, None

    def remembered(self) -> Memory:
        return self.all_rows.memory(self.number, self.before, self.state)

    def looks_at(self, models: list[Model]) -> list[Look]:
        weights = np.stack([model.w for model in models])
        intercepts = np.array([model.b for model in models])
        duals = np.stack([model.duals for model in models])
        return self.all_rows.look([self.number] * len(models), weights, intercepts, models[0].rows, duals)

    def surveyed(self) -> Survey:
        """One pass serves all runs that go on, whose weights stay as they are between epochs."""
        if self.seen is None:
            survey_all([run for run in self.together if run.verdict is None or run is self])
        return cast(Survey, self.seen)


def survey_all(runs: list[StreamedRun]) -> None:
    """A look at all rows by the weights of each run."""
    parts: list[list[Survey]] = [[] for _ in runs]
    for _, data in runs[0].all_rows.read():
        signs = data.sign_matrix()
        for run, found in zip(runs, parts, strict=True):
            one = survey(data.X, signs[run.number], data.weights, run.rule, run.state)
            found.append(Survey(*one))
    for run, found in zip(runs, parts, strict=True):
        run.seen = in_all(found)


def in_all(parts: list[Survey]) -> Survey:
    """A survey of all rows. Which of them is the worst nobody asks."""
    return Survey(
        worst=-1,
        violated=any(one.violated for one in parts),
        short=sum(one.short for one in parts),
        low=min(one.low for one in parts),
        errors=sum(one.errors for one in parts),
        lost=sum(one.lost for one in parts),
    )
