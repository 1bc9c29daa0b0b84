"""Model files on the command line: what they know about tables."""

from pathlib import Path
from typing import Any, NamedTuple


class Loaded(NamedTuple):
    pipeline: Any
    encoder: Any
    learner: Any
    about: dict[str, Any]

    def read_table(
        self, path: Path, header: bool | None, separator: str | None, target: str | None = None
    ) -> Any:
        """A table read as the training table was, unless told otherwise; names and labels as written."""
        from ..data.cells import NOMINAL
        from ..data.table import read_table

        kinds = zip(self.encoder.feature_names_in_, self.encoder.kinds_, strict=True)
        text = [name for name, kind in kinds if kind == NOMINAL]
        return read_table(
            path,
            header=self.about.get("header") if header is None else header,
            separator=self.about.get("separator") if separator is None else separator,
            text=text if target is None else [*text, target],
        )


def load(path: Path) -> Loaded:
    """A model file of a pipeline: an encoder of tables, and a learner."""
    from ..data.columns import TableEncoder
    from ..export.model_file import read

    model, about = read(path)
    encoder, learner = split_pipeline(model)
    if not isinstance(encoder, TableEncoder) or not hasattr(encoder, "feature_names_in_"):
        raise ValueError(
            f"The model in {path} does not know the columns of a table; `perceptrons fit` writes one that "
            "does, and perceptrons.load opens this one in Python."
        )
    return Loaded(model, encoder, learner, about)


def split_pipeline(model: Any) -> tuple[Any, Any]:
    """(what encodes, what learns); no encoder where the model is a learner alone."""
    steps = getattr(model, "steps", None)
    if steps is None:
        return None, model
    return steps[0][1] if len(steps) == 2 else None, steps[-1][1]
