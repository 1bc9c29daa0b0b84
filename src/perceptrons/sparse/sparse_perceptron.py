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
from collections.abc import Iterator, Mapping
from copy import copy
from functools import partial
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import accuracy_score
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from .._types import Array
from ..base import all_or_nothing, codes_of
from ..checks import number
from ..compiled import Threads, one_thread, threads
from ..model_file.declarations import Field
from ..tables.literal_encoder import LiteralEncoder
from ..texts import printable
from .boosting import Stage, merged
from .calibration import Calibration, calibrate_votes
from .coded_training import code_training, rescaled, scope_for
from .conjunctions import rows_of
from .edits import fitted_again, place_of, struck_out, with_changed_points
from .encoded_literals import encode_for, encode_literals
from .joint import JointVector, joined, learn_together
from .limits import read_limits
from .n_stages import StagePlan, plan_stages, splits_of
from .other_cards import find_other_cards
from .risk_card import RiskCard, card_totals, cards_of, sheet_of_risks
from .runs import BoostingTrial, run_boosting, staged_scores
from .said import as_said, covers_of, said_otherwise, totals_as_said
from .scorecard import Card, Total, card_of, sheet_of, totals_of
from .sheet import Block, Sheet, Table
from .sparse_file import FIELDS, check_loaded
from .sparse_parameters import (
    TOGETHER,
    SparseParameters,
    check_size,
    read_parameters,
    read_scope,
    read_thresholds,
)
from .suggestions import Suggestion, find_suggestions
from .vote_risks import on_its_side, risks_of
from .weighted_conjunctions import Explanation, WeightedConjunctions

ADDS = "A rule that holds adds its weight."


def as_probabilities(shares: Array) -> Array:
    """A column per class, of its shares against the rest."""
    if len(shares) == 1:
        return np.column_stack([1.0 - shares[0], shares[0]])
    return np.asarray((shares / np.maximum(shares.sum(axis=0), 1e-300)).T)


def in_stages(model: Any) -> bool:
    """Was it boosted stage by stage?"""
    if getattr(model, "_vectors", None) is not None:
        raise AttributeError('There are no stages with refit="together"; use refit="stagewise".')
    return True


def has_risks(model: Any) -> bool:
    """A model file of an earlier version has none."""
    fitted = hasattr(model, "_runs")
    if fitted and model._vectors is None and getattr(model, "_risk", None) is None:
        raise AttributeError("The model was saved before sparse models had probabilities; fit it again.")
    return True


def in_stages_with_risks(model: Any) -> bool:
    return in_stages(model) and has_risks(model)


class SparsePerceptron(WeightedConjunctions):
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
    _vectors: list[JointVector] | None
    _said: list[JointVector]  # as they are shown
    _others: list[JointVector]  # cards that might take the place of the first
    _other_totals: list[list[Total]]
    _risk: Calibration | None
    _runs: list[list[Stage]]
    _totals: list[list[Total]] | None
    gamma_: float | None
    cv_accuracy_: Array | None
    cv_trials_: list[BoostingTrial] | None
    missed_: float | None
    history_: list[Any]
    stages_: int | None
    cards_: list[RiskCard] | None
    cv_sizes_: list[int] | None
    cv_loss_: Array | None

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

    def _derive(self) -> None:
        """Set what follows from the stages, or from the weights learned together."""
        if self._vectors is not None:
            self._negated = said_otherwise(self._vectors, self.encoder_.literals_)
            self._said = [as_said(one, self._negated) for one in self._vectors]
            self._places, self._weights, self.intercept_ = joined(self._said)
            self.cards_ = None
            if self._totals is not None:
                self.cards_ = self._all_cards()
                self._weights = np.array([card.points for card in self._own_cards], np.int64)
                one = len(self._said) == 1
                starts = [card.card.start if one else card.bias for card in self._own_cards]
                self.intercept_ = np.array(starts)
            self.history_, self.stages_ = [], None
            self.cv_sizes_ = self._vectors[0].sizes
            losses = np.array([one.losses for one in self._vectors])
            self.cv_loss_ = losses[0] if len(losses) == 1 else losses
            self._publish()
            return
        self.cv_sizes_ = self.cv_loss_ = self.cards_ = None
        self._negated, self._said = [], []
        votes = self.gamma_ is not None
        self._places, self._weights, self.intercept_ = merged(self._runs, votes)
        if votes:
            self._weights, self.intercept_ = self._weights.astype(int), self.intercept_.astype(int)
        self.history_ = self._runs[0] if len(self._runs) == 1 else self._runs
        self.stages_ = max(map(len, self._runs))
        self._publish()

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

    @available_if(has_risks)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Array:
        """The probability of each class, a column each; with more than two classes those against the rest,
        divided by their sum. Together they are calibrated in cross-validation; stagewise by a logistic unit
        over the scores of the rows learned from, and so rather too sure; of votes between two classes they
        are the frequencies of the totals among these rows, made to rise, and drawn to such a unit where rows
        are few."""
        return as_probabilities(self._shares(np.atleast_2d(self.decision_function(X).T)))

    def _shares(self, scores: Array) -> Array:
        """The probability of each class against the rest, a row per weight vector, as scores have them."""
        if self.cards_ is not None and len(self._said) == 1:
            scores = self.cards_[0].log_odds(scores - self.intercept_[0])
        if self._risk is None:
            return np.asarray(expit(scores))
        if self._totals is None or len(scores) > 1:
            return np.asarray(expit(self._risk.slope * scores + self._risk.shift))
        return on_its_side(np.interp(scores, *self._vote_knots()), scores)

    @property
    def _only_adds(self) -> bool:
        return self._vectors is not None

    def _sheet(self) -> Sheet:
        """The heaviest weight first, and in how many of the rows learned from each rule holds; a scorecard
        has points, and what each total means."""
        labels, rules = [*map(printable, self.classes_.tolist())], [*map(str, self._rules())]
        if self.cards_ is not None and self._totals is not None:
            pairs = zip(self._vectors or [], self._totals, strict=True)
            totals = [totals_as_said(one, some, self._negated) for one, some in pairs]
            covers = [covers_of(one, self._places)[:-1] for one in self._said]
            return sheet_of_risks(self._own_cards, totals, covers, rules, labels)
        if self._totals is not None:
            return sheet_of(self._cards(), self._totals, self._vote_risks(), rules, labels)
        if self._vectors is None:
            return super()._sheet()
        if len(labels) > 2:
            blocks = [self._block(vector, f"{label}:") for vector, label in enumerate(labels)]
            return Sheet(["The class whose sum is the highest.", ADDS], blocks)
        risk = "Its probability is 1/(1 + exp(-sum))."
        return Sheet([f"{labels[1]} if the sum is > 0, else {labels[0]}. {risk}", ADDS], [self._block(0, "")])

    def _block(self, vector: int, title: str) -> Block:
        covers = covers_of(self._said[vector], self._places) if self._said else []
        if not covers:
            return super()._block(vector, title)
        label = printable(self.classes_.tolist()[vector if len(self._said) > 1 else 1])
        rows: list[tuple[str, ...]] = [(number, rule, *covers[k]) for number, rule, k in self._lines(vector)]
        return Block(title, [Table(("weight", "rule", "rows", label), rows, 1)])

    def _vote_risks(self) -> list[float] | None:
        """The risk of each total of votes between two classes; None if the file is of a version without."""
        if self._risk is None or len(self._weights) > 1:
            return None
        return [float(risk) for risk in self._vote_knots()[1]]

    def _vote_knots(self) -> tuple[Array, Array]:
        """The scores of the totals of votes between two classes, and their risks."""
        assert self._risk is not None
        assert self._totals is not None
        votes, constant = int(self._weights[0].sum()), int(self.intercept_[0])
        scores = np.array([2.0 * total.points - votes + constant for total in self._totals[0]])
        return scores, risks_of(scores, self._totals[0], self._risk)

    def _explained(self, prediction: Any, label: Any, held: Array, vector: int, score: float) -> Explanation:
        """Votes, and the one card of two classes, are explained by points."""
        if self._totals is None:
            return super()._explained(prediction, label, held, vector, score)
        if self.cards_ is not None:
            rules = [*map(str, self._rules())]
            if len(self._said) == 1:
                return self.cards_[0].card.explained(prediction, label, rules, held)
            return self.cards_[vector].explained(prediction, label, rules, held)
        return self._cards()[vector].explained(prediction, label, [*map(str, self._rules())], held)

    def _scores(self, held: Array) -> Array:
        """Points, if there is one card; log odds, if there are several."""
        if self.cards_ is None:
            return super()._scores(held)
        totals = np.zeros((len(held), len(self._said)), np.int64)
        for column, points in zip(held.T, self._weights.T, strict=True):
            totals += column[:, None] * points
        if len(self._said) == 1:
            return np.asarray((totals + self.intercept_).astype(np.float64))
        return np.column_stack([card.log_odds(t) for card, t in zip(self.cards_, totals.T, strict=True)])

    @property
    def _own_cards(self) -> list[RiskCard]:
        """The card of each weight vector, without others."""
        return (self.cards_ or [])[: len(self._said)]

    def _all_cards(self) -> list[RiskCard]:
        """The card of each weight vector, and what else might be."""
        cards = cards_of(self._said, self._places, [*map(str, self._rules())])
        for one in self._others:
            negated = said_otherwise([one], self.encoder_.literals_)
            rules = [str(self._rule(places, k in negated)) for k, places in enumerate(one.places)]
            cards += cards_of([as_said(one, negated)], one.places, rules)
        return cards

    def with_card(self, place: int) -> "SparsePerceptron":
        """A copy whose card is `cards_[place]`; there is more than one with `n_cards`."""
        check_is_fitted(self)
        if self.cards_ is None or len(self._said) > 1:
            raise ValueError("with_card is for a scorecard of two classes; fit one with max_points=5.")
        number("place", place, f"[0, {len(self.cards_) - 1}]", "use a place in cards_", Integral)
        assert self._vectors is not None
        assert self._totals is not None
        chosen, cards = copy(self), [self._vectors[0], *self._others]
        totals = [self._totals[0], *self._other_totals]
        chosen._vectors, chosen._totals = [cards.pop(place)], [totals.pop(place)]
        chosen._others, chosen._other_totals = cards, totals
        chosen._derive()
        return chosen

    def _cards(self) -> list[Card]:
        one = len(self._weights) == 1
        return [card_of(*row, one) for row in zip(self._weights, self.intercept_.tolist(), strict=True)]

    def without(self, rule: Any, X: Any, y: Any, sample_weight: Any = None) -> "SparsePerceptron":
        """A copy in which a rule is struck out, and the weights of the others are fitted again.

        rule : a conjunction of the model, or its text.
        X, y, sample_weight : the rows to fit to, usually those of `fit`.
        """
        self._check_together("without")
        places = self._places[place_of(rule, self.conjunctions_)]
        assert self._vectors is not None
        return self._edited([struck_out(one, places) for one in self._vectors], X, y, sample_weight)

    def with_points(
        self, points: Mapping[Any, int], X: Any, y: Any, sample_weight: Any = None
    ) -> "SparsePerceptron":
        """A copy of a scorecard of two classes in which rules have other points, and risks are fitted again.

        points : rules, as in `without`, and the points of each; 0 strikes it out.
        X, y, sample_weight : the rows to fit to, usually those of `fit`.
        """
        self._check_together("with_points")
        if self.cards_ is None or len(self._said) > 1:
            raise ValueError("with_points is for a scorecard of two classes; fit one with max_points=5.")
        chosen = {place_of(rule, self.conjunctions_): int(new) for rule, new in points.items()}
        given = {self._places[k]: -new if k in self._negated else new for k, new in chosen.items()}
        assert self._vectors is not None
        return self._edited([with_changed_points(self._vectors[0], given)], X, y, sample_weight)

    def _check_together(self, what: str) -> None:
        check_is_fitted(self)
        if self._vectors is None:
            raise ValueError(f'{what} is for weights learned together; use refit="together".')

    def _edited(self, vectors: list[JointVector], X: Any, y: Any, sample_weight: Any) -> "SparsePerceptron":
        encoded = encode_for(self, X, y, sample_weight)
        limits = read_limits(self.encoder_, self.monotone)
        edited = copy(self)
        pairs = zip(vectors, encoded.signs(), strict=True)
        edited._vectors = [
            fitted_again(one, encoded, signs, limits.signs_of(one.places, self.encoder_.attributes_))
            for one, signs in pairs
        ]
        edited._others, edited._other_totals = [], []
        edited._derive()
        if edited.cards_ is not None:
            cards = [Card(one.points, 0) for one in cards_of(edited._vectors, edited._places)]
            edited._totals = totals_of(encoded, edited._places, cards)
        return edited

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
    yield from unlearned(model, [bool(stages) for stages in model._runs])


def unlearned(model: SparsePerceptron, learned: list[bool]) -> Iterator[str]:
    """The classes of whose weight vectors nothing was learned."""
    labels = model.classes_.tolist()[-len(learned) :]
    for label, something in zip(labels, learned, strict=True):
        if not something:
            yield (
                f"No conjunction of at most k={model.k} literals tells {label!r} from the rest better "
                "than chance, so nothing is learned about it; add columns, or try a higher k."
            )
