"""
Sorted rows and one row that is far too long
============================================

Exports are often sorted by class, and a unit may be wrong in one row. Accuracy on new rows, beside
scikit-learn.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import Perceptron as Peer

from perceptrons import Perceptron

rng = np.random.default_rng(0)
X = rng.standard_normal((6_000, 20))
y = (X @ rng.standard_normal(20) > 0) ^ (rng.random(6_000) < 0.1)  # one label in ten is wrong
X, X_test, y, y_test = X[:3_000], X[3_000:], y[:3_000], y[3_000:]
order = np.argsort(y, kind="stable")
long = X.copy()
long[0] *= 1000
tables = {"as it comes": (X, y), "sorted by class": (X[order], y[order]), "one row × 1,000": (long, y)}
seeds = range(10)
found = {
    name: [
        np.mean([make(random_state=s).fit(*rows).score(X_test, y_test) for s in seeds])
        for rows in tables.values()
    ]
    for name, make in (("perceptrons", Perceptron), ("scikit-learn", Peer))
}

figure, ax = plt.subplots(figsize=(7, 3.5), layout="constrained")
for shift, (name, heights) in zip((-0.2, 0.2), found.items(), strict=True):
    bars = ax.bar(np.arange(3) + shift, heights, width=0.38, label=name)
    ax.bar_label(bars, fmt="{:.3f}")
ax.set_xticks(range(3), tables)
ax.set(
    ylim=(0.5, 1.0),
    ylabel="accuracy on new rows",
    title="3,000 rows, one label in ten wrong; mean of ten seeds",
)
ax.legend(loc="lower left")
plt.show()
