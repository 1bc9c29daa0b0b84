"""`SparsePerceptron`: Jackson and Craven, "Learning Sparse Perceptrons", boosted conjunctions (section 3).

Deviations: numeric columns become literals `x > t`; rows and classes may have weights; with more than two
classes each is learned against the rest, with the same number of stages, and weights are shares of a vote;
thresholds and categories are learned once, from all rows, before the cross-validation that chooses the number
of stages.
"""

import warnings
from collections.abc import Iterator
from functools import partial
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from .._types import Array
from ..base import all_or_nothing, codes_of
from ..checks import number
from ..compiled import one_thread, threads
from ..model_file.declarations import Field
from ..tables.literal_encoder import LiteralEncoder
from .boosting import merged
from .encoded_literals import encode_for, encode_literals
from .n_stages import StagePlan, plan_stages, splits_of
from .runs import run_boosting, staged_scores
from .scorecard import Card, card_of, text_of, totals_of
from .sparse_file import FIELDS, check_loaded
from .sparse_parameters import check_size, read_parameters, read_scope
from .suggestions import Suggestion, find_suggestions
from .weighted_conjunctions import Explanation, WeightedConjunctions


class SparsePerceptron(WeightedConjunctions):
    """A short list of weighted conjunctions: f(x) = sign(Σ v_h·h(x)), h of at most k literals.

    Takes tables as they are: frames or arrays of numbers, names and truth values, with cells missing, and
    sparse matrices of numbers. `LiteralEncoder` makes literals of them.

    Parameters
    ----------
    k : int from 1 to 10, default 2; the largest number of literals of a conjunction. From 3 on, see `beam`
        and `max_visits`.
    stages : int, "cv" (default) or "theory"; how often boosting adds a conjunction. An int must be odd if the
        booster is "majority". "cv" takes the number of the highest accuracy in an inner cross-validation, the
        smallest if there are several. "theory" takes as many as make the model right on all rows, if there is
        such a model of integer weights whose absolute sum is `target_size`.
    cv : int, default 5, a scikit-learn splitter, or a list of (train, test) rows; the folds of "cv". There
        are fewer folds than the int says if no class has so many rows.
    max_stages : int or None (default); the largest number that "cv" tries. None is the number of literals, as
        in the paper, but at most 101 votes. It limits stages, not weights. If literals are few, more stages
        may be better; a warning says so if the last number was the best.
    target_size : int or None (default); used by "theory" and for the edge of "majority". It includes the
        weight of the constant.
    booster : "adaboost" (default), or "majority", whose weights are integers: a scorecard. "majority" must
        know beforehand by how much its hypotheses are better than chance: by the edge γ = 1/(2 target_size),
        with the penalty 1/(2 k target_size). Without target_size, cross-validation chooses the edge together
        with the stages.
    penalty : bool, default True; whether a conjunction of several literals counts 1/k of its correlation, so
        that simple ones are preferred.
    beam : int or None (default); from k = 3 on, only the best `beam` conjunctions of each order are extended.
        This is faster, but may miss the best. None extends all that may lead to the best.
    max_visits : int or None (default); the largest number of conjunctions that a stage visits one by one (a
        few more, to finish what was begun). A warning says what may have been missed. None is no limit.
    n_thresholds : int, default 8; the largest number of literals `x > t` of a numeric column.
    keep : None (default), "all", or a list of names; columns of a frame that are not left out although it
        seems that nothing can be learned from them: ids, counters, free text, constant and empty columns.
    class_weight : None (default), "balanced", or a dict of class → weight.
    n_jobs : int or None (default); how many threads learn folds of "cv", and classes against the rest, side
        by side: None is one, -1 one per core. The model is the same. Each thread has the products of its own
        pairs of literals, so that memory grows with them.
    random_state : int, RandomState or None (default); draws the folds of "cv".

    Attributes
    ----------
    conjunctions_ : list of conjunctions; `str` gives each in words.
    weights_ : array, one weight per conjunction; integers if the booster is "majority". With more than two
        classes, a row of them per class, divided by the sum of its stages' weights unless they are votes.
    intercept_ : array, the weights of the constant, which is a hypothesis like any other, but not counted.
    n_weights_ : the number of weights that are not 0; with more than two classes, an array.
    stages_ : the number of stages.
    cv_accuracy_ : array, the accuracy in cross-validation after 1, 2, … stages, or of each of `cv_trials_`;
        None without cross-validation.
    cv_trials_ : list of `BoostingTrial` (stages, gamma) that "majority" tried in cross-validation, or None.
    gamma_ : the edge of "majority"; None for "adaboost".
    missed_ : 0 if every stage found the best conjunction. Otherwise a bound of how much higher the best
        correlation (times 1/k, with the penalty) may be than the one found; None if `beam` was used, since
        the bound is then unknown.
    history_ : list of `Stage` (literals, by their positions in `encoder_.literals_`; sign, error, weight);
        with more than two classes, a list of lists.
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

    _file_fields: ClassVar[dict[str, Field]] = FIELDS

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
        beam: int | None = None,
        max_visits: int | None = None,
        n_thresholds: int = 8,
        keep: Any = None,
        class_weight: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.k = k
        self.stages = stages
        self.cv = cv
        self.max_stages = max_stages
        self.target_size = target_size
        self.booster = booster
        self.penalty = penalty
        self.beam = beam
        self.max_visits = max_visits
        self.n_thresholds = n_thresholds
        self.keep = keep
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "SparsePerceptron":
        """Learn from the rows of a table and their classes; rows of weight 0 are absent."""
        parameters = read_parameters(self)
        with all_or_nothing(self), one_thread(), threads(self.n_jobs) as workers:
            encoder = LiteralEncoder(n_thresholds=self.n_thresholds, keep=self.keep)
            encoded = encode_literals(encoder, X, y, sample_weight, self.class_weight)
            check_size(encoded.data.n_literals, parameters.scope.k)
            splits = partial(splits_of, self.cv, self.random_state, X, y, encoded)
            plan = plan_stages(encoded, parameters, splits, workers)
            runs = run_boosting(encoded, plan.trial, parameters, workers)
            self._adopt(encoded.classes, encoder)
            self._runs, self.gamma_ = runs.stages, plan.trial.gamma
            self.cv_accuracy_, self.cv_trials_ = plan.accuracies, plan.trials
            self.missed_ = None if parameters.scope.k > 2 and parameters.scope.beam else runs.missed
            self._derive()
            self._totals = totals_of(encoded, self._places, self._cards()) if parameters.votes else None
        for words in complaints(self, plan):
            warnings.warn(words, ConvergenceWarning, stacklevel=2)
        return self

    def _loaded(self) -> None:
        check_loaded(self)
        self._derive()

    def _derive(self) -> None:
        """Set what follows from the stages."""
        votes = self.gamma_ is not None
        self._places, self._weights, self.intercept_ = merged(self._runs, votes)
        if votes:
            self._weights, self.intercept_ = self._weights.astype(int), self.intercept_.astype(int)
        self.history_ = self._runs[0] if len(self._runs) == 1 else self._runs
        self.stages_ = max(map(len, self._runs))
        self._publish()

    def staged_predict(self, X: Any) -> Iterator[Array]:
        """The classes predicted after each stage of boosting."""
        check_is_fitted(self)
        conjunctions = list(dict.fromkeys([(), *(stage.literals for one in self._runs for stage in one)]))
        columns = dict(zip(conjunctions, self._conjoined(X, conjunctions).T, strict=True))
        for scores in staged_scores(columns.__getitem__, self._runs, self.gamma_ is not None):
            yield self.classes_[codes_of(scores)]

    def to_text(self) -> str:
        """The model in words, the heaviest weight first. Votes are a scorecard: points, the threshold, and
        how often each total occurred among the training rows."""
        check_is_fitted(self)
        if self._totals is None:
            return super().to_text()
        return text_of(self._cards(), self._totals, [*map(str, self._rules())], self.classes_.tolist())

    def _explained(self, prediction: Any, label: Any, held: Array, vector: int, score: float) -> Explanation:
        """Votes are explained by points."""
        if self._totals is None:
            return super()._explained(prediction, label, held, vector, score)
        return self._cards()[vector].explained(prediction, label, [*map(str, self._rules())], held)

    def _cards(self) -> list[Card]:
        one = len(self._weights) == 1
        return [card_of(*row, one) for row in zip(self._weights, self.intercept_.tolist(), strict=True)]

    def suggest(
        self, X: Any, y: Any, order: int | None = None, *, n_suggestions: int = 10, sample_weight: Any = None
    ) -> list[Suggestion]:
        """Conjunctions of more literals that would explain most of what the model leaves open.

        X, y : rows, usually those the model was fitted to; `sample_weight` as in `fit`.
        order : int or None (default), their number of literals; None is one more than `k`.
        n_suggestions : int, default 10; the largest number of suggestions.

        The largest correlation with the classes, positive or negative, comes first. It is computed under
        weights of rows for which the model's own conjunctions have next to no correlation. `gain` is how much
        larger it is than that of the best part of the conjunction. Conjunctions that a part equals are left
        out, so that there may be fewer suggestions (only the best 50 times as many are examined), and so are
        those that hold in the same rows as another. With more than two classes, each has candidates, and
        `label` names the class. `beam` and `max_visits` apply here, too.
        """
        check_is_fitted(self)
        scope = read_scope(self, self.k + 1 if order is None else order, "order")._replace(penalty=False)
        number("n_suggestions", n_suggestions, "[1, 1000]", "use 10", Integral)
        with one_thread():
            encoded = encode_for(self, X, y, sample_weight)
            check_size(encoded.data.n_literals, scope.k, "order")
            own = [[self._places[place] for place in np.flatnonzero(row)] for row in self._weights]
            literals = self.encoder_.literals_
            suggestions, missed = find_suggestions(encoded, own, scope, n_suggestions, literals)
        if missed:
            warnings.warn(
                f"The search stopped at max_visits={self.max_visits} conjunctions: there may be better ones. "
                "Raise max_visits.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return suggestions


def complaints(model: SparsePerceptron, plan: StagePlan) -> Iterator[str]:
    """What a fit says that may have ended too early, or learned nothing."""
    if plan.is_still_rising():
        yield (
            f"Of all numbers of stages the last tried, max_stages={plan.most}, was the best in "
            "cross-validation; raise max_stages: more may be better."
        )
    if model.missed_:
        yield (
            f"The search stopped at max_visits={model.max_visits} conjunctions in some stage: the best "
            f"correlation may be up to {model.missed_:.3g} higher than the one found. Raise max_visits."
        )
    labels = model.classes_.tolist()[-len(model._runs) :]
    for label, stages in zip(labels, model._runs, strict=True):
        if not stages:
            yield (
                f"No conjunction of at most k={model.k} literals tells {label!r} from the rest better "
                "than chance, so nothing is learned about it; add columns, or try a higher k."
            )
