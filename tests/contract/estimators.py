"""Every public estimator: one instance with defaults, and more where parameters lead to other code.

Restarts and epochs are few where the default takes long. Beside an estimator stand those of scikit-learn's
checks that it fails, and why.
"""

from importlib.util import find_spec
from typing import Any, NamedTuple

from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

from perceptrons import (
    BinaryPerceptron,
    Cascade,
    ChowClassifier,
    ConservativePerceptron,
    Costs,
    KernelPerceptron,
    LiteralEncoder,
    MarginProjection,
    MaxMarginPerceptron,
    Perceptron,
    PrunedPerceptron,
    SelectiveClassifier,
    SparsePerceptron,
    TableEncoder,
)


class Public(NamedTuple):
    estimator: Any
    fails: dict[str, str] = {}  # noqa: RUF012  checks of scikit-learn's, and why


NO_MATRIX = {
    "check_positive_only_tag_during_fit": "it shifts a kernel matrix, which is none thereafter",
    "check_estimators_dtypes": "it rounds a kernel matrix to integers, which is none thereafter",
}
REJECTED = {
    "check_classifiers_train": "it asserts that predict gives the class of the score for every row, of which "
    "some are rejected; the rows of check_classifiers_classes are separable, and none of them is"
}
HEAVY_CLASS = {
    "check_class_weight_classifiers": "of its three classes, a literal that holds in the upper ninth of the "
    "training rows holds in none of the heavy class, so that no weight speaks for it there: 84 % of the test "
    "rows are given that class, 87 % are asked for"
}
REPEATED = [f"check_sample_weight_equivalence_on_{kind}_data" for kind in ("dense", "sparse")]
STEPS_WEIGHED = dict.fromkeys(
    REPEATED, "a weight multiplies the step of its row; repeated rows take theirs at other moments"
)
ROWS_DRAWN = dict.fromkeys(
    REPEATED,
    "which rows are held out is drawn among the rows, and repeated rows are more of them",
)
EDGE = {
    "check_class_weight_classifiers": "once the rows of the heavy class are right nothing moves the boundary "
    "further from them: 78 % of the test rows are given that class, 87 % are asked for"
}
ORIGIN = {
    "check_class_weight_classifiers": "through the origin no hyperplane gives one class to nearly all of "
    "these rows, whatever they weigh"
}
NO_SLACK = {
    "check_class_weight_classifiers": "with C=inf each row must be on its side, whatever its weight, so "
    "that a positive weight changes nothing; its rows are not separable"
}
RUNS = {"n_restarts": 2, "max_epochs": 50}

PUBLIC = [
    Public(Perceptron(), STEPS_WEIGHED | EDGE),
    Public(Perceptron(order="worst", result="pocket", fit_intercept=False), STEPS_WEIGHED | ORIGIN),
    Public(
        Perceptron(order="active", step="passive-aggressive", margin=1.0, result="average"), STEPS_WEIGHED
    ),
    Public(KernelPerceptron(), STEPS_WEIGHED),
    Public(KernelPerceptron("precomputed", margin="growing"), NO_MATRIX | STEPS_WEIGHED),
    Public(MaxMarginPerceptron(), NO_SLACK),
    Public(MaxMarginPerceptron(C=1.0, fit_intercept=False), ORIGIN),
    Public(MarginProjection(1)),  # few features there: "auto" would be more than they are
    Public(SparsePerceptron()),
    Public(SparsePerceptron(max_points=5)),
    Public(SparsePerceptron(refit="stagewise"), HEAVY_CLASS),
    Public(SparsePerceptron(booster="majority", k=1, stages=11, target_size=5), HEAVY_CLASS),
    Public(PrunedPerceptron(), ROWS_DRAWN),
    Public(ConservativePerceptron(**RUNS), REJECTED | STEPS_WEIGHED),
    Public(ConservativePerceptron(rule="cplr1", band="exact", reject_label=None, **RUNS), STEPS_WEIGHED),
    Public(ChowClassifier(LogisticRegression()), REJECTED),
    Public(ChowClassifier(Perceptron(max_epochs=50, random_state=0), reject_label=None), STEPS_WEIGHED),
    Public(SelectiveClassifier(LogisticRegression(), max_error=0.4, confidence=0.6, random_state=0)),
    Public(SelectiveClassifier(Perceptron(max_epochs=50, random_state=0), reject_label=None, random_state=0)),
    Public(Cascade([LogisticRegression(), KNeighborsClassifier(1)], cv=3, random_state=0)),
    Public(Cascade([LogisticRegression()], cv=2, reject_label=None)),
    Public(BinaryPerceptron()),
    Public(BinaryPerceptron(method="sbpi")),
    Public(LiteralEncoder()),
    Public(TableEncoder()),
]
if find_spec("torch"):
    from perceptrons.neural import MarginMLPClassifier

    SHORT = {"max_epochs": 20, "eta": 0.1}
    PUBLIC += [
        Public(MarginMLPClassifier()),
        Public(MarginMLPClassifier(n_errors=10, schedule=0.0, **SHORT), STEPS_WEIGHED),
        # its batches are larger than the sets of the checks: there a weight of 2 is the same as two rows
        Public(MarginMLPClassifier(costs=Costs(), reject_label=None, **SHORT)),
    ]
