"""Golea and Marchand, *On Learning Perceptrons with Binary Weights* (1992): what their experiments share.

A random teacher of ±1 weights and threshold 0 labels rows whose columns are ±1; a learner sees m = α n of
them, each label flipped with probability σ. What counts afterwards is how many of the n weights are wrong:
the overlap is ρ = 1 − 2·wrong/n, and the generalization rate G, how often a new row gets the teacher's
label (equation 14), follows from it exactly, without a test sample.

The paper does not say which targets were drawn for its Figures 2 and 3. Ours are random: sgn(0) = −1 is
right for half of the weights then, and for none of a teacher of +1 alone.
"""

import warnings
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ..._types import Array
from ...binary.binary_perceptron import BinaryPerceptron
from ...synthetic import product
from ...theory import curves

PAPER = "Golea, Marchand"
LOAD, AGREEMENT = "rows per column, α = m/n", "generalization rate, G"
TOLERANCE, ERRORS = 0.01, 4  # a mean agrees with a curve within 0.01, or within four standard errors
RULE = f"within {TOLERANCE} or {ERRORS} standard errors"


class TeacherSample(NamedTuple):
    X: Array
    y: Array
    teacher: Array  # ±1
    for_learner: int  # a seed


def sample(n: int, load: float, noise: float = 0.0, seed: int = 0) -> TeacherSample:
    """Labeled rows, the teacher's weights, and a seed for the learner.

    Teacher, rows and learner have streams of their own: a learner that draws what the teacher drew would
    know the answer before.

    >>> X, y, teacher, _ = sample(11, load=2)
    >>> X.shape, bool(((X @ teacher > 0) == (y > 0)).all())
    ((22, 11), True)
    """
    key = [n, round(1000 * load), round(1000 * noise), seed]
    for_teacher, for_rows, for_learner = np.random.SeedSequence(key).generate_state(3).tolist()
    teacher = np.random.default_rng(for_teacher).choice([-1, 1], n)
    X, y, _ = product(round(load * n), n, weights=teacher, noise=noise, random_state=for_rows)
    return TeacherSample(X, y, teacher, for_learner)


def learn(method: str, given: TeacherSample) -> tuple[BinaryPerceptron, float]:
    """A model of threshold 0, and G: the probability that it gives a new row the teacher's label, exactly.

    >>> model, G = learn("clipped-hebb", sample(101, load=2))
    >>> model.n_weights_, round(G, 3)
    (101, 0.781)
    """
    model = BinaryPerceptron(method=method, epsilon=0.1, threshold=0, random_state=given.for_learner)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # that rows are still wrong is shown, not said
        model.fit(given.X, given.y)
    return model, float(curves.exact_agreement(len(given.teacher), wrong_weights(model, given)))


def wrong_weights(model: BinaryPerceptron, given: TeacherSample) -> int:
    return int(np.count_nonzero(model.coef_[0] != given.teacher))


class Cell(NamedTuple):
    """Samples of one size, one load and one noise."""

    n: int
    load: float
    noise: float
    seeds: list[int]


def count_wrong(cell: Cell) -> list[int]:
    """Weights that the clipped Hebb rule gets wrong, for each sample."""
    samples = (sample(cell.n, cell.load, cell.noise, seed) for seed in cell.seeds)
    return [wrong_weights(learn("clipped-hebb", given)[0], given) for given in samples]


def overlaps(n: int, wrong: Any) -> Array:
    """ρ of weights of which this number are wrong (equation 18)."""
    return np.asarray(1 - 2 * np.asarray(wrong) / n)


def rates(n: int, wrong: Any) -> Array:
    """G of weights of which this number are wrong: computed once for each number.

    >>> rates(3, [[0, 1], [1, 3]]).tolist()
    [[1.0, 0.5], [0.5, 0.0]]
    """
    each, where = np.unique(np.asarray(wrong), return_inverse=True)
    return np.asarray(curves.exact_agreement(n, each))[where].reshape(np.shape(wrong))


def means(found: Array) -> tuple[Array, Array]:
    """Mean over samples, the last axis, and its standard error."""
    return found.mean(axis=-1), found.std(axis=-1, ddof=1) / np.sqrt(found.shape[-1])


def agrees(found: Array, theory: Any, tolerance: float = TOLERANCE) -> bool:
    """Whether the mean over samples is near the theory everywhere: see RULE."""
    mean, error = means(found)
    return bool((np.abs(mean - theory) <= np.maximum(tolerance, ERRORS * error)).all())


def furthest(found: Array, theory: Any) -> float:
    """The largest distance of a mean over samples from the theory."""
    return float(np.abs(means(found)[0] - theory).max())
