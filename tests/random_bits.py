"""Truth values for tests of bits, of sizes around whole words."""

import numpy as np

SIZES = [(1, 1), (3, 63), (5, 64), (2, 65), (64, 7), (65, 129), (70, 128), (0, 5)]


def random_bits(n_rows, width, seed=0):
    return np.random.default_rng([seed, n_rows, width]).random((n_rows, width)) < 0.4
