"""What a model file holds of a `MaxMarginPerceptron`, and whether it fits together."""

from typing import Any

from ...model_file import declarations as file
from ..margin_file import CERTIFICATE, HISTORY, check_rows, check_vectors, require
from .maximum_certificate import MaximumTerms

_PER_VECTOR = file.Either(
    file.Count(), file.Array(("int64",), ("vectors",))
)  # a number where there is one vector

FIELDS: dict[str, file.Field] = {
    "classes_": file.Labels("classes"),
    **file.COLUMNS,
    "coef_": file.Array(("float64",), ("vectors", "features")),
    "intercept_": file.Array(("float64",), ("vectors",)),
    "support_": file.Array(("int64",), ("used",)),
    "dual_coef_": file.Array(("float64",), ("vectors", "used")),
    "n_rows_": file.Count(least=1),
    "n_updates_": _PER_VECTOR,
    "n_iter_": file.Count(least=1),
    "converged_": file.Flag(),
    "history_": file.OneOrMore(file.Record(dict, {**HISTORY}), "vectors"),
    "certificate_": file.OneOrMore(CERTIFICATE, "vectors"),
    "_terms": file.Record(
        MaximumTerms,
        {"C": file.Real(least=0.0, finite=False), "fit_intercept": file.Flag(), "reproducible": file.Flag()},
    ),
}


def check_loaded(model: Any) -> None:
    """Check what was read and derive the rest."""
    n_vectors = len(model.coef_)
    check_vectors(model, n_vectors)
    check_rows(model.support_, model.n_rows_, "support_")
    require(isinstance(model.n_updates_, int) == (n_vectors == 1), "n_updates_")
    require(model._terms.C > 0.0, "terms.C")
    require(model._terms.fit_intercept or not model.intercept_.any(), "intercept_")
    certificates = model.certificate_ if isinstance(model.certificate_, list) else [model.certificate_]
    model._witnesses = [certificate.witness for certificate in certificates]
    model.lift_ = 0.0
