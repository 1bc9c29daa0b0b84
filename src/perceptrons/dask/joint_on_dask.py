"""Weights learned together over collections, as `sparse.joint` learns them from rows in memory.

In every run, one for each fold and one for all rows, a path picks rules from at most 16,384 rows, which go
from the workers that hold them to one that walks the path. Weights are fitted to all rows: as rows that rules
do not tell apart count as one, the patterns of all parts are added up, here if there are few of them, and
otherwise each part adds up the sums that Newton's method needs. The sums over the rows left out choose how
many rules there are. What travels does not grow with the rows.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import reduce
from operator import add
from typing import Any, NamedTuple

from .._types import Array
from ..sparse.joint import CoveredRows, JointVector, enough_strengths, vector_of
from ..sparse.left_out_sums import added, choose_by_sums
from ..sparse.rows_alike import RowPatterns
from ..sparse.rule_path import PathScope, Picked, RuleSequence, constant_sequence, fitted_sequence
from ..sparse.summed_rules import SummedRuleRows, sums_at
from ..sparse.surgery import RuleRows
from .joint_parts import begin_run, covered_rows, forgotten, gathered, pattern_sums
from .joint_runs import FoldsOnCluster, JointRun, runs_over
from .rounds import Conversation, Rounds
from .run_samples import RunSamples

MOST_PATTERNS = 2**17  # that all parts together may send to the client
LEAST_PATTERNS = 64  # that each part may
AT_ONCE = 8  # runs whose questions are under way


class PatternsHere:
    """The patterns of all parts."""

    def __init__(self, patterns: RowPatterns) -> None:
        self.patterns = patterns

    def sums(self, question: Callable[..., Any], *told: Any) -> Any:
        return question(self.patterns, *told)

    def rule_rows(self) -> Any:
        return RuleRows(*self.patterns.alike())


class PatternsThere:
    """Patterns that stay with the parts."""

    def __init__(self, talk: Conversation, which: int, n_columns: int) -> None:
        self.talk, self.which, self.n_columns = talk, which, n_columns

    def sums(self, question: Callable[..., Any], *told: Any) -> Any:
        return added(self.talk.peek("weights", pattern_sums, self.which, question, *told))

    def rule_rows(self) -> Any:
        return SummedRuleRows(self.n_columns, lambda places, v: self.sums(sums_at, places, v))


class LeftOut(NamedTuple):
    """The rows that a fold was not learned from, and the weights of its models."""

    patterns: PatternsHere | PatternsThere
    weights: Array

    def sums(self, question: Callable[..., Any], *told: Any) -> Any:
        return self.patterns.sums(question, self.weights, *told)


class RunOnCluster:
    """The rows of one run; the last one's are those of `vector_of`."""

    def __init__(self, rounds: Rounds, folds: FoldsOnCluster, run: JointRun) -> None:
        self.run, n_parts = run, len(rounds.numbers)
        self.most = max(LEAST_PATTERNS, MOST_PATTERNS // n_parts)
        setups = [(one, run.number, run.vector) for one in folds.told]
        self.talk = Conversation(rounds, begin_run, setups)

    def patterns(self, places: list[tuple[int, ...]]) -> list[PatternsHere | PatternsThere]:
        """Of the rows learned from, and of those left out."""
        answers = self.talk.tell("patterns", gathered, places, self.most)
        found: list[PatternsHere | PatternsThere] = []
        for which, parts in enumerate(zip(*answers, strict=True)):
            if any(one is None for one in parts):
                found.append(PatternsThere(self.talk, which, len(places) + 1))
            else:
                found.append(PatternsHere(reduce(add, parts)))
        return found

    def fitted_to(self, places: list[tuple[int, ...]]) -> tuple[Any, float]:
        return self.patterns(places)[0].rule_rows(), self.run.total

    def covered(self, places: list[tuple[int, ...]]) -> CoveredRows:
        parts: list[CoveredRows] = self.talk.peek("weights", covered_rows, places)
        return reduce(add, parts)


class FittedRun(NamedTuple):
    """The models of a run, and the rows left out."""

    sequence: RuleSequence
    left_out: PatternsHere | PatternsThere


def learn_together(rounds: Rounds, folds: FoldsOnCluster, scope: PathScope) -> list[JointVector]:
    """As `joint.learn_together`."""
    runs = runs_over(folds)
    scope, every = enough_strengths(scope, runs[0][-1].total), [run for own in runs for run in own]
    several = [run for run in every if not run.is_of_one_class]
    samples = RunSamples(rounds, folds, several, scope)
    picked = samples.walk(several)
    there = {run: RunOnCluster(rounds, folds, run) for run in every}
    with ThreadPoolExecutor(AT_ONCE) as pool:
        done = pool.map(lambda run: fitted(there[run], picked.get(run), scope), every)
        found = dict(zip(every, done, strict=True))
        if scope.points is not None:
            pointed = samples.pointed({run: found[run].sequence for run in several}, picked)
            found |= {run: found[run]._replace(sequence=own) for run, own in pointed.items()}
        samples.close()
        vectors = [chosen([found[run] for run in own], there[own[-1]], scope, pool.map) for own in runs]
    rounds.ask("patterns", forgotten, [one.talk.key for one in there.values()])
    return vectors


def fitted(rows: RunOnCluster, picked: Picked | None, scope: PathScope) -> FittedRun:
    """The models of one run; nothing is picked from rows of one class."""
    run = rows.run
    if picked is None:
        return FittedRun(constant_sequence(run.positive, run.total, scope), rows.patterns([])[1])
    learned, left_out = rows.patterns(picked.places)
    return FittedRun(fitted_sequence(picked, learned.rule_rows(), run.total, scope), left_out)


def chosen(
    fitted: list[FittedRun], rows: RunOnCluster, scope: PathScope, each: Callable[..., Any]
) -> JointVector:
    """The weight vector, of the size that is best for rows left out."""
    *folds, whole = fitted
    places = [[one.sequence.at(size) for size in scope.sizes] for one in folds]
    left_out = [
        LeftOut(one.left_out, one.sequence.weights[:, own]) for one, own in zip(folds, places, strict=True)
    ]
    return vector_of(whole.sequence, choose_by_sums(left_out, scope.sizes, scope.errors, each), scope, rows)
