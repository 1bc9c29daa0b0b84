"""The last layer of a network, certified: perceptrons side by side on the features that reach it.

Moran et al., Section 3: an output neuron is a perceptron on G(x), the output of the layers below, one class
against the rest. So its margin lies below a bound that a combination of the features proves for every
hyperplane (`theory.certificate`), and the interval says how much a better last layer could win.

The bound is that of `MaxMarginPerceptron`, fitted on all features: it looks for the few rows that matter by
itself. Deviation from the certificates of perceptrons: weights that an optimizer found are no sum of
corrections we know of, so nothing is said about updates and compression; and the intercept is that of the
hyperplane itself, nothing is lifted.
"""

import math
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
import torch
from sklearn.exceptions import ConvergenceWarning
from torch import Tensor, nn

from .._types import Array
from ..checks import number
from ..margin.maximum.max_margin_perceptron import MaxMarginPerceptron
from ..theory.exact_sums import least_dot
from ..theory.outward import exact_sqnorm, quotient_below
from .shortfall import checked, signs

Calls = list[tuple[Tensor, Tensor]]  # of a layer: what went in, what came out


@dataclass(frozen=True)
class NeuronCertificate:
    """What is known about an output neuron, on the features that reach it.

    Attributes
    ----------
    neuron : int
        The number of the neuron.
    separable : bool or None
        True if a hyperplane, the neuron's or another, classifies all rows correctly; False if there is a
        proof that none does; None if this is undecided.
    margin : float
        The margin of the neuron, min y·score/‖w‖, computed exactly and rounded down; negative if a row is on
        the wrong side, 0 if w is 0.
    margin_bound : float or None
        No hyperplane has a larger margin on these features (through the origin, if the layer has no bias); 0
        if `separable` is False. None where there is no bound: with a bias and one class only, every margin is
        possible. It is also None where a search that rounding stopped found no bound.
    radius : float
        The largest norm of a feature row.
    n_rows, n_errors : int
        The number of rows looked at, and of those on the wrong side of this neuron; a score of 0 counts for
        the rest. A network that predicts the highest score may be wrong more or less often.

    Examples
    --------
    >>> import torch
    >>> from perceptrons.neural import PerceptronLayer
    >>> layer = PerceptronLayer(1, 1)
    >>> layer.weight.data, layer.bias.data = torch.tensor([[1.0]]), torch.tensor([-1.0])
    >>> (certificate,) = layer.certify(torch.tensor([[0.0], [3.0]]), torch.tensor([0, 1]))
    >>> certificate.separable, certificate.margin, certificate.n_errors
    (True, 1.0, 0)
    """

    neuron: int
    separable: bool | None
    margin: float
    margin_bound: float | None
    radius: float
    n_rows: int
    n_errors: int

    @property
    def gap(self) -> float | None:
        """How far from the best at most: 1 − margin/bound. None without bound."""
        bound = self.margin_bound
        return None if bound is None else 1.0 - self.margin / bound if bound > 0.0 else math.inf


class PerceptronLayer(nn.Linear):
    """An `nn.Linear` that starts from zero, as perceptrons do, and can be certified.

    For the end of a network: in its middle, below a ReLU, zeros would never move.

    Parameters
    ----------
    in_features, out_features, bias, device, dtype
        As in `torch.nn.Linear`.

    Examples
    --------
    >>> import torch
    >>> from perceptrons.neural import PerceptronLayer
    >>> layer = PerceptronLayer(2, 1)
    >>> layer.weight.tolist(), layer.bias.tolist()
    ([[0.0, 0.0]], [0.0])
    >>> layer.weight.data, layer.bias.data = torch.tensor([[1.0, 0.0]]), torch.tensor([-1.0])
    >>> features = torch.tensor([[0.0, 0.0], [0.0, 1.0], [3.0, 0.0], [4.0, 1.0]])
    >>> (certificate,) = layer.certify(features, torch.tensor([0, 0, 1, 1]))
    >>> certificate.margin, round(certificate.margin_bound, 9)
    (1.0, 1.5)
    """

    def reset_parameters(self) -> None:
        for parameter in self.parameters():
            nn.init.zeros_(parameter)

    def certify(self, features: Tensor, target: Tensor, tol: float = 1e-3) -> list[NeuronCertificate]:
        """A certificate per neuron, on features of shape (rows, in_features) and their class numbers."""
        return certify_linear(self, features, target, tol)


def certify_network(
    network: nn.Module,
    inputs: Tensor,
    target: Tensor,
    *,
    layer: nn.Linear | None = None,
    tol: float = 1e-3,
    batch_size: int = 1000,
) -> list[NeuronCertificate]:
    """A certificate per output neuron of a network, on the features that reach them from these inputs.

    The network runs in eval mode, without gradients, on the device of `layer`; certificates are computed in
    double precision on the CPU, from all features at once. A ConvergenceWarning names bounds beyond `tol`.

    Parameters
    ----------
    network : module
        The network. Its output must be that of `layer`: scores, not probabilities.
    inputs, target : tensor
        The rows as the network takes them, and their class numbers.
    layer : Linear or None, default None
        The output neurons. None is the last `nn.Linear` among the network's modules.
    tol : float, default 1e-3
        How near to the best margin the bounds must be.
    batch_size : int, default 1000
        The number of rows that the network is applied to at a time.

    Returns
    -------
    list of NeuronCertificate
        One certificate per output neuron.

    Examples
    --------
    >>> import torch
    >>> from perceptrons.neural import PerceptronLayer, certify_network
    >>> network = torch.nn.Sequential(torch.nn.ReLU(), PerceptronLayer(1, 1))
    >>> inputs, target = torch.tensor([[-1.0], [0.0], [3.0]]), torch.tensor([0, 0, 1])
    >>> round(certify_network(network, inputs, target)[0].margin_bound, 6)
    1.5
    """
    number("tol", tol, "(0, 1)", "use 1e-3")
    number("batch_size", batch_size, "[1, inf)", "use 1000", Integral)
    _check_rows("inputs", inputs, target)
    layer = _output_layer(network, layer)
    with torch.no_grad(), _observed(network, layer) as calls:
        batches = [_features(network, layer, rows, calls) for rows in torch.split(inputs, int(batch_size))]
    return certify_linear(layer, torch.cat(batches), target, tol)


def certify_linear(layer: nn.Linear, features: Tensor, target: Tensor, tol: float) -> list[NeuronCertificate]:
    """A certificate per neuron of any linear layer."""
    number("tol", tol, "(0, 1)", "use 1e-3")
    _check_rows("features", features, target)
    _check_features(layer, features)
    X, W = _doubles(features), _doubles(layer.weight)
    b = None if layer.bias is None else _doubles(layer.bias)
    scores, target = checked(X @ W.T + (0.0 if b is None else b), target.detach().cpu())
    ys, biases = signs(scores, target).numpy().T, [None] * len(W) if b is None else b.tolist()
    return [_certificate(k, X.numpy(), ys[k], W[k].numpy(), biases[k], tol) for k in range(len(W))]


def _certificate(k: int, X: Array, y: Array, w: Array, bias: float | None, tol: float) -> NeuronCertificate:
    b, radius = bias or 0.0, math.sqrt(np.einsum("ij,ij->i", X, X).max())
    reach = y * (X @ w + b)
    separable, bound = _best_margin(k, X, y, bias is not None, tol)
    low = least_dot(y[:, None] * np.column_stack([X, np.ones(len(X))]), np.append(w, b))
    margin = quotient_below(low, exact_sqnorm(w)) if w.any() else 0.0
    separable = True if margin > 0.0 else separable
    bound = None if bound is None else max(bound, margin)  # rounding must not cross them
    n_errors = int(((reach < 0.0) | ((reach == 0.0) & (y > 0.0))).sum())
    return NeuronCertificate(k, separable, margin, bound, radius, len(y), n_errors)


def _best_margin(k: int, X: Array, y: Array, bias: bool, tol: float) -> tuple[bool | None, float | None]:
    """Are the rows separable, and what bounds their margin?"""
    if (y == y[0]).all():
        if bias:
            return True, None  # by a hyperplane as far away as one likes
        X, y = np.vstack([X, -X[:1]]), np.append(y, -y[0])  # a second class; its y·x is that of the first row
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = MaxMarginPerceptron(tol=tol, fit_intercept=bias).fit(X, y)
    found: Any = model.certificate_
    if found.separable is False:
        return False, 0.0
    if not model.converged_:
        told = f"The margin bound of neuron {k} holds, but may be more than tol={tol} above the best margin: "
        remedy = "rows are large beside it, or features are dependent up to rounding; center them."
        warnings.warn(told + remedy, ConvergenceWarning, stacklevel=2)
    return found.separable, found.margin_bound


def _doubles(tensor: Tensor) -> Tensor:
    return tensor.detach().to("cpu", torch.float64).contiguous()


@contextmanager
def _observed(network: nn.Module, layer: nn.Linear) -> Iterator[Calls]:
    """In eval mode, the layer's calls are noted: copies, as what follows may work in place. Modules may be
    in different modes, so each is put back by itself."""
    calls: Calls = []
    modes = [(module, module.training) for module in network.modules()]

    def note(_: nn.Module, given: tuple[Tensor, ...], named: dict[str, Tensor], output: Tensor) -> None:
        calls.append(((given[0] if given else named["input"]).clone(), output.clone()))

    handle = layer.register_forward_hook(note, with_kwargs=True)
    try:
        network.eval()
        yield calls
    finally:
        handle.remove()
        for module, mode in modes:
            module.training = mode


def _features(network: nn.Module, layer: nn.Linear, rows: Tensor, calls: Calls) -> Tensor:
    """What reaches the layer from these rows, if its scores are the network's."""
    calls.clear()
    output = network(rows.to(layer.weight.device))
    if len(calls) != 1:
        raise ValueError(f"{layer} was called {len(calls)} times, not once; pass the output layer as layer=.")
    if not isinstance(output, Tensor) or not _same(output, calls[0][1]):
        raise ValueError(
            f"The network's output is not that of {layer}; pass its output layer as layer=, or the network "
            "without what follows that layer (softmax, sigmoid), such as network[:-1]."
        )
    return calls[0][0].cpu()


def _same(output: Tensor, scores: Tensor) -> bool:
    """One neuron may have lost its axis; NaN is reported later."""
    return output.shape in (scores.shape, scores.squeeze(-1).shape) and torch.allclose(
        output.reshape(scores.shape).double(), scores.double(), rtol=0.0, atol=0.0, equal_nan=True
    )


def _output_layer(network: nn.Module, layer: Any) -> nn.Linear:
    if layer is None:
        layer = next((one for one in reversed([*network.modules()]) if isinstance(one, nn.Linear)), None)
    if not isinstance(layer, nn.Linear):
        raise ValueError(f"layer={layer!r}, but output neurons are an nn.Linear; pass the network's own.")
    return layer


def _check_rows(name: str, rows: Any, target: Any) -> None:
    for what, given in ((name, rows), ("target", target)):
        if not isinstance(given, Tensor) or not given.ndim or not len(given):
            raise ValueError(f"{what}={given!r:.60}, but it must be a tensor of one row or more.")
    if len(rows) != len(target):
        raise ValueError(f"{name} of {len(rows)} rows, {len(target)} labels; pass a class number per row.")


def _check_features(layer: nn.Linear, features: Tensor) -> None:
    if features.ndim != 2 or features.shape[1] != layer.in_features:
        raise ValueError(
            f"features have the shape {tuple(features.shape)}, but {layer} takes (rows, {layer.in_features})."
        )
    bad = (~features.isfinite()).any(1)
    if bad.any():
        raise ValueError(
            f"{int(bad.sum())} of {len(bad)} rows of features are not finite (first: row "
            f"{int(bad.int().argmax())}); look for NaN in the inputs, or in the weights below the layer."
        )
