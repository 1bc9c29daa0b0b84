"""Where a run starts: from weights given, or from what an earlier run left."""

from typing import Any

import numpy as np

from ..certifying import CLOSE, corrections, examine
from ..data.encode import Encoded
from ..data.rows import Array
from ..theory.certificate import lifted_norm
from .memory import Memory, Pocket, blank
from .rules import Rule


def given_weights(name: str, given: Any, shape: tuple[int, ...]) -> Array:
    """Starting weights in the shape needed; zeros if none are given."""
    if given is None:
        return np.zeros(shape)
    weights = np.asarray(given, np.float64)
    weights = weights.reshape(shape) if weights.size == np.prod(shape) else weights
    if weights.shape != shape:
        raise ValueError(f"{name} has shape {weights.shape}, but these data need {shape}.")
    if not np.isfinite(weights).all():
        raise ValueError(f"{name} holds NaN or infinity; pass finite weights.")
    return weights


def goes_on(start: Memory, data: Encoded, signs: Array, rule: Rule, result: str) -> bool:
    """Can training go on over these rows? If it is the same policy, and the weights are the sum of their
    corrections on these rows."""
    keeps_average = bool(len(start.drift)) == (result == "average")
    if start.foreign or start.n_rows != len(signs) or start.policy != rule.margin or not keeps_average:
        return False
    w, b, a = start.w.astype(np.float64), start.last().b, corrections(start.rows, start.duals, signs)
    combination = examine(data.X, signs, w, 0.0, a)[2]
    same_b = np.isclose(b, rule.rho_squared * start.duals.sum(), rtol=1e-9, atol=0.0)
    close = CLOSE[start.w.dtype] * np.sqrt(w @ w + data.largest)
    return bool(same_b and np.linalg.norm(combination - w) <= close)


def recounted(pocket: Pocket | None, data: Encoded, signs: Array, rule: Rule) -> Pocket | None:
    """The pocket with its errors and margin on these rows: those never corrected may be others now."""
    if pocket is None:
        return None
    w, b = pocket.model.w.astype(np.float64), pocket.model.b
    low, errors, _ = examine(data.X, signs, w, b, np.zeros(len(signs)))
    norm = lifted_norm(w, b, np.sqrt(rule.rho_squared))
    return pocket._replace(errors=int(errors), margin=float(low) / norm if norm > 0 else np.nan)


def weights_alone(start: Memory, rule: Rule, result: str) -> Memory:
    """The last weights, to start from on other rows or with other settings."""
    b = start.last().b if rule.rho_squared > 0 else 0.0
    return blank(start.w, b, rule, result == "average", start.rng)
