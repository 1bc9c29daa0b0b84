"""Rows of literals on a device, packed, and sums of products of their columns that carry no rounding.

Weights are written as whole numbers of 27 bits, a sign included: w = scale·Σ_p 512^p·w_p/2^26, with w_p from
−256 to 256, each of which bf16 holds exactly. A product of such numbers with zeros and ones, summed over at
most 65,536 rows, is a whole number of at most 2^24, which float32 holds exactly, in whatever order it is
summed. So the only error of Σ w_r x_r x_rᵀ is that of the weights, Σ |w − written|, which is computed.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from .._types import Array
from ..rows.layouts import CSR
from .conjunctions import Literals

CHUNK = 65_536  # rows whose sums are exact
BASE, BITS, PARTS = 512.0, 26, 3
SHARE = 0.5  # of the free memory of the device that packed rows may fill; more stay with the processor
BLOCKS = 4  # of columns: pairs below the diagonal are computed within a block alone


class Written(NamedTuple):
    """Weights as whole numbers."""

    parts: list[tuple[Any, float]]  # bf16 numbers, and what one of them counts
    error: float  # Σ |w − written|


class DeviceRows:
    """The rows of a training set, eight literals in a byte."""

    def __init__(self, data: Literals, device: Any) -> None:
        import torch

        self.torch, self.device, self.n_literals = torch, device, data.n_literals
        bits = torch.from_numpy(packed(data))
        self.n_rows, self.width = len(bits), 8 * bits.shape[1]
        self.resident = device.type == "cpu" or bits.numel() < SHARE * torch.cuda.mem_get_info(device)[0]
        self.bits = bits.to(device) if self.resident else bits.pin_memory()
        self._shifts = torch.arange(8, dtype=torch.uint8, device=device)

    def chunks(self, rows: Any) -> Iterator[tuple[slice, Any]]:
        """Parts of these rows (numbers, on the device), and their literals as bytes."""
        for start in range(0, len(rows), CHUNK):
            part = slice(start, start + CHUNK)
            some = rows[part] if self.resident else rows[part].cpu()
            yield part, self.bits[some].to(self.device)

    def all_chunks(self) -> Iterator[tuple[slice, Any]]:
        for start in range(0, self.n_rows, CHUNK):
            part = slice(start, start + CHUNK)
            yield part, self.bits[part].to(self.device, non_blocking=True)

    def unpacked(self, chunk: Any) -> Any:
        """Literals as zeros and ones in bf16."""
        cells = (chunk[:, :, None] >> self._shifts).bitwise_and_(1)
        return cells.view(len(chunk), self.width).to(self.torch.bfloat16)

    def column(self, chunk: Any, literals: Any) -> Any:
        """Some literals of a chunk, as truth values: a column each."""
        return ((chunk[:, literals >> 3] >> (literals & 7).to(self.torch.uint8)) & 1).bool()

    def held(self, literals: tuple[int, ...]) -> Array:
        """The rows in which all of these hold."""
        torch = self.torch
        found = torch.ones(self.n_rows, dtype=torch.bool, device=self.device)
        for part, chunk in self.all_chunks():
            for literal in literals:
                found[part] &= ((chunk[:, literal >> 3] >> (literal & 7)) & 1).bool()
        return np.asarray(found.cpu())

    def send(self, values: Array) -> Any:
        return self.torch.from_numpy(np.ascontiguousarray(values)).to(self.device)

    def written(self, weights: Any) -> Written:
        torch = self.torch
        scale = float(weights.abs().max()) if len(weights) else 0.0
        if scale == 0.0:
            return Written([], 0.0)
        rest = whole = torch.round(weights / scale * 2.0**BITS)
        parts = []
        for place in range(PARTS):
            low = rest if place == PARTS - 1 else torch.remainder(rest + BASE / 2, BASE) - BASE / 2
            if bool((low != 0).any()):
                parts.append((low.to(torch.bfloat16), scale / 2.0**BITS * BASE**place))
            rest = (rest - low) / BASE
        return Written(parts, float((weights - whole * (scale / 2.0**BITS)).abs().sum()))

    def product(self, left: Any, right: Any) -> Any:
        """leftᵀ·right of whole numbers, in float64."""
        torch = self.torch
        if self.device.type == "cpu":  # which has no bf16 product with sums in float32
            return (left.T.float() @ right.float()).double()
        return torch.mm(left.T, right, out_dtype=torch.float32).double()

    def add_gram(self, rows: Any, written: Written, factor: float, entries: Any) -> None:
        """entries_ij += factor·Σ w_r x_ri x_rj, for j ≥ i (and for some others)."""
        block = -(-self.width // (8 * BLOCKS)) * 8
        for part, chunk in self.chunks(rows):
            X = self.unpacked(chunk)
            for weights, unit in written.parts:
                W = weights[part, None] * X
                for start in range(0, self.width, block):
                    some = slice(start, start + block)
                    entries[some, start:].add_(self.product(X[:, some], W[:, start:]), alpha=factor * unit)


def packed(data: Literals) -> Array:
    """The rows' literals, eight in a byte, the first in the lowest bit."""
    if isinstance(data.rows, CSR):
        columns = data.columns.view(np.uint8)
        cells = np.unpackbits(columns, axis=1, count=data.n_rows, bitorder="little")
        return np.packbits(cells.T, axis=1, bitorder="little")
    return np.packbits(np.asarray(data.rows) != 0, axis=1, bitorder="little")
