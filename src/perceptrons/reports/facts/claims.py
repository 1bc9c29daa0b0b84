"""What a certificate claims about the rows that were fitted, in words for people who sign."""

from typing import Any

from ...describe import known_margin
from ...texts import percent
from ...theory.statements import TrainingFacts, on_training_rows, says_something
from ..judged_rows import Material
from ..spelling import count, shown

DELTA = 0.05


def claims_of(material: Material) -> list[str]:
    """A sentence each; none of models that certify nothing."""
    certificate = getattr(material.subject.learner, "certificate_", None)
    if certificate is None:
        return []
    if isinstance(certificate, list):
        return [_of_classes(certificate, material.subject.classes)]
    return [_separation(certificate), _made_of(certificate), _about_new_rows(certificate, material)]


def _separation(one: Any) -> str:
    achieved, limit = known_margin(one)
    rows = count(one.n_rows, "row")
    if achieved is not None:
        best = "" if limit is None else f"; no hyperplane has a margin above {limit:.3g}"
        return f"Certified: all {rows} fitted are on the right side, with a margin of {achieved:.3g}{best}."
    wrong = f"{one.n_errors:,} of the {rows} fitted ({percent(one.n_errors / one.n_rows)}) are misclassified"
    if one.separable is False:
        return f"Certified: {wrong}, and no hyperplane classifies them all."
    if limit is None:
        return f"{wrong}."
    return f"Certified: {wrong}, and no hyperplane has a margin above {limit:.3g} on them."


def _made_of(one: Any) -> str:
    used, all_ = f"{one.compression_size:,}", count(one.n_rows, "row")
    return f"Its weights are a sum of {used} of the {all_} fitted; {one.n_updates:,} corrections were made."


def _about_new_rows(one: Any, material: Material) -> str:
    """The smallest bound that follows from the training rows, if it says anything."""
    size = one.compression_size + one.lift_from_rows
    facts = TrainingFacts(
        n_rows=one.n_rows,
        errors=one.n_errors,
        compression_size=size if one.reproducible else None,
        errors_outside=min(one.n_errors, max(0, one.n_rows - size)) if one.reproducible else None,
        choices=one.choices,
        weighted=material.rows.weights is not None,
        scaled_by_rows=material.subject.learner is not material.subject.model,
    )
    best = on_training_rows(facts, DELTA)[0]
    baseline = 1.0 - _baseline(material)
    if best.value is not None and says_something(best, baseline):
        return (
            f"With a confidence of {percent(1 - DELTA)}, at most {percent(best.value)} of new rows drawn "
            f"like these are misclassified ({best.name} bound)."
        )
    compressed = next(found for found in on_training_rows(facts, DELTA) if found.name == "compression")
    why = compressed.why_not or "it would be above the error of always giving the most frequent answer"
    return f"No bound for new rows follows from the certificate: {why}."


def _baseline(material: Material) -> float:
    counts = material.rows.codes
    return float(max((counts == code).mean() for code in set(counts.tolist())))


def _of_classes(certificates: list[Any], classes: list[Any]) -> str:
    separated = [shown(name) for name, one in zip(classes, certificates, strict=True) if one.separable]
    n = len(certificates)
    return (
        f"Certified, class against the rest: {len(separated)} of {n} classes are separated from the others "
        "on the rows fitted."
    )
