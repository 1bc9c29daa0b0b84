"""Were these rows trained on, or are they new? The marks that a model keeps of its rows decide, see
`seen_rows`; where they cannot, the caller does."""

from typing import Any

from ..seen_rows import Overlap, compare_rows
from ..theory.held_out import binomial_tail
from .answered_rows import RowsAndAnswers

CHANCE = 0.01  # what is less likely than that is no chance


def are_new(rows: RowsAndAnswers, new_rows: bool | None) -> tuple[bool, int]:
    """Whether the rows are new to the model, and how many of those it remembers are among them all the same.
    `new_rows` is what the caller says, None to let the marks decide."""
    seen = getattr(rows.learner, "_seen_rows", None)
    overlap = None if seen is None else compare_rows(seen, rows.X, rows.learner)
    return decided(rows.learner, overlap, new_rows)


def decided(learner: Any, overlap: Overlap | None, new_rows: bool | None) -> tuple[bool, int]:
    """The same, where rows have been compared; `overlap` is None where the model remembers none."""
    if overlap is None:
        return _as_told(learner, new_rows), 0
    if overlap.same and new_rows:
        raise ValueError(
            "new_rows=True, but the model was trained on these very rows; omit new_rows, or pass rows that "
            "it has not seen."
        )
    if new_rows is not None:
        if not new_rows and not overlap.n_found:
            raise ValueError(
                "new_rows=False, but the model was not trained on these rows: none of those it remembers is "
                "among them; omit new_rows."
            )
        return bool(new_rows), overlap.n_found
    if overlap.same or overlap.moved:
        return False, overlap.n_found
    if not by_chance(overlap):
        raise ValueError(
            f"Some of the rows that the model was trained on are among these, {overlap.n_found} of "
            f"{overlap.n_marks} that it remembers, but these are not all of them and no others. Pass all "
            "training rows, or none; or say new_rows=True if they are new rows that happen to be equal, "
            "new_rows=False if they are the last of a stream."
        )
    return True, overlap.n_found


def by_chance(overlap: Overlap) -> bool:
    """Whether new rows may equal training rows this often by chance, since rows repeat."""
    few_others = overlap.n_marks - overlap.n_found  # as many as that, or fewer, not found
    share = min(max(1.0 - overlap.repeated, 1e-9), 1.0 - 1e-9)
    return float(binomial_tail(few_others, overlap.n_marks, share)) > CHANCE


def _as_told(learner: Any, new_rows: bool | None) -> bool:
    if new_rows is None:
        raise ValueError(
            f"This {type(learner).__name__} does not remember the rows it was trained on, so it cannot tell "
            "whether these are new; say new_rows=True or new_rows=False."
        )
    return bool(new_rows)
