"""From what a page asks to what it shows: plain numbers and texts, ready for JSON."""

from collections.abc import Callable, Mapping
from typing import Any

from .asked import Asked, named_settings, read_asked
from .frames import binary_run, conservative_run, kernel_run, maximum_run, sparse_run
from .presets import presets
from .python_code import python_code
from .traced_run import perceptron_run
from .views import box

RUNS: Mapping[str, Callable[[Asked], dict[str, Any]]] = {
    "perceptron": perceptron_run,
    "kernel": kernel_run,
    "maximum": maximum_run,
    "conservative": conservative_run,
    "binary": binary_run,
    "sparse": sparse_run,
}


def run_lesson(given: Mapping[str, Any]) -> dict[str, Any]:
    """The whole run of a learner on the rows of the page; a ValueError says what the request lacks."""
    asked = read_asked(given)
    return {**RUNS[asked.learner](asked), "view": box(asked.X), "code": python_code(asked)}


def offered_lessons() -> dict[str, Any]:
    """What the page has to choose from."""
    return {"presets": [one._asdict() for one in presets()], "named": named_settings()}


def warm(learner: str) -> None:
    """Run the learner's lessons once, so that its kernels are compiled, or read from where they are kept."""
    for preset in presets():
        if preset.request["learner"] == learner:
            run_lesson(preset.request)
            if learner == "perceptron":
                for order in ("worst", "active"):
                    run_lesson(_changed(preset.request, {"order": order, "max_epochs": 3}))


def _changed(request: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, Any]:
    return {**request, "settings": {**request["settings"], **settings}}
