"""Moran, Nachum, Panasoff, Yehudayoff, *On the Perceptron's Compression*, Section 3: Figures 1 and 2, MNIST.

One hidden layer of 800 or 300 ReLU neurons, ten output neurons, no preprocessing except for the division by
255; the margin loss with β = 0, 1, or growing like t^0.25, t^0.5, t^0.75 (the exponents are illegible), and
cross-entropy. The paper is silent about learning rates, batches, epochs, starts and constants. Ours: plain
stochastic gradient descent, batches of 100, He's start; learning rates, and what constants there are, by the
mean error on the last 10,000 training images of networks trained on the others; then new networks, of other
seeds, are trained on all. What is growing has a constant more than β = 1, so a constant β, chosen among an
equal number, stands beside it.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ...datasets import mnist
from ...neural.schedules import Growing
from ..experiment import Each, ExperimentResult, Inputs, NotHere, ResultTable, Values, spread
from ..pictures import BLUE, GRAY, INK, ORANGE, PALE
from .mnist_claims import (
    BETA_GROWING,
    BETA_ONE,
    CONSTANT,
    CROSS_ENTROPY,
    ENTROPY,
    GROWING,
    LARGE,
    ONE,
    POWERS,
    SMALL,
    SMALL_GROWING,
    ZERO,
    entry_of,
)
from .mnist_claims import check as check
from .side_by_side import LabeledRows, NetworkTrial, best_device, train_side_by_side

PAPER = "Moran et al."
PACKAGES = ("torch",)
TITLE = "Networks with a growing margin on MNIST, beside cross-entropy"
HEIGHT = 3.0
NAMES = (ZERO, ONE, CONSTANT, *GROWING, ENTROPY)
PAPERS = {
    LARGE: ((ONE, BETA_ONE), *((GROWING[1], error) for error in BETA_GROWING), (ENTROPY, CROSS_ENTROPY)),
    SMALL: ((GROWING[1], SMALL_GROWING),),
}
PRINTED = {  # of a growing β the exponents are illegible
    (LARGE, ZERO): "no convergence",
    (LARGE, ONE): "1.5",
    **{(LARGE, name): "1.44, 1.35 of two" for name in GROWING},
    (LARGE, ENTROPY): "1.6",
    **{(SMALL, name): "1.49 of one" for name in GROWING},
}


QUOTED = {  # beside Figure 2: of other networks of that size, from elsewhere, in per cent
    SMALL: {
        "mean square error [24]": 4.7,
        "the same, distorted images [24]": 3.6,
        "deskewed images [24]": 1.6,
    }
}


def data(quick: bool) -> Inputs:
    device, gpu = best_device()
    if not quick and gpu is None:
        raise NotHere(
            "moran-mnist trains 950 networks for 80 epochs: minutes on a GPU that PyTorch can use, of which "
            "there is none here, and about a day without; use --quick."
        )
    images, n = mnist(), 5_000 if quick else 60_000
    sets = {
        "train": (images.train_images[:n], images.train_labels[:n]),
        "test": (images.test_images[:2_000], images.test_labels[:2_000])
        if quick
        else (images.test_images, images.test_labels),
    }
    return Inputs(_settings(quick) | {"device": device, "gpu": gpu}, sets, {"MNIST": images.digest})


def _settings(quick: bool) -> dict[str, Any]:
    common = {"batch": 100, "powers": list(POWERS)}
    if quick:
        few = {"hidden": [300], "etas": [0.1, 0.3], "constants": [3.0], "epochs": 10, "updates": 2e4}
        return few | {"search_seeds": [100], "seeds": [0, 1], "held_out": 1_000} | common
    return {
        "hidden": [800, 300],
        "etas": [0.05, 0.1, 0.2, 0.4, 0.8],
        "constants": [
            3.0,
            10.0,
            30.0,
            100.0,
            300.0,
            1000.0,
        ],  # β, or what it would come to in so many updates
        "updates": 2e6,
        "epochs": 80,
        "search_seeds": [100, 101, 102],
        "seeds": list(range(10)),
        "held_out": 10_000,
    } | common


class MnistCandidate(NamedTuple):
    name: str
    constant: float | None
    eta: float
    schedule: float | Growing | None


class MnistTask(NamedTuple):
    """Networks that are trained side by side."""

    hidden: int
    trials: list[NetworkTrial]
    seeds: list[int]
    settings: Mapping[str, Any]
    rows: tuple[Any, Any]  # images and labels
    others: tuple[Any, Any]


def run(inputs: Inputs, each: Each) -> ExperimentResult:
    given = inputs.settings
    images, labels = inputs.sets["train"]
    n = len(labels) - given["held_out"]
    candidates = list(_candidates(given))
    search = _race(
        dict.fromkeys(given["hidden"], candidates),
        given["search_seeds"],
        ((images[:n], labels[:n]), (images[n:], labels[n:])),
        given,
        each,
    )
    chosen = {
        hidden: _best(candidates, [one for one in search if one["hidden"] == hidden])
        for hidden in given["hidden"]
    }
    final = _race(chosen, given["seeds"], (inputs.sets["train"], inputs.sets["test"]), given, each)
    values: Values = {"rows": len(labels), "search": search, "final": final}
    return ExperimentResult([_table(values, hidden, given) for hidden in given["hidden"]], values)


def _candidates(given: Mapping[str, Any]) -> Iterator[MnistCandidate]:
    """All that is tried; cross-entropy last."""
    for eta in given["etas"]:
        yield MnistCandidate(ZERO, None, eta, 0.0)
        yield MnistCandidate(ONE, None, eta, 1.0)
        for constant in given["constants"]:
            yield MnistCandidate(CONSTANT, constant, eta, constant)
            for power, name in zip(given["powers"], GROWING, strict=True):
                growing = Growing.reaching(constant, given["updates"], power)
                yield MnistCandidate(name, constant, eta, growing)
    for eta in given["etas"]:
        yield MnistCandidate(ENTROPY, None, eta, None)


def _race(
    contenders: Mapping[int, list[MnistCandidate]],
    seeds: list[int],
    sets: tuple[Any, Any],
    given: Mapping[str, Any],
    each: Each,
) -> list[Values]:
    """What became of each contender; on a GPU all seeds at once, else each on its own."""
    groups = [seeds] if given["device"] == "cuda" else [[seed] for seed in seeds]
    tasks = [
        MnistTask(hidden, [NetworkTrial(one.schedule, one.eta) for one in some], group, given, *sets)
        for hidden, some in contenders.items()
        for group in groups
    ]
    outcomes = iter(each(trained, tasks))
    found = []
    for hidden, some in contenders.items():
        parts = [next(outcomes) for _ in groups]
        for place, one in enumerate(some):
            about = {"hidden": hidden, "name": one.name, "constant": one.constant, "eta": one.eta}
            found.append(
                about | {key: [row[place] for part in parts for row in part[key]] for key in parts[0]}
            )
    return found


def trained(task: MnistTask) -> Values:
    """By seed and trial; errors in per cent."""
    given = task.settings
    outcome = train_side_by_side(
        LabeledRows.of_images(*task.rows, given["device"]),
        LabeledRows.of_images(*task.others, given["device"]),
        hidden=task.hidden,
        trials=task.trials,
        seeds=task.seeds,
        epochs=given["epochs"],
        batch=given["batch"],
    )
    return {
        "errors": _percent(outcome.test_errors),
        "train_errors": _percent(outcome.train_errors),
        "updates": outcome.updates.tolist(),
        "last_updates": outcome.last_updates.tolist(),
    }


def _percent(shares: Any) -> list[list[float]]:
    return [[round(100 * share, 4) for share in some] for some in shares.tolist()]


def _best(candidates: list[MnistCandidate], tried: list[Values]) -> list[MnistCandidate]:
    """Of each name the one with the lowest mean error on images held out, the first of equals."""
    errors = [sum(one["errors"]) for one in tried]
    places = {name: [i for i, one in enumerate(candidates) if one.name == name] for name in NAMES}
    return [candidates[min(some, key=lambda i: errors[i])] for some in places.values()]


def _last_beta(one: Values, given: Mapping[str, Any]) -> str:
    """What β came to, in the mean of the networks."""
    if one["name"] not in GROWING:
        return f"{one['constant']:g}" if one["constant"] else "–"
    power, updates = given["powers"][GROWING.index(one["name"])], sum(one["updates"]) / len(one["updates"])
    return f"{one['constant'] * (updates / given['updates']) ** power:.0f}"


def _table(values: Values, hidden: int, given: Mapping[str, Any]) -> ResultTable:
    heads = [
        "loss",
        "β in the end",
        "learning rate",
        "test error, %",
        "paper, %",
        "training error, %",
        "rows in violation, last epoch",
    ]
    rows = []
    for name in NAMES:
        one = entry_of(values["final"], hidden, name)
        constant = _last_beta(one, given)
        shown = [spread(one[key], 2) for key in ("errors", "train_errors")]
        violations = (
            "–" if name == ENTROPY else f"{min(one['last_updates']):,} to {max(one['last_updates']):,}"
        )
        paper = PRINTED.get((hidden, name), "–")
        rows.append([name, constant, f"{one['eta']:g}", shown[0], paper, shown[1], violations])
    rows += [
        [f"quoted: {name}", "–", "–", "–", f"{error:g}", "–", "–"]
        for name, error in QUOTED.get(hidden, {}).items()
    ]
    return ResultTable(f"{hidden} hidden neurons", heads, rows)


def draw(figure: Any, values: Values) -> None:
    """A panel for each size. β = 0, which is far off, is given in words."""
    sizes = list(dict.fromkeys(one["hidden"] for one in values["final"]))
    shown = [error for one in values["final"] if one["name"] != ZERO for error in one["errors"]]
    panels = figure.subplots(1, len(sizes), sharex=True, sharey=True, squeeze=False)[0]
    for axes, hidden in zip(panels, sizes, strict=True):
        _draw_size(axes, values, hidden)
        axes.set(title=f"{hidden} hidden neurons", xlabel="test error, % (×: the paper's)")
        axes.set(yticks=range(len(NAMES)), yticklabels=NAMES, xlim=(min(shown) - 0.05, max(shown) + 0.05))
        axes.tick_params(axis="y", length=0)
    panels[0].invert_yaxis()


def _draw_size(axes: Any, values: Values, hidden: int) -> None:
    """A dot for each network, a tick at their mean; the paper's numbers of a growing β in the middle of its
    three rows."""
    for place, name in enumerate(NAMES):
        errors = entry_of(values["final"], hidden, name)["errors"]
        color = ORANGE if name in GROWING else INK if name == ENTROPY else BLUE
        if name == ZERO:
            edge = {"xycoords": ("axes fraction", "data"), "ha": "right", "va": "center"}
            axes.annotate(f"{spread(errors, 2)} % →", (1, place), color=color, **edge)
            continue
        axes.axhline(place, color=PALE, lw=0.8, zorder=0)
        axes.plot(errors, [place] * len(errors), "o", ms=4, alpha=0.5, mew=0, color=color)
        axes.plot(sum(errors) / len(errors), place, "|", ms=12, color=color)
    for name, error in PAPERS.get(hidden, ()):
        axes.plot(error, NAMES.index(name), "x", ms=6, color=GRAY)
