"""One playground for all tests that only talk to it."""

import pytest

from tests.play.serving import playground


@pytest.fixture(scope="session")
def served():
    with playground() as one:
        yield one
