"""Which of scikit-learn's own tests apply to our learners, and why the others do not.

Made for one version; of another one the test says what is new. An entry is the name of a test, or a pattern
for names; after a space, a pattern for the parameters it is called with. What applies comes first; of the
reasons, the first that fits.
"""

from collections.abc import Iterable
from fnmatch import fnmatchcase

MADE_FOR = "1.9.1"
MODULES = {
    "test_perceptron": "sklearn.linear_model.tests.test_perceptron",
    "test_passive_aggressive": "sklearn.linear_model.tests.test_passive_aggressive",
    "test_sgd": "sklearn.linear_model.tests.test_sgd",
    "test_svm": "sklearn.svm.tests.test_svm",
    "test_weight_boosting": "sklearn.ensemble.tests.test_weight_boosting",
}
NEW = "not in the table: new in this version"

REGRESSION, ONE_CLASS = "a regressor; we have none", "a one-class learner; we have none"
KERNELS = "SVC, NuSVC or a function of its own; none of our learners stands for it"
PENALTY = "an L1 or L2 penalty, which shrinks weights: our rules correct, and never shrink"
RATES = "learning rates, losses or stopping by a validation set that we do not have"
AVERAGES = "private attributes of its averages, or one that sets in later; ours begins with the first row"
PASSES = "the attribute t_, or what several passes of partial_fit leave; ours returns averages"
WORDS = "the same error, in its words; ours name value, limit and remedy"
LIFTED = "its steps leave the intercept out of the norm of a row; ours are those of lifted rows"
PROBABILITIES = "predict_proba, which this learner of ours does not have"
OPTIONS = "options that ours does not have; the adapter would ignore them"
TREES = "importances, random states or weights of the estimators it boosts; we boost literals"
THROUGH = "its hyperplanes are drawn to 0 by the penalty on the intercept; ours is not penalized"

APPLIES: dict[str, tuple[str, ...]] = {
    "test_perceptron": (
        "test_perceptron_accuracy",
        "test_perceptron_correctness",
        "test_undefined_methods",
    ),
    "test_passive_aggressive": (
        "test_classifier_accuracy *-False",
        "test_classifier_partial_fit *-False",
        "test_classifier_refit",
        "test_classifier_undefined_methods",
        "test_class_weights",
        "test_partial_fit_weight_class_balanced",
        "test_equal_class_weight",
        "test_wrong_class_weight_label",
    ),
    "test_sgd": (
        "test_input_format *SGDClassifier",
        "test_clone *SGDClassifier",
        "test_sgd_clf",
        "test_set_intercept_offset_binary *SGDClassifier-*",
        "test_set_intercept_to_intercept",
        "test_sgd_at_least_two_labels",
        "test_sgd_multiclass",
        "test_sgd_multiclass_with_init_coef",
        "test_sgd_multiclass_njobs",
        "test_set_coef_multiclass",
        "test_wrong_class_weight_label",
        "test_weights_multiplied",
        "test_balanced_weight",
        "test_wrong_sample_weights *SGDClassifier",
        "test_partial_fit_exception",
        "test_partial_fit_binary",
        "test_partial_fit_multiclass",
        "test_partial_fit_multiclass_average",
        "test_fit_then_partial_fit",
        "test_multiple_fit",
        "test_numerical_stability_large_gradient",
        "test_SGDClassifier_fit_for_all_backends",
        "test_sgd_random_state *PeerSGD",
        "test_sgd_dtype_match *SGDClassifier*",
        "test_sgd_numerical_consistency *SGDClassifier",
    ),
    "test_svm": (
        "test_weight",
        "test_auto_weight",
        "test_bad_input",
        "test_linearsvc",
        "test_linearsvc_fit_sampleweight",
        "test_linearsvc_iris",
        "test_liblinear_set_coef",
        "test_lsvc_intercept_scaling_zero",
        "test_linearsvm_liblinear_sample_weight *PeerLinearSVC*",
    ),
    "test_weight_boosting": ("test_pickle",),
}
NOT: dict[str, dict[str, tuple[str, ...]]] = {
    "test_perceptron": {PENALTY: ("test_perceptron_l1_ratio",)},
    "test_passive_aggressive": {
        AVERAGES: ("test_classifier_accuracy *-True", "test_classifier_partial_fit *-True"),
        LIFTED: ("test_classifier_correctness",),
        REGRESSION: ("test_regressor_*", "test_passive_aggressive_regressor_vs_sgd"),
        "its own deprecation": ("test_class_deprecation",),
        RATES: ("test_passive_aggressive_classifier_vs_sgd",),
    },
    "test_sgd": {
        REGRESSION: (
            "* *SGDRegressor*",
            "test_sgd_reg",
            "test_loss_epsilon_insensitive",
            "test_loss_squared_epsilon_insensitive",
        ),
        ONE_CLASS: (
            "* *SGDOneClassSVM*",
            "test_ocsvm_vs_sgdocsvm",
            "test_sgd_oneclass_*",
            "test_sgd_one_class_*",
        ),
        PASSES: ("test_warm_start*", "test_partial_fit_equal_fit_classif"),
        AVERAGES: (
            "test_plain_has_no_average_attr *",
            "test_late_onset_averaging_not_reached *",
            "test_late_onset_averaging_reached *",
        ),
        RATES: (
            "test_learning_rate_PA_raises *",
            "test_early_stopping *",
            "test_adaptive_longer_than_constant *",
            "test_validation_set_not_used_for_training *",
            "test_n_iter_no_change *",
            "test_not_enough_sample_for_early_stopping *",
            "test_power_t_limits *",
            "test_sgd_early_stopping_with_partial_fit *",
            "test_average_binary_computed_correctly",
            "test_sgd_multiclass_average",
            "test_regression_losses",
            "test_tol_parameter",
            "test_equal_class_weight",
            "test_loss_*",
            "test_gradient_squared_hinge",
            "test_multi_thread_multi_class_and_early_stopping",
            "test_multi_core_gridsearch_and_early_stopping",
            "test_validation_mask_correctly_subsets",
            "test_sgd_error_on_zero_validation_weight",
        ),
        PENALTY: (
            "test_sgd_l1_ratio_not_used *",
            "test_sgd_failing_penalty_validation *",
            "test_sgd_l1",
            "test_class_weights",
            "test_sample_weights",
            "test_l1_ratio",
            "test_large_regularization",
        ),
        WORDS: (
            "test_provide_coef *",
            "test_set_intercept_offset *",
            "test_partial_fit_weight_class_balanced",
            "test_underflow_or_overflow",
        ),
        PROBABILITIES: ("test_sgd_predict_proba_method_access", "test_sgd_proba"),
        OPTIONS: ("test_sgd_verbose *",),
    },
    "test_svm": {
        REGRESSION: ("test_svr*", "test_linearsvr*", "test_linearsvm_liblinear_sample_weight *"),
        ONE_CLASS: ("test_oneclass*",),
        OPTIONS: (
            "test_linearsvc_parameters",
            "test_linearsvc_crammer_singer",
            "test_crammer_singer_binary",
            "test_linearsvc_verbose",
        ),
        THROUGH: ("test_dense_liblinear_intercept_handling",),
        "our solver needs fewer than two iterations there, and has nothing to warn of": (
            "test_linear_svm_convergence_warnings",
        ),
        KERNELS: (
            "test_libsvm_*",
            "test_precomputed",
            "test_tweak_params",
            "test_probability",
            "test_decision_function",
            "test_decision_function_shape",
            "test_svm_*",
            "test_negative_*",
            "test_svc_*",
            "test_sparse_*",
            "test_immutable_coef_property",
            "test_unfitted",
            "test_consistent_decision_function",
            "test_hasattr_predict_proba",
            "test_decision_function_shape_two_class",
            "test_ovr_decision_function",
            "test_gamma_scale",
            "test_n_support",
            "test_custom_kernel_not_array_input",
            "test_n_iter_libsvm",
            "test_dual_auto*",
            "test_probability_raises_futurewarning",
        ),
    },
    "test_weight_boosting": {
        REGRESSION: (
            "test_regression_toy",
            "test_diabetes",
            "test_sparse_regression",
            "test_sample_weight_adaboost_regressor",
            "test_adaboostregressor_sample_weight",
        ),
        PROBABILITIES: (
            "test_oneclass_adaboost_proba",
            "test_classification_toy",
            "test_iris",
            "test_staged_predict",
            "test_sparse_classification",
            "test_adaboost_consistent_predict",
        ),
        TREES: (
            "test_gridsearch",
            "test_importances",
            "test_estimator",
            "test_sample_weights_infinite",
            "test_multidimensional_X",
            "test_adaboostclassifier_without_sample_weight",
            "test_adaboost_numerically_stable_feature_importance_with_small_weights",
            "test_adaboost_decision_function",
        ),
        WORDS: (
            "test_adaboost_classifier_sample_weight_error",
            "test_adaboost_negative_weight_error",
        ),
    },
}


def reason_against(module: str, name: str) -> str | None:
    """Why this test does not apply; None if it does."""
    if entry_for(module, name, APPLIES[module]) is not None:
        return None
    return next((reason for reason, some in NOT[module].items() if entry_for(module, name, some)), NEW)


def entry_for(module: str, name: str, entries: Iterable[str]) -> str | None:
    """The first of the entries that fits a test's name, as pytest writes it: test_it[its-parameters]."""
    function, _, parameters = name.removesuffix("]").partition("[")
    for entry in entries:
        wanted, _, how = entry.partition(" ")
        if fnmatchcase(function, wanted) and (not how or fnmatchcase(parameters, how)):
            return entry
    return None


def entries() -> list[tuple[str, str]]:
    """All of the table: module, entry."""
    of_others = [(m, entry) for m, reasons in NOT.items() for some in reasons.values() for entry in some]
    return [(m, entry) for m, some in APPLIES.items() for entry in some] + of_others
