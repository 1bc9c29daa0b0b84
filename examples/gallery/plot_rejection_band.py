"""
A band in which no answer is given
==================================

``ConservativePerceptron`` rejects rows near the boundary, as far as a rejection costs less than the errors
there.
"""

import matplotlib.pyplot as plt
import numpy as np

from perceptrons import ConservativePerceptron

rng = np.random.default_rng(0)
y = np.arange(400) % 2 == 0
X = rng.standard_normal((400, 2)) + np.where(y[:, None], 1.0, -1.0)
xs, ys = np.meshgrid(np.linspace(-4, 4, 200), np.linspace(-4, 4, 200))
grid = np.column_stack([xs.ravel(), ys.ravel()])

figure, axes = plt.subplots(1, 3, figsize=(11, 3.6), sharey=True, layout="constrained")
for ax, cost in zip(axes, (0.05, 0.15, 0.3), strict=True):
    model = ConservativePerceptron(reject_cost=cost, random_state=0).fit(X, y)
    rejected = model.rejects(grid).reshape(xs.shape)
    ax.contourf(xs, ys, rejected, levels=[0.5, 1.5], colors=["#cccccc"])
    ax.scatter(*X.T, c=y, cmap="coolwarm", s=10)
    ax.set_title(f"a rejection costs {cost}: {model.rejects(X).mean():.0%} rejected", fontsize=9)
plt.show()
