"""The network of `MarginMLPClassifier`: from rows as they come to scores."""

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from .._types import Array
from ..rows.encode import Encoded, as_rows, is_sparse
from ..rows.standardized import check_columns
from ..rows.weights import NO_WEIGHTS
from .neural_parameters import ADAM, NetworkParameters

CELLS = 2**22  # how many numbers a block holds at most

Start = Callable[[Tensor, torch.Generator], None]  # fills in the weights a layer starts from


class Standardize(nn.Module):
    """Columns of mean 0 and deviation 1, as they were in the rows it was made from.

    A column that was constant there is left out, as 0: its weights never learn, and would answer at random if
    it had another value later. Rows count as much as they weigh.
    """

    mean: Tensor
    gain: Tensor

    def __init__(self, mean: Tensor, gain: Tensor) -> None:
        super().__init__()
        self.register_buffer("mean", mean)
        self.register_buffer("gain", gain)

    @classmethod
    def of(cls, matrix: Any, weights: Array = NO_WEIGHTS) -> "Standardize":
        """By two passes over blocks that are made dense, so that CSR rows give the very same numbers."""
        check_columns(matrix, as_rows(matrix))
        mean = _mean(_doubles(matrix), weights)
        variance = _mean(((part - mean) ** 2 for part in _doubles(matrix)), weights)
        rounding = matrix.shape[0] * np.finfo(np.float64).eps * np.abs(mean)
        varies = variance > rounding**2 + np.finfo(np.float64).tiny
        gain = np.divide(1.0, np.sqrt(variance), np.zeros_like(mean), where=varies)
        _check_gain(gain, matrix.dtype)
        return cls(*(torch.from_numpy(np.asarray(part, matrix.dtype)) for part in (mean, gain)))

    def forward(self, rows: Tensor) -> Tensor:
        return (rows - self.mean) * self.gain


def _mean(parts: Iterator[Array], weights: Array) -> Array:
    """The mean of rows that come in parts, by their weights if there are any."""
    total: Any = 0.0
    n_rows = 0
    for part in parts:
        own = weights[n_rows : n_rows + len(part)]
        total = total + (own[:, None] * part if len(own) else part).sum(0)
        n_rows += len(part)
    return np.asarray(total / (weights.sum() if len(weights) else n_rows))


def _check_gain(gain: Array, dtype: Any) -> None:
    beyond = np.flatnonzero(gain > np.finfo(dtype).max)
    if len(beyond):
        raise ValueError(
            f"The deviation of column {beyond[0]} is {1.0 / gain[beyond[0]]:.3g}, too small to divide by in "
            f"{dtype}; multiply it by a constant, or pass float64."
        )


def _doubles(matrix: Any) -> Iterator[Array]:
    return (part.numpy().astype(np.float64, copy=False) for part in blocks(matrix, matrix.shape[1]))


def blocks(matrix: Any, width: int) -> Iterator[Tensor]:
    """All rows in their order, in blocks for which `width` numbers per row are not too many."""
    step = max(1, CELLS // width)
    for start in range(0, matrix.shape[0], step):
        yield dense(matrix[start : start + step])


def shared(rows: Array) -> Tensor:
    """The same memory. PyTorch warns of arrays that may not be written to, which nobody does here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return torch.from_numpy(rows)


def dense(rows: Any) -> Tensor:
    """Of an array or a CSR matrix, row by row: products round otherwise where columns are together."""
    return shared(np.ascontiguousarray(rows.toarray() if is_sparse(rows) else rows))


def build(
    data: Encoded, weights: Array, parameters: NetworkParameters, generator: torch.Generator
) -> nn.Sequential:
    """A hidden layer of ReLUs between rows as they come and scores; the same start on every device.

    Gradient descent starts as He et al. do, in both layers. Adam starts from smaller weights, those of Glorot
    and Bengio, and from output neurons that are 0, as a perceptron's are: what a table of few rows does not
    correct would else answer at random.
    """
    matrix, n_classes = data.matrix, len(data.classes)
    dtype = torch.from_numpy(np.empty(0, matrix.dtype)).dtype
    first = {"standardize": Standardize.of(matrix, weights)} if parameters.standardize else {}
    network, n_outputs = nn.Sequential(), 1 if n_classes == 2 else n_classes
    below, above = (glorot, zero) if parameters.optimizer == ADAM else (he, he)
    layers = {
        **first,
        "hidden": _linear(matrix.shape[1], parameters.hidden_size, dtype, below, generator),
        "relu": nn.ReLU(),
        "output": _linear(parameters.hidden_size, n_outputs, dtype, above, generator),
    }
    for name, layer in layers.items():
        network.add_module(name, layer)
    return network.to(parameters.device)


def he(start: Tensor, generator: torch.Generator) -> None:
    nn.init.kaiming_normal_(start, nonlinearity="relu", generator=generator)


def glorot(start: Tensor, generator: torch.Generator) -> None:
    nn.init.xavier_uniform_(start, generator=generator)


def zero(start: Tensor, generator: torch.Generator) -> None:
    nn.init.zeros_(start)


def _linear(n_in: int, n_out: int, dtype: torch.dtype, draw: Start, generator: torch.Generator) -> nn.Linear:
    layer: nn.Linear
    layer = nn.utils.skip_init(nn.Linear, n_in, n_out, dtype=dtype)  # type: ignore[no-untyped-call]
    start = torch.empty(n_out, n_in, dtype=torch.float64)  # the same in every precision, except for rounding
    draw(start, generator)
    layer.weight.data.copy_(start)
    nn.init.zeros_(layer.bias)
    return layer


@torch.no_grad()
def scores_of(network: Any, matrix: Any) -> Array:
    """The scores of all rows, computed a block at a time, where the network is."""
    weight = network[-1].weight
    width = max(matrix.shape[1], weight.shape[1])
    moved = (part.to(weight.device, weight.dtype) for part in blocks(matrix, width))
    return torch.cat([network(part).cpu() for part in moved]).numpy()
