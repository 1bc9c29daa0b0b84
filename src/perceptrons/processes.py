"""Fits in this process, and in others beside it.

This process works, too, while others begin. A kernel is compiled by one process, and the others find it on
disk: so at first each takes learners that share no kernels, those that take longest to compile before the
others, and later whatever is left, fold by fold. Fits to all rows come last, the slowest first, when
everything is compiled: their times are shown. Each process has one thread for linear algebra.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from threading import Lock, RLock
from typing import Any

from joblib.externals.loky import ProcessPoolExecutor

from .compiled import one_thread
from .cross_validation import Progress
from .fold_fits import FoldFit, FoldPart, Work, failed
from .garbage import collect_rarely

SLOWEST_TO_COMPILE = ("sparse", "margin", "conservative", "binary")  # rooms; the others compile little
AHEAD = 2  # tasks that a process has at hand: one at work and the next
POOLS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
Task = list[tuple[str, int]]  # learners, and numbers of parts
Fits = dict[str, list[FoldFit]]


def fit_in_turn(work: Work, tell: Progress) -> Fits:
    """Fold by fold, so that rows are encoded once for all learners; one that failed is not tried again."""
    names, total = list(work.build), len(work.parts) * len(work.build)
    fits: Fits = {name: [] for name in names}
    for k in range(len(work.parts)):
        part = work.laid_out(k)
        for j, name in enumerate(names):
            tell(k * len(names) + j, total, f"{_what(work, k)}, {name}")
            if not failed(fits[name]):
                fits[name].append(work.fit(name, part))
    tell(total, total, "done")
    return fits


def fit_spread(work: Work, n_processes: int, tell: Progress) -> Fits:
    """The same, over several processes."""
    plan = _Plan(work, tell)
    with one_thread(), _pool(work, n_processes - 1) as pool:
        running: set[Future[Any]] = set()
        refill = _Refill(plan, pool, running, AHEAD * (n_processes - 1))
        own, task = _Worker(work), plan.next()
        refill()
        while task is not None or running or plan.left():
            if task is None:
                wait(list(running), return_when=FIRST_COMPLETED)
            else:
                plan.tell(task)
                plan.done(task, own.run(task))
            refill()
            task = plan.next()
    refill.raise_error()
    return plan.fits()


@contextmanager
def _pool(work: Work, n: int) -> Iterator[ProcessPoolExecutor]:
    """Processes that hold the rows; if this one ends early, by an error or Ctrl+C, so do they."""
    pool = ProcessPoolExecutor(n, initializer=_begin, initargs=(work,), env=dict.fromkeys(POOLS, "1"))
    try:
        yield pool
    except BaseException:
        pool.shutdown(wait=False, kill_workers=True)
        raise
    pool.shutdown()


class _Refill:
    """Gives tasks to the pool, also while this process is at work: whenever a task of the pool is done."""

    def __init__(self, plan: "_Plan", pool: Any, running: set[Any], most: int) -> None:
        self._plan, self._pool, self._running, self._most = plan, pool, running, most
        self._lock, self._errors = RLock(), list[BaseException]()

    def __call__(self) -> None:
        with self._lock:
            while not self._errors and len(self._running) < self._most:
                task = self._plan.next()
                if task is None:
                    return
                future = self._pool.submit(_run, task)
                self._running.add(future)
                future.add_done_callback(self._finished(task))
        self.raise_error()

    def _finished(self, task: Task) -> Callable[[Any], None]:
        def finished(future: Any) -> None:
            error = future.exception()
            if error is not None:
                self._errors.append(error)
            else:
                self._plan.done(task, future.result())
            with self._lock:
                self._running.discard(future)
            if error is None:
                self()

        return finished

    def raise_error(self) -> None:
        """What went wrong in another process."""
        if not self._errors:
            return
        if isinstance(self._errors[0], BrokenProcessPool):
            raise ValueError(
                "A process that fits learners was ended from outside, perhaps for want of memory; use one "
                "process, or fewer learners."
            ) from self._errors[0]
        raise self._errors[0]


class _Plan:
    """Which fits are left, and what has come of those that are done."""

    def __init__(self, work: Work, tell: Progress) -> None:
        self._work, self._tell, self._lock = work, tell, Lock()
        self._last = len(work.parts) - 1
        self._rooms = {name: room_of(build()) for name, build in work.build.items()}
        first = [(name, 0) for name in work.build] if self._last else []
        self._first = [[one for one in first if self._rooms[one[0]] == room] for room in self._in_order()]
        self._folds = [(name, k) for k in range(1, self._last) for name in work.build]
        self._whole = list(work.build)
        self._begun: list[Task] = []  # of the first tasks, those that are not done
        self._found: dict[tuple[str, int], FoldFit] = {}
        self._total = len(work.parts) * len(work.build)

    def _in_order(self) -> list[str]:
        found = dict.fromkeys(self._rooms.values())
        return sorted(found, key=lambda room: (*SLOWEST_TO_COMPILE, room).index(room))

    def left(self) -> bool:
        """Is there anything that nobody has begun?"""
        return bool(self._first or self._folds or self._whole)

    def next(self) -> Task | None:
        """What to fit next; None if all is begun, or waits for kernels that another process compiles."""
        with self._lock:
            if self._first:
                self._begun.append(self._first.pop(0))
                return self._begun[-1]
            compiling = {self._rooms[task[0][0]] for task in self._begun}
            places = [k for k, (name, _) in enumerate(self._folds) if self._rooms[name] not in compiling]
            if places:
                return [self._folds.pop(places[0])]
            if self._folds or not self._whole:
                return None
            name = max(self._whole, key=self._seconds)
            self._whole.remove(name)
            return [(name, self._last)]

    def _seconds(self, name: str) -> float:
        """What a fit of this learner has taken at least, so far."""
        return min((fit.seconds for (other, _), fit in self._found.items() if other == name), default=0.0)

    def tell(self, task: Task) -> None:
        (name, k) = task[0]
        self._tell(len(self._found), self._total, f"{_what(self._work, k)}, {name}")

    def done(self, task: Task, fits: list[FoldFit]) -> None:
        with self._lock:
            self._found |= dict(zip(task, fits, strict=True))
            if task in self._begun:
                self._begun.remove(task)
        self._tell(len(self._found), self._total, f"{task[-1][0]} done")

    def fits(self) -> Fits:
        """Of a learner that failed, the first failure alone."""
        ks = range(len(self._work.parts))
        fits = {name: [self._found[name, k] for k in ks] for name in self._work.build}
        return {name: [one for one in some if one.facts is None][:1] or some for name, some in fits.items()}


def room_of(learner: Any) -> str:
    """Whose kernels it needs: the room of its class, or of the class of the learner in it."""
    inner = getattr(learner, "estimator", None)
    return type(learner if inner is None else inner).__module__.split(".")[1]


def _what(work: Work, k: int) -> str:
    folds = len(work.parts) - 1
    return f"fold {k + 1} of {folds}" if k < folds else "all rows"


class _Worker:
    """Keeps what it has encoded as long as it is asked for the same part."""

    def __init__(self, work: Work) -> None:
        self._work, self._k, self._part = work, -1, FoldPart([], {})

    def run(self, task: Task) -> list[FoldFit]:
        return [self._fit(name, k) for name, k in task]

    def _fit(self, name: str, k: int) -> FoldFit:
        if k != self._k:
            self._k, self._part = k, self._work.laid_out(k)
        return self._work.fit(name, self._part)


_WORKER: list[_Worker] = []  # of a process of the pool


def _begin(work: Work) -> None:
    collect_rarely()
    _WORKER[:] = [_Worker(work)]


def _run(task: Task) -> list[FoldFit]:
    return _WORKER[0].run(task)
