"""
A rare class
============

Of rows of which 3 % are positive, a model that counts errors finds few. Balanced weights find most, at the
price of false alarms.
"""

import matplotlib.pyplot as plt
import numpy as np

from perceptrons import Perceptron

rng = np.random.default_rng(0)
X = rng.standard_normal((20_000, 5))
y = np.arange(20_000) % 33 == 0
X[y, 0] += 2
found, alarms, weights = [], [], (1, 2, 5, 10, 20, 32)
for weight in weights:
    model = Perceptron(class_weight={True: weight}, random_state=0).fit(X[::2], y[::2])
    answer = model.predict(X[1::2])
    found.append(answer[y[1::2]].mean())
    alarms.append(answer[~y[1::2]].mean())

figure, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
ax.plot(alarms, found, marker="o")
for x, height, weight in zip(alarms, found, weights, strict=True):
    ax.annotate(f"weight {weight}", (x, height), textcoords="offset points", xytext=(8, -10))
ax.set(xlabel="false alarms, share of the other rows", ylabel="rare rows found", xlim=(0, 0.3), ylim=(0, 1))
plt.show()
