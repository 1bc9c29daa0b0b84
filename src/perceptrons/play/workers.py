"""At most two processes that fit, each stopped and started again where an answer takes too long.

Threads could not be stopped. The first request of a learner may have to wait until its kernels are compiled,
which no time limit of a student may count: so a process runs the learner's lessons before, with a limit of
their own.
"""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from .worker import LENGTH, WARM, message_of

N_PROCESSES = 2
SECONDS = 10.0  # for an answer
COMPILING = 300.0  # for the first of a learner
MOST_WAITING = 100  # requests; more are turned away
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")


class Busy(Exception):
    """Too many requests are waiting."""


class TookTooLong(Exception):
    """A fit was stopped."""


class FitProcess:
    """A process that answers one request at a time."""

    def __init__(self) -> None:
        self.process: asyncio.subprocess.Process | None = None
        self.warm: set[str] = set()  # learners whose kernels it has

    async def ask(self, task: str, learner: str, text: bytes, seconds: float) -> bytes:
        await self.warm_up(learner)
        return await self._answer(message_of(task, learner, text), seconds)

    async def warm_up(self, learner: str) -> None:
        """What no limit counts: imports, and, if there is a learner, its kernels."""
        if learner not in self.warm:
            await self._answer(message_of(WARM, learner, b""), COMPILING)
            self.warm.add(learner)

    async def _answer(self, request: bytes, seconds: float) -> bytes:
        try:
            process = self.process = self.process or await _started()
            requests, answers = _pipes(process)
            requests.write(LENGTH.pack(len(request)) + request)
            async with asyncio.timeout(seconds):
                await requests.drain()
                (length,) = LENGTH.unpack(await answers.readexactly(LENGTH.size))
                return await answers.readexactly(length)
        except TimeoutError as error:
            await self.stop()
            raise TookTooLong from error
        except BaseException:  # it died, or nobody waits any more: what it still writes must not be read
            await self.stop()
            raise

    async def stop(self) -> None:
        process, self.process, self.warm = self.process, None, set()
        if process is None:
            return
        if process.returncode is None:
            process.kill()
        await process.communicate()  # reads what is left, and closes both pipes


class Workers:
    """The processes, and who waits for them."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self.seconds, self.waiting = seconds, 0
        self.all = [FitProcess() for _ in range(N_PROCESSES)]
        self.idle: asyncio.Queue[FitProcess] = asyncio.Queue()
        for one in self.all:
            self.idle.put_nowait(one)

    async def ask(self, task: str, learner: str = "", text: bytes = b"") -> bytes:
        async with self._idle_one() as one:
            return await one.ask(task, learner, text, self.seconds)

    async def warm_up(self, learner: str) -> None:
        """One process after the other, so that the second finds what the first has compiled."""
        for _ in self.all:
            async with self._idle_one() as one:
                await one.warm_up(learner)

    @asynccontextmanager
    async def _idle_one(self) -> AsyncIterator[FitProcess]:
        """The process that has been idle for longest, when there is one."""
        if self.waiting >= MOST_WAITING:
            raise Busy
        self.waiting += 1
        try:
            one = await self.idle.get()
            try:
                yield one
            finally:
                self.idle.put_nowait(one)
        finally:
            self.waiting -= 1

    async def stop(self) -> None:
        for one in self.all:
            await one.stop()


def _pipes(process: asyncio.subprocess.Process) -> tuple[asyncio.StreamWriter, asyncio.StreamReader]:
    if process.stdin is None or process.stdout is None:
        raise ConnectionError("The process was started without pipes.")
    return process.stdin, process.stdout


async def _started() -> asyncio.subprocess.Process:
    """It finds the modules that this process finds, and no others (-P)."""
    paths = os.pathsep.join(path for path in sys.path if path)
    debug = os.environ.get("PERCEPTRONS_DEBUG") == "1"
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-P",
        "-m",
        "perceptrons.play.worker",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=None if debug else asyncio.subprocess.DEVNULL,
        env={**os.environ, **ONE_THREAD, "PYTHONPATH": paths},
        start_new_session=True,
    )
