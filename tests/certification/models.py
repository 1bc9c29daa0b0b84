"""Tables and models that the tests of certificates share."""

import numpy as np

rng = np.random.default_rng(7)
X = rng.integers(-4, 5, (240, 4)) + rng.random((240, 4)).round(3)
y = np.where(X[:, 0] - X[:, 1] + 0.7 * rng.normal(size=240) > 0, "yes", "no")
OLD, NEW = (X[:160], y[:160]), (X[160:], y[160:])
