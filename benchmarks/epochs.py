"""The time of one epoch, and of a whole fit of one epoch.

An epoch of any model is the difference of two fits, divided by the epochs one made more: what `fit` does
before and after training cancels. All runs use one thread, unless the row says otherwise.
"""

from typing import Any

from threadpoolctl import threadpool_limits

from .contestants import MODELS, OURS, PEER, SGD, Kernel, ours
from .reading import reader, size_in_bytes
from .sweep_sets import Task
from .timing import Times, interleave

ORDERS = {"in order": False, "shuffled": True}
KERNEL, READ, EPOCH = "kernel alone", "streaming read", "epoch"
Row = dict[str, Any]


def race(task: Task, rounds: int) -> Times:
    """Time both fits of every model in both orders, the bare sweep, and a read of the same memory."""
    kernel = Kernel(task.X, task.y)
    competitors: dict[str, Any] = {KERNEL: kernel, READ: reader(task.X)}
    for model in MODELS:
        for order in ORDERS:
            for epochs in task.epochs:
                competitors[f"{model} {order} {epochs}"] = fit_of(task, model, order, epochs)
    with threadpool_limits(1):
        times = interleave(competitors, rounds, prepare={KERNEL: kernel.prepare})
    few, many = task.epochs
    for run in (f"{model} {order}" for model in MODELS for order in ORDERS):
        times.add_difference(f"{run} {EPOCH}", f"{run} {many}", f"{run} {few}", many - few)
    return times


def fit_of(task: Task, model: str, order: str, epochs: int) -> Any:
    estimator = MODELS[model](ORDERS[order], epochs)
    return lambda: estimator.fit(task.X, task.y)


def epoch_rows(task: Task, times: Times) -> list[Row]:
    rows = []
    for order in ORDERS:
        row = {"id": f"epoch {task.id} {order}", "name": f"{task.label}, {order}"}
        rows.append(row | _compared(task, times, order, EPOCH) | {"corrected": _corrected(task, order)})
    alone = {"id": f"kernel {task.id}", "name": f"{task.label}, first epoch, kernel alone"}
    return [*rows, alone | {"ours": times.median(KERNEL)} | _against_reading(task, times, KERNEL)]


def fit_row(task: Task, times: Times) -> Row:
    name = {"id": f"fit {task.id}", "name": f"{task.label}, whole fit, one thread"}
    return name | _compared(task, times, "in order", task.epochs[0])


def threaded_fit(task: Task, rounds: int) -> tuple[Row, Times]:
    """The same whole fit with two threads, which scikit-learn has no use for where classes are two."""
    threads = MODELS[OURS](False, 1).set_params(n_jobs=2)
    competitors = {OURS: lambda: threads.fit(task.X, task.y), PEER: fit_of(task, PEER, "in order", 1)}
    with threadpool_limits(1):
        times = interleave(competitors, rounds)
    measured = {"ours": times.median(OURS), "peer": times.median(PEER), "ratio": times.ratio(PEER, OURS)}
    name = {"id": f"threaded fit {task.id}", "name": f"{task.label}, whole fit, two threads"}
    return name | measured, times


def _compared(task: Task, times: Times, order: str, what: str | int) -> Row:
    """Our time beside the peers', and beside a plain read of the rows."""
    mine, peer, sgd = (f"{model} {order} {what}" for model in (OURS, PEER, SGD))
    return {
        "ours": times.median(mine),
        "peer": times.median(peer),
        "ratio": times.ratio(peer, mine),
        "sgd": times.median(sgd),
        "sgd_ratio": times.ratio(sgd, mine),
    } | _against_reading(task, times, mine)


def _against_reading(task: Task, times: Times, mine: str) -> Row:
    return {
        "ns_per_element": times.median(mine) * 1e9 / task.X.size,  # CSR: `size` counts the stored cells
        "of_read": times.ratio(READ, mine),
        "read_gb_per_s": size_in_bytes(task.X) / times.median(READ) / 1e9,
    }


def _corrected(task: Task, order: str) -> float:
    """The share of rows corrected in the epochs timed; an error if training ended before them."""
    few, many = task.epochs
    model = ours(ORDERS[order], many).fit(task.X, task.y)
    if model.converged_ or model.n_iter_ != many:
        raise RuntimeError(f"{task.label}: converged after {model.n_iter_} epochs, {many} are to be timed.")
    return float(model.history_["updates"][few:].mean() / len(task.y))
