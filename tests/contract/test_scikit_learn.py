"""scikit-learn's own contract, for every public estimator, with the failures that are expected."""

import pytest
from sklearn.base import BaseEstimator
from sklearn.utils.estimator_checks import parametrize_with_checks

import perceptrons
from tests.contract.estimators import PUBLIC

# the checks fit small sets that are not separable, and none of them asks for convergence
pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore:Nothing can be promised:UserWarning"),
    pytest.mark.filterwarnings(
        "ignore:Rejecting every row costs:UserWarning"
    ),  # the labels of a check are noise
]

FAILS = {id(one.estimator): one.fails for one in PUBLIC}
FIRST = {type(one.estimator): one.estimator for one in reversed(PUBLIC)}
OTHERS = [one.estimator for one in PUBLIC if one.estimator is not FIRST[type(one.estimator)]]


def test_the_list_has_every_public_estimator():
    public = [getattr(perceptrons, name) for name in perceptrons.__all__]
    estimators = {one for one in public if isinstance(one, type) and issubclass(one, BaseEstimator)}
    assert estimators <= {type(one.estimator) for one in PUBLIC}


def fails(estimator):
    return FAILS[id(estimator)]


@parametrize_with_checks([*FIRST.values()], expected_failed_checks=fails)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks(OTHERS, expected_failed_checks=fails)
def test_scikit_learn_checks_with_other_parameters(estimator, check):
    check(estimator)
