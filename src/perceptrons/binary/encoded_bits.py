"""The door of the room: what the user passed becomes rows, which of them are positive, and what each counts.

`binarization` decides where columns are cut; only then do rows become bits (`rows.packing.to_bits`).
"""

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import assert_all_finite

from .._types import Array
from ..checks import row_weights, validated
from ..rows.encode import canonical, encode_labels, is_sparse
from ..rows.weights import check_every_class, class_factors
from .counts import exact_weights

FLOATS = (np.float64, np.float32)
NO_LABELS = "no_validation"  # what scikit-learn takes for y if there is none


class EncodedBits(NamedTuple):
    """Validated rows of positive weight, to be cut into bits."""

    matrix: Any  # an array of numbers or truth values, or CSR
    positive: Array
    weights: Array | None  # > 0; None: each row counts 1
    classes: Array


def encode_bits(
    estimator: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    class_weight: Any,
    reset: bool,
    classes: Array | None = None,
) -> EncodedBits:
    """Validate rows, labels and weights; `classes` is given where a stream has named them before."""
    matrix, y = read_matrix(estimator, X, y, reset, finite=sample_weight is None and class_weight is None)
    names, codes = encode_labels(y, classes, least=1)
    codes = codes.astype(np.intp)  # of two classes they are truth values
    weights = _weights(sample_weight, class_weight, matrix, names, codes)
    if weights is not None and classes is None:
        check_every_class(names, codes, weights)
    if weights is not None and not weights.all():
        matrix, codes, weights = (some[weights > 0] for some in (matrix, codes, weights))
        if not len(weights):
            raise ValueError("All rows have weight 0, by sample_weight or class_weight; some must have more.")
    if weights is not None:  # rows of weight 0 may hold anything
        cells = matrix.data if is_sparse(matrix) else matrix
        assert_all_finite(cells, estimator_name=type(estimator).__name__, input_name="X")
    require_two_classes(names)
    return EncodedBits(matrix, np.asarray(codes == len(names) - 1), weights, names)


def require_two_classes(classes: Array) -> None:
    """Two, or one only."""
    if len(classes) > 2:
        raise ValueError(
            f"Only binary classification is supported. The target has {len(classes)} classes; use "
            "OneVsRestClassifier(BinaryPerceptron()) of scikit-learn."
        )


def _weights(
    sample_weight: Any, class_weight: Any, matrix: Any, classes: Array, codes: Array
) -> Array | None:
    """The weight of each row times that of its class, integers if all products are; None if neither was
    given."""
    if sample_weight is None and class_weight is None:
        return None
    weights = row_weights(sample_weight, matrix)
    if class_weight is not None:
        with np.errstate(over="ignore", invalid="ignore"):  # `exact_weights` says so
            weights = weights * class_factors(class_weight, classes, codes, weights)[codes]
    return exact_weights(weights)


def read_matrix(estimator: Any, X: Any, y: Any = NO_LABELS, reset: bool = False, finite: bool = True) -> Any:
    """The matrix, or matrix and labels, validated by scikit-learn; bytes and truth values keep their type."""
    dtype = FLOATS if is_sparse(X) else "numeric"
    checks: dict[str, Any] = {"accept_sparse": "csr", "order": "C", "dtype": dtype}
    checked = validated(estimator, X, y, reset=reset, ensure_all_finite=finite, **checks)
    return _compilable(checked) if y is NO_LABELS else (_compilable(checked[0]), checked[1])


def _compilable(matrix: Any) -> Any:
    """In a type that compiled code has: others, such as float16, are widened. CSR with each cell once."""
    if is_sparse(matrix):
        return canonical(matrix)
    kind, size = matrix.dtype.kind, matrix.dtype.itemsize
    if kind not in "fiub":
        raise ValueError(
            f"X holds {matrix.dtype}, which has no bits; pass numbers, or put a TableEncoder before it: "
            "make_pipeline(TableEncoder(), BinaryPerceptron())."
        )
    if kind == "f" and size not in (4, 8):
        return matrix.astype(np.float32 if size == 2 else np.float64)
    return matrix if matrix.dtype.isnative else matrix.astype(matrix.dtype.newbyteorder("="))
