"""Linear threshold classifiers that can be read, trusted, shipped and scaled."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import datasets as datasets
    from . import synthetic as synthetic
    from . import theory as theory
    from .binary.binary_perceptron import BinaryPerceptron as BinaryPerceptron
    from .certification.certifying import certify as certify
    from .certification.drawing import draw as draw
    from .certification.explaining import explain_bounds as explain_bounds
    from .certification.verifying import verify as verify
    from .comparison import compare as compare
    from .conservative.chow_classifier import ChowClassifier as ChowClassifier
    from .conservative.conservative_perceptron import ConservativePerceptron as ConservativePerceptron
    from .exports.export import export as export
    from .margin.kernel_perceptron import KernelPerceptron as KernelPerceptron
    from .margin.margin_projection import MarginProjection as MarginProjection
    from .margin.maximum.max_margin_perceptron import MaxMarginPerceptron as MaxMarginPerceptron
    from .margin.named import NAMED as NAMED
    from .margin.perceptron import Perceptron as Perceptron
    from .margin.trace import trace as trace
    from .model_file.save_load import load as load
    from .model_file.save_load import load_certificate as load_certificate
    from .model_file.save_load import save as save
    from .rejection.costs import Costs as Costs
    from .rejection.display import ErrorRejectDisplay as ErrorRejectDisplay
    from .rejection.metrics import coverage_score as coverage_score
    from .rejection.metrics import reject_confusion_matrix as reject_confusion_matrix
    from .rejection.metrics import risk_score as risk_score
    from .rejection.metrics import selective_accuracy as selective_accuracy
    from .reports.reporting import report as report
    from .selective.cascade import Cascade as Cascade
    from .selective.selective_classifier import SelectiveClassifier as SelectiveClassifier
    from .sparse.pruned_perceptron import PrunedPerceptron as PrunedPerceptron
    from .sparse.sparse_perceptron import SparsePerceptron as SparsePerceptron
    from .stream_pipelines import fit_stream as fit_stream
    from .tables.literal_encoder import LiteralEncoder as LiteralEncoder
    from .tables.stream_svmlight import stream_svmlight as stream_svmlight
    from .tables.stream_table import stream_table as stream_table
    from .tables.table_encoder import TableEncoder as TableEncoder
    from .theory.certificate import Certificate as Certificate

__version__ = "0.2.0"

# Each name is imported when it is first asked for: `perceptrons --help` must wait for neither Numba nor
# scikit-learn, and an optional dependency for nobody who does without it.
_HOMES = {
    "NAMED": ".margin.named",
    "BinaryPerceptron": ".binary.binary_perceptron",
    "Cascade": ".selective.cascade",
    "Certificate": ".theory.certificate",
    "ChowClassifier": ".conservative.chow_classifier",
    "ConservativePerceptron": ".conservative.conservative_perceptron",
    "Costs": ".rejection.costs",
    "ErrorRejectDisplay": ".rejection.display",
    "KernelPerceptron": ".margin.kernel_perceptron",
    "LiteralEncoder": ".tables.literal_encoder",
    "MarginProjection": ".margin.margin_projection",
    "MaxMarginPerceptron": ".margin.maximum.max_margin_perceptron",
    "Perceptron": ".margin.perceptron",
    "PrunedPerceptron": ".sparse.pruned_perceptron",
    "SelectiveClassifier": ".selective.selective_classifier",
    "SparsePerceptron": ".sparse.sparse_perceptron",
    "TableEncoder": ".tables.table_encoder",
    "certify": ".certification.certifying",
    "compare": ".comparison",
    "coverage_score": ".rejection.metrics",
    "datasets": "",
    "draw": ".certification.drawing",
    "explain_bounds": ".certification.explaining",
    "export": ".exports.export",
    "fit_stream": ".stream_pipelines",
    "load": ".model_file.save_load",
    "load_certificate": ".model_file.save_load",
    "reject_confusion_matrix": ".rejection.metrics",
    "report": ".reports.reporting",
    "risk_score": ".rejection.metrics",
    "save": ".model_file.save_load",
    "selective_accuracy": ".rejection.metrics",
    "synthetic": "",
    "theory": "",
    "stream_svmlight": ".tables.stream_svmlight",
    "stream_table": ".tables.stream_table",
    "trace": ".margin.trace",
    "verify": ".certification.verifying",
}
__all__ = list(_HOMES)


if not TYPE_CHECKING:  # which would let a type checker believe that every name exists

    def __getattr__(name: str) -> Any:
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        home = _HOMES[name]
        value = getattr(import_module(home, __name__), name) if home else import_module(f".{name}", __name__)
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted(__all__)
