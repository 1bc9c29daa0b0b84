"""`export`: a fitted model leaves Python, as one file in the form that its destination wants."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from .. import __version__
from ..checks import number, one_of
from ..model_file.files import write_whole
from .c_fixed import c_fixed_header
from .c_header import c_header, prefix_of
from .program import Program
from .python_module import python_module
from .read_program import read_program
from .sql_query import sql_query

BITS = "[1, 24]"  # of a fraction, with --fixed


class Exported(NamedTuple):
    """What was written.

    columns : the columns that the model reads; those it has no use for are not asked for.
    n_bytes : the size of the file.
    error : how far a score in fixed point may be from Python's, for cells without error; None for doubles.
    cell_error : how much more it may be if cells are rounded to the nearest number in fixed point.
    """

    columns: tuple[str, ...]
    n_bytes: int
    error: float | None = None
    cell_error: float | None = None


class Options(NamedTuple):
    """How to write the file; each target looks at those that are its own."""

    about: str
    name: str
    keep: tuple[str, ...]
    fixed: int | None


def _onnx(program: Program, options: Options) -> tuple[bytes, Any]:
    try:
        from .onnx_graph import onnx_model
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f'Exporting to ONNX needs {error.name}: pip install "perceptrons[export]"', name=error.name
        ) from None
    return onnx_model(program, options.about), ()


def _c(program: Program, options: Options) -> tuple[bytes, Any]:
    prefix = prefix_of(options.name)
    if options.fixed is None:
        return c_header(program, options.about, prefix).encode("ascii"), ()
    text, errors = c_fixed_header(program, options.about, prefix, options.fixed)
    return text.encode("ascii"), errors


def _sql(program: Program, options: Options) -> tuple[bytes, Any]:
    return sql_query(program, options.about, options.name, options.keep).encode(), ()


def _python(program: Program, options: Options) -> tuple[bytes, Any]:
    return python_module(program, options.about).encode(), ()


TARGETS: dict[str, Callable[[Program, Options], tuple[bytes, Any]]] = {
    "onnx": _onnx,
    "c": _c,
    "sql": _sql,
    "python": _python,
}


def export(
    model: Any,
    path: str | os.PathLike[str],
    to: str,
    *,
    name: str | None = None,
    keep: Sequence[str] = (),
    fixed: int | None = None,
) -> Exported:
    """Write a fitted model as one file that runs without this library.

    Parameters
    ----------
    model : classifier or pipeline
        A fitted classifier of this library, scikit-learn's `LogisticRegression`, or a pipeline of
        `TableEncoder`, `LiteralEncoder` or `StandardScaler` and one of these.
    path : str or path
        The file to write. An existing file is replaced in one step, and stays as it is if the model cannot be
        exported.
    to : {"onnx", "c", "sql", "python"}
        "onnx": a model of standard operators, one input per column, which `onnxruntime` runs. "c": a header
        of C99, without allocation and dependencies. "sql": one SELECT for SQLite, DuckDB and PostgreSQL.
        "python": a module that needs Python alone.
    name : str or None, default None
        The prefix of all names in C, or the name of the table in SQL. None is the name of the file.
    keep : sequence of str, default ()
        In SQL, columns of the table to select besides those that the model reads, such as a key.
    fixed : int or None, default None
        In C, the number of bits after the point of numbers in fixed point, 1 to 24; None stands for doubles.
        It is for linear models, rules and bits.

    Returns
    -------
    Exported
        A tuple (columns, n_bytes, error, cell_error).

    Notes
    -----
    Answers are those of `predict`, but where a score is so near to a threshold that the last bits of a sum
    decide: engines add in different orders. Sums of whole points are exact everywhere. Cells that are missing
    and names never seen are encoded as in Python; to a model without an encoder a missing number has no
    answer: an error in Python, NULL in SQL, -2 in C, scores of NaN in ONNX.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from perceptrons import Perceptron, export
    >>> model = Perceptron(order="cyclic", margin=0.0).fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     written = export(model, Path(folder) / "either.py", to="python")
    ...     text = (Path(folder) / "either.py").read_text()
    >>> written.columns
    ('x0', 'x1')
    >>> module = {}
    >>> exec(text, module)
    >>> module["predict"]([0, 1])
    1
    """
    one_of("to", to, TARGETS)
    file = os.fsdecode(path)
    if fixed is not None:
        number("fixed", fixed, BITS, "use 16")
        if to != "c":
            raise ValueError(f"fixed={fixed} is for C, but to={to!r}; leave it out.")
    if keep and to != "sql":
        raise ValueError(f"keep={list(keep)!r} is for SQL, but to={to!r}; leave it out.")
    program = read_program(model)
    about = f"{program.title}, exported by perceptrons {__version__}"
    options = Options(about, Path(file).stem if name is None else name, tuple(keep), fixed)
    data, errors = TARGETS[to](program, options)
    write_whole(file, data)
    return Exported(tuple(one.name for one in program.inputs), len(data), *errors)
