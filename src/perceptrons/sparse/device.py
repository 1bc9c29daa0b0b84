"""Which device searches conjunctions: the processor, or a GPU by PyTorch, which is imported here alone."""

from importlib.util import find_spec
from typing import Any

from ..checks import one_of
from .search import Scope

CPU, AUTO, CUDA = "cpu", "auto", "cuda"
STAGEWISE = "stagewise"
MOST_ORDER = 3  # literals of a conjunction that a GPU searches


def read_device(device: Any) -> Any:
    """A `torch.device`, or None for the processor, which "cuda" never stands for."""
    if isinstance(device, str) and device.startswith(CUDA + ":"):
        return _numbered(device)
    name = one_of("device", device, (CPU, AUTO, CUDA))
    if name == CPU or (name == AUTO and not has_gpu()):
        return None
    torch = _torch(device)
    if torch.cuda.is_available():
        return torch.device(CUDA)
    raise ValueError(
        f'device="{device}", but PyTorch {torch.__version__} finds no GPU; use device="cpu", or, where '
        "there is one, a build of PyTorch for it."
    )


def _numbered(device: str) -> Any:
    torch = _torch(device)
    number, found = device.removeprefix(CUDA + ":"), torch.cuda.device_count()
    if not number.isdecimal() or int(number) >= found:
        names = ", ".join(f'"{CUDA}:{k}"' for k in range(found)) or "none"
        raise ValueError(f'device="{device}", but the GPUs here are: {names}; or use device="cpu".')
    return torch.device(device)


def has_gpu() -> bool:
    """Are PyTorch and a GPU for it there?"""
    return find_spec("torch") is not None and bool(_torch(AUTO).cuda.is_available())


def _torch(device: str) -> Any:
    try:
        import torch
    except ImportError as error:
        raise ImportError(f'device="{device}" needs PyTorch: pip install "perceptrons[neural]".') from error
    return torch


def read_device_for(model: Any, scope: Scope, refit: str) -> Any:
    """The device of a fit; raises for searches that only the processor makes."""
    device = read_device(model.device)
    if device is None or (model.device == AUTO and refit != STAGEWISE):
        return None
    if refit != STAGEWISE:
        raise ValueError(
            f'device="{model.device}" boosts stage by stage; use refit="stagewise", or device="cpu" for '
            "weights that are learned together."
        )
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
