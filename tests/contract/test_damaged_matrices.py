"""Damaged sparse matrices at every door: nothing dies, everything is refused or as good as sound."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer

from perceptrons import Cascade, Perceptron, SelectiveClassifier, verify
from perceptrons.margin.certificates import certify_margin as certify
from tests.contract.damaged_matrices import COMPRESSED, KNOWN, LABELS, made
from tests.sizes import cases

ROOT = Path(__file__).parents[2]


@pytest.mark.thorough
@pytest.mark.kernels
def test_no_damage_kills_a_process(record_property):
    """In a process of its own, which forks for each case: here threads would be in the way."""
    n = cases(6000, share=100)
    done = subprocess.run(
        [sys.executable, "-m", "tests.contract.damaged_matrices", str(n)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    record_property("printed", f"damaged matrices: {found}")
    assert found["died"] == found["wrong"] == 0, done.stderr
    assert found["cases"] == n == found["refused"] + found["same"]
    assert found["refused"] > n // 3
    assert found["same"] > n // 10


def test_the_smallest_case():
    """A segmentation fault, before structures were looked at."""
    X = sp.csr_array(KNOWN)
    model = Perceptron(max_epochs=5, random_state=0).fit(X, LABELS)
    X.indices[3] = 10_000_000
    for way in (lambda: model.fit(X, LABELS), lambda: model.predict(X)):
        with pytest.raises(ValueError, match=r"indices\[3\] is 10000000, but it must be from 0 to 5"):
            way()


def test_classifiers_and_steps_of_scikit_learn_inside():
    """They would read beyond the arrays; one place, so that the process lives if they do."""
    damaged = sp.csr_array(KNOWN)
    selective = SelectiveClassifier(LogisticRegression(), max_error=0.4, confidence=0.6, random_state=0)
    selective.fit(KNOWN, LABELS)
    cascade = Cascade([LogisticRegression()], cv=2, random_state=0).fit(KNOWN, LABELS)
    pipeline = make_pipeline(Normalizer(), Perceptron(max_epochs=5, random_state=0)).fit(KNOWN, LABELS)
    certificate = certify(pipeline, KNOWN, LABELS)
    damaged.indices[3] = KNOWN.shape[1]
    for way in (
        lambda: selective.predict(damaged),
        lambda: selective.score(damaged, LABELS),
        lambda: cascade.predict(damaged),
        lambda: certify(pipeline, damaged, LABELS),
        lambda: verify(certificate, pipeline, damaged, LABELS),
    ):
        with pytest.raises(ValueError, match=r"indices\[3\] is 6, but it must be from 0 to 5"):
            way()


def test_every_kind_of_damage_is_drawn():
    assert len(COMPRESSED) == len(set(COMPRESSED)) + 1  # one is drawn twice as often
    kinds = {str(made(KNOWN, "csr", np.random.default_rng(seed)).indices.dtype) for seed in range(20)}
    assert kinds == {"int32", "int64"}


def test_what_scipy_remembers_is_not_believed():
    """A cell stored twice, after SciPy has found none."""
    X = sp.csr_array(KNOWN)
    assert X.has_canonical_format
    X.indices[X.indptr[2] + 1] = X.indices[X.indptr[2]]
    dense = KNOWN.copy()
    row = slice(X.indptr[2], X.indptr[3])
    dense[2] = 0.0
    np.add.at(dense[2], X.indices[row], X.data[row])
    found, expected = (Perceptron(max_epochs=5, random_state=0).fit(one, LABELS) for one in (X, dense))
    assert np.array_equal(found.coef_, expected.coef_)
    assert found.certificate_.radius == expected.certificate_.radius
