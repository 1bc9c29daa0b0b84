"""Which theorem speaks for which setting of `Perceptron`.

`Terms` are fixed when a model is fitted: what is claimed later must not follow parameters set since.
"""

from functools import cache
from inspect import signature
from math import log
from numbers import Integral
from typing import Any, NamedTuple

from ..theory import bounds
from .kernel_values import WITHOUT_GAMMA
from .margin_parameters import targets
from .rules import ABSOLUTE, ADAPTIVE, CONSTANT, FIXED, FRACTIONAL, INFINITY, STEPS

POWERS = 2_098  # of two that a double can be


def frozen_parameters(model: Any) -> dict[str, Any]:
    """The parameters as they are now: a list that the user changes later must not change them."""
    params = {name: getattr(model, name) for name in parameter_names(model.__class__)}
    return {name: list(value) if isinstance(value, list) else value for name, value in params.items()}


@cache
def parameter_names(kind: type) -> tuple[str, ...]:
    """Of an estimator; `get_params` reads its signature anew each time, which takes as long as small fits."""
    return tuple(sorted(signature(kind).parameters))


class Terms(NamedTuple):
    """On what a model was trained, and how: what its certificate may claim."""

    settings: dict[str, Any]  # the parameters at the time
    rho_squared: float
    one_run: bool  # a single fit from zero weights; only then do the theorems speak
    streamed: bool  # by partial_fit: earlier batches cannot be looked at again
    foreign: bool  # started from weights that are no sum of these rows

    @property
    def lift_from_rows(self) -> bool:
        return self.rho_squared > 0 and self.settings["intercept_scaling"] == "radius"

    @property
    def reproducible(self) -> bool:
        """Does rerunning on the rows used alone give the same weights?

        It does where rows that are never corrected have no say: not where they choose the next row
        ("active"), the moment to stop (`tol`), the weights to return ("pocket") or the kernel (γ from the
        variance of all rows), and not where the shuffles cannot be drawn again. For what else they may
        choose, `choices` pays.
        """
        s = self.settings
        seeded = s["order"] != "shuffle" or isinstance(s["random_state"], Integral)
        deaf = s["order"] != "active" and s["tol"] is None and s["result"] != "pocket"
        kernel = s.get("kernel", "linear")
        fixed = callable(kernel) or kernel in WITHOUT_GAMMA or s["gamma"] != "scale"
        return self.one_run and seeded and deaf and fixed

    @property
    def choices(self) -> float:
        """The logarithm of how many models the rows outside the compression set can choose from: a ρ that is
        a power of two, the epoch at which training ends, the last weights or their average."""
        s = self.settings
        powers = POWERS if self.rho_squared > 0 and s["intercept_scaling"] == "median" else 1
        epochs = s["max_epochs"] if s["min_margin"] > 0 else 1
        return log(powers) + log(epochs) + log(2 if s["result"] == "auto" else 1)

    def update_bound(self, radius: float, margin: float) -> float | None:
        """The most corrections the policy's theorem allows when some hyperplane has this margin.

        A run with step η and target β is a run with step 1 and target β/η, its weights scaled by η.
        Absolute correction repeats step 1 on a row, so its corrections are no more than those of step 1.
        """
        s = self.settings
        step, eta, alpha = STEPS[s["step"]], s["eta"], s["alpha"]
        policy, *betas = targets(s["margin"])
        minover = s["order"] == "worst" and s["tol"] is not None
        if not self.one_run or callable(eta) or minover:
            return None
        bound: Any = None
        if policy == CONSTANT and step in (FIXED, ABSOLUTE):
            bound = bounds.beta_updates(max(betas) / (eta if step == FIXED else 1.0), radius, margin)
        elif policy == CONSTANT and step == FRACTIONAL and eta < 2:
            bound = bounds.fractional_updates(eta, radius, margin, beta=max(betas))
        elif step == FIXED and eta == 1 and policy == ADAPTIVE:
            bound = bounds.adaptive_updates(radius, margin)
        elif step == FIXED and eta == 1 and policy != CONSTANT:
            bound = bounds.growing_updates(alpha, 1.0 if policy == INFINITY else radius, margin)
        return None if bound is None else float(bound) * (1 + 1e-12)  # rounding must not undercut it
