"""Every public classifier: certify, verify, save, load, verify; on rows trained on, new and held back."""

import numpy as np
import pytest
from sklearn.base import clone, is_classifier
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags

from perceptrons import Cascade, LiteralEncoder, TableEncoder, certify, load, load_certificate, save, verify
from tests.certification.models import X, y
from tests.contract.estimators import PUBLIC

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore:Nothing can be promised:UserWarning"),
]
CLASSIFIERS = [
    pytest.param(one.estimator, id=f"{number}-{type(one.estimator).__name__}")
    for number, one in enumerate(PUBLIC)
    if is_classifier(one.estimator)
]
N_OLD = 120


def sets(estimator):
    """Rows to train on, and new ones; kernel values, if that is what it takes."""
    if get_tags(estimator).input_tags.pairwise:
        return X[:N_OLD] @ X[:N_OLD].T, X[N_OLD:] @ X[:N_OLD].T
    return X[:N_OLD], X[N_OLD:]


def can_be_saved(estimator):
    """A cascade of stages that are not ours cannot."""
    return not isinstance(estimator, Cascade) or len(estimator.stages) == 1


@pytest.mark.parametrize("estimator", CLASSIFIERS)
def test_certify_verify_save_load_verify(estimator, tmp_path):
    old, new = sets(estimator)
    model = clone(estimator).fit(old, y[:N_OLD])
    for rows, labels in ((old, y[:N_OLD]), (new, y[N_OLD:])):
        found = certify(model, rows, labels)
        assert len(found.sentences()) == 3
        assert str(found) == "\n".join(found.sentences())
        assert found._repr_html_().count("<p>") == 3
        verify(found, model, rows, labels)
        if can_be_saved(estimator):
            path = tmp_path / "model.json"
            save(model, path, certificate=found)
            assert load_certificate(path) == found
            verify(load_certificate(path), load(path), rows, labels)


# rows of a kernel matrix cannot be held back without its columns
ALONE = [one for one in CLASSIFIERS if not get_tags(one.values[0]).input_tags.pairwise]


@pytest.mark.parametrize("estimator", ALONE)
def test_rows_held_back(estimator):
    encoder = LiteralEncoder() if "Binary" in type(estimator).__name__ else TableEncoder()
    model = make_pipeline(encoder, clone(estimator))
    found = certify(model, X, y, holdback=0.4)
    assert found.n_rows == 96
    assert not np.isnan(found.bound)
    verify(found, model, X, y)
