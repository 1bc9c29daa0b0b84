"""The parameters of `SparsePerceptron`, checked."""

import math
from numbers import Integral
from typing import Any, NamedTuple

from ..data.checks import flag, is_number, number, one_of

ORDERS = (1, 2)
BOOSTERS = ("adaboost",)
CV, THEORY = "cv", "theory"
MOST_LITERALS = 20_000  # of which pairs are kept: 3.2 GB, twice as much if they are CSR


class Settings(NamedTuple):
    k: int
    penalty: bool
    stages: int | str  # a number, "cv" or "theory"
    max_stages: int | None
    target_size: int | None


def read_settings(model: Any) -> Settings:
    one_of("booster", model.booster, BOOSTERS)
    if model.max_stages is not None:
        number("max_stages", model.max_stages, 0, math.inf, "use None for as many as literals", Integral)
    if is_number(model.cv, Integral):
        number("cv", model.cv, 1, math.inf, "use 5", Integral)
    return Settings(
        k=read_order(model.k),
        penalty=flag("penalty", model.penalty),
        stages=_read_stages(model.stages, model.target_size),
        max_stages=model.max_stages,
        target_size=model.target_size,
    )


def read_order(k: Any) -> int:
    if not is_number(k, Integral) or k not in ORDERS:
        raise ValueError(f"k={k!r}, but conjunctions have at most 1 or 2 literals; use one of these.")
    return int(k)


def _read_stages(stages: Any, target_size: Any) -> int | str:
    if isinstance(stages, str):
        if one_of("stages", stages, (CV, THEORY)) == THEORY and target_size is None:
            raise ValueError(
                'stages="theory" needs target_size, the sum of the absolute weights of an integer perceptron '
                'that is right on all rows; give it, or use stages="cv".'
            )
    else:
        number("stages", stages, 0, math.inf, 'use "cv"', Integral)
    if target_size is not None:
        number("target_size", target_size, 0, 1e6, "use the sum of absolute integer weights", Integral)
    return stages if isinstance(stages, str) else int(stages)


def check_size(n_literals: int, k: int) -> None:
    if k == 2 and n_literals > MOST_LITERALS:
        raise ValueError(
            f"There are {n_literals:,} literals, and k=2 keeps two numbers for each of their pairs: at most "
            f"{MOST_LITERALS:,}. Use k=1, fewer columns, or a smaller n_thresholds."
        )
