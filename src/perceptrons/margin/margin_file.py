"""What a model file holds of a margin model, and whether it fits together.

The file holds what the runs left and the terms they ran under; everything else follows from these. Compiled
code does not check its indices, so what it relies on is checked here, once.
"""

from typing import Any

import numpy as np

from ..model_file import declarations as file
from ..model_file.certificate_fields import CERTIFICATE
from ..model_file.earlier_defaults import with_earlier_defaults
from ..rows.norms import LOWEST, NormCounts, exponent
from .margin_parameters import read_lift, read_parameters, read_rule
from .memory import AVERAGED, Memory, Model, Pocket
from .rules import ALMA, CLOCK, FADING, Rule
from .run import CAPPED, CONVERGED, MIN_MARGIN, TOL
from .theorem import Terms

STOPPED = ("", CONVERGED, TOL, MIN_MARGIN, "max_epochs", CAPPED)
_NUMBER = file.Real(finite=False)  # a claim, which `verify` checks
_WEIGHTS = file.Array(file.FLOATS, ("features",))
_ROWS = file.Array(("int64",), (".used",), compact=True)
_DUALS = file.Array(("float64",), (".used",), compact=True)
_COUNTS = file.Array(("int64",), (".epochs",), compact=True)
_MARGINS = file.Array(("float64",), (".epochs",), finite=False, compact=True)
_NORMS = file.Array(("int64", "float64"), (".levels", ".exponents"))  # of rows, or of their weights
WEIGHTS = ("classes_", *file.COLUMNS, *file.SEEN, "coef_", "intercept_")  # what is enough to predict
_MODEL = file.Record(Model, {"w": _WEIGHTS, "b": file.Real(), "rows": _ROWS, "duals": _DUALS})

TERMS = file.Record(
    Terms,
    {
        "settings": file.Parameters(),
        "rho_squared": file.Real(least=0.0),
        "one_run": file.Flag(),
        "streamed": file.Flag(),
        "foreign": file.Flag(),
        "lightest": file.Real(least=0.0),
        "heaviest": file.Real(least=0.0),
        "weighted": file.Flag(),
        "class_counts": file.Real(least=0.0),
    },
)
HISTORY = {"updates": _COUNTS, "errors": _COUNTS, "margin": _MARGINS, "margin_bound": _MARGINS}
MEMORY = file.Record(
    Memory,
    {
        "w": _WEIGHTS,
        "clock": file.Structured(CLOCK, later=("square", "ball", "shrunk")),
        "n_rows": file.Count(least=1, size="rows"),
        "rows": _ROWS,
        "duals": _DUALS,
        "drift": file.Array(("float64",), (".drift",), compact=True),
        "dual_drift": _DUALS,
        "foreign": file.Flag(),
        "policy": file.Count(most=FADING),
        "history": file.Record(dict, {**HISTORY}),
        "rng": file.RandomState(),
        "pocket": file.Optional(
            file.Record(Pocket, {"errors": file.Real(least=0.0), "margin": _NUMBER, "model": _MODEL})
        ),
        "stopped": file.Choice(*STOPPED),
        "averaged": file.Flag(),
        "n_absent": file.Count(),
        "length": file.Real(least=0.0, finite=False),
        "blur": file.Real(least=0.0, finite=False),
        "start": file.Array(("float64",), (".start",), compact=True),
        "start_b": file.Real(),
    },
)
FIELDS: dict[str, file.Field] = {
    "classes_": file.Labels("classes"),
    **file.COLUMNS,
    **file.SEEN,
    # these two follow from the runs; they are in the file for readers in other languages
    "coef_": file.Array(file.FLOATS, ("vectors", "features")),
    "intercept_": file.Array(("float64",), ("vectors",)),
    "converged_": file.Flag(),
    "certificate_": file.OneOrMore(CERTIFICATE, "vectors"),
    "_terms": TERMS,
    "_memories": file.Each(MEMORY, "vectors"),
    "_norms": file.IfSet(
        file.Record(NormCounts, {"n_rows": file.Count(), "first": file.Count(LOWEST), "counts": _NORMS})
    ),
}


def check_loaded(model: Any) -> None:
    """Check what was read and derive the rest; weights that the runs do not give are refused."""
    coef, intercept = model.coef_, model.intercept_
    if not hasattr(model, "_norms"):  # the first model files have none
        model._norms = NormCounts(0, 0, np.zeros((0, 0), np.int64))
    require((model._norms.counts >= 0).all() and model._norms.fits(), "norms")
    model._memories = [memory._replace(stopped=stopped(memory.stopped, model)) for memory in model._memories]
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


def check_weights_alone(model: Any) -> None:
    """What there is to check of a model that was saved without its certificate."""
    check_vectors(model, len(model.coef_))


def stopped(by: str, model: Any) -> str:
    """By what training ended; the first model files tell only whether it converged."""
    return by or (CONVERGED if model.converged_ else "max_epochs")


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
        rule = read_rule(then, terms.rho_squared, auto=1.0)  # what "auto" was worth does not matter any more
        median = 2.0 ** exponent(terms.rho_squared or 1.0)  # a power of two
        lift = read_lift(then, terms.rho_squared, median)
    except ValueError as error:
        raise ValueError(f"terms.settings: {str(error).rstrip('.')}") from None
    require(terms.streamed or lift == terms.rho_squared, "terms.rho_squared")  # a stream may change its mind
    require(0.0 < terms.lightest <= terms.heaviest, "terms.lightest")
    require(not terms.one_run or not (terms.streamed or terms.foreign), "terms.one_run")
    return rule


def check_run(memory: Memory, rule: Rule, model: Any, where: str) -> None:
    """Can the run have left this, and can training go on from it?"""
    require(memory.policy == rule.margin, f"{where}.policy")
    n, averaged = model.n_features_in_, model._terms.settings["result"] in AVERAGED
    require(len(memory.drift) in ({n} if averaged else {0, n}), f"{where}.drift")
    for name in ("step", "steps", "beta_negative", "beta_positive", "scale", "square", "ball"):
        require(memory.clock[name][0] >= 0, f"{where}.clock.{name}")
    require((memory.clock["ball"][0] > 0.0) == (rule.step == ALMA), f"{where}.clock.ball")
    require(len(memory.start) in ({0, n} if memory.foreign else {0}), f"{where}.start")
    require(memory.n_absent < memory.n_rows, f"{where}.n_absent")
    check_rows(memory.rows, memory.n_rows, f"{where}.rows")
    if memory.pocket is not None:
        check_rows(memory.pocket.model.rows, memory.n_rows, f"{where}.pocket.model.rows")


def check_rows(rows: Any, n_rows: int, where: str) -> None:
    """Row numbers of a set of `n_rows`, in ascending order."""
    ascending = (rows[1:] > rows[:-1]).all()
    require(ascending and (not len(rows) or (rows[0] >= 0 and rows[-1] < n_rows)), where)
