"""`export`: a fitted model leaves Python, as one file in the form that its destination wants."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .. import __version__
from ..checks import one_of
from ..model_file.files import write_whole
from .c_header import c_header, prefix_of
from .program import Program
from .python_module import python_module
from .read_program import read_program
from .sql_query import sql_query


def _python(program: Program, about: str, name: str) -> bytes:
    return python_module(program, about).encode()


def _c(program: Program, about: str, name: str) -> bytes:
    return c_header(program, about, prefix_of(name)).encode("ascii")


def _sql(program: Program, about: str, name: str) -> bytes:
    return sql_query(program, about, name).encode()


def _onnx(program: Program, about: str, name: str) -> bytes:
    from .onnx_graph import onnx_model

    return onnx_model(program, about)


TARGETS: dict[str, Callable[[Program, str, str], bytes]] = {"onnx": _onnx, "c": _c, "python": _python, "sql": _sql}


def export(model: Any, path: str | os.PathLike[str], to: str) -> None:
    one_of("to", to, TARGETS)
    program, file = read_program(model), os.fsdecode(path)
    about = f"{program.title}, exported by perceptrons {__version__}"
    write_whole(file, TARGETS[to](program, about, Path(file).stem))
