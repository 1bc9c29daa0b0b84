"""
The value of a game
===================

A matrix game solved by separating its rows: both players' mixed strategies, and an interval around the
value.
"""

import matplotlib.pyplot as plt
import numpy as np

from perceptrons import theory

A = np.array([[3.0, -1.0, 1.5, 2.5], [-2.0, 2.5, 1.0, 0.0]])
solution = theory.solve_game(A, tol=1e-3)

p = np.linspace(0, 1, 200)
figure, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
for j, column in enumerate(A.T):
    ax.plot(p, p * column[0] + (1 - p) * column[1], label=f"column {j}")
ax.plot(p, np.min(np.outer(p, A[0]) + np.outer(1 - p, A[1]), axis=1), color="black", linewidth=3, alpha=0.4)
ax.axhline(solution.value, color="gray", linestyle=":")
ax.set(xlabel="share of the first row", ylabel="the row player wins")
ax.legend(fontsize=8)
plt.show()
print(solution)
