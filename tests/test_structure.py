"""Sparse matrices whose arrays contradict one another: what is said, and what passes."""

import re

import numpy as np
import pytest
import scipy.sparse as sp

from perceptrons.structure import check_structure

X = np.array([[0.0, 1.0, 2.0], [3.0, 0.0, 0.0], [0.0, 4.0, 5.0], [0.0, 0.0, 0.0]])
FORMATS = ("csr", "csc", "coo", "bsr", "dia", "lil", "dok")


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("make", ["array", "matrix"])
def test_what_scipy_makes_passes(kind, make):
    check_structure(getattr(sp, f"{kind}_{make}")(X))
    check_structure(getattr(sp, f"{kind}_{make}")((4, 3)))


def test_anything_else_passes():
    for other in (X, X.tolist(), None, "a", {"indptr": [3]}):
        check_structure(other)


def changed(kind="csr", **parts):
    """A matrix with other arrays than it was made with: an array, or a function of the one that was there."""
    matrix = getattr(sp, f"{kind}_array")(X)
    for name, part in parts.items():
        setattr(matrix, name, part(getattr(matrix, name)) if callable(part) else part)
    return matrix


def put(place, value):
    """A function that writes a value at a place."""

    def written(part):
        part[place] = value
        return part

    return written


BAD = [
    (
        changed(indices=put(3, 10_000_000)),
        "X is no valid CSR matrix: indices[3] is 10000000, but it must be from 0 to 2",
    ),
    (changed(indices=put(0, -1)), "indices[0] is -1, but it must be from 0 to 2"),
    (changed(indices=put(1, 3)), "indices[1] is 3, but it must be from 0 to 2"),
    (
        changed("csc", indices=put(1, 4)),
        "X is no valid CSC matrix: indices[1] is 4, but it must be from 0 to 3",
    ),
    (changed(indices=lambda old: np.append(old[:-1].astype(np.int64), 2**32)), "is 4294967296"),
    (changed(indptr=put(0, 1)), "indptr begins with 1, but it must begin with 0"),
    (changed(indptr=put(1, 4)), "indptr falls from 4 to 3, but it must not fall"),
    (changed(indptr=put(-1, 500)), "indptr ends with 500, but there are 5 indices"),
    (
        changed(indices=lambda old: np.append(old, 1), data=lambda old: np.append(old, 7.0)),
        "indptr ends with 5, but there are 6 indices (X.prune() cuts them)",
    ),
    (changed(indptr=lambda old: old[:-1]), "indptr has 4 entries, but there must be 5"),
    (changed(indptr=lambda old: np.append(old, 5)), "indptr has 6 entries, but there must be 5"),
    (changed(data=lambda old: old[:-1]), "there are 5 indices for 4 values, but there must be one for each"),
    (changed(indices=lambda old: old.astype(float)), "indices has the type float64, but it must be int32 or"),
    (
        changed(indices=lambda old: old.astype(">i4")),
        "indices has the type >i4, but it must be int32 or int64",
    ),
    (changed(indptr=lambda old: old.astype(np.uint32)), "indptr has the type uint32"),
    (
        changed(indices=lambda old: old[:, None]),
        "indices has the shape (5, 1), but it must be an array of one",
    ),
    (
        changed(data=lambda old: old[None]),
        "data has the shape (1, 5), but it must be an array of 1 dimensions",
    ),
    (changed(data=None), "data has the shape NoneType"),
    (changed(_shape=(4, 2)), "indices[1] is 2, but it must be from 0 to 1"),
    (changed(_shape=(9, 3)), "indptr has 5 entries, but there must be 10"),
    (changed("coo", coords=lambda old: (old[0], old[1] + 1)), "col[1] is 3, but it must be from 0 to 2"),
    (changed("coo", coords=lambda old: (old[0] - 1, old[1])), "row[0] is -1, but it must be from 0 to 3"),
    (changed("coo", data=lambda old: old[:2]), "row has 5 entries for 2 values"),
    (changed("bsr", indices=put(0, 99)), "X is no valid BSR matrix: indices[0] is 99"),
    (changed("bsr", _shape=(5, 7)), "indptr has"),
    (changed("dia", offsets=put(0, 77)), "offsets has 77, but they must be from -4 to 3"),
    (changed("dia", offsets=lambda old: old[:-1]), "offsets for"),
    (changed("dia", offsets=lambda old: 0 * old), "an offset occurs twice"),
    (changed("lil", rows=put(0, [1, 9])), "rows[1] is 9, but it must be from 0 to 2"),
    (changed("lil", data=put(0, [1.0])), "row 0 has 2 columns for 1 values"),
    (changed("lil", data=put(0, [1.0, "a"])), "data holds 'a', which is no number"),
    (changed("lil", rows=put(0, None)), "rows must hold lists"),
    (changed("lil", rows=put(0, [0, "a"])), "rows holds what is no column"),
    (changed("dok", _dict=put((9, 0), 1.0)), "it has a cell (9, 0), but its shape is (4, 3)"),
]


@pytest.mark.parametrize(("matrix", "message"), BAD, ids=[message[:40] for _, message in BAD])
def test_contradictions_are_named(matrix, message):
    with pytest.raises(ValueError, match=re.escape(message) + ".*make it again"):
        check_structure(matrix)


def test_one_dimension():
    with pytest.raises(ValueError, match=r"Expected 2D array, got a sparse one of shape \(3,\)"):
        check_structure(sp.coo_array(np.array([0.0, 1.0, 2.0])))


def test_what_contradicts_nothing_passes():
    check_structure(changed(indices=put(slice(0, 2), 1)))  # a cell twice
    check_structure(changed(data=lambda old: np.repeat(old, 2)[::2]))
    check_structure(changed(indptr=lambda old: old.astype(np.int64)))
