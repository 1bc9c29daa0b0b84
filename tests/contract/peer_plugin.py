"""A plugin of pytest, for a process that runs scikit-learn's own tests with our learners in their places.

The names are substituted before pytest imports the tests. What is found, what is left out and what comes of
the rest is written to the file PEER_REPORT.
"""

import json
import os
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.contract.peer_adapters import SUBSTITUTES, Adapter
from tests.contract.peer_table import reason_against

REPORT: dict[str, Any] = {"tests": {}, "errors": []}
ALL = bool(os.environ.get("PEER_ALL"))  # also those that the table leaves out: which of them would pass?


def pytest_configure() -> None:
    for module, names in SUBSTITUTES.items():
        for name, ours in names.items():
            setattr(import_module(module), name, ours)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    found = {item: reason_against(item.path.stem, item.name) for item in items}
    for item, reason in found.items():
        REPORT["tests"][name_of(item)] = {"reason": reason, "outcome": None, "why": "", "used": False}
    items[:] = [item for item, reason in found.items() if ALL or reason is None]
    config.hook.pytest_deselected(items=[item for item in found if item not in set(items)])


def pytest_collectreport(report: pytest.CollectReport) -> None:
    if report.failed:
        REPORT["errors"].append(str(report.longrepr))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
    report = yield
    own = REPORT["tests"][name_of(item)]
    if report.when == "call" or report.outcome != "passed":
        own["outcome"], own["why"] = report.outcome, str(report.longrepr or "")[-2000:]
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Any:
    before = Adapter.made
    try:
        return (yield)
    finally:
        REPORT["tests"][name_of(item)]["used"] = Adapter.made > before


def pytest_sessionfinish() -> None:
    Path(os.environ["PEER_REPORT"]).write_text(json.dumps(REPORT), encoding="utf-8")


def name_of(item: pytest.Item) -> str:
    return f"{item.path.stem}::{item.name}"
