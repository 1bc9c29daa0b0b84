"""Training that goes on from a file, if there is one (`rows.checkpoint_file`)."""

from typing import Any, Protocol

import numpy as np

from .._types import Array
from ..rows.checkpoint_file import CheckpointFile, rng_to_json, set_rng


class Resumable(Protocol):
    """Training that goes from epoch to epoch."""

    rng: np.random.RandomState

    @property
    def is_over(self) -> bool:
        """Was this the last epoch?"""

    def state(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """What an epoch changes."""

    def restore(self, document: dict[str, Any], arrays: dict[str, Array]) -> None:
        """Set it to what it was."""


class SavedTraining:
    """A file in which stands what training has come to after an epoch."""

    def __init__(self, file: CheckpointFile) -> None:
        self.file = file

    def resume(self, training: Resumable) -> None:
        """Set it to where an earlier fit left it, if there was one."""
        found = self.file.read()
        if found is not None:
            training.restore(*found)
            set_rng(training.rng, found[0]["rng"], found[1])

    def pause(self, training: Resumable) -> None:
        """An epoch is over."""
        if self.file.is_due or training.is_over:
            document, arrays = training.state()
            self.file.write({**document, "rng": rng_to_json(training.rng, arrays)}, arrays)
