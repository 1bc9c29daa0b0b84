"""A network has a report, with costs and without."""

import pytest
import torch  # noqa: F401  without it this module is left out
from sklearn.pipeline import make_pipeline

from perceptrons import Costs, TableEncoder, report
from perceptrons.neural import MarginMLPClassifier
from tests.reports.learned import coffee

pytestmark = pytest.mark.torch


@pytest.mark.parametrize("costs", [None, Costs(reject=0.2)])
def test_a_network_has_a_report(costs):
    X, y = coffee()
    network = MarginMLPClassifier(hidden_size=8, max_epochs=40, costs=costs, random_state=0)
    model = make_pipeline(TableEncoder(), network).fit(X, y)
    page = report(model, X, y, folds=2).html
    assert "MarginMLPClassifier" in page
    assert ("It always answers" in page) == (costs is None)
