"""Was the model trained on the rows that it is evaluated on? A model remembers marks of some of its rows."""

from typing import Any

from ..certification.which_rows import by_chance
from ..seen_rows import Overlap, compare_rows

SAID = {
    "all": "The model was trained on these very rows; others are answered worse as a rule.",
    "some": "The model was trained on some of these rows; others are answered worse as a rule.",
}


class KnownRows:
    """Counts them, part by part."""

    def __init__(self, learner: Any) -> None:
        self._learner, self._seen = learner, getattr(learner, "_seen_rows", None)
        self._n_rows, self._n_found, self._repeated = 0, 0, 0.0

    def add(self, rows: Any) -> None:
        """Rows as the learner takes them."""
        if self._seen is None:
            return
        overlap = compare_rows(self._seen, rows, self._learner)
        self._n_rows += rows.shape[0]
        self._n_found += overlap.n_found
        self._repeated = max(self._repeated, overlap.repeated)

    def share(self) -> str | None:
        """How many of the training rows are among them: "all" and no others, "some", "none"; None of a model
        that does not remember its rows."""
        if self._seen is None:
            return None
        n_marks = len(self._seen.marks)
        found = min(self._n_found, n_marks)
        if found == n_marks and self._n_rows == self._seen.n_rows:
            return "all"
        return "none" if by_chance(Overlap(False, False, found, n_marks, self._repeated)) else "some"
