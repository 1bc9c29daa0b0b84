"""`TableEncoder` over collections: the same encoder as in memory, sums except for rounding."""

from typing import Any, ClassVar

import numpy as np

from ..tables.table_encoder import TableEncoder as LocalTableEncoder
from .encoding_collections import EncodesCollections


class TableEncoder(EncodesCollections, LocalTableEncoder, auto_wrap_output_keys=None):  # type: ignore[call-arg]
    """`perceptrons.TableEncoder` over Dask collections: fitted in one pass, rows encoded lazily.

    The encoder is the one that all rows in memory would give, means and deviations except for rounding. A
    column that has more than 65,536 different names is left out if it names rows, and else refused.

    Parameters
    ----------
    keep : None, "all" or list of names, default None
        Columns of a frame to keep although they seem to carry no information: ids, counters, free text,
        constant and empty columns. "all" keeps every column.

    Attributes
    ----------
    treatments_ : list of str
        One text per column of the table: "as it is", why it is left out ("counter", "names of rows", "free
        text", "constant", "empty"), or how its texts are read ("decimal comma", "day-month-year", ...).
    kinds_ : list of {"numeric", "boolean", "nominal"}
        One entry per column that is used. A date becomes several columns.
    means_, scales_ : array
        One entry per column; the scale is 0 where the column is constant or not numeric.
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
    >>> from perceptrons.dask import TableEncoder
    >>> table = pd.DataFrame({"age": [20, 40, 30, 30], "land": ["Kenya", "Kenya", "Peru", "Chad"]})
    >>> rows = dd.from_pandas(table, npartitions=2)
    >>> with Client(processes=False, dashboard_address=":0") as client:
    ...     encoder = TableEncoder().fit(rows, client=client)
    ...     print(encoder.transform(rows).compute().round(3))
    [[-1.414  0.     1.     0.   ]
     [ 1.414  0.     1.     0.   ]
     [ 0.     0.     0.     1.   ]
     [ 0.     1.     0.     0.   ]]
    >>> encoder.to_local().get_feature_names_out().tolist()
    ['age', 'land = Chad', 'land = Kenya', 'land = Peru']
    """

    _home: ClassVar[Any] = LocalTableEncoder
    _asks_quantiles, _cell_type = False, np.dtype(np.float64)
