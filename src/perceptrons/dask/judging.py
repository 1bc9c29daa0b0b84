"""A fitted model on the rows of a collection: measures and certificates, from counts that add up."""

from functools import reduce
from operator import add
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from .._types import Array
from ..certification.answered_rows import CountedAnswers, answer_rows
from ..certification.certifying import by_new_rows
from ..certification.which_rows import decided
from ..checks import number
from ..evaluation import Evaluation
from ..evaluation_stream import EvaluationOfBatches
from ..rejection.costs import Costs
from ..rows.encode import encode_labels
from ..seen_rows import AT_A_TIME, Overlap, SeenRows, marks_of
from ..theory.model_certificates import NewRowsCertificate
from .chunks import read_chunks
from .on_collections import BesideLocal, UsedColumns, light, spread_marks
from .part import CollectionPart
from .part_classes import labels_of
from .rounds import Rounds, rounds_over


def evaluate(
    model: Any, X: Any, y: Any, sample_weight: Any = None, *, costs: Costs | None = None, client: Any = None
) -> Evaluation:
    """Accuracy, balanced accuracy, risk, AUC, log-loss and more of a fitted model on rows of a collection.

    The AUC of two classes is that of scores rounded to 11 bits; of more it is None.

    Parameters
    ----------
    model : classifier or pipeline
        A fitted classifier of `perceptrons` or `perceptrons.dask`, or a pipeline that ends with one.
    X, y : Dask array or dataframe, and Dask array or series
        The rows and their classes, in the same chunks.
    sample_weight : Dask array, series or None, default None
        The weights of the rows, in the same chunks.
    costs : Costs or None, default None
        What answers and rejections cost, for the risk; with None an error costs 1 and a rejection 0.2.
    client : distributed.Client or None, default None
        The client of the cluster; None is the current one, or else a cluster of processes on this machine,
        closed afterwards.

    Returns
    -------
    Evaluation
        The measures, among them accuracy, balanced_accuracy, risk, auc, log_loss and confusion.

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> from distributed import Client
    >>> from perceptrons import BinaryPerceptron
    >>> from perceptrons.dask import evaluate
    >>> rng = np.random.default_rng(0)
    >>> X = rng.choice([-1, 1], (2000, 16)).astype(np.int8)
    >>> y = (X[:, :5].sum(axis=1) > 0) ^ (rng.random(2000) < 0.1)
    >>> model = BinaryPerceptron().fit(X[:1000], y[:1000])
    >>> rows, labels = da.from_array(X[1000:], (500, 16)), da.from_array(y[1000:], 500)
    >>> with Client(processes=False, dashboard_address=":0") as client:
    ...     found = evaluate(model, rows, labels, client=client)
    >>> found.n_rows, found.accuracy, round(found.auc, 3)
    (1000, 0.891, 0.893)
    """
    judged = light(local_of(model))
    with rounds_over(read_chunks(X, y, sample_weight), client) as rounds:
        parts = rounds.ask("evaluation", evaluated, judged, costs)
    whole: EvaluationOfBatches = reduce(add, parts)
    return whole.result()


def certify(
    model: Any,
    X: Any,
    y: Any,
    *,
    confidence: float = 0.95,
    new_rows: bool | None = None,
    client: Any = None,
) -> NewRowsCertificate:
    """What the rows of a collection prove about the errors of a fitted model on new rows.

    The statements are those of `perceptrons.certify`. The rows must be new to the model; what the rows that
    it was trained on prove about its margin is in `certificate_`.

    Parameters
    ----------
    model : classifier or pipeline
        A fitted classifier of `perceptrons` or `perceptrons.dask`, or a pipeline that ends with one.
    X, y : Dask array or dataframe, and Dask array or series
        The rows and their classes, in the same chunks.
    confidence : float, default 0.95
        The confidence of each statement.
    new_rows : bool or None, default None
        Whether the model has not seen the rows. None lets the model decide by what it remembers of its rows;
        state True for a model that remembers nothing.
    client : distributed.Client or None, default None
        The client of the cluster; None is the current one, or else a cluster of processes on this machine,
        closed afterwards.

    Returns
    -------
    NewRowsCertificate
        The certificate; recheck it with `perceptrons.verify` of the rows in memory.

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> from distributed import Client
    >>> from perceptrons import BinaryPerceptron
    >>> from perceptrons.dask import certify
    >>> rng = np.random.default_rng(0)
    >>> X = rng.choice([-1, 1], (2000, 16)).astype(np.int8)
    >>> y = (X[:, :5].sum(axis=1) > 0) ^ (rng.random(2000) < 0.1)
    >>> model = BinaryPerceptron().fit(X[:1000], y[:1000])
    >>> rows, labels = da.from_array(X[1000:], (500, 16)), da.from_array(y[1000:], 500)
    >>> with Client(processes=False, dashboard_address=":0") as client:
    ...     certificate = certify(model, rows, labels, client=client)
    >>> print(certificate)
    BinaryPerceptron is wrong on 109 of 1,000 rows it was not trained on.
    With a confidence of 95 %, at most 12.7 % of new rows are answered wrongly; always answering False is ...
    Of the rows of each class, at most: 13.2 % of False, 13.8 % of True; each limit holds by itself.
    """
    delta = 1.0 - number("confidence", confidence, "(0, 1)", "use 0.95")
    judged = light(local_of(model))
    with rounds_over(read_chunks(X, y), client) as rounds:
        learner = judged.steps[-1][1] if hasattr(judged, "steps") else judged
        overlap = compare_parts(rounds, learner) if learner is judged else None
        new, n_known = decided(learner, overlap, new_rows)
        if not new:
            raise ValueError(
                "The model was trained on these rows, and they prove nothing about new ones here; pass rows "
                "that it has not seen, or perceptrons.certify of to_local() the training rows, in memory."
            )
        parts = rounds.ask("certificate", counted_answers, judged)
    names = parts[0].names
    table = reduce(add, [one.table for one in parts])
    return by_new_rows(CountedAnswers(learner, table, names), delta, n_known)


def local_of(model: Any) -> Any:
    """The model without this room, which workers need not know."""
    if isinstance(model, Pipeline):
        return Pipeline([(name, local_of(step)) for name, step in model.steps])
    return model.to_local() if isinstance(model, BesideLocal) else model


def compare_parts(rounds: Rounds, model: Any) -> Overlap | None:
    """As `seen_rows.compare_rows`, part by part."""
    seen = getattr(model, "_seen_rows", None)
    if seen is None:
        return None
    found = rounds.ask("marks", marks_found, seen, UsedColumns(getattr(model, "encoder_", None)))
    n_rows, every = sum(rounds.n_rows), len(seen.marks)
    there = reduce(np.logical_or, [marks for marks, _ in found])
    n_found, repeated = int(there.sum()), sum(times for _, times in found)
    alike = n_rows == seen.n_rows and n_found == every
    same = alike and not seen.streamed and np.array_equal(spread_marks(rounds, model), seen.marks)
    return Overlap(same, alike and not same, n_found, every, float(repeated + 1) / (n_rows + 1))


# --- questions ---


def evaluated(part: CollectionPart, model: Any, costs: Costs | None) -> EvaluationOfBatches:
    encode_labels(labels_of(part), np.asarray(model.classes_))  # raises for others
    judge = EvaluationOfBatches(model, costs)
    judge.add(part.X, part.y, part.weights)
    return judge


def counted_answers(part: CollectionPart, model: Any) -> CountedAnswers:
    return answer_rows(model, part.X, part.y).counted._replace(learner=None)


def marks_found(part: CollectionPart, seen: SeenRows, columns: UsedColumns) -> tuple[Array, int]:
    """Which of the marks remembered are among these rows, and how many of these rows equal another."""
    starts = range(0, part.n_rows, AT_A_TIME)
    marks = np.concatenate([marks_of(part.X, slice(one, one + AT_A_TIME), columns) for one in starts])
    times = np.unique(marks, return_counts=True)[1]
    return np.isin(seen.marks, marks), int(times[times > 1].sum())
