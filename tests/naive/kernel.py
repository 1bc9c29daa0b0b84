"""The slow twin of the kernel perceptron: the margin family without weights.

Aizerman, Braverman and Rozonoer (1964): w = sum of a_j*y_j*phi(x_j), so the score of a row is the sum of
a_j*y_j*k(x_j, x) and ||w||^2 the sum over all pairs; phi is never computed.
"""

import math

from tests.naive.margin import Rule, Target, Training, sweep, train, worst


class KernelTraining(Training):
    """`Training` where rows meet in the kernel alone; `w` stays as it was."""

    def __init__(self, X, y, kernel, rule, target, rho_squared, result, max_updates):
        super().__init__(X, y, rule, target, rho_squared, result, None, max_updates, None, 0.0)
        self.K = [[kernel(x, z) for z in X] for x in X]
        self.q = [self.K[i][i] + rho_squared for i in self.rows]

    def sum(self, i):
        return sum(self.duals[j] * self.y[j] * self.K[j][i] for j in self.rows if self.duals[j])

    def score(self, i):
        return self.sum(i) + self.b

    def norm(self):
        squared = sum(self.duals[i] * self.y[i] * self.sum(i) for i in self.rows)
        return math.sqrt(max(0.0, squared) + (self.b**2 / self.rho_squared if self.rho_squared else 0.0))


def kernel_perceptron(
    X,
    y,
    kernel,
    *,
    order="cyclic",
    permutations=None,
    margin=0.0,
    step="fixed",
    eta=1.0,
    alpha=1.5,
    result="last",
    ties="wrong",
    rho_squared=0.0,
    max_epochs=1000,
    max_updates=None,
):
    """Train on the rows X and the labels y = +1 or -1 with k(x, z) = `kernel`."""
    rule, target = Rule(step, eta, ties), Target(margin, alpha)
    training = KernelTraining(X, y, kernel, rule, target, rho_squared, result, max_updates)
    epoch = {
        "cyclic": lambda: sweep(training, training.rows, rolling=step != "passive-aggressive"),
        "shuffle": lambda: sweep(training, next(permutations)),
        "worst": lambda: worst(training),
    }[order]
    return train(training, epoch, max_epochs)
