"""Rows that a model keeps, dense or CSR. (Compiled code trusts the indices of a CSR matrix.)"""

from typing import Any

import numpy as np
import scipy.sparse as sp

from .arrays import FLOATS, Array
from .compound import Record
from .kinds import Choice, Field, Place, Schema

LAYOUTS = {"csr_array": sp.csr_array, "csr_matrix": sp.csr_matrix}
CSR = Record(
    dict,
    {
        "layout": Choice(*LAYOUTS),
        "shape": Array(("int64",), (2,)),
        "data": Array(FLOATS, (".cells",)),
        "indices": Array(("int32", "int64"), (".cells",)),
        "indptr": Array(("int32", "int64"), (".ends",)),
    },
)


class Matrix(Field):
    """A matrix of floats with its shape in names, such as ("used", "features")."""

    def __init__(self, shape: tuple[str, str]) -> None:
        self.shape, self.dense = shape, Array(FLOATS, shape)

    def pack(self, value: Any) -> dict[str, Any]:
        if isinstance(value, np.ndarray):
            return self.dense.pack(value)
        matrix = value.tocsr(copy=True)
        matrix.sum_duplicates()
        parts = {name: getattr(matrix, name) for name in ("data", "indices", "indptr")}
        return CSR.pack({"layout": type(matrix).__name__, "shape": np.array(matrix.shape, np.int64), **parts})

    def unpack(self, packed: Any, place: Place) -> Any:
        if not isinstance(packed, dict) or "layout" not in packed:
            return self.dense.unpack(packed, place)
        parts = CSR.unpack(packed, place)
        shape = tuple(parts["shape"].tolist())
        for name, size in zip(self.shape, shape, strict=True):
            place.require_size(name, size)
        if not _sound(parts["indices"], parts["indptr"], *shape):
            raise place.refusal("a CSR matrix with these indices", "one whose rows lie within its shape")
        return LAYOUTS[parts["layout"]]((parts["data"], parts["indices"], parts["indptr"]), shape=shape)

    def schema(self) -> Schema:
        return {"anyOf": [self.dense.schema(), CSR.schema()]}


def _sound(indices: Any, indptr: Any, n_rows: int, n_columns: int) -> bool:
    """Do the rows follow one another, and does each hold columns of the matrix in ascending order?"""
    if len(indptr) != n_rows + 1 or indptr[0] != 0 or indptr[-1] != len(indices):
        return False
    if (indptr[1:] < indptr[:-1]).any() or (
        len(indices) and not 0 <= indices.min() <= indices.max() < n_columns
    ):
        return False
    rises = np.append(indices[1:] > indices[:-1], True)
    rises[indptr[1:][indptr[1:] > 0] - 1] = True  # between two rows they may fall
    return bool(rises[: len(indices)].all())
