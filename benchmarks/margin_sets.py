"""Rows whose maximum margin is looked for: synthetic ones, digits, and those of the data folder."""

import gzip
import os
import tarfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import load_digits
from sklearn.feature_extraction.text import TfidfVectorizer

from perceptrons.synthetic import separable

from .labeled_rows import a9a


class Rows(NamedTuple):
    id: str
    label: str
    load: Callable[[], tuple[Any, np.ndarray]]  # labels ±1


def hard_sets(quick: bool) -> Iterator[Rows]:
    """Separable sets, from few to many support rows."""
    m, n = (500, 20) if quick else (10_000, 100)
    for margin in (0.05, 0.005):
        yield Rows(
            f"margin {margin:g}", f"{m:,}×{n}, best margin {margin:g}", partial(_planted, m, n, margin)
        )
    yield Rows("digits", "digits 3 vs 8, 357×64", _digits)
    if quick:
        yield Rows("teacher", "200×50, random teacher", partial(_teacher, 200, 50))
        yield Rows("noise", "50×100, random labels", partial(_noise, 50, 100))
        return
    yield Rows("tall", "20,000×20, best margin 0.01", partial(_planted, 20_000, 20, 0.01))
    yield Rows("teacher", "2,000×500, random teacher", partial(_teacher, 2_000, 500))
    yield Rows("wide teacher", "1,000×800, random teacher", partial(_teacher, 1_000, 800))
    yield Rows("noise", "2,000×5,000, random labels", partial(_noise, 2_000, 5_000))
    if data_folder():
        yield Rows("mnist", "MNIST 3 vs 8, test images, 1,984×784", partial(_mnist, "t10k"))
        yield Rows("text", "review_polarity as TF-IDF, CSR", _reviews)


def soft_sets(quick: bool) -> Iterator[Rows]:
    """Sets that no hyperplane separates."""
    if quick or not data_folder():
        yield Rows("overlap", "2,000×20, labels flipped", partial(_flipped, 2_000, 20))
        return
    yield Rows("a9a", "a9a, CSR, 32,561×123", partial(_a9a))
    yield Rows("mnist train", "MNIST 3 vs 8, training images, 11,982×784", partial(_mnist, "train"))
    yield Rows("overlap", "100,000×50, labels flipped", partial(_flipped, 100_000, 50))


def data_folder() -> Path | None:
    folder = os.environ.get("PERCEPTRONS_DATA")
    return Path(folder) if folder else None


def _planted(m: int, n: int, margin: float) -> tuple[Any, np.ndarray]:
    return separable(m, n, margin=margin, random_state=0)[:2]


def _teacher(m: int, n: int) -> tuple[Any, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((m, n))
    return X, np.where(X @ rng.standard_normal(n) > 0, 1, -1)


def _noise(m: int, n: int) -> tuple[Any, np.ndarray]:
    rng = np.random.default_rng(0)
    return rng.standard_normal((m, n)), rng.choice([-1, 1], m)


def _flipped(m: int, n: int) -> tuple[Any, np.ndarray]:
    return separable(m, n, margin=0.01, noise=0.1, random_state=0)[:2]


def _digits() -> tuple[Any, np.ndarray]:
    X, y = load_digits(return_X_y=True)
    chosen = (y == 3) | (y == 8)
    return np.ascontiguousarray(X[chosen]), np.where(y[chosen] == 3, 1, -1)


def _mnist(part: str) -> tuple[Any, np.ndarray]:
    """Images of 3 and 8, pixels in [0, 1]."""
    folder = data_folder()
    assert folder is not None
    pixels = gzip.decompress((folder / "mnist" / f"{part}-images-idx3-ubyte.gz").read_bytes())
    labels = gzip.decompress((folder / "mnist" / f"{part}-labels-idx1-ubyte.gz").read_bytes())
    X = np.frombuffer(pixels, np.uint8, offset=16).reshape(-1, 784)
    y = np.frombuffer(labels, np.uint8, offset=8)
    chosen = (y == 3) | (y == 8)
    return X[chosen] / 255.0, np.where(y[chosen] == 3, 1, -1)


def _a9a() -> tuple[Any, np.ndarray]:
    found = a9a(np.float64)
    assert found is not None
    return found


def _reviews() -> tuple[Any, np.ndarray]:
    """2,000 film reviews, half of them favorable."""
    folder = data_folder()
    assert folder is not None
    texts, y = [], []
    with tarfile.open(folder / "sparse" / "review_polarity.tar.gz") as archive:
        for member in sorted(archive.getmembers(), key=lambda one: one.name):
            kind = Path(member.name).parent.name
            opened = archive.extractfile(member) if kind in ("pos", "neg") and member.isfile() else None
            if opened is not None:
                texts.append(opened.read().decode("latin-1"))
                y.append(1 if kind == "pos" else -1)
    return TfidfVectorizer().fit_transform(texts), np.array(y)
