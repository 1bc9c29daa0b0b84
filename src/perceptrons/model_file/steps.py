"""The steps of a pipeline: does each hand on what the next takes?

A file says twice how many columns each step takes: with the step, and in a list for the whole pipeline. So a
step that is missing, or comes from another file, shows when the file is loaded, not when it is to predict.
"""

import reprlib
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from .kinds import Count, Place

COLUMNS = "columns"
Step = tuple[str, Any]


def columns_of(steps: Iterable[Any]) -> list[int]:
    """How many columns each step takes."""
    return [int(step.n_features_in_) for step in steps]


def check_steps(steps: Sequence[Step], columns: Any) -> None:
    """`columns` is what the file says each step takes; None in files of version 1."""
    for name, step in steps[:-1]:
        if not hasattr(step, "transform"):
            raise ValueError(f"the step {name!r} hands nothing on to the next; only the last may do so")
    if columns is not None:
        _check_columns(steps, columns)
    for (name, step), (following, learner) in pairwise(steps):
        _check_pair(name, step, following, learner)


def _check_columns(steps: Sequence[Step], columns: Any) -> None:
    place = Place(COLUMNS, {})
    if not isinstance(columns, list):
        raise place.refusal(columns, "a list with the number of columns of each step")
    said = [Count(1).unpack(one, place.at(number)) for number, one in enumerate(columns)]
    found = columns_of(step for _, step in steps)
    if len(said) != len(found):
        raise ValueError(
            f"the pipeline was saved with {len(said)} steps, but {len(found)} are in the file: one is "
            "missing, or does not belong there"
        )
    if said != found:
        raise ValueError(
            f"the steps take {reprlib.repr(found)} columns, but the pipeline was saved with steps that take "
            f"{reprlib.repr(said)}"
        )


def _check_pair(name: str, step: Any, following: str, learner: Any) -> None:
    """Are the columns that a step hands on, by number and by name, those that the next was fitted to?"""
    handed_on = [str(one) for one in step.get_feature_names_out()]
    if len(handed_on) != learner.n_features_in_:
        raise ValueError(
            f"the step {name!r} hands on {len(handed_on)} columns, but the step {following!r} takes "
            f"{learner.n_features_in_}"
        )
    names = [str(one) for one in getattr(learner, "feature_names_in_", handed_on)]
    if names != handed_on:
        number = next(i for i, one in enumerate(names) if one != handed_on[i])
        raise ValueError(
            f"the step {name!r} hands on the column {handed_on[number]!r}, where the step {following!r} "
            f"takes {names[number]!r}"
        )
