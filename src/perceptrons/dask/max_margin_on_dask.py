"""`MaxMarginPerceptron` over collections: the pool search across machines.

Few rows decide the hyperplane. A pool of them is at the client, where the learner of one machine finds the
best margin in it; no margin of all rows is larger. Then all rows are scored, and each part answers with its
lowest ones, which join the pool, until the margin achieved on all rows is within `tol` of that bound: the
certificate is the same as in memory. Where the pool is not separable, neither are the rows, and its witness
is theirs.
"""

import warnings
from typing import Any, ClassVar, NamedTuple, cast

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from .._types import Array
from ..checks import flag
from ..margin.certificates import Examination, certificate_from, examine_look
from ..margin.duals import LESS, Duals
from ..margin.looks import Look
from ..margin.maximum.max_margin_perceptron import MaxMarginPerceptron as LocalMaxMarginPerceptron
from ..margin.maximum.maximum_parameters import read_parameters
from ..margin.streamed_fit import looked_exactly, rows_used
from ..rows.batch_groups import stacked_rows
from ..rows.encode import Encoded
from ..rows.stream_facts import StreamFacts
from ..theory.certificate import Certificate
from .margin_parts import CollectionRows, n_vectors_of
from .on_collections import OnCollections
from .part import CollectionPart
from .part_facts import encoded_rows, facts_of
from .rounds import Rounds

JOINING = 100  # rows of each weight vector that join the pool at a time
SPREAD = 64  # rows of a part, evenly spread, that are in the first pool
MOST_PASSES = 10_000  # over a pool, which is small
CLOSER = 0.5  # of `tol`, to which the margin of a pool is found


class PoolRows(NamedTuple):
    """Rows that have come to the client, by their numbers, which ascend."""

    numbers: Array
    matrix: Any
    codes: Array

    def with_rows(self, others: "list[PoolRows]") -> "PoolRows":
        """Those of all, each once."""
        several = [self, *others]
        numbers = np.concatenate([one.numbers for one in several])
        unique, first = np.unique(numbers, return_index=True)
        matrix = stacked_rows([one.matrix for one in several])[first]
        return PoolRows(unique, matrix, np.concatenate([one.codes for one in several])[first])

    def first(self, how_many: int) -> "PoolRows":
        return PoolRows(*(part[:how_many] for part in self))


class LowestRows(NamedTuple):
    """Of one weight vector and a part, the lowest rows and their y·score, which ascend."""

    rows: PoolRows
    reach: Array


class MaxMarginPerceptron(OnCollections, LocalMaxMarginPerceptron):
    """`perceptrons.MaxMarginPerceptron` over Dask collections: the largest margin, certified on all rows.

    A pool of few rows, which decide the hyperplane, is at the client; the lowest rows of all parts join it
    until the margin on all rows is within `tol` of the best. If the rows are not separable, the certificate
    proves it, as in memory, and the weights are those of the pool.

    Parameters
    ----------
    C : float, default inf
        It must be inf: a finite value gives each row a slack of its own, and is for rows in memory.
    tol : float, default 1e-3
        The margin is certified to be ≥ (1 − tol) times the best possible.
    fit_intercept : bool, default True
        Whether to fit an intercept. Without it the hyperplane goes through the origin.
    max_iter : int, default 1000
        The largest number of looks at all rows. Reaching it warns.
    on_inseparable : {"warn", "raise"}, default "warn"
        What to do if no hyperplane separates the classes. After a warning, `certificate_.witness` proves,
        exactly, that every hyperplane makes errors.
    class_weight : None, "balanced" or dict of class → weight, default None
        The weight of each row is multiplied by that of its class. Positive weights change nothing, as C is
        inf; rows of weight 0 are absent.
    n_jobs : int or None, default None
        The number of threads of the client that work on the pool, if there are more than two classes; None is
        one, -1 is one per core. The model does not depend on it.
    warm_start : bool, default False
        Starting from the last fit is for rows in memory, so that it must be False.

    Attributes
    ----------
    classes_, coef_, intercept_, n_features_in_, feature_names_in_
        As in scikit-learn.
    support_, dual_coef_ : array
        The rows that contribute to the weights, numbered over all chunks, and the contribution of each,
        a_i·y_i: w = Σ a_i y_i x_i.
    certificate_ : Certificate
        The proof of the margin on all rows; recheck it with `perceptrons.verify` of `to_local()` and the rows
        in memory. With more than two classes (one against the rest), a list with one entry per class.
    n_updates_ : int or array
        The number of changes of the weights, in all pools.
    n_iter_ : int
        The number of looks at all rows.
    n_rows_ : int
        The number of rows trained on; rows of weight 0 are not counted.
    converged_ : bool
        Whether the gap is within `tol`.
    history_ : list
        Per look of the last fit at its pool: updates, errors, margin and margin_bound.
    traffic_ : list of named tuples
        Per stage of the fit: its name, how many questions were asked, and how many bytes went to the parts
        (`told`) and came back (`answered`).

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> from distributed import Client
    >>> from perceptrons.dask import MaxMarginPerceptron
    >>> X = np.random.default_rng(0).normal(size=(400, 3))
    >>> y = X @ [1.0, -2.0, 0.5] > 0
    >>> rows, labels = da.from_array(X, (100, 3)), da.from_array(y, 100)
    >>> with Client(processes=False, dashboard_address=":0") as client:
    ...     model = MaxMarginPerceptron().fit(rows, labels, client=client)
    >>> one_machine = model.to_local().fit(X, y)
    >>> bool(abs(model.certificate_.margin / one_machine.certificate_.margin - 1) < 2e-3)
    True
    """

    _home: ClassVar[Any] = LocalMaxMarginPerceptron

    def _check(self) -> None:
        given = read_parameters(self)
        if np.isfinite(given.C):
            raise ValueError(
                f"C={self.C!r} gives every row a slack, and maybe a dual, of its own; over a collection use "
                "C=inf, or perceptrons.dask.Perceptron, or fit on rows in memory."
            )
        if flag("warm_start", self.warm_start):
            raise ValueError(
                "warm_start=True is not for collections, whose pool always starts empty; use False."
            )

    def _learn(self, rounds: Rounds) -> None:
        facts, given = facts_of(rounds, self), read_parameters(self)
        rows = CollectionRows(rounds, facts, n_vectors_of(facts), averaged=False)
        pool, n_updates = first_pool(rows), np.zeros(rows.n_vectors, np.int64)
        n_looks = 0
        while n_looks < given.max_iter:
            n_looks += 1
            local = self._of_pool(pool, facts)
            n_updates = n_updates + local.n_updates_
            found = lowest_rows(rows, local)
            if any(local._witnesses) or closed(local, found, given.tol):
                break
            before, pool = len(pool.numbers), pool.with_rows(joining(found))
            if len(pool.numbers) == before:  # rounding: the lowest rows are in the pool
                break
        if given.raises and any(local._witnesses):
            raise ValueError(said_of(local, self.tol))
        self._adopt(local, pool, facts)
        self.n_updates_ = int(n_updates[0]) if rows.n_vectors == 1 else n_updates
        self.n_iter_ = n_looks
        certificates = self._certificates(rows)
        self.certificate_ = certificates[0] if rows.n_vectors == 1 else certificates
        gaps = [np.inf if one.gap is None else one.gap for one in certificates]
        self.converged_ = bool(max(gaps) <= given.tol * (1.0 + 1e-6) + 4.0 * LESS)
        if not self.converged_:
            warnings.warn(said_of(self, self.tol), ConvergenceWarning, stacklevel=3)

    def _of_pool(self, pool: PoolRows, facts: StreamFacts) -> Any:
        """The learner of one machine, fitted to the pool."""
        local = clone(self.to_local()).set_params(
            tol=CLOSER * self.tol, on_inseparable="warn", class_weight=None, max_iter=MOST_PASSES
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return local.fit(pool.matrix, facts.classes[pool.codes])

    def _adopt(self, local: Any, pool: PoolRows, facts: StreamFacts) -> None:
        """The model of the pool as that of all rows, whose numbers are others."""
        for name, value in vars(local).items():
            if name not in (*local.get_params(), "feature_names_in_", "_seen_rows"):
                setattr(self, name, value)
        self.support_, self.n_rows_ = pool.numbers[local.support_], facts.n_rows
        self._terms = local._terms._replace(n_given=facts.n_given, reproducible=False)
        self._witnesses = [
            None if pairs is None else tuple((int(pool.numbers[row]), weight) for row, weight in pairs)
            for pairs in local._witnesses
        ]

    def _certificates(self, rows: CollectionRows) -> list[Certificate]:
        """From a look at all rows, and copies of those that have duals."""
        lines = [*range(rows.n_vectors)]
        looks = rows.look(lines, self.coef_, self.intercept_, self.support_, self.dual_coef_)
        used, certificates = rows_used(self, rows), []
        for k, look in enumerate(looks):
            sure = look if look.sure else looked_exactly(self, k, rows, look)
            examined = self._examined(k, sure, used)
            certificates.append(certificate_from(self, k, examined, rows.facts.n_rows))
        return certificates

    def _examined(self, k: int, look: Look, used: Encoded) -> Examination:
        data = used._replace(largest=look.largest, smallest=look.smallest)
        duals, where = self.dual_coef_[k], np.flatnonzero(self.dual_coef_[k])
        free, little = self._terms.free_intercept, self._terms.little
        proof = Duals(data, where, duals[where], free=free, little=little)
        examined = examine_look(self, k, data, look, proof)
        return examined._replace(witness=self._witnesses[k], undecided=self._undecided[k] or None)


def said_of(model: Any, tol: float) -> str:
    """What went wrong, and what to change."""
    for pairs in model._witnesses:
        if pairs is not None:
            return (
                f"The rows are not separable: no hyperplane has all {len(pairs)} rows of "
                "certificate_.witness on their right sides. Use perceptrons.dask.Perceptron, or drop "
                "contradictory rows."
            )
    certificates = model.certificate_ if isinstance(model.certificate_, list) else [model.certificate_]
    gap = max(np.inf if one.gap is None else one.gap for one in certificates)
    return (
        f"The search ended after {model.n_iter_} looks at all rows with a gap of {gap:.2g}, but tol={tol}; "
        "raise max_iter or tol, or scale the columns."
    )


def first_pool(rows: CollectionRows) -> PoolRows:
    """Some rows of each part, and the first of each class."""
    first, *others = rows.asked("pool", spread_rows, SPREAD)
    return cast(PoolRows, first.with_rows(others))


def lowest_rows(rows: CollectionRows, model: Any) -> list[list[LowestRows]]:
    """Of each part that has rows that count, for each weight vector."""
    return rows.asked("pool", lowest_of_part, model.coef_, model.intercept_, JOINING)


def closed(model: Any, found: list[list[LowestRows]], tol: float) -> bool:
    """Is the margin of all rows within tol of that of the pool?"""
    certificates = model.certificate_ if isinstance(model.certificate_, list) else [model.certificate_]
    for k, certificate in enumerate(certificates):
        low, norm = min(one[k].reach[0] for one in found), float(np.linalg.norm(model.coef_[k]))
        if (
            not norm
            or certificate.margin_bound is None
            or low < (1.0 - tol) * certificate.margin_bound * norm
        ):
            return False
    return True


def joining(found: list[list[LowestRows]]) -> list[PoolRows]:
    """The lowest rows of each weight vector, wherever they are."""
    chosen = []
    for parts in zip(*found, strict=True):
        reach = np.sort(np.concatenate([one.reach for one in parts]))
        limit = reach[min(JOINING, len(reach)) - 1]
        chosen += [one.rows.first(int(np.count_nonzero(one.reach <= limit))) for one in parts]
    return chosen


# --- questions ---


def rows_at(data: Encoded, first: int, places: Array) -> PoolRows:
    return PoolRows(first + data.numbers(places), data.matrix[places], np.asarray(data.codes)[places])


def spread_rows(part: CollectionPart, facts: StreamFacts, k: int, how_many: int) -> PoolRows | None:
    data = encoded_rows(part, facts, k)
    if data is None:
        return None
    n_rows = len(data.codes)
    of_classes = np.unique(data.codes, return_index=True)[1]
    places = np.union1d(np.arange(0, n_rows, 1 + n_rows // how_many), of_classes)
    return rows_at(data, facts.places[k].given, places)


def lowest_of_part(
    part: CollectionPart, facts: StreamFacts, k: int, weights: Array, intercepts: Array, how_many: int
) -> list[LowestRows] | None:
    data = encoded_rows(part, facts, k)
    if data is None:
        return None
    scores, found = np.asarray(data.matrix @ weights.T) + intercepts, []
    for signs, column in zip(data.signs(), scores.T, strict=True):
        reach = signs * column
        few = np.argpartition(reach, min(how_many, len(reach)) - 1)[:how_many]
        few = few[np.argsort(reach[few], kind="stable")]
        found.append(LowestRows(rows_at(data, facts.places[k].given, few), reach[few]))
    return found
