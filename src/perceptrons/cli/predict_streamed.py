"""`perceptrons predict` on a table that is read in batches: each is written at once."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from ..tables.delimited import SEPARATORS
from .predicted import Told, answers, as_csv, print_text
from .tables import Reading


class Wanted(NamedTuple):
    """What is written beside predictions."""

    scores: bool
    raw: bool
    append: bool
    id_column: str | None
    proba: bool


def predict_streamed(
    loaded: Any, table: Path, how: Reading, wanted: Wanted, write: Callable[[str], None], out: Path | None
) -> Told:
    """Predict and write; what is to be said beside."""
    from .appended import beside, columns_of
    from .safe_cells import safe_columns
    from .streams import add_unseen, frames

    mark = "," if out is None else SEPARATORS.get(out.suffix.lower(), ",")
    n_rows, n_rejected, altered, unseen = 0, 0, False, {}  # type: tuple[int, int, bool, dict[str, Any]]
    more = [] if wanted.id_column is None else [wanted.id_column]
    for written, frame in frames(loaded, table, how, more, whole=wanted.append):
        if not frame.height:
            continue
        rows, unknown = loaded.lay_out(frame)
        add_unseen(unseen, unknown)
        columns, rejected = answers(loaded, loaded.encode(rows), wanted.scores, wanted.proba)
        columns = beside(columns_of(written, wanted.append, wanted.id_column), columns)
        cells = columns if wanted.raw else safe_columns(columns)
        text = as_csv(cells, mark)
        write(text if not n_rows else text.split("\n", 1)[1])
        n_rows, n_rejected, altered = (
            n_rows + len(rows),
            n_rejected + (rejected or 0),
            altered or cells != columns,
        )
    return Told(n_rows, n_rejected, altered, [*unseen.values()])


@contextmanager
def opened(out: Path | None) -> Iterator[Callable[[str], None]]:
    """A function that writes to the file, which takes its place at the end, or to stdout."""
    from ..model_file.files import whole_file

    if out is None:
        yield print_text
        return
    with whole_file(str(out)) as file:

        def write(text: str) -> None:
            file.write(text.encode())

        yield write
