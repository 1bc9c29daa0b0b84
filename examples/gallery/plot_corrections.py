"""
The perceptron's corrections, one by one
========================================

Honavar's example, OR: four corrections, each by a row that was on the wrong side.
"""

import matplotlib.pyplot as plt
import numpy as np

from perceptrons import Perceptron, trace

X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
y = [0, 1, 1, 1]
model = Perceptron(order="cyclic", ties="negative", intercept_scaling=1)
corrections = list(trace(model, X, y))

figure, axes = plt.subplots(1, 4, figsize=(11, 3), sharex=True, sharey=True, layout="constrained")
grid = np.stack(np.meshgrid(np.linspace(-0.5, 1.5, 200), np.linspace(-0.5, 1.5, 200)), axis=-1)
for ax, c in zip(axes, corrections, strict=True):
    positive = grid @ c.coef_after + c.intercept_after > 0
    ax.imshow(positive, origin="lower", extent=(-0.5, 1.5, -0.5, 1.5), cmap="coolwarm", alpha=0.25)
    ax.scatter(*X.T, c=y, cmap="coolwarm", s=80, edgecolors="black")
    ax.scatter(*X[c.row], s=320, facecolors="none", edgecolors="black")
    ax.set_title(
        f"{c.number}. row {c.row} corrects:\nw = {c.coef_after}, b = {c.intercept_after:.0f}", fontsize=9
    )
plt.show()
