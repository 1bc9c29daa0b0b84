"""Scorecards: few rules with whole points, by boost-by-majority and by two optimisers of risk scores.

Five folds for each seed, the same for all; a round is a fold, in which each learns once, in random order. How
many stages, and γ, ours chooses inside the part of a fold that is learned from.
"""

import os
import statistics
import warnings
from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from threadpoolctl import threadpool_limits

from .layout import Column, Section
from .rules import CANCER, Task
from .scorecard_peers import FEW_STAGES, OURS, Learner, learners
from .timing import Times, interleave

SEEDS, FOLDS, FIRST_ROWS = 2, 5, 100
COLUMNS = [
    Column("name", "table", "text"),
    Column("learner", "learner", "text"),
    Column("accuracy", "accuracy", "percent"),
    Column("deviation", "deviation over folds", "percent"),
    Column("auc", "AUC", "percent"),
    Column("auc_deviation", "its deviation", "percent"),
    Column("rules", "rules", "mean"),
    Column("points", "most points of a rule", "mean"),
    Column("time", "fit", "time"),
    Column("ratio", "its time / majority, k=2", "number"),
]
TASKS = [
    Task(CANCER, "breast cancer, 569×30", seeds=1),
    Task("voting", "voting, 435×15", ("physician-fee-freeze",), seeds=SEEDS),
    Task("wisconsin", "Wisconsin, 699×9", seeds=SEEDS),
    Task("pima", "Pima, 768×8", seeds=SEEDS),
    Task("mushroom", "mushroom, 8,124×22", seeds=1),
]
TOLD = " or ".join(map(str, FEW_STAGES))  # the sizes of the peers, about
NOTES = [
    "Accuracy and AUC are means over folds and seeds; times, of one thread, and ratios, each within a fold, "
    "are medians. There are few totals of few whole points, and rows with equal totals cost AUC. Rules are "
    "those whose points are not 0, the constant not counted. Majority and AdaBoost are `SparsePerceptron`, "
    "imodels is its `FastRiskScoreClassifier`.",
    "Ours, fasterrisk and logistic regression learn from the literals of `LiteralEncoder` (of numbers, eight "
    "thresholds); the making of them is timed. With k=2 ours may join two to one rule, nobody else does. "
    "imodels makes literals of its own: nine thresholds, and one for missing cells. It is given names as a "
    "pandas frame, made before the clock starts.",
    f"Majority without a number of stages chooses T and γ by five inner folds, with {TOLD} stages γ "
    "alone. fasterrisk and imodels know how many features to use, give each at most 5 points, and choose "
    "nothing by cross-validation.",
    "fasterrisk and imodels seek the lowest logistic loss of the risks that belong to totals; ours seeks a "
    "vote that is right. fasterrisk asks for NumPy, pandas and scikit-learn older than ours, so it is "
    "installed beside them by `pip install --no-deps fasterrisk==0.1.10`; its one call of `tostring`, which "
    "NumPy has no more, is made one of `tobytes`.",
]


class Split(NamedTuple):
    seed: int
    train: np.ndarray
    test: np.ndarray


class Contest:
    """A learner's models, one for each split, in order; the first, of few rows, only has code compiled."""

    def __init__(self, learner: Learner, X: Any, y: np.ndarray, splits: list[Split]) -> None:
        self.learner, self.X, self.y, self.splits = learner, X, y, splits
        self.models: list[Any] = []

    def prepare(self) -> None:
        split = self.splits[len(self.models)]
        self.models.append(self.learner.make(split.seed))
        self.rows, self.classes = self.learner.read(self.X[split.train]), self.y[split.train]

    def fit(self) -> None:
        self.models[-1].fit(self.rows, self.classes)

    def tested(self) -> dict[str, list[float]]:
        """What each fold says of the model that has not seen it."""
        pairs = zip(self.models[1:], self.splits[1:], strict=True)
        found = [self._test(model, split.test) for model, split in pairs]
        return {key: [one[key] for one in found] for key in found[0]}

    def _test(self, model: Any, test: np.ndarray) -> dict[str, float]:
        rows, classes = self.learner.read(self.X[test]), self.y[test]
        points, scores = self.learner.points(model), model.decision_function(rows)
        return {
            "accuracy": float(np.mean(model.predict(rows) == classes)),
            "auc": round(float(roc_auc_score(classes, scores)), 9),  # 1 is 1 then
            "rules": int(np.count_nonzero(points)),
            "points": float(np.abs(points).max(initial=0.0)),
        }


def run(quick: bool) -> dict[str, Any]:
    seeds, n_folds = (1, 2) if quick else (SEEDS, FOLDS)
    table = Section(f"{n_folds}-fold cross-validation, seeds: {seeds} (wide or long tables: 1)", COLUMNS, [])
    tasks = TASKS if os.environ.get("PERCEPTRONS_DATA") and not quick else TASKS[:1]
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the peers, about their own dependencies
        for task in tasks:
            print(f"{task.label} ...", flush=True)
            _race(task, min(seeds, task.seeds), n_folds, learners(quick), table)
    return {"sizes": {"folds": n_folds, "seeds": seeds}, "notes": NOTES, "sections": [table]}


def _race(task: Task, seeds: int, n_folds: int, known: list[Learner], table: Section) -> None:
    X, y = task.load()
    splits = _splits(y, seeds, n_folds)
    contests = {one.id: Contest(one, X, y, splits) for one in known if one.installed()}
    fits = {id: contest.fit for id, contest in contests.items()}
    prepare = {id: contest.prepare for id, contest in contests.items()}
    times = interleave(fits, len(splits) - 1, prepare)
    tested = {id: contest.tested() for id, contest in contests.items()}
    table.rows += [_row(task, one, tested.get(one.id), times) for one in known]
    table.raw[task.name] = {id: {"seconds": times.seconds[id], **found} for id, found in tested.items()}


def _splits(y: np.ndarray, seeds: int, n_folds: int) -> list[Split]:
    """Before the folds of all seeds, few rows to compile on."""
    splits = [
        Split(seed, *parts)
        for seed in range(seeds)
        for parts in StratifiedKFold(n_folds, shuffle=True, random_state=seed).split(np.zeros(len(y)), y)
    ]
    few = np.random.default_rng(0).permutation(splits[0].train)[:FIRST_ROWS]
    return [splits[0]._replace(train=few), *splits]


def _row(task: Task, learner: Learner, found: dict[str, list[float]] | None, times: Times) -> dict[str, Any]:
    row = {"id": f"{task.name} {learner.id}", "name": task.label, "learner": learner.name}
    if found is None:
        return row
    return row | {
        "accuracy": statistics.mean(found["accuracy"]),
        "deviation": statistics.stdev(found["accuracy"]),
        "auc": statistics.mean(found["auc"]),
        "auc_deviation": statistics.stdev(found["auc"]),
        "rules": statistics.mean(found["rules"]),
        "points": statistics.mean(found["points"]) if learner.integers else None,
        "time": times.median(learner.id),
        "ratio": times.ratio(learner.id, OURS),
    }
