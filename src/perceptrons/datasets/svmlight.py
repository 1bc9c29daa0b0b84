"""a9a: the census rows of UCI's Adult as 123 indicators, of which about 14 are 1; sparse, in LIBSVM's form.

From the folder PERCEPTRONS_DATA, or else from LIBSVM's site. No experiment of the papers uses it; it is a
well-known set to try sparse rows on.
"""

import hashlib
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.datasets import load_svmlight_file

from .downloads import FileContent, RawFile, fetch

N_FEATURES = 123  # one of them never occurs in the test rows
AT_LIBSVM = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary"
TRAIN = RawFile(
    "a9a, the training rows",
    "sparse/a9a.gz",
    2_329_875,
    "f5d5ffd8d865ff41328e7ee043e4b020816914ff6843ff15b98905ddbedce906",
    f"{AT_LIBSVM}/a9a",
)
TEST = RawFile(
    "a9a, the test rows",
    "sparse/a9a.t.gz",
    1_164_628,
    "1f448a153f0320399a7e40836eb207655b0bde0f21fc941cc472193daa9f5de9",
    f"{AT_LIBSVM}/a9a.t",
)

Labels = np.ndarray[Any, np.dtype[np.int64]]


@dataclass(frozen=True, eq=False)
class Census:
    """The training rows and the test rows, and their classes.

    >>> from perceptrons import datasets
    >>> census = datasets.a9a()
    >>> census.X_train.nnz, sorted(set(census.y_train.tolist()))
    (451592, [-1, 1])
    """

    X_train: csr_matrix
    y_train: Labels  # 1: earns more than 50,000 dollars a year; -1
    X_test: csr_matrix
    y_test: Labels
    provenance: str
    digest: str  # of both files


def a9a() -> Census:
    """32,561 rows for training and 16,281 for testing.

    Examples
    --------
    >>> from perceptrons import datasets
    >>> census = datasets.a9a()
    >>> census.X_train.shape, census.X_test.shape
    ((32561, 123), (16281, 123))
    """
    train, test = fetch(TRAIN), fetch(TEST)
    digest = hashlib.sha256(train.data + test.data).hexdigest()
    return Census(*_rows(train), *_rows(test), _provenance(train, test), digest)


def _rows(content: FileContent) -> tuple[csr_matrix, Labels]:
    X, y = load_svmlight_file(BytesIO(content.data), n_features=N_FEATURES)
    return X, y.astype(np.int64)


def _provenance(train: FileContent, test: FileContent) -> str:
    return (
        f"a9a: Adult, from the UCI Machine Learning Repository (CC BY 4.0), as {N_FEATURES} indicators by "
        f"Platt and by Chang and Lin (LIBSVM). Read from {train.where} and {test.where}."
    )
