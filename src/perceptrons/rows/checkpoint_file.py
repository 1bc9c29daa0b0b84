"""A file from which a killed fit goes on: arrays and a document, and of which data and settings they are.

It is written whole or not at all; that of other data or settings is refused. Nothing in it is executed.
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
from .stream_facts import StreamFacts

FORMAT = "perceptrons stream checkpoint 1"


class CheckpointFile:
    """A file, and when it was last written."""

    def __init__(
        self, path: str | Path, settings: dict[str, Any], facts: StreamFacts, seconds: float, draws: bool
    ) -> None:
        self.path, self.seconds, self.last = Path(path), seconds, time.monotonic()
        self.known = {"data": digest_of_data(facts), "settings": digest_of_settings(settings, draws)}

    @property
    def is_due(self) -> bool:
        """Was the last time long ago?"""
        return time.monotonic() - self.last >= self.seconds

    def write(self, document: dict[str, Any], arrays: dict[str, Array]) -> None:
        text = json.dumps({"format": FORMAT, **self.known, **document})
        file = io.BytesIO()
        np.savez(file, allow_pickle=False, document=np.frombuffer(text.encode(), np.uint8), **arrays)
        write_whole(str(self.path), file.getvalue())
        self.last = time.monotonic()

    def read(self) -> tuple[Any, dict[str, Array]] | None:
        """What was written last, if there is a file."""
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
                "start again, or name another file."
            ) from None
        for name, mine in self.known.items():
            if document[name] != mine:
                raise self.refusal(name)
        return document, arrays

    def refusal(self, what: str) -> ValueError:
        return ValueError(
            f"The checkpoint {str(self.path)!r} is of other {what}, so that this fit cannot go on from it; "
            "delete it to start again, or name another file."
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


def digest_of_settings(settings: dict[str, Any], draws: bool) -> str:
    """Of the parameters that the model depends on; `draws`: random numbers are among what it depends on."""
    said = {name: repr(value) for name, value in settings.items() if name not in ("verbose", "n_jobs")}
    for name, value in settings.items():
        if callable(value) or isinstance(value, np.random.RandomState):
            raise ValueError(
                f"{name}={value!r} cannot be told from another after a restart, so a checkpoint cannot be "
                "trusted to go on with it; use a number."
            )
    if settings["random_state"] is None and draws:
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


def set_rng(rng: np.random.RandomState, saved: list[Any], arrays: dict[str, Array]) -> None:
    name, place, has_gauss, gauss = saved
    rng.set_state((name, arrays["rng"], place, has_gauss, gauss))
