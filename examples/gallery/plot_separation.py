"""
Two sets: apart, with a proof of few points
===========================================

``theory.separate`` answers with a separating hyperplane that is a combination of few points, or with two
points that are close.
"""

import matplotlib.pyplot as plt
import numpy as np

from perceptrons import theory

rng = np.random.default_rng(0)
K = rng.standard_normal((40, 2)) * 0.5
L = rng.standard_normal((40, 2)) * 0.5 + [3.0, 1.0]
found = theory.separate(K, L, eps=0.5)

figure, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
ax.scatter(*K.T, s=14)
ax.scatter(*L.T, s=14)
xs = np.array([-1.5, 4.5])
ax.plot(xs, (found.b - found.w[0] * xs) / found.w[1], color="black")
ax.set(ylim=(-1.6, 2.8), title=type(found).__name__)
plt.show()
print(found)
