"""scikit-learn's own contract, for every public estimator, with the failures that are expected."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from perceptrons import (
    BinaryPerceptron,
    ConservativePerceptron,
    Costs,
    KernelPerceptron,
    MarginProjection,
    MaxMarginPerceptron,
    Perceptron,
    SparsePerceptron,
)
from perceptrons.neural import MarginMLPClassifier
from tests.jit import JIT

# the checks fit small sets that are not separable, and none of them asks for convergence
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

EPOCHS = {} if JIT else {"max_epochs": 12}
RUNS = {"n_restarts": 2, "max_epochs": 50 if JIT else 10}
NETWORK = {"max_epochs": 20, "eta": 0.1}
STAGES = {} if JIT else {"max_stages": 5}

ESTIMATORS = [
    Perceptron(**EPOCHS),
    Perceptron(order="cyclic", **EPOCHS),
    Perceptron(margin="growing", **EPOCHS),
    Perceptron(fit_intercept=False, **EPOCHS),
    Perceptron(order="active", **EPOCHS),
    Perceptron(order="worst", result="pocket", **EPOCHS),
    Perceptron(step="passive-aggressive", margin=1.0, result="average", **EPOCHS),
    KernelPerceptron(**EPOCHS),
    KernelPerceptron("linear", order="worst", result="pocket", **EPOCHS),
    KernelPerceptron("precomputed", margin="growing", **EPOCHS),
    MaxMarginPerceptron(),
    MaxMarginPerceptron(C=1.0),
    MaxMarginPerceptron(fit_intercept=False),
    SparsePerceptron(**STAGES),
    SparsePerceptron(k=1, stages=10),
    SparsePerceptron(k=3, stages=5, beam=5),
    SparsePerceptron(booster="majority", stages=11, target_size=5),
    ConservativePerceptron(**({} if JIT else RUNS)),
    ConservativePerceptron(reject_label=None, **RUNS),
    ConservativePerceptron(rule="cplr1", band="exact", reject_label=None, **RUNS),
    BinaryPerceptron(),
    BinaryPerceptron(method="clipped-hebb"),
    BinaryPerceptron(method="sbpi", **EPOCHS),
    MarginProjection(1),  # few features there: "auto" would be more than they are
]
if JIT:  # PyTorch's work is the same without
    ESTIMATORS += [
        MarginMLPClassifier(**NETWORK),
        MarginMLPClassifier(n_errors=10, schedule=0.0, **NETWORK),
        MarginMLPClassifier(costs=Costs(), reject_label=None, **NETWORK),
    ]


def expected_failures(estimator):
    if getattr(estimator, "kernel", None) == "precomputed":
        return {
            "check_positive_only_tag_during_fit": "it shifts a kernel matrix, which is none thereafter",
            "check_estimators_dtypes": "it rounds a kernel matrix to integers, which is none thereafter",
        }
    if isinstance(estimator, ConservativePerceptron) and estimator.reject_label is not None:
        return {
            "check_classifiers_train": "it asserts that predict is score > 0 for every row, of which some "
            "are rejected; the rows of check_classifiers_classes are separable, and none of them is"
        }
    if isinstance(estimator, SparsePerceptron):
        return {
            "check_class_weight_classifiers": "of its three classes, a literal that holds in the upper ninth "
            "of the training rows holds in none of the heavy class, so that no weight speaks for it there: "
            "84 % of the test rows are given that class, 87 % are asked for"
        }
    return {}


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
