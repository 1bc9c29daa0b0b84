"""
The interval around the best margin closes
==========================================

Each moment of training gives a margin that is achieved and a bound that no hyperplane exceeds. With ``tol``
training ends when both are close enough: the margin is certified.
"""

import matplotlib.pyplot as plt
import numpy as np

from perceptrons import Perceptron
from perceptrons.synthetic import separable

data = separable(200, 5, margin=0.1, random_state=0)
model = Perceptron(order="worst", tol=0.02, max_epochs=10_000).fit(data.X, data.y)
margin, bound = model.history_["margin"], model.history_["margin_bound"]
epochs = np.arange(1, len(bound) + 1)

figure, ax = plt.subplots(figsize=(7, 3.5), layout="constrained")
ax.plot(epochs, bound, label="no hyperplane has more")
ax.plot(epochs, np.fmax.accumulate(margin), label="achieved")
ax.fill_between(epochs, np.fmax.accumulate(np.nan_to_num(margin)), bound, alpha=0.15)
ax.set(xlabel="epoch", ylabel="margin", ylim=(0, 3 * model.certificate_.margin))
ax.legend()
plt.show()

# %%
# The certificate can be checked again from the rows, the weights and the rows' contributions alone.
print(model.certificate_.margin, model.certificate_.margin_bound, model.certificate_.compression_size)
