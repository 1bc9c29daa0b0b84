"""One learner on one part of a table: fitted to the rows of a fold, scored on those left out.

Rows are encoded once for all learners that share a part. A fit to all rows has nothing to score; its time is
that of compiled code: if some had to be compiled or loaded first, it is fitted once more.
"""

import re
import textwrap
import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from .compiled import n_specializations
from .cross_validation import Rows
from .describe import Shares, Size, answers_of, margin_of, shares_of, size_of, stopped_of
from .evaluation import auc_of, scores_of
from .learners import encoder_for, may_reject, reads_tables, weights_for
from .rejection.costs import Prices
from .tables.treatments import ALL


class Work(NamedTuple):
    """What is to be fitted: each learner to each part; the last part are all rows, with nothing to test."""

    rows: Rows
    parts: list[Any]
    build: dict[str, Callable[[], Any]]
    prices: Prices

    def laid_out(self, k: int) -> "FoldPart":
        return FoldPart([self.rows.take(rows) for rows in self.parts[k]], {})

    def fit(self, name: str, part: "FoldPart") -> "FoldFit":
        """A learner on a part of the rows."""
        return _fit_part(self.build[name](), part, self.prices)


class FoldPart(NamedTuple):
    """Rows to learn from and, if there are some, rows to test on; what encoders have made of them."""

    tables: list[Rows]
    encoded: dict[type, list[Any]]


class FoldScore(NamedTuple):
    """How a model did on the rows left out."""

    shares: Shares
    risk: float
    auc: float | None


class FoldFacts(NamedTuple):
    """What is said of a fitted model."""

    may_reject: bool
    size: Size | None
    margin: tuple[float | None, float | None] | None
    converged: bool | None
    stopped: str | None
    n_updates: int | None


class FoldFit(NamedTuple):
    facts: FoldFacts | None  # None if it failed
    seconds: float
    score: FoldScore | None  # None if it failed, or no rows are left out
    notes: list[str]


def failed(fits: list[FoldFit]) -> bool:
    return bool(fits) and fits[-1].facts is None


def _fit_part(learner: Any, part: FoldPart, prices: Prices) -> FoldFit:
    tables = part.tables
    score = partial(_score, prices=prices, table=tables[-1]) if len(tables) > 1 else None
    try:
        rows = _laid_out(part, learner)
    except (ValueError, MemoryError) as error:
        return _failure(error)
    return _try(learner, rows, tables[0], score)


def _laid_out(part: FoldPart, learner: Any) -> list[Any]:
    """As the learner takes them: in coordinates that the first teaches, which are made once for all. Which
    columns are left out is decided already."""
    tables, encoded = part
    if reads_tables(learner):
        if "keep" in learner.get_params(deep=False):
            learner.set_params(keep=ALL)
        return [table.X for table in tables]
    encoder = encoder_for(learner, ALL)
    if type(encoder) not in encoded:
        encoder.fit(tables[0].X, **weights_for(encoder, tables[0].weights))
        encoded[type(encoder)] = [encoder.transform(table.X) for table in tables]
    return encoded[type(encoder)]


def _try(
    learner: Any, rows: list[Any], table: Rows, score: Callable[[Any, Any], FoldScore] | None
) -> FoldFit:
    """Fit to the first of the laid out rows, those of the table, and score on the last."""
    fit = partial(_timed_fit, X=rows[0], table=table)
    compiled_before = n_specializations()
    try:
        seconds, notes = fit(learner)
        if score is None and n_specializations() > compiled_before:
            seconds, _ = fit(clone(learner))
        found = None if score is None else score(learner, rows[-1])
    except (ValueError, MemoryError) as error:
        return _failure(error)
    return FoldFit(_facts_of(learner), seconds, found, [_short(note) for note in notes])


def _timed_fit(learner: Any, X: Any, table: Rows) -> tuple[float, list[str]]:
    start = time.perf_counter()
    _, notes = quietly(learner.fit, X, table.y, **weights_for(learner, table.weights))
    return time.perf_counter() - start, notes


def _failure(error: Exception) -> FoldFit:
    reason = " ".join(str(error).split()) or "not enough memory"
    return FoldFit(None, 0.0, None, [f"failed: {reason}"])


def _facts_of(model: Any) -> FoldFacts:
    updates = getattr(model, "n_updates_", None)
    return FoldFacts(
        may_reject(model),
        size_of(model),
        margin_of(model),
        getattr(model, "converged_", None),
        stopped_of(model),
        None if updates is None else int(np.sum(updates)),
    )


def _score(model: Any, X: Any, *, prices: Prices, table: Rows) -> FoldScore:
    """How a model does on the rows of this table."""
    answers, rejected = answers_of(model, X)
    right = answers == table.y
    risk = float(np.average(prices.of_rows(table.codes, right, rejected), weights=table.weights))
    shares = shares_of(table.codes, right, rejected, table.weights)
    scores = scores_of(model, X)
    return FoldScore(shares, risk, auc_of(table.codes, scores, table.weights, len(table.classes)))


def quietly(function: Callable[..., Any], *arguments: Any, **named: Any) -> tuple[Any, list[str]]:
    """What the function returns, and what it warned about, each once."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        value = function(*arguments, **named)
    return value, list(dict.fromkeys(str(warning.message) for warning in caught))


def _short(warning: str) -> str:
    """A warning in a few words: that all is rejected, that nothing is learned, the cap that was reached, or
    how it begins."""
    if "every row is rejected" in warning:
        return "rejects every row"
    if "so nothing is learned about it" in warning:
        return "learns nothing"
    cap = re.search(r"\b(max_\w+)", warning)
    begin = re.split(r": |\. |; |\n", warning)[0]
    return f"{cap.group(1)} reached" if cap else textwrap.shorten(begin, 80, placeholder=" …")
