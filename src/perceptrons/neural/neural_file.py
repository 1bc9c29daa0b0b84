"""What model files hold of `MarginMLPClassifier`: weights, and what the loss has learned, in plain arrays."""

from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn

from .._types import Array
from ..conservative.conservative_file import COSTS
from ..model_file import declarations as file
from ..rejection.costs import Costs
from ..rejection.labels import AUTO, resolve
from .loss import MarginLoss
from .network import Standardize
from .reject import RejectLoss
from .schedules import Adaptive, Algorithm4, Growing

WEIGHTS = ("float64", "float32")


class StoredLayers(NamedTuple):
    """The arrays of a network; mean and gain are None where columns are not standardized."""

    mean: Array | None
    gain: Array | None
    hidden_weight: Array
    hidden_bias: Array
    output_weight: Array
    output_bias: Array


class LossState(NamedTuple):
    """What a loss has learned or counted; what it does not have is None."""

    clock: int | None
    level: float | None
    raw_bands: Array | None


def _array(*shape: str) -> file.Field:
    return file.Array(WEIGHTS, shape)


_LAYERS = file.Record(
    StoredLayers,
    {
        "mean": file.Optional(_array("features")),
        "gain": file.Optional(_array("features")),
        "hidden_weight": _array("hidden", "features"),
        "hidden_bias": _array("hidden"),
        "output_weight": _array("outputs", "hidden"),
        "output_bias": _array("outputs"),
    },
)
_LOSS = file.Record(
    LossState,
    {
        "clock": file.Optional(file.Count()),
        "level": file.Optional(file.Real(least=0.0)),
        "raw_bands": file.Optional(_array("classes")),
    },
)


class Network(file.Field):
    """The layers of an `nn.Sequential`."""

    def pack(self, value: Any) -> Any:
        parts = {"mean": None, "gain": None}
        if hasattr(value, "standardize"):
            parts = {name: getattr(value.standardize, name).numpy() for name in parts}
        for name in ("hidden", "output"):
            layer = getattr(value, name)
            parts |= {f"{name}_{one}": getattr(layer, one).detach().numpy() for one in ("weight", "bias")}
        return _LAYERS.pack(StoredLayers(**parts))  # type: ignore[arg-type]

    def unpack(self, packed: Any, place: file.Place) -> Any:
        layers = _LAYERS.unpack(packed, place)
        if (layers.mean is None) != (layers.gain is None):
            raise ValueError(f"{place.path} has a mean without a gain, or a gain without a mean")
        if len({part.dtype for part in layers if part is not None}) > 1:
            raise ValueError(f"{place.path} has arrays of two precisions")
        return _network(layers)

    def schema(self) -> file.Schema:
        return _LAYERS.schema()


def _network(layers: StoredLayers) -> nn.Sequential:
    network = nn.Sequential()
    if layers.mean is not None and layers.gain is not None:
        network.add_module("standardize", Standardize(*map(torch.from_numpy, (layers.mean, layers.gain))))
    network.add_module("hidden", _linear(layers.hidden_weight, layers.hidden_bias))
    network.add_module("relu", nn.ReLU())
    network.add_module("output", _linear(layers.output_weight, layers.output_bias))
    return network.eval()


def _linear(weight: Array, bias: Array) -> nn.Linear:
    dtype = torch.from_numpy(weight).dtype
    layer: nn.Linear = nn.utils.skip_init(  # type: ignore[no-untyped-call]
        nn.Linear, weight.shape[1], weight.shape[0], dtype=dtype
    )
    with torch.no_grad():
        layer.weight.copy_(torch.from_numpy(weight))
        layer.bias.copy_(torch.from_numpy(bias))
    return layer


class Loss(file.Field):
    """The state of a loss; parameters and classes say the rest."""

    def pack(self, value: Any) -> Any:
        if isinstance(value, RejectLoss):
            return _LOSS.pack(LossState(None, None, value.raw_bands.detach().numpy()))
        level = value.level.item() if isinstance(value.schedule, Adaptive) else None
        return _LOSS.pack(LossState(int(value.clock), level, None))

    def unpack(self, packed: Any, place: file.Place) -> Any:
        return _LOSS.unpack(packed, place)

    def schema(self) -> file.Schema:
        return _LOSS.schema()


_GROWING = file.Record(Growing, {"power": file.Real(), "scale": file.Real()})
_ALGORITHM_4 = file.Record(Algorithm4, {"alpha": file.Real(), "scale": file.Real()})
_ADAPTIVE = file.Record(Adaptive, {"scale": file.Real(), "lift": file.Real()})
_PER_CLASS = file.Array(("float64",), ("classes",))
PARAMETERS: dict[str, file.Field] = {
    "schedule": file.Either(_GROWING, _ALGORITHM_4, _ADAPTIVE, file.Parameter()),
    "costs": COSTS,
}
FIELDS: dict[str, file.Field] = {
    "classes_": file.Labels("classes"),
    **file.COLUMNS,
    **file.SEEN,
    "network_": Network(),
    "loss_": Loss(),
    "loss_curve_": file.Each(file.Real()),
    "optimizer_": file.Choice("adam", "sgd"),
    "converged_": file.Flag(),
    "training_risk_": file.IfSet(file.Real()),
    "reject_label_": file.Parameter(),
    "_schedule": file.Either(_GROWING, _ADAPTIVE, file.Real(least=0.0)),
    "_costs": file.Optional(file.Record(Costs, dict(COSTS.field.fields))),  # type: ignore[attr-defined]
}


def fill_in(model: Any, temperature: float) -> None:
    """Make the loss of a loaded model, and what follows from it, if the parts of the file fit together."""
    state, classes = model.loss_, model.classes_
    n_neurons, wanted = model.network_.output.out_features, 1 if len(classes) == 2 else len(classes)
    if n_neurons != wanted:
        raise ValueError(f"network_ has {n_neurons} neurons for {len(classes)} classes, but needs {wanted}")
    model._prices = (model._costs or Costs()).of(classes)
    priced = model._costs is not None
    if priced != (state.raw_bands is not None) or priced == (state.clock is not None):
        raise ValueError("loss_ has bands, but there are no costs; or costs, but no bands")
    if priced != hasattr(model, "training_risk_"):
        raise ValueError("training_risk_ belongs to costs, and costs to it")
    if isinstance(model.reject_label_, str) and model.reject_label_ == AUTO:
        raise ValueError("reject_label_ is 'auto', but it must be the label itself")
    resolve(model.reject_label_, classes)
    model.loss_ = _bands(model, state, temperature) if priced else _margins(model._schedule, state)
    model.n_iter_ = len(model.loss_curve_)


def _margins(schedule: Any, state: LossState) -> MarginLoss:
    loss = MarginLoss(schedule)
    if isinstance(schedule, Adaptive) != (state.level is not None):
        raise ValueError("loss_ has a level, but its schedule is not Adaptive; or the other way round")
    loss.clock.fill_(state.clock or 0)
    if state.level is not None:
        loss.level.fill_(state.level)
    return loss.eval()


def _bands(model: Any, state: LossState, temperature: float) -> RejectLoss:
    assert state.raw_bands is not None
    names = model.classes_.tolist()
    loss = RejectLoss(model._costs, len(names), classes=names, temperature=temperature)
    raw = torch.from_numpy(np.array(state.raw_bands))
    loss.raw_bands = nn.Parameter(raw)
    return loss.to(raw.dtype).eval()
