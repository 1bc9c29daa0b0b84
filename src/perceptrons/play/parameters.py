"""The parameters of an estimator, from the settings of the page: what it is built with, and what the copied
code says."""

from typing import Any

import numpy as np

from ..rejection.costs import Costs
from .asked import Asked

CLASSES = {
    "perceptron": "Perceptron",
    "kernel": "KernelPerceptron",
    "maximum": "MaxMarginPerceptron",
    "conservative": "ConservativePerceptron",
    "binary": "BinaryPerceptron",
    "sparse": "SparsePerceptron",
}
STEPPED = {
    "band": "learned",
    "n_restarts": 1,
    "eta_weights": 0.1,
    "eta_bands": 0.1,
}  # one run, to be followed


def parameters(asked: Asked) -> dict[str, Any]:
    settings = dict(asked.settings)
    if asked.learner == "conservative":
        return {**STEPPED, **_with_costs(settings)}
    if asked.learner == "maximum":
        settings["C"] = np.inf if settings.get("C") is None else settings["C"]
    if asked.learner == "sparse":
        settings.setdefault("max_rules", 4)
    return settings


def _with_costs(settings: dict[str, Any]) -> dict[str, Any]:
    """The sliders of both kinds of errors make `Costs`; equal ones need none."""
    alarm, miss = settings.pop("false_alarm", 1.0), settings.pop("miss", 1.0)
    if alarm == miss == 1.0:
        return settings
    reject = settings.pop("reject_cost", 0.2)
    return {**settings, "costs": Costs(wrong={0: alarm, 1: miss}, reject=reject)}
