"""How many bytes a model takes, on this machine and on microcontrollers; a tree of emlearn beside."""

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from perceptrons import export

MACHINES = {
    "x86-64": ["gcc"],
    "Cortex-M0": ["arm-none-eabi-gcc", "-mcpu=cortex-m0", "-mthumb"],
    "Cortex-M4F": [
        "arm-none-eabi-gcc",
        "-mcpu=cortex-m4",
        "-mthumb",
        "-mfloat-abi=hard",
        "-mfpu=fpv4-sp-d16",
    ],
}
FLAGS = ["-std=c99", "-Os", "-c"]
OURS = '#include "m.h"\nint answer(const m_row *row)\n{\n    return m_predict(row);\n}\n'
TREE = '#include "tree.h"\nint answer(const int16_t *row)\n{\n    return tree_predict(row, %d);\n}\n'
CHILD = """
import json, sys
import numpy as np
from sklearn.tree import DecisionTreeClassifier
X, y = np.array(json.loads(sys.argv[1])), np.array(json.loads(sys.argv[2]))
tree = DecisionTreeClassifier(max_leaf_nodes=16, random_state=0).fit(X, y)
import emlearn  # last: it makes NumPy raise where anything underflows
emlearn.convert(tree, dtype="int16_t").save(file=sys.argv[3], name="tree")
print(emlearn.includedir)
"""


def sizes(models: dict[str, Any], X: np.ndarray, y: np.ndarray) -> Iterator[dict[str, Any]]:
    """Bytes of code and constants of what predicts; of compilers that are installed."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for what, model in models.items():
            for kind, fixed in (("doubles", None), ("fixed point, 16 bits", 16)):
                if fixed and what.startswith("256 bits"):
                    continue
                export(model, folder / "m.h", to="c", fixed=fixed)
                (folder / "m.c").write_text(OURS)
                yield {"id": f"size {what} {kind}", "name": f"{what}, {kind}"} | _measured(folder, [])
        if find_spec("emlearn"):
            include = _emlearn(folder, X, y)
            (folder / "m.c").write_text(TREE % X.shape[1])
            yield {"id": "size emlearn", "name": "emlearn, tree of 16 leaves, int16"} | _measured(
                folder, [include]
            )


def _emlearn(folder: Path, X: np.ndarray, y: np.ndarray) -> str:
    some = json.dumps(X[:500].tolist()), json.dumps(y[:500].astype(int).tolist())
    command = [sys.executable, "-c", CHILD, *some, str(folder / "tree.h")]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def _measured(folder: Path, include: list[str]) -> dict[str, int]:
    return {
        machine: _bytes(compiler, folder, include)
        for machine, compiler in MACHINES.items()
        if shutil.which(compiler[0])
    }


def _bytes(compiler: list[str], folder: Path, include: list[str]) -> int:
    includes = [f"-isystem{one}" for one in include]
    subprocess.run([*compiler, *FLAGS, *includes, "m.c", "-o", "m.o"], cwd=folder, check=True)
    size = "size" if compiler[0] == "gcc" else "arm-none-eabi-size"
    done = subprocess.run([size, "m.o"], cwd=folder, check=True, capture_output=True, text=True)
    text, data, bss = map(int, done.stdout.splitlines()[1].split()[:3])
    return text + data + bss
