"""The parameters of `MarginMLPClassifier`, checked."""

from numbers import Integral
from typing import Any, NamedTuple

import torch

from ..checks import flag, is_number, number, one_of
from ..rejection.costs import Costs, read_costs
from .schedules import Schedule, read_schedule

AUTO = "auto"
ADAM, SGD = "adam", "sgd"


class Usual(NamedTuple):
    """What "auto" stands for with an optimizer."""

    max_epochs: int
    batch_size: int
    eta: float


USUAL = {ADAM: Usual(200, 200, 0.002), SGD: Usual(100, 50, 0.03)}


class NetworkParameters(NamedTuple):
    """The checked parameters, as `training.train_network` takes them."""

    hidden_size: int
    optimizer: str
    schedule: Schedule
    costs: Costs | None
    max_epochs: int
    batch_size: int
    n_errors: int | None
    eta: float
    alpha: float
    standardize: bool
    device: torch.device
    verbose: bool


def read_parameters(model: Any) -> NetworkParameters:
    """Check the parameters of a `MarginMLPClassifier`."""
    schedule = read_schedule(model.schedule)
    optimizer = _read_optimizer(model, schedule)
    usual = USUAL[optimizer]
    parameters = NetworkParameters(
        _count("hidden_size", model.hidden_size, "use 100"),
        optimizer,
        schedule,
        None if model.costs is None else read_costs(model.costs, None),
        _count("max_epochs", _or_usual(model.max_epochs, usual.max_epochs), "use 'auto'"),
        _count("batch_size", _or_usual(model.batch_size, usual.batch_size), "use 'auto'"),
        None if model.n_errors is None else _count("n_errors", model.n_errors, "use 10, or None"),
        float(number("eta", _or_usual(model.eta, usual.eta), "(0, inf)", "use 'auto'")),
        float(number("alpha", model.alpha, "[0, inf)", "use 0.01, or 0 for no penalty")),
        flag("standardize", model.standardize),
        read_device(model.device),
        _verbose(model.verbose),
    )
    _check_together(parameters)
    return parameters


def _or_usual(value: Any, usual: Any) -> Any:
    return usual if isinstance(value, str) and value == AUTO else value


def _read_optimizer(model: Any, schedule: Schedule) -> str:
    """Squared shortfalls need a margin > 0 that stays; errors and costs are learned as in the papers."""
    optimizer = one_of("optimizer", model.optimizer, (AUTO, ADAM, SGD))
    reason = None
    if not isinstance(schedule, float) or schedule == 0.0:
        reason = f"schedule={model.schedule!r}"
    elif model.n_errors is not None:
        reason = f"n_errors={model.n_errors!r}"
    elif model.costs is not None:
        reason = "costs"
    if optimizer == ADAM and reason is not None:
        raise ValueError(
            f"optimizer='adam', but it learns a constant margin > 0 from batches of all rows, not with "
            f"{reason}; use optimizer='auto', which is 'sgd' there."
        )
    return (SGD if reason else ADAM) if optimizer == AUTO else str(optimizer)


def _count(name: str, value: Any, remedy: str) -> int:
    return int(number(name, value, "[1, inf)", remedy, Integral))


def _verbose(value: Any) -> bool:
    if not (is_number(value, Integral) or isinstance(value, bool)) or value < 0:
        raise ValueError(f"verbose={value!r}, but it must be 0, or 1 for a line per epoch.")
    return bool(value)


def _check_together(parameters: NetworkParameters) -> None:
    """Where answers have costs, bands and temperature of `RejectLoss` are in units of the margin."""
    if parameters.costs is not None and parameters.schedule != 1.0:
        raise ValueError(
            f"schedule={parameters.schedule}, but costs need scores that were taught a margin of 1, from "
            "which their bands start; leave schedule at 1.0, or use costs=None."
        )


def read_device(device: Any) -> torch.device:
    """The device, if a number can be kept there and had back."""
    if isinstance(device, str) and device == AUTO:
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        found = torch.device(device)
        torch.zeros(1, device=found).item()
    except (RuntimeError, TypeError, AssertionError, NotImplementedError) as error:
        reason = str(error).split("\n")[0]
        raise ValueError(
            f"device={device!r} cannot be used here ({reason}); use 'cpu', or 'auto', which is a GPU if "
            "there is one."
        ) from error
    return found
