"""`draw`: a model met during one pass over the rows, drawn at random, and what is proved about it.

In one pass each row is answered by a model that was learned from rows before it: an honest test. So the mean
error of the models met is bounded by their mistakes (`theory.online`; Cesa-Bianchi, Conconi and Gentile
2004), and with it the error of one drawn among them; not that of the last, nor of an average. The rows are
met in an order drawn at random, each once, and mistakes are counted from a place on that is fixed beforehand,
for the first models are the worst. Where rows are many, several are answered by one model.
"""

from copy import deepcopy
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.utils import column_or_1d
from sklearn.utils.validation import check_consistent_length

from .._types import Array
from ..checks import number
from ..conservative.chow_input import rows_at
from ..input_kinds import check_input
from ..rows.encode import encode_labels
from ..structure import check_structure
from ..theory.model_certificates import DrawnCertificate
from ..theory.online import online_to_batch

FIRST = 0.25  # the share of the rows whose models are not counted
MOST_MODELS = 1000  # that are met


class Drawn(NamedTuple):
    """A fitted model, and its certificate."""

    model: Any
    certificate: DrawnCertificate


def draw(estimator: Any, X: Any, y: Any, *, confidence: float = 0.95, random_state: int = 0) -> Drawn:
    """One pass of `partial_fit` over the rows, a model drawn from those met, and a bound on its error.

    Parameters
    ----------
    estimator : classifier
        A classifier that has `partial_fit`, such as `Perceptron()`; one of its running averages is drawn.
    X, y : array of rows, and array of classes
        Rows that were drawn independently. They may be scaled by fixed numbers, or by an encoder that was
        fitted to other rows.
    confidence : float, default 0.95
        The confidence of the bound.
    random_state : int, default 0
        Draws the order of the rows, and the model.

    Returns
    -------
    Drawn
        A pair (model, certificate).

    Examples
    --------
    >>> from perceptrons import Perceptron, draw, verify
    >>> from perceptrons.synthetic import separable
    >>> X, y, _ = separable(400, 5, margin=0.1, random_state=0)
    >>> drawn = draw(Perceptron(), X, y)
    >>> print(drawn.certificate)
    Of 300 rows, each answered by a Perceptron learned from others before it, ... were answered wrongly.
    With a confidence of 95 %, these models are wrong on at most ... of new rows on average; always ...
    This model was drawn from them at random: the bound is about the draw.
    >>> verify(drawn.certificate, drawn.model, X, y)
    """
    delta = 1.0 - number("confidence", confidence, "(0, 1)", "use 0.95")
    if not hasattr(estimator, "partial_fit"):
        what = "an estimator that has partial_fit, such as Perceptron()"
        raise ValueError(f"draw needs {what}, not {estimator!r}.")
    check_input(X, y)
    check_structure(X)
    check_consistent_length(X, y)
    labels = np.asarray(column_or_1d(y))
    classes, codes = encode_labels(labels)
    rng = np.random.default_rng(random_state)
    order = rng.permutation(len(labels))
    start = int(np.ceil(FIRST * len(order)))
    chosen = int(rng.integers(start, len(order)))
    model, n_mistakes = _one_pass(_seeded(estimator, random_state), X, labels, classes, order, start, chosen)
    counts, n_counted = np.bincount(codes), len(order) - start
    return Drawn(
        model,
        DrawnCertificate(
            type(model).__name__,
            len(order),
            n_counted,
            n_mistakes,
            1.0 - delta,
            float(online_to_batch(n_mistakes, n_counted, delta)),
            str(classes.tolist()[int(counts.argmax())]),
            1.0 - float(counts.max()) / len(order),
            random_state,
        ),
    )


def _seeded(estimator: Any, seed: int) -> Any:
    """A copy whose pass can be made again."""
    model = clone(estimator)
    if "random_state" in model.get_params() and model.random_state is None:
        model.set_params(random_state=seed)
    return model


def _one_pass(
    model: Any, X: Any, labels: Array, classes: Array, order: Array, start: int, chosen: int
) -> tuple[Any, int]:
    """The model that answers the row at the place `chosen`, and the mistakes from `start` on."""
    size, n_mistakes, drawn = max(1, len(order) // MOST_MODELS), 0, None
    ends = [start, *range(start + size, len(order), size), len(order)]
    model.partial_fit(rows_at(X, order[:start]), labels[order[:start]], classes=classes)
    for first, last in pairwise(ends):
        some = order[first:last]
        rows = rows_at(X, some)
        n_mistakes += int((model.predict(rows) != labels[some]).sum())
        if first <= chosen < last:
            drawn = deepcopy(model)
        model.partial_fit(rows, labels[some])
    return drawn, n_mistakes
