"""The notebooks run from the first cell to the last, and hold no output of an earlier run."""

import json
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "examples" / "notebooks").glob("*.ipynb"))


def cells(path, kind):
    found = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in found if cell["cell_type"] == kind]


def test_there_are_three():
    assert len(NOTEBOOKS) == 3


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_runs(path, monkeypatch, capsys):
    shown = []
    monkeypatch.chdir(path.parent)
    monkeypatch.setattr(plt, "show", lambda: shown.append(plt.get_fignums()) or plt.close("all"))
    names = {}
    for number, code in enumerate(cells(path, "code")):
        exec(compile(code, f"{path.name}, cell {number}", "exec"), names)
    assert shown
    assert capsys.readouterr().out


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_is_kept_without_output(path):
    document = json.loads(path.read_text(encoding="utf-8"))
    assert not [cell for cell in document["cells"] if cell.get("outputs") or cell.get("execution_count")]
    assert cells(path, "markdown")[0].startswith("# ")
