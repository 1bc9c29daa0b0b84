"""The lessons that the page offers, each a request that can be changed."""

from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import load_breast_cancer, load_iris

from .._types import Array
from ..synthetic import two_point

CLASSIC = {"min_margin": 0.0, "result": "last", "margin": 0.0}
HONAVAR = {**CLASSIC, "order": "cyclic", "ties": "negative", "intercept_scaling": 1.0, "max_epochs": 50}
SHUFFLED = {**CLASSIC, "order": "shuffle", "max_epochs": 50, "random_state": 0}


class Preset(NamedTuple):
    """A lesson: what to look at, and the request of which it is made."""

    name: str
    title: str
    text: str
    request: dict[str, Any]


def presets() -> list[Preset]:
    return [
        Preset(
            "or",
            "OR (Honavar)",
            "The example of Honavar's chapter: 13 patterns are shown, 4 of them are corrected.",
            _request("perceptron", HONAVAR, *_corners([0, 1, 1, 1])),
        ),
        Preset(
            "xor",
            "XOR: no line can",
            "No line separates XOR, so corrections never end; the weights come back to where they were, and "
            "the bound on the margin falls to 0.",
            _request("perceptron", {**HONAVAR, "max_epochs": 8}, *_corners([0, 1, 1, 0])),
        ),
        Preset(
            "two-points",
            "Two points (Moran et al.)",
            "Two rows of norm 1 and best margin 0.3 on which Algorithm 4 needs about as many corrections as "
            "its bound allows.",
            _request(
                "perceptron",
                {
                    **CLASSIC,
                    "margin": "infinity",
                    "order": "cyclic",
                    "fit_intercept": False,
                    "max_epochs": 200,
                },
                *_two_points(),
            ),
        ),
        Preset(
            "uneven",
            "Uneven margins",
            "The filled class is rare and asks for a target of 4, the other for 0.5.",
            _request("perceptron", {**SHUFFLED, "margin": [0.5, 4.0]}, *_uneven()),
        ),
        Preset(
            "blobs",
            "Noisy blobs",
            "The classes overlap. The last weights jump about; their average, which is returned in the end, "
            "is calm.",
            _request("perceptron", {**SHUFFLED, "result": "average", "max_epochs": 5}, *_blobs(60, 1.15)),
        ),
        Preset(
            "circle",
            "A circle (kernel)",
            "No line separates the inside of a circle from its outside, but a sum of bumps on the rows does.",
            _request(
                "kernel",
                {**CLASSIC, "kernel": "rbf", "gamma": 1.0, "order": "cyclic", "max_epochs": 20},
                *_circle(),
            ),
        ),
        Preset(
            "iris",
            "Iris: two petals",
            "Setosa and versicolor are separable by their petals; the theorem's bound is far above what was "
            "needed.",
            _request("perceptron", SHUFFLED, *_iris()),
        ),
        Preset(
            "cancer",
            "Breast cancer: two columns",
            "569 real rows, standardized, that no line separates by these two columns: training ends by a "
            "proof that no margin worth looking for is left.",
            _request(
                "perceptron",
                {"order": "shuffle", "max_epochs": 6, "random_state": 0, "result": "auto", "margin": "auto"},
                *_cancer(),
            ),
        ),
        Preset(
            "interval",
            "The interval closes (MinOver)",
            "Always the worst row is corrected. The margin comes up and the bound comes down, until both are "
            "within 2 % of each other.",
            _request(
                "perceptron",
                {**CLASSIC, "order": "worst", "tol": 0.02, "intercept_scaling": "radius", "max_epochs": 1000},
                *_blobs(40, 0.5),
            ),
        ),
        Preset(
            "maximum",
            "Maximum margin",
            "The largest margin, in a few looks at all rows. The support rows, ringed, prove that it is.",
            _request("maximum", {"tol": 0.001}, *_blobs(40, 0.5)),
        ),
        Preset(
            "rejecting",
            "Conservative: a band",
            "Between the two lines the model does not answer. Make errors dearer, and the band widens.",
            _request(
                "conservative",
                {"rule": "cplr2", "reject_cost": 0.15, "max_epochs": 30, "random_state": 0},
                *_blobs(70, 1.15),
            ),
        ),
        Preset(
            "cube",
            "Binary: corners of a cube",
            "Weights are −1, 0 or +1: corners, edges and faces of a cube. Rows are counted one by one.",
            _request("binary", {"method": "clipped-hebb", "random_state": 0}, *_bits()),
        ),
        Preset(
            "rules",
            "Rules: half-planes",
            "Each rule says that a column is large, or two columns are; rules that hold add their weights.",
            _request("sparse", {"k": 2, "max_rules": 4, "max_points": None, "random_state": 0}, *_steps()),
        ),
    ]


def _request(
    learner: str, settings: dict[str, Any], X: Array, y: Array, columns: list[str], classes: list[str]
) -> dict[str, Any]:
    rows, labels = X.tolist(), y.astype(int).tolist()
    given = {"columns": columns, "classes": classes}
    return {"learner": learner, "settings": settings, "rows": rows, "labels": labels, **given}


def _named(X: Array, y: Array) -> tuple[Array, Array, list[str], list[str]]:
    return X.round(3), y, [f"x{j + 1}" for j in range(X.shape[1])], ["0", "1"]


def _corners(labels: list[int]) -> tuple[Array, Array, list[str], list[str]]:
    return _named(np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array(labels))


def _two_points() -> tuple[Array, Array, list[str], list[str]]:
    X, y = two_point(0.3)
    return X, (y > 0).astype(int), ["x1", "x2"], ["0", "1"]


def _blobs(n: int, spread: float) -> tuple[Array, Array, list[str], list[str]]:
    rng = np.random.default_rng(7)
    y = np.arange(n) % 2
    X = np.where(y[:, None] > 0, [1.2, 0.8], [-1.2, -0.8]) + spread * rng.standard_normal((n, 2))
    return _named(X, y)


def _uneven() -> tuple[Array, Array, list[str], list[str]]:
    rng = np.random.default_rng(3)
    y = (np.arange(48) % 8 == 0).astype(int)
    X = np.where(y[:, None] > 0, [1.6, 1.6], [-0.6, -0.6]) + 0.45 * rng.standard_normal((48, 2))
    return _named(X, y)


def _circle() -> tuple[Array, Array, list[str], list[str]]:
    rng = np.random.default_rng(1)
    y = np.arange(70) % 2
    radius = np.where(y > 0, rng.uniform(0.0, 0.85, 70), rng.uniform(1.15, 2.0, 70))
    angle = rng.uniform(0.0, 2 * np.pi, 70)
    return _named(np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), y)


def _iris() -> tuple[Array, Array, list[str], list[str]]:
    data = load_iris()
    X, y = data.data[:100, 2:], data.target[:100]
    return X, y, ["petal length (cm)", "petal width (cm)"], ["setosa", "versicolor"]


def _cancer() -> tuple[Array, Array, list[str], list[str]]:
    data = load_breast_cancer()
    X = data.data[:, [0, 1]]
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    return X.round(4), data.target, ["mean radius", "mean texture"], ["malignant", "benign"]


def _bits() -> tuple[Array, Array, list[str], list[str]]:
    rng = np.random.default_rng(5)
    X = rng.integers(0, 2, (40, 3)).astype(float)
    y = (2 * X - 1) @ [1, -1, 1] > 0
    y[::8] = ~y[::8]
    return X, y.astype(int), ["x1", "x2", "x3"], ["0", "1"]


def _steps() -> tuple[Array, Array, list[str], list[str]]:
    rng = np.random.default_rng(2)
    X = rng.uniform(0.0, 10.0, (120, 2)).round(1)
    y = ((X[:, 0] > 6) & (X[:, 1] > 3)) | (X[:, 1] > 8) | ((X[:, 0] < 2) & (X[:, 1] < 4))
    y ^= rng.random(120) < 0.03
    return X, y.astype(int), ["x1", "x2"], ["0", "1"]
