"""Rows in memory as Dask collections, cut anywhere."""

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import scipy.sparse as sp
from hypothesis import strategies as st


def chunkings(n_rows):
    return st.lists(st.integers(0, n_rows), max_size=6)


def array_of(X, cuts, known=True):
    """A Dask array of these rows, chunks of CSR if X is CSR; where lengths are not known, they are NaN."""
    parts = np.split(np.arange(len(X) if not sp.issparse(X) else X.shape[0]), sorted(cuts))
    chunks = [da.from_delayed(_delayed(X[part]), (len(part), *X.shape[1:]), meta=X[:0]) for part in parts]
    whole = da.concatenate(chunks, allow_unknown_chunksizes=True)
    if known or sp.issparse(X):
        return whole
    return whole[da.from_array(np.ones(len(X), np.bool_), chunks=(whole.chunks[0],))]


def _delayed(rows):
    return dask.delayed(rows, pure=False)


def frame_of(table, cuts):
    """A Dask dataframe of a pandas one."""
    parts = np.split(np.arange(len(table)), sorted(cuts))
    return dd.from_delayed([_delayed(table.iloc[part]) for part in parts], meta=table.iloc[:0])
