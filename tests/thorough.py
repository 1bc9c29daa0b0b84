"""More random cases than the suite has time for:  python -m tests.thorough [options of pytest]

The tests that are marked `thorough` ask `tests.sizes` how many cases to try; here they try all.
"""

import os
import subprocess
import sys

if __name__ == "__main__":
    command = [sys.executable, "-m", "pytest", "-m", "thorough", "--durations=10", *sys.argv[1:]]
    sys.exit(subprocess.run(command, env={**os.environ, "PERCEPTRONS_THOROUGH": "1"}).returncode)
