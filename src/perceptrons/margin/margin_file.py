"""What a model file holds of a margin model, and whether it fits together.

The file holds what the runs left and the terms they ran under; everything else follows from these. Compiled
code does not check its indices, so what it relies on is checked here, once.
"""

from typing import Any

import numpy as np

from ..model_file.declarations import (
    COLUMNS,
    FLOATS,
    Array,
    AsList,
    Count,
    Each,
    Field,
    Flag,
    Labels,
    OneOrMore,
    Optional,
    Parameters,
    RandomState,
    Real,
    Record,
    Structured,
    Tuples,
)
from ..model_file.earlier_defaults import with_earlier_defaults
from ..theory.certificate import Certificate
from .margin_parameters import read_lift, read_parameters, read_rule
from .memory import Memory, Model, Pocket
from .rules import CLOCK, GROWING, Rule
from .theorem import Terms

_NUMBER = Real(finite=False)  # a claim, which `verify` checks
_WEIGHTS = Array(FLOATS, ("features",))
_ROWS, _DUALS = Array(("int64",), (".used",)), Array(("float64",), (".used",))
_COUNTS = Array(("int64",), (".epochs",))
_MARGINS = Array(("float64",), (".epochs",), finite=False)
_MODEL = Record(Model, {"w": _WEIGHTS, "b": Real(), "rows": _ROWS, "duals": _DUALS})

CERTIFICATE = Record(
    Certificate,
    {
        "separable": Optional(Flag()),
        "margin": _NUMBER,
        "margin_bound": Optional(_NUMBER),
        "radius": _NUMBER,
        "n_updates": Count(),
        "update_bound": Optional(_NUMBER),
        "compression_size": Count(),
        "n_rows": Count(least=1),
        "n_errors": Count(),
        "lift": _NUMBER,
        "lift_from_rows": Flag(),
        "reproducible": Flag(),
        "soft_margin": Optional(_NUMBER),
        "soft_margin_bound": Optional(_NUMBER),
        "witness": Optional(Tuples(Count(), Real())),
    },
)
TERMS = Record(
    Terms,
    {
        "settings": Parameters(),
        "rho_squared": Real(least=0.0),
        "one_run": Flag(),
        "streamed": Flag(),
        "foreign": Flag(),
    },
)
HISTORY = {"updates": _COUNTS, "errors": _COUNTS, "margin": _MARGINS, "margin_bound": _MARGINS}
MEMORY = Record(
    Memory,
    {
        "w": _WEIGHTS,
        "clock": Structured(CLOCK),
        "n_rows": Count(least=1, size="rows"),
        "rows": _ROWS,
        "duals": _DUALS,
        "drift": Array(("float64",), (".drift",)),
        "dual_drift": _DUALS,
        "foreign": Flag(),
        "policy": Count(most=GROWING),
        "history": Record(dict, {name: AsList(array) for name, array in HISTORY.items()}),
        "rng": RandomState(),
        "pocket": Optional(Record(Pocket, {"errors": Count(), "margin": _NUMBER, "model": _MODEL})),
    },
)
FIELDS: dict[str, Field] = {
    "classes_": Labels("classes"),
    **COLUMNS,
    "coef_": Array(FLOATS, ("vectors", "features")),  # these two follow from the runs; they are in the
    "intercept_": Array(("float64",), ("vectors",)),  # file for readers in other languages
    "converged_": Flag(),
    "certificate_": OneOrMore(CERTIFICATE, "vectors"),
    "_terms": TERMS,
    "_memories": Each(MEMORY, "vectors"),
}


def check_loaded(model: Any) -> None:
    """Check what was read and derive the rest; weights that the runs do not give are refused."""
    coef, intercept = model.coef_, model.intercept_
    check_vectors(model, len(model._memories))
    rule = read_terms(model)
    for number, memory in enumerate(model._memories):
        check_run(memory, rule, model, f"memories[{number}]")
    require(model._terms.foreign == any(memory.foreign for memory in model._memories), "terms.foreign")
    with np.errstate(all="ignore"):  # an average may overflow: then it is not what the file says
        model._show()
    require(model.coef_.dtype == coef.dtype and np.array_equal(model.coef_, coef), "coef_")
    require(np.array_equal(model.intercept_, intercept), "intercept_")
    require(np.isfinite(model.dual_coef_).all(), "memories: the duals")


def require(holds: Any, what: str) -> None:
    if not holds:
        raise ValueError(f"{what} and the rest of the model contradict one another")


def check_vectors(model: Any, n_vectors: int) -> None:
    """One weight vector for two classes, one per class for more."""
    n_classes = len(model.classes_)
    require(n_classes >= 2 and n_vectors == (1 if n_classes == 2 else n_classes), "classes_")


def read_terms(model: Any) -> Rule:
    """The rule that the model was trained by, if its settings can be what a fit accepted."""
    require(model._terms.settings.keys() <= model.get_params(deep=False).keys(), "terms.settings: the names")
    settings = with_earlier_defaults(type(model), model._terms.settings)
    model._terms = terms = model._terms._replace(settings=settings)
    then = type(model)(**terms.settings)
    try:
        read_parameters(then)
        rule = read_rule(then, terms.rho_squared)
        lift = read_lift(then, terms.rho_squared)
    except ValueError as error:
        raise ValueError(f"terms.settings: {str(error).rstrip('.')}") from None
    require(terms.streamed or lift == terms.rho_squared, "terms.rho_squared")  # a stream may change its mind
    require(not terms.one_run or not (terms.streamed or terms.foreign), "terms.one_run")
    return rule


def check_run(memory: Memory, rule: Rule, model: Any, where: str) -> None:
    """Can the run have left this, and can training go on from it?"""
    require(memory.policy == rule.margin, f"{where}.policy")
    kept = (
        {0, model.n_features_in_} if model._terms.settings["result"] != "average" else {model.n_features_in_}
    )
    require(len(memory.drift) in kept, f"{where}.drift")
    for name in ("step", "steps", "beta_negative", "beta_positive", "scale"):
        require(memory.clock[name][0] >= 0, f"{where}.clock.{name}")
    check_rows(memory.rows, memory.n_rows, f"{where}.rows")
    if memory.pocket is not None:
        check_rows(memory.pocket.model.rows, memory.n_rows, f"{where}.pocket.model.rows")


def check_rows(rows: Any, n_rows: int, where: str) -> None:
    """Row numbers of a set of `n_rows`, in ascending order."""
    ascending = (rows[1:] > rows[:-1]).all()
    require(ascending and (not len(rows) or (rows[0] >= 0 and rows[-1] < n_rows)), where)
