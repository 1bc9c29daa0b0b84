"""What a model file holds of a `KernelPerceptron`, and whether it fits together."""

from types import SimpleNamespace
from typing import Any

import numpy as np

from ..model_file import declarations as file
from ..model_file.certificate_fields import CERTIFICATE
from .kernel_values import Kernel, read_kernel
from .margin_file import (
    HISTORY,
    STOPPED,
    TERMS,
    check_rows,
    check_vectors,
    read_terms,
    require,
    stopped,
)

_PER_VECTOR = file.Either(
    file.Count(), file.Array(("int64",), ("vectors",))
)  # a number where there is one vector

FIELDS: dict[str, file.Field] = {
    "classes_": file.Labels("classes"),
    **file.COLUMNS,
    **file.SEEN,
    "gamma_": file.Real(least=0.0),
    "support_": file.Array(("int64",), ("used",), compact=True),
    "support_vectors_": file.Matrix(("used", "kept")),
    "dual_coef_": file.Array(("float64",), ("vectors", "used")),
    "intercept_": file.Array(("float64",), ("vectors",)),
    "n_rows_": file.Count(least=1),
    "n_updates_": _PER_VECTOR,
    "n_presentations_": _PER_VECTOR,
    "n_iter_": file.Count(least=1),
    "converged_": file.Flag(),
    "stopped_": file.IfSet(file.OneOrMore(file.Choice(*STOPPED[1:]), "vectors")),
    "history_": file.OneOrMore(file.Record(dict, {**HISTORY}), "vectors"),
    "certificate_": file.OneOrMore(CERTIFICATE, "vectors"),
    "_terms": TERMS,
    "_n_absent": file.IfSet(file.Count()),
}


def check_loaded(model: Any) -> None:
    """Check what was read and derive the rest."""
    n_vectors = len(model.dual_coef_)
    check_vectors(model, n_vectors)
    read_terms(model)
    if not hasattr(model, "_n_absent"):  # files of version 1 know no weights
        model._n_absent = 0
    n_given = model.n_rows_ + model._n_absent
    check_rows(model.support_, n_given, "support_")
    intercept = model._terms.rho_squared * model.dual_coef_.sum(axis=1)
    size = model._terms.rho_squared * np.abs(model.dual_coef_).sum(axis=1)
    require((np.abs(model.intercept_ - intercept) <= 1e-9 * size).all(), "intercept_")
    if not hasattr(model, "stopped_"):
        model.stopped_ = [stopped("", model)] * n_vectors if n_vectors > 1 else stopped("", model)
    if n_vectors > 1:
        model.stopped_ = np.array(model.stopped_)
    for name in ("n_updates_", "n_presentations_"):
        require(isinstance(getattr(model, name), int) == (n_vectors == 1), name)
    model.lift_ = float(np.sqrt(model._terms.rho_squared))
    model._kernel = _kernel(model)
    kept = 0 if model._kernel.precomputed else model.n_features_in_
    require(model.support_vectors_.shape[1] == kept, "support_vectors_")
    require(kept or model.n_features_in_ == n_given, "n_rows_")


def _kernel(model: Any) -> Kernel:
    settings = SimpleNamespace(**{**model._terms.settings, "gamma": model.gamma_})
    if callable(settings.kernel):
        raise ValueError(
            "its kernel is a function, which a file cannot hold; use one that has a name, or 'precomputed'"
        )
    return read_kernel(settings, None)
