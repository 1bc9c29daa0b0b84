"""`SparsePerceptron`: few weights, on conjunctions; Jackson and Craven, "Learning Sparse Perceptrons".

`refit="stagewise"` is the paper's (section 3): AdaBoost adds a conjunction, with its weight, at each stage.
Its conjunctions are good, but its weights and its end waste them. So by default boosting only proposes, and
weights are learned together (see `joint`).

Deviations: numeric columns become literals `x > t`; rows and classes may have weights; with more than two
classes each is learned against the rest, stagewise with the same number of stages and weights that are shares
of a vote; thresholds and categories, for which classes are not looked at, are learned once, from all rows,
before the cross-validation.
"""

import warnings
from functools import partial
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ..base import all_or_nothing
from ..compiled import Threads, one_thread, threads
from ..model_file.declarations import Field
from ..tables.literal_encoder import LiteralEncoder
from .calibration import calibrate_votes
from .coded_training import code_training, rescaled, scope_for
from .conjunctions import rows_of
from .encoded_literals import encode_literals
from .joint import learn_together
from .limits import read_limits
from .n_stages import plan_stages, splits_of
from .other_cards import find_other_cards
from .risk_card import card_totals
from .runs import run_boosting
from .scorecard import totals_of
from .sparse_changes import ChangeableSparse
from .sparse_complaints import complaints, unlearned
from .sparse_file import FIELDS, check_loaded
from .sparse_parameters import (
    TOGETHER,
    SparseParameters,
    check_size,
    read_parameters,
    read_thresholds,
)
from .sparse_stages import StagedSparse
from .sparse_suggesting import SuggestingSparse


class SparsePerceptron(StagedSparse, ChangeableSparse, SuggestingSparse):
    """A short list of weighted conjunctions: f(x) = sign(Σ v_h·h(x)), h of at most k literals.

    Takes tables as they are: frames or arrays of numbers, names and truth values, with cells missing, and
    sparse matrices of numbers. `LiteralEncoder` makes literals of them.

    Parameters
    ----------
    k : int from 1 to 10, default 2; the largest number of literals of a conjunction. From 3 on, see `beam`
        and `max_visits`.
    max_rules : int or None (default); the largest number of conjunctions, of each class if there are more
        than two; of weights learned together. Of the numbers up to it, the one of the lowest loss in
        cross-validation is taken. None is 8 for a scorecard; else it is 50, and the smallest number is taken
        whose loss is within one standard error of the lowest.
    max_points : int or None (default); makes a scorecard: every rule has whole points from −max_points to
        max_points, and every total a risk. 5 is a good choice.
    refit : "together" (default), or "stagewise": how weights are learned. Together: conjunctions are picked
        from those that boosting proposes, and their weights are fitted with each other, to logistic loss, so
        that scores are calibrated log odds. Stagewise is the paper's AdaBoost, with its guarantee; "majority"
        always is.
    stages : int, "cv" (default) or "theory". Together: the largest number of conjunctions that boosting
        proposes; "cv" is 200. Stagewise: how often boosting adds a conjunction. An int must then be odd if
        the booster is "majority". "cv" takes the number of the highest accuracy in an inner cross-validation,
        the smallest if there are several. "theory" takes as many as make the model right on all rows, if
        there is such a model of integer weights whose absolute sum is `target_size`.
    cv : int, default 5, a scikit-learn splitter, or a list of (train, test) rows; the folds in which the
        number of rules is chosen and scores are calibrated, or that of stages, if "cv". There are fewer folds
        than the int says if no class has so many rows.
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
        This is faster, but may miss the best. None is 20 if weights are learned together; stagewise it
        extends all that may lead to the best.
    max_visits : int or None (default); the largest number of conjunctions that a stage visits one by one (a
        few more, to finish what was begun). A warning says what may have been missed. None is no limit.
    n_thresholds : int or "auto" (default); the largest number of literals `x > t` of a numeric column; "auto"
        is 32 if weights are learned together, and 8 if stagewise or if there are more than 256 columns.
    keep : None (default), "all", or a list of names; columns of a frame that are not left out although it
        seems that nothing can be learned from them: ids, counters, free text, constant and empty columns.
    groups : None (default), a list of lists of columns, by name or number, or an int. The columns of each
        list, which hold names, are joined into one more: p1 p2 p3 = a t g, a codon. An int joins all runs of
        so many adjacent columns of names.
    monotone : None (default), or a dict of column → sign, {"age": +1}. With +1 the probability of
        `classes_[1]` never falls as the column rises, with −1 it never rises: weights of rules about the
        column have that sign. A missing cell is as the lowest. For two classes, and weights learned together.
    required, forbidden : None (default), or lists of columns: each of the required ones has a rule of its
        own, no rule speaks of a forbidden one. For weights learned together.
    n_cards : int, default 1; how many scorecards of nearly the same loss are looked for: `cards_`.
    class_weight : None (default), "balanced", or a dict of class → weight.
    device : "cpu" (default), "cuda", "cuda:N" or "auto"; what searches conjunctions of two or three literals
        if they are boosted stage by stage. A GPU, by PyTorch (extra `neural`), finds the same conjunctions,
        and is made for a million rows and thousands of literals. "auto" is a GPU if there is one.
    n_jobs : int or None (default); how many threads learn folds of "cv", and classes against the rest, side
        by side: None is one, -1 one per core. The model is the same. Each thread has the products of its own
        pairs of literals, so that memory grows with them.
    random_state : int, RandomState or None (default); draws the folds.

    Attributes
    ----------
    conjunctions_ : list of conjunctions; `str` gives each in words. An interval, 3 < width <= 7, is two
        literals.
    weights_ : array, one weight per conjunction, with more than two classes a row of them per class. Learned
        together, a rule that holds adds its weight to the log odds, and one that does not adds nothing.
        Stagewise it subtracts it; weights are integers if the booster is "majority", and of more than two
        classes otherwise divided by the sum of the stages' weights.
    intercept_ : array, the weights of the constant, which is a hypothesis like any other, but not counted.
    cv_sizes_, cv_loss_ : the numbers of rules tried in cross-validation, and the log-loss of each on the rows
        left out, a row per class if there are more than two; None if stagewise.
    cards_ : list of `RiskCard` (points, unit and bias of the risk, rules), one per weight vector, and with
        `n_cards` others of nearly the same loss, the best first, which `with_card` puts in its place; None
        without `max_points`. Weights are points then, and the score of a row is the sum of the points of the
        rules that hold and of the base points, `intercept_`; with more than two classes it is log odds.
    feature_importances_ : array; the share of each column in the absolute weights.
    n_weights_ : the number of weights that are not 0; with more than two classes, an array.
    stages_ : the number of stages; None without stages, if weights are learned together. What follows is then
        None, too, or empty.
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
    >>> table = pd.DataFrame({"cap": 10 * caps, "width": 10 * [3, 8, 2, 9, 4, 7]})
    >>> kinds = 10 * ["poisonous", "poisonous", "edible", "poisonous", "edible", "edible"]
    >>> model = SparsePerceptron(random_state=0).fit(table, kinds)
    >>> print(model.to_text())
    poisonous if the sum is > 0, else edible. Its probability is 1/(1 + exp(-sum)).
    A rule that holds adds its weight.
    <BLANKLINE>
      weight  rule         rows  poisonous
       -4.22  cap = white    20       0.0%
       +3.97  width > 7      20     100.0%
       +3.97  cap = red      20     100.0%
       -3.80  always         60      50.0%
       +3.60  width > 2      50      60.0%
    >>> print(model.explain(table.iloc[3]))
    poisonous, because
      +3.97  width > 7: yes
      -3.80  always: yes
      +3.60  width > 2: yes
      2 rules do not hold, and add nothing
      +3.77  is the sum, for poisonous
    >>> model.predict_proba(table[:3]).round(2).tolist()
    [[0.02, 0.98], [0.0, 1.0], [0.98, 0.02]]
    """

    _file_fields: ClassVar[dict[str, Field]] = FIELDS

    def __init__(
        self,
        *,
        k: int = 2,
        max_rules: int | None = None,
        max_points: int | None = None,
        refit: str = "together",
        stages: Any = "cv",
        cv: Any = 5,
        max_stages: int | None = None,
        target_size: int | None = None,
        booster: str = "adaboost",
        penalty: bool = True,
        beam: int | None = None,
        max_visits: int | None = None,
        n_thresholds: Any = "auto",
        keep: Any = None,
        groups: Any = None,
        monotone: Any = None,
        required: Any = None,
        forbidden: Any = None,
        n_cards: int = 1,
        class_weight: Any = None,
        n_jobs: int | None = None,
        device: str = "cpu",
        random_state: Any = None,
    ) -> None:
        self.k = k
        self.max_rules = max_rules
        self.max_points = max_points
        self.refit = refit
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
        self.groups = groups
        self.monotone = monotone
        self.required = required
        self.forbidden = forbidden
        self.n_cards = n_cards
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.device = device
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "SparsePerceptron":
        """Learn from the rows of a table and their classes; rows of weight 0 are absent."""
        parameters = read_parameters(self)
        with all_or_nothing(self, X, sample_weight), one_thread(), threads(self.n_jobs) as workers:
            n_thresholds = read_thresholds(self.n_thresholds, parameters.refit, X)
            encoder = LiteralEncoder(n_thresholds=n_thresholds, keep=self.keep, groups=self.groups)
            if parameters.refit == TOGETHER:
                words = self._fit_together(encoder, X, y, sample_weight, parameters, workers)
            else:
                words = self._fit_stagewise(encoder, X, y, sample_weight, parameters, workers)
        for one in words:
            warnings.warn(one, ConvergenceWarning, stacklevel=2)
        return self

    def _fit_together(
        self,
        encoder: LiteralEncoder,
        X: Any,
        y: Any,
        sample_weight: Any,
        parameters: SparseParameters,
        workers: Threads,
    ) -> list[str]:
        limits = partial(
            read_limits, monotone=self.monotone, required=self.required, forbidden=self.forbidden
        )
        training = code_training(encoder, X, y, sample_weight, self.class_weight, limits)
        scope = scope_for(training, parameters.path)
        splits = splits_of(self.cv, self.random_state, X, y, training)
        vectors = learn_together(training, scope, splits, workers)
        self._adopt(training.classes, encoder)
        self._risk = None
        self._vectors, self._runs, self._totals = vectors, [[] for _ in vectors], None
        self._others, self._other_totals = [], []
        if parameters.max_points is not None:
            self._totals = card_totals(training, vectors)
            if len(vectors) == 1:
                self._others = find_other_cards(training, vectors[0], scope, parameters.n_cards - 1)
                self._other_totals = [card_totals(training, [one])[0] for one in self._others]
        self.gamma_ = self.cv_accuracy_ = self.cv_trials_ = self.missed_ = None
        self._derive()
        return [*unlearned(self, [bool(one.places) for one in vectors])]

    def _fit_stagewise(
        self,
        encoder: LiteralEncoder,
        X: Any,
        y: Any,
        sample_weight: Any,
        parameters: SparseParameters,
        workers: Threads,
    ) -> list[str]:
        encoded = encode_literals(encoder, X, y, sample_weight, self.class_weight)
        check_size(encoded.data.n_literals, parameters.scope.k)
        splits = partial(splits_of, self.cv, self.random_state, X, y, encoded)
        plan = plan_stages(encoded, parameters, splits, workers)
        runs = run_boosting(encoded, plan.trial, parameters, workers)
        self._adopt(encoded.classes, encoder)
        self._vectors, self._runs, self.gamma_ = None, runs.stages, plan.trial.gamma
        self._others, self._other_totals = [], []
        self.cv_accuracy_, self.cv_trials_ = plan.accuracies, plan.trials
        self.missed_ = None if parameters.scope.k > 2 and parameters.scope.beam else runs.missed
        self._derive()
        self._totals = totals_of(encoded, self._places, self._cards()) if parameters.votes else None
        held = np.array([rows_of(encoded.data, one) for one in self._places])
        scores = self._scores(held.reshape(len(self._places), len(encoded.codes)).T)
        self._risk = calibrate_votes(scores, encoded.signs(), rescaled(encoded.weights, encoded.counts))
        return [*complaints(self, plan)]

    def _loaded(self) -> None:
        check_loaded(self)
        self._derive()
