"""Where a learner computes: on the processor, or on a GPU by PyTorch, imported here when it is asked for.

A GPU that was asked for is used, or a sentence says why not; the processor never stands in for it.
"""

import os
import shutil
import sysconfig
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from .checks import one_of

CPU, AUTO, CUDA = "cpu", "auto", "cuda"
SHARE = 0.5  # of the free memory of a GPU that one thing may take
OLDEST = (7, 0)  # compute capability of the GPUs that Triton knows


def read_device(device: Any) -> Any:
    """A `torch.device`, or None for the processor, which "cuda" never stands for."""
    if isinstance(device, str) and device.startswith(CUDA + ":"):
        return _numbered(device)
    name = one_of("device", device, (CPU, AUTO, CUDA))
    if name == CPU or (name == AUTO and not has_gpu()):
        return None
    torch = import_torch(device)
    if torch.cuda.is_available():
        return torch.device(CUDA)
    raise ValueError(
        f'device="{device}", but PyTorch {torch.__version__} finds no GPU; use device="cpu", or, where '
        "there is one, a build of PyTorch for it."
    )


def _numbered(device: str) -> Any:
    torch = import_torch(device)
    number, found = device.removeprefix(CUDA + ":"), torch.cuda.device_count()
    if not number.isdecimal() or int(number) >= found:
        names = ", ".join(f'"{CUDA}:{k}"' for k in range(found)) or "none"
        raise ValueError(f'device="{device}", but the GPUs here are: {names}; or use device="cpu".')
    return torch.device(device)


def has_gpu() -> bool:
    """Are PyTorch and a GPU for it there?"""
    return find_spec("torch") is not None and bool(import_torch(AUTO).cuda.is_available())


def import_torch(device: str) -> Any:
    try:
        import torch
    except ImportError as error:
        raise ImportError(f'device="{device}" needs PyTorch: pip install "perceptrons[neural]".') from error
    return torch


def check_room(device: Any, taken: int, what: str, remedy: str) -> None:
    """Raise a ValueError if this number of bytes is too large for the memory of a GPU."""
    if device.type != CUDA:
        return
    free = import_torch(CUDA).cuda.mem_get_info(device)[0]
    if taken > SHARE * free:
        raise ValueError(
            f"{what} take {taken / 1e9:.3g} GB, more than half of the {free / 1e9:.3g} GB that are free on "
            f'the GPU; use device="cpu", or {remedy}.'
        )


def has_triton(device: Any) -> bool:
    """Can kernels be written for this device in Triton? Else they are made of tensor operations."""
    return device.type == CUDA and _knows_triton(device.index or 0)


@cache
def _knows_triton(device: int) -> bool:
    """Is Triton there, a GPU that it knows, and the C compiler and headers that it starts kernels by?"""
    torch = import_torch(CUDA)
    compilers = (os.environ.get("CC"), "gcc", "clang")
    return (
        find_spec("triton") is not None
        and torch.version.cuda is not None
        and torch.cuda.get_device_capability(device) >= OLDEST
        and any(name and shutil.which(name) for name in compilers)
        and Path(sysconfig.get_paths()["include"], "Python.h").exists()
    )
