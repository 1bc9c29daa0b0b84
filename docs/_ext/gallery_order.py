"""The order of examples in the gallery: from the first perceptron to the last promise."""

NAMES = (
    "plot_corrections",
    "plot_average",
    "plot_sorted_rows",
    "plot_margin_interval",
    "plot_support",
    "plot_kernel",
    "plot_rules",
    "plot_rule_path",
    "plot_scorecard",
    "plot_monotone",
    "plot_probabilities",
    "plot_rejection_band",
    "plot_error_reject",
    "plot_unequal_costs",
    "plot_promise",
    "plot_rare_class",
    "plot_binary_weights",
    "plot_binary_curve",
    "plot_separation",
    "plot_games",
)


def in_order(filename: str) -> int:
    return NAMES.index(filename.removesuffix(".py"))
