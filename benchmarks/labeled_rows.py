"""Rows to learn from: synthetic ones with a known teacher, and a9a from the data folder."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_svmlight_file

STRETCH = np.float32(4)  # of the rows along the teacher: few rows near the border, few corrections
CHUNK = 10_000  # rows made at a time


def dense_labeled(X: np.ndarray, seed: int = 0) -> np.ndarray:
    """Fill X with normal rows of norm about 1, stretched along a random teacher; return its labels.

    The rows are made in float32 and then stored, so float64 and float32 see the same numbers. Separable,
    but with rows as near to the border as chance puts them: no perceptron is done after a few epochs.
    """
    rng, (m, n) = np.random.default_rng(seed), X.shape
    teacher = rng.standard_normal(n, dtype=np.float32)
    teacher /= np.linalg.norm(teacher)
    y = np.empty(m, np.int64)
    for start in range(0, m, CHUNK):
        rows = rng.standard_normal((min(CHUNK, m - start), n), dtype=np.float32) / np.float32(np.sqrt(n))
        scores = rows @ teacher
        X[start : start + CHUNK] = rows + np.outer((STRETCH - 1) * scores, teacher)
        y[start : start + CHUNK] = scores > 0
    return y


def csr_labeled(m: int, n: int, per_row: int, seed: int = 0) -> tuple[Any, np.ndarray]:
    """A float32 CSR matrix, `per_row` positive cells in each row, and the labels of a sparse teacher.

    The teacher looks at one column in ten, whose cells are twice stretched for the same reason as above.
    """
    rng, width = np.random.default_rng(seed), n // per_row
    columns = (rng.integers(0, width, (m, per_row)) + width * np.arange(per_row)).astype(np.int32).ravel()
    cells = np.abs(rng.standard_normal(m * per_row, dtype=np.float32)) / np.float32(np.sqrt(per_row))
    looked_at = rng.random(n) < 0.1
    cells[looked_at[columns]] *= 2 * STRETCH
    starts = np.arange(0, m * per_row + 1, per_row, dtype=np.int32)
    X = sp.csr_matrix((cells, columns, starts), shape=(m, n))
    return X, (X @ (looked_at * rng.standard_normal(n)) > 0).astype(np.int64)


def moved_rows(m: int, n: int, margin: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Random rows of norm 1; those nearer to a random hyperplane than `margin` are moved out to it.

    The margin is at least that. (`perceptrons.synthetic.separable` also plants a pair of rows that
    lets no hyperplane have more.)
    """
    rng = np.random.default_rng(seed)
    teacher, X = _unit(rng.standard_normal((1, n)))[0], _unit(rng.standard_normal((m, n)))
    height = X @ teacher
    sides = np.where(height > 0, 1, -1)
    beside = _unit(X - np.outer(height, teacher))
    height = sides * np.maximum(np.abs(height), margin)
    return np.sqrt(1 - height**2)[:, None] * beside + np.outer(height, teacher), sides


def _unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def a9a(dtype: Any) -> tuple[Any, np.ndarray] | None:
    """a9a from the folder named by PERCEPTRONS_DATA; None if the variable is not set.

    scikit-learn's loader makes 64-bit indices, which its own Perceptron refuses: all get 32-bit ones.
    """
    folder = os.environ.get("PERCEPTRONS_DATA")
    if not folder:
        return None
    X, y = load_svmlight_file(Path(folder) / "sparse" / "a9a.gz", dtype=dtype)
    narrow = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return sp.csr_matrix((X.data, *narrow), shape=X.shape), y.astype(np.int64)
