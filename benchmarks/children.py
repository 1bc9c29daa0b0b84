"""Fresh Python processes: for what only the first call, or a whole process, can show."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import perceptrons

from . import ROOT


def ask(arguments: Sequence[str], environment: Mapping[str, str] | None = None) -> Any:
    """Run Python with these arguments and read the JSON it prints."""
    return json.loads(run(arguments, environment))


def run(arguments: Sequence[str], environment: Mapping[str, str] | None = None) -> str:
    """Run Python with these arguments; what it prints."""
    done = subprocess.run(
        [sys.executable, *arguments],
        env=environment_of_children(environment or {}),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return done.stdout


def environment_of_children(changes: Mapping[str, str]) -> dict[str, str]:
    """This process's, with the package found as it is here, and with these changes."""
    sources = Path(perceptrons.__file__).parent.parent
    path = os.pathsep.join([str(ROOT), str(sources), os.environ.get("PYTHONPATH", "")])
    return {**os.environ, "PYTHONPATH": path, **changes}
