"""From what the runs left to the fitted attributes that every margin model shows, and what to say when
training did not end by its own rule."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._types import Array
from ..rows.encode import Encoded, is_sparse, vanishing
from ..theory.certificate import Certificate
from .memory import Memory, Model
from .rules import Rule
from .run import CAPPED, MIN_MARGIN, STUCK, SUCCESS, Verdict
from .theorem import Terms

UNEVEN = 1000.0  # columns whose scales differ by more need scaling
LOOKED_AT = 512  # rows, evenly spread, that show the scales


def publish(model: Any, memories: Sequence[Memory], terms: Terms) -> list[Model]:
    """Set counts, intercepts, duals and history; returns the weights, one `Model` per weight vector."""
    results = [memory.result(terms.settings["result"]) for memory in memories]
    one = len(results) == 1
    model.lift_ = float(np.sqrt(terms.rho_squared))
    model.intercept_ = np.array([result.b for result in results])
    if one:
        model.support_, model.dual_coef_ = results[0].rows, results[0].duals[None].copy()
    else:
        model.support_ = np.unique(np.concatenate([result.rows for result in results]))
        model.dual_coef_ = np.zeros((len(results), len(model.support_)))
        for k, result in enumerate(results):
            model.dual_coef_[k, np.searchsorted(model.support_, result.rows)] = result.duals
    updates, presentations = (
        [int(memory.clock[name][0]) for memory in memories] for name in ("updates", "presentations")
    )
    model.n_rows_ = memories[0].n_rows - memories[0].n_absent
    stopped = [memory.stopped for memory in memories]
    model.stopped_ = stopped[0] if one else np.array(stopped)
    model.n_updates_ = updates[0] if one else np.array(updates)
    model.n_presentations_ = presentations[0] if one else np.array(presentations)
    model.n_iter_ = max(1, -(-max(presentations) // model.n_rows_))
    history = [{name: values.copy() for name, values in memory.history.items()} for memory in memories]
    model.history_ = history[0] if one else history
    return results


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
    model: Any, certificates: Sequence[Certificate], verdicts: Sequence[Verdict], hopeless: int, uneven: bool
) -> str | None:
    """What went wrong, and what to change; None if nothing did. That it was proved that no hyperplane has a
    margin worth looking for is an ordinary end, unless the columns, `uneven`, may be to blame."""
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
    shares = [certificate.n_errors / certificate.n_rows for certificate in certificates]
    wrong = max(shares)
    which = f" (class {model.classes_[shares.index(wrong)]} against the rest)" if len(shares) > 1 else ""
    scale = " The scales of the columns differ by a factor of more than 1,000: use StandardScaler."
    if all(verdict in (*SUCCESS, MIN_MARGIN) for verdict in verdicts):
        stopped = (
            f"Stopped by min_margin={model.min_margin} with {wrong:.1%} of the training rows wrong{which}."
        )
        return stopped + scale if uneven and MIN_MARGIN in verdicts else None
    cap = "max_updates" if CAPPED in verdicts else "max_epochs"
    message = (
        f"Stopped by {cap}={getattr(model, cap)} with {wrong:.1%} of the training rows wrong{which}. "
        f"Raise {cap}"
    )
    if wrong == 0.0:
        return f"{message}, or ask for less margin."
    if uneven:
        return f"{message}.{scale}"
    if model.result == "last":
        return f"{message}; if the data are not separable, use result='auto', 'average' or 'pocket'."
    return f"{message}, unless the data are not separable."


def is_uneven(matrix: Any) -> bool:
    """Do the largest values of two columns differ by a factor of more than 1,000? Some rows will tell."""
    rows = matrix[:: max(1, matrix.shape[0] // LOOKED_AT)]
    if is_sparse(rows):
        scales = np.zeros(rows.shape[1])
        np.maximum.at(scales, rows.indices, np.abs(rows.data))
    else:
        scales = np.abs(rows).max(axis=0)
    return are_uneven(scales)


def are_uneven(scales: Array) -> bool:
    """Of the largest values of columns."""
    scales = scales[scales > 0.0]
    return bool(len(scales) and scales.max() > UNEVEN * scales.min())
