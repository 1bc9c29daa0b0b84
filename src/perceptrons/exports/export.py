"""`export`: a fitted model leaves Python, as one file in the form that its destination wants."""

import os
from collections.abc import Callable
from typing import Any

from .. import __version__
from ..checks import one_of
from ..model_file.files import write_whole
from .program import Program
from .python_module import python_module
from .read_program import read_program


def python_bytes(program: Program, about: str) -> bytes:
    return python_module(program, about).encode()


TARGETS: dict[str, Callable[..., bytes]] = {"python": python_bytes}


def export(model: Any, path: str | os.PathLike[str], to: str) -> None:
    one_of("to", to, TARGETS)
    program = read_program(model)
    about = f"{program.title}, exported by perceptrons {__version__}"
    write_whole(os.fsdecode(path), TARGETS[to](program, about))
