"""
Errors that do not cost the same
================================

To miss a malignant tumor costs ten times as much as a false alarm; a rejection, a second look, costs one
half of that.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer

from perceptrons import ConservativePerceptron, Costs, reject_confusion_matrix

X, y = load_breast_cancer(return_X_y=True)
X, names = X[:, :3], np.array(["malignant", "benign"])[y]
figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
for ax, miss in zip(axes, (1.0, 10.0), strict=True):
    model = ConservativePerceptron(
        costs=Costs(wrong={"malignant": miss, "benign": 1.0}, reject=0.5), random_state=0
    ).fit(X[::2], names[::2])
    matrix = reject_confusion_matrix(names[1::2], model.predict(X[1::2]), reject_label="reject")
    ax.imshow(matrix, cmap="Blues")
    for (i, j), count in np.ndenumerate(matrix):
        ax.text(j, i, count, ha="center", va="center", color="white" if count > 80 else "black")
    ax.set_xticks(range(3), ["benign", "malignant", "rejected"])
    ax.set_yticks(range(2), ["benign", "malignant"])
    ax.set(xlabel="answer", ylabel="class", title=f"to miss a tumor costs {miss:.0f}")
plt.show()
