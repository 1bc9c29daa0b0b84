"""`ErrorBatches`: a batch is complete when it holds a given number of errors (Moran et al., footnote 3).

The size of a batch is then its number of errors, not of rows: training spends its steps where it is wrong.

Rows are judged a mini-batch at a time, but with the result of looking at one row after another: once a batch
is handed out, and the network has learned from it, the rows behind its last one are judged again.

Deviation: the paper's networks are the same in training and afterwards. With dropout or batch normalization
they are not, so a network is judged in evaluation mode: judging then changes none of its buffers, and a row
is right or wrong whatever rows stand beside it.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from numbers import Integral
from typing import Any, Protocol

import torch
from torch import Tensor, nn

from ..checks import number

Batch = tuple[Tensor, ...]  # inputs and target, and weights where the loader has them


class FindsViolations(Protocol):
    """A loss that finds the rows in violation, as `MarginLoss` does."""

    def violations(self, scores: Tensor, target: Tensor) -> Tensor: ...


class ErrorBatches:
    """Batches of rows that are all in violation, to be looped over as a `DataLoader` is.

    Parameters
    ----------
    loader : iterable of mini-batches
        Mini-batches (inputs, target) of tensors, which can be iterated again and again, as a `DataLoader` or
        a list can, on the device of the network; or (inputs, target, weights), which are then returned by
        threes. Their number of rows changes the speed alone: rows behind a complete batch are judged again,
        so choose a number of rows that holds about n_errors errors.
    n_errors : int
        The number of rows of a batch, >= 1; the last batch of an epoch may have fewer. 1 gives the
        perceptron's loop.
    network : callable
        A function from inputs to scores. An `nn.Module` is judged in evaluation mode and put back into its
        own mode; any other function is called as it is.
    loss : module
        A loss with `violations(scores, target)`, such as `MarginLoss`.

    Attributes
    ----------
    n_seen : int
        The number of rows looked at in this epoch, or in the last one, each counted once.
    n_violations : int
        The number of rows returned in it. An epoch without violations returns nothing.

    Examples
    --------
    >>> import torch
    >>> from perceptrons.neural import ErrorBatches, MarginLoss
    >>> rows, classes = torch.tensor([[2.0, 1.0], [1.0, 1.0], [-1.0, 2.0]]), torch.tensor([1, 1, 0])
    >>> neuron, loss = torch.nn.Linear(2, 1, bias=False), MarginLoss(0.0, reduction="sum")
    >>> _ = torch.nn.init.zeros_(neuron.weight)
    >>> optimizer = torch.optim.SGD(neuron.parameters(), lr=1.0)
    >>> batches = ErrorBatches([(rows, classes)], 1, network=neuron, loss=loss)
    >>> for inputs, target in batches:
    ...     optimizer.zero_grad()
    ...     loss(neuron(inputs), target).backward()
    ...     optimizer.step()
    >>> batches.n_seen, batches.n_violations, neuron.weight.tolist()
    (3, 2, [[3.0, -1.0]])
    >>> list(batches)  # no row is in violation: the perceptron has converged
    []
    """

    def __init__(
        self,
        loader: Iterable[Any],
        n_errors: int,
        *,
        network: Callable[[Tensor], Tensor],
        loss: FindsViolations,
    ) -> None:
        self.loader = _repeatable(loader)
        self.n_errors = int(
            number("n_errors", n_errors, "[1, inf)", "use 1 for the perceptron's loop", Integral)
        )
        if not callable(network):
            raise ValueError(f"network={network!r}, but it must turn inputs into scores; pass an nn.Module.")
        if not callable(getattr(loss, "violations", None)):
            raise ValueError(
                f"loss={loss!r} has no violations(scores, target), which tells the errors; use MarginLoss()."
            )
        self.network = network
        self.loss = loss
        self.n_seen = 0
        self.n_violations = 0

    def __iter__(self) -> Iterator[Batch]:
        self.n_seen = self.n_violations = 0
        gathered: list[Batch] = []
        lacking = self.n_errors
        for batch in map(_checked, self.loader):
            while len(batch[1]):
                found = self._errors(*batch[:2])[:lacking]
                if len(found):
                    gathered.append(_taken(batch, found))
                lacking -= len(found)
                seen = len(batch[1]) if lacking else int(found[-1]) + 1
                self.n_seen += seen
                if not lacking:
                    yield self._handed_out(gathered)
                    gathered, lacking = [], self.n_errors
                batch = tuple(part[seen:] for part in batch)
        if gathered:
            yield self._handed_out(gathered)

    def _errors(self, inputs: Tensor, target: Tensor) -> Tensor:
        """The places of the rows in violation; on the CPU, so that a GPU is waited for once."""
        with torch.no_grad(), _evaluating(self.network):
            violated = self.loss.violations(self.network(inputs), target)
        if violated.shape != target.shape[:1]:
            raise ValueError(
                f"loss.violations gave shape {tuple(violated.shape)} for {len(target)} rows, but must tell "
                "of each whether it is in violation; use MarginLoss()."
            )
        return violated.cpu().nonzero()[:, 0]

    def _handed_out(self, gathered: list[Batch]) -> Batch:
        batch = tuple(torch.cat(parts) for parts in zip(*gathered, strict=True))
        self.n_violations += len(batch[1])
        return batch


def _taken(batch: Batch, places: Tensor) -> Batch:
    return tuple(part[places.to(part.device, non_blocking=True)] for part in batch)


@contextmanager
def _evaluating(network: Any) -> Iterator[None]:
    """Evaluation mode for the parts that are in training mode, and those alone."""
    parts = network.modules() if isinstance(network, nn.Module) else ()
    training = [part for part in parts if part.training]
    try:
        for part in training:
            part.training = False
        yield
    finally:
        for part in training:
            part.training = True


def _repeatable(loader: Any) -> Iterable[Any]:
    if not isinstance(loader, Iterable) or isinstance(loader, Iterator):
        raise ValueError(
            f"loader={loader!r}, but it must be mini-batches that every epoch can go through again; pass a "
            "DataLoader or a list."
        )
    return loader


def _checked(batch: Any) -> Batch:
    """A mini-batch of the loader, if it is one."""
    parts = tuple(batch) if isinstance(batch, tuple | list) else (batch,)
    tensors = all(isinstance(part, Tensor) and part.ndim for part in parts)
    if not (tensors and len(parts) in (2, 3)) or (
        len(parts) == 3 and not parts[1].ndim == parts[2].ndim == 1
    ):
        raise ValueError(
            f"The loader gave ({', '.join(map(_describe, parts))}), but a mini-batch must be (inputs, "
            "target), two tensors of rows, or (inputs, target, weights); make several inputs the columns of "
            "one, which the network splits."
        )
    for name, part in zip(("labels", "weights"), parts[1:], strict=False):
        if len(part) != len(parts[0]):
            raise ValueError(
                f"The loader gave {len(parts[0])} inputs and {len(part)} {name}, but a row must have one "
                f"{name[:-1]}; look at the data set."
            )
    return parts


def _describe(part: Any) -> str:
    shape = f" of shape {tuple(part.shape)}" if isinstance(part, Tensor) else ""
    return type(part).__name__ + shape
