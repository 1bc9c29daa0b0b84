"""A training step that is recorded once and then replayed.

A step of a small network is some dozens of kernels that a GPU runs faster than they can be launched one by
one. As a CUDA graph they are launched at once.
"""

from collections.abc import Callable

import torch
from torch import Tensor

Step = Callable[[Tensor], None]  # learns from the rows at these places, in place
WARM_UP = 3  # steps that are taken as they are, so that libraries have set up what cannot be recorded


class Recorded:
    """The step itself on a CPU, and for batches of another size than the first."""

    def __init__(self, step: Step) -> None:
        self.step = step
        self.n_taken = 0
        self.places: Tensor | None = None  # what the record reads
        self.graph: torch.cuda.CUDAGraph | None = None

    def __call__(self, places: Tensor) -> None:
        if not places.is_cuda:
            self.step(places)
            return
        self.places = places.clone() if self.places is None else self.places
        if places.shape != self.places.shape or self.n_taken < WARM_UP:
            self._take(places)
            self.n_taken += places.shape == self.places.shape
            return
        self.graph = self.graph or self._record(self.places)
        self.places.copy_(places)
        self.graph.replay()

    def _take(self, places: Tensor) -> None:
        """A step as it is, on a stream of its own, as recording asks for."""
        aside = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(aside):
            self.step(places)
        torch.cuda.current_stream().wait_stream(aside)

    def _record(self, places: Tensor) -> torch.cuda.CUDAGraph:
        """Nothing is computed here."""
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self.step(places)
        return graph
