"""Whom boosted conjunctions are compared with, as far as they are installed."""

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.ensemble import AdaBoostClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, PolynomialFeatures
from sklearn.tree import DecisionTreeClassifier

from perceptrons import SparsePerceptron

OURS = "SparsePerceptron"
TREES, FEW_TREES, FEW_CELLS = 100, 10, 10_000
IMODELS = {"slipper": "Slipper", "figs": "FIGS", "rulefit": "RuleFit"}


class Learner(NamedTuple):
    id: str
    name: str
    make: Callable[..., Any]  # of a number of stages, if it is brief
    size: Callable[[Any], int]  # weights that are not 0, leaves of all trees, or rules
    brief: bool = False  # so slow that few stages are timed
    dense: bool = False  # takes no sparse rows
    cells: float = np.inf  # at most; beyond, minutes to hours
    package: str = "sklearn"

    def installed(self) -> bool:
        return find_spec(self.package) is not None

    def fits(self, X: Any) -> bool:
        return not (self.dense and sp.issparse(X)) and X.shape[0] * X.shape[1] <= self.cells


def learners(quick: bool) -> Iterator[Learner]:
    n = FEW_TREES if quick else TREES
    yield Learner(
        "ours", OURS, lambda: SparsePerceptron(refit="stagewise", stages=n), lambda model: model.n_weights_
    )
    pairs = "AdaBoost, stumps on all pairs"
    yield Learner("pairs", pairs, _stumps_on_pairs, _leaves, brief=True, dense=True)
    yield Learner("trees", "AdaBoost, trees of depth 2", lambda: _boosted_trees(2, n), _leaves)
    light = "LightGBM, depth 2", lambda: _lightgbm(n), _lightgbm_leaves
    yield Learner("lightgbm", *light, package="lightgbm")
    extreme = "XGBoost, depth 2", lambda: _xgboost(n), _xgboost_leaves
    yield Learner("xgboost", *extreme, package="xgboost")
    for id, make in (("slipper", _slipper), ("figs", _figs), ("rulefit", _rulefit)):
        name, size = f"imodels {IMODELS[id]}", lambda model: model.complexity_
        yield Learner(id, name, make, size, dense=True, cells=FEW_CELLS, package="imodels")


def _boosted_trees(depth: int, n_trees: int) -> AdaBoostClassifier:
    return AdaBoostClassifier(DecisionTreeClassifier(max_depth=depth), n_estimators=n_trees, random_state=0)


def _stumps_on_pairs(n_stages: int) -> Any:
    """float32, which trees convert to anyway: half the memory."""
    as_float32 = FunctionTransformer(lambda X: X.astype(np.float32))
    pairs = PolynomialFeatures(2, interaction_only=True, include_bias=False)
    return make_pipeline(as_float32, pairs, _boosted_trees(1, n_stages))


def _lightgbm(n_trees: int) -> Any:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(n_estimators=n_trees, max_depth=2, num_leaves=4, n_jobs=1, verbose=-1)


def _xgboost(n_trees: int) -> Any:
    from xgboost import XGBClassifier

    return XGBClassifier(n_estimators=n_trees, max_depth=2, n_jobs=1)


def _slipper() -> Any:
    from imodels import SlipperClassifier

    return SlipperClassifier(random_state=0)


def _figs() -> Any:
    from imodels import FIGSClassifier

    return FIGSClassifier(max_rules=30)


def _rulefit() -> Any:
    from imodels import RuleFitClassifier

    return RuleFitClassifier(random_state=0)


def _leaves(model: AdaBoostClassifier) -> int:
    return sum(int(tree.get_n_leaves()) for tree in model.estimators_)


def _lightgbm_leaves(model: Any) -> int:
    return sum(int(tree["num_leaves"]) for tree in model.booster_.dump_model()["tree_info"])


def _xgboost_leaves(model: Any) -> int:
    return sum(text.count("leaf=") for text in model.get_booster().get_dump())
