"""Encoders over collections, in one pass: each part says what its columns hold, and that is put together."""

from functools import reduce
from operator import add
from typing import Any, TypeVar

import numpy as np

from ..stream_sources import Batch, ListSource
from ..tables.streamed_columns import PartTable, see_columns
from .part import CollectionPart
from .rounds import Rounds

Encoder = TypeVar("Encoder")


def fit_encoder(encoder: Encoder, rounds: Rounds, quantiles: bool) -> Encoder:
    """Fit a `LiteralEncoder` (which asks for quantiles) or a `TableEncoder`."""
    found = [one for one in rounds.ask("columns", columns_of_part, quantiles) if one is not None]
    if not found:
        raise ValueError("All rows have weight 0; some must have more.")
    table: PartTable = reduce(add, found)
    encoder.fit_seen(table.table(encoder.keep))  # type: ignore[attr-defined]
    return encoder


def columns_of_part(part: CollectionPart, quantiles: bool) -> PartTable | None:
    """What the columns of a part hold; of the rows themselves one goes along, which shows the names."""
    if part.weights is not None and not np.any(part.weights):
        return None
    seen = see_columns(ListSource([Batch(part.X, part.y, part.weights, part.name)]), quantiles)
    return seen._replace(first=first_row(seen.first))


def first_row(X: Any) -> Any:
    return X.iloc[:1] if hasattr(X, "iloc") else X[:1]
