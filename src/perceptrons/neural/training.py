"""The training of `MarginMLPClassifier`: plain stochastic gradient descent over the rows.

A step of a small network is some dozens of kernels, which a GPU runs faster than they can be launched one by
one. `ReplayedStep` records a step once, as a CUDA graph, and then launches all of its kernels at once.
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
from ..rows.weights import NO_WEIGHTS
from .batches import Batch, ErrorBatches
from .loss import MarginLoss
from .network import build, dense, shared
from .neural_parameters import NetworkParameters
from .reject import RejectLoss

BAND_RATE = 10.0  # the learning rate of bands, as a multiple of that of weights
TEMPERATURE = 0.3  # of the smoothed costs, in units of the margin before
WARM_UP = 3  # steps that are taken as they are, so that libraries have set up what cannot be recorded

Step = Callable[[Tensor], None]  # learns from the rows of these indices, in place


class MiniBatches:
    """All rows, some at a time; each pass draws a new order.

    Arrays are read where they are, or moved to a GPU once. Of a CSR matrix a batch is made dense at a time.
    A batch is (inputs, target), or (inputs, target, weights) if rows have weights.
    """

    def __init__(
        self, data: Encoded, weights: Array, parameters: NetworkParameters, generator: torch.Generator
    ) -> None:
        self.size, self.generator, self.device = parameters.batch_size, generator, parameters.device
        self.target = torch.tensor(data.codes.astype(np.int64), device=self.device)
        shares = torch.tensor(weights.astype(data.matrix.dtype), device=self.device)
        self.beside = (self.target, shares) if len(weights) else (self.target,)
        self.resident = not is_sparse(data.matrix)
        self.rows: Any = shared(data.matrix).to(self.device) if self.resident else data.matrix

    def __iter__(self) -> Iterator[Batch]:
        return map(self.at, self.indices())

    def indices(self) -> Iterator[Tensor]:
        """Of the rows of each batch, on the device of the rows."""
        order = torch.randperm(len(self.target), generator=self.generator)
        yield from torch.split(order.to(self.device) if self.resident else order, self.size)

    def at(self, indices: Tensor) -> Batch:
        if self.resident:
            return self.rows[indices], *(part[indices] for part in self.beside)
        inputs, places = dense(self.rows[indices.numpy()]).to(self.device), indices.to(self.device)
        return inputs, *(part[places] for part in self.beside)


class ReplayedStep:
    """A training step, replayed on a GPU; on a CPU, and for batches of another size, the step itself."""

    def __init__(self, step: Step) -> None:
        self.step = step
        self.n_taken = 0
        self.indices: Tensor | None = None  # what the recorded graph reads
        self.graph: torch.cuda.CUDAGraph | None = None

    def __call__(self, indices: Tensor) -> None:
        if not indices.is_cuda:
            self.step(indices)
            return
        self.indices = indices.clone() if self.indices is None else self.indices
        if indices.shape != self.indices.shape or self.n_taken < WARM_UP:
            self._take(indices)
            self.n_taken += indices.shape == self.indices.shape
            return
        self.graph = self.graph or self._record(self.indices)
        self.indices.copy_(indices)
        self.graph.replay()

    def _take(self, indices: Tensor) -> None:
        """A step as it is, on a stream of its own, as recording asks for."""
        aside = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(aside):
            self.step(indices)
        torch.cuda.current_stream().wait_stream(aside)

    def _record(self, indices: Tensor) -> torch.cuda.CUDAGraph:
        """Nothing is computed here."""
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self.step(indices)
        return graph


class Descent:
    """A network that learns by a loss. Each batch corrects by the mean of the losses of its rows, each times
    the weight of its row."""

    def __init__(self, network: nn.Sequential, loss: nn.Module, batches: MiniBatches, eta: float) -> None:
        self.body, self.head, self.loss, self.batches = network[:-1], network[-1], loss, batches
        weights, bands = [*network.parameters()], [*loss.parameters()]
        self.rates = [eta] * len(weights) + [BAND_RATE * eta] * len(bands)
        self.weights = weights + bands
        self.total = torch.zeros((), dtype=weights[0].dtype, device=weights[0].device)
        self.step = ReplayedStep(lambda indices: self.learn(*batches.at(indices)))

    def epoch(self, chosen: ErrorBatches | None = None) -> float:
        """One pass over all rows, or over those chosen; the sum of the losses."""
        self.total.zero_()
        if chosen is None and self.batches.resident:
            for indices in self.batches.indices():
                self.step(indices)
        else:
            for batch in chosen or self.batches:
                self.learn(*batch)
        total = float(self.total)
        if not math.isfinite(total):
            raise ValueError("The scores are not finite.")
        return total

    def learn(self, inputs: Tensor, target: Tensor, weights: Tensor | None = None) -> None:
        features = self.body(inputs)
        extra = (features,) if isinstance(self.loss, MarginLoss) else ()
        value = self.loss(self.head(features), target, *extra, weights=weights)
        slopes = torch.autograd.grad(value, self.weights)
        with torch.no_grad():
            self.total += len(target) * value
            for weight, slope, rate in zip(self.weights, slopes, self.rates, strict=True):
                weight.add_(slope, alpha=-rate)


@dataclass
class NetworkTraining:
    """A network in training, and the losses of its epochs."""

    network: nn.Sequential
    batches: MiniBatches
    parameters: NetworkParameters
    curve: list[float] = field(default_factory=list)  # the mean loss of rows, each as it was presented

    def by_margins(self, loss: MarginLoss, n_epochs: int) -> bool:
        """Run epochs until one has no violation, at most n_epochs; return whether one had none."""
        descent, chosen = Descent(self.network, loss, self.batches, self.parameters.eta), None
        if self.parameters.n_errors is not None:
            chosen = ErrorBatches(self.batches, self.parameters.n_errors, network=self.network, loss=loss)
        for _ in range(n_epochs):
            before = int(loss.clock)
            self._epoch(lambda: descent.epoch(chosen))
            n_violations = int(loss.clock) - before
            self._print_epoch(f" violations {n_violations} margin {loss.margin:.6g}")
            if not n_violations:
                return True
        return False

    def by_costs(self, loss: RejectLoss, n_epochs: int) -> None:
        """Run all epochs."""
        descent = Descent(self.network, loss, self.batches, self.parameters.eta)
        for _ in range(n_epochs):
            self._epoch(descent.epoch)
            self._print_epoch("")

    def _epoch(self, make: Callable[[], float]) -> None:
        try:
            total = make()
        except ValueError as error:
            raise self._diverged(error) from error
        self.curve.append(total / len(self.batches.target))

    def _print_epoch(self, more: str) -> None:
        if self.parameters.verbose:
            print(f"epoch {len(self.curve)}: loss {self.curve[-1]:.6g}{more}")

    def _diverged(self, error: Exception) -> ValueError:
        eta, standardize = self.parameters.eta, self.parameters.standardize
        return ValueError(
            f"Training diverged in epoch {len(self.curve) + 1} with eta={eta:g}: {error} Use a smaller eta, "
            f"as {eta / 10:g}{'' if standardize else ', or standardize=True'}."
        )


class TrainedNetwork(NamedTuple):
    network: Any
    loss: Any
    curve: list[float]
    converged: bool


def train_network(data: Encoded, parameters: NetworkParameters, seed: int) -> TrainedNetwork:
    """A trained network and its loss, on the CPU. Margins come first: they show which rows to reject."""
    margins, costs = MarginLoss(parameters.schedule), _reject_loss(data.classes, parameters)
    generator = torch.Generator().manual_seed(seed)
    weights = shares_of(data.weights)
    network = build(data, weights, parameters, generator)
    training = NetworkTraining(network, MiniBatches(data, weights, parameters, generator), parameters)
    n_last = 0 if costs is None else parameters.max_epochs - parameters.max_epochs // 2
    converged = training.by_margins(margins.to(parameters.device), parameters.max_epochs - n_last)
    if costs is not None:
        training.by_costs(costs.to(parameters.device, next(network.parameters()).dtype), n_last)
    loss: nn.Module = margins if costs is None else costs
    return TrainedNetwork(network.cpu().eval(), loss.cpu().eval(), training.curve, converged)


def shares_of(weights: Array) -> Array:
    """The weights divided by their mean, so that their unit changes nothing; empty if all are equal."""
    if not len(weights) or weights.min() == weights.max():
        return NO_WEIGHTS
    small = weights / weights.max()  # whose sum does not overflow
    return np.asarray(small / small.mean())


def _reject_loss(classes: Array, parameters: NetworkParameters) -> RejectLoss | None:
    if parameters.costs is None:
        return None
    return RejectLoss(parameters.costs, len(classes), classes=classes.tolist(), temperature=TEMPERATURE)
