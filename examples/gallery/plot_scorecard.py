"""
A scorecard and its risks
=========================

Whole points that a person can add up; every total has a risk.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer

from perceptrons import SparsePerceptron

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
model = SparsePerceptron(max_points=5, max_rules=6, random_state=0).fit(X, y)
print(model.to_text())

# %%
totals = model.decision_function(X)
risks = model.predict_proba(X)[:, 1]
values = np.unique(totals)
frequency = [y[totals == value].mean() for value in values]
figure, ax = plt.subplots(figsize=(7, 3.5), layout="constrained")
ax.plot(values, [risks[totals == value][0] for value in values], label="risk on the card")
ax.scatter(values, frequency, s=[4 * np.sqrt((totals == v).sum()) for v in values], label="share of the rows")
ax.set(xlabel="score", ylabel="benign")
ax.legend()
plt.show()
