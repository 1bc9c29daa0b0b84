"""First use: what is compiled for a fit, and what is not because it would take too long."""

import json
import os
import subprocess
import sys

import pytest

from tests.jit import JIT

FITS = """
import json
import numpy as np
from numba.core import event
from perceptrons import *

class Names(event.Listener):
    found = []

    def on_start(self, event):
        function = event.data["dispatcher"].py_func
        self.found.append(f"{function.__module__}.{function.__qualname__}")

    def on_end(self, event):
        pass

event.register("numba:compile", Names())
rng = np.random.default_rng(0)
X = rng.standard_normal((60, 3)).round(1)
y = (X[:, 0] + X[:, 1] > 0.05).astype(int)
models = [Perceptron(), MaxMarginPerceptron(), KernelPerceptron(), BinaryPerceptron()]
models += [SparsePerceptron(), SparsePerceptron(max_points=3), ConservativePerceptron()]
for model in models:
    model.fit(X, y).predict(X)
print(json.dumps(Names.found))
"""


@pytest.mark.slow
@pytest.mark.skipif(not JIT, reason="nothing is compiled")
def test_no_kernel_takes_messages_of_errors_with_it(tmp_path):
    """An assignment of an array to a slice compiles Unicode strings, for a second and more."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "NUMBA_DISABLE_JIT": "0"}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FITS], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert "perceptrons.margin.maximum.corral.climb" in found
    assert not [name for name in found if name.startswith("numba.cpython.unicode")]
