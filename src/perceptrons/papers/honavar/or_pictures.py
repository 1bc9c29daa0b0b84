"""The chapter's two sketches (Section 4), drawn for its example.

In *pattern space* patterns are points, and the weights are the line W·X = 0. In *weight space* it is the
other way round: W is a point, and a pattern is the plane W·X = 0, on one side of which W is right about it.
There are three weights, so what is drawn is the cut through weight space at the present w₀; lines move with
it.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..._types import Array
from ..pictures import BLUE, GRAY, INK, ORANGE, PALE

PLANE = (-1.2, 1.5)  # of patterns
WEIGHTS = (-1.6, 1.9)  # of weights
DOTS = 351  # along a side, where shading is not by a line


def draw_pattern_space(
    axes: Any,
    W: Sequence[float],
    patterns: Sequence[Sequence[int]],
    targets: Sequence[int],
    used: int,
    title: str,
) -> None:
    """Shade where W·X > 0; the pattern that was corrected has a circle."""
    ends, (bias, first, second) = np.array(PLANE), W
    scores = bias + first * ends[None, :] + second * ends[:, None]  # linear: the corners tell all
    axes.contourf(ends, ends, scores, levels=[0, np.inf], colors=[PALE])
    axes.contour(ends, ends, scores, levels=[0], colors=[BLUE])
    for number, (pattern, target) in enumerate(zip(patterns, targets, strict=True), 1):
        fill = ORANGE if target else "white"
        axes.plot(*pattern, "o", ms=8, color=ORANGE, mfc=fill, zorder=3, clip_on=False)
        if number == used:
            axes.plot(*pattern, "o", ms=15, color=INK, mfc="none", mew=0.8, zorder=3, clip_on=False)
    axes.set(xlim=PLANE, ylim=PLANE, xticks=[0, 1], yticks=[0, 1], aspect="equal", xlabel="x₁")
    axes.set_title(title)


def draw_weight_space(
    axes: Any,
    before: Sequence[float],
    after: Sequence[float],
    patterns: Sequence[Sequence[int]],
    targets: Sequence[int],
) -> None:
    """The cut at the w₀ reached: a line for each pattern, the weights that are right about all of them
    shaded, and the step that W took."""
    ends, bias = np.array(WEIGHTS), after[0]
    for number, (first, second) in enumerate(patterns, 1):
        if first or second:  # else the plane is w₀ = 0, which the cut misses, or is
            scores = bias + first * ends[None, :] + second * ends[:, None]
            axes.contour(ends, ends, scores, [0], colors=[GRAY], linewidths=0.9)
            place = (-0.65 - bias, 0.65) if first and second else (-bias, 1.45) if first else (1.4, -bias)
            axes.annotate(f"X{number}", place, (3, 3), textcoords="offset points", fontsize=7, color=GRAY)
    side: Array = np.linspace(*WEIGHTS, DOTS)
    right = are_right(bias, side[None, :], side[:, None], patterns, targets)
    if right.any():
        axes.contourf(side, side, right.astype(float), levels=[0.5, 2], colors=[PALE])
    else:
        axes.text(0.8, -0.45, "no W with this w₀\nis right about X1", fontsize=7, ha="center", va="center")
    arrow = {"arrowstyle": "-|>", "color": INK, "lw": 1.0, "shrinkA": 3, "shrinkB": 3}
    axes.annotate("", after[1:], before[1:], arrowprops=arrow)
    axes.plot(*before[1:], "o", ms=5, color=BLUE, mfc="white")
    axes.plot(*after[1:], "o", ms=6, color=BLUE)
    axes.set(xlim=WEIGHTS, ylim=WEIGHTS, xticks=[0, 1], yticks=[0, 1], aspect="equal", xlabel="w₁")
    axes.set_title(f"cut at w₀ = {bias:g}")


def are_right(
    bias: float, first: Array, second: Array, patterns: Sequence[Sequence[int]], targets: Sequence[int]
) -> Array:
    """Which weights give the right output for all patterns?"""
    right = np.ones(np.broadcast_shapes(first.shape, second.shape), bool)
    for (x1, x2), target in zip(patterns, targets, strict=True):
        right &= (bias + first * x1 + second * x2 > 0) == bool(target)
    return right
