"""`ReplayedStep`: a training step as a CUDA graph.

A step of a small network is some dozens of kernels, which a GPU runs faster than they can be launched one by
one. A graph is recorded once, and then launches all of its kernels at once.
"""

from collections.abc import Callable

import torch
from torch import Tensor

WARM_UP = 3  # steps that are taken as they are, so that libraries have set up what cannot be recorded

Step = Callable[[Tensor], None]  # learns from the rows of these indices, in place


class ReplayedStep:
    """A training step, replayed on a GPU; on a CPU, and for batches of another size, the step itself."""

    def __init__(self, step: Step) -> None:
        self.step = step
        self.n_taken = 0
        self.indices: Tensor | None = None  # what the recorded graph reads
        self.graph: torch.cuda.CUDAGraph | None = None

    def __call__(self, indices: Tensor) -> None:
        if not indices.is_cuda:
            self.step(indices)
            return
        self.indices = indices.clone() if self.indices is None else self.indices
        if indices.shape != self.indices.shape or self.n_taken < WARM_UP:
            self._take(indices)
            self.n_taken += indices.shape == self.indices.shape
            return
        self.graph = self.graph or self._record(self.indices)
        self.indices.copy_(indices)
        self.graph.replay()

    def _take(self, indices: Tensor) -> None:
        """A step as it is, on a stream of its own, as recording asks for."""
        aside = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(aside):
            self.step(indices)
        torch.cuda.current_stream().wait_stream(aside)

    def _record(self, indices: Tensor) -> torch.cuda.CUDAGraph:
        """Nothing is computed here."""
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self.step(indices)
        return graph
