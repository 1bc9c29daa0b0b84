"""Fair timing on a noisy machine: competitors take turns, and ratios are formed within a round."""

import gc
import random
import statistics
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from time import perf_counter

Competitor = Callable[[], object]


class Times:
    """Seconds of each competitor, one number per round."""

    def __init__(self, seconds: Mapping[str, list[float]]) -> None:
        self.seconds = dict(seconds)

    def median(self, name: str) -> float:
        return statistics.median(self.seconds[name])

    def ratio(self, slow: str, fast: str) -> float | None:
        """The median over rounds of slow/fast; None where noise left no positive time to divide by."""
        pairs = list(zip(self.seconds[slow], self.seconds[fast], strict=True))
        return statistics.median(a / b for a, b in pairs) if min(b for _, b in pairs) > 0 else None

    def add_difference(self, name: str, long: str, short: str, parts: int) -> None:
        """A new series: what one of the `parts` took that the long run made more than the short one."""
        pairs = zip(self.seconds[long], self.seconds[short], strict=True)
        self.seconds[name] = [(a - b) / parts for a, b in pairs]


@contextmanager
def _without_gc() -> Iterator[None]:
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def interleave(
    competitors: Mapping[str, Competitor],
    rounds: int,
    prepare: Mapping[str, Competitor] | None = None,
    clock: Callable[[], float] = perf_counter,
    least: float = 0.0,
    warm_up: bool = True,
) -> Times:
    """Run every competitor once per round, in a new order each time.

    The orders are random (and the same in every run), not rotated: whoever always follows the same
    competitor inherits its caches, warm or cold. A first round, in which compilers and caches warm up,
    is not counted, or left out if all is warm; nor is `prepare`, which runs before the competitor of that
    name.

    One that takes less than `least` seconds runs as often in a row as fits into them, and the mean counts: a
    single run of a millisecond is mostly cold caches, and what else the machine does.
    """
    names, prepare = list(competitors), prepare or {}
    seconds: dict[str, list[float]] = {name: [] for name in names}
    times = dict.fromkeys(names, 1)
    for number in range(-1 if warm_up else 0, rounds):
        gc.collect()
        for name in random.Random(number + 1).sample(names, len(names)):
            prepare.get(name, lambda: None)()
            elapsed = _time(competitors[name], clock, times[name])
            if number >= 0:
                seconds[name].append(elapsed)
            elif least > 0.0:
                times[name] = max(1, int(least / max(_time(competitors[name], clock), 1e-6)))
    return Times(seconds)


def _time(competitor: Competitor, clock: Callable[[], float], times: int = 1) -> float:
    with _without_gc():
        start = clock()
        for _ in range(times):
            competitor()
        return round((clock() - start) / times, 9)  # the clock has no more digits
