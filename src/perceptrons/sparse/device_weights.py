"""Newton's method of `surgery`, by a GPU: of many rows nearly all of the time of a fit goes there.

The columns of at most a few dozen rules stay on the device; slopes and curvatures, sums over the rows in
float64, come back, and the step is found on the processor. Sums are added up in another order there, so that
weights differ in their last digits, as they do from one processor to another.
"""

from typing import Any

import numpy as np

from .._types import Array
from ..devices import check_room, import_torch
from .surgery import LEAST, largest, ridge

ROWS = 4_096  # that are multiplied together, so that many parts of a GPU have work
COPIES = 3  # of the columns, in float64


class DeviceRuleRows:
    """The columns of rules (a row each, a last one of ones) with the signs and weights of the rows."""

    def __init__(self, X: Array, signs: Array, p: Array, device: Any) -> None:
        self.torch, n_rows = import_torch(device.type), X.shape[1]
        n_more = -n_rows % ROWS  # rows of weight 0
        what = f"{len(X)} rules in {n_rows:,} rows"
        check_room(device, COPIES * 8 * len(X) * (n_rows + n_more), what, 'refit="stagewise"')
        self.X = self.torch.from_numpy(np.pad(X.astype(np.uint8), ((0, 0), (0, n_more)))).to(device)
        own = np.pad(np.array([signs, p], np.float64), ((0, 0), (0, n_more)))
        self.signs, self.p = self.torch.from_numpy(own).to(device)

    def __len__(self) -> int:
        return len(self.X)

    def newton(self, places: Array, alpha: float, v: Array, steps: int, close: float) -> tuple[Array, bool]:
        """As `newton` of some of the columns."""
        X = self.X[self.torch.from_numpy(places).to(self.X.device)].double()
        f, loss = self._loss(X, v, alpha)
        H, slope = self._slopes(X, f, v, alpha)
        for _ in range(steps):
            if largest(slope) <= close:
                break
            step, t = np.linalg.solve(H, slope), 1.0
            f, lower = self._loss(X, v + t * step, alpha)
            while not lower <= loss and t > 1e-6:
                t *= 0.5
                f, lower = self._loss(X, v + t * step, alpha)
            if not lower <= loss:
                break
            v += t * step
            loss = lower
            H, slope = self._slopes(X, f, v, alpha)
        return H, bool(largest(slope) <= close)

    def _loss(self, X: Any, v: Array, alpha: float) -> tuple[Any, float]:
        """The scores, and the penalized loss."""
        f = self.torch.from_numpy(v).to(X.device) @ X
        m = -self.signs * f
        total = self.p @ (m.clamp(min=0.0) + self.torch.log1p(self.torch.exp(-m.abs())))
        return f, float(total) + 0.5 * float(v @ ridge(v, alpha))

    def _slopes(self, X: Any, f: Any, v: Array, alpha: float) -> tuple[Array, Array]:
        s = 1.0 / (1.0 + self.torch.exp((self.signs * f).clamp(max=700.0)))
        q, g = self.p * s * (1.0 - s), self.signs * self.p * s
        parts = (X * q).view(len(X), -1, ROWS), X.view(len(X), -1, ROWS)
        products = self.torch.bmm(parts[0].transpose(0, 1), parts[1].permute(1, 2, 0))
        H = np.asarray(products.sum(0).cpu().numpy())
        H[np.arange(len(H)), np.arange(len(H))] += [alpha] * (len(H) - 1) + [LEAST]
        return H, np.asarray((X @ g).cpu().numpy()) - ridge(v, alpha)
