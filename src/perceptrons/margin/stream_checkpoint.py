"""Checkpoints of `fit_stream`: what a killed fit goes on from, to the model it would have made.

A checkpoint is one file of arrays, written whole or not at all. It holds the state of every run, the batches
that are left of the epoch, the source of random orders, and of which data and settings it is: of others it is
refused. Nothing in it is executed.
"""

from pathlib import Path
from typing import Any

import numpy as np

from .._types import Array
from ..rows.checkpoint_file import CheckpointFile, rng_to_json, set_rng
from ..rows.stream_facts import StreamFacts
from .looks import Look
from .memory import Model, Pocket
from .streamed_run import StreamedRun
from .streamed_training import Epoch, Stream


class Checkpoint:
    """A file, and when it was last written."""

    def __init__(self, path: Path, settings: dict[str, Any], facts: StreamFacts, seconds: float) -> None:
        self.file = CheckpointFile(path, settings, facts, seconds, settings["order"] == "shuffle")

    def pause(self, stream: Stream, epoch: Epoch | None) -> None:
        """Write, if the last time was long ago."""
        if self.file.is_due:
            self.write(stream, epoch)

    def write(self, stream: Stream, epoch: Epoch | None) -> None:
        """`epoch`: the one under way, if any."""
        arrays: dict[str, Array] = {}
        document = {
            "kept": stream.rows.kept,
            "epoch": None if epoch is None else epoch._asdict(),
            "rng": rng_to_json(stream.runs[0].before.rng, arrays),
            "runs": [run_to_json(run, arrays) for run in stream.runs],
        }
        for name in ("w", "clock", "drift"):
            arrays[name] = getattr(stream.states, name)
        for k in stream.rows.codes:
            arrays[f"codes {k}"], arrays[f"duals {k}"] = stream.rows.codes[k], stream.rows.duals[k]
            arrays[f"dual_drift {k}"] = stream.rows.dual_drift[k]
            if k in stream.rows.present:
                arrays[f"present {k}"] = stream.rows.present[k]
        self.file.write(document, arrays)

    def resume(self, stream: Stream) -> Epoch | None:
        """Set the runs to where the file left them, if there is one; returns the epoch that was under way."""
        found = self.file.read()
        if found is None:
            return None
        if found[0]["kept"] != stream.rows.kept:
            raise self.file.refusal("choice of certificate=")
        return restore(stream, *found)


def run_to_json(run: StreamedRun, arrays: dict[str, Array]) -> dict[str, Any]:
    """What a run has come to, beside its weights: history, verdict, looks, pocket."""
    for name, lines in run.lines.items():
        arrays[f"{run.number} {name}"] = np.array(lines, np.float64)
    looks = []
    for number, look in enumerate(run.looks):
        arrays[f"{run.number} look {number}"] = look.combination
        looks.append([*look[:3], *look[4:]])
    pocket = None
    if run.pocket is not None:
        for name in ("w", "rows", "duals"):
            arrays[f"{run.number} pocket {name}"] = getattr(run.pocket.model, name)
        pocket = [run.pocket.errors, run.pocket.margin, run.pocket.model.b]
    return {"verdict": run.verdict, "margin": run.margin, "looks": looks, "pocket": pocket}


def restore(stream: Stream, document: Any, file: Any) -> Epoch | None:
    """Fill the states and the runs."""
    for name in ("w", "clock", "drift"):
        getattr(stream.states, name)[...] = file[name]
    rows = stream.rows
    for k in range(rows.n_batches if rows.kept else 0):
        if f"codes {k}" in file:
            rows.codes[k], rows.duals[k] = file[f"codes {k}"], file[f"duals {k}"]
            rows.dual_drift[k] = file[f"dual_drift {k}"]
            if f"present {k}" in file:
                rows.present[k] = file[f"present {k}"]
    set_rng(stream.runs[0].before.rng, document["rng"], file)
    for run, one in zip(stream.runs, document["runs"], strict=True):
        restore_run(run, one, file)
    epoch = document["epoch"]
    return None if epoch is None else Epoch(epoch["left"], epoch["updates"], epoch["live"])


def restore_run(run: StreamedRun, one: Any, file: Any) -> None:
    for name in run.lines:
        whole = name in ("updates", "errors")
        run.lines[name] = file[f"{run.number} {name}"].astype(np.int64 if whole else np.float64).tolist()
    run.verdict, run.margin = one["verdict"], one["margin"]
    run.looks = []
    for number, (low, n_errors, sure, smallest, largest) in enumerate(one["looks"]):
        combination = file[f"{run.number} look {number}"]
        run.looks.append(Look(low, n_errors, sure, combination, smallest, largest))
    if one["pocket"] is not None:
        errors, margin, b = one["pocket"]
        w, used, duals = (file[f"{run.number} pocket {name}"] for name in ("w", "rows", "duals"))
        run.pocket = Pocket(errors, margin, Model(w, b, used, duals))
