"""Historical names, and the settings of `Perceptron` that they stand for."""

from collections.abc import Mapping
from math import sqrt
from types import MappingProxyType
from typing import Any

# what the papers have in common: no target, unless it is the point; the last weights; a lift by the largest
# norm; training until no row violates
CLASSIC: dict[str, Any] = {"margin": 0.0, "result": "last", "intercept_scaling": "radius", "min_margin": 0.0}
_SETTINGS: dict[str, dict[str, Any]] = {
    "rosenblatt": {"order": "cyclic"},
    "honavar": {"order": "cyclic", "ties": "negative", "intercept_scaling": 1.0},
    "absolute-correction": {"step": "absolute", "order": "cyclic"},
    "fractional-correction": {"step": "fractional", "order": "cyclic"},
    "pam": {"margin": 1.0},
    "paum": {"margin": (0.1, 1.0)},
    "r-independent": {"margin": "adaptive"},
    "infinity": {"margin": "infinity"},
    "growing": {"margin": "growing"},
    "minover": {"order": "worst", "tol": 0.01, "max_epochs": 100_000},
    "passive-aggressive": {"step": "passive-aggressive", "margin": 1.0},
    "alma": {"step": "alma", "alpha": 0.1, "eta": sqrt(2.0)},
    "known-margin": {"margin": ("known", 0.01)},
    "averaged": {"result": "average"},
    "pocket": {"result": "pocket"},
}

NAMED: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        name: MappingProxyType({"order": "shuffle", **CLASSIC, **settings})
        for name, settings in _SETTINGS.items()
    }
)
"""`Perceptron(**NAMED["pam"])` is the perceptron algorithm with margins, and so on; read-only.

>>> from perceptrons import NAMED, Perceptron
>>> Perceptron(**NAMED["paum"]).margin
(0.1, 1.0)
"""
