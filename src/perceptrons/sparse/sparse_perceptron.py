"""`SparsePerceptron`: Jackson and Craven, "Learning Sparse Perceptrons", boosted conjunctions (section 3).

Deviations: numeric columns become literals `x > t`; rows and classes may have weights; of more than two
classes each is learned against the rest, with the same number of stages, and weights are shares of a vote;
thresholds and categories are learned once, from all rows, before the cross-validation that counts stages.
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
from ..base import codes_of
from ..checks import number
from ..compiled import one_thread
from ..model_file.declarations import Field
from ..tables.literal_encoder import LiteralEncoder
from .boosting import merged
from .n_stages import Plan, make_plan, splits_of
from .runs import run, staged_scores
from .scorecard import Card, card_of, text_of, totals_of
from .sparse_file import BOOSTED, restore_runs
from .sparse_parameters import check_size, read_scope, read_settings
from .sparse_problem import read_again, read_problem
from .suggestions import Suggestion, look_for
from .weighted_conjunctions import Explanation, WeightedConjunctions


class SparsePerceptron(WeightedConjunctions):
    """A short list of weighted conjunctions: f(x) = sign(Σ v_h·h(x)), h of at most k literals.

    Takes tables as they are: frames or arrays of numbers, names and truth values, with cells missing, and
    sparse matrices of numbers. `LiteralEncoder` makes literals of them.

    Parameters
    ----------
    k : 1 to 10, the most literals of a conjunction; from 3 on, see `beam` and `max_visits`.
    stages : how often boosting adds a conjunction. "cv": as often as gives the highest accuracy in an inner
        cross-validation, the fewest if several do; a number (odd, if the booster is "majority"); "theory": as
        often as makes a model right on all rows, if there is one of integer weights whose absolute sum is
        `target_size`.
    cv : the folds of "cv": a number (fewer if no class has so many rows), a scikit-learn splitter, or a list
        of (train, test) rows.
    max_stages : the most that "cv" tries; None is the number of literals, as in the paper, but not more than
        101 votes. It limits stages, not weights; where literals are few, more stages may be better, and a
        warning says so if the last was.
    target_size : for "theory", and the edge of "majority"; the constant's weight is included.
    booster : "adaboost", or "majority", whose weights are integers: a scorecard. It has to be told beforehand
        by how much its hypotheses are better than chance: by an edge γ = 1/(2 target_size), with the penalty
        1/(2 k target_size); without target_size, cross-validation chooses it, together with the stages.
    penalty : whether a conjunction of several literals counts 1/k of its correlation, so that simple ones are
        preferred.
    beam : from k = 3 on, only the best so many conjunctions of each order are extended: faster, but the best
        may be missed. None: all that may lead to the best.
    max_visits : of a stage, at most so many conjunctions are looked at one by one (a few more, to finish what
        was begun); a warning says what may have been missed. None: no limit.
    n_thresholds : at most so many literals `x > t` of a numeric column.
    class_weight : None, "balanced", or a dict of class → weight.
    random_state : draws the folds of "cv".

    Attributes
    ----------
    conjunctions_ : list of conjunctions; `str` says each in words.
    weights_ : array, one weight per conjunction, of "majority" integers; of more than two classes, a row of
        them per class, divided by the sum of its stages' weights unless they are votes.
    intercept_ : the weights of the constant, which is a hypothesis like any other, but not counted.
    n_weights_ : how many weights are not 0; of more than two classes, an array.
    stages_ : the number of stages.
    cv_accuracy_ : array, the accuracy in cross-validation after 1, 2, … stages, or of each of `cv_trials_`;
        None without.
    cv_trials_ : list of `Trial` (stages, gamma) that "majority" was given in cross-validation; None without.
    gamma_ : the edge of "majority"; None of "adaboost".
    missed_ : 0 if every stage found the best conjunction; else by how much its correlation (times 1/k, with
        the penalty) may be higher than the one found, at most; None if `beam` was used, which does not tell.
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
        beam: int | None = None,
        max_visits: int | None = None,
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
        self.beam = beam
        self.max_visits = max_visits
        self.n_thresholds = n_thresholds
        self.class_weight = class_weight
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "SparsePerceptron":
        """Learn from the rows of a table and their classes; rows of weight 0 are not learned from."""
        settings = read_settings(self)
        encoder = LiteralEncoder(n_thresholds=self.n_thresholds)
        with one_thread():
            problem = read_problem(encoder, X, y, sample_weight, self.class_weight)
            check_size(problem.data.n_literals, settings.scope.k)
            splits = partial(splits_of, self.cv, self.random_state, X, y, problem)
            plan = make_plan(problem, settings, splits)
            runs = run(problem, plan.trial, settings)
        self._adopt(problem.classes, encoder)
        self._runs, self.gamma_ = runs.stages, plan.trial.gamma
        self.cv_accuracy_, self.cv_trials_ = plan.accuracies, plan.trials
        self.missed_ = None if settings.scope.k > 2 and settings.scope.beam else runs.missed
        self._derive()
        self._totals = totals_of(problem, self._places, self._cards()) if settings.votes else None
        self._warn(plan)
        return self

    def _loaded(self) -> None:
        restore_runs(self)
        self._derive()

    def _derive(self) -> None:
        """What follows from the stages."""
        votes = self.gamma_ is not None
        self._places, self._weights, self.intercept_ = merged(self._runs, votes)
        if votes:
            self._weights, self.intercept_ = self._weights.astype(int), self.intercept_.astype(int)
        self.history_ = self._runs[0] if len(self._runs) == 1 else self._runs
        self.stages_ = max(map(len, self._runs))
        self._publish()

    def _warn(self, plan: Plan) -> None:
        warn = partial(warnings.warn, category=ConvergenceWarning, stacklevel=3)
        if plan.is_still_rising():
            warn(
                f"Of all numbers of stages the last tried, max_stages={plan.most}, was the best in "
                "cross-validation; raise max_stages: more may be better."
            )
        if self.missed_:
            warn(
                f"The search stopped at max_visits={self.max_visits} conjunctions in some stage: the best "
                f"correlation may be up to {self.missed_:.3g} higher than the one found. Raise max_visits."
            )
        labels = self.classes_.tolist()[-len(self._runs) :]
        for label, stages in zip(labels, self._runs, strict=True):
            if not stages:
                warn(
                    f"No conjunction of at most k={self.k} literals tells {label!r} from the rest better "
                    "than chance, so nothing is learned about it; add columns, or try a higher k."
                )

    def staged_predict(self, X: Any) -> Iterator[Array]:
        """The classes predicted after each stage of boosting."""
        check_is_fitted(self)
        conjunctions = list(dict.fromkeys([(), *(stage.literals for one in self._runs for stage in one)]))
        columns = dict(zip(conjunctions, self._conjoined(X, conjunctions).T, strict=True))
        for scores in staged_scores(columns.__getitem__, self._runs, self.gamma_ is not None):
            yield self.classes_[codes_of(scores)]

    def to_text(self) -> str:
        """The model in words, the heaviest weight first; votes as a scorecard: points, the threshold, and how
        often each total occurred among the training rows."""
        check_is_fitted(self)
        if self._totals is None:
            return super().to_text()
        return text_of(self._cards(), self._totals, [*map(str, self._rules())], self.classes_.tolist())

    def _explained(self, prediction: Any, label: Any, held: Array, vector: int, score: float) -> Explanation:
        """Of votes the points."""
        if self._totals is None:
            return super()._explained(prediction, label, held, vector, score)
        return self._cards()[vector].explained(prediction, label, [*map(str, self._rules())], held)

    def _cards(self) -> list[Card]:
        one = len(self._weights) == 1
        return [card_of(*row, one) for row in zip(self._weights, self.intercept_.tolist(), strict=True)]

    def suggest(
        self, X: Any, y: Any, order: int | None = None, *, n_suggestions: int = 10, sample_weight: Any = None
    ) -> list[Suggestion]:
        """Conjunctions of more literals that would tell most about what the model leaves open.

        X, y : rows, usually those the model was fitted to; `sample_weight` as in `fit`.
        order : how many literals they have; None is one more than `k`.

        Returns at most `n_suggestions`, those of the largest correlation (positive or negative) first: with
        the classes, under weights of rows that make the model's own conjunctions tell next to nothing. `gain`
        is how much larger it is than that of the best part of the conjunction; those of which a part would
        do as well are left out, so that there may be fewer (only the best 50 times as many are looked
        through), and so is one that holds in the same rows as another. Of more than two classes, each is
        looked at; `label` says which one is meant. `beam` and `max_visits` hold here, too.
        """
        check_is_fitted(self)
        scope = read_scope(self, self.k + 1 if order is None else order, "order")._replace(penalty=False)
        number("n_suggestions", n_suggestions, "[1, 1000]", "use 10", Integral)
        with one_thread():
            problem = read_again(self, X, y, sample_weight)
            check_size(problem.data.n_literals, scope.k, "order")
            suggestions, missed = look_for(problem, self._own_places(), scope, n_suggestions)
        if missed:
            warnings.warn(
                f"The search stopped at max_visits={self.max_visits} conjunctions: there may be better ones. "
                "Raise max_visits.",
                ConvergenceWarning,
                stacklevel=2,
            )
        labels, literals = self.classes_.tolist()[-len(self._runs) :], self.encoder_.literals_
        return [one.in_words(labels, literals) for one in suggestions]

    def _own_places(self) -> list[list[tuple[int, ...]]]:
        """The conjunctions of each weight vector."""
        return [[self._places[place] for place in np.flatnonzero(row)] for row in self._weights]
