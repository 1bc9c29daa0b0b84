"""Which bounds apply to a fitted model, what each says, and why another does not: one short list.

A caller gathers what is known (`TrainingFacts`) and gets a `Statement` per bound. Each bound is one entry of
`ON_TRAINING_ROWS`: its name, what its number is about, its source, a function that returns the reason why it
does not apply, or None, and one that computes it. The number of entries is fixed, and delta is divided among
all that were tried, those that do not apply or say nothing among them: so the smallest may be picked after
looking.
"""

from collections.abc import Callable
from math import exp
from typing import NamedTuple

import numpy as np

from .._types import Array
from .bounds import binomial_compression_bound
from .held_out import binomial_lower, binomial_upper
from .inputs import checked
from .occam import occam_bound
from .online import majority_vote, online_to_batch
from .pac_bayes import pac_bayes_margin


class TrainingFacts(NamedTuple):
    """What is known of a model and the rows it was trained on; None where it is not.

    Attributes
    ----------
    n_rows, errors : int
        The number of training rows, and of those that the model gets wrong.
    margins, n_dimensions : array and int, or None
        The number y⟨w,x⟩/(‖w‖‖x‖) of each row as the model sees it, and the number of coordinates, the lifted
        one included; one line for each of several lifts, fixed beforehand, if there are some.
    compression_size, errors_outside : int or None
        The number of rows from which a refit gives the same model (it was not fixed beforehand), and of
        errors on the others.
    choices : float, default 0
        The logarithm of the number of choices made by looking at all rows.
    first_pass_mistakes : int or None
        The number of mistakes in the first pass, in which each row was predicted before it was learned from.
    first_pass_choices : float, default 0
        The logarithm of the number of choices that the first pass made by looking at all rows before.
    log_size : float or None
        The logarithm of the number of models it was chosen from, counted before the rows were seen.
    random_order : bool, default False
        Whether the rows were visited in an order drawn uniformly.
    weighted, scaled_by_rows : bool, default False
        Whether rows had weights, and whether a scaler, an encoder, thresholds or ρ were fitted on these rows.

    Examples
    --------
    >>> from perceptrons.theory.statements import TrainingFacts, on_training_rows
    >>> facts = TrainingFacts(n_rows=1000, errors=10, log_size=14.0, weighted=True)
    >>> on_training_rows(facts, 0.05)[0].why_not
    'the rows have weights, and a weighted row is not one draw'
    """

    n_rows: int
    errors: int
    margins: Array | None = None
    n_dimensions: int | None = None
    compression_size: int | None = None
    errors_outside: int | None = None
    choices: float = 0.0
    first_pass_mistakes: int | None = None
    first_pass_choices: float = 0.0
    log_size: float | None = None
    random_order: bool = False
    weighted: bool = False
    scaled_by_rows: bool = False


class Statement(NamedTuple):
    """What a bound says: with the confidence asked for, `value` is at least the share that it is `about`.

    Attributes
    ----------
    name, about, source : str
        The name of the bound, what its number is about, and where it comes from.
    value : float or None
        The bound; None if it does not apply.
    why_not : str or None
        Why the bound does not apply; None if it does.

    Examples
    --------
    >>> from perceptrons.theory.statements import TrainingFacts, on_training_rows
    >>> first = on_training_rows(TrainingFacts(n_rows=1000, errors=10, log_size=14.0), 0.05)[0]
    >>> first.name, first.about, round(first.value, 3), first.why_not
    ('Occam', 'the error of the model', 0.04, None)
    """

    name: str
    about: str
    source: str
    value: float | None
    why_not: str | None


class Bound(NamedTuple):
    """A bound, when it applies, and how it is computed.

    >>> from perceptrons.theory.statements import ON_TRAINING_ROWS
    >>> [bound.name for bound in ON_TRAINING_ROWS]
    ['Occam', 'PAC-Bayes margin', 'compression', 'online-to-batch', 'online majority vote']
    """

    name: str
    about: str
    source: str
    why_not: Callable[[TrainingFacts], str | None]
    value: Callable[[TrainingFacts, float], float]


WEIGHTED = "the rows have weights, and a weighted row is not one draw"
SCALED = "the rows were scaled or encoded by numbers learned from them"
OF_MODEL, OF_DRAWN = "the error of the model", "the error of a vector drawn from those of the first pass"
OF_VOTE = "the error of the majority vote of the vectors of the first pass"


def _spoiled(facts: TrainingFacts) -> str | None:
    """What keeps every bound away."""
    return WEIGHTED if facts.weighted else SCALED if facts.scaled_by_rows else None


def _margins(facts: TrainingFacts) -> str | None:
    if facts.margins is None or facts.n_dimensions is None:
        return "the model is no linear threshold whose margins are known"
    return None


def _compression(facts: TrainingFacts) -> str | None:
    if facts.compression_size is None or facts.errors_outside is None:
        return "a refit on the rows used would not give the same model"
    return None


def _first_pass(facts: TrainingFacts) -> str | None:
    if facts.first_pass_mistakes is None:
        return "the mistakes of a first pass were not counted"
    return None if facts.random_order else "the rows were not met in an order drawn uniformly"


def _small(facts: TrainingFacts) -> str | None:
    return "the models it was chosen from cannot be counted" if facts.log_size is None else None


def _compressed(facts: TrainingFacts, delta: float) -> float:
    """Any size is allowed: delta is divided by the number of rows."""
    d, outside = facts.compression_size or 0, facts.errors_outside or 0
    share = delta * exp(-facts.choices) / facts.n_rows
    return binomial_compression_bound(d, facts.n_rows, share, outside)


def _margin_bound(facts: TrainingFacts, delta: float) -> float:
    """The best of the lifts, among which delta is divided."""
    lines = np.atleast_2d(np.asarray(facts.margins))
    return min(pac_bayes_margin(line, facts.n_dimensions or 1, delta / len(lines)) for line in lines)


def _first(facts: TrainingFacts, delta: float) -> tuple[int, int, float]:
    return facts.first_pass_mistakes or 0, facts.n_rows, delta * exp(-facts.first_pass_choices)


ON_TRAINING_ROWS = (
    Bound(
        "Occam",
        OF_MODEL,
        "the number of models of its size, exact binomial tail",
        _small,
        lambda facts, delta: float(occam_bound(facts.errors, facts.n_rows, facts.log_size or 0.0, delta)),
    ),
    Bound(
        "PAC-Bayes margin",
        OF_MODEL,
        "Langford and Shawe-Taylor 2002, with an offset; Maurer 2004",
        _margins,
        _margin_bound,
    ),
    Bound(
        "compression",
        OF_MODEL,
        "Moran et al., Section 5, exact binomial tail",
        _compression,
        _compressed,
    ),
    Bound(
        "online-to-batch",
        OF_DRAWN,
        "Cesa-Bianchi, Conconi and Gentile 2004, exponential martingale",
        _first_pass,
        lambda facts, delta: float(online_to_batch(*_first(facts, delta))),
    ),
    Bound(
        "online majority vote",
        OF_VOTE,
        "twice the mean error of the vectors",
        _first_pass,
        lambda facts, delta: float(majority_vote(*_first(facts, delta))),
    ),
)


def on_training_rows(facts: TrainingFacts, delta: float) -> list[Statement]:
    """Every bound that follows from training rows alone, the smallest first, then those that do not apply.

    All hold at once with probability 1 − delta: each has its equal share of it.

    >>> found = on_training_rows(TrainingFacts(n_rows=1000, errors=10, log_size=14.0), 0.05)
    >>> found[0].name, round(found[0].value, 3), found[1].why_not
    ('Occam', 0.04, 'the model is no linear threshold whose margins are known')
    """
    checked(n_rows=facts.n_rows, errors=facts.errors, delta=delta)
    share = delta / len(ON_TRAINING_ROWS)
    found = [_state(bound, facts, share) for bound in ON_TRAINING_ROWS]
    return sorted(found, key=lambda one: (one.value is None, one.value or 0.0))


def _state(bound: Bound, facts: TrainingFacts, delta: float) -> Statement:
    reason = _spoiled(facts) or bound.why_not(facts)
    value = bound.value(facts, delta) if reason is None else None
    return Statement(*bound[:3], value, reason)


def says_something(statement: Statement, majority_error: float) -> bool:
    """Whether a statement promises more than always answering the larger class, whose error is given.

    >>> statement = on_training_rows(TrainingFacts(n_rows=1000, errors=10, log_size=14.0), 0.05)[0]
    >>> says_something(statement, majority_error=0.3), says_something(statement, majority_error=0.03)
    (True, False)
    """
    return statement.value is not None and statement.value < majority_error


class HeldOut(NamedTuple):
    """What rows not trained on prove about the share of new rows: with confidence it is between two limits.

    Attributes
    ----------
    about : str
        What is counted.
    seen, n_rows : int
        The number of rows for which it is so, and of all rows.
    low, high : float
        The limits of the share of new rows.
    name : str, default ""
        The name of the class; empty if the statement is about all classes.

    Examples
    --------
    >>> import numpy as np
    >>> from perceptrons.theory.statements import on_new_rows
    >>> right = np.repeat([0, 1], 50)
    >>> found = on_new_rows(right, right, np.zeros(100, bool), ["no", "yes"], 0.05)
    >>> found[0].seen, found[0].n_rows, round(found[0].high, 3)
    (0, 100, 0.03)
    """

    about: str
    seen: int
    n_rows: int
    low: float
    high: float
    name: str = ""


def on_new_rows(
    codes: Array, answers: Array, rejected: Array, names: list[str], delta: float
) -> list[HeldOut]:
    """Exact binomial bounds on the error of answered rows, the share rejected, and the error of each class.

    Each limit holds by itself with probability 1 − delta, on one side; classes without rows have (0, 1).

    Parameters
    ----------
    codes, answers : array of int
        The class of each row and that of its answer, as positions in `names`.
    rejected : array of bool
        Which rows got no answer.
    names : list of str
        The names of the classes.
    delta : float
        The probability with which each limit may fail.

    Examples
    --------
    >>> import numpy as np
    >>> codes, none = np.repeat([0, 1], [150, 50]), np.zeros(200, bool)
    >>> found = on_new_rows(codes, np.repeat([0, 1], [155, 45]), none, ["no", "yes"], 0.05)
    >>> found[0].about, found[0].seen, round(found[0].high, 3)
    ('wrong, of the rows answered', 5, 0.052)
    """
    return on_counted_rows(count_answers(codes, answers, rejected, len(names)), names, delta)


def count_answers(codes: Array, answers: Array, rejected: Array, n: int) -> Array:
    """How many rows of each of n classes have which answer; the counts of parts of the rows add up.

    Parameters
    ----------
    codes, answers : array of int
        The class of each row and that of its answer, from 0 to n − 1.
    rejected : array of bool
        Which rows got no answer.
    n : int
        The number of classes.

    Returns
    -------
    array of shape (n, n + 1)
        A line per class and a column per answer; the last column counts the rows without an answer.

    Examples
    --------
    >>> import numpy as np
    >>> rejected = np.array([False, False, False, True])
    >>> count_answers(np.array([0, 0, 1, 1]), np.array([0, 1, 1, 0]), rejected, 2)
    array([[1, 1, 0],
           [0, 1, 1]])
    """
    table = np.zeros((n, n + 1), np.int64)
    np.add.at(table, (codes, np.where(rejected, n, answers)), 1)
    return table


def on_counted_rows(table: Array, names: list[str], delta: float) -> list[HeldOut]:
    """What `on_new_rows` says, from rows that are counted already.

    Parameters
    ----------
    table : array of shape (n, n + 1)
        The result of `count_answers`, or the sum of those of parts of the rows.
    names : list of str
        The names of the n classes.
    delta : float
        The probability with which each limit may fail.

    Returns
    -------
    list of HeldOut
        The limits of the error of answered rows, of the share rejected, and of the error of each class.

    Examples
    --------
    >>> import numpy as np
    >>> found = on_counted_rows(np.array([[148, 2, 0], [3, 47, 0]]), ["no", "yes"], 0.05)
    >>> found[0].about, found[0].seen, round(found[0].high, 3)
    ('wrong, of the rows answered', 5, 0.052)
    """
    answered = table[:, :-1].sum(axis=1)
    wrong = answered - np.diagonal(table)
    counts = [
        ("wrong, of the rows answered", wrong.sum(), answered.sum(), ""),
        ("rejected, of all rows", table[:, -1].sum(), table.sum(), ""),
    ]
    for code, name in enumerate(names):
        about = f"wrong, of the rows of class {name} that are answered"
        counts.append((about, wrong[code], answered[code], name))
    return [HeldOut(about, int(k), int(n), *_limits(k, n, delta), name) for about, k, n, name in counts]


def _limits(k: int, n: int, delta: float) -> tuple[float, float]:
    return float(binomial_lower(k, n, delta)), float(binomial_upper(k, n, delta))
