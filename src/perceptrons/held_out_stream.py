"""What to expect on new rows of a stream: a copy of the model learns without a fifth of the rows, and answers
these.

Which rows are left out is drawn batch by batch, the same in each pass.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from ._types import Array
from .checks import count_rows
from .evaluation import Evaluation, codes_among, scores_of
from .evaluation_stream import EvaluationOfBatches
from .rejection.costs import Costs
from .stream_pipelines import fit_stream
from .stream_sources import Batch, Source

SHARE = 0.2  # of the rows, that is left out
MOST_SCORES = 100_000  # of rows left out, about, that are kept for a calibration


class ExpectedOfStream(NamedTuple):
    """How the rows left out fared; scores of some of them."""

    evaluation: Evaluation
    codes: Array
    scores: Array | None
    weights: Array | None
    folds: int = 1  # a fifth was held out


class ShareOfRows:
    """The rows of a source that are left out, or the others."""

    def __init__(self, source: Source, seed: int, left_out: bool) -> None:
        self.source, self.seed, self.left_out = source, seed, left_out
        self.seekable, self.repeatable = source.seekable, source.repeatable

    def read(self, order: Sequence[int] | None = None) -> Iterator[Batch]:
        numbers = iter(order) if order is not None else None
        for place, batch in enumerate(self.source.read(order)):
            k = place if numbers is None else next(numbers)
            draws = np.random.default_rng([self.seed, k]).random(count_rows(batch.X))
            rows = np.flatnonzero((draws < SHARE) == self.left_out)
            weights = None if batch.weights is None else np.asarray(batch.weights)[rows]
            yield batch._replace(X=batch.X[rows], y=np.asarray(batch.y)[rows], weights=weights)


def expected_of_stream(
    model: Any, source: Source, seed: int, costs: Costs | None, **how: Any
) -> ExpectedOfStream:
    """Fit a copy of the model, with what its `fit_stream` takes, and let it answer."""
    fitted = fit_stream(clone(model), ShareOfRows(source, seed, left_out=False), **how)
    found = EvaluationOfBatches(last_of(fitted), costs)
    kept: list[tuple[Any, Array, Any]] = []
    n_kept = 0
    for X, batch in answerable(fitted, ShareOfRows(source, seed, left_out=True)):
        found.add(X, batch.y, batch.weights)
        if n_kept < MOST_SCORES:
            codes = codes_among(found.model.classes_, batch.y)
            kept.append((scores_of(found.model, X), codes, batch.weights))
            n_kept += len(codes)
    if not found.n_rows:
        raise ValueError("there are too few rows to leave a fifth of them out")
    scores, codes, weights = (
        None if parts[0] is None else np.concatenate(parts) for parts in zip(*kept, strict=True)
    )
    return ExpectedOfStream(found.result(), np.asarray(codes), scores, weights)


def evaluate_stream(model: Any, source: Source, costs: Costs | None) -> Evaluation:
    """How the rows of a source fare."""
    found = EvaluationOfBatches(last_of(model), costs)
    for X, batch in answerable(model, source):
        found.add(X, batch.y, batch.weights)
    return found.result()


def answerable(model: Any, source: Source) -> Iterator[tuple[Any, Batch]]:
    """Batches that have rows that count, and these as the last step of a pipeline takes them."""
    for batch in source.read():
        if len(batch.y) and (batch.weights is None or np.any(batch.weights)):
            yield (model[:-1].transform(batch.X) if hasattr(model, "steps") else batch.X), batch


def last_of(model: Any) -> Any:
    """The learner at the end of a pipeline."""
    return model[-1] if hasattr(model, "steps") else model
