"""`explain_bounds`: every bound that applies to a model, beside the number it bounds.

It is here and not in `theory.bounds`, which takes arrays and numbers: this looks at models. Bounds on updates
and margins come from the certificates of the margin family, those on new rows from `certify`.
"""

from dataclasses import dataclass
from html import escape
from typing import Any

from ..theory.certificate import Certificate
from ..theory.model_certificates import TrainingCertificate
from .answered_rows import answer_rows
from .certifying import certify

NUMBERS = (2, 3)  # columns of numbers
HEADS = ("bound", "on", "seen", "at most", "source, or why not")


@dataclass(frozen=True)
class BoundLine:
    """A bound and what it bounds.

    name, about : what it is called, and what it is a bound on. seen : that number, where it was measured.
    bound : at most this; None if it does not apply. source : where it is from, or why it does not apply.
    """

    name: str
    about: str
    seen: float | None
    bound: float | None
    source: str

    def cells(self) -> list[str]:
        seen, bound = ("" if one is None else f"{one:,.6g}" for one in (self.seen, self.bound))
        return [self.name, self.about, seen, bound, self.source]


@dataclass(frozen=True)
class BoundsTable:
    """All of them; prints as a table, in a notebook, too."""

    lines: tuple[BoundLine, ...]

    def __str__(self) -> str:
        rows = [[*HEADS], *(one.cells() for one in self.lines)]
        widths = [max(len(row[k]) for row in rows) for k in range(len(HEADS) - 1)]
        return "\n".join(_line(row, widths) for row in rows)

    def _repr_html_(self) -> str:
        heads = "".join(f"<th>{escape(head)}</th>" for head in HEADS)
        rows = ["".join(f"<td>{escape(cell)}</td>" for cell in one.cells()) for one in self.lines]
        return f"<table><tr>{heads}</tr>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"


def _line(row: list[str], widths: list[int]) -> str:
    cells = [row[k].rjust(width) if k in NUMBERS else row[k].ljust(width) for k, width in enumerate(widths)]
    return "  ".join([*cells, row[-1]]).rstrip()


def explain_bounds(
    model: Any, X: Any, y: Any, X_new: Any = None, y_new: Any = None, *, confidence: float = 0.95
) -> BoundsTable:
    """Every bound on a fitted model, beside the number it bounds, so that one sees how loose each is.

    Parameters
    ----------
    model : classifier
        A fitted classifier of this package.
    X, y : array of rows, and array of classes
        The rows it was trained on.
    X_new, y_new : array of rows and array of classes, or None, default None
        Other rows, on which the error on new rows is measured. The bounds do not use them.
    confidence : float, default 0.95
        The confidence of all bounds on new rows together.

    Returns
    -------
    BoundsTable
        One line per bound; it prints as a table.

    Examples
    --------
    >>> from perceptrons import Perceptron, explain_bounds
    >>> from perceptrons.synthetic import separable
    >>> X, y, _ = separable(600, 5, margin=0.1, random_state=0)
    >>> model = Perceptron(margin=0, random_state=0).fit(X[:400], y[:400])
    >>> table = explain_bounds(model, X[:400], y[:400], X[400:], y[400:])
    >>> updates = table.lines[0]
    >>> updates.name, updates.seen <= updates.bound
    ('updates of the run', True)
    """
    found = certify(model, X, y, confidence=confidence, new_rows=False)
    assert isinstance(found, TrainingCertificate)
    margins = [line for number, one in enumerate(found.margins) for line in _of_margins(one, number, found)]
    error = None if X_new is None else float(answer_rows(model, X_new, y_new).wrong.mean())
    return BoundsTable((*margins, *_of_errors(found, error)))


def _of_margins(one: Certificate, number: int, found: TrainingCertificate) -> list[BoundLine]:
    """What the theorems of the margin family say of one weight vector."""
    which = f", vector {number}" if len(found.margins) > 1 else ""
    theorem, combination = "Novikoff; Moran et al., Section 2", "the rows that the weights are made of"
    updates = theorem if one.update_bound is not None else "no theorem speaks of this policy and these rows"
    margin = combination if one.margin_bound is not None else "the weights are not made of these rows"
    n_updates, name = float(one.n_updates), f"updates of the run{which}"
    return [
        BoundLine(name, "corrections", n_updates, one.update_bound, updates),
        BoundLine(f"margin{which}", "the margin of any hyperplane", one.margin, one.margin_bound, margin),
    ]


def _of_errors(found: TrainingCertificate, error: float | None) -> list[BoundLine]:
    return [
        BoundLine(one.name, one.about, error, one.value, one.why_not or one.source)
        for one in found.statements
    ]
