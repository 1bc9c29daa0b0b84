"""Many small networks trained at once, by products that are large enough to keep a GPU busy.

Networks of one hidden layer of ReLU neurons, trained by plain stochastic gradient descent; they differ in
loss, learning rate and seed. Networks of one seed begin with the same weights (He) and see the same rows in
the same order, so that they can be compared in pairs, and the product of these rows with all their weights is
one. Gradients of different networks never meet: what becomes of one is as if it had been trained alone.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from ...neural.replayed import ReplayedStep
from ...neural.schedules import Growing
from ...neural.shortfall import Shortfall, signs


class NetworkTrial(NamedTuple):
    """How a network is trained."""

    schedule: float | Growing | None  # of the margin loss; None is cross-entropy
    eta: float


class NetworkOutcome(NamedTuple):
    """Of each seed and trial."""

    test_errors: Tensor  # shares; 1 where scores are not finite
    train_errors: Tensor
    updates: Tensor  # rows in violation; 0 of those without a margin
    last_updates: Tensor  # the same in the last epoch


class LabeledRows(NamedTuple):
    """What is learned from, with class numbers."""

    inputs: Tensor
    target: Tensor

    @classmethod
    def of_images(cls, images: Any, labels: Any, device: str) -> "LabeledRows":
        """Bytes become numbers from 0 to 1."""
        pixels = torch.tensor(images.reshape(len(images), -1), device=device)
        return cls(pixels.float() / 255.0, torch.tensor(labels, device=device).long())


def best_device() -> tuple[str, str | None]:
    """Where to compute, and the name of the GPU, if it is one."""
    if torch.cuda.is_available():
        return "cuda", torch.cuda.get_device_name()
    return "cpu", None


def train_side_by_side(
    rows: LabeledRows,
    others: LabeledRows,
    *,
    hidden: int,
    trials: Sequence[NetworkTrial],
    seeds: Sequence[int],
    epochs: int,
    batch: int,
) -> NetworkOutcome:
    """A network for each seed and trial, trained on the rows, tried on them and on the others; where the rows
    are, there it is computed."""
    networks = Networks(rows, hidden, trials, seeds)
    step = ReplayedStep(lambda places: networks.step(rows.inputs[places], rows.target[places]))
    before = networks.clock.clone()
    for _ in range(epochs):
        before = networks.clock.clone()
        orders = torch.stack(
            [torch.randperm(len(rows.target), generator=source) for source in networks.sources]
        )
        for places in torch.split(orders.to(rows.target.device), batch, dim=1):
            step(places)
    return NetworkOutcome(
        networks.errors(others), networks.errors(rows), networks.clock, networks.clock - before
    )


class Networks:
    """Weights have the axes (seed, trial, from, to), but those into the hidden layer (seed, from, trial·to):
    a seed's rows are the same for all its trials."""

    def __init__(
        self, rows: LabeledRows, hidden: int, trials: Sequence[NetworkTrial], seeds: Sequence[int]
    ) -> None:
        device, n_in, n_out = rows.inputs.device, rows.inputs.shape[1], int(rows.target.max()) + 1
        self.shape = len(seeds), len(trials), hidden
        self.sources = [torch.Generator().manual_seed(seed) for seed in seeds]
        starts = [self._start(n_in, hidden, n_out, source) for source in self.sources]
        first = torch.stack([one for one, _ in starts]).repeat(1, 1, len(trials))
        last = torch.stack([other for _, other in starts])[:, None].repeat(1, len(trials), 1, 1)
        biases = torch.zeros(len(seeds), 1, len(trials) * hidden), torch.zeros(*last.shape[:2], 1, n_out)
        self.weights = [one.to(device).requires_grad_() for one in (first, biases[0], last, biases[1])]
        self.clock = torch.zeros(len(seeds), len(trials), dtype=torch.int64, device=device)
        self.etas = torch.tensor([trial.eta for trial in trials], device=device)
        self._read([trial.schedule for trial in trials], device)

    @staticmethod
    def _start(n_in: int, hidden: int, n_out: int, source: torch.Generator) -> tuple[Tensor, Tensor]:
        first = torch.randn(n_in, hidden, generator=source) * (2.0 / n_in) ** 0.5
        return first, torch.randn(hidden, n_out, generator=source) * (2.0 / hidden) ** 0.5

    def _read(self, schedules: Sequence[float | Growing | None], device: torch.device) -> None:
        """β = fixed + scale · t^power, of which one summand is 0; cross-entropy comes last."""
        numbers = torch.tensor([_numbers(one) for one in schedules], device=device)
        self.fixed, self.scale, self.power = numbers.unbind(1)
        self.margins = sum(one is not None for one in schedules)
        if None in schedules[: self.margins]:
            raise ValueError("Trials with cross-entropy must come last.")

    def step(self, inputs: Tensor, target: Tensor) -> None:
        """One batch for each seed: (seed, row, column) and (seed, row)."""
        scores, target = self.scores(inputs), target[:, None]
        total = self._margin_loss(scores[:, : self.margins], target) + self._entropy(
            scores[:, self.margins :], target
        )
        gradients = torch.autograd.grad(total / inputs.shape[1], self.weights)
        with torch.no_grad():
            for weights, gradient in zip(self.weights, gradients, strict=True):
                etas = (
                    self.etas.repeat_interleave(self.shape[2])
                    if weights.ndim == 3
                    else self.etas[:, None, None]
                )
                weights -= etas * gradient

    def scores(self, inputs: Tensor) -> Tensor:
        """(seed, trial, row, neuron)."""
        first, first_bias, last, last_bias = self.weights
        n_seeds, n_trials, hidden = self.shape
        active = torch.baddbmm(first_bias, inputs, first).relu()
        return active.view(n_seeds, -1, n_trials, hidden).transpose(1, 2) @ last + last_bias

    def _margin_loss(self, scores: Tensor, target: Tensor) -> Any:
        k = self.margins
        if not k:
            return 0.0
        beta = self.fixed[:k] + self.scale[:k] * self.clock[:, :k] ** self.power[:k]
        y = signs(scores[:, :1], target)
        total, violated = Shortfall.apply(scores, y, beta[..., None, None], "sum")  # type: ignore[no-untyped-call]
        self.clock[:, :k] += violated.any(-1).sum(-1)
        return total

    def _entropy(self, scores: Tensor, target: Tensor) -> Tensor:
        target = target.expand(scores.shape[:-1])
        return functional.cross_entropy(scores.flatten(0, 2), target.flatten(), reduction="sum")

    @torch.no_grad()
    def errors(self, rows: LabeledRows, batch: int = 1000) -> Tensor:
        """The share of rows whose highest score is not that of their class."""
        wrong = torch.zeros(self.shape[:2], dtype=torch.int64, device=rows.inputs.device)
        finite = torch.ones_like(wrong, dtype=torch.bool)
        for inputs, target in zip(
            torch.split(rows.inputs, batch), torch.split(rows.target, batch), strict=True
        ):
            scores = self.scores(inputs.expand(self.shape[0], *inputs.shape))
            wrong += (scores.argmax(-1) != target).sum(-1)
            finite &= scores.isfinite().all(-1).all(-1)
        return torch.where(finite, wrong / len(rows.target), 1.0)


def _numbers(schedule: float | Growing | None) -> tuple[float, float, float]:
    """A constant, a scale and a power."""
    if isinstance(schedule, Growing):
        return 0.0, schedule.scale, schedule.power
    return schedule or 0.0, 0.0, 0.5
