# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators
"""Packed literals become numbers in one pass, by a kernel of Triton: eight of them from each byte."""

from typing import Any

import triton
import triton.language as tl

ROWS, MOST_BYTES = 8, 256  # of a tile


@triton.jit(do_not_specialize=["n_rows"])
def spread_kernel(
    bits, weights, numbers, n_rows, n_bytes, WEIGHED: tl.constexpr, ROWS: tl.constexpr, BYTES: tl.constexpr
):
    rows = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    places = tl.program_id(1) * BYTES + tl.arange(0, BYTES)
    bit = tl.arange(0, 8)[None, None, :]
    there = (rows < n_rows)[:, None] & (places < n_bytes)[None, :]
    at = rows[:, None] * n_bytes + places[None, :]
    cells = tl.load(bits + at, there, other=0).to(tl.int32)
    ones = (cells[:, :, None] >> bit) & 1
    own = 1.0
    if WEIGHED:
        own = tl.load(weights + rows, rows < n_rows, other=0.0).to(tl.float32)[:, None, None]
    values = tl.where(ones != 0, own, 0.0).to(numbers.dtype.element_ty)
    tl.store(numbers + 8 * at[:, :, None] + bit, values, there[:, :, None] & (bit >= 0))


def spread(bits: Any, weights: Any, numbers: Any) -> None:
    """numbers[r, 8b + c] ← bit c of byte bits[r, b], times the weight of row r, if there are weights."""
    n_rows, n_bytes = bits.shape
    wide = min(MOST_BYTES, max(128, 1 << (n_bytes - 1).bit_length()))
    grid = triton.cdiv(n_rows, ROWS), triton.cdiv(n_bytes, wide)
    own = bits if weights is None else weights
    spread_kernel[grid](
        bits, own, numbers, n_rows, n_bytes, WEIGHED=weights is not None, ROWS=ROWS, BYTES=wide
    )
