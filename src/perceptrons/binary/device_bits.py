"""Rows of bits on a GPU, by PyTorch: packed there, counted, and scored.

A row is made of the words of `rows.bits`, so that it can be read back as it is. All numbers are whole, and
sums of them exact, so counts and scores are those of the processor.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from .._types import Array
from ..devices import AUTO, CUDA, check_room, import_torch, read_device
from ..rows.bits import Bits, n_words
from ..rows.encode import is_sparse
from ..rows.packing import CutRows, comparable, pack_rows, to_bits
from .binary_parameters import SBPI

CELLS = 2**26  # that are unpacked at a time
KNOWN = ("uint8", "int8", "int16", "int32", "int64", "float32", "float64")  # types that GPUs compare
PACK = 0x0102040810204080  # eight bytes of 0 and 1, times this, have their bits side by side in the last byte
ODD, PAIRS, FOURS, BYTES = 0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F, 0x0101010101010101


class DeviceBits:
    """As `Bits`, on a device; vectors that are taken out are on the processor again."""

    def __init__(self, words: Any, width: int) -> None:
        self.words, self.width = words, width  # int64, a row of words per vector

    def __len__(self) -> int:
        return len(self.words)

    def packed(self) -> Bits:
        return self.take(slice(None))

    def take(self, which: Any) -> Bits:
        """Some of the vectors, by their numbers."""
        torch = import_torch(CUDA)
        rows = which if isinstance(which, slice) else torch.from_numpy(which).to(self.words.device)
        return Bits(self.words[rows].cpu().numpy().view(np.uint64), self.width)

    def ones(self, weights: Array) -> Array:
        """Of each column, the sum of weights, which are integers, over the vectors in which it is 1."""
        torch = import_torch(CUDA)
        own, sums = torch.from_numpy(weights.astype(np.float64)).to(self.words.device), 0.0
        for part, words in self._parts():
            sums = own[part] @ self._unpacked(words).double() + sums
        return np.asarray(sums.cpu().numpy()[: self.width].astype(np.int64))  # type: ignore[attr-defined]

    def differences(self, signs: Array, mask: Array) -> Array:
        """Of each vector, how many bits of the mask differ from the signs."""
        torch = import_torch(CUDA)
        own, chosen = (torch.from_numpy(one.view(np.int64)).to(self.words.device) for one in (signs, mask))
        found = [popcounts((words ^ own) & chosen).sum(1) for _, words in self._parts()]
        return np.asarray(torch.cat(found).cpu().numpy())

    def _parts(self) -> Iterator[tuple[slice, Any]]:
        step = max(1, CELLS // max(1, self.width))
        for start in range(0, len(self), step):
            part = slice(start, start + step)
            yield part, self.words[part]

    def _unpacked(self, words: Any) -> Any:
        torch = import_torch(CUDA)
        shifts = torch.arange(8, dtype=torch.uint8, device=words.device)
        cells = (words.view(torch.uint8)[:, :, None] >> shifts).bitwise_and_(1)
        return cells.view(len(words), 64 * words.shape[1])


def popcounts(words: Any) -> Any:
    """How many bits of each word are 1."""
    words = words - ((words >> 1) & ODD)
    words = (words & PAIRS) + ((words >> 2) & PAIRS)
    return (((words + (words >> 4)) & FOURS) * BYTES) >> 56


def bits_on(device: Any, matrix: Any, cuts: Array) -> Bits | CutRows | DeviceBits:
    """The rows, cut into bits where they are to be counted; None is the processor."""
    if device is None:
        return to_bits(matrix, cuts)
    torch = import_torch(CUDA)
    n_rows, width = matrix.shape
    what = f"{n_rows:,} rows of {width:,} columns, as bits,"
    check_room(device, 8 * n_rows * n_words(width), what, "partial_fit for some rows at a time")
    X, limits = comparable(matrix, cuts)
    if X.dtype.name not in KNOWN:
        return DeviceBits(torch.from_numpy(pack_rows(matrix, cuts).words.view(np.int64)).to(device), width)
    words = torch.empty((n_rows, n_words(width)), dtype=torch.int64, device=device)
    own, step = torch.from_numpy(limits).to(device), max(1, CELLS // max(1, width))
    for start in range(0, n_rows, step):
        cells = torch.from_numpy(X[start : start + step]).to(device) > own
        words[start : start + step] = packed_cells(cells, words.shape[1])
    return DeviceBits(words, width)


def packed_cells(cells: Any, n: int) -> Any:
    """Truth values in rows of n words."""
    torch = import_torch(CUDA)
    padded = torch.nn.functional.pad(cells.view(torch.uint8), (0, 64 * n - cells.shape[1]))
    bytes_ = ((padded.view(torch.int64) * PACK) >> 56).to(torch.uint8)
    return bytes_.view(torch.int64)


def device_for(model: Any, matrix: Any) -> Any:
    """The device for these rows; raises for what only the processor does."""
    device = read_device(model.device)
    if device is None or (model.device == AUTO and (is_sparse(matrix) or model.method == SBPI)):
        return None
    if model.method == SBPI:
        raise ValueError(
            f'device="{model.device}" counts, but method="sbpi" visits row after row; use device="cpu".'
        )
    if is_sparse(matrix):
        raise ValueError(
            f'device="{model.device}" takes arrays, but the rows are a sparse matrix, which stays sparse on '
            'the processor; use device="cpu" or "auto".'
        )
    return device
