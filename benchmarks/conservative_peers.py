"""Who may reject: our two rules, Chow's rule on other classifiers, and scikit-fallback, where installed."""

import warnings
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, NamedTuple

from sklearn.linear_model import LogisticRegression

from perceptrons import ChowClassifier, ConservativePerceptron, Perceptron, risk_score

CPLR1, CPLR2 = "cplr1", "cplr2"
FALLBACK = "skfb"


class Learner(NamedTuple):
    id: str
    name: str
    make: Callable[[], Any]  # classes are ±1, a rejection is 0
    package: str = "sklearn"

    def installed(self) -> bool:
        return find_spec(self.package) is not None


def learners(gamma: float) -> list[Learner]:
    """For rejections that cost γ."""

    def conservative(rule: str) -> Any:
        return ConservativePerceptron(rule=rule, band="learned", reject_cost=gamma, random_state=0)

    perceptron = Perceptron(result="average", max_epochs=100, random_state=0)
    return [
        Learner(CPLR1, "CPLR1", lambda: conservative(CPLR1)),
        Learner(CPLR2, "CPLR2", lambda: conservative(CPLR2)),
        Learner("chow", "Chow, Perceptron", lambda: ChowClassifier(perceptron, reject_cost=gamma)),
        Learner(
            "logistic", "Chow, logistic", lambda: ChowClassifier(LogisticRegression(), reject_cost=gamma)
        ),
        Learner("fallback", "scikit-fallback, logistic", lambda: _fallback(gamma), FALLBACK),
        Learner("fallback cv", "scikit-fallback, logistic, CV", lambda: _fallback_cv(gamma), FALLBACK),
    ]


def _fallback(gamma: float) -> Any:
    """Chow's threshold on the posteriors as they are."""
    how = {"fallback_label": 0, "fallback_mode": "return"}
    return _fallbacks().ThresholdFallbackClassifier(LogisticRegression(), threshold=1 - gamma, **how)


def _fallback_cv(gamma: float) -> Any:
    """The threshold of least risk in five folds, of ten."""

    def saved(y: Any, predicted: Any) -> float:
        return -risk_score(y, predicted, reject_cost=gamma, reject_label=0)

    how = {"fallback_label": 0, "fallback_mode": "return"}
    return _fallbacks().ThresholdFallbackClassifierCV(LogisticRegression(), cv=5, scoring=saved, **how)


def _fallbacks() -> Any:
    """Their module; to import it changes which warnings are shown."""
    with warnings.catch_warnings():
        from skfb import estimators

    return estimators
