"""Many classes: default fits beside scikit-learn's, with one thread and with two; what weights cost.

python -m benchmarks.classes hundred     # the extra memory of one fit, in bytes
"""

import json
import os
import sys
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.linear_model import Perceptron as SklearnPerceptron
from sklearn.linear_model import SGDClassifier
from threadpoolctl import threadpool_limits

from perceptrons import Perceptron, datasets

from .children import ask
from .everyday_tables import Fold
from .layout import Column, Section
from .peak_memory import forget_peak, peak
from .timing import interleave

OURS, THREADS, WEIGHTED, PEER, AVERAGED = "ours", "threads", "weighted", "peer", "averaged"
MODELS: dict[str, Callable[[], Any]] = {
    OURS: lambda: Perceptron(random_state=0),
    THREADS: lambda: Perceptron(random_state=0, n_jobs=2),
    WEIGHTED: lambda: Perceptron(random_state=0, class_weight="balanced"),
    PEER: lambda: SklearnPerceptron(random_state=0),
    AVERAGED: lambda: SGDClassifier(
        loss="perceptron", average=True, learning_rate="constant", eta0=1.0, penalty=None, random_state=0
    ),
}
COLUMNS = [
    Column("name", "rows", "text"),
    Column("classes", "classes", "count"),
    *(Column(key, header, "time") for key, header in ((OURS, "Perceptron()"), (THREADS, "two threads"))),
    Column(PEER, "sk Perceptron", "time"),
    Column("share", "ours / sk", "ratio"),
    Column("threaded_share", "two threads / sk", "ratio"),
    Column("accuracy", "accuracy", "percent"),
    Column("peer_accuracy", "sk's", "percent"),
    Column("averaged_accuracy", "sk's, averaged", "percent"),
    Column("weighted_share", "with weights / without", "ratio"),
    Column("extra", "peak extra memory", "bytes"),
    Column("of_input", "of the input", "percent"),
]
NOTES = [
    "All models as they come, float64; accuracy on new rows. Extra memory: of a fit with one thread, in a "
    "process of its own, beyond its rows. With weights: class_weight='balanced'.",
]


def hundred(quick: bool) -> Fold:
    """A hundred classes around centers that overlap."""
    rng, (m, n, k) = np.random.default_rng(0), (2_000, 20, 20) if quick else (50_000, 100, 100)
    centers, labels = rng.standard_normal((k, n)), rng.integers(k, size=2 * m)
    X = centers[labels] + 1.5 * rng.standard_normal((2 * m, n))
    return Fold(X[:m], labels[:m], X[m:], labels[m:])


def digits(quick: bool) -> Fold:
    """MNIST's ten digits, all of them."""
    found, some = datasets.mnist(), 2_000 if quick else None
    X, X_test = (images[:some].reshape(-1, 784) / 255.0 for images in (found.train_images, found.test_images))
    return Fold(X, found.train_labels[:some], X_test, found.test_labels[:some])


SETS = {"mnist": ("MNIST", digits), "hundred": ("a hundred centers", hundred)}


def run(quick: bool) -> dict[str, Any]:
    section = Section("Default fits of many classes", COLUMNS, [])
    available = [name for name in SETS if name != "mnist" or os.environ.get("PERCEPTRONS_DATA")]
    rounds = 1 if quick else 3
    for name in available:
        _add_row(section, name, quick, rounds)
    left_out = ["MNIST left out: PERCEPTRONS_DATA is not set."] if "mnist" not in available else []
    return {"sizes": {"rounds": rounds}, "notes": NOTES + left_out, "sections": [section]}


def _add_row(section: Section, name: str, quick: bool, rounds: int) -> None:
    title, make = SETS[name]
    fold, fitted = make(quick), {}
    print(f"{title} ...", flush=True)

    def fit(key: str) -> None:
        fitted[key] = MODELS[key]().fit(fold.X, fold.y)

    with threadpool_limits(1):
        times = interleave({key: partial(fit, key) for key in MODELS}, rounds)
    scores = {key: float(model.score(fold.X_test, fold.y_test)) for key, model in fitted.items()}
    extra = ask(["-m", "benchmarks.classes", name, *["quick"] * quick])
    section.raw[name] = {"seconds": times.seconds, "accuracy": scores, "extra_bytes": extra}
    m, n = fold.X.shape
    section.rows.append(
        {
            "id": name,
            "name": f"{title}, {m:,}×{n}",
            "classes": len(np.unique(fold.y)),
            **{key: times.median(key) for key in (OURS, THREADS, PEER)},
            "share": times.ratio(OURS, PEER),
            "threaded_share": times.ratio(THREADS, PEER),
            "accuracy": scores[OURS],
            "peer_accuracy": scores[PEER],
            "averaged_accuracy": scores[AVERAGED],
            "weighted_share": times.ratio(WEIGHTED, OURS),
            "extra": extra,
            "of_input": extra / fold.X.nbytes,
        }
    )


def extra_bytes(name: str, quick: bool) -> int:
    """Of one fit, beyond its rows; all code has been loaded before."""
    fold = SETS[name][1](quick)
    MODELS[OURS]().fit(fold.X[:1000], fold.y[:1000])
    forget_peak()
    before = peak()
    MODELS[OURS]().fit(fold.X, fold.y)
    return peak() - before


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(json.dumps(extra_bytes(sys.argv[1], "quick" in sys.argv)))
