"""Whether kernels are compiled in this run; tests cut their sizes where they are not."""

import os

JIT = os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")
