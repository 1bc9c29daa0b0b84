"""
Probabilities that can be taken at their word
=============================================

Rules are selected and weighted on the same rows, which would make them over-confident; so probabilities are
calibrated on rows that were left out.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.calibration import calibration_curve
from sklearn.datasets import make_classification

from perceptrons import SparsePerceptron

X, y = make_classification(6000, 12, n_informative=6, flip_y=0.1, class_sep=0.7, random_state=2)
model = SparsePerceptron(random_state=0).fit(X[:1000], y[:1000])
risks = model.predict_proba(X[1000:])[:, 1]
share, said = calibration_curve(y[1000:], risks, n_bins=10, strategy="quantile")

figure, ax = plt.subplots(figsize=(4.4, 4.2), layout="constrained")
ax.plot([0, 1], [0, 1], color="gray", linestyle=":")
ax.plot(said, share, marker="o")
ax.set(xlabel="probability the model gives", ylabel="share of new rows", aspect="equal")
ax.set_title(f"Brier score {np.mean((risks - y[1000:]) ** 2):.3f}")
plt.show()
