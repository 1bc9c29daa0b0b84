"""What is known of a model and the rows it was trained on, for `theory.statements.on_training_rows`.

Each kind of model brings what it has: a linear one the margins of its rows, a perceptron the mistakes of its
first pass and the rows it is made of, a scorecard or a model of binary weights the number of models it was
chosen from. What must not depend on the rows is paid for: the scale of the intercept's coordinate is one of
five, thresholds and names are paid for by the length of their texts.
"""

from math import comb, log
from typing import Any

import numpy as np
import scipy.sparse as sp

from .._types import Array
from ..base import LinearThreshold
from ..binary.binary_perceptron import BinaryPerceptron
from ..margin.perceptron import Perceptron
from ..margin.theorem import POWERS
from ..rows.order import FEW
from ..sparse.sparse_perceptron import SparsePerceptron
from ..tables.cells import BOOLEAN
from ..tables.treatments import AS_IS, TREATMENTS
from ..theory.certificate import Certificate
from ..theory.occam import log_binary_perceptrons, log_cards, log_texts
from ..theory.statements import TrainingFacts
from .answered_rows import RowsAndAnswers

LIFTS = (0.25, 1.0, 4.0, 16.0, 64.0)  # ρ, fixed beforehand
KINDS_OF_COLUMN = 3
READINGS = 6 * KINDS_OF_COLUMN * len(TREATMENTS)  # six parts of a date, and what is done with texts


def facts_of(rows: RowsAndAnswers, weighted: bool, margins: tuple[Certificate, ...]) -> TrainingFacts:
    """Everything that is known, once."""
    learner, one = rows.learner, margins[0] if len(margins) == 1 else None
    spoiled = weighted or rows.scaled
    facts = TrainingFacts(
        n_rows=len(rows.codes), errors=int(rows.wrong.sum()), weighted=weighted, scaled_by_rows=rows.scaled
    )
    if not spoiled:
        facts = _with_margins(facts, learner, rows)
    if one is not None and one.reproducible and one.n_rows == facts.n_rows:
        size = one.compression_size + one.lift_from_rows
        outside = min(one.n_errors, max(0, facts.n_rows - size))  # at most all of them
        facts = facts._replace(compression_size=size, errors_outside=outside, choices=one.choices)
    if isinstance(learner, Perceptron) and hasattr(learner, "_terms"):
        facts = _with_first_pass(facts, learner)
    return facts._replace(log_size=_log_size(learner))


def _with_margins(facts: TrainingFacts, learner: Any, rows: RowsAndAnswers) -> TrainingFacts:
    """Normalized margins under each lift; of two classes."""
    if not isinstance(learner, LinearThreshold) or len(learner.coef_) != 1:
        return facts
    w, b = np.asarray(learner.coef_[0], float), float(learner.intercept_[0])
    matrix = rows.X if sp.issparse(rows.X) else np.asarray(rows.X, float)
    scores = np.where(rows.codes == 1, 1.0, -1.0) * (np.asarray(matrix @ w, float).ravel() + b)
    squares = _squares(matrix)
    lifts = np.array(LIFTS)[:, None]
    norms = np.sqrt(w @ w + (b / lifts) ** 2) * np.sqrt(squares + lifts**2)
    found = np.divide(scores, norms, out=np.zeros_like(norms), where=norms > 0.0)
    return facts._replace(margins=np.clip(found, -1.0, 1.0), n_dimensions=len(w) + 1)


def _squares(X: Any) -> Array:
    matrix: Any = X
    if sp.issparse(X):
        return np.asarray(matrix.multiply(matrix).sum(axis=1), np.float64).ravel()
    return np.asarray(np.einsum("ij,ij->i", X, X))


def _with_first_pass(facts: TrainingFacts, learner: Perceptron) -> TrainingFacts:
    """The mistakes of the first pass, if each row was met once, by a vector learned from others alone."""
    terms = learner._terms
    one_pass = terms.one_run and not terms.streamed and len(learner.classes_) == 2
    if not one_pass or learner.n_presentations_ < facts.n_rows:
        return facts
    uniform = terms.settings["order"] == "shuffle" and facts.n_rows <= FEW  # larger sets are met by blocks
    looked = terms.settings["intercept_scaling"] == "radius" and terms.rho_squared > 0.0
    return facts._replace(
        first_pass_mistakes=None if looked else int(learner.history_["errors"][0]),
        first_pass_choices=log(POWERS),  # ρ, and the target that follows it
        random_order=uniform,
    )


def _log_size(learner: Any) -> float | None:
    """ln of the number of models it was chosen from, by the length of what it takes to write it down."""
    if isinstance(learner, BinaryPerceptron):
        return _log_size_of_binary(learner)
    if isinstance(learner, SparsePerceptron) and learner.cards_ is not None and len(learner.classes_) == 2:
        return _log_size_of_card(learner)
    return None


def _log_size_of_binary(learner: BinaryPerceptron) -> float:
    """3ⁿ(2n + 2), and for each column one of the cuts there are."""
    n, cuts = len(learner.cuts_), np.unique(learner.cuts_)
    return float(log_binary_perceptrons(n)) + log_texts([_shortest(cut) for cut in cuts]) + n * log(len(cuts))


def _shortest(cut: float) -> str:
    return repr(float(cut)).removesuffix(".0")


def _log_size_of_card(learner: SparsePerceptron) -> float:
    """The literals by column and text, then a card of conjunctions of these."""
    encoder, places, points = learner.encoder_, learner._places, np.asarray(learner._weights[0])
    used = [k for k in range(len(places)) if points[k]]
    literals = sorted({place for k in used for place in places[k]})
    n_columns = encoder.n_features_in_ + len(encoder.groups_)
    written = [_text_of(encoder, place) for place in literals]
    longest, most = max([len(places[k]) for k in used], default=1), int(np.abs(points).max(initial=1))
    n_terms = max(
        2 * sum(comb(len(literals), size) for size in range(1, longest + 1)), 1
    )  # or their negation
    card = float(log_cards(n_terms, min(max(len(used), 1), n_terms), most))
    return (
        log_texts(written)
        + sum(_log_reading(encoder, place) for place in literals)
        + len(literals) * log(n_columns)
        + log(longest * (longest + 1) * most * (most + 1))
        + card
    )


def _log_reading(encoder: Any, place: int) -> float:
    """How the column of a literal is read: as it is, or otherwise."""
    parts, column = encoder._parts(), int(encoder.attributes_[place])
    treatments = getattr(encoder, "treatments_", [AS_IS] * encoder.n_features_in_)
    plain = column >= len(parts) or treatments[parts[column].source] == AS_IS
    return log(2 * KINDS_OF_COLUMN if plain else 2 * READINGS)


def _text_of(encoder: Any, place: int) -> str:
    """What a literal compares with, as it can be read back; of a truth value one symbol."""
    column = int(encoder.attributes_[place])
    value = encoder._values(column)[place - encoder._starts()[column]]
    if encoder.kinds_[column] == BOOLEAN:
        return "0" if value in (False, "false") else "1"
    return str(value) if isinstance(value, str) else _shortest(value)
