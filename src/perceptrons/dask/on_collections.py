"""What the learners of this room share: fits and answers over Dask collections, and the way back to one
machine."""

from collections.abc import Callable
from copy import copy
from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pandas as pd

from .._types import Array
from ..base import all_or_nothing
from ..checks import count_rows, flag
from ..seen_rows import SeenRows, marks_of, spread
from .chunks import is_array, is_collection, read_chunks, whole_rows
from .part import CollectionPart
from .rounds import Rounds, StageTraffic, rounds_over

NOT_FOR_ANSWERS = {"_memories", "_reservoir", "certificate_", "dual_coef_", "history_", "support_"}


class BesideLocal:
    """An estimator over collections, beside the one of the same name in memory, whose parameters it has."""

    _home: ClassVar[Any]  # that one
    traffic_: list[StageTraffic]

    def _check(self) -> None:
        """Raise a ValueError for parameters that this room does not know."""

    def to_local(self) -> Any:
        """The same model as the estimator of the same name in `perceptrons`, to save, export and explain."""
        local = self._home(**self.get_params(deep=False))  # type: ignore[attr-defined]
        vars(local).update({name: value for name, value in vars(self).items() if name != "traffic_"})
        return local


class OnCollections(BesideLocal):
    """A learner over collections."""

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, client: Any = None, verbose: bool = False
    ) -> Any:
        """Learn from a Dask array or dataframe.

        Parameters
        ----------
        X, y, sample_weight : Dask collections in the same chunks, whose lengths need not be known.
        client : a `distributed.Client`, or None: the current one, or else a cluster of processes on this
            machine, closed afterwards; in a script, fit under ``if __name__ == "__main__":`` then.
        verbose : bool, default False; print what each stage has moved.
        """
        flag("verbose", verbose)
        if y is None:
            raise ValueError("A classifier requires y to be passed, but the target y is None.")
        self._check()
        chunks = read_chunks(X, y, sample_weight)
        with all_or_nothing(self), rounds_over(chunks, client) as rounds:
            vars(self).pop("feature_names_in_", None)  # of an earlier fit
            self._learn(rounds)
            self._seen_rows = seen_rows_of(rounds, self.to_local())
            self.traffic_ = [*rounds.traffic.values()]
        if verbose:
            print(*self.traffic_, sep="\n")
        return self

    def _learn(self, rounds: Rounds) -> None:
        """Set the fitted attributes."""
        raise NotImplementedError

    def predict(self, X: Any) -> Any:
        """The class of each row: of a collection lazily, as a collection in the same chunks."""
        return self._answers(X, "predict", lambda model: model.classes_.dtype)

    def decision_function(self, X: Any) -> Any:
        """The scores, of a collection lazily."""
        return self._answers(X, "decision_function", lambda model: np.dtype(np.float64), n_scores)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The accuracy on rows in memory."""
        if is_collection(X) or is_collection(y):
            raise ValueError(
                "score is for rows in memory; use perceptrons.dask.evaluate(model, X, y).accuracy for a "
                "collection."
            )
        return float(self.to_local().score(X, y, sample_weight))

    def _answers(
        self,
        X: Any,
        method: str,
        dtype: Callable[[Any], Any],
        width: Callable[[Any], int] = lambda model: 1,
    ) -> Any:
        local = self.to_local()
        if not is_collection(X):
            return getattr(local, method)(X)
        return lazily(light(local), method, X, dtype(local), width(local))


def seen_rows_of(rounds: Rounds, model: Any) -> SeenRows:
    """As `seen_rows.remember` of all rows."""
    weighted = rounds.kind is not None and rounds.kind.weighted
    return SeenRows(sum(rounds.n_rows), spread_marks(rounds, model), weighted)


def spread_marks(rounds: Rounds, model: Any) -> Array:
    """The marks of some rows, evenly spread over all of them."""
    step, told, before = spread(sum(rounds.n_rows)).step, [], 0
    columns = UsedColumns(getattr(model, "encoder_", None))
    for n_rows in rounds.n_rows:
        told.append((slice(-before % step, n_rows, step), columns))
        before += n_rows
    return np.concatenate(rounds.ask_each("marks", marks_of_part, told))


class UsedColumns(NamedTuple):
    """What of a model a mark depends on."""

    encoder_: Any


def marks_of_part(part: CollectionPart, some: slice, columns: UsedColumns) -> Array:
    return marks_of(part.X, some, columns)


def light(model: Any) -> Any:
    """The model without what answers do not need, which may be as long as the rows were."""
    copied = copy(model)
    for name in NOT_FOR_ANSWERS & vars(copied).keys():
        delattr(copied, name)
    return copied


def n_scores(model: Any) -> int:
    """The columns of `decision_function`."""
    return 1 if len(model.classes_) <= 2 else len(model.classes_)


def lazily(model: Any, method: str, X: Any, dtype: Any, width: int) -> Any:
    """What a fitted model says of each row of a collection."""
    X = whole_rows(X)
    shape = () if width == 1 else (width,)
    if is_array(X):
        ask = partial(said_of, model, method, shape, dtype)
        more: dict[str, Any] = {"drop_axis": 1} if width == 1 else {"chunks": (X.chunks[0], (width,))}
        return X.map_blocks(ask, dtype=dtype, meta=np.empty((0, *shape), dtype), **more)
    names = [None] if width == 1 else model.classes_.tolist()
    ask_frame = partial(said_of_frame, model, method, shape, dtype, names)
    return X.map_partitions(ask_frame, meta=labeled([], names, None, dtype))


def said_of(model: Any, method: str, shape: tuple[int, ...], dtype: Any, X: Any) -> Array:
    """The answers for some rows, which may be none."""
    if not count_rows(X):
        return np.empty((0, *shape), dtype)
    return np.asarray(getattr(model, method)(X), dtype)


def said_of_frame(
    model: Any, method: str, shape: tuple[int, ...], dtype: Any, names: list[Any], X: Any
) -> Any:
    return labeled(said_of(model, method, shape, dtype, X), names, X.index, dtype)


def labeled(answers: Any, names: list[Any], index: Any, dtype: Any) -> Any:
    """A series, or a frame if there are several columns."""
    if names == [None]:
        return pd.Series(answers, index=index, dtype=dtype if dtype.kind != "U" else object)
    return pd.DataFrame(np.asarray(answers, dtype).reshape(-1, len(names)), index=index, columns=names)
