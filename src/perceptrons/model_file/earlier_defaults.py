"""Parameters that are younger than some model files.

A model must go on meaning what it meant when its file was written. Where a class gets a new parameter, the
files written before do not mention it; `EARLIER` then says with which value the class does what it did
without the parameter, whatever the default is today. `tests/model_file/test_earlier_files.py` fails for a
parameter that neither the files of version 1 nor this table mention.
"""

from typing import Any

EARLIER: dict[str, dict[str, Any]] = {  # class name → {parameter added after version 1: its value before}
    "BinaryPerceptron": {"epsilon": 0.1, "class_weight": None},
    "ConservativePerceptron": {"class_weight": None, "n_jobs": None},
    "KernelPerceptron": {"min_margin": 0.0, "class_weight": None, "compress": False},
    "MaxMarginPerceptron": {"class_weight": None, "n_jobs": None},
    "Perceptron": {"min_margin": 0.0, "class_weight": None, "n_jobs": None},
    "LiteralEncoder": {"keep": "all"},
    "PrunedPerceptron": {"n_jobs": None, "keep": "all"},
    "SparsePerceptron": {"n_jobs": None, "keep": "all"},
    "TableEncoder": {"keep": "all"},
}


def with_earlier_defaults(make: Any, given: dict[str, Any]) -> dict[str, Any]:
    """The parameters in a file, and for those it does not mention the values they had then."""
    return {**make().get_params(deep=False), **EARLIER.get(make.__name__, {}), **given}
