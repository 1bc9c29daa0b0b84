"""What tests of weights share: a table whose rows count differently, and which learners take weights."""

import numpy as np
import polars as pl

from perceptrons.learners import LEARNERS

UNWEIGHTED = {"selective"}  # its promise is about draws of rows, of which a weight makes none
WEIGHTED = [name for name in LEARNERS if name not in UNWEIGHTED]


def clinic(rows=60, seed=0):
    """Two classes, one of them rare, that overlap; the weight `copies` is 0 to 3."""
    rng = np.random.default_rng(seed)
    ill = np.arange(rows) % 5 == 0
    frame = {
        "age": (rng.normal(size=rows) + 1.5 * ill).round(2),
        "lab": rng.normal(size=rows).round(2),
        "hue": np.where(rng.random(rows) < 0.4 + 0.3 * ill, "red", "blue"),
        "copies": rng.integers(0, 4, rows),
        "outcome": np.where(ill, "ill", "healthy"),
    }
    return pl.DataFrame(frame)


def repeated(frame):
    """Each row as often as `copies` says."""
    return frame[np.repeat(np.arange(frame.height), frame["copies"].to_numpy())].drop("copies")
