"""
Sorted rows and one row that is far too long
============================================

Exports are often sorted by class, and a unit may be wrong in one row. Accuracy on new rows, beside scikit-
learn.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import Perceptron as Peer
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from perceptrons import Perceptron

X, y = load_breast_cancer(return_X_y=True)
X, X_test, y, y_test = train_test_split(StandardScaler().fit_transform(X), y, random_state=0)
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
ax.set(ylim=(0.5, 1.03), ylabel="accuracy on new rows", title="breast cancer, mean of ten seeds")
ax.legend(loc="lower left")
plt.show()
