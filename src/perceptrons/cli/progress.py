"""A progress bar for whatever takes more than two seconds: on stderr, and gone when it is done."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

PATIENCE = 2.0  # seconds
FIRST = " (the first run compiles, once)"


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[int, int, str], None]]:
    """Yields a function of (done, total, what) that moves the bar; not called, the bar just swings."""
    console = Console(stderr=True)
    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TimeElapsedColumn(),
        console=console,
        transient=True,
    )
    task = bar.add_task(what + FIRST, total=None)
    timer = threading.Timer(PATIENCE, bar.start)
    timer.daemon = True
    if console.is_terminal:
        timer.start()

    def move(done: int, total: int, what: str) -> None:
        bar.update(task, completed=done, total=total, description=what + (FIRST if done == 0 else ""))

    try:
        yield move
    finally:
        timer.cancel()
        if timer.ident is not None:
            timer.join()  # or it might begin after the end
        if bar.live.is_started:
            bar.stop()
