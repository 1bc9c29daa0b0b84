"""scikit-learn's names for our learners: classes to be put in the place of its own, for its own tests.

An adapter takes the parameters of the peer, by the peer's names and with its defaults, and translates those
that we have. All it does is done by our model; attributes that are not the adapter's are the model's.
"""

import inspect
from typing import Any, ClassVar

import sklearn.ensemble
import sklearn.linear_model
import sklearn.svm
from sklearn.base import BaseEstimator, ClassifierMixin

from perceptrons import MaxMarginPerceptron, Perceptron, SparsePerceptron


class Adapter(ClassifierMixin, BaseEstimator):
    """A model of ours under the peer's name."""

    peer: ClassVar[type]
    made: ClassVar[int] = 0  # of all adapters, so that a test that uses none of them is noticed

    def __init_subclass__(cls) -> None:
        if "peer" not in vars(cls):  # a test's own subclass
            return
        signature = inspect.signature(cls.peer.__init__)

        def __init__(self: Any, *arguments: Any, **named: Any) -> None:
            Adapter.made += 1
            bound = signature.bind(self, *arguments, **named)
            bound.apply_defaults()
            for name in [*signature.parameters][1:]:
                setattr(self, name, bound.arguments[name])

        __init__.__signature__ = signature
        cls.__init__ = __init__

    def translated(self) -> Any:
        """Our model with these parameters."""
        raise NotImplementedError

    def fit(self, X: Any, y: Any, *rest: Any, **named: Any) -> Any:
        again = getattr(self, "warm_start", False) and "model" in vars(self)
        self.model = self.model if again else self.translated()
        self.model.fit(X, y, *rest, **named)
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Any:
        if "model" not in vars(self):
            self.model = self.translated()
        self.model.partial_fit(X, y, classes=classes, sample_weight=sample_weight)
        return self

    def predict(self, X: Any) -> Any:
        return self.model.predict(X)

    def decision_function(self, X: Any) -> Any:
        return self.model.decision_function(X)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or "model" not in vars(self):
            raise AttributeError(name)
        return getattr(self.model, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("coef_", "intercept_"):
            setattr(self.model, name, value)
        else:
            super().__setattr__(name, value)


def stochastic(peer: Any, **how: Any) -> Perceptron:
    """What the three learners by single rows have in common. An intercept is a weight of a column of ones."""
    return Perceptron(
        order="shuffle" if peer.shuffle else "cyclic", max_epochs=peer.max_iter, min_margin=0.0,
        fit_intercept=peer.fit_intercept, intercept_scaling=1.0, random_state=peer.random_state,
        class_weight=peer.class_weight, n_jobs=peer.n_jobs, warm_start=peer.warm_start, **how,
    )  # fmt: skip


class PeerPerceptron(Adapter):
    peer = sklearn.linear_model.Perceptron

    def translated(self) -> Any:
        return stochastic(self, eta=self.eta0, result="last")


class PeerPassiveAggressive(Adapter):
    peer = sklearn.linear_model.PassiveAggressiveClassifier

    def translated(self) -> Any:
        result = "average" if self.average else "last"
        return stochastic(self, step="passive-aggressive", eta=self.C, margin=1.0, result=result)


class PeerSGD(Adapter):
    """Its default loss, the hinge of margin 1, without a penalty; steps of 1 where it lets them shrink."""

    peer = sklearn.linear_model.SGDClassifier

    def translated(self) -> Any:
        result, margin = "average" if self.average else "last", 0.0 if self.loss == "perceptron" else 1.0
        eta = self.eta0 if self.learning_rate == "constant" else 1.0
        return stochastic(self, eta=eta, margin=margin, result=result)


class PeerLinearSVC(Adapter):
    """Squared slack, as by default; ours counts half of it, and does not shrink the intercept."""

    peer = sklearn.svm.LinearSVC

    def translated(self) -> Any:
        return MaxMarginPerceptron(
            C=2.0 * self.C, tol=self.tol, fit_intercept=self.fit_intercept, class_weight=self.class_weight
        )


class PeerAdaBoost(Adapter):
    """Boosted single literals."""

    peer = sklearn.ensemble.AdaBoostClassifier

    def translated(self) -> Any:
        return SparsePerceptron(k=1, stages=self.n_estimators, random_state=self.random_state)


SUBSTITUTES = {
    "sklearn.linear_model": {
        "Perceptron": PeerPerceptron,
        "PassiveAggressiveClassifier": PeerPassiveAggressive,
        "SGDClassifier": PeerSGD,
    },
    "sklearn.svm": {"LinearSVC": PeerLinearSVC},
    "sklearn.ensemble": {"AdaBoostClassifier": PeerAdaBoost},
}
