"""What a page asks for: a learner, its settings and at most 2,000 rows; checked before anything is fitted.

Nothing here is trusted: the text may be no JSON, hold numbers that are not finite, names that nobody knows,
or a million rows. Each is refused with one sentence. What parameters mean is checked by the learners.
"""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from .._types import Array
from ..margin.named import NAMED

MOST_ROWS = 2_000
MOST_LOOKED_AT = 200_000  # rows times passes, of one fit
LARGEST = 1e9  # of a cell, absolutely
LONGEST_TEXT = 60

MARGIN_FAMILY = ("step", "eta", "margin", "alpha", "order", "result", "ties", "fit_intercept")
SETTINGS: Mapping[str, tuple[str, ...]] = {
    "perceptron": (*MARGIN_FAMILY, "intercept_scaling", "max_epochs", "min_margin", "tol", "random_state"),
    "kernel": (*MARGIN_FAMILY, "kernel", "gamma", "degree", "max_epochs", "min_margin", "random_state"),
    "maximum": ("C", "tol", "fit_intercept", "max_iter"),
    "conservative": ("rule", "reject_cost", "false_alarm", "miss", "symmetric", "max_epochs", "random_state"),
    "binary": ("method", "max_epochs", "random_state"),
    "sparse": ("k", "max_rules", "max_points", "random_state"),
}
KERNELS = ("linear", "poly", "rbf", "laplacian")
PASSES = {"max_epochs": 1_000, "max_iter": 1_000, "max_rules": 12}  # the most that may be asked for


class Asked(NamedTuple):
    """A request that may be answered."""

    learner: str
    settings: dict[str, Any]
    X: Array
    y: Array  # 0 or 1
    columns: list[str]
    classes: list[str]  # what 0 and 1 are called


def read_json(text: bytes) -> dict[str, Any]:
    """An object of JSON, its numbers finite."""
    try:
        found = json.loads(text, parse_constant=_refuse_constant)
    except (RecursionError, UnicodeDecodeError, ValueError) as error:
        raise ValueError("The request is not valid JSON; reload the page.") from error
    if not isinstance(found, dict):
        raise ValueError("The request must be a JSON object; reload the page.")
    return found


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


def read_asked(given: Mapping[str, Any]) -> Asked:
    learner = given.get("learner")
    if not isinstance(learner, str) or learner not in SETTINGS:
        raise ValueError(f"There is no learner {_shown(learner)}; choose one of {', '.join(SETTINGS)}.")
    X, y = read_rows(given.get("rows"), given.get("labels"), widths=(2, 3) if learner == "binary" else (2,))
    settings = read_settings(learner, given.get("settings", {}))
    check_work(settings, len(X))
    columns = read_names("columns", given.get("columns"), [f"x{j + 1}" for j in range(X.shape[1])])
    return Asked(learner, settings, X, y, columns, read_names("classes", given.get("classes"), ["0", "1"]))


def read_rows(rows: Any, labels: Any, widths: tuple[int, ...]) -> tuple[Array, Array]:
    if not isinstance(rows, list) or not isinstance(labels, list) or len(rows) != len(labels):
        raise ValueError("Rows and labels must be two lists of the same length.")
    if not 2 <= len(rows) <= MOST_ROWS:
        raise ValueError(f"There are {len(rows):,} rows, but the playground takes 2 to {MOST_ROWS:,}.")
    width = len(rows[0]) if isinstance(rows[0], list) else 0
    if width not in widths:
        allowed = " or ".join(map(str, widths))
        raise ValueError(f"A row must have {allowed} numbers, but the first has {width}.")
    cells = [_cell(cell) for row in rows for cell in (row if _has(row, width) else (None,))]
    y = [_code(label) for label in labels]
    if len(set(y)) < 2:
        raise ValueError("All rows are of one class; add a row of the other.")
    return np.array(cells).reshape(len(rows), width), np.array(y)


def _has(row: Any, width: int) -> bool:
    return isinstance(row, list) and len(row) == width


def _cell(cell: Any) -> float:
    if isinstance(cell, bool) or not isinstance(cell, int | float) or not abs(cell) <= LARGEST:
        raise ValueError(f"A cell is {_shown(cell)}, but it must be a number between ±{LARGEST:g}.")
    return float(cell)


def _code(label: Any) -> int:
    if isinstance(label, bool) or label not in (0, 1):
        raise ValueError(f"A label is {_shown(label)}, but it must be 0 or 1.")
    return int(label)


def read_settings(learner: str, given: Any) -> dict[str, Any]:
    """The settings by name, of plain types."""
    if not isinstance(given, dict):
        raise ValueError("Settings must be an object of names and values.")
    unknown = [name for name in given if name not in SETTINGS[learner]]
    if unknown:
        raise ValueError(f"The learner {learner} has no setting {_shown(unknown[0])}.")
    settings = {name: _setting(name, value) for name, value in given.items()}
    if settings.get("kernel", "rbf") not in KERNELS:
        raise ValueError(f"kernel={_shown(settings['kernel'])}; choose one of {', '.join(KERNELS)}.")
    return settings


def _setting(name: str, value: Any) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float) and abs(value) <= LARGEST:
        return value
    if isinstance(value, str) and len(value) <= LONGEST_TEXT and name != "eta":
        return value
    if name == "margin" and isinstance(value, list) and len(value) == 2:
        return ("known", _cell(value[1])) if value[0] == "known" else tuple(_cell(beta) for beta in value)
    raise ValueError(f"{name}={_shown(value)}, but a setting must be a number, a word, true, false or null.")


def check_work(settings: Mapping[str, Any], n_rows: int) -> None:
    """No more passes than a student waits for."""
    for name, most in PASSES.items():
        value = settings.get(name)
        if isinstance(value, int | float) and value > most:
            raise ValueError(f"{name}={value:g}, but the playground takes at most {most:,}.")
    passes = settings.get("max_epochs")
    if isinstance(passes, int | float) and passes * n_rows > MOST_LOOKED_AT:
        raise ValueError(
            f"max_epochs={passes:g} passes over {n_rows:,} rows are more than {MOST_LOOKED_AT:,} looks at a "
            f"row; use at most {MOST_LOOKED_AT // n_rows:,}."
        )


def read_names(what: str, given: Any, default: list[str]) -> list[str]:
    if given is None:
        return default
    if not isinstance(given, list) or len(given) != len(default):
        raise ValueError(f"{what.capitalize()} must be a list of {len(default)} names.")
    if not all(isinstance(name, str) and len(name) <= LONGEST_TEXT for name in given):
        raise ValueError(f"{what.capitalize()} must be names of at most {LONGEST_TEXT} characters.")
    return list(given)


def _shown(value: Any) -> str:
    """Short, on one line, whatever it is."""
    text = repr(value)[: LONGEST_TEXT + 1]
    return text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 1] + "…"


def named_settings() -> dict[str, dict[str, Any]]:
    """The historical algorithms, as the page offers them; random numbers are always the same."""
    return {
        name: {
            key: list(value) if isinstance(value, tuple) else value
            for key, value in {**settings, "random_state": 0}.items()
        }
        for name, settings in NAMED.items()
    }
