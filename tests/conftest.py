"""What tests of several rooms ask for: the papers' data, a table, a way to run a command."""

import os
from pathlib import Path

import pytest

from perceptrons.cli import main
from tests.commands import coffee
from tests.jit import JIT


@pytest.fixture(scope="session")
def jit() -> bool:
    """Whether kernels are compiled; tests cut their sizes where they are not."""
    return JIT


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of the papers' data; a test that asks for it is left out where there is none."""
    return Path(os.environ["PERCEPTRONS_DATA"])


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    Path("table.csv").write_text(coffee())
    return "table.csv"


@pytest.fixture
def command(capsys):
    """Run a command in this process: (exit code, stdout, stderr)."""

    def run(*arguments):
        with pytest.raises(SystemExit) as left:
            main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return left.value.code, out, err

    return run
