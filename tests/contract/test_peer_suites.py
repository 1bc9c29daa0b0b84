"""scikit-learn's own tests of Perceptron, passive-aggressive, SGD, LinearSVC and AdaBoost, run on ours.

They are read from the installed package by a process of their own, in which our classes stand in the places
of its classes (`peer_adapters`). `peer_table` says which apply, and of each other one why it does not.
"""

import json
import os
import subprocess
import sys
from collections import Counter

import pytest
import sklearn

from benchmarks import ROOT
from tests.contract.peer_table import MADE_FOR, MODULES, NEW, entries, entry_for
from tests.jit import JIT

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not JIT, reason="compiled code is what is tested")]
SAME = sklearn.__version__ == MADE_FOR


@pytest.fixture(scope="module")
def suites(tmp_path_factory):
    """What each test came to: reason (None if it applies), outcome, why it failed, whether it used ours."""
    folder = tmp_path_factory.mktemp("peer")
    (folder / "pytest.ini").write_text("[pytest]\n")
    report = folder / "report.json"
    own = ["-c", str(folder / "pytest.ini"), "--rootdir", str(folder), "-p", "tests.contract.peer_plugin"]
    quiet = ["-p", "no:cacheprovider", "-p", "no:xdist", "-q", "-W", "ignore"]
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *own, *quiet, "--pyargs", *MODULES.values()],
        env={**os.environ, "PYTHONPATH": path, "PEER_REPORT": str(report), "PYTEST_ADDOPTS": ""},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert report.exists(), done.stdout + done.stderr
    found = json.loads(report.read_text(encoding="utf-8"))
    assert not found["errors"], found["errors"]
    return found["tests"]


def test_what_applies_passes(suites, record_property):
    applicable = {name: one for name, one in suites.items() if one["reason"] is None}
    passed = [name for name, one in applicable.items() if one["outcome"] == "passed"]
    others = Counter(one["reason"] for one in suites.values() if one["reason"] is not None)
    lines = [
        f"scikit-learn {sklearn.__version__}'s own tests: {len(suites)} found, {len(applicable)} apply to "
        f"ours, {len(passed)} of them pass; not applicable:",
        *(f"  {count:4d}  {reason}" for reason, count in others.most_common()),
    ]
    if not SAME:
        lines.append(f"  (the table was made for {MADE_FOR})")
    record_property("printed", "\n".join(lines))
    print(*lines, sep="\n")
    failed = {name: one["why"] for name, one in applicable.items() if one["outcome"] != "passed"}
    if SAME:
        assert not failed, "\n".join(f"{name}: {why}" for name, why in failed.items())
    assert len(passed) >= 60


def test_tests_that_apply_use_our_learners(suites):
    """Else they would say nothing of them."""
    assert not [name for name, one in suites.items() if one["reason"] is None and not one["used"]]


def test_the_table_names_the_tests_that_there_are(suites, record_property):
    new = [name for name, one in suites.items() if one["reason"] == NEW]
    found = [name.split("::") for name in suites]
    gone = [
        (module, entry)
        for module, entry in entries()
        if not any(module == own and entry_for(module, name, [entry]) for own, name in found)
    ]
    if not SAME:
        record_property("printed", f"New in scikit-learn {sklearn.__version__}: {new}; gone: {gone}")
        return
    assert (new, gone) == ([], [])
