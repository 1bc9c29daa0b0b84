"""Set up what must be set before anything imports Numba; find the data; treat skips as failures in CI."""

import os
from pathlib import Path

import pytest

import benchmarks  # noqa: F401  importing it names Numba's cache after a hash of the sources

ROOT = Path(__file__).parent

# scikit-learn's array API check is skipped without it; SciPy reads it at import.
os.environ.setdefault("SCIPY_ARRAY_API", "1")

if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
    collect_ignore = ["docs/conservative.md", "docs/neural.md"]  # takes long where nothing is compiled

_data = ROOT.parent / "shared" / "data"
if _data.is_dir():
    os.environ.setdefault("PERCEPTRONS_DATA", str(_data))


@pytest.fixture(scope="session")
def jit() -> bool:
    """Whether kernels are compiled; tests cut their sizes where they are not."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]):
    """In CI a skipped test is a failure, unless what it lacks is a GPU."""
    report = yield
    if report.skipped and os.environ.get("CI") == "true" and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        if "GPU" not in reason:
            report.outcome, report.longrepr = "failed", f"skipped in CI: {reason}"
    return report
