"""The best margin by an independent road: least distance programming (Lawson and Hanson, chapter 23)."""

import numpy as np
from scipy.optimize import nnls


def best_margin(X, y, rho_squared=0.0):
    """max over unit u of min y·⟨u, x⟩, rows lifted by ρ; 0 if the rows are not separable.

    The shortest v with y·⟨v, x⟩ ≥ 1 on all rows has norm 1/margin. Its dual is a non-negative least
    squares problem: min ‖E u − f‖ over u ≥ 0, with E = [Zᵀ; 1ᵀ] and f = (0, …, 0, 1).
    """
    X = np.asarray(X, float)
    Z = np.asarray(y)[:, None] * np.hstack([X, np.full((len(X), 1), np.sqrt(rho_squared))])
    scale = np.abs(Z).max()
    E = np.vstack([Z.T / scale, np.ones(len(Z))])
    f = np.append(np.zeros(Z.shape[1]), 1.0)
    u, distance = nnls(E, f, maxiter=50 * len(Z))
    if distance < 1e-9:
        return 0.0
    residual = E @ u - f
    return scale / np.linalg.norm(residual[:-1] / residual[-1])
