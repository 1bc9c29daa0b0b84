"""The training of `MarginMLPClassifier`: epochs over the rows, by plain gradient descent or by Adam."""

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
from .adam import TOL, AdamDescent, Patience
from .batches import Batch, ErrorBatches
from .loss import MarginLoss
from .network import build, dense, scores_of, shared
from .neural_parameters import ADAM, NetworkParameters
from .reject import RejectLoss
from .replayed import ReplayedStep

BAND_RATE = 10.0  # the learning rate of bands, as a multiple of that of weights
TEMPERATURE = 0.3  # of the smoothed costs, in units of the margin before


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
        self.first = nn.Sequential()

    @torch.no_grad()
    def pass_through(self, first: nn.Sequential) -> None:
        """Hand out rows as they leave this first part of a network: arrays pass once, CSR rows each time."""
        if self.resident:
            self.rows = first(self.rows)
        else:
            self.first = first

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
        return self.first(inputs), *(part[places] for part in self.beside)


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
        if isinstance(self.loss, MarginLoss):
            self.loss.check()
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
        """Run epochs until one has no violation, at most n_epochs; return whether one had none. Adam also
        ends where the loss has ceased to fall."""
        epoch, patience = self._descent(loss), Patience(TOL * loss.margin)
        for _ in range(n_epochs):
            before = int(loss.clock)
            self._epoch(epoch)
            n_violations = int(loss.clock) - before
            self._print_epoch(f" violations {n_violations} margin {loss.margin:.6g}")
            if not n_violations:
                return True
            if self.parameters.optimizer == ADAM and patience.is_over(self.curve[-1]):
                break
        return False

    def _descent(self, loss: MarginLoss) -> Callable[[], float]:
        if self.parameters.optimizer == ADAM:
            return AdamDescent(self.network, loss, self.batches, self.parameters).epoch
        descent, chosen = Descent(self.network, loss, self.batches, self.parameters.eta), None
        if self.parameters.n_errors is not None:
            chosen = ErrorBatches(self.batches, self.parameters.n_errors, network=self.network, loss=loss)
        return lambda: descent.epoch(chosen)

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
    scores: Array  # of the training rows


def train_network(data: Encoded, parameters: NetworkParameters, seed: int) -> TrainedNetwork:
    """A trained network and its loss, on the CPU, and its scores. Margins come first: they show which rows to
    reject."""
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
    scores = scores_of(network.eval(), data.matrix)
    return TrainedNetwork(network.cpu(), loss.cpu().eval(), training.curve, converged, scores)


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
