"""The evidence: every figure of a report as plain data, and in a sentence what it shows.

A figure is a dict of `kind` ("lines" or "histogram"), `id`, `title`, `says` (also its text alternative),
the axes `x` and `y` (label, low, high, percent) and its data. `figures` draws it.
"""

from typing import Any

from ..judged_rows import Material
from .decisions import confusion, error_reject, pr_curve, reliability, roc
from .training_run import compression, margins, size_path, training_errors

Facts = dict[str, Any]


def evidence_facts(material: Material) -> Facts:
    judged = material.judged
    answers = (
        []
        if judged is None
        else [roc(judged, material), pr_curve(judged, material), reliability(judged, material)]
    )
    rejects = [] if judged is None else [error_reject(judged, material)]
    training = [margins(material), size_path(material), training_errors(material)]
    return {
        "how": "" if judged is None else judged.how,
        "confusion": None if judged is None else confusion(judged, material.subject.classes),
        "figures": [one for one in [*answers, *rejects, *training] if one is not None],
        "compression": compression(material),
    }
