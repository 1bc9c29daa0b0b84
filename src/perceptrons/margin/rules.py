# mypy: allow-untyped-defs, allow-untyped-calls
"""When a row is corrected, and by how much.

One loop serves the whole family: *while some row violates* y·⟨w,x⟩ ≤ β, *correct* w ← w + τ·y·x.
This file holds the two policies that are arithmetic: the step τ (Honavar, Sections 2 and 4; Crammer
et al.) and the target β (Moran et al., Algorithms 1–4). Rows here are lifted, so ‖x‖² means
q = ‖x‖² + ρ², and t counts corrections.

Deviations from the printed rules, each needed to make them work:

* absolute correction: Honavar's ⌈|⟨w,x⟩|/‖x‖²⌉ is 0 at w = 0 and never leaves it; ours is the smallest
  integer ≥ 1 after which the row no longer violates.
* fractional correction: the printed λ|⟨w,x⟩|/‖x‖² never moves from w = 0 and for λ ≤ 1 never crosses;
  ours aims at 1 + β instead of 0.
* Algorithms 3 and 4 are also combined (`"growing"`), which the paper only mentions.
* ALMA (Gentile 2001, for p = 2) shrinks weights that have left the unit ball. Here weights stay a sum of
rows:
  the ball grows with them (its radius S is the largest norm they have had), and so do steps and targets;
  what is published is w/S. Its numbers are B = 1/α and C = `eta`.
* the perceptron that knows a margin γ that the rows have (`margin=("known", γ)`; Moran et al., [22])
  corrects a row while y·⟨w,x⟩ ≤ γ‖w‖.
* beyond the papers, the bounded step (of `margin="auto"`) never adds more than the target the run starts with
  to the score of the row it corrects, so that a row much longer than the others does not drown them.
"""

import math
from typing import NamedTuple

import numpy as np

from ..compiled import inlined

FIXED, ABSOLUTE, FRACTIONAL, PASSIVE_AGGRESSIVE, BOUNDED, ALMA = range(6)
CONSTANT, ADAPTIVE, INFINITY, GROWING, KNOWN, FADING = range(6)

STEPS = {
    "fixed": FIXED,
    "absolute": ABSOLUTE,
    "fractional": FRACTIONAL,
    "passive-aggressive": PASSIVE_AGGRESSIVE,
    "alma": ALMA,
}
MARGINS = {"adaptive": ADAPTIVE, "infinity": INFINITY, "growing": GROWING}

LARGEST_BALL, SHRUNK = 2.0**40, 2.0**-40  # ALMA's ball, and what it is multiplied by when it is larger
SLACK = 1e-3  # passive-aggressive counts as converged at (1 − SLACK)·β, which it reaches only in the limit


class Rule(NamedTuple):
    """The policies as numbers, for compiled code."""

    step: int
    eta: float
    margin: int
    beta_negative: float  # the starting targets; 0 unless the margin is constant
    beta_positive: float
    alpha: float
    negative_ties: bool
    rho_squared: float  # 0: no intercept
    always: bool  # correct every row presented, violating or not (MinOver)
    share: float = 0.0  # γ of a known margin; of ALMA (1 − α)B, the first target of a row of norm 1
    longest: float = 1.0  # of ALMA, whose targets are for rows of norm 1, the largest norm; else 1

    def asks_for_margin(self) -> bool:
        """Is the target ever above 0?"""
        return self.margin != CONSTANT or max(self.beta_negative, self.beta_positive) > 0.0


CLOCK = np.dtype(
    [
        ("updates", np.int64),  # t: corrections
        ("presentations", np.int64),
        ("clean", np.int64),  # rows presented since the last one that fell short of its target
        ("errors", np.int64),  # rows misclassified when presented
        ("intercept", np.float64),  # b, in the user's space
        ("intercept_drift", np.float64),
        ("step", np.float64),  # τ of the last correction
        ("steps", np.float64),  # Σa, the steps added up
        ("beta_negative", np.float64),  # the targets now
        ("beta_positive", np.float64),
        ("scale", np.float64),  # ρ²: the largest q used in a correction; of ALMA S/√k, by which steps shrink
        ("echo", np.float64),  # see `rows.stream`
        ("square", np.float64),  # ‖w‖², where the rule asks for it
        ("ball", np.float64),  # of ALMA S, the largest ‖w‖; else 0
        ("shrunk", np.int64),  # of ALMA, how often everything was multiplied by `SHRUNK`
    ]
)


@inlined
def violates(reach, beta, label, rule):
    """Does a row with y·score = `reach` fall short of β? NaN does: it must not pass for success."""
    if rule.step == PASSIVE_AGGRESSIVE or (rule.negative_ties and label < 0 and beta == 0.0):
        return not reach >= beta
    return not reach > beta


@inlined
def step_size(reach, beta, q, label, rule, scale):
    """τ for a row with y·score = `reach`, target β and squared norm q; `scale` is the clock's."""
    if rule.step == FIXED:
        return rule.eta
    if rule.step == ALMA:
        return rule.eta * scale / math.sqrt(q)
    if rule.step == BOUNDED:
        return min(rule.eta, rule.beta_positive / q)
    if rule.step == ABSOLUTE:
        if rule.negative_ties and label < 0 and beta == 0.0:
            return max(1.0, math.ceil(-reach / q))
        return max(1.0, math.floor((beta - reach) / q) + 1.0)
    if rule.step == FRACTIONAL:
        return rule.eta * (1.0 + beta - reach) / q
    return min(rule.eta, (beta - reach) / q)


@inlined
def advance(clock, q, rule):
    """Set the targets for the next row, after a correction with a row of squared norm q."""
    if rule.margin == CONSTANT:
        return
    beta = clock["beta_positive"]
    if rule.margin == ADAPTIVE:
        if beta < q:
            beta = 4.0 * q
    elif rule.margin == KNOWN:
        beta = rule.share * math.sqrt(max(0.0, clock["square"]))
    elif rule.margin == FADING:
        clock["scale"] = clock["ball"] / math.sqrt(clock["updates"] + 1.0)
        beta = rule.share * clock["scale"]
    else:
        clock["scale"] = 1.0 if rule.margin == INFINITY else max(clock["scale"], q)
        t = float(clock["updates"])
        beta = clock["scale"] * 0.5 * ((t + 1.0) ** rule.alpha - t**rule.alpha - 1.0)
    clock["beta_negative"] = beta
    clock["beta_positive"] = beta


@inlined
def measure(clock, reach, tau, q):
    """‖w‖² after a correction of a row with y·score = `reach`."""
    clock["square"] += tau * (2.0 * reach + tau * q)


@inlined
def widen(clock):
    """ALMA's ball holds the weights, whose square is known; returns by what all must be multiplied so that
    numbers do not overflow, a power of two."""
    clock["ball"] = max(clock["ball"], math.sqrt(max(0.0, clock["square"])))
    if clock["ball"] <= LARGEST_BALL:
        return 1.0
    clock["shrunk"] += 1
    clock["ball"] *= SHRUNK
    clock["square"] *= SHRUNK * SHRUNK
    clock["steps"] *= SHRUNK
    return SHRUNK
