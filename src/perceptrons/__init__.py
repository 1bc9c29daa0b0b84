"""Linear threshold classifiers that can be read, trusted, shipped and scaled."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import theory
    from .binary.binary_perceptron import BinaryPerceptron
    from .certifying import certify, verify
    from .conservative.chow import ChowClassifier
    from .conservative.conservative_perceptron import ConservativePerceptron
    from .conservative.costs import Costs
    from .conservative.display import ErrorRejectDisplay
    from .conservative.metrics import (
        coverage_score,
        reject_confusion_matrix,
        risk_score,
        selective_accuracy,
    )
    from .data.columns import TableEncoder
    from .data.literals import LiteralEncoder
    from .data.projection import MarginProjection
    from .export.model_file import load, save
    from .margin.kernel import KernelPerceptron
    from .margin.max_margin import MaxMarginPerceptron
    from .margin.named import NAMED
    from .margin.perceptron import Perceptron
    from .margin.trace import trace
    from .sparse.pruned import PrunedPerceptron
    from .sparse.sparse_perceptron import SparsePerceptron
    from .theory.certificate import Certificate

__version__ = "0.1.0"
__all__ = [
    "NAMED",
    "BinaryPerceptron",
    "Certificate",
    "ChowClassifier",
    "ConservativePerceptron",
    "Costs",
    "ErrorRejectDisplay",
    "KernelPerceptron",
    "LiteralEncoder",
    "MarginProjection",
    "MaxMarginPerceptron",
    "Perceptron",
    "PrunedPerceptron",
    "SparsePerceptron",
    "TableEncoder",
    "certify",
    "coverage_score",
    "load",
    "reject_confusion_matrix",
    "risk_score",
    "save",
    "selective_accuracy",
    "theory",
    "trace",
    "verify",
]

# Each name is imported when it is first asked for: `perceptrons --help` must wait for neither Numba nor
# scikit-learn, and an optional dependency for nobody who does without.
_HOMES = {
    "BinaryPerceptron": ".binary.binary_perceptron",
    "Certificate": ".theory.certificate",
    "ChowClassifier": ".conservative.chow",
    "ConservativePerceptron": ".conservative.conservative_perceptron",
    "Costs": ".conservative.costs",
    "ErrorRejectDisplay": ".conservative.display",
    "KernelPerceptron": ".margin.kernel",
    "LiteralEncoder": ".data.literals",
    "MarginProjection": ".data.projection",
    "MaxMarginPerceptron": ".margin.max_margin",
    "NAMED": ".margin.named",
    "Perceptron": ".margin.perceptron",
    "PrunedPerceptron": ".sparse.pruned",
    "SparsePerceptron": ".sparse.sparse_perceptron",
    "TableEncoder": ".data.columns",
    "certify": ".certifying",
    "coverage_score": ".conservative.metrics",
    "load": ".export.model_file",
    "reject_confusion_matrix": ".conservative.metrics",
    "risk_score": ".conservative.metrics",
    "save": ".export.model_file",
    "selective_accuracy": ".conservative.metrics",
    "theory": ".theory",
    "trace": ".margin.trace",
    "verify": ".certifying",
}


if not TYPE_CHECKING:  # which would let a type checker believe that every name exists

    def __getattr__(name: str) -> Any:
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        module = import_module(_HOMES[name], __name__)
        value = module if name == "theory" else getattr(module, name)
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
