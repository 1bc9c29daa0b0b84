"""What answers are worth: equation 2 of Sundararajan and Pal.

A right answer about a row of class y costs −a_y (a gain), a wrong one b_y, a rejection c_y, with a_y ≥ 0
and 0 ≤ c_y < b_y. The risk is the mean cost.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

from .._types import Array
from ..checks import is_number
from .labels import read_answers

MOST = 1e100  # so that no sum of costs overflows


class Prices(NamedTuple):
    """The costs of known classes: a, b and c, a number each per class."""

    gain: Array
    wrong: Array
    reject: Array

    @property
    def free(self) -> bool:
        """Whether no answer can be better than a rejection, which costs nothing."""
        return not (self.gain.any() or self.reject.any())

    @property
    def uniform(self) -> bool:
        """Whether all classes cost the same."""
        return all(bool((part == part[0]).all()) for part in self)

    def in_steps(self) -> "Prices":
        """The same in units of the largest a + b, so that steps are no larger if costs are in cents."""
        unit = (self.gain + self.wrong).max()
        return Prices(*(part / unit for part in self))

    def of_rows(self, codes: Array, right: Array, rejected: Array) -> Array:
        """What was paid for each row; codes are the places of their classes."""
        answered = np.where(right, -self.gain[codes], self.wrong[codes])
        return np.asarray(np.where(rejected, self.reject[codes], answered))


@dataclass(frozen=True)
class Costs:
    """What a right answer earns, what a wrong one and a rejection cost.

    Parameters
    ----------
    gain, wrong, reject : float or dict of class → float, default 0, 1 and 0.2
        What a right answer earns, and what a wrong one and a rejection cost. A number applies to all classes.
        The class in a dict is that of the row, not that of the answer. For each class gain ≥ 0 and 0 ≤ reject
        < wrong.

    Examples
    --------
    To overlook an illness is five times as bad as a false alarm; a doctor's second look costs 0.3.

    >>> from perceptrons import Costs
    >>> costs = Costs(wrong={"healthy": 1, "ill": 5}, reject=0.3)
    >>> round(costs.risk(["ill", "ill", "healthy", "healthy"], ["ill", "reject", "healthy", "ill"]), 3)
    0.325
    """

    gain: Any = 0.0
    wrong: Any = 1.0
    reject: Any = 0.2

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, Mapping) and value:
                value = {name: _plain(price) for name, price in value.items()}  # the caller's may change
            elif not is_number(value):
                raise ValueError(
                    f"{field.name}={value!r}, but it must be a number, or a dict of class → number, of all "
                    "classes."
                )
            object.__setattr__(self, field.name, _plain(value))
        for name in self._named() or [None]:
            self._check(name)

    def _named(self) -> list[Any]:
        """The classes that have costs of their own."""
        dicts = [value for value in vars(self).values() if isinstance(value, dict)]
        return list(dict.fromkeys(name for one in dicts for name in one))

    def _check(self, name: Any) -> None:
        """Are the costs of this class, as far as given, such that answering can pay?"""
        parts = vars(self).items()
        given = {part: value for part, value in parts if not isinstance(value, dict)}
        given |= {part: value[name] for part, value in parts if isinstance(value, dict) and name in value}
        about = "" if name is None else f"[{name!r}]"
        for part, value in given.items():
            if not is_number(value) or not 0.0 <= _float(value) <= MOST:
                raise ValueError(
                    f"{part}{about}={value!r}, but costs must be numbers from 0 to {MOST:g}; use 0 for none."
                )
        if given.get("reject", 0.0) >= given.get("wrong", math.inf):
            raise ValueError(
                f"reject{about}={given['reject']!r}, but it must be below wrong{about}={given['wrong']!r}: a "
                "rejection that costs as much as an error is never worth it; lower it, or use a classifier "
                "that always answers."
            )

    def of(self, classes: Any) -> Prices:
        """The costs of these classes, all of which must be priced, and no others."""
        names = np.asarray(classes).tolist()
        unknown = [name for name in self._named() if name not in names]
        if unknown:
            raise ValueError(
                f"costs name the class {unknown[0]!r}, but the classes are {names}; rename or remove it."
            )
        return self._of(names)

    def _of(self, names: list[Any]) -> Prices:
        return Prices(
            *(np.array([_price(part, value, name) for name in names]) for part, value in vars(self).items())
        )

    def risk(
        self,
        y_true: Any,
        y_pred: Any,
        *,
        labels: Any = None,
        reject_label: Any = "auto",
        sample_weight: Any = None,
    ) -> float:
        """The mean cost of predictions, some of them rejections; for the arguments see `risk_score`."""
        named = [*self._named(), *([] if labels is None else labels)]
        rows = read_answers(y_true, y_pred, reject_label, sample_weight, named or None)
        classes, codes = np.unique(rows.truth, return_inverse=True)
        right = rows.predicted == rows.truth
        costs = self._of(classes.tolist()).of_rows(codes, right, rows.rejected)
        return float(np.average(costs, weights=rows.weights))


def _plain(value: Any) -> Any:
    """Numbers as a model file can hold them; what is none, for the checks to come, as it is."""
    if not is_number(value):
        return value
    exact = isinstance(value, Integral) and abs(int(value)) <= 2**53
    return int(value) if exact else _float(value)


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:  # an integer of hundreds of digits
        return math.inf


def _price(part: str, value: Any, name: Any) -> float:
    if not isinstance(value, dict):
        return float(value)
    if name not in value:
        raise ValueError(f"{part} prices {[*value]}, but not the class {name!r}; add it.")
    return float(value[name])


def read_costs(costs: Any, reject_cost: Any) -> Costs:
    """The costs an estimator was given, or those of a rejection beside errors that cost 1."""
    if costs is None:
        if not is_number(reject_cost) or not 0.0 <= reject_cost < 1.0:
            raise ValueError(
                f"reject_cost={reject_cost!r}, but it must be a number >= 0 and below 1, which is what an "
                "error costs; for other scales use costs=Costs(...)."
            )
        return Costs(reject=float(reject_cost))
    if not isinstance(costs, Costs):
        raise ValueError(
            f"costs={costs!r}, but it must be a Costs object, like Costs(wrong=5, reject=1), or None."
        )
    return costs
