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
from ..devices import has_triton
from ..rows.layouts import CSR
from .conjunctions import Literals

CHUNK = 65_536  # rows whose sums are exact
BASE, BITS, PARTS = 512.0, 26, 3
MOST_CELLS = 2**24  # that are looked at one by one, at a time
SHARE = 0.5  # of the free memory of the device that packed rows may fill; more stay with the processor
BLOCKS, WIDTH = 4, 128  # blocks of columns, at most, of multiples of so many: pairs below the diagonal are
# computed within a block alone
ALIGNED = 8  # bytes of a row: products of other widths take longer
LEAST = 512  # columns of a block: products of fewer leave most of a GPU idle


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
        self.resident = device.type == "cpu" or bits.numel() < SHARE * torch.cuda.mem_get_info(device)[0]
        bits = bits.to(device) if self.resident else bits
        bits = torch.nn.functional.pad(bits, (0, -bits.shape[1] % ALIGNED))  # literals that never hold
        self.n_rows, self.width = len(bits), 8 * bits.shape[1]
        self.bits = bits if self.resident else bits.pin_memory()
        self._shifts = torch.arange(8, dtype=torch.uint8, device=device)
        self._triton = has_triton(device)

    def chunks(self, rows: Any) -> Iterator[tuple[slice, Any]]:
        """Parts of these rows (numbers, on the device), and their literals as bytes."""
        for start in range(0, len(rows), CHUNK):
            part = slice(start, start + CHUNK)
            some = rows[part] if self.resident else rows[part].cpu()
            yield part, self.bits[some].to(self.device)

    def all_chunks(self, n: int = CHUNK) -> Iterator[tuple[slice, Any]]:
        """All rows, this number at a time if they are on the device."""
        step = n if self.resident else CHUNK
        for start in range(0, self.n_rows, step):
            part = slice(start, start + step)
            yield part, self.bits[part].to(self.device, non_blocking=True)

    def unpacked(self, chunk: Any, weights: Any = None) -> Any:
        """Literals as zeros and ones in bf16, or as zeros and the weight of their row."""
        if self._triton:
            from .triton_rows import spread

            numbers = self.torch.empty(
                (len(chunk), self.width), dtype=self.torch.bfloat16, device=self.device
            )
            with self.torch.cuda.device(self.device):
                spread(chunk, weights, numbers)
            return numbers
        cells = (chunk[:, :, None] >> self._shifts).bitwise_and_(1)
        numbers = cells.view(len(chunk), self.width).to(self.torch.bfloat16)
        return numbers if weights is None else numbers.mul_(weights[:, None])

    def column(self, chunk: Any, literals: Any) -> Any:
        """Some literals of a chunk, as truth values: a column each."""
        return ((chunk[:, literals >> 3] >> (literals & 7).to(self.torch.uint8)) & 1).bool()

    def held(self, literals: tuple[int, ...]) -> Array:
        """The rows in which all of these hold."""
        torch = self.torch
        found = torch.ones(self.n_rows, dtype=torch.bool, device=self.device)
        for part, chunk in self.all_chunks(MOST_CELLS):
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
        """leftᵀ·right of whole numbers, in float32."""
        torch = self.torch
        if self.device.type == "cpu":  # which has no bf16 product with sums in float32
            return left.T.float() @ right.float()
        return torch.mm(left.T, right, out_dtype=torch.float32)

    def add_gram(self, rows: Any, written: Written, factor: float, entries: Any) -> None:
        """entries_ij += factor·Σ w_r x_ri x_rj, for j ≥ i (and for some others)."""
        block = max(LEAST, -(-self.width // (WIDTH * BLOCKS)) * WIDTH)
        for part, chunk in self.chunks(rows):
            X = self.unpacked(chunk)
            for weights, unit in written.parts:
                W = self.unpacked(chunk, weights[part])
                for start in range(0, self.width, block):
                    some = slice(start, start + block)
                    entries[some, start:].add_(self.product(X[:, some], W[:, start:]), alpha=factor * unit)


def packed(data: Literals) -> Array:
    """The rows' literals, eight in a byte, the first in the lowest bit."""
    if isinstance(data.rows, CSR):
        columns = data.columns.view(np.uint8)
        cells = np.unpackbits(columns, axis=1, count=data.n_rows, bitorder="little")
        return np.packbits(cells.T, axis=1, bitorder="little")
    return np.packbits(np.asarray(data.rows), axis=1, bitorder="little")
