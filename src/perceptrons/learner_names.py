"""The names of learners, and what each is, for help and completion: nothing slow is imported for them."""

WHAT = {  # a line each
    "perceptron": "perceptron, the average of its weights where rows overlap",
    "growing margin": "perceptron that asks for more margin as it learns",
    "averaged": "averaged perceptron",
    "max margin": "hyperplane of the largest margin, for rows that can be separated",
    "soft margin": "hyperplane of the largest margin, with slack (a linear SVM)",
    "sparse": "few weighted rules, boosted (Jackson and Craven)",
    "scorecard": "few rules with points that add up by hand",
    "kernel": "perceptron in the feature space of a kernel",
    "conservative": "perceptron that rejects what is doubtful (Sundararajan and Pal)",
    "chow": "averaged perceptron with probabilities; rejects what is doubtful (Chow)",
    "selective": "averaged perceptron that promises few errors among its answers, and rejects the rest",
    "binary": "weights of -1 and +1 only (Golea and Marchand)",
    "binary sbpi": "weights of -1 and +1 only, found by SBPI",
    "logistic regression": "scikit-learn's logistic regression, to compare with",
    "shallow tree": "scikit-learn's decision tree of depth 3, to compare with",
}
# only if asked for: each is of a family that another line stands for, and seldom better than that
ON_REQUEST = ("growing margin", "averaged", "max margin", "selective", "binary sbpi")


def names_beginning_with(begun: str) -> list[str]:
    """For a shell that completes words."""
    return [name for name in WHAT if name.startswith(begun.lower())]
