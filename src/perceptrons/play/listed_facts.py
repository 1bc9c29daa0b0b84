"""Numbers with names, as the page lists them."""

from typing import Any

import numpy as np

from .._types import Array


def plain(values: Array) -> list[float | None]:
    """Numbers for JSON, which has neither NaN nor infinity."""
    return [value if np.isfinite(value) else None for value in values.tolist()]


def fact(name: str, value: Any) -> dict[str, Any]:
    """A line of the page's list: a count, a number, a text or a truth value."""
    return {"name": name, "value": None if isinstance(value, float) and not np.isfinite(value) else value}


def certificate_facts(certificate: Any) -> list[dict[str, Any]]:
    """What the certificate of a run says."""
    facts = [
        fact("a line without errors", separable_in_words(certificate)),
        fact("wrong rows", int(certificate.n_errors)),
        fact("margin", float(certificate.margin)),
    ]
    for name, value in (
        ("no margin is larger than", certificate.margin_bound),
        ("corrections at most, by the theorem", certificate.update_bound),
    ):
        if value is not None:
            facts.append(fact(name, float(value)))
    return facts


def separable_in_words(certificate: Any) -> str:
    return {True: "exists", False: "there is none: proved", None: "undecided"}[certificate.separable]
