"""Which fits a GPU makes: weights that are learned together, and searches of conjunctions."""

from typing import Any

from ..devices import read_device
from .search import Scope

STAGEWISE = "stagewise"
MOST_ORDER = 3  # literals of a conjunction that a GPU searches


def read_device_for(model: Any, scope: Scope, refit: str) -> Any:
    """The device of a fit; raises for searches that only the processor makes."""
    device = read_device(model.device)
    if device is None or refit != STAGEWISE:  # else the search is that of the processor
        return device
    if scope.k > MOST_ORDER:
        raise ValueError(
            f'device="{model.device}" searches conjunctions of at most {MOST_ORDER} literals, but '
            f'k={scope.k}; use device="cpu".'
        )
    for name in ("beam", "max_visits"):
        if getattr(scope, name) is not None:
            raise ValueError(
                f'{name}={getattr(scope, name)} is for device="cpu"; a GPU visits all conjunctions that may '
                "win. Leave it out."
            )
    return device
