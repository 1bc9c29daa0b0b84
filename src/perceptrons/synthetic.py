"""Data with known geometry, for tests, benchmarks and teaching."""

from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from ._types import Array
from .checks import is_number, number

BLOCK = 2**20  # random numbers held at a time


class Separable(NamedTuple):
    """Rows, their classes, and a hyperplane that separates them.

    >>> data = separable(100, 5, margin=0.1, random_state=0)
    >>> data.X.shape, sorted(set(data.y.tolist())), data.teacher.shape
    ((100, 5), [-1, 1], (5,))
    """

    X: Any  # array, or CSR for density < 1
    y: Array  # ±1
    teacher: Array  # a unit vector; y = sign of ⟨teacher, x⟩ except for the rows with a flipped label


def separable(
    n_rows: int,
    n_features: int,
    *,
    margin: float,
    radius: float = 1.0,
    density: float = 1.0,
    noise: float = 0.0,
    random_state: int | None = None,
) -> Separable:
    """Rows of norm `radius` that a hyperplane through the origin separates with margin `margin`.

    Without noise and with density 1 this is exactly the best margin: two of the rows have midpoint
    margin·teacher, and no hyperplane can do better on them. Sparse rows have ⌈density·n_features⌉ values,
    the teacher none equal to zero. A share `noise` of the labels is flipped.

    >>> X, y, teacher = separable(100, 5, margin=0.1, random_state=0)
    >>> round(float((y * (X @ teacher)).min()), 12)
    0.1
    """
    if not 0.0 < density <= 1.0 or not 0.0 <= noise <= 1.0:
        raise ValueError(f"density={density}, noise={noise}, but they are shares: in (0, 1] and in [0, 1].")
    filled = int(np.ceil(density * n_features))
    most = radius * np.sqrt(filled / n_features)
    if not 0.0 < margin <= most:
        what = f"rows of norm {radius} with {filled} of {n_features} values"
        raise ValueError(f"margin={margin}, but {what} allow (0, {most:.6g}].")
    rng = np.random.default_rng(random_state)
    teacher = rng.choice([-1.0, 1.0], n_features) / np.sqrt(n_features)
    if filled == n_features:
        columns = np.broadcast_to(np.arange(n_features), (n_rows, n_features))
    else:
        columns = np.sort(
            [rng.choice(n_features, filled, replace=False, shuffle=False) for _ in range(n_rows)]
        )
    values = _rows_at_margin(rng, teacher[columns], margin, radius)
    if filled == n_features and n_rows >= 2 and n_features >= 2:
        values[:2] = _antipodes(rng, teacher, margin, radius)
        values = rng.permutation(values)
    X: Any = values
    if filled < n_features:
        X = sp.csr_array(
            (values.ravel(), columns.ravel(), filled * np.arange(n_rows + 1)), (n_rows, n_features)
        )
    y = np.where(X @ teacher > 0, 1, -1)
    y[rng.permutation(n_rows)[: round(noise * n_rows)]] *= -1
    return Separable(X, y, teacher)


def _rows_at_margin(rng: np.random.Generator, teacher: Array, margin: float, radius: float) -> Array:
    """Random rows of norm `radius`; where the part along the teacher is too short it is stretched."""
    length = np.linalg.norm(teacher, axis=1, keepdims=True)
    along = teacher / length
    x = rng.standard_normal(teacher.shape)
    part = (x * along).sum(axis=1, keepdims=True)
    across = x - part * along
    part *= radius / np.linalg.norm(x, axis=1, keepdims=True)
    least = np.minimum(margin / length * (1 + 1e-12), radius)  # a hair more: rounding must not take it away
    part = np.where(part < 0, -1.0, 1.0) * np.clip(np.abs(part), least, radius)
    rest = np.sqrt(np.maximum(radius**2 - part**2, 0.0))
    norm = np.maximum(np.linalg.norm(across, axis=1, keepdims=True), np.finfo(float).tiny)
    return np.asarray(part * along + rest / norm * across)


def _antipodes(rng: np.random.Generator, teacher: Array, margin: float, radius: float) -> Array:
    """Two rows of one class whose midpoint is margin·teacher."""
    across = rng.standard_normal(len(teacher))
    across -= (across @ teacher) * teacher
    across *= np.sqrt(radius**2 - margin**2) / np.linalg.norm(across)
    return np.stack([margin * teacher + across, margin * teacher - across])


def two_point(eps: float) -> tuple[Array, Array]:
    """Two rows of norm 1 and margin eps on which Algorithm 4 needs as many updates as its bound says, up
    to a constant (Moran et al., remark after Theorem 2.3).

    >>> X, y = two_point(0.6)
    >>> X
    array([[ 0.8,  0.6],
           [ 0.8, -0.6]])
    """
    if not 0.0 < eps < 1.0:
        raise ValueError(f"eps={eps}, but it must lie in (0, 1): the margin of two rows of norm 1.")
    c = float(np.sqrt(1 - eps**2))
    return np.array([[c, eps], [c, -eps]]), np.array([1, -1])


class Product(NamedTuple):
    """Rows of ±1, their classes, and the binary weights that label them.

    >>> data = product(1000, 10, random_state=0)
    >>> data.X.shape, sorted(set(data.weights.tolist()))
    ((1000, 10), [-1, 1])
    """

    X: Array  # int8, ±1
    y: Array  # ±1
    weights: Array  # int8, -1, 0 or +1; y = +1 where Σ w x > threshold, except where the label was flipped


def product(
    n_rows: int,
    shares: int | ArrayLike,
    *,
    weights: ArrayLike | None = None,
    threshold: float = 0,
    noise: float = 0.0,
    random_state: int | None = None,
) -> Product:
    """Rows of a product distribution, labeled by a binary-weight perceptron (Golea and Marchand, Section 2).

    `shares` has the probability of +1 for each column, all of them independent; a whole number stands for
    that many columns of share 1/2. Random ±1 weights unless given. Each label is flipped with probability
    `noise`, independently (their Section 5.2). Equal seeds give equal rows, whatever weights and noise are.

    >>> X, y, weights = product(1000, [0.15, 0.7, 0.5], weights=[1, -1, 1], random_state=0)
    >>> (X == 1).mean(axis=0).round(2).tolist()
    [0.15, 0.69, 0.51]
    >>> bool(((X @ weights > 0) == (y == 1)).all())
    True
    """
    number("n_rows", n_rows, "[1, inf)", "pass the number of rows to draw", Integral)
    number("threshold", threshold, "(-inf, inf)", "use 0 for none")
    if not is_number(noise) or not 0.0 <= noise <= 1.0:
        raise ValueError(f"noise={noise!r}, but it must be in [0, 1]: the share of flipped labels; use 0.")
    p = _shares(shares)
    rng = np.random.default_rng(random_state)
    w = rng.choice(np.array([-1, 1], np.int8), len(p))
    if weights is not None:
        w = _binary_weights(weights, len(p))
    X, y = np.empty((n_rows, len(p)), np.int8), np.empty(n_rows, np.int64)
    step = max(BLOCK // len(p), 1)
    for i in range(0, n_rows, step):
        rows = X[i : i + step]
        rows[:] = 2 * (rng.random(rows.shape) < p).view(np.int8) - 1
        y[i : i + step] = np.where(rows.astype(np.float64) @ w.astype(np.float64) > threshold, 1, -1)
    y[rng.random(n_rows) < noise] *= -1
    return Product(X, y, w)


def _shares(shares: int | ArrayLike) -> Array:
    """One probability per column."""
    if is_number(shares, Integral):
        return np.full(number("shares", shares, "[1, inf)", "pass the number of columns", Integral), 0.5)
    p = _row("shares", shares, "pass one share per column, or the number of columns")
    if not ((p >= 0) & (p <= 1)).all():
        bad = p[~((p >= 0) & (p <= 1))][0]
        raise ValueError(f"shares holds {bad:.12g}, but a share is in [0, 1]: the probability of +1.")
    return p


def _binary_weights(weights: ArrayLike, n: int) -> Array:
    w = _row("weights", weights, "pass one weight per column")
    if len(w) != n:
        raise ValueError(f"weights has {len(w)} values for {n} columns; pass one weight per column.")
    if not np.isin(w, (-1, 0, 1)).all():
        raise ValueError(
            f"weights holds {w[~np.isin(w, (-1, 0, 1))][0]:.12g}, but it may hold -1, 0 and +1 only."
        )
    return w.astype(np.int8)


def _row(name: str, values: ArrayLike, remedy: str) -> Array:
    """A list of numbers as floats."""
    try:
        row = np.asarray(values, np.float64)
    except (TypeError, ValueError):
        row = np.empty((0, 0))
    if row.ndim != 1 or row.size == 0:
        raise ValueError(f"{name}={values!r:.60}, but it must be a list of numbers; {remedy}.")
    return row
