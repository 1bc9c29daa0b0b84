"""Parameters of `BinaryPerceptron`, checked."""

from numbers import Integral, Real
from typing import Any, NamedTuple

from ..checks import is_number, number, one_of
from ..rows.weights import BALANCED

MOST = 2**31 - 1  # of thresholds: 32 bits
INFLUENCE, HEBB, SBPI, AUTO = "influence", "clipped-hebb", "sbpi", "auto"
FIGURE_1, MIN_ERROR = "figure-1", "min-error"  # how thresholds are chosen


PAPERS_EPSILON = 0.1  # of all that epsilon="auto" does not decide by the noise


class BinaryParameters(NamedTuple):
    method: str
    epsilon: float
    by_noise: bool  # whether columns vote only if their influence is beyond noise, and they say more
    threshold: int | str  # an integer, "figure-1", "min-error"; "auto" for sbpi, which learns it
    binarize: float | str | None
    max_epochs: int

    @property
    def needs_rows(self) -> bool:
        """Whether counts are not enough."""
        return self.by_noise or self.method == SBPI or isinstance(self.threshold, str)


def read_parameters(model: Any) -> BinaryParameters:
    method = one_of("method", model.method, (INFLUENCE, HEBB, SBPI))
    epsilon, by_noise = _epsilon(model.epsilon), method == INFLUENCE and isinstance(model.epsilon, str)
    most = number("max_epochs", model.max_epochs, "[1, inf)", "use 1000", Integral)
    threshold, binarize = _threshold(model), _binarize(model.binarize)
    return BinaryParameters(method, epsilon, by_noise, threshold, binarize, int(most))


def _epsilon(value: Any) -> float:
    if isinstance(value, str) and value == AUTO:
        return PAPERS_EPSILON
    return float(number("epsilon", value, "(0, 1)", "use 'auto', or 0.1 as the error that is aimed at"))


def _threshold(model: Any) -> int | str:
    value = model.threshold
    if is_number(value, Integral):
        limits = f"[{-MOST}, {MOST}]"
        return int(number("threshold", value, limits, "a sum of votes is never so large", Integral))
    if not isinstance(value, str) or value not in (AUTO, FIGURE_1, MIN_ERROR):
        raise ValueError(
            f"threshold={value!r}, but it must be an integer, 'auto', 'min-error' or 'figure-1'; use 'auto'."
        )
    if value == AUTO and model.method != SBPI:
        return 0 if model.method == HEBB else MIN_ERROR
    return value


def _binarize(value: Any) -> float | str | None:
    if value is None or (isinstance(value, str) and value == AUTO):
        return value
    if not is_number(value, Real) or not abs(float(value)) < float("inf"):
        raise ValueError(
            f"binarize={value!r}, but it must be 'auto', a finite number at which all columns are cut, or "
            "None for columns of two values; use 'auto'."
        )
    return float(value)


def refuse_balanced(class_weight: Any) -> None:
    """A stream does not know how often each class will occur."""
    if isinstance(class_weight, str) and class_weight == BALANCED:
        raise ValueError(
            "class_weight='balanced' is not for partial_fit, which does not know how often each class will "
            "occur; compute the weights of classes beforehand, as with scikit-learn's compute_class_weight, "
            "and pass them as a dict, or as sample_weight."
        )
