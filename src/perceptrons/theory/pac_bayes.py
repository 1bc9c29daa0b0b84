"""The error of a linear threshold on new rows, proved from the margins of its own training rows.

γ_i = y_i⟨w,x_i⟩/(‖w‖‖x_i‖) are the normalized margins. A random vector drawn around μw/‖w‖ is wrong, or less
right than θ‖x‖, about row i with probability Φ(θ − μγ_i); PAC-Bayes bounds the mean of that over new rows (by
the kl of means, A. Maurer, *A Note on the PAC Bayesian Theorem*, 2004); and where w itself is wrong, that
probability is at least Φ(θ). J. Langford and J. Shawe-Taylor, *PAC-Bayes and Margins* (2002), have θ = 0.

Holds for every vector w at once, however it was found, for rows drawn independently and alike. Rows count as
the model sees them: scaled by fixed numbers, not by a scaler, an encoder or ρ fitted on the same rows.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr

from .._types import Array
from .held_out import inverse_kl
from .inputs import checked, numbers

STRETCHES = np.geomspace(1.0, 2000.0, 24)  # μ
OFFSETS = np.arange(7) / 2  # θ
PAIRS = len(STRETCHES) * len(OFFSETS)  # fixed before the rows are seen, and paid for


def pac_bayes_margin(margins: ArrayLike, n: int, delta: float, gamma: float = 0.0) -> float:
    """The share of new rows whose normalized margin is at most gamma; with gamma = 0, the error of w.

    min over μ, θ of kl⁻¹(mean Φ(θ + μγ − μγ_i), c)/Φ(θ), c = [(n/2) ln(1 + μ²/n) + ln(2√m·K/delta)]/m, with K
    = 168 pairs of μ and θ; at most 1. A row of norm 0 has margin 0.

    Parameters
    ----------
    margins : array-like
        The γ_i, one per training row, in [−1, 1].
    n : int
        The number of coordinates, the lifted one included, if there is an intercept.
    delta : float
        The probability with which the bound may fail.
    gamma : float, default 0
        A margin that was fixed beforehand.

    Examples
    --------
    >>> round(pac_bayes_margin([0.5] * 1000, 2, 0.05), 4)
    0.0169
    """
    values = numbers(margins, "margins", 0.0).ravel()
    worst = float(np.abs(values).max())
    if worst > 1 + 1e-9:
        raise ValueError(
            f"margins hold {worst:.12g}, but they must be in [-1, 1]; divide y<w,x> by the norms of w and x"
        )
    n_, delta_, gamma_ = (float(one) for one in checked(n_variables=n, delta=delta, gamma=gamma))
    m = len(values)
    paid = n_ / 2 * np.log1p(STRETCHES**2 / n_) + np.log(2 * np.sqrt(m) * PAIRS / delta_)
    shares = np.asarray(inverse_kl(_means(values - gamma_), paid[:, None] / m))
    return float(min((shares / ndtr(OFFSETS)).min() * (1 + 1e-9), 1.0))


def _means(excess: Array) -> Array:
    """Mean Φ(θ − μ·excess) for each pair, at most 1."""
    means = np.array([[ndtr(t - s * excess).mean() for t in OFFSETS] for s in STRETCHES])
    return np.minimum(means * (1 + 1e-12), 1.0)
