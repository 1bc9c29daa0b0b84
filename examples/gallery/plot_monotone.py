"""
A risk that may only rise
=========================

``monotone`` keeps what is known beforehand: here, that the risk rises with the first column.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from perceptrons import SparsePerceptron

rng = np.random.default_rng(0)
X = pd.DataFrame({"age": rng.uniform(20, 80, 250).round(), "other": rng.standard_normal(250).round(2)})
y = rng.random(250) < 1 / (1 + np.exp(-(X["age"] - 50) / 12))
grid = pd.DataFrame({"age": np.arange(20.0, 81), "other": 0.0})

figure, ax = plt.subplots(figsize=(7, 3.5), layout="constrained")
for monotone, color in ((None, "#d9622b"), ({"age": 1}, "#2f6690")):
    model = SparsePerceptron(k=1, max_rules=12, monotone=monotone, random_state=0).fit(X, y)
    ax.step(
        grid["age"], model.predict_proba(grid)[:, 1], where="mid", color=color, label=f"monotone={monotone}"
    )
ax.plot(grid["age"], 1 / (1 + np.exp(-(grid["age"] - 50) / 12)), color="gray", linestyle=":", label="truth")
ax.set(xlabel="age", ylabel="risk")
ax.legend()
plt.show()
