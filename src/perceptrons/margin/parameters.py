"""The parameters of the margin family, checked and turned into a `Rule` and a `Plan`."""

import math
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, NamedTuple

from .rules import CONSTANT, FIXED, FRACTIONAL, GROWING, INFINITY, MARGINS, PASSIVE_AGGRESSIVE, STEPS, Rule

CHOICES = {
    "step": tuple(STEPS),
    "order": ("cyclic", "shuffle", "worst", "active"),
    "result": ("last", "average", "pocket"),
    "ties": ("wrong", "negative"),
}
ROUNDING = 1e-6  # rows scaled to norm 1 may come out a little longer


class Plan(NamedTuple):
    """How to go about it: the parameters that are not arithmetic."""

    order: str
    result: str
    max_epochs: int
    max_updates: int | None
    tol: float | None
    eta: Callable[[int], float] | None  # a step that changes with the number of the correction
    verbose: int


def number(name: str, value: Any, kind: type, low: float, high: float, remedy: str, open_low: bool = True) -> Any:
    """The value, if it is a number of that kind in the interval; else a ValueError that says what to do."""
    inside = isinstance(value, kind) and not isinstance(value, bool) and math.isfinite(value)
    if not inside or not (low < value if open_low else low <= value) or value > high:
        what = "an integer" if kind is Integral else "a number"
        limit = f"{'>' if open_low else '>='} {low:g}" + (f" and <= {high:g}" if math.isfinite(high) else "")
        raise ValueError(f"{name}={value!r}, but it must be {what} {limit}; {remedy}.")
    return value


def choose(name: str, value: Any) -> Any:
    if not isinstance(value, str) or value not in CHOICES[name]:
        raise ValueError(f"{name}={value!r}, but it must be one of {', '.join(map(repr, CHOICES[name]))}.")
    return value


def targets(margin: Any) -> tuple[int, float, float]:
    """The margin policy, and the targets β of the negative and the positive class it starts with."""
    if isinstance(margin, str):
        if margin not in MARGINS:
            raise ValueError(f"margin={margin!r}, but it must be a number, a pair or one of {', '.join(map(repr, MARGINS))}.")
        return MARGINS[margin], 0.0, 0.0
    pair = margin if isinstance(margin, tuple | list) else (margin, margin)
    if len(pair) != 2:
        raise ValueError(f"margin={margin!r}, but it must be one target or a pair of them, in the order of classes_.")
    negative, positive = (number("margin", b, Real, 0, math.inf, "use 0 for the classical perceptron", False) for b in pair)
    return CONSTANT, float(negative), float(positive)


def read_rule(model: Any, rho_squared: float) -> Rule:
    step = STEPS[choose("step", model.step)]
    policy, negative, positive = targets(model.margin)
    eta = 1.0
    if step == FIXED and callable(model.eta):
        eta = math.nan  # asked for, correction by correction
    else:
        most = 2.0 if step == FRACTIONAL else math.inf
        eta = float(number("eta", model.eta, Real, 0, most, "use 1" + (", or a function with step='fixed'" if callable(model.eta) else "")))
    if step == PASSIVE_AGGRESSIVE and (policy != CONSTANT or min(negative, positive) == 0):
        raise ValueError(f"margin={model.margin!r}, but step='passive-aggressive' needs a target > 0 to aim at; use margin=1.0.")
    alpha = number("alpha", model.alpha, Real, 1, math.nextafter(2, 1), "use 1.5, or a value nearer to 2 for more margin")
    return Rule(
        step=step,
        eta=eta,
        margin=policy,
        beta_negative=negative,
        beta_positive=positive,
        alpha=float(alpha),
        negative_ties=choose("ties", model.ties) == "negative",
        rho_squared=rho_squared,
        always=model.order == "worst" and model.tol is not None,
    )


def read_plan(model: Any) -> Plan:
    if model.max_updates is not None:
        number("max_updates", model.max_updates, Integral, 0, math.inf, "use None for no limit")
    if model.tol is not None:
        number("tol", model.tol, Real, 0, math.nextafter(1, 0), "use 0.01, or None to stop when no row violates")
    number("verbose", model.verbose, Integral, 0, math.inf, "use 0 or 1", False)
    return Plan(
        order=choose("order", model.order),
        result=choose("result", model.result),
        max_epochs=int(number("max_epochs", model.max_epochs, Integral, 0, math.inf, "use 1000")),
        max_updates=model.max_updates,
        tol=model.tol,
        eta=model.eta if model.step == "fixed" and callable(model.eta) else None,
        verbose=int(model.verbose),
    )


def read_lift(model: Any, largest: float) -> float:
    """ρ², the square of the constant coordinate; 0 without intercept. `largest` is max ‖x‖²."""
    if not model.fit_intercept:
        return 0.0
    if isinstance(model.intercept_scaling, str):
        if model.intercept_scaling != "radius":
            raise ValueError(f"intercept_scaling={model.intercept_scaling!r}, but it must be 'radius' or a number > 0.")
        return largest or 1.0  # rows of zeros only: any ρ will do
    return float(number("intercept_scaling", model.intercept_scaling, Real, 0, math.inf, "use 'radius'")) ** 2


def check_radius(rule: Rule, largest: float) -> None:
    """Algorithm 4 is for rows in the unit ball; elsewhere it stops early and says nothing."""
    radius = math.sqrt(largest + rule.rho_squared)
    if rule.margin == INFINITY and radius > 1 + ROUNDING:
        lifted = " (with the intercept's coordinate)" if rule.rho_squared else ""
        raise ValueError(
            f"margin='infinity' needs rows of norm <= 1, but the largest norm is {radius:.6g}{lifted}; "
            "divide X by it, or use margin='growing', which needs no scaling."
        )


__all__ = ["GROWING", "Plan", "check_radius", "read_lift", "read_plan", "read_rule"]
