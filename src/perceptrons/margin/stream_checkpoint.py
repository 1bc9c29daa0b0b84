"""Checkpoints of `fit_stream`: what a killed fit goes on from, to the model it would have made.

A checkpoint is one file of arrays, written whole or not at all. It holds the state of every run, the batches
that are left of the epoch, the source of random orders, and of which data and settings it is: of others it is
refused. Nothing in it is executed.
"""

import io
import json
import os
import time
from hashlib import sha256
from pathlib import Path
from typing import Any
from zipfile import ZIP_STORED, BadZipFile, ZipFile

import numpy as np

from .._types import Array
from ..model_file.files import write_whole
from ..rows.stream_facts import StreamFacts
from .looks import Look
from .memory import Model, Pocket
from .streamed_run import StreamedRun
from .streamed_training import Epoch, Stream

FORMAT = "perceptrons stream checkpoint 1"


class Checkpoint:
    """A file, and when it was last written."""

    def __init__(self, path: Path, settings: dict[str, Any], facts: StreamFacts, seconds: float) -> None:
        self.path, self.seconds, self.last = path, seconds, time.monotonic()
        self.settings, self.data = digest_of_settings(settings), digest_of_data(facts)

    def pause(self, stream: Stream, epoch: Epoch | None) -> None:
        """Write, if the last time was long ago."""
        if time.monotonic() - self.last >= self.seconds:
            self.write(stream, epoch)

    def write(self, stream: Stream, epoch: Epoch | None) -> None:
        """`epoch`: the one under way, if any."""
        arrays: dict[str, Array] = {}
        document = {
            "format": FORMAT,
            "settings": self.settings,
            "data": self.data,
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
        arrays["document"] = np.frombuffer(json.dumps(document).encode(), np.uint8)
        file = io.BytesIO()
        np.savez(file, allow_pickle=False, **arrays)
        write_whole(str(self.path), file.getvalue())
        self.last = time.monotonic()

    def resume(self, stream: Stream) -> Epoch | None:
        """Set the runs to where the file left them, if there is one; returns the epoch that was under way."""
        if not self.path.exists():
            check_folder(self.path)
            return None
        try:
            arrays = arrays_in(self.path.read_bytes())
            document = json.loads(arrays["document"].tobytes())
            if document["format"] != FORMAT:
                raise ValueError(f"it is a {document['format']}")
        except (BadZipFile, KeyError, TypeError, ValueError, OSError, EOFError) as error:
            raise ValueError(
                f"{str(self.path)!r} is no checkpoint of fit_stream, or is damaged ({error}); delete it to "
                "start anew, or name another file."
            ) from None
        self.check(document, stream)
        return restore(stream, document, arrays)

    def check(self, document: Any, stream: Stream) -> None:
        """Is it of this data and these settings?"""
        what = [
            name
            for name, mine in (("data", self.data), ("settings", self.settings), ("kept", stream.rows.kept))
            if document[name] != mine
        ]
        if what:
            other = {"data": "data", "settings": "settings", "kept": "a choice of certificate="}[what[0]]
            raise ValueError(
                f"The checkpoint {str(self.path)!r} is of other {other}, so that this fit cannot go on "
                "from it; delete it to start anew, or name another file."
            )


def arrays_in(data: bytes) -> dict[str, Array]:
    """Of a file as it is written here: its arrays take no more room than it does."""
    with ZipFile(io.BytesIO(data)) as archive:
        if any(one.compress_type != ZIP_STORED for one in archive.infolist()):
            raise BadZipFile("it is compressed")
    with np.load(io.BytesIO(data), allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


def check_folder(path: Path) -> None:
    """Can a file be written there? Asked before the first epoch."""
    folder = path.parent
    if path.is_dir() or not folder.is_dir() or not os.access(folder, os.W_OK):
        raise ValueError(
            f"No checkpoint can be written to {str(path)!r}; name a file in a folder that exists."
        )


def digest_of_settings(settings: dict[str, Any]) -> str:
    """Of the parameters that the model depends on."""
    said = {name: repr(value) for name, value in settings.items() if name not in ("verbose", "n_jobs")}
    for name, value in settings.items():
        if callable(value) or isinstance(value, np.random.RandomState):
            raise ValueError(
                f"{name}={value!r} cannot be told from another after a restart, so a checkpoint cannot be "
                "trusted to go on with it; use a number."
            )
    if settings["random_state"] is None and settings["order"] == "shuffle":
        raise ValueError(
            "random_state=None draws other orders after a restart; give a checkpoint an integer."
        )
    return sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def digest_of_data(facts: StreamFacts) -> str:
    """Of all cells, labels and weights, and how they are cut into batches."""
    weights = repr((facts.lightest, facts.heaviest, sorted(facts.sums.items())))
    text = repr((facts.digest, [place.n_present for place in facts.places], facts.n_given, weights))
    return sha256((text + repr(facts.classes)).encode()).hexdigest()


def rng_to_json(rng: np.random.RandomState, arrays: dict[str, Array]) -> list[Any]:
    name, keys, place, has_gauss, gauss = rng.get_state(legacy=True)
    arrays["rng"] = np.asarray(keys)
    return [name, place, has_gauss, gauss]


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
    name, place, has_gauss, gauss = document["rng"]
    stream.runs[0].before.rng.set_state((name, file["rng"], place, has_gauss, gauss))
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
