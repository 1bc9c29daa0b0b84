"""From what the runs left to the fitted attributes that every margin model shows."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .memory import Memory, Model
from .theorem import Terms


def publish(model: Any, memories: Sequence[Memory], terms: Terms) -> list[Model]:
    """Set counts, intercepts, duals and history; returns the weights, one `Model` per weight vector."""
    results = [memory.result(terms.settings["result"]) for memory in memories]
    one = len(results) == 1
    model.lift_ = float(np.sqrt(terms.rho_squared))
    model.intercept_ = np.array([result.b for result in results])
    model.support_ = (
        results[0].rows if one else np.unique(np.concatenate([result.rows for result in results]))
    )
    model.dual_coef_ = np.zeros((len(results), len(model.support_)))
    for k, result in enumerate(results):
        model.dual_coef_[k, np.searchsorted(model.support_, result.rows)] = result.duals
    updates, presentations = (
        [int(memory.clock[name][0]) for memory in memories] for name in ("updates", "presentations")
    )
    model.n_rows_ = memories[0].n_rows
    model.n_updates_ = updates[0] if one else np.array(updates)
    model.n_presentations_ = presentations[0] if one else np.array(presentations)
    model.n_iter_ = max(1, -(-max(presentations) // model.n_rows_))
    history = [{name: np.array(values) for name, values in memory.history.items()} for memory in memories]
    model.history_ = history[0] if one else history
    return results
