"""What to say when training did not end by its own rule."""

from collections.abc import Sequence
from typing import Any

from ..data.encode import Encoded, vanishing
from ..theory.certificate import Certificate
from .memory import Memory
from .rules import Rule
from .training import CAPPED, STUCK, Verdict


def count_hopeless(data: Encoded, rule: Rule, memories: Sequence[Memory]) -> int:
    """How many rows of zeros no hyperplane through the origin can classify (there is no intercept)."""
    if rule.rho_squared > 0 or data.smallest > 0:
        return 0
    zero, most = vanishing(data.X, len(data.codes)), 0
    for memory, signs in zip(memories, data.signs(), strict=True):
        fine = (signs < 0) & rule.negative_ties & (memory.clock["beta_negative"][0] == 0.0)
        most = max(most, int((zero & ~fine).sum()))
    return most


def complaint(
    model: Any, certificates: Sequence[Certificate], verdicts: Sequence[Verdict], hopeless: int
) -> str:
    """What went wrong, and what to change."""
    if hopeless:
        return (
            f"{hopeless} rows are all zeros and fit_intercept=False: no hyperplane through the origin "
            "classifies them. Use fit_intercept=True or drop them."
        )
    if STUCK in verdicts:
        return (
            f"No row violates its target, but the margin is not certified to be within tol={model.tol} of "
            "the best. Use order='worst', which goes on until it is."
        )
    cap = "max_updates" if CAPPED in verdicts else "max_epochs"
    shares = [certificate.n_errors / certificate.n_rows for certificate in certificates]
    wrong = max(shares)
    which = f" (class {model.classes_[shares.index(wrong)]} against the rest)" if len(shares) > 1 else ""
    message = (
        f"Stopped by {cap}={getattr(model, cap)} with {wrong:.1%} of the training rows wrong{which}. "
        f"Raise {cap}"
    )
    if wrong == 0.0:
        return f"{message}, or ask for less margin."
    if model.result == "last":
        return f"{message}; if the data are not separable, use result='pocket' or 'average'."
    return f"{message}, unless the data are not separable."
