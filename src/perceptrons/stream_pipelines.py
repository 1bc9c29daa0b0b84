"""`fit_stream` for a learner, an encoder, or a pipeline of both: each step learns from what the steps
before it make of the batches."""

from collections.abc import Iterator, Sequence
from typing import Any

from sklearn.pipeline import Pipeline

from .checks import count_rows
from .stream_sources import Batch, Source, blamed_on, check_repeatable, open_source


def fit_stream(model: Any, source: Any, *, batch_rows: int | None = None, **how: Any) -> Any:
    """Train over rows that come batch by batch; returns the model.

    Parameters
    ----------
    model : estimator or pipeline
        A `Perceptron`, `BinaryPerceptron`, `SparsePerceptron`, `ConservativePerceptron`, `TableEncoder` or
        `LiteralEncoder`, or a pipeline of encoders and one learner.
    source : source of batches
        As in `Perceptron.fit_stream`; for files see `stream_table`.
    batch_rows : int or None, default None
        The number of rows of a batch, where arrays are cut. None is about 4 MB.
    how : further arguments
        They are passed to the `fit_stream` of the last step, such as `certificate` and `checkpoint`.

    Notes
    -----
    An encoder takes one pass of its own, and encodes each batch again in each pass of the learner.

    Examples
    --------
    >>> import polars as pl
    >>> from perceptrons import BinaryPerceptron, LiteralEncoder, fit_stream
    >>> from sklearn.pipeline import make_pipeline
    >>> table = pl.read_csv("examples/coffee.csv")
    >>> batches = [(part.drop("grade"), part["grade"]) for part in table.iter_slices(100)]
    >>> model = fit_stream(make_pipeline(LiteralEncoder(), BinaryPerceptron(random_state=0)), batches)
    >>> in_memory = make_pipeline(LiteralEncoder(), BinaryPerceptron(random_state=0))
    >>> bool((in_memory.fit(table.drop("grade"), table["grade"])[-1].coef_ == model[-1].coef_).all())
    True
    """
    opened = open_source(source, batch_rows)
    named = model.steps if isinstance(model, Pipeline) else [("", model)]
    steps: list[Any] = [step for _, step in named if step not in (None, "passthrough")]
    for step in steps:
        if not hasattr(step, "fit_stream"):
            raise ValueError(
                f"A {type(step).__name__} cannot learn from a stream; what can: Perceptron, "
                "BinaryPerceptron, SparsePerceptron, ConservativePerceptron, TableEncoder, LiteralEncoder, "
                "and pipelines of these. Fit it on rows in memory."
            )
    if len(steps) > 1:
        check_repeatable(opened, "each step of a pipeline reads it again")
    for step in steps[:-1]:
        step.fit_stream(opened)
        opened = EncodedSource(opened, step)
    steps[-1].fit_stream(opened, **how)
    return model


class EncodedSource:
    """Batches as a fitted encoder makes them."""

    def __init__(self, source: Source, encoder: Any) -> None:
        self.source, self.encoder = source, encoder
        self.seekable, self.repeatable = source.seekable, source.repeatable

    def read(self, order: Sequence[int] | None = None) -> Iterator[Batch]:
        for batch in self.source.read(order):
            if not count_rows(batch.X):
                yield batch
                continue
            with blamed_on(batch.name):
                encoded = self.encoder.transform(batch.X)
            yield batch._replace(X=encoded)
