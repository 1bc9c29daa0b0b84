"""MNIST: 70,000 handwritten digits of 28 × 28 pixels, for the networks of Moran et al., section 3.

From the four IDX files in the folder PERCEPTRONS_DATA, or else from OpenML, where the 60,000 images for
training come first. The digest is taken from pixels and labels alone, so that it is the same from both.
"""

import hashlib
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.datasets import fetch_openml

from .downloads import RawFile, in_folder, lack
from .fetching import FOLDER

N_TRAIN, N_TEST, SIDE = 60_000, 10_000, 28
OPENML = 554
DIGEST = "06b0d1f124c4e5fa796686ade41a9b778edacc8622f2195a352ef479ad44fc16"
FILES = {  # the array of each file; a file begins with 4 bytes and the lengths of its axes, 4 bytes each
    RawFile(
        "MNIST's training images",
        "mnist/train-images-idx3-ubyte.gz",
        47_040_016,
        "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
    ): (N_TRAIN, SIDE, SIDE),
    RawFile(
        "MNIST's training labels",
        "mnist/train-labels-idx1-ubyte.gz",
        60_008,
        "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
    ): (N_TRAIN,),
    RawFile(
        "MNIST's test images",
        "mnist/t10k-images-idx3-ubyte.gz",
        7_840_016,
        "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
    ): (N_TEST, SIDE, SIDE),
    RawFile(
        "MNIST's test labels",
        "mnist/t10k-labels-idx1-ubyte.gz",
        10_008,
        "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
    ): (N_TEST,),
}

Bytes = np.ndarray[Any, np.dtype[np.uint8]]


@dataclass(frozen=True, eq=False)
class Images:
    """The digits, as arrays that can be written to.

    >>> from perceptrons import datasets
    >>> digits = datasets.mnist()
    >>> digits.test_images.shape, digits.test_images.dtype
    ((10000, 28, 28), dtype('uint8'))
    """

    provenance: str
    digest: str  # of the four arrays
    train_images: Bytes  # (60000, 28, 28): 0 is paper, 255 is ink
    train_labels: Bytes  # 0 to 9
    test_images: Bytes
    test_labels: Bytes


def mnist() -> Images:
    """The 60,000 images for training and 10,000 for testing, from PERCEPTRONS_DATA or from OpenML.

    Examples
    --------
    >>> from perceptrons import datasets
    >>> digits = datasets.mnist()
    >>> digits.train_images.shape, digits.train_labels[:3].tolist()
    ((60000, 28, 28), [5, 0, 4])
    """
    arrays = _from_files()
    where = f"the folder {FOLDER}" if arrays else f"OpenML (data_id={OPENML})"
    arrays = arrays or _from_openml()
    found = digest(arrays)
    if found != DIGEST:
        raise ValueError(
            f"MNIST from {where} is not the one we know: its pixels and labels have the digest "
            f"{found[:12]}..., not {DIGEST[:12]}...; {_remedy()}."
        )
    return Images(_provenance(where), found, *arrays)


def digest(arrays: list[Bytes]) -> str:
    """SHA-256 of their bytes, one after the other."""
    return hashlib.sha256(b"".join(array.tobytes() for array in arrays)).hexdigest()


def _from_files() -> list[Bytes]:
    """Empty if one of the files is missing."""
    found = [(in_folder(raw), shape) for raw, shape in FILES.items()]
    contents = [(content.data, shape) for content, shape in found if content]
    if len(contents) < len(FILES):
        return []
    return [_array(data, shape) for data, shape in contents]


def _array(data: bytes, shape: tuple[int, ...]) -> Bytes:
    return np.frombuffer(data, np.uint8, offset=4 * (1 + len(shape))).reshape(shape).copy()


def _from_openml() -> list[Bytes]:
    found = _fetched()
    try:
        with np.errstate(invalid="ignore"):  # what is no pixel changes the digest
            pixels = np.asarray(found.data).astype(np.uint8).reshape(N_TRAIN + N_TEST, SIDE, SIDE)
        labels = np.asarray(found.target).astype(np.uint8).reshape(N_TRAIN + N_TEST)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(
            f"MNIST from OpenML (data_id={OPENML}) is not the one we know ({error}); {_remedy()}."
        ) from error
    return [pixels[:N_TRAIN], labels[:N_TRAIN], pixels[N_TRAIN:], labels[N_TRAIN:]]


def _fetched() -> Any:
    """By the parser that needs no pandas; with pandas 3.1, the other one stops at classes that are digits."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # each retry is one; what counts is told below, or by the digest
            return fetch_openml(data_id=OPENML, as_frame=False, parser="liac-arff")
    except Exception as error:  # whatever a network, a proxy or a damaged download may cause
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        missing = next(raw for raw in FILES if not in_folder(raw))
        raise OSError(
            f"MNIST cannot be loaded: {lack(missing)}, and OpenML gave no data_id={OPENML} ({reason}); go "
            f"online, or {_remedy()}."
        ) from error


def _remedy() -> str:
    return f"set {FOLDER} to a folder that holds {', '.join(raw.file for raw in FILES)}"


def _provenance(where: str) -> str:
    return (
        f"MNIST: {N_TRAIN:,} handwritten digits for training and {N_TEST:,} for testing, {SIDE} × {SIDE} "
        f"pixels from 0 to 255. LeCun, Cortes and Burges; commonly given as CC BY-SA 3.0. Read from {where}."
    )
