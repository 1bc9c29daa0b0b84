"""
How many rules are worth having
===============================

The number of rules is chosen by the loss on rows that were left out: the smallest whose loss is within one
standard error of the lowest.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

from perceptrons import SparsePerceptron

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
model = SparsePerceptron(random_state=0).fit(X, y)

figure, ax = plt.subplots(figsize=(7, 3.5), layout="constrained")
ax.plot(model.cv_sizes_, model.cv_loss_, marker="o", markersize=3)
ax.axvline(model.n_weights_, color="black", linestyle=":", label=f"chosen: {model.n_weights_}")
ax.set(xlabel="rules", ylabel="log-loss, cross-validated", xscale="log")
ax.legend()
plt.show()
