"""Facts of all rows: the parts are the batches of a stream (`rows.stream_facts`).

Each finds out about its own rows, and what they found is put together as a first pass would have left it.
"""

from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np
from sklearn.base import clone

from ..rows.encode import Encoded
from ..rows.norms import NormCounts
from ..rows.stream_facts import StreamFacts
from ..rows.weights import is_balanced
from ..stream_sources import Batch
from .part import CollectionPart
from .part_classes import read_classes
from .rounds import Rounds


def facts_of(rounds: Rounds, model: Any) -> StreamFacts:
    """What a first pass over all rows finds out; the model learns their columns."""
    known = read_classes(rounds, model.class_weight)
    weight: Any = model.class_weight
    if is_balanced(weight):
        weight = dict(zip(known.classes.tolist(), known.factors.tolist(), strict=True))
    given = np.cumsum([0, *rounds.n_rows])[:-1].tolist()
    present = np.cumsum([0, *known.n_rows])[:-1].tolist()
    blank = clone(model.to_local())
    told = [
        (StreamFacts(blank, weight, known.classes, n_given=first, n_rows=there),)
        for first, there in zip(given, present, strict=True)
    ]
    facts: StreamFacts = reduce(both_facts, rounds.ask_each("norms", own_facts, told))
    model.n_features_in_ = facts.estimator.n_features_in_
    if hasattr(facts.estimator, "feature_names_in_"):
        model.feature_names_in_ = facts.estimator.feature_names_in_
    facts.finish()
    return facts


def own_facts(part: CollectionPart, facts: StreamFacts) -> StreamFacts:
    facts.add(batch_of(part))
    return facts


def both_facts(one: StreamFacts, other: StreamFacts) -> StreamFacts:
    """Those of two parts, of which the other's rows come later."""
    one.places += other.places
    one.n_given, one.n_rows = other.n_given, other.n_rows
    one.smallest, one.largest = min(one.smallest, other.smallest), max(one.largest, other.largest)
    one.lightest, one.heaviest = min(one.lightest, other.lightest), max(one.heaviest, other.heaviest)
    one.norms, one.scales = one.norms + other.norms, np.maximum(one.scales, other.scales)
    for name, total in other.sums.items():
        one.sums[name] = one.sums.get(name, 0.0) + total
    return one


def facts_for_part(facts: StreamFacts, k: int) -> StreamFacts:
    """What part k must know of them to read its rows, as the only one."""
    return replace(
        facts, places=[facts.places[k]], sums={}, norms=NormCounts(0, 0, np.zeros((0, 0), np.int64))
    )


def batch_of(part: CollectionPart) -> Batch:
    return Batch(part.X, part.y, part.weights, part.name)


def encoded_rows(part: CollectionPart, facts: StreamFacts, k: int) -> Encoded | None:
    """The rows of part k that count, validated; None if there are none."""
    return part.worked_out("encoded", lambda one: facts.read(batch_of(one), k))  # type: ignore[no-any-return]
