"""Clusters of processes: workers that are killed, a scheduler that is lost, and what is left running."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from multiprocessing import resource_tracker

import dask
import dask.array as da
import numpy as np
import psutil
import pytest
from distributed import Client, LocalCluster
from sklearn.exceptions import ConvergenceWarning

from perceptrons.dask import (
    BinaryPerceptron,
    ClusterError,
    ConservativePerceptron,
    Perceptron,
    SparsePerceptron,
)
from tests.sizes import cases

pytestmark = [pytest.mark.dask, pytest.mark.slow]
RNG = np.random.default_rng(0)
X = RNG.integers(0, 5, (4000, 12)).astype(float)
Y = (X[:, 0] + X[:, 1] * X[:, 2] + RNG.normal(size=4000) > 6).astype(int)
LEARNERS = {
    "bits": lambda: BinaryPerceptron(epsilon=0.1, threshold=0, binarize=2.5),
    "rules": lambda: SparsePerceptron(refit="stagewise", stages=12),
    "together": lambda: SparsePerceptron(random_state=0, cv=3),
    "mixing": lambda: Perceptron(random_state=0, max_epochs=30, min_margin=0.0, margin=0.0),
    "rejecting": lambda: ConservativePerceptron(random_state=0),
    "long": lambda: Perceptron(random_state=0, max_epochs=10_000, min_margin=0.0, margin=0.0),
}


def fitted(learner, client):
    """A fit over four chunks."""
    rows, labels = da.from_array(X, (1000, 12)), da.from_array(Y, 1000)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return LEARNERS[learner]().fit(rows, labels, client=client)


def weights_of(model):
    names = ("coef_", "dual_coef_", "bands_", "_weights", "intercept_", "cv_loss_")
    found = [getattr(model, name, None) for name in names]
    return [one for one in found if one is not None]


def children():
    return {one.pid for one in psutil.Process().children(recursive=True)}


@contextlib.contextmanager
def nothing_left():
    """No process of those started inside is left."""
    resource_tracker.ensure_running()  # multiprocessing's own, which outlives the first cluster
    before = children()
    yield
    deadline = time.monotonic() + 60  # a worker that was just being started ends when it is up
    while (left := children() - before) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not left


@pytest.fixture(scope="module")
def client():
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster, set_as_default=False) as found,
    ):
        yield found


def killed(pid):
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def running(client):
    """Both workers, once they run: a nanny gives up one that dies while it starts."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        processes = [nanny.process for nanny in client.cluster.workers.values()]
        pids = [one.pid for one in processes if one is not None and one.status.name == "running"]
        if len(pids) == 2:
            return pids
        time.sleep(0.05)
    raise AssertionError("a worker was not started again")


@pytest.mark.thorough
@pytest.mark.parametrize("learner", ["rules", "together", "mixing", "rejecting"])
def test_a_worker_that_is_killed_changes_nothing(client, learner):
    """At random moments of the fit."""
    fitted(learner, client)  # kernels are loaded
    start = time.monotonic()
    wanted, took = weights_of(fitted(learner, client)), time.monotonic() - start
    rng, n_killed = np.random.default_rng(3), 0
    for _ in range(cases(10)):
        victim = rng.choice(running(client))
        timer = threading.Timer(rng.uniform(0.0, 0.9 * took), killed, (int(victim),))
        timer.start()
        found = weights_of(fitted(learner, client))
        timer.join()
        n_killed += 1
        assert all(np.array_equal(one, other) for one, other in zip(wanted, found, strict=True))
    assert n_killed == cases(10)


def dies():
    os.kill(os.getpid(), signal.SIGKILL)


def test_rows_over_which_every_worker_dies():
    config = {"distributed.scheduler.allowed-failures": 1}
    with (
        nothing_left(),
        dask.config.set(config),
        LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        rows = da.from_delayed(dask.delayed(dies)(), (4000, 12), float)
        with pytest.raises(ClusterError, match="Workers died one after the other over the same rows"):
            SparsePerceptron(refit="stagewise", stages=3).fit(rows, da.from_array(Y, 4000), client=client)


def absent():
    raise FileNotFoundError("rows.parquet")


def test_a_file_that_is_absent_says_so_itself(client):
    rows = da.from_delayed(dask.delayed(absent)(), (4000, 12), float)
    with pytest.raises(FileNotFoundError, match=r"rows.parquet"):
        LEARNERS["bits"]().fit(rows, da.from_array(Y, 4000), client=client)


def test_a_scheduler_that_is_lost(tmp_path):
    file = str(tmp_path / "scheduler.json")
    code = "from distributed.cli.dask_scheduler import main; main()"
    options = ["--port", "0", "--no-dashboard", "--scheduler-file"]
    config = {"distributed.comm.timeouts.connect": "2s", "distributed.comm.retry.count": 0}
    with nothing_left(), dask.config.set(config), contextlib.ExitStack() as stack:
        command = [sys.executable, "-c", code, *options, file]
        scheduler = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        stack.callback(scheduler.kill)
        code = "from distributed.cli.dask_worker import main; main()"
        more = ["--nthreads", "1", "--no-dashboard", "--no-nanny", "--death-timeout", "5", "--scheduler-file"]
        command = [sys.executable, "-c", code, *more, file]
        worker = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        stack.callback(worker.kill)
        client = Client(scheduler_file=file, set_as_default=False, timeout="30s")
        client.wait_for_workers(1)
        timer = threading.Timer(1.0, scheduler.kill)
        timer.start()
        with pytest.raises(ClusterError, match="The scheduler of the cluster was lost"):
            fitted("long", client)
        timer.join()
        worker.kill()
        scheduler.wait()
        worker.wait()
        client.close(timeout=2)
        with pytest.raises(ValueError, match="client is closed, so that no cluster can be asked"):
            fitted("mixing", client)


def test_without_a_client_a_cluster_of_this_machine_is_used_and_closed(client):
    with nothing_left():
        alone = fitted("bits", None)
    assert np.array_equal(alone.coef_, fitted("bits", client).coef_)


def test_the_current_client_is_used_and_nothing_stays_on_it():
    with Client(processes=False, dashboard_address=":0", n_workers=1, threads_per_worker=1) as current:
        fitted("bits", None)
        deadline = time.monotonic() + 60  # a worker that was just being started ends when it is up
        while any(current.who_has().values()) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not any(current.who_has().values())


def test_a_cluster_that_does_not_start(monkeypatch):
    """As in a script that its processes would run, too."""

    def fails(**how):
        raise RuntimeError("Nanny failed to start.")

    monkeypatch.setattr("perceptrons.dask.clusters.LocalCluster", fails)
    with pytest.raises(ClusterError, match="fit under `if __name__ == '__main__':` there, or pass a client"):
        fitted("bits", None)


def test_what_is_no_client():
    with pytest.raises(ValueError, match=r"client is a str, but it must be a distributed.Client"):
        fitted("rules", "tcp://here")
