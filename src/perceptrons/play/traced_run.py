"""A perceptron's run as a page shows it: every row presented, every weight vector, the proof in motion.

The whole run is one answer. Stepping forward and back asks nothing, and every number that was shown comes
again as it was.
"""

import warnings
from itertools import islice
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ..margin.perceptron import Perceptron
from ..margin.trace import Correction, Presentation, trace
from .asked import Asked
from .cone import cuts
from .listed_facts import certificate_facts, fact
from .parameters import parameters
from .proof import best_margin, in_motion, lifted

MOST_STEPS = 4_000  # presentations that are sent; of a longer run corrections alone, and of these
MOST_CORRECTIONS = 2_000  # the first


def perceptron_run(asked: Asked) -> dict[str, Any]:
    model = Perceptron(**parameters(asked))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the page says how training ended
        model.fit(asked.X, asked.y)
        shown, corrections = _shown(model, asked)
    weights = np.array(
        [[0.0] * (asked.X.shape[1] + 1), *([*one.coef_after, one.intercept_after] for one in corrections)]
    )
    signs = np.where(asked.y > 0, 1, -1)
    best = best_margin(lifted(asked.X, model.lift_), signs)
    returned = [*model.coef_[0].tolist(), float(model.intercept_[0])]
    return {
        "kind": "presentations" if len(shown) > len(corrections) else "corrections",
        "steps": {
            "row": [one.row for one in shown],
            "score": [one.score for one in shown],
            "output": [int(one.output) for one in shown],
            "corrected": [int(one.correction is not None) for one in shown],
            "weights": np.cumsum([one.correction is not None for one in shown]).tolist(),
        },
        "weights": weights.tolist(),
        "targets": [[one.beta, one.step] for one in corrections],
        "facts": in_motion(asked.X, signs, weights, corrections, model.lift_, best, model.step == "alma"),
        "cone": cuts(asked.X, signs),
        "lift": model.lift_,
        "returned": None if returned == weights[-1].tolist() else returned,
        "ended": model.stopped_,
        "shrinks": model.step == "alma",
        "always": model.tol is not None and model.order == "worst",
        "result": [
            fact("corrections", int(model.n_updates_)),
            fact("rows presented", int(model.n_presentations_)),
            fact("epochs", int(model.n_iter_)),
            fact("a line without errors", best.separable),
            *certificate_facts(model.certificate_)[1:],
        ],
        "note": _note(model, len(shown), len(corrections)),
    }


def _shown(model: Perceptron, asked: Asked) -> tuple[list[Presentation], list[Correction]]:
    """What is stepped through, and the corrections among it."""
    if int(model.n_presentations_) <= MOST_STEPS:
        shown = list(trace(model, asked.X, asked.y, presentations=True))
        return shown, [one.correction for one in shown if one.correction]
    corrections = list(islice(trace(model, asked.X, asked.y), MOST_CORRECTIONS))
    return [_as_presentation(one, asked) for one in corrections], corrections


def _as_presentation(one: Correction, asked: Asked) -> Presentation:
    score = float(asked.X[one.row] @ one.coef_before + one.intercept_before)
    return Presentation(one.number, one.row, score, int(score > 0), int(asked.y[one.row]), one)


def _note(model: Perceptron, n_shown: int, n_corrections: int) -> str:
    """What of a long run is not shown."""
    if int(model.n_presentations_) <= MOST_STEPS:
        return ""
    note = f"The run looked at {int(model.n_presentations_):,} rows, so only its corrections are steps here"
    left = int(model.n_updates_) - n_corrections
    return note + (f", the first {n_shown:,} of {int(model.n_updates_):,}." if left else ".")
