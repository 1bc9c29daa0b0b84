"""A person's changes to a fitted `SparsePerceptron`: each gives a copy, and leaves the model as it was."""

from collections.abc import Mapping
from copy import copy
from numbers import Integral
from typing import Any, Self

from sklearn.utils.validation import check_is_fitted

from ..checks import number
from .edits import fitted_again, place_of, struck_out, with_changed_points
from .encoded_literals import encode_for
from .joint import JointVector
from .limits import read_limits
from .risk_card import cards_of
from .scorecard import Card, totals_of
from .sparse_fitted import FittedSparse


class ChangeableSparse(FittedSparse):
    """Rules are struck out, points changed, and another card takes the place of the first."""

    monotone: Any

    def with_card(self, place: int) -> Self:
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

    def without(self, rule: Any, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """A copy in which a rule is struck out, and the weights of the others are fitted again.

        rule : a conjunction of the model, or its text.
        X, y, sample_weight : the rows to fit to, usually those of `fit`.
        """
        self._check_together("without")
        places = self._places[place_of(rule, self.conjunctions_)]
        assert self._vectors is not None
        return self._edited([struck_out(one, places) for one in self._vectors], X, y, sample_weight)

    def with_points(self, points: Mapping[Any, int], X: Any, y: Any, sample_weight: Any = None) -> Self:
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

    def _edited(self, vectors: list[JointVector], X: Any, y: Any, sample_weight: Any) -> Self:
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
