"""The everyday training of `MarginMLPClassifier`: Adam on squared shortfalls, with a penalty on weights.

Of a batch, the mean over its rows of Σ ReLU(β − y·score)² / (2β), and α/2 times the squared weights; biases
are free. Adam is that of Kingma and Ba (2015), Algorithm 1, with their decay rates.

A step of a small network takes some dozens of microseconds, of which a tape of derivatives would be the most.
The derivatives of one hidden layer are four products, so they are written out, and all weights lie in one
tensor, so that Adam corrects them at once.
"""

import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from .loss import MarginLoss
from .neural_parameters import NetworkParameters
from .replayed import ReplayedStep
from .squares import squared_shortfall
from .unwaited import LossTally

FIRST, SECOND, TINY = 0.9, 0.999, 1e-8  # Adam's decay rates of the moments, and what keeps it from 0 / 0
TOL, PATIENCE = 1e-4, 10  # an epoch is progress if the loss falls by TOL·β; so many without, and it ends
FEW = 1000  # up to so many rows the penalty beside the mean loss is alpha; of more rows it is that of FEW


@dataclass
class Patience:
    """Whether the mean losses of epochs have ceased to fall."""

    tol: float
    best: float = math.inf
    n_idle: int = 0

    def is_over(self, loss: float) -> bool:
        self.n_idle = 0 if loss < self.best - self.tol else self.n_idle + 1
        self.best = min(self.best, loss)
        return self.n_idle >= PATIENCE


class Layers:
    """Weights and biases of two layers, or what belongs to each of them, as parts of one tensor."""

    def __init__(self, like: list[Tensor]) -> None:
        self.flat = torch.cat([torch.zeros_like(part).ravel() for part in like])
        parts = torch.split(self.flat, [part.numel() for part in like])
        self.hidden, self.hidden_bias, self.output, self.output_bias = (
            part.view(one.shape) for part, one in zip(parts, like, strict=True)
        )

    def __iter__(self) -> Any:
        return iter((self.hidden, self.hidden_bias, self.output, self.output_bias))


class AdamDescent:
    """A network that learns by squared shortfalls; `loss` has the margin, and counts violations."""

    def __init__(
        self, network: nn.Sequential, loss: MarginLoss, batches: Any, parameters: NetworkParameters
    ) -> None:
        self.network, self.batches, self.loss, self.beta = network, batches, loss, loss.margin
        self.tally = LossTally(loss.clock, loss.bad)
        self.eta, n_rows = parameters.eta, len(batches.target)
        self.alpha = parameters.alpha * min(1.0, FEW / n_rows)
        batches.pass_through(network[:-3])
        like = [part.detach() for part in network.parameters()]
        self.weights, self.slopes = Layers(like), Layers(like)
        for part, start in zip(self.weights, like, strict=True):
            part.copy_(start)
        self.mean, self.square = torch.zeros_like(self.slopes.flat), torch.zeros_like(self.slopes.flat)
        self.root = torch.zeros_like(self.slopes.flat)
        self.whole = n_rows <= batches.size and batches.resident  # then the order makes no difference
        on_cpu = batches.device.type == "cpu"
        zero = torch.zeros((), dtype=torch.float64, device=batches.device)
        self.n_steps: Any = 0 if on_cpu else zero  # where a recorded step finds and changes it
        self.total: Any = 0.0 if on_cpu else zero.clone()
        self.step = ReplayedStep(lambda indices: self.learn(*batches.at(indices)))

    @torch.no_grad()
    def epoch(self) -> float:
        """One pass over all rows; the sum of the losses."""
        self.total *= 0.0
        if self.whole:
            self.learn(self.batches.rows, *self.batches.beside)
        elif self.batches.resident:
            for indices in self.batches.indices():
                self.step(indices)
        else:
            for batch in self.batches:
                self.learn(*batch)
        total = float(self.total)
        if not math.isfinite(total):
            raise ValueError("The scores are not finite.")
        for part, learned in zip(self.network.parameters(), self.weights, strict=True):
            part.copy_(learned)
        return total

    def learn(self, inputs: Tensor, target: Tensor, weights: Tensor | None = None) -> None:
        """One step, by the derivatives of the mean loss of these rows and of the penalty."""
        V, a, W, b = self.weights
        to_V, to_a, to_W, to_b = self.slopes
        features = torch.addmm(a, inputs, V.t()).relu_()
        scores = torch.addmm(b, features, W.t())
        total, at_scores = squared_shortfall(scores, target, weights, self.beta, self.tally)
        torch.mm(at_scores.t(), features, out=to_W)
        torch.sum(at_scores, 0, out=to_b)
        at_features = torch.mm(at_scores, W).mul_(features > 0)
        torch.mm(at_features.t(), inputs, out=to_V)
        torch.sum(at_features, 0, out=to_a)
        to_V.add_(V, alpha=self.alpha)
        to_W.add_(W, alpha=self.alpha)
        self._correct()
        self.total += total

    def _correct(self) -> None:
        self.n_steps += 1
        rate = self.eta * (1.0 - SECOND**self.n_steps) ** 0.5 / (1.0 - FIRST**self.n_steps)
        slopes = self.slopes.flat
        self.mean.lerp_(slopes, 1.0 - FIRST)
        self.square.mul_(SECOND).addcmul_(slopes, slopes, value=1.0 - SECOND)
        torch.sqrt(self.square, out=self.root).add_(TINY)
        if isinstance(rate, Tensor):  # on a GPU, where a recorded step must find its rate there
            self.weights.flat.sub_(self.mean / self.root * rate)
        else:
            self.weights.flat.addcdiv_(self.mean, self.root, value=-rate)
