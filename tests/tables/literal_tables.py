"""Tables in every form, and what an encoder makes of them, for the tests of literals."""

import numpy as np
import pandas as pd
import polars as pl
import scipy.sparse as sp

from perceptrons import LiteralEncoder

MUSHROOMS = {
    "odor": ["none", "foul", None, "none"],
    "width": [1.5, 4.0, 9.0, None],
    "ring": [True, None, False, True],
}
TYPES = {"numeric": pl.Float64, "boolean": pl.Boolean, "nominal": pl.String}


def as_pandas(table, kinds):
    return pd.DataFrame({name: pd.Series(cells, dtype=object) for name, cells in table.items()})


def as_polars(table, kinds):
    return pl.DataFrame(table, schema={name: TYPES[kind] for name, kind in zip(table, kinds, strict=True)})


def as_rows(table, kinds):
    return [list(row) for row in zip(*table.values(), strict=True)]


def as_objects(table, kinds):
    return np.array(as_rows(table, kinds), dtype=object).reshape(-1, len(table))


MAKERS = [as_pandas, as_polars, as_rows, as_objects]


def plain(rows):
    """Rows as a dense array, having checked what a sparse one promises."""
    if not sp.issparse(rows):
        assert rows.flags.c_contiguous
        return rows
    assert isinstance(rows, sp.csr_array)
    assert rows.has_sorted_indices
    assert rows.indices.dtype == rows.indptr.dtype == np.int32
    assert rows.data.all()
    return rows.toarray()


def encode(X, weights=None, **parameters):
    """The literals as plain tuples and the rows, having checked that all ways to them agree."""
    encoder = LiteralEncoder(**parameters)
    rows = plain(encoder.fit_transform(X, sample_weight=weights))
    assert rows.dtype == np.uint8
    again = LiteralEncoder(**parameters).fit(X, sample_weight=weights)
    assert again.literals_ == encoder.literals_
    assert np.array_equal(plain(again.transform(X)), rows)
    assert np.array_equal(encoder.evaluate(X, np.arange(rows.shape[1])), rows)
    assert (np.diff(encoder.attributes_) >= 0).all()
    return [tuple(one) for one in encoder.literals_], rows
