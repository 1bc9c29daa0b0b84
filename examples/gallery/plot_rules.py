"""
Rules from a table
==================

A table of names, numbers and gaps becomes a few rules; the bars are their weights.
"""

import matplotlib.pyplot as plt
import polars as pl

from perceptrons import SparsePerceptron

table = pl.read_csv("coffee.csv")
X, y = table.drop("grade"), table["grade"].to_numpy()
model = SparsePerceptron(max_rules=8, random_state=0).fit(X, y)
print(model.to_text())

# %%
rules = sorted(zip(model.weights_, map(str, model.conjunctions_), strict=True), key=lambda rule: rule[0])
figure, ax = plt.subplots(figsize=(8, 3.6), layout="constrained")
ax.barh(
    [rule for _, rule in rules],
    [w for w, _ in rules],
    color=["#2f6690" if w > 0 else "#d9622b" for w, _ in rules],
)
ax.axvline(0, color="black", linewidth=0.8)
ax.set_xlabel(f"weight, toward {model.classes_[1]}")
plt.show()
