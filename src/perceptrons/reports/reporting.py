"""`report`: what a fitted model decides, how well, and why, on one page that a person can sign."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import Any

import numpy as np

from ..comparison import LearnerResult
from ..cross_validation import Progress
from ..model_file.files import write_whole
from ..rejection.costs import Costs
from .facts.data_sheet import data_facts, versions
from .facts.evidence import evidence_facts
from .facts.fairness import Grouping, grouped
from .facts.first_look import look_facts
from .facts.learners_compared import comparison_facts
from .facts.model_form import model_facts
from .facts.row_cards import rows_facts
from .judged_rows import Material, material_of
from .spelling import shown
from .subject import subject_of
from .tables_of_donors import cells_of_column


@dataclass(frozen=True)
class Report:
    """A report: `facts` are its numbers and words as plain data, `html` is the page.

    In a notebook it is shown in a frame of its own; `save` writes it to a file that needs nothing else.
    """

    facts: dict[str, Any] = field(repr=False)
    template: str = field(default="report.html", repr=False)

    @cached_property
    def html(self) -> str:
        from .page import render

        return render(self.template, self.facts)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file, whole or not at all."""
        write_whole(os.fsdecode(path), self.html.encode())

    def _repr_html_(self) -> str:
        return f'<iframe srcdoc="{escape(self.html)}" width="100%" height="700"></iframe>'


def report(
    model: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    new_rows: bool = False,
    target: str = "class",
    table: str = "A table",
    by: Any = None,
    rows: Sequence[int] = (),
    numbers: Any = None,
    folds: int = 5,
    seed: int = 0,
    record: dict[str, Any] | None = None,
    progress: Progress | None = None,
) -> Report:
    """A report of a fitted classifier on rows of known classes: one page, without network or server.

    Parameters
    ----------
    model : classifier or pipeline
        A fitted classifier, or a pipeline that ends with one.
    X, y : array or frame of rows, and array of classes
        The rows as the model takes them, and their classes.
    sample_weight : array or None, default None
        The weights of the rows.
    new_rows : bool, default False
        Whether the model has not seen these rows. If it was fitted to them they say nothing about new ones:
        copies of the model are fitted without each of `folds` parts of the rows, and answer for that part
        (above 20,000 rows for a fifth, once). New rows are answered by the model itself.
    target : str, default "class"
        The name that the page uses for what is predicted.
    table : str, default "A table"
        The name that the page uses for the table.
    by : None, str or array, default None
        The name of a column of X, or one value per row; errors are counted by its groups.
    rows : sequence of int, default ()
        The numbers of rows to explain, besides the hardest and the most typical ones.
    numbers : array or None, default None
        The number by which each row is called. None counts from 1.
    folds : int, default 5
        The number of folds; 0 for none.
    seed : int, default 0
        Draws the folds, and 100,000 rows where there are more.
    record : dict or None, default None
        Other facts to keep with the page, name → value: where the rows came from, a command.
    progress : callable or None, default None
        It is called as `progress(done, total, what)` before each fit of a fold.

    Returns
    -------
    Report
        The page: `html`, `facts`, and `save(path)`.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from perceptrons import SparsePerceptron, report
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = SparsePerceptron(max_rules=4, max_points=5, cv=3, random_state=0).fit(X, y)
    >>> page = report(model, X, y, folds=2, target="benign")
    >>> page.facts["look"]["decision"]
    ['For each row the model answers which benign it has: 0 or 1. It always answers.']
    >>> [one["id"] for one in page.facts["evidence"]["figures"]]
    ['roc', 'precision-recall', 'calibration', 'error-reject', 'margins', 'size-path']
    >>> page.html.startswith("<!doctype html>")
    True
    """
    subject = subject_of(model)
    material = material_of(subject, X, y, sample_weight, numbers, new_rows, folds, seed, progress or _silent)
    groups = None if by is None else _grouping(by, X, material)
    return Report(
        {
            "title": f"Predicting {shown(target)}",
            "table": shown(table),
            "learner": type(subject.learner).__name__,
            "new_rows": new_rows,
            "n_rows": material.n_given,
            "look": look_facts(material, shown(target), groups),
            "model": model_facts(material),
            "evidence": evidence_facts(material),
            "rows": rows_facts(material, rows),
            "data": data_facts(material, target, {"Seed of the folds": seed, **(record or {})}),
        }
    )


def comparison_report(
    results: Sequence[LearnerResult], metric: str, costs: Costs, data: dict[str, Any], record: dict[str, Any]
) -> Report:
    """The page of a comparison; `data` is the summary of its table, `record` how it came to be."""
    facts = comparison_facts(results, metric, costs, data, {**record, **versions()})
    return Report(facts, "comparison.html")


def _grouping(by: Any, X: Any, material: Material) -> Grouping:
    """The groups of the rows that are looked at."""
    if isinstance(by, str):
        names = [*map(str, X.columns)] if hasattr(X, "columns") else []
        if by not in names:
            raise ValueError(
                f"by={by!r}, but it must be a column of X, one of {names[:20]}, or a value per row."
            )
        name, values = by, cells_of_column(X, by)
    else:
        name, values = str(getattr(by, "name", "group")), np.asarray(by, object)
    if len(values) != material.n_given:
        raise ValueError(f"by has {len(values):,} values for {material.n_given:,} rows; give one per row.")
    cells = values[material.places]
    return Grouping(shown(name), np.array(grouped(cells.tolist()), object).astype(str))


def _silent(done: int, total: int, what: str) -> None:
    """No progress to be shown."""
