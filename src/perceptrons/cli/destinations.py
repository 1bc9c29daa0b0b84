"""The files that commands write to, checked before the work, and the digest of those they read."""

import hashlib
import os
from pathlib import Path

from ..tables.delimited import SEPARATORS


def check_out(out: Path, **inputs: Path) -> None:
    """Can a file be written there, and is it none of the files to be read?"""
    for what, path in inputs.items():
        if out.exists() and path.exists() and out.samefile(path):
            raise ValueError(f"--out names the {what} itself; choose another file.")
    if out.is_dir():
        raise ValueError(f"{out} is a folder; --out names a file.")
    if out.exists() and not out.is_file():
        raise ValueError(f"{out} is a device or pipe, which cannot be replaced; --out names a file.")
    folder = Path(os.path.realpath(out)).parent  # a link is followed
    if not folder.is_dir():
        raise ValueError(f"There is no folder {out.parent} to write to; create it first.")
    if not os.access(folder, os.W_OK):
        raise ValueError(f"Nothing may be written to the folder {folder}; choose another.")


def check_text(out: Path) -> None:
    """Predictions are text, and the suffix must not say something else."""
    if out.suffix and out.suffix.lower() not in SEPARATORS:
        known = ", ".join(SEPARATORS)
        raise ValueError(
            f"Predictions are written as text, but {out} is not a text file; use a name that ends in {known}."
        )


def digest_of_file(path: Path) -> str:
    """What tells a table from any other, in a model file and in a report: as `sha256sum` has it."""
    if not path.is_file():  # a pipe can be read once
        return "of a pipe, unknown"
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
