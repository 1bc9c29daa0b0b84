"""Jackson and Craven: codons, noisy labels, C4.5: claims, their limits, broken learners."""

import copy

import numpy as np
import pytest

from perceptrons.papers.jackson_craven import jackson_craven_further as module
from perceptrons.papers.pictures import files
from perceptrons.sparse.sparse_perceptron import SparsePerceptron
from tests.experiments import run_quickly, verdicts

pytestmark = pytest.mark.data
CODONS = "coding: features that represent codons generalize better than bases"
NOISY = "noisy sparse perceptrons can still be learned: errors on clean rows stay below the noise"


@pytest.fixture(scope="module")
def result():
    return run_quickly(module, {"seeds": [0]})


def test_codons_help_and_noisy_targets_are_learned(result):
    found = verdicts(module, result.values)
    assert found[CODONS] == found[NOISY] == "reproduced"
    assert found["voting: accuracy of C4.5"] == "reproduced"
    assert found["coding: accuracy of C4.5"] == "not comparable"
    assert all(len(row) == len(table.heads) for table in result.tables for row in table.rows)


def test_rows_are_flipped_as_told():
    for kind in (module.RANDOM, module.MALICIOUS):
        X, y, others, truth = module.noisy_rows(module.NoiseTask(kind, 0.1, 3))
        clean = module.noisy_rows(module.NoiseTask(kind, 0.0, 3))
        assert (X.shape, others.shape) == ((300, 20), (2_000, 20))
        assert (y != clean[1]).sum() == 30
        assert np.array_equal(truth, clean[3])
        assert np.array_equal(X, clean[0])


class Stubborn(SparsePerceptron):
    """Says the same of every row."""

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


class Letters(module.OneHotEncoder):
    """Knows the first column alone."""

    def fit(self, X):
        return super().fit(X[:, :1])

    def transform(self, X):
        return super().transform(X[:, :1])


def test_broken_learners_are_found_out(monkeypatch):
    monkeypatch.setattr(module, "SparsePerceptron", Stubborn)
    monkeypatch.setattr(module, "OneHotEncoder", Letters)
    monkeypatch.setattr(module.c45, "predict", lambda tree, X: np.full(len(X), tree.answer))
    found = verdicts(module, run_quickly(module, {"seeds": [0]}).values)
    assert found[NOISY] == found["voting: accuracy of C4.5"] == "not reproduced"


def test_codons_must_be_better_by_the_test(result):
    values = copy.deepcopy(result.values)
    values["codons"][module.CODONS] = values["codons"][module.BASES]
    values["codons"][module.CODONS][0] -= 1e-9
    assert verdicts(module, values)[CODONS] == "not reproduced"


def test_it_is_drawn(result):
    drawn = dict(files(lambda figure: module.draw(figure, result.values), module.HEIGHT, ("svg",)))
    assert drawn["svg"].startswith(b"<?xml")
