"""Set up what must be set before anything imports Numba; find the data; say what was left out, and why.

What needs torch or the papers' data is collected only where they are there; the last line says what was
left out and how to get it. In CI nothing may be left out, nor skipped, but for the lack of a GPU.
"""

import os
from importlib.util import find_spec
from pathlib import Path

import pytest

import benchmarks  # noqa: F401  importing it names Numba's cache after a hash of the sources

ROOT = Path(__file__).parent
IN_CI = os.environ.get("CI") == "true"

# scikit-learn's array API check is skipped without it; SciPy reads it at import.
os.environ.setdefault("SCIPY_ARRAY_API", "1")

_data = ROOT.parent / "shared" / "data"
if _data.is_dir():
    os.environ.setdefault("PERCEPTRONS_DATA", str(_data))

HAS_TORCH = find_spec("torch") is not None
HAS_DATA = bool(os.environ.get("PERCEPTRONS_DATA"))
OF_TORCH = ("tests/neural", "src/perceptrons/neural", "src/perceptrons/papers/moran", "docs/neural.md")
LEFT_OUT = {
    **({} if HAS_TORCH else {"networks": "need torch: pip install '.[neural]'"}),
    **({} if HAS_DATA else {"experiments on real data": "need PERCEPTRONS_DATA, a folder that holds them"}),
}


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    place = collection_path.relative_to(ROOT).as_posix()
    return True if not HAS_TORCH and place.startswith(OF_TORCH) else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    absent = {name for name, there in (("torch", HAS_TORCH), ("data", HAS_DATA)) if not there}
    dropped = [item for item in items if any(item.get_closest_marker(name) for name in absent)]
    if dropped:
        config.hook.pytest_deselected(items=dropped)
        items[:] = [item for item in items if item not in set(dropped)]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for what, lack in LEFT_OUT.items():
        terminalreporter.write_line(f"Left out: tests of {what}, which {lack}.", yellow=True)


def pytest_sessionfinish(session: pytest.Session) -> None:
    if IN_CI and LEFT_OUT and not session.exitstatus:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(scope="session")
def jit() -> bool:
    """Whether kernels are compiled; tests cut their sizes where they are not."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]):
    """In CI a skipped test is a failure, unless what it lacks is a GPU."""
    report = yield
    if report.skipped and IN_CI and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        if "GPU" not in reason:
            report.outcome, report.longrepr = "failed", f"skipped in CI: {reason}"
    return report
