"""What the encoders of this room share: they learn from a collection in one pass, and encode it lazily."""

from functools import partial
from typing import Any, ClassVar

import dask
import dask.array as da
import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from ..base import all_or_nothing
from ..checks import count_rows, flag
from .chunks import is_array, is_collection, read_chunks, whole_rows
from .encoders_on_dask import fit_encoder
from .on_collections import BesideLocal
from .rounds import rounds_over


class EncodesCollections(BesideLocal):
    """An encoder over collections."""

    _asks_quantiles: ClassVar[bool]  # does it ask for those of numbers?
    _cell_type: ClassVar[Any]  # the type of what it makes

    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, client: Any = None, verbose: bool = False
    ) -> Any:
        """Learn from a Dask array or dataframe, in one pass; `y` is not looked at.

        Parameters
        ----------
        X, sample_weight : Dask collections in the same chunks, whose lengths need not be known.
        client : a `distributed.Client`, or None: the current one, or else a cluster of processes on this
            machine, closed afterwards; in a script, fit under ``if __name__ == "__main__":`` then.
        verbose : bool, default False; print what each stage has moved.
        """
        flag("verbose", verbose)
        self._check()
        with all_or_nothing(self), rounds_over(read_chunks(X, None, sample_weight), client) as rounds:
            fit_encoder(self, rounds, self._asks_quantiles)
            self.traffic_ = [*rounds.traffic.values()]
        if verbose:
            print(*self.traffic_, sep="\n")
        return self

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None, **how: Any) -> Any:
        """Learn from a collection, and encode it lazily."""
        return self.fit(X, y, sample_weight, **how).transform(X)

    def transform(self, X: Any) -> Any:
        """The rows in coordinates: of a collection lazily, as a Dask array in the same chunks."""
        check_is_fitted(self)
        local = self.to_local()
        if not is_collection(X):
            return local.transform(X)
        X, width = whole_rows(X), len(local.get_feature_names_out())
        nothing: Any = (sp.csr_array if local.sparse_ else np.empty)((0, width), dtype=self._cell_type)
        encode = partial(encoded, local, nothing)
        if is_array(X):
            chunks = X.chunks[0], (width,)
            return X.map_blocks(encode, chunks=chunks, dtype=self._cell_type, meta=nothing)
        shape, lazily = (np.nan, width), dask.delayed(encode, pure=True)
        parts = [da.from_delayed(lazily(part), shape, meta=nothing) for part in X.to_delayed()]
        return da.concatenate(parts, allow_unknown_chunksizes=True)


def encoded(encoder: Any, nothing: Any, X: Any) -> Any:
    """Some rows, which may be none."""
    return encoder.transform(X) if count_rows(X) else nothing
