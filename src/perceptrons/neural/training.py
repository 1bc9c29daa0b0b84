"""Plain stochastic gradient descent over the rows of `MarginMLPClassifier`."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from ..data.encode import Encoded, is_sparse
from ..data.rows import Array
from .batches import ErrorBatches
from .loss import MarginLoss
from .network import build, dense, shared
from .recorded import Recorded
from .reject import RejectLoss
from .settings import Settings

TEMPERATURE = 0.3  # of the smoothed costs, in units of the margin before
BAND_RATE = 10.0  # bands learn so many times as fast as weights


class MiniBatches:
    """All rows, some at a time; each pass draws a new order.

    Arrays are read where they are, or moved to a GPU once. Of a CSR matrix a batch is made dense at a time.
    """

    def __init__(self, data: Encoded, settings: Settings, generator: torch.Generator) -> None:
        self.size, self.generator, self.device = settings.batch_size, generator, settings.device
        self.target = torch.tensor(data.codes.astype(np.int64), device=self.device)
        self.resident = not is_sparse(data.matrix)
        self.rows: Any = shared(data.matrix).to(self.device) if self.resident else data.matrix

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        return map(self.at, self.places())

    def places(self) -> Iterator[Tensor]:
        """Of the rows of each batch; where the rows are."""
        order = torch.randperm(len(self.target), generator=self.generator)
        yield from torch.split(order.to(self.device) if self.resident else order, self.size)

    def at(self, places: Tensor) -> tuple[Tensor, Tensor]:
        if self.resident:
            return self.rows[places], self.target[places]
        return dense(self.rows[places.numpy()]).to(self.device), self.target[places.to(self.device)]


class Descent:
    """A network that learns by a loss. Each batch corrects by the mean of the losses of its rows."""

    def __init__(self, network: nn.Sequential, loss: nn.Module, batches: MiniBatches, eta: float) -> None:
        self.body, self.head, self.loss, self.batches = network[:-1], network[-1], loss, batches
        weights, bands = [*network.parameters()], [*loss.parameters()]
        self.rates = [eta] * len(weights) + [BAND_RATE * eta] * len(bands)
        self.weights = weights + bands
        self.total = torch.zeros((), dtype=weights[0].dtype, device=weights[0].device)
        self.step = Recorded(lambda places: self.learn(*batches.at(places)))

    def epoch(self, chosen: ErrorBatches | None = None) -> float:
        """One pass over all rows, or over those chosen; the sum of the losses."""
        self.total.zero_()
        if chosen is None and self.batches.resident:
            for places in self.batches.places():
                self.step(places)
        else:
            for inputs, target in chosen or self.batches:
                self.learn(inputs, target)
        total = float(self.total)
        if not math.isfinite(total):
            raise ValueError("The scores are not finite.")
        return total

    def learn(self, inputs: Tensor, target: Tensor) -> None:
        features = self.body(inputs)
        told = (features,) if isinstance(self.loss, MarginLoss) else ()
        value = self.loss(self.head(features), target, *told)
        slopes = torch.autograd.grad(value, self.weights)
        with torch.no_grad():
            self.total += len(target) * value
            for weight, slope, rate in zip(self.weights, slopes, self.rates, strict=True):
                weight.add_(slope, alpha=-rate)


@dataclass
class Training:
    """A network on its way."""

    network: nn.Sequential
    batches: MiniBatches
    settings: Settings
    curve: list[float] = field(default_factory=list)  # the mean loss of rows, each as it was presented

    def by_margins(self, loss: MarginLoss, n_epochs: int) -> bool:
        """Epochs until one has no violation, which is True, or there are enough."""
        descent, chosen = Descent(self.network, loss, self.batches, self.settings.eta), None
        if self.settings.n_errors is not None:
            chosen = ErrorBatches(self.batches, self.settings.n_errors, network=self.network, loss=loss)
        for _ in range(n_epochs):
            before = int(loss.clock)
            self._epoch(lambda: descent.epoch(chosen))
            n_violations = int(loss.clock) - before
            self._tell(f" violations {n_violations} margin {loss.margin:.6g}")
            if not n_violations:
                return True
        return False

    def by_costs(self, loss: RejectLoss, n_epochs: int) -> None:
        descent = Descent(self.network, loss, self.batches, self.settings.eta)
        for _ in range(n_epochs):
            self._epoch(descent.epoch)
            self._tell("")

    def _epoch(self, make: Callable[[], float]) -> None:
        try:
            total = make()
        except ValueError as error:
            raise self._diverged(error) from error
        self.curve.append(total / len(self.batches.target))

    def _tell(self, more: str) -> None:
        if self.settings.verbose:
            print(f"epoch {len(self.curve)}: loss {self.curve[-1]:.6g}{more}")

    def _diverged(self, error: Exception) -> ValueError:
        eta, standardize = self.settings.eta, self.settings.standardize
        return ValueError(
            f"Training diverged in epoch {len(self.curve) + 1} with eta={eta:g}: {error} Use a smaller eta, "
            f"as {eta / 10:g}{'' if standardize else ', or standardize=True'}."
        )


class Learnt(NamedTuple):
    network: Any
    loss: Any
    curve: list[float]
    converged: bool


def learn(data: Encoded, settings: Settings, seed: int) -> Learnt:
    """A trained network and its loss, on the CPU. Margins first: they show what there is to refuse."""
    margins, costs = MarginLoss(settings.schedule), _reject_loss(data.classes, settings)
    generator = torch.Generator().manual_seed(seed)
    network = build(data, settings, generator)
    training = Training(network, MiniBatches(data, settings, generator), settings)
    n_last = 0 if costs is None else settings.max_epochs - settings.max_epochs // 2
    converged = training.by_margins(margins.to(settings.device), settings.max_epochs - n_last)
    if costs is not None:
        training.by_costs(costs.to(settings.device, next(network.parameters()).dtype), n_last)
    loss: nn.Module = margins if costs is None else costs
    return Learnt(network.cpu().eval(), loss.cpu().eval(), training.curve, converged)


def _reject_loss(classes: Array, settings: Settings) -> RejectLoss | None:
    if settings.costs is None:
        return None
    return RejectLoss(settings.costs, len(classes), classes=classes.tolist(), temperature=TEMPERATURE)
