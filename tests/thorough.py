"""What the suite has no time for:  python -m tests.thorough [options of pytest]

Tests that are marked `thorough` ask `tests.sizes` how many random cases to try; here they try all. Those
marked `slow` (quick benchmarks, commands on pages) are run here and in CI alone. How many cases there were,
and of which kinds, stands in the last lines.
"""

import os
import subprocess
import sys

if __name__ == "__main__":
    command = [sys.executable, "-m", "pytest", "-m", "thorough or slow", "--durations=10", *sys.argv[1:]]
    sys.exit(subprocess.run(command, env={**os.environ, "PERCEPTRONS_THOROUGH": "1"}).returncode)
