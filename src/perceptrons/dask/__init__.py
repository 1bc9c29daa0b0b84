"""Learners and encoders over Dask arrays and dataframes, on a cluster: the same names and parameters."""

try:
    import dask.array as _array  # noqa: F401
    import dask.dataframe as _dataframe  # noqa: F401
    import distributed as _distributed  # noqa: F401
except ImportError as error:
    raise ImportError(
        'perceptrons.dask needs Dask, its dataframes and distributed; pip install "perceptrons[dask]".'
    ) from error

from .binary_perceptron_on_dask import BinaryPerceptron
from .clusters import ClusterError
from .conservative_perceptron_on_dask import ConservativePerceptron
from .judging import certify, evaluate
from .literal_encoder_on_dask import LiteralEncoder
from .max_margin_on_dask import MaxMarginPerceptron
from .perceptron_on_dask import Perceptron
from .sparse_perceptron_on_dask import SparsePerceptron
from .table_encoder_on_dask import TableEncoder

__all__ = [
    "BinaryPerceptron",
    "ClusterError",
    "ConservativePerceptron",
    "LiteralEncoder",
    "MaxMarginPerceptron",
    "Perceptron",
    "SparsePerceptron",
    "TableEncoder",
    "certify",
    "evaluate",
]
