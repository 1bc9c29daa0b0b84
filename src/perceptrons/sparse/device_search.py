"""The search of `search`, by a GPU: all pairs, or triples, of literals in a stage (Jackson and Craven, 3.3).

The winner is the same as the processor's. P and N (see `pairs`) are computed without rounding but that of
the weights, which is bounded; all conjunctions that may win within this bound are finalists, and are rescored
row by row in float64. Conjunctions of three literals start from every pair that bounds leave over: its rows
times their weights are one more product with all literals.
"""

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from .._types import Array
from ..compiled import SERIAL, Threads
from .conjunctions import TIE, FoundConjunction, Literals, Reweighing
from .device_rows import CHUNK, MOST_CELLS, DeviceRows, Written
from .pairs import TINY, is_first_pair
from .search import ConjunctionSearch, Scope, StageReport

ROUNDING = 1e-12  # of sums in float64
MANY = 4_096  # finalists up to which P and N are not computed again
BATCH = 2_048  # pairs that are extended at a time
FINALISTS = 256  # that are rescored at a time


_ROWS: WeakKeyDictionary[Literals, DeviceRows] = WeakKeyDictionary()


def rows_on(data: Literals, device: Any) -> DeviceRows:
    """The folds and classes of a training set share its rows on the device, as long as there is one."""
    if data not in _ROWS or _ROWS[data].device != device:
        _ROWS[data] = DeviceRows(data, device)
    return _ROWS[data]


def search_on(
    device: Any, data: Literals, signs: Array, scope: Scope, workers: Threads = SERIAL
) -> ConjunctionSearch:
    """The search of a device; None is the processor, which is also quicker for single literals."""
    if device is None or scope.k == 1 or data.n_literals < 2:
        return ConjunctionSearch(data, signs, scope, workers)
    return DeviceSearch(data, signs, scope, device)


class DeviceGram:
    """Q = Σ D_r x_r x_rᵀ over the rows of one class; weights and row numbers are those on the device."""

    def __init__(self, rows: DeviceRows, mine: Any) -> None:
        self.rows, self.mine, self.error = rows, mine, 0.0
        self.entries = rows.torch.zeros((rows.width,) * 2, dtype=rows.torch.float64, device=rows.device)

    def fill(self, D: Any) -> None:
        self.entries.zero_()
        self.error = 0.0
        self.add(self.mine, D, 1.0)

    def add(self, some: Any, D: Any, factor: float, keep: float = 1.0) -> None:
        """Q ← keep·Q + factor·Σ D_r x_r x_rᵀ over some rows."""
        self.entries *= keep
        written = self.rows.written(D[some])
        self.rows.add_gram(some, written, factor, self.entries)
        self.error = keep * self.error + abs(factor) * written.error + ROUNDING

    def follow(self, D: Any, right: Any, beta: float, total: float) -> None:
        hits, misses = self.mine[right[self.mine]], self.mine[~right[self.mine]]
        if len(hits) <= len(misses):
            self.add(hits, D, (beta - 1.0) / total, keep=1.0 / total)
        else:
            self.add(misses, D, (1.0 - beta) / total, keep=beta / total)


class DeviceSearch(ConjunctionSearch):
    """The search for one weight vector, of conjunctions of two or three literals."""

    def __init__(self, data: Literals, signs: Array, scope: Scope, device: Any) -> None:
        super().__init__(data, signs, scope)
        self.rows = rows_on(data, device)
        torch, n = self.rows.torch, self.rows.width
        self._real = signs.astype(np.float64)
        self._signs = self.rows.send(self._real)
        self.sides = {sign: DeviceGram(self.rows, None) for sign in (1, -1)}
        ends = np.full(n, n)
        ends[: data.n_literals] = data.ends
        self._ends = self.rows.send(ends)
        places = torch.arange(n, device=device)
        self._valid = (places >= self._ends[:, None]) & (places < data.n_literals)  # pairs, later ones behind
        self._fresh = self._stale = False
        self._visited = 0  # conjunctions of three, in this stage
        self._written: dict[int, Written] = {}

    def best(self, D: Array) -> FoundConjunction:
        self._D = self.rows.send(D)
        if self._stale or not self._follows:
            self._refresh()
        if self.scope.k == 3:
            self._written = {sign: self.rows.written(self._D[side.mine]) for sign, side in self.sides.items()}
        mean = float((D * self._real).sum())
        found = self._finalists(mean)
        if not self._fresh and len(found) > MANY:
            self._refresh()
            found = self._finalists(mean)
        self._follows, self._fresh = True, False
        visits = (self.data.n_pairs,) if self.scope.k == 2 else (self.data.n_pairs, self._visited)
        self.reports.append(StageReport(visits, 0.0))
        return self._winner(found, mean)

    def follow(self, stage: Reweighing) -> None:
        self._stale = stage.total < TINY
        if self._follows and not self._stale:
            right = self.rows.send(stage.right)
            for side in self.sides.values():
                side.follow(self._D, right, stage.beta, stage.total)

    def rows_of(self, literals: tuple[int, ...]) -> Array:
        return self.rows.held(literals)

    def _refresh(self) -> None:
        for sign, side in self.sides.items():
            side.mine = self.rows.torch.nonzero((self._signs == sign) & (self._D > 0.0))[:, 0]
            side.fill(self._D)
        self._fresh, self._stale = True, False

    def _finalists(self, mean: float) -> list[tuple[int, ...]]:
        """All conjunctions that may win, except for the constant and those that hold in the same rows as an
        earlier one."""
        torch, share = self.rows.torch, self.scope.share
        P, N = self.sides[1], self.sides[-1]
        slack = 4 * (P.error + N.error) + ROUNDING
        g = P.entries - N.entries
        singles = (2 * g.diagonal() - mean).abs()[: self.data.n_literals]
        pairs = (share * (2 * g - mean).abs()).where(self._valid, -1.0)
        highest = max(abs(mean), float(singles.max()), float(pairs.max()))
        triples = self._triples(mean, highest, slack) if self.scope.k == 3 else []
        highest = max([highest, *(value for value, _ in triples)])
        twins, ends = self.data.twins, self.data.ends
        found: list[tuple[int, ...]] = [
            (i,) for i in torch.nonzero(singles >= highest - slack)[:, 0].tolist() if twins[i] == i
        ]
        near = torch.nonzero(pairs >= highest - slack).tolist()
        found += [(i, j) for i, j in near if is_first_pair(i, j, twins, ends)]
        return found + [literals for value, literals in triples if value >= highest - slack]

    def _triples(self, mean: float, highest: float, slack: float) -> list[tuple[float, tuple[int, ...]]]:
        """Those whose value is not more than `slack` below the highest of all conjunctions."""
        torch, share = self.rows.torch, self.scope.share
        slack += 4 * sum(written.error for written in self._written.values())
        p, n = self.sides[1].entries, self.sides[-1].entries
        bounds = (share * torch.maximum(2 * p - mean, 2 * n + mean)).where(self._valid, -1.0)
        pairs = torch.nonzero(bounds >= highest - slack)
        order = torch.argsort(bounds[pairs[:, 0], pairs[:, 1]], descending=True)
        pairs, bounds = pairs[order], bounds[pairs[:, 0], pairs[:, 1]][order]
        found: list[tuple[float, tuple[int, ...]]] = []
        self._visited = 0
        for start in range(0, len(pairs), BATCH):
            some = pairs[start : start + BATCH]
            if float(bounds[start]) < highest - slack:
                break
            self._visited += int((self.data.n_literals - self._ends[some[:, 1]]).clamp(min=0).sum())
            values = (share * (2 * self._extended(some) - mean).abs()).where(self._valid[some[:, 1]], -1.0)
            highest = max(highest, float(values.max()))
            for k, last in torch.nonzero(values >= highest - slack).tolist():
                found.append((float(values[k, last]), (*some[k].tolist(), last)))
        return found

    def _extended(self, pairs: Any) -> Any:
        """Σ D_r f_r over the rows in which two literals and a third hold: a row per pair."""
        rows = self.rows
        sums = rows.torch.zeros((len(pairs), rows.width), dtype=rows.torch.float64, device=rows.device)
        for sign, side in self.sides.items():
            for part, chunk in rows.chunks(side.mine):
                X = rows.unpacked(chunk)
                both = X[:, pairs[:, 0]] * X[:, pairs[:, 1]]
                for weights, unit in self._written[sign].parts:
                    W = rows.unpacked(chunk, weights[part])
                    sums.add_(rows.product(both, W), alpha=sign * unit)
        return sums

    def _winner(self, found: list[tuple[int, ...]], mean: float) -> FoundConjunction:
        """The best of the finalists and the constant; of equals that of fewer literals, then the first."""
        correlations = np.append(2 * self._sums(found) - mean, mean)
        literals = [*found, ()]
        values = np.abs(correlations)
        values[[len(one) > 1 for one in literals]] *= self.scope.share
        equal = np.flatnonzero(values >= values.max() * (1 - TIE)).tolist()
        winner = min(equal, key=lambda place: (len(literals[place]), literals[place]))
        return FoundConjunction(literals[winner], float(correlations[winner]))

    def _sums(self, found: list[tuple[int, ...]]) -> Array:
        """Σ D_r f_r over the rows in which each holds, in float64."""
        torch, rows = self.rows.torch, self.rows
        sums = torch.zeros(len(found), dtype=torch.float64, device=rows.device)
        wide = np.array([(*one, *(one[-1:] * (3 - len(one)))) for one in found], np.int64).reshape(-1, 3)
        literals, signed = rows.send(wide), self._D * self._signs
        for part, chunk in rows.all_chunks(max(CHUNK, MOST_CELLS // max(1, min(len(found), FINALISTS)))):
            for start in range(0, len(found), FINALISTS):
                some = literals[start : start + FINALISTS]
                held = rows.column(chunk, some[:, 0])
                held &= rows.column(chunk, some[:, 1])
                held &= rows.column(chunk, some[:, 2])
                sums[start : start + len(some)] += signed[part] @ held.double()
        return np.asarray(sums.cpu())
