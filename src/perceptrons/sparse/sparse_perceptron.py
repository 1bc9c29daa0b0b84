"""`SparsePerceptron`: Jackson and Craven, "Learning Sparse Perceptrons", boosted conjunctions (section 3).

Deviations: numeric columns become literals `x > t`; rows and classes may have weights; of more than two
classes each is learned against the rest, with the same number of stages, and weights are shares of a vote;
thresholds and categories are learned once, from all rows, before the cross-validation that counts stages.
"""

import warnings
from collections.abc import Iterator
from typing import Any, ClassVar

from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from ..base import codes_of
from ..data.literals import LiteralEncoder
from ..data.rows import Array
from ..data.threads import one_thread
from ..fields import Field
from .boosting import merged
from .problem import Problem, read_problem
from .record import BOOSTED, restore_runs
from .rules import WeightedConjunctions
from .settings import CV, THEORY, Settings, check_size, read_settings
from .staging import (
    best_stages,
    cross_validate,
    is_still_rising,
    run,
    splits_of,
    staged_scores,
    stages_in_theory,
)


class SparsePerceptron(WeightedConjunctions):
    """A short list of weighted conjunctions: f(x) = sign(Σ v_h·h(x)), h of at most k literals.

    Takes tables as they are: frames or arrays of numbers, names and truth values, with cells missing, and
    sparse matrices of numbers. `LiteralEncoder` makes literals of them.

    Parameters
    ----------
    k : 1 or 2, the most literals of a conjunction.
    stages : how often boosting adds a conjunction. "cv": as often as gives the highest accuracy in an inner
        cross-validation, the fewest if several do; a number; "theory": as often as makes a model right on all
        rows, if there is one of integer weights whose absolute sum is `target_size`.
    cv : the folds of "cv": a number (fewer if no class has so many rows), a scikit-learn splitter, or a list
        of (train, test) rows.
    max_stages : the most that "cv" tries; None is the number of literals, as in the paper. It limits stages,
        not weights; where literals are few, more stages may be better, and a warning says so if the last was.
    target_size : for "theory"; the constant's weight is included.
    booster : "adaboost".
    penalty : whether a conjunction of several literals counts 1/k of its correlation, so that simple ones are
        preferred.
    n_thresholds : at most so many literals `x > t` of a numeric column.
    class_weight : None, "balanced", or a dict of class → weight.
    random_state : draws the folds of "cv".

    Attributes
    ----------
    conjunctions_ : list of conjunctions; `str` says each in words.
    weights_ : array, one weight per conjunction; of more than two classes, a row of them per class, divided
        by the sum of its stages' weights.
    intercept_ : the weights of the constant, which is a hypothesis like any other, but not counted.
    n_weights_ : how many weights are not 0; of more than two classes, an array.
    stages_ : the number of stages.
    cv_accuracy_ : array, the accuracy in cross-validation after 1, 2, … stages; None without.
    history_ : list of `Stage` (literals, by their places in `encoder_.literals_`; sign, error, weight); of
        more than two classes, a list of lists.
    encoder_ : the fitted `LiteralEncoder`.
    classes_, n_features_in_, feature_names_in_ : as in scikit-learn.

    Examples
    --------
    >>> import pandas as pd
    >>> from perceptrons import SparsePerceptron
    >>> caps = ["red", "red", "brown", "brown", "white", "white"]
    >>> table = pd.DataFrame({"cap": caps, "width": [3, 8, 2, 9, 4, 7]})
    >>> kinds = ["poisonous", "poisonous", "edible", "poisonous", "edible", "edible"]
    >>> model = SparsePerceptron(stages=3).fit(table, kinds)
    >>> print(model.to_text())
    poisonous if the sum is > 0, else edible.
    A rule adds its weight where it holds, and subtracts it where it does not.
    <BLANKLINE>
      +2.83  width > 7
      -2.20  cap = white
      +1.61  cap = red
    >>> print(model.explain(table.iloc[3]))
    poisonous, because
      +2.83  width > 7: yes
      +2.20  cap = white: no
      -1.61  cap = red: no
      +3.42  is the sum, for poisonous
    """

    _file_fields: ClassVar[dict[str, Field]] = BOOSTED

    def __init__(
        self,
        *,
        k: int = 2,
        stages: Any = "cv",
        cv: Any = 5,
        max_stages: int | None = None,
        target_size: int | None = None,
        booster: str = "adaboost",
        penalty: bool = True,
        n_thresholds: int = 8,
        class_weight: Any = None,
        random_state: Any = None,
    ) -> None:
        self.k = k
        self.stages = stages
        self.cv = cv
        self.max_stages = max_stages
        self.target_size = target_size
        self.booster = booster
        self.penalty = penalty
        self.n_thresholds = n_thresholds
        self.class_weight = class_weight
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "SparsePerceptron":
        """Learn from the rows of a table and their classes; rows of weight 0 are not learned from."""
        settings = read_settings(self)
        encoder = LiteralEncoder(n_thresholds=self.n_thresholds)
        with one_thread():
            problem = read_problem(encoder, X, y, sample_weight, self.class_weight)
            check_size(problem.data.n_literals, settings.k)
            n_stages, accuracies = self._count_stages(X, y, problem, settings)
            runs = run(problem, n_stages, settings)
        self._adopt(problem.classes, encoder)
        self._runs, self.cv_accuracy_ = runs, accuracies
        self._derive()
        self._warn()
        return self

    def _count_stages(self, X: Any, y: Any, problem: Problem, settings: Settings) -> tuple[int, Array | None]:
        """How many, and the accuracies they were chosen by."""
        if settings.stages == THEORY:
            return stages_in_theory(problem.weights, settings), None
        if settings.stages != CV:
            return int(settings.stages), None
        splits = splits_of(self.cv, self.random_state, X, y, problem)
        accuracies = cross_validate(problem, settings, splits)
        return best_stages(accuracies), accuracies

    def _loaded(self) -> None:
        restore_runs(self)
        self._derive()

    def _derive(self) -> None:
        """What follows from the stages."""
        self._places, self._weights, self.intercept_ = merged(self._runs)
        self.history_ = self._runs[0] if len(self._runs) == 1 else self._runs
        self.stages_ = max(map(len, self._runs))
        self._publish()

    def _warn(self) -> None:
        accuracies = self.cv_accuracy_
        if accuracies is not None and is_still_rising(accuracies):
            warnings.warn(
                f"Of all numbers of stages the last tried, max_stages={len(accuracies)}, was the best in "
                "cross-validation; raise max_stages: more may be better.",
                ConvergenceWarning,
                stacklevel=3,
            )
        labels = self.classes_.tolist()[-len(self._runs) :]
        for label, stages in zip(labels, self._runs, strict=True):
            if not stages:
                warnings.warn(
                    f"No conjunction of at most k={self.k} literals tells {label!r} from the rest better "
                    "than chance, so nothing is learned about it; add columns.",
                    ConvergenceWarning,
                    stacklevel=3,
                )

    def staged_predict(self, X: Any) -> Iterator[Array]:
        """The classes predicted after each stage of boosting."""
        check_is_fitted(self)
        conjunctions = list(dict.fromkeys([(), *(stage.literals for one in self._runs for stage in one)]))
        columns = dict(zip(conjunctions, self._conjoined(X, conjunctions).T, strict=True))
        for scores in staged_scores(columns.__getitem__, self._runs):
            yield self.classes_[codes_of(scores)]
