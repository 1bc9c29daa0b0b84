"""The code that repeats what the page shows."""

from typing import Any

import numpy as np

from .asked import Asked
from .parameters import CLASSES, parameters

TRACED = """for p in trace(model, X, y, presentations=True):
    print(p.number, p.row, p.score, p.output, p.target, "corrected" if p.correction else "")
"""
AFTERWARDS = {
    "perceptron": "print(model.coef_, model.intercept_, model.stopped_)\nprint(model.certificate_)\n",
    "kernel": "print(model.support_, model.dual_coef_, model.intercept_)\nprint(model.certificate_)\n",
    "maximum": "print(model.coef_, model.intercept_)\nprint(model.certificate_)\n",
    "conservative": "print(model.coef_, model.intercept_, model.bands_, model.training_risk_)\n",
    "binary": "print(model.coef_, model.threshold_)\n",
    "sparse": "print(model.to_text())\n",
}


def python_code(asked: Asked) -> str:
    settings = parameters(asked)
    names = [CLASSES[asked.learner]]
    names += ["trace"] * (asked.learner == "perceptron") + ["Costs"] * ("costs" in settings)
    arguments = ", ".join(f"{name}={_written(value)}" for name, value in settings.items())
    return "".join(
        [
            f"import numpy as np\n\nfrom perceptrons import {', '.join(sorted(names))}\n\n",
            f"# columns: {_comment(asked.columns)}; classes 0 and 1: {_comment(asked.classes)}\n",
            f"X = np.array({asked.X.tolist()!r})\n",
            f"y = np.array({asked.y.tolist()!r})\n\n",
            f"model = {CLASSES[asked.learner]}({arguments})\n",
            TRACED if asked.learner == "perceptron" else "",
            "model.fit(X, y)\n",
            AFTERWARDS[asked.learner],
        ]
    )


def _written(value: Any) -> str:
    return "np.inf" if isinstance(value, float) and value == np.inf else repr(value)


def _comment(names: list[str]) -> str:
    """On one line, whatever the names hold."""
    return ", ".join(repr(name) for name in names)
