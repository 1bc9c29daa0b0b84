# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators
"""The shortfall of `shortfall.py` and `squares.py` as one kernel of Triton: value, derivatives and count.

A small batch is one program, which also sets the clock. Of a larger one each program leaves its sums in a row
of `parts`, and a second kernel adds them up, so that sums do not depend on which program ends first.
"""

from contextlib import nullcontext
from typing import Any, NamedTuple

import torch
import triton
import triton.language as tl
from torch import Tensor
from triton.language.extra import libdevice

from .schedules import Growing
from .unwaited import LossTally

CELLS = 2_048  # of a tile of scores
TILES = 4  # that one program takes by itself
NUMBER, GROWING, TENSOR = 0, 1, 2  # how β is given


@triton.jit
def _settle(total, n_violated, n_bad, share, value, count, bad):
    """A batch with bad numbers has a loss of NaN, and does not move the count."""
    tl.store(value, tl.where(n_bad > 0, float("nan"), total * share).to(value.dtype.element_ty))
    tl.store(count, tl.load(count) + tl.where(n_bad > 0, 0, n_violated))
    tl.store(bad, tl.load(bad) + n_bad)


@triton.jit(do_not_specialize=["n_rows", "n_neurons", "n_tiles"])
def shortfall_kernel(
    scores,
    target,
    weights,
    state,
    slopes,
    losses,
    violated,
    value,
    count,
    bad,
    parts,
    n_rows,
    n_neurons,
    n_tiles,
    first: tl.float64,
    second: tl.float64,
    share: tl.float64,
    slope_share: tl.float64,
    SCHEDULE: tl.constexpr,
    SQUARED: tl.constexpr,
    WEIGHED: tl.constexpr,
    EACH: tl.constexpr,
    WHO: tl.constexpr,
    ALONE: tl.constexpr,
    ROWS: tl.constexpr,
    NEURONS: tl.constexpr,
):
    if SCHEDULE == 0:  # NUMBER, GROWING, or TENSOR
        wide = first
    elif SCHEDULE == 1:
        t = tl.load(state).to(tl.float64)
        wide = first * tl.where(second == 0.5, tl.sqrt(t), libdevice.pow(t, second))
    else:
        wide = tl.load(state).to(tl.float64)
    beta = wide.to(scores.dtype.element_ty)
    neurons = tl.arange(0, NEURONS)
    one = (n_neurons == 1).to(tl.int64)  # the neuron of class 1; its number is 0
    total = tl.zeros((), tl.float64)
    n_violated = tl.zeros((), tl.int64)
    n_bad = tl.zeros((), tl.int64)
    for tile in range(n_tiles):
        rows = (tl.program_id(0) * n_tiles + tile).to(tl.int64) * ROWS + tl.arange(0, ROWS)
        mine = rows < n_rows
        cells = mine[:, None] & (neurons < n_neurons)[None, :]
        places = rows[:, None] * n_neurons + neurons[None, :]
        s = tl.load(scores + places, cells, other=0.0)
        own = tl.load(target + rows, mine, other=0) - one
        odd = (tl.abs(s) < float("inf")).to(tl.int32)
        fine = mine & (tl.min(odd, 1) == 1) & (own >= -one) & (own < n_neurons)
        is_own = neurons[None, :].to(tl.int64) == own[:, None]
        short = beta - tl.where(is_own, s, -s)
        short = tl.where(cells & fine[:, None] & (short >= 0.0), short, -1.0)
        lacking = tl.maximum(short, 0.0)
        slope = tl.where(short >= 0.0, 1.0, 0.0).to(tl.float64)
        each = lacking.to(tl.float64)
        if SQUARED:
            slope = slope * each / wide
            each = each * each / (2.0 * wide)
        each = tl.sum(each, 1)
        if WEIGHED:
            weight = tl.load(weights + rows, mine, other=0.0).to(tl.float64)
            slope = slope * weight[:, None]
            each = each * weight
        slope = tl.where(is_own, -slope, slope) * slope_share
        tl.store(slopes + places, slope.to(slopes.dtype.element_ty), cells)
        who = tl.max((short >= 0.0).to(tl.int32), 1)
        if EACH:
            kept = tl.where(fine, each, float("nan"))
            tl.store(losses + rows, kept.to(losses.dtype.element_ty), mine)
        if WHO:
            tl.store(violated + rows, who > 0, mine)
        total += tl.sum(each, 0)
        n_violated += tl.sum(who, 0)
        n_bad += tl.sum((mine & (fine == 0)).to(tl.int64), 0)
    if ALONE:
        _settle(total, n_violated, n_bad, share, value, count, bad)
    else:
        place = parts + 3 * tl.program_id(0)
        tl.store(place, total)
        tl.store(place + 1, n_violated.to(tl.float64))
        tl.store(place + 2, n_bad.to(tl.float64))


@triton.jit(do_not_specialize=["n_parts"])
def settle_kernel(parts, value, count, bad, n_parts, share: tl.float64, BLOCK: tl.constexpr):
    total = tl.zeros((), tl.float64)
    n_violated = tl.zeros((), tl.int64)
    n_bad = tl.zeros((), tl.int64)
    for start in range(0, n_parts, BLOCK):
        some = start + tl.arange(0, BLOCK)
        total += tl.sum(tl.load(parts + 3 * some, some < n_parts, other=0.0), 0)
        n_violated += tl.sum(tl.load(parts + 3 * some + 1, some < n_parts, other=0.0), 0).to(tl.int64)
        n_bad += tl.sum(tl.load(parts + 3 * some + 2, some < n_parts, other=0.0), 0).to(tl.int64)
    _settle(total, n_violated, n_bad, share, value, count, bad)


class Margin(NamedTuple):
    """β: a number, that of a clock by `Growing`, or a tensor."""

    kind: int
    first: float
    second: float
    tensor: Tensor | None


def told(schedule: Any, clock: Tensor | None = None, at: Any = None) -> Margin:
    """How the kernel learns of a schedule; `at()` is β as a tensor."""
    if isinstance(schedule, float):
        return Margin(NUMBER, schedule, 0.0, None)
    if isinstance(schedule, Growing):
        return Margin(GROWING, float(schedule.scale), float(schedule.power), clock)
    return Margin(TENSOR, 0.0, 0.0, at())


class Filled(NamedTuple):
    """What the kernel leaves."""

    value: Tensor  # of all rows
    slopes: Tensor
    losses: Tensor  # of each row, if it was asked for; else anything
    violated: Tensor  # which rows, likewise


def fill(
    scores: Tensor,
    target: Tensor,
    weights: Tensor | None,
    margin: Margin,
    tally: LossTally,
    *,
    shares: tuple[float, float],  # of the value, and of the slopes
    squared: bool = False,
    each: bool = False,
    who: bool = False,
) -> Filled:
    """Launch the kernel, and wait for nothing."""
    n_rows, n_neurons = scores.shape
    scores, target = scores.contiguous(), target.contiguous()
    slopes = torch.empty_like(scores)
    value = scores.new_empty((), dtype=torch.float64 if squared else scores.dtype)
    losses = scores.new_empty(n_rows) if each else value
    violated = scores.new_empty(n_rows, dtype=torch.bool) if who else value
    wide = 1 << (n_neurons - 1).bit_length()
    tall = max(1, min(CELLS // wide, 128))
    n_tiles = -(-n_rows // tall)
    alone = n_tiles <= TILES
    parts = value if alone else scores.new_empty((n_tiles, 3), dtype=torch.float64)
    own = value if weights is None else weights
    beta = value if margin.tensor is None else margin.tensor
    pointers = (scores, target, own, beta, slopes, losses, violated, value, *tally, parts)
    with on(scores.device.index):
        shortfall_kernel[(1 if alone else n_tiles,)](
            *pointers,
            n_rows,
            n_neurons,
            n_tiles if alone else 1,
            margin.first,
            margin.second,
            *shares,
            SCHEDULE=margin.kind,
            SQUARED=squared,
            WEIGHED=weights is not None,
            EACH=each,
            WHO=who,
            ALONE=alone,
            ROWS=tall,
            NEURONS=wide,
        )
        if not alone:
            settle_kernel[(1,)](parts, value, *tally, n_tiles, shares[0], BLOCK=1_024)
    return Filled(value, slopes, losses, violated)


def on(device: int) -> Any:
    """Triton starts kernels on the current GPU, which may be another."""
    return nullcontext() if device == torch.cuda.current_device() else torch.cuda.device(device)
