"""
A curved boundary
=================

``KernelPerceptron`` follows the same rule in the feature space of a kernel.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from perceptrons import KernelPerceptron

X, y = make_moons(400, noise=0.25, random_state=0)
model = KernelPerceptron(kernel="rbf", random_state=0).fit(X, y)

xs, ys = np.meshgrid(np.linspace(-2, 3, 150), np.linspace(-1.5, 2, 150))
scores = model.decision_function(np.column_stack([xs.ravel(), ys.ravel()])).reshape(xs.shape)
figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
ax.contourf(xs, ys, scores, levels=20, cmap="coolwarm", alpha=0.5)
ax.contour(xs, ys, scores, levels=[0], colors="black")
ax.scatter(*X.T, c=y, cmap="coolwarm", s=16, edgecolors="black", linewidths=0.3)
ax.set_title(f"the model combines {len(model.support_)} of {len(X)} rows")
plt.show()
