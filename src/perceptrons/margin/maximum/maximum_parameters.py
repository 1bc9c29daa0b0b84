"""The parameters of `MaxMarginPerceptron`, checked, and the scales of rows that they allow."""

from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

from ...checks import flag, number, one_of
from ...compiled import count_threads
from ...rows.encode import Encoded

SQUARES, SLACK = (1e-220, 1e304), (1e-150, 1e304)  # of a row, of that times C: margins are far smaller


class MaximumParameters(NamedTuple):
    C: float
    tol: float
    fit_intercept: bool
    max_iter: int
    raises: bool  # where no hyperplane separates the rows
    n_threads: int = 1


def read_parameters(model: Any) -> MaximumParameters:
    C = model.C
    if not (isinstance(C, float | np.floating) and C == np.inf):
        number("C", C, "(0, inf)", "use inf for no slack, 1 for some")
    number("tol", model.tol, "(0, 1)", "use 1e-3")
    number("max_iter", model.max_iter, "[1, inf)", "use 1000", Integral)
    raises = one_of("on_inseparable", model.on_inseparable, ("warn", "raise")) == "raise"
    flag("warm_start", model.warm_start)
    fit_intercept = flag("fit_intercept", model.fit_intercept)
    n_threads = count_threads(model.n_jobs)
    return MaximumParameters(
        float(C), float(model.tol), fit_intercept, int(model.max_iter), raises, n_threads
    )


def check_squares(data: Encoded, C: float) -> None:
    """Squared margins, which are far smaller than the rows, must neither underflow nor overflow."""
    least, most = SQUARES
    if data.largest == 0.0:
        return  # rows of zeros: no margin, but nothing overflows
    if not least <= data.largest <= most:
        value, what = float(abs(data.matrix).max()), "over" if data.largest > 1.0 else "under"
        raise ValueError(
            f"Squared margins {what}flow: the largest |value| is {value:.3g}, but it must lie between about "
            f"{np.sqrt(least):.0e} and {np.sqrt(most):.0e}. Scale the columns (StandardScaler)."
        )
    if np.isfinite(C):
        check_slack(C, data)


def check_slack(C: float, data: Encoded) -> None:
    """What slack costs must neither vanish nor overflow, for the lightest row nor for the heaviest."""
    weighted = len(data.weights) > 0
    for weight in (data.weights.min(), data.weights.max()) if weighted else (1.0,):
        if not SLACK[0] <= C * weight * data.largest <= SLACK[1]:
            times = f" times the weight of a row, {weight:.3g}," if weighted else ""
            raise ValueError(
                f"C={C:g}{times} times the largest squared norm of a row, {data.largest:.3g}, must lie "
                f"between {SLACK[0]:g} and {SLACK[1]:g}; use 1{', weights near 1' if weighted else ''}, or "
                "inf for no slack."
            )
