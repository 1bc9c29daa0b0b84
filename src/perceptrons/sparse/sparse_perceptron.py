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
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from .._types import Array
from ..base import all_or_nothing
from ..compiled import Threads, one_thread, threads
from ..model_file.declarations import Field
from ..tables.literal_encoder import LiteralEncoder
from .calibration import calibrate_votes
from .coded_training import CodedTraining, code_training, rescaled, scope_for
from .conjunctions import rows_of
from .encoded_literals import EncodedLiterals, encode_literals
from .joint import JointVector, learn_together
from .limits import Limits, read_limits
from .n_stages import plan_stages, splits_of
from .other_cards import find_other_cards
from .risk_card import card_totals
from .runs import run_boosting
from .scorecard import Total, totals_of
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

    It is fitted to tables as they are: frames or arrays of numbers, names and truth values, in which cells
    may be missing, and sparse matrices of numbers. `LiteralEncoder` turns them into literals.

    Parameters
    ----------
    k : int, default 2
        The largest number of literals in a conjunction, from 1 to 10. From 3 on, see `beam` and `max_visits`.
    max_rules : int or None, default None
        The largest number of conjunctions, per class if there are more than two. It applies to weights
        learned together. Cross-validation chooses a number up to this limit: the one of the lowest loss. None
        is 8 for a scorecard; otherwise it is 50, and the smallest number is chosen whose loss is within one
        standard error of the lowest.
    max_points : int or None, default None
        An int makes a scorecard: every rule has whole points from −max_points to max_points, and every total
        a risk. 5 is a good choice.
    refit : {"together", "stagewise"}, default "together"
        How weights are learned. "together": conjunctions are selected from those that boosting proposes, and
        their weights are fitted jointly to the logistic loss, so that scores are calibrated log odds.
        "stagewise": the paper's AdaBoost, with its guarantee. The booster "majority" is always stagewise.
    stages : int, "cv" or "theory", default "cv"
        With weights learned together, the largest number of conjunctions that boosting proposes; "cv" is 200.
        Stagewise, the number of times that boosting adds a conjunction. An int must then be odd if the
        booster is "majority". "cv" chooses the number of the highest accuracy in an inner cross-validation,
        the smallest if there are several. "theory" chooses a number that makes the model classify all rows
        correctly, provided that a model of integer weights does so whose absolute sum is `target_size`.
    cv : int, splitter or list of (train, test), default 5
        The folds in which the number of rules is chosen and scores are calibrated, or in which the number of
        stages is chosen. An int is reduced if no class has that many rows.
    max_stages : int or None, default None
        The largest number that "cv" tries. None is the number of literals, as in the paper, but at most 101
        votes. It limits stages, not weights. If there are few literals, more stages may be better; a warning
        says so if the last number was the best.
    target_size : int or None, default None
        The absolute sum of weights, including that of the constant, that "theory" assumes, and from which the
        edge of "majority" is computed.
    booster : {"adaboost", "majority"}, default "adaboost"
        How conjunctions are boosted. "majority" has integer weights, and so makes a scorecard. It must know
        beforehand by how much its hypotheses are better than chance: the edge γ = 1/(2 target_size), or 1/(2
        k target_size) with the penalty. Without `target_size`, cross-validation chooses the edge together
        with the stages.
    penalty : bool, default True
        Whether the correlation of a conjunction of k literals counts only 1/k, so that simple conjunctions
        are preferred.
    beam : int or None, default None
        From k = 3 on, only the best `beam` conjunctions of each order are extended. This is faster, but may
        miss the best. None is 20 if weights are learned together; stagewise, every conjunction is extended
        that may lead to the best.
    max_visits : int or None, default None
        The largest number of conjunctions that a stage visits one by one, apart from a few to finish what was
        begun. A warning says what may have been missed. None sets no limit.
    n_thresholds : int or "auto", default "auto"
        The largest number of literals `x > t` per numeric column. "auto" is 32 if weights are learned
        together, and 8 if they are learned stagewise or if there are more than 256 columns.
    keep : None, "all" or list of names, default None
        Columns of a frame to keep although they seem to carry no information: ids, counters, free text,
        constant and empty columns. "all" keeps every column.
    groups : None, int or list of lists of columns, default None
        The columns of each list, given by name or number, which hold names, are joined into an additional
        one: p1 p2 p3 = a t g, a codon. An int joins every run of that many adjacent columns of names.
    monotone : None or dict of column → sign, default None
        For example {"age": +1}. With +1 the probability of `classes_[1]` never falls as the column rises,
        with −1 it never rises: all rules about the column have weights of that sign. A missing cell counts as
        the lowest value. It is for two classes and weights learned together.
    required, forbidden : None or list of columns, default None
        Each required column gets a rule of its own, and no rule uses a forbidden column. They are for weights
        learned together.
    n_cards : int, default 1
        The number of scorecards of nearly the same loss to search for, see `cards_`.
    class_weight : None, "balanced" or dict of class → weight, default None
        The weight of each row is multiplied by that of its class. "balanced" gives all classes the same total
        weight.
    n_jobs : int or None, default None
        The number of threads that learn folds, and classes against the rest, in parallel, or share the
        products of pairs where there is one task. None is one, -1 is one per core. The model does not depend
        on it. Each thread stores the products of its own pairs of literals, so that memory grows with the
        number.
    device : {"cpu", "cuda", "cuda:N", "auto"}, default "cpu"
        What computes, through PyTorch (extra `neural`) if it is a GPU; "auto" is a GPU if there is one.
        Stagewise, a GPU searches for conjunctions of two or three literals, and finds the same; it is made
        for a million rows and thousands of literals. Learned together, it fits the weights, whose last digits
        may differ; the path that picks rules looks at 16,384 rows at most, on the processor.
    random_state : int, RandomState or None, default None
        Draws the folds. An int makes the fit repeatable.

    Attributes
    ----------
    conjunctions_ : list of conjunctions
        The rules; `str` gives each in words. An interval, 3 < width <= 7, is two literals.
    weights_ : array
        One weight per conjunction; with more than two classes, one row of weights per class. With weights
        learned together, a rule that holds adds its weight to the log odds, and one that does not adds
        nothing. Stagewise, a rule that does not hold subtracts its weight; weights are integers if the
        booster is "majority", and with more than two classes otherwise divided by the sum of the stages'
        weights.
    intercept_ : array
        The weights of the constant, which is a hypothesis like any other, but is not counted.
    cv_sizes_, cv_loss_ : array or None
        The numbers of rules tried in cross-validation, and the log-loss of each on the rows left out, one row
        per class if there are more than two. They are None if weights are learned stagewise.
    cards_ : list of RiskCard or None
        The scorecards (points, unit and bias of the risk, rules), one per weight vector, and with `n_cards`
        others of nearly the same loss, the best first; `with_card` installs one of them. None without
        `max_points`. Weights are points then, and the score of a row is the sum of the points of the rules
        that hold and of the base points, `intercept_`; with more than two classes it is in log odds.
    feature_importances_ : array
        The share of each column in the absolute weights.
    n_weights_ : int or array
        The number of weights that are not 0; with more than two classes, an array.
    stages_ : int or None
        The number of stages. If weights are learned together there are none, and the attributes below are
        None or empty, except `encoder_` and those of scikit-learn.
    cv_accuracy_ : array or None
        The accuracy in cross-validation after 1, 2, … stages, or of each of `cv_trials_`. None without
        cross-validation.
    cv_trials_ : list of BoostingTrial or None
        The pairs (stages, gamma) that "majority" tried in cross-validation.
    gamma_ : float or None
        The edge of "majority"; None for "adaboost".
    missed_ : float or None
        0 if every stage found the best conjunction. Otherwise a bound on how much higher the best correlation
        (times 1/k, with the penalty) may be than the one found. None if `beam` was used, since the bound is
        then unknown.
    history_ : list of Stage
        One entry per stage: literals, by their positions in `encoder_.literals_`, sign, error and weight.
        With more than two classes, a list of lists.
    encoder_ : LiteralEncoder
        The fitted encoder of the table.
    classes_, n_features_in_, feature_names_in_
        As in scikit-learn.

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
       +3.97  cap = red      20     100.0%
       +3.97  width > 7      20     100.0%
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
                training = code_training(encoder, X, y, sample_weight, self.class_weight, self._read_limits)
                words = self._learn_together(encoder, training, X, y, parameters, workers)
            else:
                encoded = encode_literals(encoder, X, y, sample_weight, self.class_weight)
                words = self._learn_stagewise(encoder, encoded, X, y, parameters, workers)
        for one in words:
            warnings.warn(one, ConvergenceWarning, stacklevel=2)
        return self

    def fit_stream(
        self, source: Any, *, batch_rows: int | None = None, scratch: str | Path | None = None
    ) -> "SparsePerceptron":
        """Learn from rows that come batch by batch: the same model as from all of them in memory.

        `source` and `batch_rows` as in `Perceptron.fit_stream`. One pass finds classes, thresholds and
        categories, as `LiteralEncoder.fit_stream` does; one keeps, for each column and row, which literals
        hold: one byte, two in a column of more than 255 literals. `scratch` is a folder where these codes
        are kept in a file while the model is learned; None keeps them in memory. Stagewise, a byte is kept
        for each literal and row, and none in a file where most would be 0. A splitter given as `cv` sees
        the classes of the rows, and nothing of their columns. Not for `groups`, and sparse rows.

        >>> import numpy as np
        >>> X = np.random.default_rng(0).integers(0, 9, (500, 4)).astype(float)
        >>> y = X[:, 0] + X[:, 1] > 9
        >>> model = SparsePerceptron(random_state=0).fit_stream((X, y), batch_rows=90)
        >>> print(model.to_text() == SparsePerceptron(random_state=0).fit(X, y).to_text())
        True
        """
        from .streamed_rules import fit_stream

        for one in fit_stream(self, source, batch_rows, scratch):
            warnings.warn(one, ConvergenceWarning, stacklevel=2)
        return self

    def _read_limits(self, encoder: LiteralEncoder) -> Limits:
        return read_limits(encoder, self.monotone, self.required, self.forbidden)

    def _learn_together(
        self,
        encoder: LiteralEncoder,
        training: CodedTraining,
        X: Any,
        y: Any,
        parameters: SparseParameters,
        workers: Threads,
    ) -> list[str]:
        """From the rows as codes; X and y are for a splitter."""
        scope = scope_for(training.limits, len(training.classes), parameters.path)
        splits = splits_of(self.cv, self.random_state, X, y, training)
        vectors = learn_together(training, scope, splits, workers)
        self._others, self._other_totals, totals = [], [], None
        if parameters.max_points is not None:
            totals = card_totals(training, vectors)
            if len(vectors) == 1:
                self._others = find_other_cards(training, vectors[0], scope, parameters.n_cards - 1)
                self._other_totals = [card_totals(training, [one])[0] for one in self._others]
        return self._adopt_vectors(encoder, training.classes, vectors, totals)

    def _adopt_vectors(
        self,
        encoder: LiteralEncoder,
        classes: Array,
        vectors: list[JointVector],
        totals: list[list[Total]] | None,
    ) -> list[str]:
        """The model of weights learned together; `totals` are those of scorecards."""
        self._adopt(classes, encoder)
        self._risk = None
        self._vectors, self._runs, self._totals = vectors, [[] for _ in vectors], totals
        self.gamma_ = self.cv_accuracy_ = self.cv_trials_ = self.missed_ = None
        self._derive()
        return [*unlearned(self, [bool(one.places) for one in vectors])]

    def _learn_stagewise(
        self,
        encoder: LiteralEncoder,
        encoded: EncodedLiterals,
        X: Any,
        y: Any,
        parameters: SparseParameters,
        workers: Threads,
    ) -> list[str]:
        """From the rows as literals; X and y are for a splitter."""
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
