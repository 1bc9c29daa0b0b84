"""Accuracy against size: our rules and scorecards beside boosted trees, logistic regression, additive models
and other makers of rules, on tables of two classes. Five folds, the same for all; every model as it comes.

`python -m benchmarks.frontier --again "LightGBM" "EBM"` measures these anew and keeps what else was measured;
`python -m benchmarks.frontier --draw PICTURE.svg` draws what was measured last.
"""

import argparse
import json
import os
import statistics
import warnings
from collections.abc import Callable, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import StratifiedKFold
from threadpoolctl import threadpool_limits

from perceptrons import SparsePerceptron, TableEncoder

from . import RESULTS
from .frontier_picture import draw
from .layout import Column, Section
from .scorecard_peers import FasterRisk

COLUMNS = [
    Column("name", "table", "text"),
    Column("learner", "learner", "text"),
    Column("accuracy", "accuracy", "percent"),
    Column("auc", "AUC", "percent"),
    Column("loss", "log-loss", "number"),
    Column("brier", "Brier", "number"),
    Column("size", "rules or weights", "mean"),
    Column("time", "fit", "time"),
]
MEASURES = ("accuracy", "auc", "loss", "brier", "size", "time")
FOLDS = 5
DROPPED = {"voting": ["physician-fee-freeze"]}
FROM_FOLDER = (
    "pima",
    "voting",
    "promoters",
    "splice",
    "mushroom",
    "wisconsin",
    "tic-tac-toe",
    "monks-1",
    "monks-2",
    "monks-3",
)
NOTES = [
    "Means over five folds, of models with default parameters except for what their names say; times are "
    "those of the processor, one thread, for the fit alone, after a first one. Sizes are rules for ours, "
    "RuleFit and FIGS, weights for logistic regression and fasterrisk; those of trees and additive models "
    "are not counted. The light EBM has 4 outer bags and no interactions.",
    "Tables of more than two classes are asked for one of them: splice for EI, wine for the second, digits "
    "for odd ones. fasterrisk learns from the literals of `LiteralEncoder`, the other "
    "peers from the rows of `TableEncoder`, made before the clock starts.",
]


class Learner(NamedTuple):
    name: str
    make: Callable[[], Any]
    package: str = "sklearn"
    reads_tables: bool = False
    size: Callable[[Any], float | None] = lambda model: None


def _rules(**chosen: Any) -> Callable[[], SparsePerceptron]:
    return lambda: SparsePerceptron(random_state=0, **chosen)


def _n_rules(model: Any) -> float:
    return float(len(model.conjunctions_))


def _lightgbm() -> Any:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(verbose=-1, n_jobs=1)


def _xgboost() -> Any:
    from xgboost import XGBClassifier

    return XGBClassifier(n_jobs=1)


def _additive(**chosen: Any) -> Callable[[], Any]:
    def make() -> Any:
        from interpret.glassbox import ExplainableBoostingClassifier

        return ExplainableBoostingClassifier(n_jobs=1, random_state=0, **chosen)

    return make


class RiskScore(FasterRisk):
    """With probabilities."""

    def predict_proba(self, X: Any) -> np.ndarray:
        risks = self.decision_function(X)
        return np.column_stack([1.0 - risks, risks])


def _fasterrisk(k: int) -> Learner:
    return Learner(
        f"fasterrisk, {k} features",
        lambda: RiskScore(k),
        "fasterrisk",
        reads_tables=True,
        size=lambda model: float(np.count_nonzero(model.card.coefficients)),
    )


def _rulefit() -> Any:
    from imodels import RuleFitClassifier

    return RuleFitClassifier(random_state=0)


def _figs() -> Any:
    from imodels import FIGSClassifier

    return FIGSClassifier(max_rules=12)


LEARNERS = [
    Learner("rules", _rules(), reads_tables=True, size=_n_rules),
    Learner("rules, at most 10", _rules(max_rules=10), reads_tables=True, size=_n_rules),
    Learner("scorecard, 8 rules", _rules(max_points=5), reads_tables=True, size=_n_rules),
    Learner("scorecard, 5 rules", _rules(max_points=5, max_rules=5), reads_tables=True, size=_n_rules),
    Learner("AdaBoost, stagewise", _rules(refit="stagewise"), reads_tables=True, size=_n_rules),
    Learner(
        "logistic regression",
        lambda: LogisticRegression(max_iter=10_000),
        size=lambda model: float(np.count_nonzero(model.coef_)),
    ),
    Learner("LightGBM", _lightgbm, "lightgbm"),
    Learner("XGBoost", _xgboost, "xgboost"),
    Learner("EBM", _additive(), "interpret"),
    Learner("EBM, light", _additive(outer_bags=4, interactions=0), "interpret"),
    Learner("RuleFit", _rulefit, "imodels", size=lambda model: float(np.count_nonzero(model.coef))),
    Learner("FIGS, 12 rules", _figs, "imodels", size=lambda model: float(model.complexity_)),
    _fasterrisk(5),
    _fasterrisk(8),
]


def tables(quick: bool) -> list[str]:
    own = ["breast cancer"] if quick else ["breast cancer", "wine", "digits, odd or even"]
    return own + ([*FROM_FOLDER] if os.environ.get("PERCEPTRONS_DATA") and not quick else [])


def load(name: str) -> tuple[Any, np.ndarray]:
    """The table, and which rows are of the class asked for."""
    if name == "breast cancer":
        return load_breast_cancer(return_X_y=True)
    if name == "wine":
        X, y = load_wine(return_X_y=True)
        return X, (y == 1).astype(int)
    if name == "digits, odd or even":
        X, y = load_digits(return_X_y=True)
        return X, y % 2
    from perceptrons import datasets

    table = datasets.load(name)
    y = np.asarray(table.y)
    return table.X.drop(DROPPED.get(name, [])), (y == ("EI" if name == "splice" else np.unique(y)[1])).astype(
        int
    )


def run(quick: bool) -> dict[str, Any]:
    """All learners that are installed, on all tables."""
    return summary([row for name in tables(quick) for row in measured(name, ())], quick)


def measured(name: str, chosen: Sequence[str]) -> list[dict[str, Any]]:
    """One table, by those learners, or by all that are installed."""
    known = [one for one in LEARNERS if find_spec(one.package) and (not chosen or one.name in chosen)]
    print(f"{name} ...", flush=True)
    X, y = load(name)
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for one in known:
            _first_fit(one)
        return [{"id": f"{name} {one.name}", "name": name, **_measured(one, X, y)} for one in known]


def summary(rows: list[dict[str, Any]], quick: bool) -> dict[str, Any]:
    """Means of those measured on all tables, and each table, in the order of `LEARNERS`."""
    names, own = [one.name for one in LEARNERS], tables(quick)
    rows = sorted(rows, key=lambda row: (own.index(row["name"]), names.index(row["learner"])))
    there = [name for name in names if sum(row["learner"] == name for row in rows) == len(own)]
    means = Section("Means over all tables", COLUMNS[1:], [_mean(name, rows) for name in there])
    return {
        "sizes": {"folds": FOLDS, "tables": len(own)},
        "notes": NOTES,
        "sections": [means, Section("Each table", COLUMNS, rows)],
    }


def again(chosen: Sequence[str], path: Path = RESULTS / "frontier.json") -> None:
    """Measure some learners, table by table, and keep what is known of the others."""
    from .__main__ import _write

    for name in tables(False):
        rows = measured(name, chosen)
        before = json.loads(path.read_text())["sections"][1]["rows"] if path.exists() else []
        kept = [row for row in before if row["learner"] not in chosen or row["name"] != name]
        _write("frontier", False, summary([*kept, *rows], False), path)


@cache
def _first_fit(learner: Learner) -> None:
    """What is compiled, or loaded, by the first fit is not timed."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), np.arange(60) % 2
    learner.make().fit(X + y[:, None], y)


def _measured(learner: Learner, X: Any, y: np.ndarray) -> dict[str, Any]:
    found: dict[str, list[float]] = {key: [] for key in MEASURES}
    for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(np.zeros(len(y)), y):
        rows, new = X[train], X[test]
        if not learner.reads_tables:
            encoder = TableEncoder().fit(rows)
            rows, new = (_dense(encoder.transform(some)) for some in (rows, new))
        model, start = learner.make(), process_time()
        model.fit(rows, y[train])
        found["time"].append(process_time() - start)
        p = np.asarray(model.predict_proba(new))[:, 1]
        found["accuracy"].append(float(np.mean((p > 0.5) == y[test])))
        found["auc"].append(float(roc_auc_score(y[test], p)))
        found["loss"].append(float(log_loss(y[test], p)))
        found["brier"].append(float(np.mean((p - y[test]) ** 2)))
        found["size"] += [size for size in (learner.size(model),) if size is not None]
    means = {key: statistics.mean(some) if some else None for key, some in found.items()}
    return {"learner": learner.name, **means}


def _dense(rows: Any) -> Any:
    return rows.toarray() if hasattr(rows, "toarray") else rows


def _mean(name: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    own = [row for row in rows if row["learner"] == name]
    means = {
        key: None if own[0][key] is None else statistics.mean(row[key] for row in own) for key in MEASURES
    }
    return {"id": name, "learner": name, **means}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.frontier")
    parser.add_argument("--again", nargs="+", default=[], choices=[one.name for one in LEARNERS])
    parser.add_argument("--draw", type=Path, metavar="PICTURE")
    options = parser.parse_args()
    if options.again:
        again(options.again)
    if options.draw:
        draw(json.loads((RESULTS / "frontier.json").read_text()), options.draw)
