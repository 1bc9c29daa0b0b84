"""Who makes scorecards: ours and, where installed, two makers of risk scores; and two without whole points.

    pip install --no-deps fasterrisk==0.1.10 && pip install imodels

fasterrisk asks for NumPy, pandas and scikit-learn of 2022 and 2023, but runs with today's, except for one
name that NumPy 2.3 dropped.
"""

import inspect
import warnings
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from perceptrons import LiteralEncoder, SparsePerceptron

OURS, FEW_STAGES, SIZES = "majority 2", (7, 15), (5, 10)
Points = Callable[[Any], np.ndarray]  # of a fitted model, that of the constant left out


class Learner(NamedTuple):
    id: str
    name: str
    make: Callable[[int], Any]  # of a seed
    points: Points
    integers: bool = True
    package: str = "sklearn"
    read: Callable[[Any], Any] = lambda X: X  # makes of a table what the learner takes, not timed

    def installed(self) -> bool:
        return find_spec(self.package) is not None


def learners(quick: bool) -> list[Learner]:
    most = max(FEW_STAGES) if quick else None
    cards = [_ours(k, stages, most) for stages in ("cv", *FEW_STAGES) for k in (1, 2)]
    return [*cards, _adaboost(), _logistic(), *map(_fasterrisk, SIZES), *map(_imodels, SIZES)]


def _ours(k: int, stages: Any, most: int | None) -> Learner:
    given = "" if stages == "cv" else f", {stages} stages"
    how: dict[str, Any] = {"k": k, "stages": stages, "max_stages": most, "booster": "majority"}

    def make(seed: int) -> SparsePerceptron:
        return SparsePerceptron(**how, random_state=seed)

    return Learner(f"majority {k}{given}", f"majority, k={k}{given}", make, lambda model: model.weights_)


def _adaboost() -> Learner:
    def make(seed: int) -> SparsePerceptron:
        return SparsePerceptron(refit="stagewise", random_state=seed)

    return Learner("adaboost 2", "AdaBoost, k=2", make, lambda model: model.weights_, integers=False)


def _logistic() -> Learner:
    def make(seed: int) -> Any:
        return make_pipeline(LiteralEncoder(), LogisticRegression(max_iter=10_000))

    return Learner("logistic", "logistic regression", make, lambda model: model[-1].coef_[0], integers=False)


def _fasterrisk(k: int) -> Learner:
    def make(seed: int) -> FasterRisk:
        return FasterRisk(k)

    name, package = f"fasterrisk, {k} features", "fasterrisk"
    return Learner(f"fasterrisk {k}", name, make, lambda model: model.card.coefficients, package=package)


def _imodels(k: int) -> Learner:
    def make(seed: int) -> Any:
        with warnings.catch_warnings():  # to import it changes which warnings are shown
            from imodels import FastRiskScoreClassifier
        return FastRiskScoreClassifier(k=k)

    how: dict[str, Any] = {"package": "imodels", "read": _as_pandas}
    return Learner(f"imodels {k}", f"imodels, {k} features", make, lambda model: model.coef_, **how)


def _as_pandas(X: Any) -> Any:
    import pandas as pd

    return X if isinstance(X, np.ndarray) else pd.DataFrame(X.to_dict(as_series=False))


class FasterRisk:
    """The best risk score of its pool, on our literals."""

    def __init__(self, k: int) -> None:
        self.k = k

    def fit(self, X: Any, y: np.ndarray) -> "FasterRisk":
        risks = _fasterrisk_module()
        self.encoder, self.classes = LiteralEncoder().fit(X), np.unique(y)
        search = risks.RiskScoreOptimizer(
            self._literals(X), np.where(y == self.classes[1], 1.0, -1.0), self.k
        )
        search.optimize()
        self.card = risks.RiskScoreClassifier(*search.get_models(0))
        return self

    def _literals(self, X: Any) -> np.ndarray:
        rows = self.encoder.transform(X)
        return np.asarray(rows.toarray() if self.encoder.sparse_ else rows, np.float64)

    def decision_function(self, X: Any) -> np.ndarray:
        return np.asarray(self.card.predict_prob(self._literals(X)))

    def predict(self, X: Any) -> np.ndarray:
        return np.asarray(self.classes[(self.card.predict(self._literals(X)) > 0).astype(np.intp)])


@cache
def _fasterrisk_module() -> Any:
    """Its rounding calls `tostring`, which NumPy 2.3 dropped: `tobytes` is the same by another name."""
    from fasterrisk import rounding

    source = inspect.getsource(rounding).replace(".tostring()", ".tobytes()")
    exec(compile(source, rounding.__file__, "exec"), rounding.__dict__)
    from fasterrisk import fasterrisk

    return fasterrisk
