"""The door of the room: what the user passed becomes numbers inside their limits, or a ValueError.

Bounds and curves take numbers by name (`checked`): each lies in the interval of its name, or the error gives
the value, the limit and the remedy. The geometry takes arrays (`matrix`, `vector`): finite, and of a scale
whose squares neither overflow nor vanish.
"""

from collections.abc import Callable
from functools import wraps
from numbers import Real
from typing import Any, ParamSpec, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._types import Array
from ..intervals import interval

P = ParamSpec("P")
LARGEST, SMALLEST = 1e150, 1e-150  # products of two coordinates neither overflow nor vanish
MOST_STEPS = 1_000_000  # by default: half a minute, not half a year
Floats: TypeAlias = NDArray[np.float64]

_LIMITS = {  # name: the interval it lies in, and what to do when it does not
    "radius": ("(0, inf)", "pass the largest row norm"),
    "margin": ("(0, inf)", "pass a margin that some hyperplane has; without one there is no bound"),
    "weight_norm": ("(0, inf)", "pass the norm of a W* with W*.Z >= 1 on every row"),
    "beta": ("[0, inf)", "use 0 for the classical perceptron"),
    "beta_y": ("[0, inf)", "use 0 for a class without a target"),
    "beta_max": ("(0, inf)", "pass the larger of the two targets"),
    "start": ("[0, inf)", "pass the norm of the weights to start from"),
    "along": ("(-inf, inf)", "pass the product of a unit vector with the weights to start from"),
    "steps": ("(0, inf)", "pass the steps of the corrections"),
    "known": ("(0, inf)", "pass a margin that is less than the best"),
    "share": ("(0, 1]", "use 0.1 for 0.9 of the best margin"),
    "rho": ("(0, 1)", "pass how often the rarer answer occurs, a share of the rows"),
    "alpha": ("(1, 2)", "use 1.5, or a value nearer to 2 for more margin and more updates"),
    "eta": ("(0, 2)", "use 1, which has the smallest bound"),
    "b": ("(0, inf)", "use 1; with b = 0 the rule never leaves w = 0"),
    "n": ("[0, inf)", "pass the number of attributes without the bias"),
    "n_points": ("[1, inf)", "pass the number of points"),
    "n_variables": ("[1, inf)", "pass the number of input variables"),
    "k": ("[1, inf)", "pass the number of points on the positive side"),
    "lift": ("[0, inf]", "use 0 for hyperplanes through the origin, inf for all"),
    "d": ("[0, inf)", "pass the number of rows in the compression set"),
    "m": ("[1, inf)", "pass the number of training rows"),
    "errors": ("[0, inf)", "count the errors outside the compression set"),
    "delta": ("(0, 1)", "use 0.05 for 95 % confidence"),
    "slack": ("(0, 0.5)", "use 0.05, which is alpha = 2 (1 - 0.05) = 1.9"),
    "eps": ("(0, 1)", "pass the error allowed on new rows, such as 0.1"),
    "s": ("[1, inf)", "pass the number of conjunctions in the target, repeats counted"),
    "n_terms": ("[1, inf)", "pass the number of conjunctions there are to choose from, |C_k|"),
    "empirical": ("[0, 1]", "pass the share of training rows in error"),
    "load": ("[0, inf)", "pass the number of rows per column, m/n"),
    "noise": ("[0, 0.5]", "pass the share of flipped labels; above a half swap the classes"),
    "overlap": ("[-1, 1]", "pass the mean of w_i times the target's weight"),
    "n_rows": ("[0, inf)", "pass the number of training rows, 0 for none"),
    "n_wrong": ("[0, inf)", "count the weights that differ from the target's"),
    "mean_loss": ("[0, 1]", "scale losses to [0, 1] by their limits, fixed beforehand"),
    "max_error": ("(0, 1)", "use 0.05 for at most 5 % of errors"),
    "cost": ("[0, inf)", "pass kl in natural logarithms, at least 0"),
    "mistakes": ("[0, inf)", "count the mistakes of the first pass"),
    "n_rules": ("[0, inf)", "pass the number of rules on the card"),
    "points": ("[1, inf)", "pass the most points a rule may have"),
    "log_size": ("[0, inf)", "pass the natural logarithm of the number of models, 0 for one"),
    "gamma": ("(-inf, inf)", "pass a margin fixed before the rows were seen"),
    "n_snapshots": ("[1, inf)", "pass the number of vectors that were frozen"),
    "width": ("(0, inf)", "pass max(b - c) + max(a + c)"),
    "mean_saving": ("(-inf, inf)", "pass the mean saving of the rejected rows"),
    "mean_inverse_margin": ("(0, inf)", "pass an assumed mean of 1/margin"),
}
_WHOLE = {"n", "n_points", "n_variables", "n_terms", "k", "d", "m", "s", "errors", "n_rows", "n_wrong"}
_WHOLE |= {"mistakes", "n_rules", "points", "n_snapshots"}


def require(ok: ArrayLike, name: str, value: ArrayLike, limit: str, remedy: str) -> None:
    """Raise a ValueError naming the first value that is not ok."""
    fine, values = np.broadcast_arrays(np.asarray(ok, dtype=bool), value)
    if not fine.all():
        raise ValueError(f"{name} = {values[~fine][0]:.12g}, but it must be {limit}; {remedy}")


def real(value: Any, name: str, limit: str, remedy: str) -> float:
    """A single real number as a float, no bool, text or None. Whether it lies in its limit is not checked."""
    number = value[()] if isinstance(value, np.ndarray) else value
    try:
        if isinstance(number, Real) and not isinstance(number, bool):
            return float(number)
    except OverflowError:
        pass
    raise ValueError(f"{name} = {value!r:.60}, but it must be a real number {limit}; {remedy}")


def real_in(value: Any, name: str, limits: str, remedy: str) -> float:
    """A single real number in the interval, such as "(0, inf)"."""
    number = real(value, name, f"in {limits}", remedy)
    require(number in interval(limits), name, number, f"in {limits}", remedy)
    return number


def _floats(value: ArrayLike, name: str) -> Floats:
    """A number, or an array of them, as floats."""
    try:
        array = np.asarray(value)
        if array.dtype.kind in "biuf":
            return array.astype(np.float64)
        if array.dtype.kind == "O":  # fractions, whole numbers beyond 64 bits
            return np.array([float(number) for number in array.flat]).reshape(array.shape)
    except (OverflowError, TypeError, ValueError):
        pass
    limits, remedy = _LIMITS[name]
    raise ValueError(f"{name} = {value!r:.60}, but it must be a real number in {limits}; {remedy}")


def checked(**values: ArrayLike) -> tuple[Floats, ...]:
    """Return the values as float arrays, each in the interval of its name, no margin above its radius."""
    arrays = {name: _floats(value, name) for name, value in values.items()}
    for name, v in arrays.items():
        limits, remedy = _LIMITS[name]
        require(interval(limits).holds(v), name, v, f"in {limits}", remedy)
        require((name not in _WHOLE) | (v == np.floor(v)), name, v, "a whole number", remedy)
    if {"radius", "margin"} <= arrays.keys():
        R, eps = arrays["radius"] * (1 + 1e-5), arrays["margin"]  # room for rounding in float32
        require(eps <= R, "margin", eps, "at most the radius", "swap the two, or scale both alike")
    return tuple(arrays.values())


def bound(formula: Callable[P, ArrayLike]) -> Callable[P, float | Array]:
    """Decorate a formula: it overflows to inf in silence, and returns a float when it gives one number."""

    @wraps(formula)
    def quiet(*args: P.args, **kwargs: P.kwargs) -> float | Array:
        with np.errstate(over="ignore", divide="ignore"):
            value = np.asarray(formula(*args, **kwargs), dtype=np.float64)
        return value if value.ndim else float(value)

    return quiet


def matrix(points: Any, name: str, least: float = SMALLEST) -> Array:
    """The points as rows of a float array: at least one, finite, of a scale whose squares are numbers."""
    V = numbers(points, name, least)
    if V.ndim != 2:
        raise ValueError(
            f"{name} has {V.ndim} dimensions, but it must have 2, one row per point; "
            "use reshape(1, -1) for a single point, reshape(-1, 1) for points on a line"
        )
    return V


def vector(values: Any, name: str, least: float = SMALLEST) -> Array:
    """The values as a float array of one dimension."""
    v = numbers(values, name, least)
    if v.ndim != 1:
        raise ValueError(f"{name} has {v.ndim} dimensions, but it must have 1; use ravel()")
    return v


def numbers(values: Any, name: str, least: float = SMALLEST) -> Array:
    """A copy as floats, so that later changes to the user's array do no harm; the largest is >= `least`."""
    if hasattr(values, "toarray"):
        raise ValueError(f"{name} is a sparse matrix, but it must be an array; use {name}.toarray()")
    try:
        if np.iscomplexobj(values):
            raise TypeError("complex numbers have no order")
        V = np.array(values, np.float64)
    except (OverflowError, TypeError, ValueError) as error:
        raise ValueError(f"{name} must be an array of real numbers, rows of equal length; {error}") from None
    if V.size == 0:
        raise ValueError(f"{name} has shape {V.shape}, but it must not be empty; pass at least one point")
    if not np.isfinite(V).all():
        raise ValueError(f"{name} holds {V[~np.isfinite(V)][0]}, but it must be finite; drop such rows")
    require_scale(float(np.abs(V).max()), name, least)
    return V


def require_scale(size: float, name: str, least: float = SMALLEST) -> None:
    """The largest |value| is 0, or its products with itself neither overflow nor vanish."""
    if size != 0.0 and not least <= size <= LARGEST:
        raise ValueError(
            f"{name}: the largest |value| is {size:.3g}, but it must be 0 or in [{SMALLEST}, {LARGEST}], or "
            f"products overflow or vanish; divide by {size:.3g}"
        )


def length(radius: Any) -> float:
    """A radius as a float: at least 0, and it can be squared."""
    return real_in(radius, "radius", f"[0, {LARGEST}]", "use 0 for one point")


def tolerance(eps: Any, share_of: str) -> float:
    """An eps as a float: positive and finite."""
    return real_in(eps, "eps", "(0, inf)", f"use a share of the {share_of}")


def steps_allowed(max_steps: int | None, enough: float, least: int) -> int:
    """As many steps as the theorem needs, but no more than the user allows; by default a million."""
    if max_steps is None:
        max_steps = MOST_STEPS
    elif not isinstance(max_steps, (int, np.integer)) or max_steps < least:
        raise ValueError(f"max_steps = {max_steps}, but it must be a whole number >= {least}; leave it out")
    return int(min(max(enough, least), max_steps))
