"""Which theorem speaks for which setting of `Perceptron`.

`Terms` are fixed when a model is fitted: what is claimed later must not follow parameters set since.
"""

from copy import copy
from functools import cache
from inspect import signature
from math import log
from numbers import Integral
from typing import Any, NamedTuple

from .._types import Array
from ..rows.encode import Encoded
from ..rows.weights import is_balanced
from ..theory import bounds
from .duals import LITTLE
from .kernel_values import WITHOUT_GAMMA
from .margin_parameters import compresses, is_auto, is_everyday, known_margin, targets
from .rules import ABSOLUTE, ADAPTIVE, ALMA, CONSTANT, FIXED, FRACTIONAL, INFINITY, KNOWN, STEPS, Rule

POWERS = 2_098  # of two that a double can be


def frozen_parameters(model: Any) -> dict[str, Any]:
    """The parameters as they are now: a list or dict that the user changes later must not change them."""
    params = {name: getattr(model, name) for name in parameter_names(model.__class__)}
    return {name: copy(value) if isinstance(value, list | dict) else value for name, value in params.items()}


@cache
def parameter_names(kind: type) -> tuple[str, ...]:
    """Of an estimator; `get_params` reads its signature each time, which takes as long as small fits."""
    return tuple(sorted(signature(kind).parameters))


class Start(NamedTuple):
    """Weights W₀ that a run began from, lifted: ‖W₀‖ and, W the weights it came to, ⟨W/‖W‖, W₀⟩, rounded so
    that the bound is no smaller."""

    norm: float
    along: float


class Terms(NamedTuple):
    """On what a model was trained, and how: what its certificate may claim."""

    settings: dict[str, Any]  # the parameters at the time
    rho_squared: float
    one_run: bool  # a single fit from zero weights; only then do the theorems speak
    streamed: bool  # by partial_fit: earlier batches cannot be looked at again
    foreign: bool  # started from weights that are no sum of these rows
    lightest: float = 1.0  # the weights of rows, those of classes included
    heaviest: float = 1.0
    weighted: bool = False  # rows came with weights, of which nobody knows what they depend on
    class_counts: float = 0.0  # the logarithm of how many weights "balanced" could have given to classes

    @property
    def free_intercept(self) -> bool:
        """The intercept is a coordinate of the weights."""
        return False

    @property
    def little(self) -> float:
        """The share of a bound that may be rounding."""
        return LITTLE

    def bounds_margins(self, signed: Array) -> bool:
        """Do these duals prove a bound? They always do."""
        return True

    @property
    def class_weight(self) -> Any:
        return self.settings["class_weight"]

    @property
    def lift_from_rows(self) -> bool:
        return self.rho_squared > 0 and self.settings["intercept_scaling"] == "radius"

    @property
    def reproducible(self) -> bool:
        """Does rerunning on the rows used alone give the same weights?

        It does where rows that are never corrected have no say: not where they choose the next row
        ("active"), the moment to stop (`tol`), the weights to return ("pocket") or the kernel (γ from the
        variance of all rows) or a kernel's target (`margin="auto"`), not where rows are merged
        (`compress`), not where the shuffles cannot be drawn again, and not where rows have weights that may
        depend on other rows. For what else they may choose, `choices` pays.
        """
        s = self.settings
        seeded = s["order"] != "shuffle" or isinstance(s["random_state"], Integral)
        deaf = s["order"] != "active" and s["tol"] is None and s["result"] != "pocket"
        kernel = s.get("kernel", "linear")
        fixed = callable(kernel) or kernel in WITHOUT_GAMMA or s["gamma"] != "scale"
        fixed = fixed and not (is_auto(s["margin"]) and "kernel" in s)
        if compresses(s.get("compress", False), s["margin"], s["tol"]):
            return False
        return self.one_run and seeded and deaf and fixed and not self.weighted

    @property
    def choices(self) -> float:
        """The logarithm of how many models the rows outside the compression set can choose from: the power of
        two that is the median norm, for ρ or the target, the epoch at which training ends, the last weights
        or their average, the weights of balanced classes."""
        s = self.settings
        lifted = self.rho_squared > 0 and s["intercept_scaling"] == "median"
        powers = POWERS if lifted or is_everyday(s) else 1
        epochs = s["max_epochs"] if s["min_margin"] > 0 else 1
        return log(powers) + log(epochs) + log(2 if s["result"] == "auto" else 1) + self.class_counts

    def update_bound(self, radius: float, margin: float, start: Start | None = None) -> float | None:
        """The most corrections the policy's theorem allows when some hyperplane has this margin; `start` is
        where the run began, if not at zero weights.

        A run with step η and target β is a run with step 1 and target β/η, its weights scaled by η.
        Absolute correction repeats step 1 on a row, so its corrections are no more than those of step 1.
        """
        s = self.settings
        step, eta, alpha = STEPS[s["step"]], s["eta"], s["alpha"]
        if is_everyday(s) or (is_auto(s["margin"]) and "kernel" in s):
            return None  # the target came from the rows, and is not among the terms
        policy, *betas = targets(s["margin"], auto=0.0)
        minover = s["order"] == "worst" and s["tol"] is not None
        if not (self.one_run or start) or callable(eta) or minover or self.streamed:
            return None
        bound: Any = None
        if start is not None:
            if policy == CONSTANT and step == FIXED and (self.lightest, self.heaviest) == (1.0, 1.0):
                norm, along = start.norm / eta, start.along / eta
                bound = bounds.beta_updates_from(max(betas) / eta, radius, margin, norm, along)
        elif (self.lightest, self.heaviest) != (1.0, 1.0):
            # ε·Σs ≤ ‖w‖ and ‖w‖² ≤ R²·Σs² ≤ R²·s_max·Σs, the weights s of the corrections added up
            if policy == CONSTANT and step == FIXED and max(betas) == 0.0:
                bound = bounds.beta_updates(0.0, radius, margin) * (self.heaviest / self.lightest)
        elif policy == CONSTANT and step in (FIXED, ABSOLUTE):
            bound = bounds.beta_updates(max(betas) / (eta if step == FIXED else 1.0), radius, margin)
        elif policy == CONSTANT and step == FRACTIONAL and eta < 2:
            bound = bounds.fractional_updates(eta, radius, margin, beta=max(betas))
        elif step == ALMA:
            bound = bounds.alma_updates(alpha, margin / radius, eta) if eta < 2 else None
        elif step == FIXED and policy == KNOWN:
            bound = bounds.known_margin_updates(known_margin(s["margin"]) or 0.0, radius, margin)
        elif step == FIXED and eta == 1 and policy == ADAPTIVE:
            bound = bounds.adaptive_updates(radius, margin)
        elif step == FIXED and eta == 1 and policy != CONSTANT:
            bound = bounds.growing_updates(alpha, 1.0 if policy == INFINITY else radius, margin)
        return None if bound is None else float(bound) * (1 + 1e-12)  # rounding must not undercut it


def terms_of(
    model: Any,
    data: Encoded,
    rule: Rule,
    *,
    one_run: bool,
    streamed: bool = False,
    foreign: bool = False,
    weighted: bool = False,
) -> Terms:
    """The terms of a model that has been trained on these rows; `weighted`: `sample_weight` was given."""
    weights = data.weights
    ends = (float(weights.min()), float(weights.max())) if len(weights) else (1.0, 1.0)
    counts = class_counts(model, len(data.classes), len(data.codes))
    settings = frozen_parameters(model)
    return Terms(settings, rule.rho_squared, one_run, streamed, foreign, *ends, weighted, counts)


def class_counts(model: Any, n_classes: int, n_rows: int) -> float:
    """The logarithm of how many weights "balanced" could have given to classes."""
    return (n_classes - 1) * log(n_rows + 1) if is_balanced(model.class_weight) else 0.0
