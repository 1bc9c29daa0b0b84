"""What the package shows, what it drags in, and where it can live."""

import ast
import os
import pkgutil
import shutil
import subprocess
import sys
from collections import Counter
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from types import FunctionType, ModuleType

import numpy as np
import pytest

import perceptrons

PACKAGE = Path(perceptrons.__file__).parent
SOURCES = PACKAGE.parent


def run(code, **environment):
    """A fresh interpreter that sees the sources; returns what it printed."""
    env = {**os.environ, "PYTHONPATH": str(SOURCES), **environment}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_public_names():
    assert all(getattr(perceptrons, name) is not None for name in perceptrons.__all__)
    assert {"Certificate", "bounds"} <= set(perceptrons.theory.__all__)
    with pytest.raises(AttributeError, match="no attribute 'Perzeptron'"):
        _ = perceptrons.Perzeptron


X, Y = np.array([[0.0, 1.0], [2.0, 1.0], [1.0, 0.0], [3.0, 2.0]]), np.array([0, 1, 0, 1])
MANY = np.repeat(X, 5, axis=0), np.repeat(Y, 5)


def _written(file, text):
    path = Path(f"{file}.csv")
    path.write_text(text)
    return path


CALLS = {  # each public function, called
    "certify": lambda model, file: perceptrons.certify(model, X, Y),
    "compare": lambda model, file: perceptrons.compare(*MANY, folds=2, learners=["perceptron"]),
    "draw": lambda model, file: perceptrons.draw(perceptrons.Perceptron(), *MANY),
    "coverage_score": lambda model, file: perceptrons.coverage_score(Y, Y),
    "export": lambda model, file: perceptrons.export(model, file.with_suffix(".h"), to="c"),
    "save": lambda model, file: perceptrons.save(model, file),
    "explain_bounds": lambda model, file: perceptrons.explain_bounds(model, X, Y),
    "load_certificate": lambda model, file: perceptrons.load_certificate(file),
    "fit_stream": lambda model, file: perceptrons.fit_stream(perceptrons.Perceptron(), (X, Y)),
    "stream_svmlight": lambda model, file: perceptrons.stream_svmlight(_written(file, "1 1:1\n2 2:1\n")),
    "stream_table": lambda model, file: perceptrons.stream_table(_written(file, "a,y\n1,0\n2,1\n"), "y"),
    "load": lambda model, file: perceptrons.load(file),
    "report": lambda model, file: perceptrons.report(model, X, Y, folds=0),
    "reject_confusion_matrix": lambda model, file: perceptrons.reject_confusion_matrix(Y, Y),
    "risk_score": lambda model, file: perceptrons.risk_score(Y, Y),
    "selective_accuracy": lambda model, file: perceptrons.selective_accuracy(Y, Y),
    "trace": lambda model, file: perceptrons.trace(model, X, Y),
    "verify": lambda model, file: perceptrons.verify(model.certificate_, model, X, Y),
}


def test_public_names_are_there_when_every_module_was_imported(tmp_path):
    """Importing a module sets an attribute of its package: none may stand where a public name was."""
    for module in pkgutil.walk_packages(perceptrons.__path__, "perceptrons."):
        if not module.name.endswith("__main__"):
            try:
                import_module(module.name)
            except ImportError as error:
                absent = [name for name in ("torch", "onnx", "dask", "triton") if find_spec(name) is None]
                if not any(name in str(error).lower() for name in absent):
                    raise
    assert dir(perceptrons) == sorted(perceptrons.__all__)
    public = {name: getattr(perceptrons, name) for name in perceptrons.__all__}
    modules = {path.stem for path in PACKAGE.iterdir()}
    assert {name for name in public if name in modules} == {"datasets", "synthetic", "theory"}
    assert {name for name, value in public.items() if isinstance(value, ModuleType)} <= modules
    assert {name for name, value in public.items() if isinstance(value, FunctionType)} == CALLS.keys()
    model = perceptrons.Perceptron(random_state=0).fit(X, Y)
    for call in CALLS.values():
        call(model, tmp_path / "model.json")


# Names in the sources


@cache
def trees():
    return {path.relative_to(PACKAGE): ast.parse(path.read_text("utf-8")) for path in PACKAGE.rglob("*.py")}


def twice(names):
    return [name for name, times in Counter(names).items() if times > 1]


def test_no_class_name_twice():
    """But for the learners over collections, which bear the names of those in memory."""
    own = [tree for path, tree in trees().items() if not path.stem.endswith("_on_dask")]
    nodes = (node for tree in own for node in ast.walk(tree))
    assert twice(node.name for node in nodes if isinstance(node, ast.ClassDef)) == []


def test_no_module_name_twice():
    """Commands apart: each is named after the function it calls."""
    modules = [path for path in trees() if path.parts[0] != "cli" and not path.stem.startswith("__")]
    assert len(modules) > 100
    assert twice(path.stem for path in modules) == []


def private(node):
    """Names with an underscore in front that the statement takes from scikit-learn."""
    if isinstance(node, ast.ImportFrom):
        imported = [f"{node.module}.{alias.name}" for alias in node.names]
    else:
        imported = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
    return [name for name in imported if name.startswith("sklearn") and "._" in name]


def test_nothing_private_of_scikit_learn_is_imported():
    found = {path: [*chain(*map(private, ast.walk(tree)))] for path, tree in trees().items()}
    assert {path: names for path, names in found.items() if names} == {}
    assert private(ast.parse("from sklearn.utils import _x").body[0]) == ["sklearn.utils._x"]


# What comes along


def test_import_brings_in_no_optional_dependency():
    names = [
        "dask",
        "jinja2",
        "matplotlib",
        "onnx",
        "polars",
        "rich",
        "starlette",
        "torch",
        "typer",
        "uvicorn",
    ]  # pandas: scikit-learn's
    optional = f"set({names})"
    assert run(f"import sys, perceptrons; print(sorted({optional} & set(sys.modules)))") == "[]"


@pytest.mark.slow
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
