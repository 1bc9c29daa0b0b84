"""Make the edits one by one and run the tests that must notice; see the package's docstring."""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from .edits import PACKAGE, ROOT, Edit, read, rooms, unguarded

COPIED = ("src", "tests", "benchmarks", "docs", "examples", "tools")


def first_failure(copy: Path, tests: str, compiled: bool) -> str:
    """The first test of that file that fails in the copy; "" if none does."""
    options = ["-x", "-q", "-n", "0", "-p", "no:cacheprovider", f"tests/{tests}"]
    env = {**os.environ, "NUMBA_DISABLE_JIT": "0" if compiled else "1"}
    env.pop("NUMBA_CACHE_DIR", None)
    command = [sys.executable, "-m", "pytest", *options]
    done = subprocess.run(command, cwd=copy, env=env, capture_output=True, text=True)
    found = re.search(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.MULTILINE)
    return found.group(1) if found else "" if done.returncode == 0 else done.stdout[-500:]


def try_out(edit: Edit, copy: Path) -> str:
    """The first test that fails with the edit made; "" if none does."""
    source = copy / PACKAGE / edit.module
    text = source.read_text()
    if edit.old not in text:
        raise SystemExit(f"{edit.module} has no {edit.old!r}: bring tests/break_it up to date.")
    source.write_text(text.replace(edit.old, edit.new))
    failed = first_failure(copy, edit.tests, edit.marked("compiled"))
    source.write_text(text)
    return failed


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.break_it", description="Break a line, see a test fail."
    )
    parser.add_argument("rooms", nargs="*", help=f"rooms to try, of {', '.join(rooms())} (default: all)")
    parser.add_argument("--few", action="store_true", help="a few edits, for continuous integration")
    given = parser.parse_args()
    edits = [edit for room in given.rooms or rooms() for edit in read(room)]
    edits = [edit for edit in edits if edit.marked("few") or not given.few]
    survived = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        for name in COPIED:
            shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("conftest.py", "pyproject.toml", "README.md"):
            shutil.copy(ROOT / name, copy / name)
        for tests, compiled in sorted({(edit.tests, edit.marked("compiled")) for edit in edits}):
            failed = first_failure(copy, tests, compiled)
            if failed:
                raise SystemExit(f"{failed} fails before anything is broken.")
        for edit in edits:
            caught = try_out(edit, copy)
            survived += not caught
            print(f"{edit.module}: {edit.old} → {edit.new}\n     {caught or 'SURVIVED'}", flush=True)
    if not given.rooms and not given.few:
        print("Modules without an edit:", *unguarded(), sep="\n  ")
    print(f"{len(edits) - survived} caught, {survived} survived")
    sys.exit(survived > 0)


if __name__ == "__main__":
    main()
