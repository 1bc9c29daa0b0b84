"""What an experiment is: inputs, results, and claims of a paper judged by rules that are stated.

A module in the folder of a paper reproduces one of its tables or figures. It has the paper's numbers as
constants, the texts PAPER (its authors) and TITLE, the HEIGHT of its figure in inches, and four functions:

    data(quick)           Inputs: the rows to learn from, and the settings; quick ones take seconds.
    run(inputs, each)     ExperimentResult: tables for people, and values: plain numbers that the other two
                          read.
    check(values)         claims of the paper, each with a verdict.
    draw(figure, values)  the figure.

`run` hands independent pieces of work (a seed, a fold) to `each(function, tasks)`, which may spread them
over processes: functions are top-level ones, tasks are tuples of plain things, and a task's seed is its own.
So the numbers depend neither on the order nor on how many run at a time.
"""

import math
import statistics
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

Verdict = Literal["reproduced", "not reproduced", "not comparable"]
REPRODUCED: Verdict = "reproduced"
NOT_REPRODUCED: Verdict = "not reproduced"
NOT_COMPARABLE: Verdict = "not comparable"

Values = dict[str, Any]  # JSON: texts, numbers, truth values, lists and dicts of them
Work = Callable[[Any], Any]  # what is to be done with a task
Each = Callable[[Work, Sequence[Any]], list[Any]]  # the work, done with every task; answers in their order


class NotHere(ValueError):
    """This machine lacks what an experiment needs to be done in reasonable time."""


@dataclass(frozen=True)
class Inputs:
    settings: Mapping[str, Any]  # sizes, seeds, folds: JSON
    sets: Mapping[str, Any] = field(default_factory=dict)  # rows of real data, by name
    digests: Mapping[str, str] = field(default_factory=dict)  # of these


@dataclass(frozen=True)
class ResultTable:
    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]  # texts; the first cell of a row says what it is about


@dataclass(frozen=True)
class ExperimentResult:
    tables: Sequence[ResultTable]
    values: Values


@dataclass(frozen=True)
class Claim:
    """What a paper says, what we find, and whether it is the same.

    Attributes
    ----------
    text : the claim, in our words.
    paper, ours : its number and ours, as texts; ours with a deviation where there are several runs.
    rule : how the verdict was reached, or why there is none.
    main : whether it belongs in the short list of all papers.
    of_paper : False for a check of our own, against theory of ours or another implementation.
    """

    text: str
    paper: str
    ours: str
    verdict: Verdict
    rule: str
    main: bool = False
    of_paper: bool = True


def judged(
    holds: bool, text: str, paper: str, ours: str, rule: str, *, main: bool = False, of_paper: bool = True
) -> Claim:
    """A claim that holds by the rule, or does not.

    >>> judged(4 == 4, "four corrections", "4", "4", "equal").verdict
    'reproduced'
    """
    return Claim(text, paper, ours, REPRODUCED if holds else NOT_REPRODUCED, rule, main, of_paper)


def near(
    text: str,
    paper: float,
    found: Sequence[float],
    tolerance: float,
    *,
    unit: str = "",
    digits: int = 1,
    main: bool = False,
) -> Claim:
    """Reproduced if the mean is within the tolerance of the paper's number, or within two standard errors.

    >>> claim = near("accuracy", 91.5, [91.1, 91.3, 91.2], 1.0, unit=" %")
    >>> claim.ours, claim.verdict
    ('91.2 ± 0.1 %', 'reproduced')
    """
    mean, error = statistics.fmean(found), standard_error(found)
    limit = max(tolerance, 2 * error)
    return judged(
        abs(mean - paper) <= limit,
        text,
        f"{paper:.{digits}f}{unit}",
        f"{spread(found, digits)}{unit}",
        f"within {tolerance:g}{unit}"
        + f" or two standard errors ({2 * error:.{digits + 1}f}{unit})" * (len(found) > 1),
        main=main,
    )


def incomparable(text: str, paper: str, ours: str, reason: str, *, main: bool = False) -> Claim:
    """A claim that cannot be judged, with the reason."""
    return Claim(text, paper, ours, NOT_COMPARABLE, reason, main)


def spread(found: Sequence[float], digits: int = 1) -> str:
    """Mean ± standard deviation; a single number has none.

    >>> spread([1.0, 2.0, 3.0])
    '2.0 ± 1.0'
    """
    mean = f"{statistics.fmean(found):.{digits}f}"
    return mean if len(found) < 2 else f"{mean} ± {statistics.stdev(found):.{digits}f}"


def standard_error(found: Sequence[float]) -> float:
    """Standard error of the mean; 0 for a single number, where an infinite one would excuse everything."""
    return statistics.stdev(found) / math.sqrt(len(found)) if len(found) > 1 else 0.0


def quietly(function: Work, task: Any) -> Any:
    """Do one task with one thread: more would add up sums in another order. Convergence warnings are
    ignored: that a perceptron does not separate inseparable rows is a finding here."""
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return function(task)


def in_turn(function: Work, tasks: Sequence[Any]) -> list[Any]:
    """Do every task in this process, one after the other."""
    return [quietly(function, task) for task in tasks]
