"""How many random cases a test tries: a share in the suite, all of them in `python -m tests.thorough`."""

import os

from tests.jit import JIT

THOROUGH = os.environ.get("PERCEPTRONS_THOROUGH") == "1"


def cases(n: int, share: int = 10) -> int:
    """All n, or 1 of `share` of them in the suite; a third of these where nothing is compiled."""
    return n if THOROUGH else max(n // share if JIT else n // (3 * share), 1)
