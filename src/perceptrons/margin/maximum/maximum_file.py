"""What a model file holds of a `MaxMarginPerceptron`, and whether it fits together."""

from typing import Any

import numpy as np

from ...model_file import declarations as file
from ...model_file.certificate_fields import CERTIFICATE
from ...rows.weights import class_factors
from ..margin_file import HISTORY, check_rows, check_vectors, require
from .maximum_certificate import MaximumTerms

_PER_VECTOR = file.Either(
    file.Count(), file.Array(("int64",), ("vectors",))
)  # a number where there is one vector

FIELDS: dict[str, file.Field] = {
    "classes_": file.Labels("classes"),
    **file.COLUMNS,
    **file.SEEN,
    "coef_": file.Array(("float64",), ("vectors", "features")),
    "intercept_": file.Array(("float64",), ("vectors",)),
    "support_": file.Array(("int64",), ("used",), compact=True),
    "dual_coef_": file.Array(("float64",), ("vectors", "used"), compact=True),
    "n_rows_": file.Count(least=1),
    "n_updates_": _PER_VECTOR,
    "n_iter_": file.Count(least=1),
    "converged_": file.Flag(),
    "history_": file.OneOrMore(file.Record(dict, {**HISTORY}), "vectors"),
    "certificate_": file.OneOrMore(CERTIFICATE, "vectors"),
    "_terms": file.Record(
        MaximumTerms,
        {
            "C": file.Real(least=0.0, finite=False),
            "fit_intercept": file.Flag(),
            "reproducible": file.Flag(),
            "class_weight": file.Parameter(),
            "n_given": file.Count(),
        },
    ),
}


def check_loaded(model: Any) -> None:
    """Check what was read and derive the rest."""
    n_vectors = len(model.coef_)
    check_vectors(model, n_vectors)
    check_weights(model)
    check_rows(model.support_, model._terms.n_given, "support_")
    require(isinstance(model.n_updates_, int) == (n_vectors == 1), "n_updates_")
    require(model._terms.C > 0.0, "terms.C")
    require(model._terms.fit_intercept or not model.intercept_.any(), "intercept_")
    certificates = model.certificate_ if isinstance(model.certificate_, list) else [model.certificate_]
    model._witnesses = [certificate.witness for certificate in certificates]
    model._undecided = [certificate.undecided or "" for certificate in certificates]
    model.lift_ = 0.0


def check_weights(model: Any) -> None:
    """Can these be the weights of the classes, and as many rows have been given?"""
    if model._terms.n_given == 0:  # the first model files do not say: each row counted
        model._terms = model._terms._replace(n_given=model.n_rows_)
    require(model._terms.n_given >= model.n_rows_, "terms.n_given")
    n_classes = len(model.classes_)
    try:
        class_factors(model._terms.class_weight, model.classes_, np.arange(n_classes), np.ones(n_classes))
    except ValueError as error:
        raise ValueError(f"terms.class_weight: {error}") from None
