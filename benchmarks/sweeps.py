"""Sweeps over rows: epochs, whole fits, runs to convergence and peak memory, beside scikit-learn."""

import os
from typing import Any

from . import batches, convergence, peak_memory, vowpal
from .epochs import epoch_rows, fit_row, race, threaded_fit
from .layout import Column, Section
from .sweep_sets import QUICK_SIZES, SIZES, Task, tasks

_TIMES = [
    Column("name", "rows", "text"),
    Column("ours", "perceptrons", "time"),
    Column("peer", "sklearn Perceptron", "time"),
    Column("ratio", "sklearn / ours", "ratio"),
    Column("sgd", "SGDClassifier", "time"),
    Column("sgd_ratio", "SGD / ours", "ratio"),
    Column("ns_per_element", "ns per element", "number"),
    Column("of_read", "of streaming read", "percent"),
]
_CORRECTED = Column("corrected", "rows corrected", "percent")
_VOWPAL = [*_TIMES[:2], Column("peer", "Vowpal Wabbit", "time"), Column("ratio", "Vowpal / ours", "ratio")]


def run(quick: bool) -> dict[str, Any]:
    rounds = 2 if quick else 5
    peaks = peak_memory.section(quick, 1)
    one_epoch = Section("One epoch, one thread", [*_TIMES, _CORRECTED], [])
    whole_fit = Section("A whole fit of one epoch, in order", _TIMES, [])
    against_vowpal = Section("One epoch in order, Vowpal Wabbit (hinge loss, from its cache)", _VOWPAL, [])
    for task in tasks(quick):
        _measure(task, rounds, one_epoch, whole_fit, against_vowpal)
    streams = batches.section(quick, rounds)
    sections = [one_epoch, whole_fit, streams, convergence.section(quick), peaks]
    return {
        "sizes": _sizes(quick) | {"rounds": rounds},
        "notes": _notes(quick),
        "sections": sections + [against_vowpal] * bool(against_vowpal.rows),
    }


def _measure(
    task: Task, rounds: int, one_epoch: Section, whole_fit: Section, against_vowpal: Section
) -> None:
    print(f"{task.label} ...", flush=True)
    times = race(task, rounds)
    one_epoch.raw[task.id] = times.seconds
    one_epoch.rows += epoch_rows(task, times)
    whole_fit.rows.append(fit_row(task, times))
    one_fit = f"in order {task.epochs[0]}"
    whole_fit.raw[task.id] = {name: some for name, some in times.seconds.items() if name.endswith(one_fit)}
    row, times = threaded_fit(task, rounds)
    whole_fit.rows.append(row)
    whole_fit.raw[row["id"]] = times.seconds
    if task.key == "a9a" and vowpal.installed():
        row, times = vowpal.row(task, rounds)
        against_vowpal.rows.append(row)
        against_vowpal.raw[row["id"]] = times.seconds


def _sizes(quick: bool) -> dict[str, Any]:
    """Rows, columns, and cells per row or margin."""
    of_runs = (
        (convergence.QUICK_SIZE, peak_memory.QUICK_SIZE) if quick else (convergence.SIZE, peak_memory.SIZE)
    )
    return {**(QUICK_SIZES if quick else SIZES), "convergence": of_runs[0], "memory": of_runs[1]}


def _notes(quick: bool) -> list[str]:
    notes = [
        "Ratios are medians over rounds of the ratio within a round; above 1, perceptrons was the faster.",
        "To convergence, scikit-learn is given the number of epochs that the cyclic order needed.",
    ]
    if not os.environ.get("PERCEPTRONS_DATA"):
        notes.append("a9a left out: PERCEPTRONS_DATA, the folder that holds sparse/a9a.gz, is not set.")
    if not vowpal.installed():
        notes.append("Vowpal Wabbit left out: not installed.")
    if quick:
        notes.append("Quick: the runs are too short for their times, and differences of times, to mean much.")
    return notes
