"""What is fitted: name → (exact on every machine, a function that returns a fitted estimator)."""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from perceptrons import (
    NAMED,
    BinaryPerceptron,
    ChowClassifier,
    ConservativePerceptron,
    Costs,
    KernelPerceptron,
    LiteralEncoder,
    MarginProjection,
    MaxMarginPerceptron,
    Perceptron,
    PrunedPerceptron,
    SparsePerceptron,
    TableEncoder,
)


class Case(NamedTuple):
    exact: bool  # whole numbers: the same bits on every machine
    fit: Callable[[], Any]


@cache
def whole_numbers(n_rows: int = 150, n_columns: int = 6, n_classes: int = 2, noise: float = 0.0) -> Any:
    """Rows of small integers, labeled by a linear rule, some of the labels turned."""
    rng = np.random.RandomState(5)
    X = rng.randint(-4, 5, (n_rows, n_columns)).astype(np.float64)
    scores = X @ rng.randint(-3, 4, (n_columns, n_classes)) + rng.randint(-2, 3, n_classes)
    y = scores.argmax(axis=1)
    y[rng.uniform(size=n_rows) < noise] = 0
    return X, y


@cache
def bits(n_rows: int = 400, n_columns: int = 21) -> Any:
    rng = np.random.RandomState(6)
    X = rng.choice([-1, 1], (n_rows, n_columns)).astype(np.int8)
    return X, (X @ rng.choice([-1, 1], n_columns) > 0).astype(int)


@cache
def flowers(two: bool = False) -> Any:
    X, y = load_iris(return_X_y=True)
    return (X[50:], y[50:]) if two else (X, y)


@cache
def tumors() -> Any:
    X, y = load_breast_cancer(return_X_y=True)
    return StandardScaler().fit_transform(X), y


def table() -> Any:
    """Words, numbers and gaps."""
    import pandas as pd

    rng = np.random.RandomState(7)
    frame = pd.DataFrame(
        {
            "origin": rng.choice(["Kenya", "Brazil", "Vietnam"], 90),
            "altitude": rng.randint(600, 2000, 90).astype(float),
            "washed": rng.choice([True, False], 90),
        }
    )
    y = np.where((frame.altitude > 1200) & (frame.origin != "Vietnam"), "fine", "plain")
    frame.loc[::9, "altitude"] = np.nan
    return frame, y


def _margin() -> Iterator[tuple[str, Case]]:
    settings = {
        **{
            f"named-{name}": {"max_epochs": 60, **chosen}
            for name, chosen in NAMED.items()
            if name != "infinity"
        },
        "default": {"max_epochs": 60},
        "cyclic": {"order": "cyclic", "max_epochs": 60},
        "active": {"order": "active", "max_epochs": 60},
        "no-intercept": {"fit_intercept": False, "max_epochs": 60},
        "tol": {"order": "worst", "tol": 0.1, "max_epochs": 3000},
        "pocket": {"result": "pocket", "max_epochs": 60},
    }
    for name, chosen in settings.items():
        whole = chosen.get("step", "fixed") == "fixed" and chosen.get("margin", 0.0) != "growing"
        lift = {"intercept_scaling": 2} if whole else {}
        for noise in (0.0, 0.1):
            model = Perceptron(**{"random_state": 3, **chosen, **lift})
            rows = whole_numbers(noise=noise)
            yield f"perceptron-{name}-{noise}", Case(whole, lambda m=model, d=rows: m.fit(*d))
    X, y = whole_numbers(n_classes=4)
    many = Perceptron(random_state=3, max_epochs=60, intercept_scaling=2, result="last")
    yield "perceptron-classes", Case(True, lambda: many.fit(X, y))
    yield "perceptron-sparse", Case(True, lambda: many.fit(sp.csr_array(X), y))
    yield "perceptron-radius", Case(False, lambda: Perceptron(random_state=3, max_epochs=60).fit(*tumors()))
    yield "perceptron-float32", Case(False, lambda: many.fit(tumors()[0].astype("f4"), tumors()[1]))
    yield "perceptron-stream", Case(True, lambda: _streamed(Perceptron(random_state=3, intercept_scaling=2)))
    for kernel in ("linear", "rbf", "poly"):
        classic = {"margin": 0.0, "compress": False}
        model = KernelPerceptron(kernel, **classic, max_epochs=60, random_state=3)
        yield f"kernel-{kernel}", Case(False, lambda m=model: m.fit(*flowers()))
    for C in (np.inf, 1.0):
        yield f"max-margin-{C}", Case(False, lambda C=C: MaxMarginPerceptron(C=C).fit(*tumors()))
        yield f"max-margin-classes-{C}", Case(False, lambda C=C: MaxMarginPerceptron(C=C).fit(*flowers()))
    yield "projection", Case(False, lambda: MarginProjection(5, random_state=3).fit(*tumors()))


def _streamed(model: Any) -> Any:
    X, y = whole_numbers(noise=0.1)
    for start in range(0, len(y), 40):
        model.partial_fit(X[start : start + 40], y[start : start + 40], classes=[0, 1])
    return model


def _sparse() -> Iterator[tuple[str, Case]]:
    for name, chosen in {
        "cv": {},
        "k3": {"k": 3, "stages": 12},
        "k1": {"k": 1, "stages": 12},
        "beam": {"k": 3, "stages": 8, "beam": 5},
        "no-penalty": {"penalty": False, "stages": 12},
        "majority": {"booster": "majority", "stages": 15, "target_size": 5},
        "majority-cv": {"booster": "majority", "max_stages": 15},
    }.items():
        model = SparsePerceptron(refit="stagewise", random_state=3, **chosen)
        yield f"sparse-{name}", Case(False, lambda m=model: m.fit(*table()))
        yield f"sparse-classes-{name}", Case(False, lambda m=model: m.fit(*flowers()))
    for name, chosen in {"together": {}, "few": {"max_rules": 4}, "together-k3": {"k": 3}}.items():
        model = SparsePerceptron(random_state=3, **chosen)
        yield f"sparse-{name}", Case(False, lambda m=model: m.fit(*table()))
        yield f"sparse-classes-{name}", Case(False, lambda m=model: m.fit(*flowers()))
    for k in (1, 2):
        yield f"pruned-{k}", Case(False, lambda k=k: PrunedPerceptron(k=k, random_state=3).fit(*table()))


def _conservative() -> Iterator[tuple[str, Case]]:
    for rule in ("cplr1", "cplr2"):
        for band in ("learnt", "exact"):
            model = ConservativePerceptron(rule=rule, band=band, n_restarts=3, max_epochs=30, random_state=3)
            yield f"conservative-{rule}-{band}", Case(False, lambda m=model: m.fit(*flowers(two=True)))
    costs = Costs(gain=0.1, wrong={1: 2.0, 2: 1.0}, reject=0.3)
    unequal = ConservativePerceptron(costs=costs, band="learned", n_restarts=2, max_epochs=20, random_state=3)
    yield "conservative-costs", Case(False, lambda: unequal.fit(*flowers(two=True)))
    chow = ChowClassifier(Perceptron(result="average", max_epochs=30, random_state=3))
    yield "chow", Case(False, lambda: chow.fit(*flowers(two=True)))
    yield "chow-logistic", Case(False, lambda: ChowClassifier(LogisticRegression()).fit(*flowers(two=True)))


def _binary() -> Iterator[tuple[str, Case]]:
    for method in ("influence", "clipped-hebb", "sbpi"):
        for threshold in ("auto", "figure-1", "min-error"):
            how = {"method": method, "epsilon": 0.1, "threshold": threshold, "max_epochs": 50}
            model = BinaryPerceptron(**how, random_state=3)
            yield f"binary-{method}-{threshold}", Case(True, lambda m=model: m.fit(*bits()))
    medians = BinaryPerceptron(epsilon=0.1, random_state=3)
    yield "binary-medians", Case(True, lambda: medians.fit(*tumors()))
    yield "binary-auto", Case(True, lambda: BinaryPerceptron(random_state=3).fit(*tumors()))


def _encoders() -> Iterator[tuple[str, Case]]:
    yield "table-encoder", Case(False, lambda: TableEncoder().fit(table()[0]))
    yield "literal-encoder", Case(False, lambda: LiteralEncoder().fit(table()[0]))
    behind = make_pipeline(TableEncoder(), Perceptron(max_epochs=60, random_state=3))
    yield "pipeline", Case(False, lambda: behind.fit(*table()))


def cases() -> dict[str, Case]:
    """Every case by its name. Networks are in `networks`: they need torch."""
    rooms = (_margin(), _sparse(), _conservative(), _binary(), _encoders())
    return {name: case for room in rooms for name, case in room}


def networks() -> dict[str, Case]:
    from perceptrons.neural import Growing, MarginMLPClassifier

    chosen = {
        "default": {"optimizer": "sgd"},
        "growing": {"schedule": Growing(0.5)},
        "errors": {"n_errors": 10},
    }
    found = {}
    for name, settings in chosen.items():
        model = MarginMLPClassifier(hidden_size=8, max_epochs=5, random_state=3, **settings)
        found[f"network-{name}"] = Case(False, lambda m=model: m.fit(*flowers()))
    return found
