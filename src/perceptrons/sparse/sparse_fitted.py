"""What a fitted `SparsePerceptron` answers: scores or points, probabilities, and how the model is shown.

A model is weights learned together (`_vectors`), or the stages of boosting (`_runs`); what is public follows
from them (`_derive`).
"""

from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.utils.metaestimators import available_if

from .._types import Array
from ..texts import printable
from .boosting import Stage, merged
from .calibration import Calibration
from .joint import JointVector, joined
from .risk_card import RiskCard, cards_of, sheet_of_risks
from .runs import BoostingTrial
from .said import as_said, covers_of, said_otherwise, totals_as_said
from .scorecard import Card, Total, card_of, sheet_of
from .sheet import Block, Sheet, Table
from .vote_risks import on_its_side, risks_of
from .weighted_conjunctions import Explanation, WeightedConjunctions

ADDS = "A rule that holds adds its weight."


def as_probabilities(shares: Array) -> Array:
    """A column per class, of its shares against the rest."""
    if len(shares) == 1:
        return np.column_stack([1.0 - shares[0], shares[0]])
    return np.asarray((shares / np.maximum(shares.sum(axis=0), 1e-300)).T)


def has_risks(model: Any) -> bool:
    """A model file of an earlier version has none."""
    fitted = hasattr(model, "_runs")
    if fitted and model._vectors is None and getattr(model, "_risk", None) is None:
        raise AttributeError("The model was saved before sparse models had probabilities; fit it again.")
    return True


class FittedSparse(WeightedConjunctions):
    """Weights learned together, a scorecard, or the votes and weights of stages."""

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

    def _derive(self) -> None:
        """Set what follows from the stages, or from the weights learned together."""
        if self._vectors is not None:
            self._derive_together(self._vectors)
        else:
            self._derive_stagewise()
        self._publish()

    def _derive_together(self, vectors: list[JointVector]) -> None:
        self._negated = said_otherwise(vectors, self.encoder_.literals_)
        self._said = [as_said(one, self._negated) for one in vectors]
        self._places, self._weights, self.intercept_ = joined(self._said)
        self.cards_ = None
        if self._totals is not None:
            self.cards_ = self._all_cards()
            self._weights = np.array([card.points for card in self._own_cards], np.int64)
            one = len(self._said) == 1
            self.intercept_ = np.array([card.card.start if one else card.bias for card in self._own_cards])
        self.history_, self.stages_ = [], None
        self.cv_sizes_ = vectors[0].sizes
        losses = np.array([one.losses for one in vectors])
        self.cv_loss_ = losses[0] if len(losses) == 1 else losses

    def _derive_stagewise(self) -> None:
        self.cv_sizes_ = self.cv_loss_ = self.cards_ = None
        self._negated, self._said = [], []
        votes = self.gamma_ is not None
        self._places, self._weights, self.intercept_ = merged(self._runs, votes)
        if votes:
            self._weights, self.intercept_ = self._weights.astype(int), self.intercept_.astype(int)
        self.history_ = self._runs[0] if len(self._runs) == 1 else self._runs
        self.stages_ = max(map(len, self._runs))

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
        if not rules:
            bias = float(self.intercept_[0])
            share = f"The probability of {labels[1]} is {expit(bias):.1%}."
            return Sheet([f"Always {labels[int(bias > 0.0)]}: there are no rules. {share}"], [])
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

    def _cards(self) -> list[Card]:
        one = len(self._weights) == 1
        return [card_of(*row, one) for row in zip(self._weights, self.intercept_.tolist(), strict=True)]
