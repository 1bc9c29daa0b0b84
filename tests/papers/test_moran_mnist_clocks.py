"""Moran and others, Section 3, without numbers: four ways to train, compared in pairs."""

import copy
import dataclasses

import pytest
import torch

from perceptrons.neural import ClockedReLU, MarginLoss
from perceptrons.papers.experiment import NotHere, in_turn
from perceptrons.papers.moran import moran_mnist_clocks as module
from perceptrons.papers.pictures import files
from tests.experiments import verdicts

pytestmark = [pytest.mark.data, pytest.mark.torch]
TINY = {
    "hidden": 20,
    "etas": [0.1],
    "epochs": 2,
    "seeds": [0, 1],
    "held_out": 200,
    "device": "cpu",
    "gpu": None,
}


@pytest.fixture(scope="module")
def inputs():
    quick = module.data(quick=True)
    sets = {name: (images[:600], labels[:600]) for name, (images, labels) in quick.sets.items()}
    return dataclasses.replace(quick, sets=sets, settings={**quick.settings, **TINY})


@pytest.fixture(scope="module")
def result(inputs):
    return module.run(inputs, in_turn)


def test_every_way_is_trained(result):
    final = result.values["final"]
    assert set(final) == set(module.WAYS)
    assert all(len(one["error"]) == 2 for one in final.values())
    assert {round(margin, 6) for margin in final[module.ONE]["margin"]} == {1.0}
    assert all(margin != 1.0 for margin in final[module.ADAPTIVE]["margin"])
    assert len(verdicts(module, result.values)) == 3
    assert all(len(row) == len(table.heads) for table in result.tables for row in table.rows)


def test_all_ways_of_a_seed_begin_alike(inputs):
    rows = module.LabeledRows.of_images(*inputs.sets["train"], "cpu")
    starts = [
        module.started(
            module.WayTask(way, 0.1, 0, inputs.settings, *2 * (inputs.sets["train"],)),
            torch.Generator().manual_seed(3),
            rows,
        )
        for way in module.WAYS
    ]
    assert all(torch.equal(one[0].weight, starts[0][0].weight) for one in starts)
    assert [isinstance(one[1], ClockedReLU) for one in starts] == [False, False, False, True]


def test_differences_decide(result):
    values = copy.deepcopy(result.values)
    for way in module.WAYS:
        values["final"][way]["error"] = [2.0, 2.1]
    assert set(verdicts(module, values).values()) == {"not reproduced"}
    values["final"][module.ERRORS]["error"] = [1.0, 1.1]
    assert list(verdicts(module, values).values()) == ["not reproduced", "reproduced", "not reproduced"]


class Idle(MarginLoss):
    """Asks for nothing."""

    def forward(self, scores, *others, **more):
        return 0.0 * super().forward(scores, *others, **more)


def test_a_network_that_does_not_learn_is_found_out(inputs, monkeypatch):
    monkeypatch.setattr(module, "MarginLoss", Idle)
    found = module.run(inputs, in_turn).values
    assert min(found["final"][module.ERRORS]["train_error"]) > 50
    assert verdicts(module, found)[module.SAID[module.ERRORS][0]] == "not reproduced"


def test_a_rate_that_is_too_large_is_a_finding(inputs):
    task = module.WayTask(module.ADAPTIVE, 1e12, 0, inputs.settings, *2 * (inputs.sets["train"],))
    assert module.trained(task)["error"] == 100.0


def test_all_of_it_needs_a_gpu(monkeypatch):
    monkeypatch.setattr(module, "best_device", lambda: ("cpu", None))
    with pytest.raises(NotHere, match="trains 40 networks"):
        module.data(quick=False)


def test_it_is_drawn(result):
    drawn = dict(files(lambda figure: module.draw(figure, result.values), module.HEIGHT, ("svg",)))
    assert drawn["svg"].startswith(b"<?xml")
