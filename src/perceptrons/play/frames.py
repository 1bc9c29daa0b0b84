"""Learners that are not traced correction by correction: the model after one pass, two passes and so on.

Each frame is a fit of its own, with a cap on corrections, passes, rows or rules; what the page draws of it is
computed here: a line and its band, or scores on a grid of points, or the corners of a cube.
"""

import warnings
from base64 import b64encode
from collections.abc import Callable, Iterable
from itertools import product
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from .._types import Array
from ..base import Threshold
from ..binary.binary_perceptron import BinaryPerceptron
from ..conservative.conservative_perceptron import ConservativePerceptron
from ..margin.kernel_perceptron import KernelPerceptron
from ..margin.maximum.max_margin_perceptron import MaxMarginPerceptron
from ..sparse.sparse_perceptron import SparsePerceptron
from .asked import Asked
from .cone import cuts
from .listed_facts import certificate_facts, fact, plain
from .parameters import parameters
from .views import box, points

MOST_FRAMES = 48
GRID = 64  # points along a side


def fitted(learner: Callable[..., Any], settings: dict[str, Any], X: Array, y: Array) -> Any:
    """A fitted model; how training ended is shown, not warned of."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", UserWarning)
        return learner(**settings).fit(X, y)


def counts(last: int) -> list[int]:
    """1, 2, 3, … to `last`: all of them, or, where they are many, fewer and fewer."""
    if last <= MOST_FRAMES:
        return list(range(1, last + 1))
    half = MOST_FRAMES // 2
    late = np.geomspace(half + 1, last, MOST_FRAMES - half).round().astype(int)
    return sorted({*range(1, half + 1), *late.tolist()})


def grid_of(model: Threshold, X: Array) -> str:
    """Scores on a grid over the view, from −127 to 127, as text; 0 is the border."""
    scores = np.asarray(model.decision_function(points(box(X), GRID)))
    usual = float(np.percentile(np.abs(scores), 90)) or 1.0
    shades = np.where(scores > 0, 1, -1) * np.clip(np.abs(scores) / usual * 126, 1, 127).round()
    return b64encode(shades.astype(np.int8).tobytes()).decode("ascii")


def line_of(model: Any) -> list[float]:
    return [*model.coef_[0].tolist(), float(model.intercept_[0])]


def wrong(model: Any, X: Array, y: Array) -> int:
    """Rows on the wrong side."""
    return int(((np.asarray(model.decision_function(X)) > 0) != (y > 0)).sum())


def kernel_run(asked: Asked) -> dict[str, Any]:
    """After each correction; the last frame is the model that `fit` returns."""
    settings = parameters(asked)
    final = fitted(KernelPerceptron, settings, asked.X, asked.y)
    stages = {**settings, "result": "last", "compress": False}
    frames = [
        _kernel_frame(fitted(KernelPerceptron, {**stages, "max_updates": t}, asked.X, asked.y), asked, t)
        for t in counts(int(final.n_updates_))
    ]
    last = {**_kernel_frame(final, asked, int(final.n_updates_)), "caption": "The model that fit returns"}
    return _answer([*frames, last], [fact("corrections", int(final.n_updates_))], final.certificate_)


def _kernel_frame(model: Any, asked: Asked, n_updates: int) -> dict[str, Any]:
    n_wrong = wrong(model, asked.X, asked.y)
    return {
        "grid": grid_of(model, asked.X),
        "support": np.unique(model.support_).tolist(),
        "caption": f"After {n_updates:,} correction{'s' * (n_updates != 1)}",
        "facts": [fact("rows in the sum", len(model.support_)), fact("wrong rows", n_wrong)],
    }


def maximum_run(asked: Asked) -> dict[str, Any]:
    """After each look at all rows: the interval around the best margin closes."""
    settings = parameters(asked)
    final = fitted(MaxMarginPerceptron, settings, asked.X, asked.y)
    frames = []
    for t in counts(int(final.n_iter_)):
        model = fitted(MaxMarginPerceptron, {**settings, "max_iter": t}, asked.X, asked.y)
        certificate = model.certificate_
        frames.append(
            {
                "line": line_of(model),
                "band": [-1.0, 1.0],
                "support": np.asarray(model.support_).tolist(),
                "interval": plain(np.array([certificate.margin, certificate.margin_bound], float)),
                "caption": f"After {t:,} look{'s' * (t != 1)} at all rows",
                "facts": [fact("support rows", len(model.support_)), *certificate_facts(certificate)],
            }
        )
    made = [fact("changes of the weights", int(final.n_updates_))]
    return {**_answer(frames, made, final.certificate_), "cone": cuts(asked.X, np.where(asked.y > 0, 1, -1))}


def conservative_run(asked: Asked) -> dict[str, Any]:
    """After each epoch: the line and the two bands, learned together."""
    settings = parameters(asked)
    final = fitted(ConservativePerceptron, settings, asked.X, asked.y)
    frames = []
    for t in counts(int(final.n_iter_)):
        model = fitted(ConservativePerceptron, {**settings, "max_epochs": t}, asked.X, asked.y)
        rejected = model.rejects(asked.X)
        on_wrong_side = (np.asarray(model.decision_function(asked.X)) > 0) != (asked.y > 0)
        low, high = np.minimum(model.bands_, 1e9)
        frames.append(
            {
                "line": line_of(model),
                "band": [-float(low), float(high)],
                "rejected": np.flatnonzero(rejected).tolist(),
                "caption": f"The best after {t:,} epoch{'s' * (t != 1)}",
                "facts": [
                    fact("rows rejected", int(rejected.sum())),
                    fact("rows answered wrongly", int((on_wrong_side & ~rejected).sum())),
                    fact("cost of a row", float(model.training_risk_)),
                ],
            }
        )
    made = [fact("corrections", int(final.n_updates_))]
    return {**_answer(frames, made), "cone": cuts(asked.X, np.where(asked.y > 0, 1, -1))}


def sparse_run(asked: Asked) -> dict[str, Any]:
    """With one rule, two rules and so on."""
    settings, frames = parameters(asked), []
    seen: set[str] = set()
    for most in range(1, int(settings["max_rules"]) + 1):
        model = fitted(SparsePerceptron, {**settings, "max_rules": most}, asked.X, asked.y)
        if (text := model.to_text()) in seen:
            continue
        seen.add(text)
        n_rules = len(model.conjunctions_)
        frames.append(
            {
                "grid": grid_of(model, asked.X),
                "rules": [_rule(*pair) for pair in zip(model.conjunctions_, model.weights_, strict=True)],
                "text": f"{_legend(asked)}\n\n{text}",
                "caption": f"At most {most} rule{'s' * (most != 1)}: {n_rules}",
                "facts": [fact("rules", n_rules), fact("wrong rows", wrong(model, asked.X, asked.y))],
            }
        )
    return _answer(frames, [])


def _legend(asked: Asked) -> str:
    return ", ".join(f"x{j} is {name}" for j, name in enumerate(asked.columns))


def _rule(conjunction: Any, weight: Any) -> dict[str, Any]:
    """Half-planes: (column, is it greater than, where)."""
    sides = [
        [int(one.column.removeprefix("x")), one.relation == ">", float(one.value)]
        for one in conjunction.literals
    ]
    return {"sides": sides, "weight": float(weight)}


def binary_run(asked: Asked) -> dict[str, Any]:
    """Row by row where weights are counted, epoch by epoch where they are corrected; beside them all weights
    that there are, each with the errors of its best threshold."""
    settings = parameters(asked)
    final = fitted(BinaryPerceptron, settings, asked.X, asked.y)
    stages = _epochs_of_bits if final.method == "sbpi" else _rows_of_bits
    frames = list(stages(settings, asked))
    answer = _answer(frames, [fact("weights that are not 0", int(final.n_weights_))])
    bits = np.where(asked.X > final.cuts_, 1, -1)
    return {**answer, "corners": _corners(bits, asked.y), "cuts": final.cuts_.tolist()}


def _epochs_of_bits(settings: dict[str, Any], asked: Asked) -> Iterable[dict[str, Any]]:
    last = fitted(BinaryPerceptron, settings, asked.X, asked.y)
    for t in counts(max(1, int(last.n_epochs_))):
        model = fitted(BinaryPerceptron, {**settings, "max_epochs": t}, asked.X, asked.y)
        yield _bits_frame(model, asked, f"After {t:,} epoch{'s' * (t != 1)}")


def _rows_of_bits(settings: dict[str, Any], asked: Asked) -> Iterable[dict[str, Any]]:
    first = 1 + int(np.flatnonzero(asked.y != asked.y[0])[0])  # both classes have come
    cuts = fitted(BinaryPerceptron, settings, asked.X, asked.y).cuts_
    bits = np.where(asked.X > cuts, 1, -1).astype(np.int8)
    for t in counts(len(bits) - first):
        model = fitted(BinaryPerceptron, settings, bits[: first + t], asked.y[: first + t])
        yield {
            **_bits_frame(model, asked, f"After {first + t:,} rows", bits),
            "row": first + t - 1,
        }


def _bits_frame(model: Any, asked: Asked, caption: str, rows: Array | None = None) -> dict[str, Any]:
    rows = asked.X if rows is None else rows
    return {
        "corner": model.coef_[0].tolist(),
        "threshold": int(model.threshold_),
        "outputs": (np.asarray(model.decision_function(rows)) > 0).astype(int).tolist(),
        "caption": caption,
        "facts": [fact("threshold", int(model.threshold_)), fact("wrong rows", wrong(model, rows, asked.y))],
    }


def _corners(bits: Array, y: Array) -> list[list[int]]:
    """Every weight vector of −1, 0 and +1, and the fewest wrong rows that a threshold leaves: brute force."""
    found = []
    for w in product((-1, 0, 1), repeat=bits.shape[1]):
        sums = bits @ np.array(w)
        thresholds = range(-len(w) - 1, len(w) + 1)
        found.append([*w, min(int(((sums > theta) != (y > 0)).sum()) for theta in thresholds)])
    return found


def _answer(
    frames: list[dict[str, Any]], result: list[dict[str, Any]], certificate: Any = None
) -> dict[str, Any]:
    more = [] if certificate is None else certificate_facts(certificate)
    return {"kind": "frames", "frames": frames, "grid_points": GRID, "result": result + more, "note": ""}
