"""Jackson and Craven, "Learning Sparse Perceptrons" (1996), section 4: Tables 1 and 2, and the codons.

    voting      435 members of Congress, 15 votes (without physician-fee-freeze, as in the paper), 10 folds
    promoters   UCI's 106 sequences of 57 bases, 10 folds; the authors' "more complex superset" is not public
    coding      windows of 15 bases of E. coli, inside genes and between them, 4 folds: regions of the genome,
                so that no base is on both sides; not the authors' windows, which are not public

So numbers compare on voting alone, statements about order, size and codons in all domains. Deviations: the
authors report one cross-validation, we repeat it: with other folds, for coding with other windows (draws
overlap). A star means what theirs does (paired two-tailed t-test over the folds of a run, p ≤ .05, less
accurate than boosting), and stands in our tables where half of the runs or more have one. Which methods are
ours, and which stand in: see `compared_learners`.
"""

from statistics import fmean, stdev
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import StratifiedKFold

from ..._types import Array
from ...datasets import load, windows
from ..experiment import Each, ExperimentResult, Inputs, ResultTable, Values, spread
from ..pictures import BLUE, GRAY, INK, PALE
from . import codons
from .compared_learners import METHODS, FoldResult, Lesson
from .table_claims import (
    ACCURACIES,
    BOOSTING,
    COLUMNS,
    DOMAINS,
    OPEN,
    STARS,
    WEIGHTS,
    means,
    mostly,
    paper,
    stars,
    weights,
    wins,
)
from .table_claims import check as check

PAPER = "Jackson, Craven"
TITLE = "Accuracy and size of boosted and other perceptrons"
HEIGHT = 4.6


class FoldedRows(NamedTuple):
    X: Any  # a frame
    y: Array
    folds: Array  # of each row, 0, 1, ...


class FoldTask(NamedTuple):
    """Some folds of one run of a method."""

    domain: str
    method: str
    run: int
    folds: list[int]
    rows: FoldedRows
    settings: dict[str, Any]


SHARED: dict[str, Any] = {
    "inner_folds": 5,
    "hidden_units": [5, 10, 20, 40, 80],
    "max_stages": None,
    "max_iter": 200,
    "seeds": "of folds and windows the number of the run, 0, 1, ...; of learners see seed_of",
}
SMALL = dict.fromkeys(COLUMNS, 10) | {"multi-layer": 5, OPEN: 5}  # runs; the slow ones have fewer
FULL: dict[str, Any] = SHARED | {
    "runs": {"voting": SMALL, "promoters": SMALL, "coding": dict.fromkeys(METHODS, 3)},
    "folds": {"voting": 10, "promoters": 10},
    "windows": 10_000,  # of each class, in four regions
}
QUICK: dict[str, Any] = FULL | {
    "inner_folds": 3,
    "hidden_units": [5, 20],
    "runs": {
        "voting": dict.fromkeys((*COLUMNS, OPEN), 1),
        "promoters": dict.fromkeys((BOOSTING, "tree", "ordinary", "2nd-order", "pruned"), 1),
        "coding": dict.fromkeys((BOOSTING, "ordinary", "2nd-order", "pruned"), 1),
    },
    "windows": 4_000,  # from half as many, too few of the pairs chosen lie inside a codon: that claim fails
}


def data(quick: bool) -> Inputs:
    settings = QUICK if quick else FULL
    runs = {domain: range(max(of.values())) for domain, of in settings["runs"].items()}
    voting, promoters = load("voting"), load("promoters")
    votes = voting.X.drop("physician-fee-freeze")
    drawn = [windows(settings["windows"], seed=run) for run in runs["coding"]]
    sets = {
        "voting": [folded(votes, voting.y, settings["folds"]["voting"], run) for run in runs["voting"]],
        "promoters": [
            folded(promoters.X, promoters.y, settings["folds"]["promoters"], run) for run in runs["promoters"]
        ],
        "coding": [FoldedRows(one.X, one.y, one.groups) for one in drawn],
    }
    digests = {"voting": voting.digest, "promoters": promoters.digest, "E. coli": drawn[0].digest}
    return Inputs(settings, sets, digests)


def folded(X: Any, y: Array, n_folds: int, run: int) -> FoldedRows:
    """Folds at random, with each class's share."""
    folds = np.empty(len(y), np.int64)
    parts = StratifiedKFold(n_folds, shuffle=True, random_state=run).split(np.zeros(len(y)), y)
    for fold, (_, test) in enumerate(parts):
        folds[test] = fold
    return FoldedRows(X, y, folds)


def run(inputs: Inputs, each: Each) -> ExperimentResult:
    tasks = [task for domain in reversed(DOMAINS) for task in _tasks(inputs, domain)]  # the longest first
    values: Values = {
        "results": {domain: {} for domain in DOMAINS},
        "rows": {domain: len(inputs.sets[domain][0].y) for domain in DOMAINS},
        "pairs": {},
    }
    for task, learned in zip(tasks, each(learn, tasks), strict=True):
        _keep(values, task, learned)
    return ExperimentResult([*(_table(values, domain) for domain in DOMAINS), codons.table(values)], values)


def _tasks(inputs: Inputs, domain: str) -> list[FoldTask]:
    """A run of a method; of the many windows, a fold of one."""
    tasks = []
    for method, n_runs in inputs.settings["runs"][domain].items():
        for number, rows in enumerate(inputs.sets[domain][:n_runs]):
            folds = np.unique(rows.folds).tolist()
            pieces = [[fold] for fold in folds] if domain == "coding" else [folds]
            tasks += [FoldTask(domain, method, number, some, rows, dict(inputs.settings)) for some in pieces]
    return tasks


def learn(task: FoldTask) -> list[FoldResult]:
    """What came out in each fold."""
    X, y, folds = task.rows
    lessons = [
        Lesson(X, y, folds != fold, folds == fold, seed_of(task, fold), task.settings) for fold in task.folds
    ]
    return [METHODS[task.method](lesson) for lesson in lessons]


def seed_of(task: FoldTask, fold: int) -> int:
    """The learner's: the same for all methods, another one than that of the folds."""
    numbers = [1, DOMAINS.index(task.domain), task.run, fold]
    return int(np.random.SeedSequence(numbers).generate_state(1)[0])


def _keep(values: Values, task: FoldTask, learned: list[FoldResult]) -> None:
    """Tasks come in the order of runs and folds."""
    cell = values["results"][task.domain].setdefault(task.method, {"accuracy": [], "weights": []})
    if task.run == len(cell["accuracy"]):
        cell["accuracy"].append([])
        cell["weights"].append([])
    cell["accuracy"][-1] += [round(one.accuracy, 10) for one in learned]
    cell["weights"][-1] += [one.n_weights for one in learned]
    if task.domain == "coding" and task.method in (BOOSTING, OPEN, "without penalty"):
        values["pairs"].setdefault(task.method, []).extend(one.pairs for one in learned)


def _table(values: Values, domain: str) -> ResultTable:
    n_folds = len(values["results"][domain][BOOSTING]["accuracy"][0])
    heads = ("method", "accuracy, %", "paper's", "* in runs", "better in", "weights", "paper's number")
    rows = [_row(values, domain, method) for method in values["results"][domain]]
    return ResultTable(f"{domain}: {values['rows'][domain]:,} rows, {n_folds} folds", heads, rows)


def _row(values: Values, domain: str, method: str) -> list[str]:
    """± is the deviation between runs."""
    lost, won = stars(values, domain, method), wins(values, domain, method)
    other, size = paper(ACCURACIES, domain, method), paper(WEIGHTS, domain, method)
    return [
        method,
        spread(means(values, domain, method)) + " *" * mostly(lost),
        "" if other is None else f"{other}" + " *" * (method in STARS[domain]),
        "" if method == BOOSTING else f"{sum(lost)} of {len(lost)}",
        "" if method == BOOSTING else f"{sum(won)} of {len(won)}",
        f"{weights(values, domain, method):,.1f}" + " leaves" * (method == "tree"),
        "" if size is None else f"{size:,}",
    ]


def draw(figure: Any, values: Values) -> None:
    """Accuracy and size of each method; the pairs that boosting chose."""
    grid = figure.add_gridspec(2, 3, height_ratios=(2.3, 1))
    for column, domain in enumerate(DOMAINS):
        _panel(figure.add_subplot(grid[0, column]), values, domain)
    codons.draw(figure.add_subplot(grid[1, :]), values)


def _panel(axes: Any, values: Values, domain: str) -> None:
    """Ours filled, the paper's open; the numbers of weights at the right."""
    methods = [*COLUMNS, OPEN]
    for row, method in enumerate(methods):
        axes.axhline(row, color=PALE, lw=0.8, zorder=0)
        said = paper(ACCURACIES, domain, method)
        if said is not None:
            axes.plot(said, row, "o", ms=6, mfc="none", mec=INK, mew=1, zorder=4)
        if method in values["results"][domain]:
            _mark(axes, values, domain, method, row)
    first = domain == DOMAINS[0]
    axes.set(yticks=range(len(methods)), ylim=(len(methods) - 0.5, -0.5), title=domain)
    axes.set_yticklabels(methods if first else [])
    told = "● ours, ○ paper" if first else "other rows than the paper's"
    axes.set_xlabel(f"accuracy, %\n{told}", loc="left", fontsize=8)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.text(1.04, -0.55, "weights / paper", transform=axes.get_yaxis_transform(), fontsize=7, color=GRAY)


def _mark(axes: Any, values: Values, domain: str, method: str, row: int) -> None:
    """The bar is the deviation between runs."""
    found, color = means(values, domain, method), BLUE if method == BOOSTING else GRAY
    deviation = stdev(found) if len(found) > 1 else 0.0
    axes.errorbar(fmean(found), row, xerr=deviation, fmt="o", ms=5, color=color, elinewidth=1, zorder=3)
    size, said = f"{weights(values, domain, method):,.0f}", paper(WEIGHTS, domain, method)
    text = f"{size} leaves" if method == "tree" else size if said is None else f"{size} / {said:,}"
    axes.text(1.04, row, text, transform=axes.get_yaxis_transform(), va="center", fontsize=7, color=color)
