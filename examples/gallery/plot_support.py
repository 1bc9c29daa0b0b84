"""
A model as a short list of examples
===================================

The maximum-margin line between two digits is a combination of a few images: these.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from perceptrons import MaxMarginPerceptron

X, y = load_digits(n_class=2, return_X_y=True)
model = MaxMarginPerceptron().fit(X, y)
shares = np.abs(model.dual_coef_[0])
order = np.argsort(-shares)

figure, axes = plt.subplots(3, 7, figsize=(9, 4.4), layout="constrained")
for ax in axes.flat:
    ax.axis("off")
for ax, i in zip(axes.flat, order, strict=False):
    row = model.support_[i]
    ax.imshow(X[row].reshape(8, 8), cmap="gray_r" if y[row] else "Purples")
    ax.set_title(f"{shares[i] / shares.sum():.0%}", fontsize=8)
figure.suptitle(f"{len(model.support_)} of {len(X)} images, and their share in the weights")
plt.show()
