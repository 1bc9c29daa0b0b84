"""`--set NAME=VALUE`: any parameter of a learner, by its name in Python."""

import ast
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

EXAMPLE = "write it like --set k=3"


def read_parameters(given: Sequence[str] | None) -> dict[str, Any]:
    """Names and values; a value is written as in Python, and a text may go without quotation marks."""
    pairs: dict[str, Any] = {}
    for text in given or []:
        name, equals, value = text.partition("=")
        name = name.strip().replace("-", "_")
        if not equals or not name:
            raise ValueError(f"--set is {text!r}, but it must be a name and a value; {EXAMPLE}.")
        if name in pairs:
            raise ValueError(f"--set names {name} twice; omit one of the two.")
        pairs[name] = _value(value.strip())
    return pairs


def _value(text: str) -> Any:
    spoken = {"true": True, "false": False, "none": None, "null": None}
    if text.lower() in spoken:
        return spoken[text.lower()]
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text


def check_parameters(pairs: dict[str, Any], learners: dict[str, Any]) -> None:
    """Does some learner have each of these? `learners` are estimators by name."""
    known = {name: learner.get_params() for name, learner in learners.items()}
    for name in pairs:
        if not any(name in parameters for parameters in known.values()):
            all_names = sorted({one for parameters in known.values() for one in parameters})
            close = get_close_matches(name, all_names, n=1)
            meant = f"did you mean {close[0]}?" if close else f"there are {', '.join(all_names)}."
            who = f"{next(iter(known))} has" if len(known) == 1 else "These learners have"
            raise ValueError(f"{who} no parameter {name!r}; {meant}")


def set_parameters(learner: Any, name: str, pairs: dict[str, Any]) -> Any:
    """The learner with these parameters; whether a value is allowed it says itself when it is fitted."""
    check_parameters(pairs, {name: learner})
    return learner.set_params(**pairs)
