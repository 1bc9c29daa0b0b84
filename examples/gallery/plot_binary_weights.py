"""
Weights of one bit
==================

A zero and a one, told apart by weights −1, 0 and +1 of the pixels.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

from perceptrons import BinaryPerceptron

X, y = load_digits(n_class=2, return_X_y=True)
model = BinaryPerceptron(random_state=0).fit(X[::2], y[::2])

figure, axes = plt.subplots(1, 3, figsize=(8, 3), layout="constrained")
axes[0].imshow(X[y == 0].mean(axis=0).reshape(8, 8), cmap="gray_r")
axes[0].set_title("mean zero")
axes[1].imshow(X[y == 1].mean(axis=0).reshape(8, 8), cmap="gray_r")
axes[1].set_title("mean one")
axes[2].imshow(model.coef_[0].reshape(8, 8), cmap="coolwarm", vmin=-1, vmax=1)
axes[2].set_title(f"weights: {model.packed_.n_bytes} bytes, {model.score(X[1::2], y[1::2]):.1%} right")
for ax in axes:
    ax.axis("off")
plt.show()
