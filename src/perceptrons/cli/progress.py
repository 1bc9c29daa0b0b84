"""Progress of whatever takes longer than a person likes to wait, on stderr: on a terminal a bar that is gone
when it is done, elsewhere a line every few seconds. A line says when code is being compiled, which happens
once. `PERCEPTRONS_PROGRESS=0` in the environment turns it off.
"""

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

PATIENCE = 2.0  # seconds before a bar appears
EVERY = 5.0  # seconds between two lines
COMPILING = "Compiling, once: the next run starts at once."
SWITCH = "PERCEPTRONS_PROGRESS"
Move = Callable[[int, int, str], None]


@contextmanager
def progress_bar(what: str) -> Iterator[Move]:
    """Yields a function of (done, total, what) that says how far it is; it need not be called."""
    console = Console(stderr=True, highlight=False, markup=False, emoji=False)
    silent = os.environ.get(SWITCH) == "0"
    shown = _Silent() if silent else _Bar(what, console) if console.is_terminal else _Lines(what, console)
    with nullcontext() if silent else _compiling(console):
        shown.start()
        try:
            yield shown.move
        finally:
            shown.stop()


class _Silent:
    """Nothing is shown."""

    def start(self) -> None: ...

    def stop(self) -> None: ...

    def move(self, done: int, total: int, what: str) -> None: ...


class _Bar(_Silent):
    """A bar that appears after a while; as long as nobody moves it, it just swings."""

    def __init__(self, what: str, console: Console) -> None:
        columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
        self._bar = Progress(*columns, console=console, transient=True)
        self._task = self._bar.add_task(what, total=None)
        self._timer = threading.Timer(PATIENCE, self._bar.start)
        self._timer.daemon = True

    def start(self) -> None:
        self._timer.start()

    def stop(self) -> None:
        self._timer.cancel()
        self._timer.join()  # or it might begin after the end
        if self._bar.live.is_started:
            self._bar.stop()

    def move(self, done: int, total: int, what: str) -> None:
        self._bar.update(self._task, completed=done, total=total, description=what)


class _Lines(_Silent):
    """Every few seconds a line, from a thread of its own: a fit may take long."""

    def __init__(self, what: str, console: Console) -> None:
        self._text, self._console, self._start = what, console, time.monotonic()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._tell, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._ended.set()
        self._thread.join()

    def move(self, done: int, total: int, what: str) -> None:
        self._text = f"{what} ({done} of {total} done)"

    def _tell(self) -> None:
        while not self._ended.wait(EVERY):
            seconds = time.monotonic() - self._start
            self._console.print(f"{seconds:.0f} s: {self._text}", soft_wrap=True)


@contextmanager
def _compiling(console: Console) -> Iterator[None]:
    """Says once that code is compiled, if that takes long. Numba is not imported for it."""
    if "numba" not in sys.modules:
        yield
        return
    from numba.core import event

    class Listener(event.Listener):
        first: float | None = None
        told = False

        def on_start(self, event: Any) -> None:
            now = time.monotonic()
            self.first = now if self.first is None else self.first
            if not self.told and now - self.first > PATIENCE:
                self.told = True
                console.print(COMPILING, soft_wrap=True)

        def on_end(self, event: Any) -> None:
            """Of no interest."""

    with event.install_listener("numba:compile", Listener()):
        yield
