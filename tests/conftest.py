"""Fixtures of the tests of the commands: a table in an empty folder, and a way to run a command."""

from pathlib import Path

import pytest

from perceptrons.cli import main
from tests.commands import coffee


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
