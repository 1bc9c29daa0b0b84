"""
Reject until it can be promised
===============================

``SelectiveClassifier`` answers only as far as the promise, at most ``max_error`` of the answers
wrong, holds with 95 % confidence.
"""

import matplotlib.pyplot as plt
import numpy as np

from perceptrons import Perceptron, SelectiveClassifier

rng = np.random.default_rng(0)
X = rng.standard_normal((12_000, 10))
y = X @ rng.standard_normal(10) + 2.0 * rng.standard_normal(12_000) > 0
learn, test = slice(4000), slice(4000, None)
limits, answered, wrong = (0.04, 0.06, 0.08, 0.1, 0.15), [], []
for limit in limits:
    model = SelectiveClassifier(Perceptron(result="average", random_state=0), max_error=limit, random_state=0)
    model.fit(X[learn], y[learn])
    given = ~model.rejects(X[test])
    answered.append(given.mean())
    wrong.append(np.mean(model.predict_liberal(X[test])[given] != y[test][given]) if given.any() else 0.0)

figure, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
ax.plot(limits, limits, color="gray", linestyle=":", label="promised: at most")
ax.plot(limits, wrong, marker="o", label="answers that were wrong")
ax.plot(limits, answered, marker="s", label="rows answered")
ax.set(xlabel="max_error", ylim=(0, 1))
ax.legend()
plt.show()
