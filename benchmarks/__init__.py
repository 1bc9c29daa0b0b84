"""Side by side with peers, in one run: `python -m benchmarks` lists what can be measured.

Each benchmark prints a table and writes JSON (machine, versions, sizes, raw times, derived numbers); the
tables on the pages are made from that JSON by `python -m tools.pages`.
"""

import hashlib
import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESULTS = Path(__file__).resolve().parent / "results"


def _digest_of_sources() -> str:
    digest = hashlib.sha256()
    for path in sorted((ROOT / "src").rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


# Before Numba is imported: it does not notice an edit in a function called from another file, so a new
# text gets a new cache. The root conftest.py imports this package for the same reason.
os.environ.setdefault("NUMBA_CACHE_DIR", str(ROOT / ".numba_cache" / _digest_of_sources()))
