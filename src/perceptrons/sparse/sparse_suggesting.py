"""Conjunctions of more literals than a fitted `SparsePerceptron` has, which would help it."""

import warnings
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from ..checks import number
from ..compiled import one_thread
from .encoded_literals import encode_for
from .sparse_fitted import FittedSparse
from .sparse_parameters import check_size, read_scope
from .suggestions import Suggestion, find_suggestions


class SuggestingSparse(FittedSparse):
    """Looks for what the model leaves open."""

    k: int
    max_visits: int | None

    def suggest(
        self, X: Any, y: Any, order: int | None = None, *, n_suggestions: int = 10, sample_weight: Any = None
    ) -> list[Suggestion]:
        """Conjunctions of more literals that would explain most of what the model leaves open.

        X, y : rows, usually those the model was fitted to; `sample_weight` as in `fit`.
        order : int or None (default), their number of literals; None is one more than `k`.
        n_suggestions : int, default 10; the largest number of suggestions.

        The largest correlation with the classes, positive or negative, comes first. It is computed under
        weights of rows for which the model's own conjunctions have next to no correlation. `gain` is how much
        larger it is than that of the best part of the conjunction. Conjunctions that a part equals are left
        out, so that there may be fewer suggestions (only the best 50 times as many are examined), and so are
        those that hold in the same rows as another. With more than two classes, each has candidates, and
        `label` names the class. `beam` and `max_visits` apply here, too.
        """
        check_is_fitted(self)
        scope = read_scope(self, self.k + 1 if order is None else order, "order")._replace(penalty=False)
        number("n_suggestions", n_suggestions, "[1, 1000]", "use 10", Integral)
        with one_thread():
            encoded = encode_for(self, X, y, sample_weight)
            check_size(encoded.data.n_literals, scope.k, "order")
            own = [[self._places[place] for place in np.flatnonzero(row)] for row in self._weights]
            literals = self.encoder_.literals_
            suggestions, missed = find_suggestions(encoded, own, scope, n_suggestions, literals)
        if missed:
            warnings.warn(
                f"The search stopped at max_visits={self.max_visits} conjunctions: there may be better ones. "
                "Raise max_visits.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return suggestions
