"""The parameters of `SparsePerceptron` and `PrunedPerceptron`, checked."""

from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, NamedTuple, cast

from ..checks import flag, is_number, number, one_of
from .device import read_device_for
from .rule_path import PathScope
from .search import Scope

MOST_ORDER = 10
ADABOOST, MAJORITY = "adaboost", "majority"
CV, THEORY = "cv", "theory"
TOGETHER, STAGEWISE = "together", "stagewise"
POOL = 200  # conjunctions that a path may choose from
MOST_RULES = 50  # that a path may choose, unless the user says otherwise
STRENGTHS = (0.1, 1.0, 10.0)  # of the ridge
CARD_RULES, CARD_STRENGTHS = 8, (1.0,)
THRESHOLDS = {TOGETHER: 32, STAGEWISE: 8}
WIDE = 256  # columns; of more, each has as few thresholds as stagewise
MOST_LITERALS = 20_000  # whose pairs can be kept: 3.2 GB, twice as much if they are CSR
FEW = 1_000  # weights up to which one is dropped at a time
SHARE = 0.05  # of the weights that is dropped at a time if there are more
LEAST = 1e-9  # of alpha: with less, flat slopes do not determine the weights


class SparseParameters(NamedTuple):
    """Those of `SparsePerceptron`."""

    scope: Scope
    votes: bool  # boosting by majority
    stages: int | str  # a number, "cv" or "theory"
    max_stages: int | None
    target_size: int | None
    refit: str
    max_rules: int | None
    max_points: int | None
    n_cards: int = 1
    device: Any = None  # a torch.device; None is the processor

    @property
    def path(self) -> PathScope:
        """What a path may choose from, if weights are learned together."""
        pool = POOL if self.stages == CV else int(self.stages)
        most = min(self.max_rules or (CARD_RULES if self.max_points else MOST_RULES), pool)
        strengths = CARD_STRENGTHS if self.max_points else STRENGTHS
        scope = self.scope
        errors = 0.0 if self.max_rules or self.max_points else 1.0  # rules are few as it is
        return PathScope(
            scope.k, scope.penalty, scope.beam, pool, most, strengths, errors, self.max_points, 0, self.device
        )

    @property
    def gamma(self) -> float | None:
        """The edge that the theorem promises: at most ½ − 1/(2s) are wrong, and with the penalty the
        conjunction chosen may have 1/k of that correlation."""
        if self.target_size is None:
            return None
        return self.scope.share / (2 * self.target_size)


def read_parameters(model: Any) -> SparseParameters:
    booster = one_of("booster", model.booster, (ADABOOST, MAJORITY))
    refit = one_of("refit", model.refit, (TOGETHER, STAGEWISE)) if booster == ADABOOST else STAGEWISE
    max_points = limit("max_points", model.max_points, "use 5, or None for weights that are not whole")
    if max_points is not None and refit == STAGEWISE:
        raise ValueError(
            f'max_points={max_points} is for weights learned together; use refit="together" and the booster '
            '"adaboost", or booster="majority" alone for a card of votes.'
        )
    limit("max_stages", model.max_stages, "use None for the number of literals")
    limit("max_rules", model.max_rules, "use None to leave the number to cross-validation")
    number("n_cards", model.n_cards, "[1, 100]", "use 1", Integral)
    for name in ("monotone", "required", "forbidden"):
        if getattr(model, name) is not None and refit == STAGEWISE:
            raise ValueError(
                f'{name} is for weights learned together; use refit="together", or leave it out.'
            )
    if model.n_cards > 1 and max_points is None:
        raise ValueError(f"n_cards={model.n_cards} is for scorecards; give max_points=5, or use n_cards=1.")
    if is_number(model.cv, Integral):
        number("cv", model.cv, "[2, inf)", "use 5", Integral)
    scope = read_scope(model, model.k)
    return SparseParameters(
        scope=scope,
        votes=booster == MAJORITY,
        stages=_read_stages(model.stages, model.target_size, booster, refit),
        max_stages=model.max_stages,
        target_size=model.target_size,
        refit=refit,
        max_rules=model.max_rules,
        max_points=max_points,
        n_cards=int(model.n_cards),
        device=read_device_for(model, scope, refit),
    )


def read_thresholds(n_thresholds: Any, refit: str, X: Any) -> int:
    """The largest number of literals of a numeric column; the rows tell how many columns there are."""
    if not (isinstance(n_thresholds, str) and n_thresholds == "auto"):
        return cast(int, n_thresholds)  # checked by the encoder
    first = X[0] if isinstance(X, list) and X and isinstance(X[0], list | tuple) else ()
    n_columns = (*getattr(X, "shape", (0, len(first))), 0, 0)[1]
    return THRESHOLDS[refit if n_columns <= WIDE else STAGEWISE]


def limit(name: str, value: Any, remedy: str) -> int | None:
    return None if value is None else int(number(name, value, "[1, inf)", remedy, Integral))


def read_scope(model: Any, k: Any, name: str = "k") -> Scope:
    """The scope of a search of order k, which the user calls `name`."""
    beam = limit("beam", model.beam, "use None for an exact search")
    visits = limit("max_visits", model.max_visits, "use None for an exact search")
    return Scope(read_order(k, name), flag("penalty", model.penalty), beam, visits)


def read_order(k: Any, name: str = "k", most: int = MOST_ORDER) -> int:
    if not is_number(k, Integral) or not 1 <= k <= most:
        raise ValueError(
            f"{name}={k!r}, but conjunctions have 1 to {most} literals; use one of these numbers."
        )
    return int(k)


def _read_stages(stages: Any, target_size: Any, booster: str, refit: str) -> int | str:
    if isinstance(stages, str):
        if stages == THEORY and refit == TOGETHER:
            raise ValueError(
                'stages="theory" is about boosting stage by stage, but refit="together"; use '
                'refit="stagewise".'
            )
        if one_of("stages", stages, (CV, THEORY)) == THEORY and target_size is None:
            raise ValueError(
                'stages="theory" needs target_size, the sum of the absolute weights of an integer perceptron '
                'that is right on all rows; give it, or use stages="cv".'
            )
    else:
        number("stages", stages, "[1, inf)", 'use "cv"', Integral)
        if booster == MAJORITY and stages % 2 == 0:
            raise ValueError(
                f"stages={stages}, but a majority needs an odd number of votes; use {stages - 1} or "
                f"{stages + 1}."
            )
    if target_size is not None:
        number("target_size", target_size, "[1, 1000000)", "use the sum of absolute weights", Integral)
    return stages if isinstance(stages, str) else int(stages)


def check_size(n_literals: int, k: int, name: str = "k") -> None:
    """Raise if there are too many literals to keep their pairs."""
    if k > 1 and n_literals > MOST_LITERALS:
        raise ValueError(
            f"There are {n_literals:,} literals, and {name}={k} keeps two numbers for each of their pairs: "
            f"at most {MOST_LITERALS:,}. Use {name}=1, fewer columns, or a smaller n_thresholds."
        )


class PrunedParameters(NamedTuple):
    """Those of `PrunedPerceptron`."""

    k: int
    to_drop: Callable[[int], int]  # how many of a number of weights are dropped at a time
    validation_fraction: float
    alpha: float
    max_iter: int


def read_pruned_parameters(model: Any) -> PrunedParameters:
    return PrunedParameters(
        k=read_order(model.k, most=2),
        to_drop=read_drop(model.drop),
        validation_fraction=number("validation_fraction", model.validation_fraction, "(0, 1)", "use 0.2"),
        alpha=number("alpha", model.alpha, f"({LEAST}, inf)", "use 0.001"),
        max_iter=number("max_iter", model.max_iter, "[1, inf)", "use 100", Integral),
    )


def read_drop(drop: Any) -> Callable[[int], int]:
    """How many of a number of weights are dropped at a time."""
    if drop is None:
        return lambda n: 1 if n <= FEW else int(SHARE * n)
    if is_number(drop, Integral) and drop >= 1:
        return lambda n: int(drop)
    if is_number(drop, Real) and 0 < drop < 1:
        return lambda n: max(1, int(drop * n))
    raise ValueError(
        f"drop={drop!r}, but it must be an integer >= 1, or a share of the weights left, between 0 and 1; "
        "use None."
    )
