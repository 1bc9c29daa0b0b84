"""Fits on whole numbers are as they were recorded; `python -m tests.recorded_fits` compares more of them."""

import json
from pathlib import Path

import pytest

from tests.recorded_fits.cases import cases
from tests.recorded_fits.digest import digest_of, fitted

pytestmark = pytest.mark.kernels

DIGESTS = json.loads((Path(__file__).parents[1] / "recorded_fits" / "digests.json").read_text())
EXACT = {name: case for name, case in cases().items() if case.exact}


def test_there_are_exact_cases():
    assert len(EXACT) >= 30
    assert EXACT.keys() <= DIGESTS.keys()


SLOW = {name for name in EXACT if "minover" in name}  # their gap closes slowly


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow if name in SLOW else ()) for name in EXACT]
)
def test_the_same_model_as_recorded(name):
    assert digest_of(fitted(EXACT[name])) == DIGESTS[name]
