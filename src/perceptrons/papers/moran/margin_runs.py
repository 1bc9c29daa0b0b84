"""The algorithms of Moran and others, Section 2, on rows whose best margin is known.

Rows have norm 1, norm 8 (the same rows, stretched) or norms from 1/3 to 1; a case is left out where its bound
says that it may take too long. In results margins are shares of the best one.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..._types import Array
from ...margin.named import CLASSIC
from ...margin.perceptron import Perceptron
from ...synthetic import separable, two_point
from ...theory import bounds
from ..experiment import Values

ROWS, COLUMNS = 200, 10
BETAS, ALPHAS = (0.1, 1.0, 10.0), (1.2, 1.5, 1.8)
ONE, EIGHT, MIXED = "norm 1", "norm 8", "norms 1/3 to 1"
ENDLESS = 10**9  # epochs
KNOWN, SHARES = 0.9, (0.5, 0.1)  # of the best margin, what is known of it; what ALMA may miss of it
LETTERS = {"2": "β", "known": "γ/ε"}
LEARNER = 1_000  # added to a seed: rows and the order in which they are visited have different streams
COPIES = 500  # of the two points

Bound = Callable[[float, float], float]  # of the radius and the best margin


class BoundedRule(NamedTuple):
    algorithm: str
    parameter: float | None
    settings: dict[str, Any]
    most: Bound  # updates
    least: Bound  # margin

    @property
    def name(self) -> str:
        letter = LETTERS.get(self.algorithm, "α")
        return (
            self.algorithm if self.parameter is None else f"{self.algorithm}, {letter} = {self.parameter:g}"
        )


class KnownMarginTask(NamedTuple):
    """One set of rows, for all rules; a number for what they may take."""

    rows: str
    eps: float
    seed: int
    limit: float


class Points(NamedTuple):
    alpha: float
    eps: float


def _rules() -> Iterator[BoundedRule]:
    yield BoundedRule("1", None, {"margin": 0.0}, _of_both(bounds.novikoff), lambda R, eps: 0.0)
    for beta in BETAS:
        most, least = (_of_both(bound, beta) for bound in (bounds.beta_updates, bounds.beta_margin))
        yield BoundedRule("2", beta, {"margin": beta}, most, least)
    third = {"margin": "adaptive"}
    yield BoundedRule("3", None, third, _of_both(bounds.adaptive_updates), lambda R, eps: eps / 3)
    for algorithm, margin in (("4", "infinity"), ("3+4", "growing")):
        for alpha in ALPHAS:
            most, least = (
                _of_both(bound, alpha) for bound in (bounds.growing_updates, bounds.growing_margin)
            )
            yield BoundedRule(algorithm, alpha, {"margin": margin, "alpha": alpha}, most, least)
    for share in SHARES:
        yield BoundedRule("ALMA", share, {"step": "alma", "alpha": share}, *_relative(share))
    yield BoundedRule(
        "known", KNOWN, {}, lambda R, eps: (R / ((1 - KNOWN) * eps)) ** 2, lambda R, eps: KNOWN * eps
    )


def _of_both(bound: Callable[..., Any], *parameter: float) -> Bound:
    return lambda R, eps: float(bound(*parameter, R, eps))


def _relative(share: float) -> tuple[Bound, Bound]:
    """ALMA divides each row by its norm; these have all the same."""
    return (
        lambda R, eps: float(bounds.alma_updates(share, eps / R)),
        lambda R, eps: R * float(bounds.alma_margin(share, eps / R)),
    )


RULES = {rule.name: rule for rule in _rules()}


def known_margin_rows(kind: str, eps: float, seed: int) -> tuple[Array, Array, float]:
    """Rows, classes, and the best margin."""
    X, y, _ = separable(ROWS, COLUMNS, margin=eps, random_state=seed)
    if kind == ONE:
        return X, y, eps
    if kind == EIGHT:
        return 8 * X, y, 8 * eps  # a power of two: nothing is rounded
    # longer copies leave the best margin as it is: the teacher has more on them, and what limits it remains
    rng = np.random.default_rng([seed, 1])
    both, order = np.concatenate([X, rng.uniform(1, 3, (ROWS, 1)) * X]), rng.permutation(2 * ROWS)
    return both[order] / 3, np.concatenate([y, y])[order], eps / 3


def all_rules(task: KnownMarginTask) -> list[dict[str, Any]]:
    X, y, best = known_margin_rows(task.rows, task.eps, task.seed)
    R = float(np.linalg.norm(X, axis=1).max())
    # Algorithm 4 needs R ≤ 1, ALMA's theorem rows of one norm
    unfit = {("4", EIGHT), ("ALMA", MIXED)}
    fitting = [rule for rule in RULES.values() if (rule.algorithm, task.rows) not in unfit]
    affordable = [rule for rule in fitting if rule.most(R, best) <= task.limit]
    return [_case(rule, task, X, y, best) for rule in affordable]


def _case(rule: BoundedRule, task: KnownMarginTask, X: Array, y: Array, best: float) -> dict[str, Any]:
    order = ("cyclic", "shuffle")[task.seed % 2]
    norms = np.linalg.norm(X, axis=1)
    model = _perceptron(rule, order, task.seed, rule.most(float(norms.max()), best))
    if rule.algorithm == "known":
        model.set_params(margin=("known", KNOWN * best))
    model.fit(X, y)
    if rule.algorithm == "4":
        radius = 1.0  # what the theorem assumes, even where all rows are shorter
    else:
        radius = float(norms[model.support_].max() if rule.algorithm == "3+4" else norms.max())
    weights = model.coef_[0]
    return {
        "rule": rule.name,
        "rows": task.rows,
        "eps": task.eps,
        "share": _short(best / norms.max()),
        "seed": task.seed,
        "updates": int(model.n_updates_),
        "most": _short(rule.most(radius, best)),
        "margin": _short((y * (X @ weights)).min() / np.linalg.norm(weights) / best),
        "least": _short(rule.least(radius, best) / best),
    }


def _perceptron(rule: BoundedRule, order: str, seed: int, most: float) -> Perceptron:
    """It ends as the theorem says; if not, soon after, and is seen to be above its bound."""
    ends: dict[str, Any] = {"max_epochs": ENDLESS, "max_updates": int(2 * most) + 10}
    settings = {**CLASSIC, **rule.settings, **ends, "order": order}
    return Perceptron(**settings, fit_intercept=False, random_state=LEARNER + seed)


def _short(number: Any) -> float:
    return float(f"{number:.12g}")


def two_points(task: Points) -> dict[str, Any]:
    """Algorithm 4 on the two points. Many copies in turn are visited as the two in turn, in longer epochs."""
    X, y = two_point(task.eps)
    rule = RULES[f"4, α = {task.alpha:g}"]
    most = _short(rule.most(1.0, task.eps))
    model = _perceptron(rule, "cyclic", 0, most).fit(np.tile(X, (COPIES, 1)), np.tile(y, COPIES))
    return {"alpha": task.alpha, "eps": task.eps, "updates": int(model.n_updates_), "most": most}


def cases_of(values: Values, algorithm: str) -> list[dict[str, Any]]:
    """Cases of an algorithm, or of one rule by its name."""
    return [case for case in values["cases"] if algorithm in (case["rule"], RULES[case["rule"]].algorithm)]


def cases_on(cases: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [case for case in cases if case["rows"] == kind]


def least_margin(cases: Sequence[dict[str, Any]]) -> float:
    return min(float(case["margin"]) for case in cases)
