"""Moran and others, Section 3: what they propose for networks and give no numbers of, tried on MNIST.

One hidden layer of ReLUs and the margin loss, as in `moran_mnist`, in four ways:

    β = 1             the same for all of training, the one to beat
    Algorithm 3       β follows the norms of the features that reach the output neurons (`Adaptive`)
    error batches     β = 1; a batch is complete when it holds a number of errors (footnote 3, `ErrorBatches`)
    hidden clocks     β = 1; the input of each hidden neuron is moved by a β of its own (`ClockedReLU`)

Learning rates are those of the lowest error on training images held out; then new networks, of other seeds,
learn from all. Networks of one seed begin alike, so ways are compared in pairs.
"""

import statistics
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from ...datasets import mnist
from ...neural.batches import ErrorBatches
from ...neural.clocked import ClockedReLU
from ...neural.loss import MarginLoss
from ...neural.schedules import Adaptive, Growing
from ...neural.training import Descent
from ..experiment import (
    Claim,
    Each,
    ExperimentResult,
    Inputs,
    NotHere,
    ResultTable,
    Values,
    judged,
    spread,
    standard_error,
)
from ..pictures import BLUE, GRAY, ORANGE, PALE
from .side_by_side import LabeledRows, best_device

PAPER = "Moran et al."
PACKAGES = ("torch",)
TITLE = "Margins that follow norms, batches of errors, hidden clocks"
HEIGHT = 2.2
ONE, ADAPTIVE, ERRORS, CLOCKS = "β = 1", "Algorithm 3", "error batches", "hidden clocks"
WAYS = (ONE, ADAPTIVE, ERRORS, CLOCKS)
BATCH, N_ERRORS = 100, 32
ETAS = [0.02, 0.05, 0.1, 0.2, 0.4]
REACHED = 0.1  # by the β of a hidden neuron, if it is active in every row
CLEARLY = 2.0  # standard errors of the mean difference of pairs


class WayTask(NamedTuple):
    """One network."""

    way: str
    eta: float
    seed: int
    settings: Mapping[str, Any]
    rows: tuple[Any, Any]  # images and labels
    others: tuple[Any, Any]


def data(quick: bool) -> Inputs:
    device, gpu = best_device()
    if not quick and gpu is None:
        raise NotHere(
            "moran-mnist-clocks trains 40 networks for 30 epochs: minutes on a GPU that PyTorch can use, of "
            "which there is none here; use --quick."
        )
    images, n, n_test = mnist(), 3_000 if quick else 60_000, 1_000 if quick else 10_000
    sets = {
        "train": (images.train_images[:n], images.train_labels[:n]),
        "test": (images.test_images[:n_test], images.test_labels[:n_test]),
    }
    return Inputs(_settings(quick) | {"device": device, "gpu": gpu}, sets, {"MNIST": images.digest})


def _settings(quick: bool) -> dict[str, Any]:
    if quick:
        return {"hidden": 50, "etas": [0.02, 0.2], "epochs": 4, "seeds": [0, 1], "held_out": 500}
    return {"hidden": 300, "etas": ETAS, "epochs": 30, "seeds": [0, 1, 2, 3, 4], "held_out": 10_000}


def run(inputs: Inputs, each: Each) -> ExperimentResult:
    given = inputs.settings
    images, labels = inputs.sets["train"]
    n = len(labels) - given["held_out"]
    parts = (images[:n], labels[:n]), (images[n:], labels[n:])
    pairs = [(way, eta) for way in WAYS for eta in given["etas"]]
    tried = each(trained, [WayTask(way, eta, 100, given, *parts) for way, eta in pairs])
    errors = dict(zip(pairs, [one["error"] for one in tried], strict=True))
    etas = {way: min(given["etas"], key=lambda eta: errors[way, eta]) for way in WAYS}
    finals = [(way, seed) for way in WAYS for seed in given["seeds"]]
    whole = inputs.sets["train"], inputs.sets["test"]
    found = each(trained, [WayTask(way, etas[way], seed, given, *whole) for way, seed in finals])
    values: Values = {"rows": len(labels), "hidden": given["hidden"], "etas": etas}
    values["final"] = {
        way: {
            key: [one[key] for (other, _), one in zip(finals, found, strict=True) if other == way]
            for key in found[0]
        }
        for way in WAYS
    }
    return ExperimentResult([_table(values)], values)


class Resident:
    """All rows on one device, a batch of them at a time in a new order for each pass: what `Descent`
    needs."""

    resident = True

    def __init__(self, rows: LabeledRows, seed: int) -> None:
        self.rows, self.generator = rows, torch.Generator().manual_seed(seed)

    def indices(self) -> Iterator[Tensor]:
        order = torch.randperm(len(self.rows.target), generator=self.generator)
        yield from torch.split(order.to(self.rows.target.device), BATCH)

    def at(self, indices: Tensor) -> tuple[Tensor, Tensor]:
        return self.rows.inputs[indices], self.rows.target[indices]

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        return map(self.at, self.indices())


def trained(task: WayTask) -> Values:
    """Test and training error in per cent (100 where training diverged), β of the loss in the end, and how
    many rows were corrected."""
    given, device = task.settings, task.settings["device"]
    rows, others = (LabeledRows.of_images(*some, device) for some in (task.rows, task.others))
    batches = Resident(rows, task.seed)
    network = started(task, batches.generator, rows).to(device)
    loss = MarginLoss(Adaptive(task.eta / BATCH) if task.way == ADAPTIVE else 1.0).to(device)
    descent = Descent(network, loss, batches, task.eta)  # type: ignore[arg-type]
    chosen = ErrorBatches(batches, N_ERRORS, network=network, loss=loss) if task.way == ERRORS else None
    try:
        for _ in range(given["epochs"]):
            descent.epoch(chosen)
    except ValueError:  # scores that are not finite: a rate that is too large for this way, and a finding
        return {"error": 100.0, "train_error": 100.0, "margin": 0.0, "updates": int(loss.clock)}
    return {
        "error": error_of(network.eval(), others),
        "train_error": error_of(network, rows),
        "margin": round(loss.margin, 6),
        "updates": int(loss.clock),
    }


def started(task: WayTask, generator: torch.Generator, rows: LabeledRows) -> nn.Sequential:
    """He's start, the same for all ways of a seed."""
    n_in, hidden = rows.inputs.shape[1], task.settings["hidden"]
    clock = Growing.reaching(REACHED, len(rows.target) * task.settings["epochs"])
    activation = ClockedReLU(hidden, clock) if task.way == CLOCKS else nn.ReLU()
    layers = nn.Linear(n_in, hidden), nn.Linear(hidden, int(rows.target.max()) + 1)
    for layer in layers:
        nn.init.normal_(layer.weight, std=(2.0 / layer.in_features) ** 0.5, generator=generator)
        nn.init.zeros_(layer.bias)
    return nn.Sequential(layers[0], activation, layers[1])


@torch.no_grad()
def error_of(network: nn.Sequential, rows: LabeledRows) -> float:
    scores = network(rows.inputs)
    return round(100 * float((scores.argmax(1) != rows.target).float().mean()), 4)


def _table(values: Values) -> ResultTable:
    rows = []
    for way, one in values["final"].items():
        updates = f"{statistics.fmean(one['updates']):,.0f}"
        shown = [spread(one[key], 2) for key in ("error", "train_error")]
        rows.append(
            [way, f"{values['etas'][way]:g}", *shown, f"{statistics.fmean(one['margin']):.3g}", updates]
        )
    heads = [
        "way",
        "learning rate",
        "test error, %",
        "training error, %",
        "β in the end",
        "rows in violation",
    ]
    return ResultTable(f"{values['hidden']} hidden neurons, {values['rows']:,} images", heads, rows)


SAID = {
    ADAPTIVE: ("a margin that follows the norms (Algorithm 3) helps a network", "easily applied; no numbers"),
    ERRORS: ("batches of a number of errors help (footnote 3)", "can be helpful; no numbers"),
    CLOCKS: ("internal clocks of hidden neurons help", "proposed; no numbers"),
}


def check(values: Values) -> list[Claim]:
    return [_helps(values, way, *said, main=way == ADAPTIVE) for way, said in SAID.items()]


def _helps(values: Values, way: str, text: str, paper: str, *, main: bool) -> Claim:
    gaps = differences(values, way)
    mean, error = statistics.fmean(gaps), standard_error(gaps)
    mine, theirs = (spread(values["final"][name]["error"], 2) for name in (way, ONE))
    return judged(
        mean > 0 and mean > CLEARLY * error,
        text,
        paper,
        f"{mean:+.3f} % ({way} {mine}, {ONE} {theirs} %)",
        f"test error lower than with β = 1 by more than {CLEARLY:g} standard errors of paired differences",
        main=main,
    )


def differences(values: Values, way: str) -> list[float]:
    """By how much the error is below that with β = 1, seed by seed."""
    one, other = (values["final"][name]["error"] for name in (ONE, way))
    return [a - b for a, b in zip(one, other, strict=True)]


def draw(figure: Any, values: Values) -> None:
    """A dot for each network, a tick at their mean."""
    axes = figure.subplots()
    for place, way in enumerate(WAYS):
        errors: Sequence[float] = values["final"][way]["error"]
        color = GRAY if way == ONE else ORANGE if way == ADAPTIVE else BLUE
        axes.axhline(place, color=PALE, lw=0.8, zorder=0)
        axes.plot(errors, [place] * len(errors), "o", ms=5, alpha=0.5, mew=0, color=color)
        axes.plot(statistics.fmean(errors), place, "|", ms=12, color=color)
    axes.set(yticks=range(len(WAYS)), yticklabels=WAYS, xlabel="test error, %")
    axes.tick_params(axis="y", length=0)
    axes.invert_yaxis()
