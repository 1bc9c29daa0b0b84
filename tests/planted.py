"""A table whose classes follow from a rule."""

import numpy as np


def planted_table(seed, n_rows=120):
    """Names, numbers and truth values with holes, and classes that two of them decide, with noise."""
    rng = np.random.default_rng(seed)
    colour = rng.choice(["red", "white", "brown"], n_rows).astype(object)
    width = rng.integers(1, 30, n_rows).astype(float)
    ring = rng.integers(0, 2, n_rows).astype(bool)
    y = np.where((colour == "red") | ((width > 20) & ring), "poisonous", "edible")
    noisy = rng.random(n_rows) < 0.05
    y[noisy] = np.where(y[noisy] == "edible", "poisonous", "edible")
    colour[rng.random(n_rows) < 0.05] = None
    width[rng.random(n_rows) < 0.05] = np.nan
    return {"colour": colour, "width": width, "ring": ring}, y
