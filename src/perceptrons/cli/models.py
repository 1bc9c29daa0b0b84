"""Model files on the command line: what they know about tables."""

from pathlib import Path
from typing import Any, NamedTuple

from .tables import Reading, called


class Loaded(NamedTuple):
    pipeline: Any
    encoder: Any
    learner: Any
    about: dict[str, Any]

    def read_table(
        self,
        path: Path,
        reading: Reading,
        target: str | None = None,
        weight: str | None = None,
        group: str | None = None,
    ) -> Any:
        """A table read as the training table was, unless options say otherwise; names as written.

        Columns that the model does not know, and that are not asked for, are not looked at.
        """
        from ..tables.cells import NOMINAL
        from ..tables.treatments import LEFT_OUT, kinds_of_table
        from .show import warn

        table = zip(self.encoder.feature_names_in_, kinds_of_table(self.encoder), strict=True)
        kinds = {name: kind for name, (treatment, kind, _) in table if treatment not in LEFT_OUT}
        more = [name for name in (target, weight) if name is not None]
        text = [*(name for name, kind in kinds.items() if kind in (NOMINAL, "")), *more]
        used = {*kinds, *more, group}.__contains__
        found = reading.or_as_in(self.about).read(path, text=text, used=used)
        warn([f"{called(path)}: {note}" for note in found.notes if not note.startswith("this is")])
        return found.frame

    def lay_out(self, frame: Any, row: int | None = None) -> tuple[Any, list[Any]]:
        """The columns the model expects, and which of them hold names it has never seen; of one row, or all.
        Rows are counted from 1."""
        from ..tables.layout import lay_out, unseen

        rows = lay_out(frame, self.encoder)
        if row is not None:
            if not 1 <= row <= len(rows):
                raise ValueError(f"There is no row {row}: the table has {len(rows):,} rows, from 1 on.")
            rows = rows[row - 1 : row]
        return rows, unseen(rows, self.encoder)

    def encode(self, rows: Any) -> Any:
        """Rows that are laid out, as the learner takes them."""
        return rows if self.learner is self.pipeline else self.encoder.transform(rows)

    def rejected(self, encoded: Any) -> Any:
        """Which of the encoded rows are rejected; None if the model always answers."""
        from ..learners import may_reject

        rejects = may_reject(self.learner) and self.learner.reject_label_ is not None
        return self.learner.rejects(encoded) if rejects else None


def load(path: Path) -> Loaded:
    """A model that takes tables: an encoder and a learner in a pipeline, or a learner that has its own."""
    from ..model_file.save_load import read
    from ..tables.literal_encoder import LiteralEncoder
    from ..tables.table_encoder import TableEncoder

    model, about = read(path)
    steps = [step for _, step in getattr(model, "steps", [])]
    encoder, learner = getattr(model, "encoder_", None), model
    if len(steps) == 2 and isinstance(steps[0], TableEncoder | LiteralEncoder):
        encoder, learner = steps
    if not hasattr(encoder, "feature_names_in_"):
        raise ValueError(
            f"The model in {path} does not know the columns of a table; `perceptrons fit` writes one that "
            "does, and perceptrons.load opens this one in Python."
        )
    return Loaded(model, encoder, learner, about)


def warn_of(unseen: list[Any]) -> None:
    """Such names count as missing, which should not happen unnoticed."""
    from .show import first, warn

    lines = [f"{name}: {new:,} of {all_:,} values are unknown to the model" for name, new, all_ in unseen]
    warn(first(lines))
