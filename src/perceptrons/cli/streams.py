"""Tables that a command reads batch by batch: when, and how it says so."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ..tables.delimited import SEPARATORS, TYPED
from .tables import Reading

SHARE = 8  # a table is read whole if its file has no more than one eighth of the memory
CGROUP = Path("/sys/fs/cgroup/memory.max")
PARTS = (*SEPARATORS, *(name for name, kind in TYPED.items() if kind in ("Parquet", "Arrow")))


def memory() -> int:
    """Bytes that this process may use."""
    whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        return min(whole, int(CGROUP.read_text()))
    except (OSError, ValueError):  # there is no limit, or no such file
        return whole


def bytes_of_table(path: Path) -> int:
    """Of a file, or of the files in a folder; 0 of what is neither."""
    if path.is_dir():
        return sum(one.stat().st_size for one in path.iterdir() if one.is_file())
    return path.stat().st_size if path.is_file() else 0


def streams(path: Path, asked: bool | None) -> bool:
    """Is the table to be read batch by batch? If it was not said: where it is too large, or a folder."""
    if asked is not None:
        return asked
    can = path.is_dir() or path.suffix.lower() in PARTS
    return can and (path.is_dir() or bytes_of_table(path) > memory() // SHARE)


def chosen(path: Path, asked: bool | None, checkpoint: Path | None, model: Any, learner: str) -> bool:
    """The same for `fit`, whose learner must be able to; one that is not asked to, and cannot, reads it
    whole."""
    if asked is False and checkpoint is not None:
        raise ValueError("--checkpoint is for tables that are read in batches; omit it, or --no-stream.")
    asked = True if checkpoint is not None else asked
    if not streams(path, asked):
        return False
    if can_stream(model):
        return True
    if asked or path.is_dir():
        raise ValueError(
            f"The learner {learner!r} cannot learn in batches; use perceptron, sparse, scorecard, "
            "conservative or binary, or read a single file whole with --no-stream."
        )
    return False


def can_stream(model: Any) -> bool:
    """Can all steps learn from a stream?"""
    steps = [step for _, step in model.steps] if hasattr(model, "steps") else [model]
    return all(hasattr(step, "fit_stream") for step in steps)


def size_in_words(n_bytes: int) -> str:
    for unit, size in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if n_bytes >= size:
            return f"{n_bytes / size:.3g} {unit}"
    return f"{n_bytes} bytes"


def why(path: Path, asked: bool | None) -> str:
    """What is said first."""
    size = size_in_words(bytes_of_table(path))
    if asked or path.is_dir():
        return f"The table ({size}) is read in batches."
    return (
        f"The table ({size}) is larger than one eighth of the memory ({size_in_words(memory())}), and is "
        "read in batches; --no-stream reads it whole."
    )


def by_bytes(progress: Callable[[int, int, str], None], n_bytes: int, what: str) -> Callable[[float], None]:
    """Progress in megabytes of a pass, of small tables in kilobytes; a pass begins where the share falls."""
    passes, last = [1], [0.0]
    unit, size = ("MB", 10**6) if n_bytes >= 10**7 else ("kB", 10**3)
    total = max(1, n_bytes // size)

    def tell(share: float) -> None:
        if share < last[0]:
            passes[0] += 1
        last[0] = share
        progress(round(share * total), total, f"{what}, pass {passes[0]}, {unit}")

    return tell


def frames(
    loaded: Any, path: Path, how: Reading, more: list[str], whole: bool = False
) -> Iterator[tuple[Any, Any]]:
    """The columns that a model needs, and `more`, or the `whole` table, batch by batch: as they are written,
    and with missing cells marked."""
    from ..tables.stream_table import read_frames
    from ..tables.treatments import LEFT_OUT, kinds_of_table

    table = zip(loaded.encoder.feature_names_in_, kinds_of_table(loaded.encoder), strict=True)
    names = [name for name, (treatment, _, _) in table if treatment not in LEFT_OUT]
    given = how.or_as_in(loaded.about)
    written = given.header, given.separator, given.encoding, given.missing
    yield from read_frames(path, [] if whole else [*names, *more], *written)


def add_unseen(total: dict[str, Any], more: list[Any]) -> None:
    """Of names that the model does not know, by column."""
    for one in more:
        before = total.get(one.column, one._replace(unseen=0, filled=0))
        counts = {"unseen": before.unseen + one.unseen, "filled": before.filled + one.filled}
        total[one.column] = one._replace(**counts)
