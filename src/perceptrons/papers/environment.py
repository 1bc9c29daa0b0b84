"""Where a number was found: the machine and the versions, and nothing that names a person or a place."""

import importlib.metadata
import os
import platform
from collections.abc import Iterable
from pathlib import Path

PACKAGES = ("numpy", "scipy", "scikit-learn", "numba")


def machine() -> dict[str, object]:
    return {"cpu": _cpu_model(), "cores": os.cpu_count(), "memory_gib": _memory_gib()}


def versions(others: Iterable[str] = ()) -> dict[str, str]:
    """Of Python, of ours, of what we stand on, and of other packages."""
    from .. import __version__

    return {
        "python": platform.python_version(),
        "perceptrons": __version__,
        **{package: _version(package) for package in (*PACKAGES, *others)},
    }


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def _cpu_model() -> str:
    listing = Path("/proc/cpuinfo")
    if listing.exists():
        for line in listing.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _memory_gib() -> float | None:
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1)
    except (ValueError, OSError, AttributeError):  # not a POSIX system
        return None
