"""Set up what must be set before anything imports Numba; leave out what this machine lacks, and say so.

Tests that need torch, the papers' data, a browser or a GPU bear a marker of that name (or ask for the
fixture `data`) and are run only where it is there; the last lines say what was left out and how to get it.
In CI nothing may be left out, nor skipped, but for the lack of a GPU.
"""

import os
import re
import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import pytest

import benchmarks  # noqa: F401  importing it names Numba's cache after a hash of the sources

ROOT = Path(__file__).parent
CHROMIUM = "/usr/bin/chromium"
IN_CI = os.environ.get("CI") == "true"

# scikit-learn's array API check is skipped without it; SciPy reads it at import.
os.environ.setdefault("SCIPY_ARRAY_API", "1")
# The suite has a process per core: more threads would wait for each other.
for _pool in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_pool, "1")

os.environ.setdefault("PERCEPTRONS_PROGRESS", "0")  # lines that come after seconds, on a slow machine alone

_data = ROOT.parent / "shared" / "data"
if _data.is_dir():
    os.environ.setdefault("PERCEPTRONS_DATA", str(_data))


def has_gpu() -> bool:
    if not (find_spec("torch") and Path("/dev/nvidiactl").exists()):
        return False
    import torch

    return torch.cuda.is_available()


def has_browser() -> bool:
    """Chromium to open pages in, pdftotext to read what it prints, npm for the accessibility rules."""
    tools = (shutil.which("chromium"), shutil.which("pdftotext"), shutil.which("npm"))
    return find_spec("playwright") is not None and all(tools)


HAS_DASK = all(map(find_spec, ("dask", "distributed", "pandas", "pyarrow")))


class Need(NamedTuple):
    """What a marker stands for."""

    there: bool
    sentence: str


NEEDS = {
    "torch": Need(find_spec("torch") is not None, "networks need torch: pip install '.[neural]'"),
    "data": Need(
        bool(os.environ.get("PERCEPTRONS_DATA")),
        "experiments on real data need PERCEPTRONS_DATA, the path of a folder that holds the papers' data",
    ),
    "dask": Need(HAS_DASK, "collections on a cluster need dask and distributed: pip install '.[dask]'"),
    "export": Need(
        all(map(find_spec, ("onnx", "onnxruntime", "duckdb")))
        and all(map(shutil.which, ("gcc", "clang", "arm-none-eabi-gcc", "psql"))),
        "exported models run in other engines: pip install '.[export,engines]', and gcc, clang, postgresql",
    ),
    "slow": Need(
        IN_CI or os.environ.get("PERCEPTRONS_THOROUGH") == "1",
        "benchmarks, pages and most random cases take minutes: python -m tests.thorough",
    ),
    "browser": Need(
        has_browser(),
        "pages in a browser need pip install '.[test]' and Debian's chromium, poppler-utils and npm",
    ),
    "gpu": Need(has_gpu(), "CUDA code needs a GPU and a build of torch for it"),
}
ABSENT = {name: need.sentence for name, need in NEEDS.items() if not need.there}

# Modules that import torch cannot be collected without it; pages lose the blocks that import what is absent.
NETWORKS = re.compile(r"^(?:>>> )?(?:import torch|from (?:torch|\S*\bneural)\b)", re.MULTILINE)
COLLECTIONS = re.compile(r"^(?:>>> )?(?:import dask|from (?:dask|distributed|\S*\bdask)\b)", re.MULTILINE)
IMPORTS = {"torch": NETWORKS, "dask": COLLECTIONS}
BLOCK = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)

# One process begins with the first of these folders, the other in the middle of all tests, near `margin`:
# side by side, both would compile the same kernels. Folders that are not named come last.
FIRST = ("sparse", "binary", "conservative", "rejection", "rows", "tables", "cli", "theory")
ORDER = (*FIRST, "papers", "docs", "datasets", "margin")


def pytest_configure() -> None:
    if IN_CI and ABSENT.keys() - {"gpu"}:
        raise pytest.UsageError("CI leaves nothing out, but " + "; ".join(ABSENT.values()))


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    for name in ("onnx", "triton"):
        if collection_path.name.startswith(f"{name}_") and find_spec(name) is None:
            return True
    if not HAS_DASK and "dask" in collection_path.parts[len(ROOT.parts) :]:
        return True
    if "torch" not in ABSENT:
        return None
    if collection_path.suffix == ".py":
        return True if NETWORKS.search(collection_path.read_text(encoding="utf-8")) else None
    return True if collection_path.stem == "neural" else None  # the rooms, and their page


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if isinstance(item, pytest.DoctestItem) and item.path.parent == ROOT / "src/perceptrons/datasets":
            item.add_marker("data")
        if item.path.suffix == ".md":
            leave_out_blocks(item)
    dropped = {item for item in items if needs(item) & ABSENT.keys()}
    config.hook.pytest_deselected(items=[*dropped])
    items[:] = sorted((item for item in items if item not in dropped), key=place_in_order)


def place_in_order(item: pytest.Item) -> int:
    room = item.path.relative_to(ROOT / "tests").parts[0] if (ROOT / "tests") in item.path.parents else ""
    return ORDER.index(room) if room in ORDER else len(ORDER)


def needs(item: pytest.Item) -> set[str]:
    """Markers of the test, and fixtures it asks for."""
    return {mark.name for mark in item.iter_markers()} | {*getattr(item, "fixturenames", ())}


def leave_out_blocks(page: pytest.DoctestItem) -> None:
    """Drop the examples of a page's blocks that import what is absent; the other blocks are run."""
    text, absent = page.dtest.docstring, [IMPORTS[name] for name in IMPORTS.keys() & ABSENT.keys()]
    blocks = [match for match in BLOCK.finditer(text) if any(one.search(match.group()) for one in absent)]
    lines = [(text.count("\n", 0, match.start()), text.count("\n", 0, match.end())) for match in blocks]
    page.dtest.examples[:] = [
        example
        for example in page.dtest.examples
        if not any(first < example.lineno < last for first, last in lines)
    ]


def pytest_unconfigure(config: pytest.Config) -> None:
    terminal = config.pluginmanager.get_plugin("terminalreporter")  # None in the processes of -n 2
    for sentence in ABSENT.values() if terminal else ():
        terminal.write_line(f"Left out: {sentence}.", yellow=True)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What tests want to be read although they passed: `record_property("printed", …)`."""
    for report in terminalreporter.getreports("passed") + terminalreporter.getreports("failed"):
        for name, text in getattr(report, "user_properties", ()):
            if name == "printed" and report.when == "call":
                terminalreporter.write_line(text)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]):
    """In CI a skipped test is a failure."""
    report = yield
    if report.skipped and IN_CI and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        report.outcome, report.longrepr = "failed", f"skipped in CI: {reason}"
    return report
