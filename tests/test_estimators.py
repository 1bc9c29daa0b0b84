"""scikit-learn's own contract, for every public estimator. Expected failures would be listed here: none."""

import os

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from perceptrons import Perceptron

# the checks fit small sets that are not separable, and none of them asks for convergence
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

EPOCHS = {} if os.environ.get("NUMBA_DISABLE_JIT", "0") == "0" else {"max_epochs": 12}

ESTIMATORS = [
    Perceptron(**EPOCHS),
    Perceptron(order="cyclic", **EPOCHS),
    Perceptron(margin="growing", **EPOCHS),
    Perceptron(fit_intercept=False, **EPOCHS),
    Perceptron(order="active", **EPOCHS),
    Perceptron(order="worst", result="pocket", **EPOCHS),
    Perceptron(step="passive-aggressive", margin=1.0, result="average", **EPOCHS),
]


@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
