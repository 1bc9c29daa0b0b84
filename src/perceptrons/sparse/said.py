"""How rules learned together are said: "odor is not none" for a rule, rather than a weight against "odor =
none"; and in how many of the rows learned from each holds."""

from collections.abc import Sequence

import numpy as np

from ..tables.literal_encoder import Literal
from .joint import JointVector
from .scorecard import Total, count_and_share

NEGATIVES = {"absent", "false", "never", "nil", "no", "none", "not", "nothing", "without"}


def is_negative(literal: Literal) -> bool:
    """Does it say that something is not there?"""
    return literal.relation == "=" and str(literal.value).strip().lower() in NEGATIVES


def said_otherwise(vectors: Sequence[JointVector], literals: Sequence[Literal]) -> list[int]:
    """The rules that are said by their negation: of one literal that is negative, with a weight below 0; none
    if there are several vectors, in which a rule may have weights of both signs."""
    if len(vectors) > 1:
        return []
    pairs = zip(vectors[0].places, vectors[0].weights.tolist(), strict=True)
    return [
        k
        for k, (one, weight) in enumerate(pairs)
        if len(one) == 1 and weight < 0.0 and is_negative(literals[one[0]])
    ]


def as_said(vector: JointVector, negated: Sequence[int]) -> JointVector:
    """The same model, if these rules hold where theirs do not."""
    if not negated:
        return vector
    sign = np.ones(len(vector.places), np.int64)
    sign[list(negated)] = -1
    return vector._replace(
        weights=sign * vector.weights,
        bias=vector.bias + float(vector.weights[list(negated)].sum()),
        rows=np.where(sign < 0, vector.n_rows - vector.rows, vector.rows),
        positive=np.where(sign < 0, vector.n_positive - vector.positive, vector.positive),
        points=None if vector.points is None else sign * vector.points,
    )


def totals_as_said(vector: JointVector, totals: list[Total], negated: Sequence[int]) -> list[Total]:
    """The totals of the card, if these rules hold where theirs do not."""
    if not negated or vector.points is None:
        return totals
    moved = int(vector.points[list(negated)].sum())
    return [one._replace(points=one.points - moved) for one in totals]


def covers_of(vector: JointVector, places: Sequence[tuple[int, ...]]) -> list[tuple[str, str]]:
    """For each conjunction of the model, in how many rows it holds and the share of the class there; in the
    end, of all rows. Empty if the file is of a version that did not keep the number of rows."""
    if not vector.n_rows:
        return []
    own = {
        one: count_and_share(rows, positive)
        for one, rows, positive in zip(
            vector.places, vector.rows.tolist(), vector.positive.tolist(), strict=True
        )
    }
    return [*(own.get(one, ("", "")) for one in places), count_and_share(vector.n_rows, vector.n_positive)]
