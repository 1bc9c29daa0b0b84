"""Plain stochastic gradient descent over the rows of `MarginMLPClassifier`.

A training step that is recorded once and then replayed.

A step of a small network is some dozens of kernels that a GPU runs faster than they can be launched one by
one. As a CUDA graph they are launched at once.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from .._types import Array
from ..rows.encode import Encoded, is_sparse
from .batches import ErrorBatches
from .loss import MarginLoss
from .network import build, dense, shared
from .neural_parameters import Settings
from .reject import RejectLoss

Step = Callable[[Tensor], None]  # learns from the rows at these places, in place
WARM_UP = 3  # steps that are taken as they are, so that libraries have set up what cannot be recorded


class Recorded:
    """The step itself on a CPU, and for batches of another size than the first."""

    def __init__(self, step: Step) -> None:
        self.step = step
        self.n_taken = 0
        self.places: Tensor | None = None  # what the record reads
        self.graph: torch.cuda.CUDAGraph | None = None

    def __call__(self, places: Tensor) -> None:
        if not places.is_cuda:
            self.step(places)
            return
        self.places = places.clone() if self.places is None else self.places
        if places.shape != self.places.shape or self.n_taken < WARM_UP:
            self._take(places)
            self.n_taken += places.shape == self.places.shape
            return
        self.graph = self.graph or self._record(self.places)
        self.places.copy_(places)
        self.graph.replay()

    def _take(self, places: Tensor) -> None:
        """A step as it is, on a stream of its own, as recording asks for."""
        aside = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(aside):
            self.step(places)
        torch.cuda.current_stream().wait_stream(aside)

    def _record(self, places: Tensor) -> torch.cuda.CUDAGraph:
        """Nothing is computed here."""
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self.step(places)
        return graph


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
