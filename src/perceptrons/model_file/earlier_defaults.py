"""Parameters that are younger than some model files.

A model must go on meaning what it meant when its file was written. Where a class gets a new parameter, the
files written before do not mention it; `EARLIER` then says with which value the class does what it did
without the parameter, whatever the default is today. `tests/model_file/test_earlier_files.py` fails for a
parameter that neither the files of version 1 nor this table mention.
"""

from inspect import Parameter, signature
from typing import Any

EARLIER: dict[str, dict[str, Any]] = {  # class name → {parameter added after version 1: its value before}
    "BinaryPerceptron": {"epsilon": 0.1, "class_weight": None, "device": "cpu"},
    "ConservativePerceptron": {"class_weight": None, "n_jobs": None, "order": "shuffle"},
    "KernelPerceptron": {"min_margin": 0.0, "class_weight": None, "compress": False},
    "MaxMarginPerceptron": {"class_weight": None, "n_jobs": None},
    "Perceptron": {"min_margin": 0.0, "class_weight": None, "n_jobs": None},
    "LiteralEncoder": {"keep": "all", "groups": None},
    "PrunedPerceptron": {"n_jobs": None, "keep": "all"},
    "SparsePerceptron": {
        "n_jobs": None,
        "refit": "stagewise",
        "max_rules": None,
        "max_points": None,
        "n_cards": 1,
        "monotone": None,
        "required": None,
        "forbidden": None,
        "groups": None,
        "keep": "all",
        "device": "cpu",
    },
    "TableEncoder": {"keep": "all"},
}


def with_earlier_defaults(make: Any, given: dict[str, Any]) -> dict[str, Any]:
    """The parameters in a file, and for those it does not mention the values they had then."""
    parameters = signature(make).parameters
    defaults = {name: parameters[name].default for name in names_of(make)}
    usual = {name: value for name, value in defaults.items() if value is not Parameter.empty}
    return {**usual, **EARLIER.get(make.__name__, {}), **given}


def names_of(make: Any) -> list[str]:
    """The parameters of a constructor, those that must be given among them."""
    return sorted(signature(make).parameters)
