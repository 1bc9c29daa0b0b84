"""`LiteralEncoder` over collections: the same literals as in memory."""

from typing import Any, ClassVar

import numpy as np

from ..tables.literal_encoder import LiteralEncoder as LocalLiteralEncoder
from .encoding_collections import EncodesCollections


class LiteralEncoder(EncodesCollections, LocalLiteralEncoder, auto_wrap_output_keys=None):  # type: ignore[call-arg]
    """`perceptrons.LiteralEncoder` over Dask collections: fitted in one pass, rows encoded lazily.

    The literals are those that all rows in memory would give, as long as a column has no more than 65,536
    different values. Thresholds of a column that has more numbers are quantiles of a sketch; a column of more
    names is left out if it names rows, and else refused.

    Parameters
    ----------
    n_thresholds : int, default 8
        The largest number of literals of a numeric column, at quantiles i/(n_thresholds + 1).
    max_categories : int, default 256
        The largest number of literals of a nominal column, those of its most frequent values.
    keep : None, "all" or list of names, default None
        Columns that are not left out, as in `TableEncoder`.
    groups : None
        Joining columns of names is for rows in memory.

    Attributes
    ----------
    literals_ : list of Literal
        The literals (column, relation, value).
    treatments_ : list of str
        One text per column of the table, as in `TableEncoder`.
    attributes_ : int64 array
        Literal i is about column `attributes_[i]`, among the columns that are used.
    groups_ : list
        Empty, since no columns are joined.
    sources_ : list of tuples of int
        The columns of the table from which each used column is made.
    kinds_ : list of {"numeric", "boolean", "nominal"}
        One entry per column that is used. A date becomes several columns.
    thresholds_ : list of lists of float
        One list per column; it is empty unless the column is numeric.
    categories_ : list of lists of str
        One list per column, of the values in all chunks; it is empty unless the column is nominal.
    sparse_ : bool
        Whether chunks are returned as CSR, which is decided by the rows of `fit`.
    n_features_in_, feature_names_in_
        As in scikit-learn.
    traffic_ : list of named tuples
        Per stage of the fit: its name, how many questions were asked, and how many bytes went to the parts
        (`told`) and came back (`answered`).

    Examples
    --------
    >>> import dask.dataframe as dd
    >>> import pandas as pd
    >>> from distributed import Client
    >>> from perceptrons.dask import LiteralEncoder
    >>> table = pd.DataFrame({"cap": ["red", "white", "red", "brown"], "width": [1.5, 4.0, 9.0, 6.0]})
    >>> rows = dd.from_pandas(table, npartitions=2)
    >>> with Client(processes=False, dashboard_address=":0") as client:
    ...     encoder = LiteralEncoder(n_thresholds=2).fit(rows, client=client)
    ...     print(encoder.transform(rows).compute())
    [[0 1 0 0 0]
     [0 0 1 0 0]
     [0 1 0 1 1]
     [1 0 0 1 0]]
    >>> [str(literal) for literal in encoder.literals_]
    ['cap = brown', 'cap = red', 'cap = white', 'width > 4', 'width > 6']
    """

    _home: ClassVar[Any] = LocalLiteralEncoder
    _asks_quantiles, _cell_type = True, np.dtype(np.uint8)

    def _check(self) -> None:
        self._limits()
        if self.groups is not None:
            raise ValueError(
                f"groups={self.groups!r} joins columns, which are seen one by one in a collection; leave it "
                "None, or fit perceptrons.LiteralEncoder to rows in memory."
            )
