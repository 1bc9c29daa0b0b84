"""What the tests of experiments share."""

import dataclasses

import pytest

from perceptrons.papers.experiment import in_turn
from perceptrons.papers.runner import EXPERIMENTS

NAMES = [
    pytest.param(name, marks=pytest.mark.torch) if name.startswith("moran-mnist") else name
    for name in EXPERIMENTS
]


def run_quickly(module, settings):
    """The quick form, with some settings changed."""
    inputs = module.data(quick=True)
    return module.run(dataclasses.replace(inputs, settings={**inputs.settings, **settings}), in_turn)


def verdicts(module, values):
    return {claim.text: claim.verdict for claim in module.check(values)}
