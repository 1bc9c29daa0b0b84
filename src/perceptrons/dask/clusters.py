"""Which Dask cluster a fit runs on, and what is said when it fails.

The client given, or the current one, or else a cluster of processes on this machine, closed
afterwards.
"""

from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from typing import Any

from distributed import Client, KilledWorker, LocalCluster, get_client
from distributed.comm import CommClosedError

SAY = "pass another client, or None for the current one or a cluster of this machine"


class ClusterError(RuntimeError):
    """The cluster did not finish what it was asked: it was lost, or its workers died.

    The model is what it was before. Errors of the rows themselves, such as a file that is missing, are raised
    as they are.

    Parameters
    ----------
    message : str
        What went wrong, and what to do about it.

    Examples
    --------
    >>> from perceptrons.dask import ClusterError
    >>> try:
    ...     raise ClusterError("The scheduler of the cluster was lost.")  # by the fit of a learner
    ... except ClusterError as error:
    ...     print(error)
    The scheduler of the cluster was lost.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)


@contextmanager
def client_at_hand(client: Any) -> Iterator[Any]:
    """The client to use; a cluster that is started here is closed in the end."""
    found = current_client() if client is None else client
    if found is not None:
        check_client(found)
        yield found
        return
    with started_here() as cluster, Client(cluster, set_as_default=False) as own:
        yield own


def started_here() -> Any:
    """A cluster of processes, one for each core."""
    try:
        return LocalCluster(threads_per_worker=1, dashboard_address=":0")
    except RuntimeError as error:
        raise ClusterError(
            f"No cluster could be started on this machine ({error}). Its processes import the script that "
            "starts them: fit under `if __name__ == '__main__':` there, or pass a client."
        ) from error


def current_client() -> Any:
    """The client that Dask would use, or None."""
    try:
        return get_client()
    except ValueError:
        return None


def check_client(client: Any) -> None:
    """Can it be asked?"""
    if not hasattr(client, "submit") or not hasattr(client, "gather"):
        raise ValueError(f"client is a {type(client).__name__}, but it must be a distributed.Client; {SAY}.")
    if getattr(client, "asynchronous", False):
        raise ValueError(f"client is asynchronous, but a fit waits for its answers; {SAY}.")
    if client.status != "running":
        raise ValueError(f"client is {client.status}, so that no cluster can be asked; {SAY}.")


@contextmanager
def said_in_one_sentence(client: Any) -> Iterator[None]:
    """What goes wrong with a cluster, as a `ClusterError`; errors of tasks stay as they are, such as that of
    a file that is not there."""
    try:
        yield
    except KilledWorker as error:
        raise ClusterError(
            f"Workers died one after the other over the same rows ({error.task}), most likely for want of "
            "memory; cut the collection into smaller chunks, or give workers more memory."
        ) from error
    except (CancelledError, CommClosedError, TimeoutError, OSError) as error:
        lost = isinstance(error, CancelledError | CommClosedError) or client.status != "running"
        if not lost:
            raise
        raise ClusterError(
            f"The scheduler of the cluster was lost ({type(error).__name__}), and the fit with it; the model "
            "is what it was before. Start the cluster again, and repeat the fit."
        ) from error
