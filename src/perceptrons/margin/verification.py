"""Check a certificate: `verify(certificate, model, X, y)` returns None, or says what does not hold.

Every field is a claim that is true or false of the numbers in the arrays. A claim may be weaker than it could
be: a smaller margin, a larger bound, None. Bounds in floating point decide most claims; where they leave one
open, fractions do (`facts`), so that a claim which was rounded on another machine is not refused for it, and
one that is false by a unit in the last place is.
"""

from dataclasses import fields
from math import isinf, isnan
from numbers import Real
from typing import Any

from ..theory.certificate import Certificate
from .certificates import behind_the_door, certificates_of, corrections

NUMBERS = ("margin", "radius", "lift", "choices")
CLAIMS = ("margin_bound", "update_bound", "soft_margin", "soft_margin_bound")  # None: nothing is claimed
COUNTS = ("n_updates", "compression_size", "n_rows", "n_errors")
FLAGS = ("lift_from_rows", "reproducible")
EQUAL = ("n_updates", "compression_size", "n_rows", "n_errors", "lift", "lift_from_rows")
LOGARITHM = 1e-12  # what machines may differ by in logarithms and powers, relative


def verify_margin(
    certificate: Certificate | list[Certificate], model: Any, X: Any, y: Any, sample_weight: Any = None
) -> None:
    """Check every claim of a certificate against rows, weights and duals; a ValueError names one that is not
    true.

    A certificate holds if what it says is true: `margin` may be smaller than what the weights achieve,
    `margin_bound`, `radius` and `update_bound` may be larger than what they bound, and None or
    `reproducible=False` claim nothing. Counts, `lift` and a `witness` are the model's own or do not hold.
    A model trained by `partial_fit` is verified on its last batch: the bound, which holds for all rows seen,
    is then checked against weights and duals alone. Of a kernel model the feature space is known by kernel
    values that were rounded: claims are checked to nine digits, and to 1e-13 of the radius. `sample_weight`
    and pipelines as in `certify`.

    >>> from dataclasses import replace
    >>> from perceptrons import Perceptron
    >>> X, y = [[0.0], [2.0]], [0, 1]
    >>> model = Perceptron(order="cyclic").fit(X, y)
    >>> verify_margin(model.certificate_, model, X, y)
    >>> verify_margin(replace(model.certificate_, margin=9.0), model, X, y)
    Traceback (most recent call last):
        ...
    ValueError: The certificate does not hold: margin=9.0 is above margin_bound=...
    """
    claimed = certificate if isinstance(certificate, list) else [certificate]
    if not all(isinstance(one, Certificate) for one in claimed):
        raise ValueError(f"verify takes a Certificate or a list of them, not {certificate!r}.")
    for one in claimed:
        check_fields(one)
        if not is_streamed(model):  # where the margin is that of the last batch, beside a bound for all rows
            check_order(one, "margin", "margin_bound")
    model, data = behind_the_door(model, X, y, sample_weight)
    batch, signs = model._terms.streamed and model.n_rows_ > len(data.codes), data.sign_matrix()
    found = certificates_of(model, data, batch, signs)
    if len(claimed) != len(found):
        raise ValueError(f"{len(claimed)} certificates for a model with {len(found)} weight vectors.")
    for k, (one, other) in enumerate(zip(claimed, found, strict=True)):
        a = corrections(model.support_, model.dual_coef_[k], data, signs[k])
        facts = model._facts(k, data, signs[k], a)
        for field in fields(Certificate):
            given, holds = getattr(one, field.name), getattr(other, field.name)
            if not _holds(field.name, given, holds, facts, other.radius, batch):
                claim = f"{field.name} is given as {given}, but these rows give {holds}"
                raise ValueError(f"The certificate does not hold: {claim}.")


def _holds(name: str, given: Any, holds: Any, facts: Any, radius: float, batch: bool) -> bool:
    """Is this claim true? `holds` is what has been found, rounded to the safe side."""
    if name in EQUAL:
        return bool(given == holds)
    if given is None or (name == "reproducible" and not given):
        return True  # nothing is claimed
    if name in ("separable", "witness", "reproducible", "undecided"):
        return bool(given == holds)
    if holds is None:
        return False
    upper = name not in ("margin", "soft_margin")
    if given >= holds if upper else given <= holds:
        return True
    if name in ("choices", "update_bound"):
        return bool(given >= holds * (1.0 - LOGARITHM))
    if facts is None:
        return bool(abs(given - holds) <= 1e-9 * abs(holds) + 1e-13 * radius)
    if name == "margin_bound" and batch:
        return bool(facts.stream_bound_holds(float(given)))
    return bool(getattr(facts, f"{name}_holds")(float(given)))


def require(ok: bool, why_not: str) -> None:
    if not ok:
        raise ValueError(f"The certificate does not hold: {why_not}.")


def check_fields(one: Certificate) -> None:
    """Refuse what contradicts itself, before anything is computed."""

    for name in (*NUMBERS, *CLAIMS):
        value = getattr(one, name)
        missing = value is None and name in CLAIMS
        require(missing or is_number(value), f"{name}={value!r} is not a number")
    for name in COUNTS:
        value = getattr(one, name)
        whole = isinstance(value, int) and not isinstance(value, bool)
        require(whole and value >= 0, f"{name}={value!r} is not a count")
    for name in FLAGS:
        require(isinstance(getattr(one, name), bool), f"{name}={getattr(one, name)!r} is not True or False")
    require(one.separable is None or isinstance(one.separable, bool), f"separable={one.separable!r}")
    require(one.undecided is None or isinstance(one.undecided, str), f"undecided={one.undecided!r}")
    require(one.undecided is None or one.separable is None, f"undecided, but separable={one.separable}")
    require(is_witness(one.witness), "witness is not a tuple of rows and weights > 0")
    for name in ("radius", "lift", "choices", "margin_bound", "update_bound", "soft_margin_bound"):
        value = getattr(one, name)
        require(value is None or value >= 0.0, f"{name}={value} is negative")
    require(one.n_rows > 0, "n_rows=0")
    require(one.n_errors <= one.n_rows, f"n_errors={one.n_errors} of n_rows={one.n_rows}")
    check_order(one, "soft_margin", "soft_margin_bound")
    require(one.margin <= 0.0 or not one.n_errors, f"margin={one.margin} > 0, but n_errors={one.n_errors}")
    if one.separable:
        require(one.margin > 0.0, f"separable=True, but margin={one.margin}")
        require(one.witness is None, "separable=True, but there is a witness that no hyperplane separates")
    if one.separable is False:
        proved = one.margin_bound == 0.0 or one.witness is not None
        require(
            proved and one.margin <= 0.0,
            "separable=False, but neither is margin_bound 0 nor is there a witness",
        )
    if one.update_bound is not None:
        fits = bool(one.separable) and one.n_updates <= one.update_bound
        require(
            fits, f"update_bound={one.update_bound}, but separable={one.separable}, n_updates={one.n_updates}"
        )


def is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and not isnan(value)


def check_order(one: Certificate, low: str, high: str) -> None:
    least, most = getattr(one, low), getattr(one, high)
    require(least is None or most is None or least <= most, f"{low}={least} is above {high}={most}")


def is_streamed(model: Any) -> bool:
    learner = model.steps[-1][1] if hasattr(model, "steps") else model
    terms = getattr(learner, "_terms", None)
    return terms is not None and terms.streamed


def is_witness(pairs: Any) -> bool:
    """None, or pairs of a row and a weight."""
    if pairs is None:
        return True
    return isinstance(pairs, tuple) and all(
        isinstance(pair, tuple)
        and len(pair) == 2
        and isinstance(pair[0], int)
        and pair[0] >= 0
        and is_number(pair[1])
        and pair[1] > 0.0
        and not isinf(pair[1])
        for pair in pairs
    )
