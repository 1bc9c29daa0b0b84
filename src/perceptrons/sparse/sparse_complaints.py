"""What a fit of a `SparsePerceptron` says that may have ended too early, or learned nothing."""

from collections.abc import Iterator
from typing import Any

from ..tables.literal_encoder import LiteralEncoder
from ..tables.table_encoder import names_in
from ..tables.treatments import LEFT_OUT
from ..texts import printable
from .n_stages import StagePlan

SHOWN = 6  # columns left out


def complaints(model: Any, plan: StagePlan) -> Iterator[str]:
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


def unlearned(model: Any, learned: list[bool]) -> Iterator[str]:
    """The classes of whose weight vectors nothing was learned."""
    labels, out = model.classes_.tolist()[-len(learned) :], left_out(model.encoder_)
    for label, something in zip(labels, learned, strict=True):
        if not something:
            yield (
                f"No conjunction of at most k={model.k} literals tells {label!r} from the rest better "
                f"than chance, so nothing is learned about it; add columns, or try a higher k.{out}"
            )


def left_out(encoder: LiteralEncoder) -> str:
    """The columns that were not looked at: what is not found may stand there."""
    pairs = zip(names_in(encoder), encoder.treatments_, strict=True)
    out = [f"{printable(name)} ({why})" for name, why in pairs if why in LEFT_OUT]
    if not out:
        return ""
    more = f" and {len(out) - SHOWN} more" if len(out) > SHOWN else ""
    return f" Left out: {', '.join(out[:SHOWN])}{more}; keep='all' keeps them."
