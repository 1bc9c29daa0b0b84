"""The parameters of the margin family, checked and turned into a `Rule` and a `MarginParameters`.

Every refusal names the value, the limit and what to do.
"""

import math
from collections.abc import Callable, Mapping
from numbers import Integral
from typing import Any, NamedTuple

from ..checks import flag, is_number, number, one_of
from .rules import (
    ALMA,
    BOUNDED,
    CONSTANT,
    FADING,
    FRACTIONAL,
    INFINITY,
    KNOWN,
    MARGINS,
    PASSIVE_AGGRESSIVE,
    STEPS,
    Rule,
)

CHOICES = {
    "step": tuple(STEPS),
    "order": ("cyclic", "shuffle", "worst", "active"),
    "result": ("auto", "last", "average", "pocket"),
    "ties": ("wrong", "negative"),
}
ROUNDING = 1e-6  # rows scaled to norm 1 may come out a little longer
AIM = 2.0  # the everyday target, in squares of the usual norm: two corrections of a usual row reach it
AIMED_EPOCHS = 20  # so long it is aimed at; then rows need only be right
FEWEST_EPOCHS = 3  # of many rows, one epoch may prove that there is no margin: too few for a good average


class MarginParameters(NamedTuple):
    """How to go about it: the parameters that are not arithmetic."""

    order: str
    result: str
    max_epochs: int
    max_updates: int | None
    min_margin: float
    tol: float | None
    eta: Callable[[int], float] | None  # a step that changes with the number of the correction
    verbose: int
    everyday: bool = False  # the target stays for some epochs only, and nothing is given up in the first few


def _count(value: Any) -> Any:
    return int(value) if isinstance(value, bool) else value


def choose(name: str, value: Any) -> Any:
    return one_of(name, value, CHOICES[name])


def targets(margin: Any, auto: float | None = None) -> tuple[int, float, float]:
    """The margin policy, and the targets β of the negative and the positive class it starts with. `auto` is
    the target that "auto" stands for, where a class has one."""
    if auto is not None and is_auto(margin):
        return CONSTANT, auto, auto
    if isinstance(margin, str) and margin in MARGINS:
        return MARGINS[margin], 0.0, 0.0
    if known_margin(margin) is not None:
        return KNOWN, 0.0, 0.0
    pair = margin if isinstance(margin, tuple | list) else (margin, margin)
    if len(pair) != 2 or not all(is_number(beta) and 0 <= beta < math.inf for beta in pair):
        raise ValueError(
            f"margin={margin!r}, but it must be a number >= 0, a pair of them in the order of classes_, "
            f"('known', a margin > 0 that the rows have), or one of {', '.join(map(repr, MARGINS))}."
        )
    return CONSTANT, float(pair[0]), float(pair[1])


def known_margin(margin: Any) -> float | None:
    """γ, if `margin` is ("known", γ)."""
    if not (isinstance(margin, tuple | list) and len(margin) == 2 and isinstance(margin[0], str)):
        return None
    if margin[0] != "known":
        return None
    return float(number("margin: the known margin", margin[1], "(0, inf)", "use 0.9 times one that was had"))


def is_auto(margin: Any) -> bool:
    return isinstance(margin, str) and margin == "auto"


def is_everyday(settings: Mapping[str, Any]) -> bool:
    """Does `margin="auto"` of a `Perceptron` with these settings stand for more than 0? Not with those of the
    papers' algorithms, nor where the last weights are asked for."""
    usual = {"step": "fixed", "order": "shuffle", "ties": "wrong"}
    plain = all(settings[name] == value for name, value in usual.items()) and not callable(settings["eta"])
    averaged = settings["result"] in ("auto", "average") and settings["tol"] is None
    return "kernel" not in settings and is_auto(settings["margin"]) and plain and averaged


def compresses(compress: Any, margin: Any, tol: Any) -> bool:
    """Are the rows of a kernel model merged at the end? "auto": where no margin was asked for."""
    if isinstance(compress, str) and compress == "auto":
        return is_auto(margin) and tol is None
    if flag("compress", compress) and tol is not None:
        raise ValueError(f"compress=True gives away margin that tol={tol} certifies; use compress=False.")
    return bool(compress)


def read_eta(model: Any, step: int) -> float:
    """η as a number; NaN where it is a function, which is asked correction by correction."""
    if callable(model.eta):
        if model.step != "fixed":
            raise ValueError(f"eta is a function, which step={model.step!r} cannot use; use step='fixed'.")
        return math.nan
    return float(number("eta", model.eta, "(0, 2]" if step == FRACTIONAL else "(0, inf)", "use 1"))


def read_rule(model: Any, rho_squared: float, auto: float | None = None) -> Rule:
    step = STEPS[choose("step", model.step)]
    policy, negative, positive = targets(model.margin, auto)
    if step == PASSIVE_AGGRESSIVE and (policy != CONSTANT or min(negative, positive) == 0):
        raise ValueError(
            f"margin={model.margin!r}, but step='passive-aggressive' needs a target > 0 to aim at; "
            "use margin=1.0."
        )
    if step == ALMA:
        return alma(model, rho_squared)
    return Rule(
        step=step,
        eta=read_eta(model, step),
        margin=policy,
        beta_negative=negative,
        beta_positive=positive,
        alpha=float(number("alpha", model.alpha, "(1, 2)", "use 1.5; nearer to 2 gives more margin")),
        negative_ties=choose("ties", model.ties) == "negative",
        rho_squared=rho_squared,
        always=model.order == "worst" and model.tol is not None,
        share=known_margin(model.margin) or 0.0,
    )


def alma(model: Any, rho_squared: float) -> Rule:
    """Gentile's rule, which has a target of its own, and is online: it has no say in the order of rows."""
    if targets(model.margin, auto=0.0) != (CONSTANT, 0.0, 0.0):
        raise ValueError(f"margin={model.margin!r}, but step='alma' has a target of its own; use margin=0.0.")
    for name, fine in (("order", ("shuffle", "cyclic")), ("result", ("last", "pocket"))):
        if getattr(model, name) not in fine:
            value = getattr(model, name)
            raise ValueError(f"{name}={value!r}, which step='alma' cannot have; use {name}={fine[0]!r}.")
    share = float(number("alpha", model.alpha, "(0, 1]", "use 0.1 for 0.9 of the best margin"))
    return Rule(
        step=ALMA,
        eta=read_eta(model, ALMA),
        margin=FADING,
        beta_negative=0.0,
        beta_positive=0.0,
        alpha=share,
        negative_ties=choose("ties", model.ties) == "negative",
        rho_squared=rho_squared,
        always=False,
        share=1.0 / share - 1.0,
    )


def with_longest(rule: Rule, largest: float) -> Rule:
    """ALMA's targets are those of rows of norm 1; the longest row, of squared norm `largest`, has the
    highest."""
    return rule._replace(longest=math.sqrt(largest + rule.rho_squared)) if rule.step == ALMA else rule


def read_linear_rule(model: Any, rho_squared: float, median: float) -> Rule:
    """The rule of `Perceptron`, whose `margin="auto"` depends on the median norm of the rows."""
    if not is_everyday(vars(model)):
        return read_rule(model, rho_squared, auto=0.0)
    target = AIM * read_eta(model, STEPS["fixed"]) * usual_norm(median, rho_squared) ** 2
    return read_rule(model, rho_squared, auto=target)._replace(step=BOUNDED)


def read_parameters(model: Any) -> MarginParameters:
    if model.max_updates is not None:
        number("max_updates", model.max_updates, "[1, inf)", "use None for no limit", Integral)
    if model.tol is not None:
        number("tol", model.tol, "(0, 1)", "use 0.01, or None to stop when no row violates")
    min_margin = number("min_margin", model.min_margin, "[0, 1)", "use 0.01, or 0 to go on to max_epochs")
    return MarginParameters(
        order=choose("order", model.order),
        result=choose("result", model.result),
        max_epochs=number("max_epochs", model.max_epochs, "[1, inf)", "use 1000", Integral),
        max_updates=model.max_updates,
        min_margin=0.0 if model.tol is not None else float(min_margin),  # with tol the gap must close
        tol=model.tol,
        eta=model.eta if callable(model.eta) else None,
        verbose=number("verbose", _count(model.verbose), "[0, inf)", "use 0 or 1", Integral),
        everyday=is_everyday(vars(model)),
    )


def needs_every_norm(model: Any) -> bool:
    """Must all rows be measured before training? Where the longest has a say, and where the first epoch may
    pass over a row without noticing that it is not finite."""
    longest = model.intercept_scaling == "radius" or model.margin == "infinity" or model.step == "alma"
    return longest or model.order in ("worst", "active")


def read_lift(model: Any, largest: float, median: float) -> float:
    """ρ², the square of the constant coordinate; 0 without intercept. `largest` is max ‖x‖², `median` that of
    the norms, as a power of two."""
    if not flag("fit_intercept", model.fit_intercept):
        return 0.0
    scaling = model.intercept_scaling
    if not isinstance(scaling, str):
        return float(number("intercept_scaling", scaling, "(1e-100, 1e100)", "use 'median'")) ** 2
    if one_of("intercept_scaling", scaling, ("median", "radius")) == "radius":
        return largest or 1.0  # rows of zeros only: any ρ will do
    return median**2


def usual_norm(median: float, rho_squared: float) -> float:
    """Of a lifted row; `min_margin` is a share of it. Not the largest norm, which one row can set."""
    return math.hypot(median, math.sqrt(rho_squared))


def check_radius(rule: Rule, largest: float) -> None:
    """Algorithm 4 is for rows in the unit ball; elsewhere it would stop early and say nothing."""
    radius = math.sqrt(largest + rule.rho_squared)
    if rule.margin == INFINITY and radius > 1 + ROUNDING:
        lifted = " (with the intercept's coordinate)" if rule.rho_squared else ""
        raise ValueError(
            f"margin='infinity' needs rows of norm <= 1, but the largest norm is {radius:.6g}{lifted}; "
            "divide X by it, or use margin='growing', which needs no scaling."
        )
