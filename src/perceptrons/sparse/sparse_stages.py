"""What a `SparsePerceptron` says after each stage of its boosting, as in scikit-learn's AdaBoost."""

from collections.abc import Iterator
from typing import Any

from sklearn.metrics import accuracy_score
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from .._types import Array
from ..base import codes_of
from .runs import staged_scores
from .sparse_fitted import FittedSparse, as_probabilities, has_risks


def in_stages(model: Any) -> bool:
    """Was it boosted stage by stage?"""
    if getattr(model, "_vectors", None) is not None:
        raise AttributeError('There are no stages with refit="together"; use refit="stagewise".')
    return True


def in_stages_with_risks(model: Any) -> bool:
    return in_stages(model) and has_risks(model)


class StagedSparse(FittedSparse):
    """The model after 1, 2, … stages."""

    @available_if(in_stages)  # type: ignore[untyped-decorator]
    def staged_predict(self, X: Any) -> Iterator[Array]:
        """The classes predicted after each stage of boosting."""
        for scores in self._staged(X):
            yield self.classes_[codes_of(scores)]

    def _staged(self, X: Any) -> Iterator[Array]:
        """Scores after each stage, a column per weight vector."""
        check_is_fitted(self)
        conjunctions = list(dict.fromkeys([(), *(stage.literals for one in self._runs for stage in one)]))
        columns = dict(zip(conjunctions, self._conjoined(X, conjunctions).T, strict=True))
        yield from staged_scores(columns.__getitem__, self._runs, self.gamma_ is not None)

    @available_if(in_stages)  # type: ignore[untyped-decorator]
    def staged_decision_function(self, X: Any) -> Iterator[Array]:
        """The scores after each stage of boosting; the last are those of `decision_function`."""
        for scores in self._staged(X):
            yield scores.ravel() if scores.shape[1] == 1 else scores

    @available_if(in_stages)  # type: ignore[untyped-decorator]
    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """The accuracy after each stage of boosting."""
        for predicted in self.staged_predict(X):
            yield float(accuracy_score(y, predicted, sample_weight=sample_weight))

    @available_if(in_stages_with_risks)  # type: ignore[untyped-decorator]
    def staged_predict_proba(self, X: Any) -> Iterator[Array]:
        """The probabilities after each stage of boosting, by the calibration of the whole model."""
        for scores in self._staged(X):
            yield as_probabilities(self._shares(scores.T))
