"""Headers on a microcontroller: compiled without a warning, and how many bytes they take."""

import subprocess

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from perceptrons import BinaryPerceptron, KernelPerceptron, SparsePerceptron, export
from tests.exports.engines import WARNINGS

BOARD = ["arm-none-eabi-gcc", "-mcpu=cortex-m0", "-mthumb", "-Os", "-c"]
PROGRAM = '#include "{0}.h"\nint answer_{0}(const {0}_row *row)\n{{\n    return {0}_predict(row);\n}}\n'
MOST = {"card": 1200, "fixed": 1000, "logit": 1200, "bits": 1500, "kernel": 20_000}  # bytes


@pytest.mark.export
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_sizes_on_a_cortex_m0(tmp_path, record_property):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 9, (300, 8)).astype(float)
    y = (X[:, :4].sum(axis=1) > X[:, 4:].sum(axis=1)).astype(int)
    card = SparsePerceptron(max_points=5, cv=2, random_state=0).fit(X, y)
    models = {
        "card": (card, None),
        "fixed": (card, 16),
        "logit": (LogisticRegression().fit(X, y), None),
        "bits": (BinaryPerceptron(epsilon=0.1).fit(X, y), None),
        "kernel": (KernelPerceptron(max_epochs=3, random_state=0).fit(X, y), None),
    }
    sizes = {}
    for name, (model, fixed) in models.items():
        export(model, tmp_path / f"{name}.h", to="c", fixed=fixed)
        (tmp_path / f"{name}.c").write_text(PROGRAM.format(name))
        command = [*BOARD, *WARNINGS, f"{name}.c", "-o", f"{name}.o"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        found = subprocess.run(
            ["arm-none-eabi-size", f"{name}.o"], cwd=tmp_path, capture_output=True, text=True
        )
        text, data, bss = map(int, found.stdout.splitlines()[1].split()[:3])
        assert data == bss == 0  # nothing in RAM
        sizes[name] = text
    assert all(size <= MOST[name] for name, size in sizes.items()), sizes
    record_property("printed", f"bytes on a Cortex-M0: {sizes}")
