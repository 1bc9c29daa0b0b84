"""How Sundararajan and Pal, Section 4, compare: rows of Pima split 568/200 at random, risks of the 200.

Like them, of many runs we take the one of the best training result. They do not say how many there were, nor
where Chow's rule has its posteriors from: ours come from a sigmoid on the perceptron's score (Platt), learned
once per split, for they do not depend on what a rejection costs. A split and its learners have the same seed,
but draw by different generators, for different things. A liberal counterpart is the same model with
bands of zero. Bands are those that the rules have learned, also where none would cost less.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ..._types import Array
from ...conservative.chow_classifier import ChowClassifier
from ...conservative.conservative_perceptron import ConservativePerceptron
from ...margin.named import CLASSIC
from ...margin.perceptron import Perceptron

GAMMAS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7)  # the paper: up to 0.5
FIRST_SEEDS, SPLITS, TEST_ROWS = (0, 100), 10, 200
RUNS, FEW_EPOCHS = 20, 10  # of the plain perceptron
RESTARTS = 32  # of the conservative ones, with several pairs of step sizes each
CHOW, ALWAYS = "chow", "always"
CPLR1, CPLR2, EXACT, LIBERAL1, LIBERAL2 = "cplr1", "cplr2", "exact", "liberal1", "liberal2"
NAMES = {
    CHOW: "PLR + Chow",
    CPLR1: "CPLR1",
    LIBERAL1: "CPLR1, liberal counterpart",
    CPLR2: "CPLR2",
    LIBERAL2: "CPLR2, liberal counterpart",
    EXACT: 'CPLR2, band="exact"',
    ALWAYS: "PLR, always answering",
}
CONSERVATIVE: tuple[
    tuple[str, str | None, dict[str, Any]], ...
] = (  # method, its liberal counterpart where we look at it, settings
    (CPLR1, LIBERAL1, {"rule": "cplr1", "band": "learned"}),
    (CPLR2, LIBERAL2, {"rule": "cplr2", "band": "learned"}),
    (EXACT, None, {"rule": "cplr2", "band": "exact"}),
)
# Medians at the first five costs: the lower and the higher of two other sets of ten splits, by an independent
# implementation. The paper has its own in a figure alone.
REFERENCE = {
    CHOW: ((0.092, 0.093), (0.152, 0.158), (0.206, 0.209), (0.230, 0.234), (0.230, 0.233)),
    CPLR1: ((0.093, 0.093), (0.150, 0.154), (0.193, 0.198), (0.241, 0.247), (0.240, 0.240)),
    CPLR2: ((0.088, 0.090), (0.148, 0.156), (0.198, 0.200), (0.225, 0.231), (0.240, 0.243)),
}


class BestOfRuns(ClassifierMixin, BaseEstimator):
    """The perceptron of fewest training errors, of several that visit the rows in different orders."""

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def fit(self, X: Any, y: Any) -> "BestOfRuns":
        runs = [
            Perceptron(**CLASSIC, max_epochs=FEW_EPOCHS, random_state=RUNS * self.seed + run).fit(X, y)
            for run in range(RUNS)
        ]
        self.best_ = max(runs, key=lambda model: float(model.score(X, y)))
        self.classes_ = self.best_.classes_
        return self

    def decision_function(self, X: Any) -> Array:
        return self.best_.decision_function(X)

    def predict(self, X: Any) -> Array:
        return self.best_.predict(X)


class AsLearned(ConservativePerceptron):
    """Its bands are the paper's; `ConservativePerceptron` drops one that costs more than none."""

    _checks_bands = False


class ModelRisk(NamedTuple):
    """One model on the test rows of one split."""

    risk: float
    rejected: float
    zero: bool | None = None  # both bands; None where there are none


class Case(NamedTuple):
    method: str
    seed: int
    gamma: float


class Split(NamedTuple):
    """Rows to learn from, and rows to be judged by."""

    X: Any
    y: Any
    others: Any
    hidden: Any


def split(n_rows: int, seed: int) -> tuple[Array, Array]:
    """Numbers of the rows to learn from, and of those to be judged by."""
    rows = np.random.default_rng(seed).permutation(n_rows)
    return rows[:-TEST_ROWS], rows[-TEST_ROWS:]


def divided(X: Any, y: Any, train: Array, test: Array) -> Split:
    return Split(X[train], y[train], X[test], y[test])


def measured(
    rows: Split, seed: int, gammas: Sequence[float], n_restarts: int, others: Mapping[str, Any] | None = None
) -> Iterator[tuple[Case, ModelRisk]]:
    """All methods on one split; with Chow's rule on `others`, too, by name."""
    frozen = {
        name: posteriors_of(base, rows) for name, base in {CHOW: BestOfRuns(seed), **(others or {})}.items()
    }
    for gamma in gammas:
        for name, posteriors in frozen.items():
            chow = ChowClassifier(posteriors, calibration=None, reject_cost=gamma).fit(rows.X, rows.y)
            yield Case(name, seed, gamma), _risk_of(chow, rows)
            if name == CHOW:
                yield Case(ALWAYS, seed, gamma), _risk_of_liberal(chow, rows)
        for name, liberal, how in CONSERVATIVE:
            model = AsLearned(**how, n_restarts=n_restarts, random_state=seed, reject_cost=gamma)
            model.fit(rows.X, rows.y)
            yield Case(name, seed, gamma), _risk_of(model, rows)
            if liberal:
                yield Case(liberal, seed, gamma), _risk_of_liberal(model, rows)


def posteriors_of(base: Any, rows: Split) -> Any:
    scaled = make_pipeline(StandardScaler(), base)
    return FrozenEstimator(ChowClassifier(scaled).fit(rows.X, rows.y).calibrated_)


def _risk_of(model: Any, rows: Split) -> ModelRisk:
    zero = not model.bands_.any() if hasattr(model, "bands_") else None
    return ModelRisk(
        round(model.risk(rows.others, rows.hidden), 9), float(model.rejects(rows.others).mean()), zero
    )


def _risk_of_liberal(model: Any, rows: Split) -> ModelRisk:
    return ModelRisk(float((model.predict_liberal(rows.others) != rows.hidden).mean()), 0.0)
