"""The weight vectors of a fit, before their first epoch: from zero weights, from weights given, or from where
an earlier fit ended; and what a fit leaves behind that fails."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from .._types import Array
from ..compiled import Threads
from ..rows.encode import Encoded, check_rows
from ..rows.layouts import Gram
from ..rows.norms import measure
from .margin_parameters import MarginParameters
from .memory import Memory, can_resume, open_states, recounted, restarted, resume_state, state_of
from .rules import Rule
from .run import Overflowed, Run
from .sweep import State


class Training(NamedTuple):
    """The runs of a fit, and what they share with compiled code."""

    runs: Sequence[Run]
    signs: Array  # a line for each run
    states: State  # stacked
    threads: Threads


def begin(
    data: Encoded,
    rule: Rule,
    plan: MarginParameters,
    before: Sequence[Memory],
    threads: Threads,
    dtype: Any,
    typical: float = 0.0,
    fetch: Callable[[Array], None] | None = None,
) -> Training:
    """One run per weight vector; all of them have the orders of the first. `typical`: the usual norm of a
    lifted row."""
    signs = data.sign_matrix()
    states = open_states(before, len(data.codes), rule, dtype)
    if isinstance(data.X, Gram):  # the average's scores follow from its duals
        states = states._replace(drift=states.drift[:, :0])
    rng = before[0].rng
    runs = [
        Run(data, signs[k], rule, plan, start._replace(rng=rng), state_of(states, k), typical, fetch=fetch)
        for k, start in enumerate(before)
    ]
    return Training(runs, signs, states, threads)


def begin_again(
    data: Encoded,
    rule: Rule,
    plan: MarginParameters,
    ended: Sequence[Memory],
    threads: Threads,
    typical: float,
) -> Training:
    """Runs that go on where earlier ones ended, if these are the same rows; else they start from the weights
    that those left."""
    before, resumed = [], []
    for memory, y in zip(ended, data.signs(), strict=True):
        resumed.append(can_resume(memory, data, y, rule, plan.result))
        if resumed[-1]:
            pocket = recounted(memory.pocket, data, y, rule)
            before.append(memory.without_rows()._replace(pocket=pocket))
        else:
            before.append(restarted(memory, rule, plan.result))
    training = begin(data, rule, plan, before, threads, data.matrix.dtype, typical)
    for run, memory, goes_on in zip(training.runs, ended, resumed, strict=True):
        if goes_on:
            resume_state(run.state, memory, data)
    return training


def has_run(model: Any, what: str) -> bool:
    """Is there a run to go on from? A model of which only the weights were saved must not seem to be new."""
    if hasattr(model, "coef_") and not hasattr(model, "_memories"):
        raise ValueError(
            f"{what} on where training ended, but this model was saved or streamed without its "
            "certificate, its weights alone; use certificate=True then, or start from the weights: fit(X, y, "
            "coef_init=model.coef_, intercept_init=model.intercept_)."
        )
    return hasattr(model, "_memories")


def check_start(training: Training) -> None:
    """Can what is asked for be certified from where the runs start?"""
    tol = training.runs[0].plan.tol
    if tol is not None and any(run.before.foreign for run in training.runs):
        raise ValueError(
            f"tol={tol} certifies weights that are a sum of these rows, which starting weights are not; use "
            "tol=None, or start from zero."
        )


@contextmanager
def undrawn(model: Any) -> Iterator[None]:
    """A fit that raises draws no random numbers from the source that a later one goes on with."""
    rng = model._memories[0].rng if hasattr(model, "_memories") else None
    state = None if rng is None else rng.get_state()
    try:
        yield
    except BaseException:
        if rng is not None:
            rng.set_state(state)
        raise


@contextmanager
def blamed_on_rows(model: Any, data: Encoded) -> Iterator[None]:
    """Weights that overflow because a cell is not finite, or too large, are the rows' fault."""
    try:
        yield
    except Overflowed:
        check_rows(model, data._replace(largest=measure(data.X, len(data.codes), data.weights).largest))
        raise
