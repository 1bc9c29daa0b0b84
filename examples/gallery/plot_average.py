"""
Noisy rows: the average beside the last weights
===============================================

Where no hyperplane separates the rows, the last weights are those of the row that happened to be corrected
last. Their average over training, which ``Perceptron()`` returns, stays near the best line.
"""

import matplotlib.pyplot as plt
import numpy as np

from perceptrons import Perceptron

rng = np.random.default_rng(1)
X = rng.standard_normal((300, 2))
y = X @ [1.0, 0.6] + 0.7 * rng.standard_normal(300) > 0

figure, axes = plt.subplots(1, 2, figsize=(9, 4), sharey=True, layout="constrained")
xs = np.array([-3, 3])
for ax, result in zip(axes, ("last", "average"), strict=True):
    ax.scatter(*X.T, c=y, cmap="coolwarm", s=14)
    for seed in range(10):
        model = Perceptron(margin=0, result=result, random_state=seed).fit(X, y)
        w, b = model.coef_[0], model.intercept_[0]
        ax.plot(xs, -(w[0] * xs + b) / w[1], color="black", alpha=0.6, linewidth=1)
    ax.set(xlim=(-3, 3), ylim=(-3, 3), title=f"result={result!r}, ten seeds")
plt.show()
