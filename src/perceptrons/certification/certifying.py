"""`certify`: what rows prove about a fitted model, be they those it was trained on or new ones."""

from math import ceil
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.utils import column_or_1d
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from .._types import Array
from ..checks import number
from ..conservative.chow_input import rows_at
from ..input_kinds import check_input
from ..margin.certificates import certificates_of, check_support
from ..rows.encode import encode
from ..selective.selective_classifier import SelectiveClassifier
from ..structure import check_structure
from ..theory.certificate import Certificate
from ..theory.model_certificates import NewRowsCertificate, TrainingCertificate
from ..theory.sentences import percent, sure_of
from ..theory.statements import on_counted_rows, on_training_rows
from .answered_rows import CountedAnswers, RowsAndAnswers, answer_rows
from .training_facts import facts_of
from .which_rows import are_new

ModelCertificate = NewRowsCertificate | TrainingCertificate


def certify(
    model: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    confidence: float = 0.95,
    new_rows: bool | None = None,
    holdback: float | None = None,
    random_state: int = 0,
) -> ModelCertificate:
    """What rows prove about a model, in three sentences when printed.

    On rows that the model has not seen, exact bounds on its errors on new rows like these. On the rows it was
    trained on, what can be proved without keeping any back: bounds that apply to this kind of model, and of
    the margin family the interval around the best margin. A model remembers which rows it was trained on.

    Parameters
    ----------
    model : classifier or pipeline
        A fitted classifier, or a pipeline that ends with one. With `holdback` it need not be fitted.
    X, y : array or frame of rows, and array of classes
        The rows to certify the model on.
    sample_weight : array or None, default None
        The weights of training rows, as in `fit`. New rows have no weights.
    confidence : float, default 0.95
        The confidence of each statement on new rows, and of all statements on training rows together.
    new_rows : bool or None, default None
        Whether the model has not seen the rows. None lets the model decide by what it remembers. State it for
        a model that remembers nothing, for new rows that happen to equal training rows, or for a part of a
        stream (False).
    holdback : float or None, default None
        A share in (0, 1) of the rows that is held back, drawn at random; the model is fitted to the others
        and certified by those held back.
    random_state : int, default 0
        Draws the rows that are held back.

    Returns
    -------
    NewRowsCertificate or TrainingCertificate
        The certificate; recheck it with `verify`.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.pipeline import make_pipeline
    >>> from perceptrons import Perceptron, TableEncoder, certify
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = make_pipeline(TableEncoder(), Perceptron(random_state=0))
    >>> print(certify(model, X, y, holdback=0.3))  # fits it, too
    Perceptron is wrong on 6 of 171 rows that were held back.
    With a confidence of 95 %, at most 6.9 % of new rows are answered wrongly; always answering 1 is wrong ...
    Of the rows of each class, at most: 7.5 % of 0, 9.5 % of 1; each limit holds by itself.
    """
    delta = 1.0 - number("confidence", confidence, "(0, 1)", "use 0.95")
    if holdback is not None:
        return _fit_and_certify(model, X, y, sample_weight, delta, new_rows, holdback, random_state)
    rows = answer_rows(model, X, y)
    new, n_known = are_new(rows, new_rows)
    if new:
        _refuse_weights(sample_weight)
        return by_new_rows(rows.counted, delta, n_known)
    return by_training_rows(rows, y, sample_weight, delta)


def by_new_rows(
    rows: CountedAnswers, delta: float, n_known: int, holdback: float | None = None, seed: int | None = None
) -> NewRowsCertificate:
    """From rows that the model has not seen."""
    (larger, majority), (risk, risk_bound) = rows.larger_class, rows.risk(delta)
    return NewRowsCertificate(
        type(rows.learner).__name__,
        rows.n_rows,
        rows.n_wrong,
        rows.n_rejected,
        1.0 - delta,
        tuple(on_counted_rows(rows.table, rows.names, delta)),
        risk,
        risk_bound,
        larger,
        majority,
        n_known,
        holdback,
        seed,
    )


def by_training_rows(rows: RowsAndAnswers, y: Any, sample_weight: Any, delta: float) -> TrainingCertificate:
    """From the rows that the model was trained on."""
    seen = getattr(rows.learner, "_seen_rows", None)
    weighted = sample_weight is not None or (seen is not None and seen.weighted)
    larger, majority = rows.counted.larger_class
    margins = tuple(_margins(rows, y, sample_weight))
    return TrainingCertificate(
        type(rows.learner).__name__,
        len(rows.codes),
        int(rows.wrong.sum()),
        int(rows.rejected.sum()),
        1.0 - delta,
        tuple(on_training_rows(facts_of(rows, weighted, margins), delta)),
        larger,
        majority,
        margins,
        tuple(_promises(rows.learner)),
        hasattr(rows.learner, "_file_weights") and not hasattr(rows.learner, "_terms"),
    )


def _margins(rows: RowsAndAnswers, y: Any, sample_weight: Any) -> list[Certificate]:
    """What the margin family proves of its rows; of a stream, of its last batch."""
    learner = rows.learner
    if not hasattr(learner, "_terms"):
        return []
    check_support(learner)
    terms = learner._terms
    data = encode(learner, rows.X, y, False, learner.classes_, sample_weight, terms.class_weight)
    return certificates_of(learner, data, terms.streamed and learner.n_rows_ > len(data.codes))


def _promises(learner: Any) -> list[str]:
    """What a model promises by itself."""
    if not isinstance(learner, SelectiveClassifier):
        return []
    given = [one for one in learner.promises_ if one.given]
    return [
        f"It promises by itself that at most {percent(one.max_error)} of its answers are wrong, with a "
        f"confidence of {sure_of(1.0 - one.delta)}: {one.n_errors:,} of {one.n_answered:,} calibration rows "
        "were."
        for one in given[:1]
    ]


def _fit_and_certify(
    model: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    delta: float,
    new_rows: bool | None,
    share: Any,
    seed: int,
) -> NewRowsCertificate:
    _refuse_weights(sample_weight)
    if new_rows is False:
        raise ValueError("new_rows=False, but rows that are held back are new; omit one of the two.")
    _require_unfitted(model)
    kept, held = split_rows(X, y, share, seed)
    labels = np.asarray(column_or_1d(y))
    model.fit(rows_at(X, kept), labels[kept])
    rows = answer_rows(model, rows_at(X, held), labels[held])
    return by_new_rows(rows.counted, delta, 0, float(share), seed)


def _require_unfitted(model: Any) -> None:
    if not is_classifier(model):
        raise ValueError(
            f"holdback needs a classifier to be fitted, or a pipeline that ends with one, not {model!r}."
        )
    try:
        check_is_fitted(model)
    except NotFittedError:
        return
    raise ValueError(
        f"holdback fits the model to a part of the rows, but this {type(model).__name__} is fitted; pass "
        "sklearn.base.clone(model), or rows that it has not seen, without holdback."
    )


def split_rows(X: Any, y: Any, share: Any, seed: int) -> tuple[Array, Array]:
    """The places of the rows to fit to, and of those held back: drawn without a look at the classes."""
    check_input(X, y)
    check_structure(X)
    number("holdback", share, "(0, 1)", "use 0.2")
    check_consistent_length(X, y)
    order = np.random.default_rng(seed).permutation(len(y))
    n_held = min(ceil(share * len(order)), len(order) - 1)
    return np.sort(order[n_held:]), np.sort(order[:n_held])


def _refuse_weights(sample_weight: Any) -> None:
    if sample_weight is not None:
        raise ValueError(
            "sample_weight is for training rows: a weighted row is not one draw, so that it proves nothing "
            "about new ones; omit it."
        )
