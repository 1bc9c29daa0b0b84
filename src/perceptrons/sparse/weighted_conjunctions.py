"""A model of weighted conjunctions, however it was learned: its scores, its text, and explanations of single
predictions, in parts that add up to the score."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import floor, log10
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._types import Array
from ..base import Threshold, codes_of
from ..checks import count_rows
from ..tables.literal_encoder import Literal, LiteralEncoder
from ..texts import printable
from .sheet import Block, Sheet, Table

FEWEST, MOST = 2, 6  # decimals
ALWAYS = "always"  # the constant, in words
SUM = "A rule adds its weight where it holds, and subtracts it where it does not."


class ScorePart(NamedTuple):
    """What a rule adds to the score of a row: its weight if it holds, minus its weight if not. A rule of a
    scorecard adds its points if it holds, and nothing if not."""

    rule: str
    holds: bool
    adds: float


@dataclass(frozen=True)
class Explanation:
    """Why a row gets its class; `str` gives a line per part.

    Attributes
    ----------
    prediction : the class predicted.
    label : the class the score is for; of two classes the second.
    score : the sum of what the parts add.
    parts : tuple of parts, those that add most, for or against, first; a scorecard's base points are last.
    points : bool, whether the parts are points of a scorecard: a rule that does not hold adds none.
    """

    prediction: Any
    label: Any
    score: float
    parts: tuple[ScorePart, ...]
    points: bool = False

    def __str__(self) -> str:
        shown = [part for part in self.parts if part.adds or part.holds]
        *adds, score = aligned([*(part.adds for part in shown), self.score], self.points)
        lines = [
            f"  {added}  {part.rule}: {'yes' if part.holds else 'no'}"
            for added, part in zip(adds, shown, strict=True)
        ]
        if others := len(self.parts) - len(shown):
            rules = "rule does not hold, and adds" if others == 1 else "rules do not hold, and add"
            lines.append(f"  {others} {rules} nothing")
        prediction, label = printable(self.prediction), printable(self.label)
        return "\n".join([f"{prediction}, because", *lines, f"  {score}  is the sum, for {label}"])


class Between(NamedTuple):
    """A statement about one column of numbers: a < x <= b."""

    low: Literal
    high: Literal

    def __str__(self) -> str:
        values = [self.low.shown, self.high.shown]
        return printable(f"{values[0]} < {self.column} <= {values[1]}")

    @property
    def column(self) -> str:
        return self.low.column


class Negation(NamedTuple):
    """The statement that a literal is not true; a missing cell makes it true."""

    literal: Literal

    def __str__(self) -> str:
        return printable(f"{self.literal.column} is not {self.literal.value}")


class Conjunction(NamedTuple):
    """A rule that holds where all of its literals do."""

    literals: tuple[Literal | Between | Negation, ...]

    def __str__(self) -> str:
        return " and ".join(map(str, self.literals))


class WeightedConjunctions(Threshold):
    """f(x) = sign(Σ v_h·h(x)), each conjunction h being +1 where it holds and −1 where it does not, or 0
    there, if the model `_only_adds`.

    A fitted model is `classes_`, `encoder_`, `intercept_` (the weights of the constant), `_places` (of each
    conjunction, the positions of its literals), and `_weights`, with a row per weight vector and a column per
    conjunction; everything else is derived."""

    classes_: Array
    encoder_: LiteralEncoder
    intercept_: Array
    _places: list[tuple[int, ...]]
    _weights: Array
    _negated: Sequence[int] = ()  # the conjunctions said to hold where theirs do not

    @property
    def _only_adds(self) -> bool:
        return False

    def decision_function(self, X: Any) -> Array:
        """Σ v_h·h(x): one score per row for two classes, one per class for more."""
        check_is_fitted(self)
        scores = self._scores(self._holding(X))
        return np.asarray(scores.ravel() if scores.shape[1] == 1 else scores)

    def _scores(self, held: Array) -> Array:
        """Scores, rule by rule: a product with an array of −1 and +1 would take eight times the memory."""
        sums = np.zeros((len(held), len(self._weights)))
        for column, weights in zip(held.T, self._weights.T, strict=True):
            sums += np.where(column[:, None], weights, 0.0 if self._only_adds else -weights)
        return np.asarray(sums + self.intercept_)

    def _holding(self, X: Any) -> Array:
        """Which conjunctions hold in which rows."""
        held = self._conjoined(X, self._places)
        for j in self._negated:
            held[:, j] ^= True
        return held

    def _conjoined(self, X: Any, conjunctions: Sequence[tuple[int, ...]]) -> Array:
        """Which of these conjunctions hold in which rows; only their own literals are evaluated."""
        used, owners = sorted({place for one in conjunctions for place in one}), self.encoder_.attributes_
        columns = dict(zip(used, self.encoder_.evaluate(X, used, owner=self).T, strict=True))
        held = np.ones((count_rows(X), len(conjunctions)), np.bool_, order="F")
        for j, places in enumerate(conjunctions):
            for before, place in zip((None, *places), places, strict=False):
                ends = before is not None and owners[before] == owners[place]  # an interval
                held[:, j] &= (columns[place] == 0) if ends else (columns[place] != 0)
        return held

    def explain(self, x: Any) -> Explanation:
        """Why a row gets its class: which conjunctions hold, and what each adds to the score.

        x : one row, as `predict` takes it (a frame or array of one row), or the row itself, or a dict.

        With more than two classes, the score of the predicted class is explained. A scorecard is explained
        by points, whose sum is > 0 for the second of two classes.
        """
        check_is_fitted(self)
        with warnings.catch_warnings():
            if isinstance(x, Mapping):  # its names are checked
                warnings.filterwarnings("ignore", "X does not have valid feature names")
            held = self._holding(self._in_order(x) if isinstance(x, Mapping) else as_table(x))
        if len(held) != 1:
            raise ValueError(f"There are {len(held)} rows, but one is explained at a time; pick one.")
        scores = self._scores(held)
        winner = int(codes_of(scores)[0])
        vector = winner if len(self._weights) > 1 else 0
        labels = self.classes_.tolist()
        label = labels[winner if len(self._weights) > 1 else 1]
        return self._explained(labels[winner], label, held[0], vector, float(scores[0, vector]))

    def _explained(self, prediction: Any, label: Any, held: Array, vector: int, score: float) -> Explanation:
        """What each conjunction and the constant add to a score."""
        weights = self._weights[vector]
        adds = np.where(held, weights, 0.0 if self._only_adds else -weights).tolist()
        rows = zip(self._rules(), held.tolist(), adds, strict=True)
        parts = [ScorePart(str(rule), holds, added) for rule, holds, added in rows]
        parts.append(ScorePart(ALWAYS, True, float(self.intercept_[vector])))
        own = [*map(bool, weights.tolist()), bool(self.intercept_[vector])]  # rules of this class
        parts = sorted((one for one, is_own in zip(parts, own, strict=True) if is_own), key=_first_shown)
        return Explanation(prediction, label, score, tuple(parts))

    @property
    def feature_importances_(self) -> Array:
        """The share of each column in the weights: that of a rule is divided evenly among its columns."""
        check_is_fitted(self)
        shares, encoder = np.zeros(self.n_features_in_), self.encoder_
        made_of = encoder.sources_
        for places, weight in zip(self._places, abs(self._weights).sum(axis=0), strict=True):
            sources = {j for place in places for j in made_of[encoder.attributes_[place]]}
            shares[sorted(sources)] += weight / len(sources)
        return shares / (shares.sum() or 1.0)

    def _in_order(self, row: Mapping[str, Any]) -> Any:
        """A row given by the names of its columns, as a table of one row."""
        names = [str(name) for name in getattr(self, "feature_names_in_", [])]
        if set(names) != set(row):
            raise ValueError(f"The row has the columns {[*row]}, but the model was fitted to {names}.")
        return [[row[name] for name in names]]

    def to_text(self) -> str:
        """The model in words, a line per weight, the heaviest first."""
        check_is_fitted(self)
        return self._sheet().text()

    def to_html(self) -> str:
        """The same as a fragment of HTML, without scripts."""
        check_is_fitted(self)
        return self._sheet().html()

    def to_latex(self) -> str:
        """The same in LaTeX: sentences and tabulars that need no package."""
        check_is_fitted(self)
        return self._sheet().latex()

    def _repr_html_(self) -> str:
        """What a notebook shows: the model in words, if it is fitted."""
        if hasattr(self, "classes_"):
            return self.to_html()
        bundle = super()._repr_mimebundle_()
        return str(bundle.get("text/html", f"<pre>{escape(repr(self))}</pre>"))

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        bundle = super()._repr_mimebundle_(**kwargs)
        return {**bundle, "text/html": self.to_html()} if hasattr(self, "classes_") else bundle

    def _sheet(self) -> Sheet:
        labels = [*map(printable, self.classes_.tolist())]
        if len(self._weights) == 1:
            return Sheet([f"{labels[1]} if the sum is > 0, else {labels[0]}.", SUM], [self._block(0, "")])
        blocks = [self._block(vector, f"{label}:") for vector, label in enumerate(labels)]
        return Sheet(["The class whose sum is the highest.", SUM], blocks)

    def _block(self, vector: int, title: str) -> Block:
        return Block(title, [Table((), [row[:2] for row in self._lines(vector)], 1)])

    def _lines(self, vector: int) -> list[tuple[str, str, int]]:
        """The weights of a class, its rules and their places, the heaviest first; the constant is the last
        place."""
        rules = [*map(str, self._rules()), ALWAYS]
        weights = [*self._weights[vector].tolist(), float(self.intercept_[vector])]
        there = (k for k in range(len(rules)) if weights[k])
        order = sorted(there, key=lambda k: -float(f"{abs(weights[k]):.9g}"))  # else rounding decides
        numbers = aligned([weights[k] for k in order])
        return [(number, rules[k], k) for number, k in zip(numbers, order, strict=True)]

    def _rules(self) -> list[Conjunction]:
        return [self._rule(one, k in self._negated) for k, one in enumerate(self._places)]

    def _rule(self, places: tuple[int, ...], negated: bool) -> Conjunction:
        literals, owners = self.encoder_.literals_, self.encoder_.attributes_
        said: dict[int, Literal | Between | Negation] = {}
        for place in places:
            one, owner = literals[place], int(owners[place])
            low = said.get(owner)
            said[owner] = Between(low, one) if isinstance(low, Literal) else one
        found = (*said.values(),)
        return Conjunction(
            tuple(Negation(one) for one in found if isinstance(one, Literal)) if negated else found
        )

    def _adopt(self, classes: Array, encoder: LiteralEncoder) -> None:
        """Take over the classes, the encoder, and the names of its columns."""
        self.classes_, self.encoder_, self.n_features_in_ = classes, encoder, encoder.n_features_in_
        if hasattr(encoder, "feature_names_in_"):
            self.feature_names_in_ = encoder.feature_names_in_
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _publish(self) -> None:
        """Set the public attributes that are derived."""
        self.conjunctions_ = self._rules()
        counts = np.count_nonzero(self._weights, axis=1)
        one = len(self._weights) == 1
        self.weights_ = self._weights[0] if one else self._weights
        self.n_weights_ = int(counts[0]) if one else counts

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = tags.input_tags.categorical = tags.input_tags.allow_nan = True
        return tags


def _first_shown(part: ScorePart) -> float:
    """Parts that add most come first."""
    return -abs(part.adds)


def as_table(x: Any) -> Any:
    """One row as a table; a table stays what it is."""
    if hasattr(x, "to_frame") and hasattr(x, "index"):  # a row of a pandas frame
        return x.to_frame().T
    return x if hasattr(x, "columns") or np.ndim(x) == 2 else [list(x)]


def aligned(numbers: Sequence[float], points: bool = False) -> list[str]:
    """Signed numbers of one width, with as many decimals as the smallest needs; points have none."""
    sizes = [abs(number) for number in numbers if abs(number) >= 10.0**-MOST]
    needed = 1 - floor(log10(min(sizes))) if sizes else FEWEST
    decimals = 0 if points else min(max(needed, FEWEST), MOST)
    texts = [f"{number:+.{decimals}f}" for number in numbers]
    return [text.rjust(max(map(len, texts))) for text in texts]
