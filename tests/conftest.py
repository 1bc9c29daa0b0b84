"""Fixtures of the tests of the commands: a table in an empty folder, and a way to run a command."""

import os
from pathlib import Path

import pytest

from perceptrons.cli import main
from tests.commands import coffee

if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
    # what takes minutes where nothing is compiled; and what runs compiled commands in any case
    collect_ignore = [
        "test_rejecting_page.py",
        "test_cli.py",
        "test_cli_conservative.py",
        "test_cli_reject_label.py",
        "test_cli_tables.py",
        "test_compare.py",
        "test_compare_rejecting.py",
        "test_pages.py",
        "test_genome.py",
        "test_downloads.py",
        # networks are PyTorch's work; the compiled pass of their loss is in test_neural_loss.py
        "test_margin_mlp.py",
        "test_margin_mlp_costs.py",
        "test_neural_batches.py",
        "test_neural_certify.py",
        "test_neural_clocked.py",
        "test_neural_reject.py",
        "test_side_by_side.py",
    ]
    collect_ignore_glob = ["test*_reproduce*.py"]


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
