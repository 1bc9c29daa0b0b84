"""Which theorem speaks for which setting of `Perceptron`."""

from typing import Any

from ..theory import bounds
from .parameters import targets
from .rules import ABSOLUTE, ADAPTIVE, CONSTANT, FIXED, FRACTIONAL, INFINITY, STEPS


def update_bound(model: Any, radius: float, margin: float) -> float | None:
    """The most corrections the policy's theorem allows when some hyperplane has this margin.

    A run with step η and target β is a run with step 1 and target β/η, its weights scaled by η. Absolute
    correction repeats step 1 on a row, so its corrections are no more than those of step 1.
    """
    step, eta = STEPS[model.step], model.eta
    policy, *betas = targets(model.margin)
    if callable(eta) or (model.order == "worst" and model.tol is not None):
        return None
    if policy == CONSTANT and step in (FIXED, ABSOLUTE):
        beta = max(betas) / (eta if step == FIXED else 1.0)
        return float(bounds.beta_updates(beta, radius, margin))
    if policy == CONSTANT and step == FRACTIONAL and eta < 2:
        return float(bounds.fractional_updates(eta, radius, margin, beta=max(betas)))
    if step != FIXED or eta != 1:
        return None
    if policy == ADAPTIVE:
        return float(bounds.adaptive_updates(radius, margin))
    return float(bounds.growing_updates(model.alpha, 1.0 if policy == INFINITY else radius, margin))


def rebuilds_from_support(model: Any) -> bool:
    """Does rerunning on the rows used alone give the same weights?

    It does where rows that are never corrected have no say: not where they choose the next row
    ("active"), the moment to stop (`tol`) or the weights to return ("pocket"), and not where the
    shuffles cannot be drawn again.
    """
    seeded = model.order != "shuffle" or isinstance(model.random_state, int)
    return seeded and model.order != "active" and model.tol is None and model.result != "pocket"
