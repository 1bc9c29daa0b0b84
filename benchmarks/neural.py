"""Networks: an epoch with `MarginLoss` beside one with cross-entropy, a fit beside scikit-learn's network.

An epoch is 784–800–10 neurons, plain gradient descent, batches of 100; the rows stay on the device.
"""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from sklearn.neural_network import MLPClassifier
from torch import nn

from perceptrons.neural import Growing, MarginLoss, MarginMLPClassifier
from perceptrons.neural.replayed import ReplayedStep

from .layout import Column, Section
from .timing import Times, interleave

ROUNDS, ROWS, COLUMNS, HIDDEN, CLASSES, BATCH, ETA = 5, 60_000, 784, 800, 10, 100, 0.01
QUICK_ROWS, QUICK_HIDDEN, CALLS = 1_000, 50, 200
ENTROPY, CONSTANT, GROWING = "cross-entropy", "β = 1", "β ~ t^0.5"
LOSSES: dict[str, Callable[[], nn.Module]] = {
    ENTROPY: nn.CrossEntropyLoss,
    CONSTANT: lambda: MarginLoss(1.0),
    GROWING: lambda: MarginLoss(Growing.reaching(10.0, 1e6)),
}
PLAIN, REPLAYED, COMPILED = "as written", "recorded, replayed", "torch.compile"
OURS, THEIRS = "ours", "theirs"

EPOCHS = [
    Column("name", "epoch", "text"),
    Column("entropy", ENTROPY, "time"),
    Column("constant", CONSTANT, "time"),
    Column("growing", GROWING, "time"),
    Column("ratio", f"{CONSTANT} / {ENTROPY}", "ratio"),
    Column("growing_ratio", f"{GROWING} / {ENTROPY}", "ratio"),
    Column("speed", f"images per second, {GROWING}", "count"),
]
FITS = [
    Column("name", "one epoch of fit", "text"),
    Column("ours", "MarginMLPClassifier", "time"),
    Column("theirs", "sklearn MLPClassifier", "time"),
    Column("ratio", "sklearn / ours", "ratio"),
]


def run(quick: bool) -> dict[str, Any]:
    rounds, rows, hidden = (2, QUICK_ROWS, QUICK_HIDDEN) if quick else (ROUNDS, ROWS, HIDDEN)
    sections = [_epochs(rows, hidden, rounds), _calls(rounds), _fits(rows, hidden, rounds)]
    notes = [
        f"Ratios are medians over {rounds} rounds of the ratio within a round; {torch.get_num_threads()} "
        "threads on the CPU. An epoch with MarginLoss is meant to take at most 1.1 times one with "
        "cross-entropy.",
        f"{REPLAYED}: the step is a CUDA graph, as in MarginMLPClassifier. {COMPILED}: of network and loss.",
    ]
    sizes = {"rows": rows, "hidden": hidden, "batch": BATCH, "rounds": rounds}
    return {"sizes": sizes, "notes": notes, "sections": sections}


def _epochs(n_rows: int, hidden: int, rounds: int) -> Section:
    table = Section(f"One epoch of {n_rows:,} images, 784–{hidden}–10, batches of {BATCH}", EPOCHS, [])
    kinds = [("cpu", PLAIN)]
    if torch.cuda.is_available():
        kinds += [("cuda", kind) for kind in (PLAIN, REPLAYED, COMPILED)]
    for device, kind in kinds:
        where = torch.cuda.get_device_name() if device == "cuda" else "CPU"
        print(f"one epoch, {where}, {kind} ...", flush=True)
        epochs = {name: Epoch(make(), device, kind, n_rows, hidden) for name, make in LOSSES.items()}
        times = interleave(epochs, rounds)
        table.raw[f"{device} {kind}"] = times.seconds
        table.rows.append(_epoch_row(f"{where}, {kind}", f"epoch {device} {kind}", times, n_rows))
    return table


def _epoch_row(name: str, row_id: str, times: Times, n_rows: int) -> dict[str, Any]:
    return {
        "id": row_id,
        "name": name,
        "entropy": times.median(ENTROPY),
        "constant": times.median(CONSTANT),
        "growing": times.median(GROWING),
        "ratio": times.ratio(CONSTANT, ENTROPY),
        "growing_ratio": times.ratio(GROWING, ENTROPY),
        "speed": n_rows / times.median(GROWING),
    }


class Epoch:
    """A network and rows on a device; each call is an epoch more."""

    def __init__(self, loss: nn.Module, device: str, kind: str, n_rows: int, hidden: int) -> None:
        source = torch.Generator().manual_seed(0)
        self.rows = torch.rand(n_rows, COLUMNS, generator=source).to(device)
        self.target = torch.randint(0, CLASSES, (n_rows,), generator=source).to(device)
        self.network = nn.Sequential(nn.Linear(COLUMNS, hidden), nn.ReLU(), nn.Linear(hidden, CLASSES)).to(
            device
        )
        self.loss, self.device = loss.to(device), device
        self.weights = [*self.network.parameters()]
        self.objective = torch.compile(self._objective) if kind == COMPILED else self._objective
        self.step = ReplayedStep(self._step) if kind == REPLAYED else self._step

    def __call__(self) -> None:
        order = torch.randperm(len(self.target), device=self.device)
        for places in order.split(BATCH):
            self.step(places)
        if self.device == "cuda":
            torch.cuda.synchronize()

    def _objective(self, rows: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        return self.loss(self.network(rows), target)

    def _step(self, places: torch.Tensor) -> None:
        value = self.objective(self.rows[places], self.target[places])
        slopes = torch.autograd.grad(value, self.weights)
        with torch.no_grad():
            torch._foreach_add_(self.weights, slopes, alpha=-ETA)


def _calls(rounds: int) -> Section:
    """What the loss takes by itself, value and gradient."""
    table = Section(f"A loss alone, {BATCH}×{CLASSES} scores, value and gradient, CPU", EPOCHS[:-1], [])
    source = torch.Generator().manual_seed(0)
    scores = torch.randn(BATCH, CLASSES, generator=source, requires_grad=True)
    target = torch.randint(0, CLASSES, (BATCH,), generator=source)

    def many(loss: nn.Module) -> Callable[[], None]:
        def calls() -> None:
            for _ in range(CALLS):
                torch.autograd.grad(loss(scores, target), scores)

        return calls

    times = interleave({name: many(make()) for name, make in LOSSES.items()}, rounds)
    single = Times({name: [one / CALLS for one in seconds] for name, seconds in times.seconds.items()})
    table.raw["seconds"] = single.seconds
    table.rows.append(_epoch_row("one call", "call", single, BATCH))
    return table


def _fits(n_rows: int, hidden: int, rounds: int) -> Section:
    """An epoch is the difference of fits of one and of three."""
    print("fits beside scikit-learn ...", flush=True)
    rng = np.random.default_rng(0)
    X, y = rng.random((n_rows, COLUMNS), np.float32), rng.integers(0, CLASSES, n_rows)
    devices = ["cpu", "cuda"] if torch.cuda.is_available() else ["cpu"]
    models: dict[str, Any] = {}
    for epochs in (1, 3):
        models[f"{THEIRS} {epochs}"] = _theirs(hidden, epochs)
        models |= {f"{device} {epochs}": _ours(hidden, epochs, device) for device in devices}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of random labels nothing is learned in an epoch
        times = interleave({name: (lambda m=model: m.fit(X, y)) for name, model in models.items()}, rounds)
    for name in (THEIRS, *devices):
        times.add_difference(name, f"{name} 3", f"{name} 1", 2)
    title = f"Fits of {n_rows:,}×{COLUMNS} float32, {hidden} hidden neurons, plain gradient descent"
    table = Section(title, FITS, [], {"seconds": times.seconds})
    for device in devices:
        where = torch.cuda.get_device_name() if device == "cuda" else "CPU"
        row = {
            "ours": times.median(device),
            "theirs": times.median(THEIRS),
            "ratio": times.ratio(THEIRS, device),
        }
        table.rows.append(
            {
                "id": f"fit {device}",
                "name": f"{where} (scikit-learn: CPU)" if device == "cuda" else where,
                **row,
            }
        )
    return table


def _ours(hidden: int, epochs: int, device: str) -> MarginMLPClassifier:
    return MarginMLPClassifier(
        hidden_size=hidden,
        optimizer="sgd",
        max_epochs=epochs,
        batch_size=BATCH,
        eta=ETA,
        standardize=False,
        device=device,
        random_state=0,
    )


def _theirs(hidden: int, epochs: int) -> MLPClassifier:
    return MLPClassifier(
        hidden,
        solver="sgd",
        momentum=0.0,
        alpha=0.0,
        batch_size=BATCH,
        learning_rate_init=ETA,
        max_iter=epochs,
        random_state=0,
    )
