"""
How many rows binary weights need
=================================

Agreement with the teacher on new rows, for clipped Hebb learning: theory and experiment (Golea and
Marchand).
"""

import matplotlib.pyplot as plt
import numpy as np

from perceptrons import BinaryPerceptron
from perceptrons.synthetic import product
from perceptrons.theory import curves

n, loads = 201, (0.5, 1, 2, 3, 4, 6, 8, 10)
agreement = []
for load in loads:
    data = product(int(load * n), n, random_state=int(10 * load))
    fresh = np.sign(np.random.default_rng(0).standard_normal((4000, n)))
    model = BinaryPerceptron(method="clipped-hebb").fit(data.X, data.y)
    agreement.append(np.mean(model.predict(fresh) == np.where(fresh @ data.weights > 0, 1, -1)))

dense = np.linspace(0.1, 10, 200)
figure, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
ax.plot(dense, curves.learning_curve(dense), color="gray", label="theory, n → ∞")
ax.scatter(loads, agreement, label=f"one sample each, n = {n}")
ax.set(xlabel="rows per column, α", ylabel="agreement with the teacher, G")
ax.legend()
plt.show()
