"""What the package shows, what it drags in, and where it can live."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import perceptrons

SOURCES = Path(perceptrons.__file__).parents[2]


def run(code, **environment):
    """A fresh interpreter that sees the sources; returns what it printed."""
    env = {**os.environ, "PYTHONPATH": str(SOURCES), **environment}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_public_names():
    assert set(perceptrons._HOMES) == set(perceptrons.__all__) <= set(dir(perceptrons))
    assert all(getattr(perceptrons, name) is not None for name in perceptrons.__all__)
    assert callable(perceptrons.certify)
    assert {"Certificate", "bounds"} <= set(perceptrons.theory.__all__)
    with pytest.raises(AttributeError, match="no attribute 'Perzeptron'"):
        _ = perceptrons.Perzeptron


def test_no_module_takes_the_place_of_a_public_name():
    """Importing a submodule sets an attribute of the package: none may bear the name of something else."""
    modules = {path.stem for path in (SOURCES / "perceptrons").iterdir() if not path.name.startswith("_")}
    assert modules & set(perceptrons.__all__) == {"theory"}


def test_import_brings_in_no_optional_dependency():
    optional = "{'torch', 'dask', 'onnx', 'matplotlib', 'polars', 'typer', 'rich'}"  # pandas: scikit-learn's
    assert run(f"import sys, perceptrons; print(sorted({optional} & set(sys.modules)))") == "[]"


def test_a_read_only_installation_without_a_home(tmp_path):
    """Numba finds no place for its cache there; the package must compile without one. (A file in the place
    of each __pycache__, and no home: this holds for root, too, whom permissions do not stop.)"""
    tree = tmp_path / "perceptrons"
    shutil.copytree(SOURCES / "perceptrons", tree, ignore=shutil.ignore_patterns("__pycache__"))
    for folder in [tree, *(path for path in tree.rglob("*") if path.is_dir())]:
        (folder / "__pycache__").touch()
    nowhere = {"HOME": "/dev/null", "XDG_CACHE_HOME": "/dev/null", "NUMBA_CACHE_DIR": ""}
    code = """
import numba, perceptrons
print(perceptrons.__file__)
print(perceptrons.Perceptron(order="cyclic").fit([[0.0], [2.0]], [0, 1]).converged_)
"""
    file, converged = run(code, PYTHONPATH=str(tmp_path), **nowhere).splitlines()
    assert file == str(tree / "__init__.py")
    assert converged == "True"
