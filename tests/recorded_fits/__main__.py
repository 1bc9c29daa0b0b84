"""python -m tests.recorded_fits [--record]: compare every fit with the digest kept, or keep new digests."""

import benchmarks  # noqa: F401, I001  names Numba's cache after a hash of the sources, before Numba is imported

import json
import sys
from importlib.util import find_spec
from pathlib import Path

from .cases import cases, networks
from .digest import digest_of, fitted

DIGESTS = Path(__file__).parent / "digests.json"


def main() -> int:
    known = cases() | (networks() if find_spec("torch") else {})
    found = {name: digest_of(fitted(case)) for name, case in known.items()}
    if sys.argv[1:] == ["--record"]:
        DIGESTS.write_text(json.dumps(found, indent=1) + "\n")
        print(f"{len(found)} digests recorded.")
        return 0
    kept = json.loads(DIGESTS.read_text())
    changed = [name for name, digest in found.items() if kept.get(name) != digest]
    for name in changed:
        print(f"changed: {name}")
    print(f"{len(found)} fits, {len(found) - len(changed)} as recorded, {len(changed)} not.")
    return bool(changed)


if __name__ == "__main__":
    sys.exit(main())
