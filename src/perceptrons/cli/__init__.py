"""The command `perceptrons`: one small module per command that parses, calls and prints.

Nothing heavy is imported before a command runs, so `--help` answers at once.
"""

import errno
import io
import os
import shlex
import sys
from collections.abc import Sequence
from typing import Any, TextIO

from ..garbage import collect_rarely
from ..texts import printable

BAD_INPUT, UNEXPECTED, STOPPED, PIPE_CLOSED = 2, 1, 130, 141


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command and leave with its exit code; what goes wrong is one sentence on stderr."""
    collect_rarely()
    lost = _Lost(os.devnull, "w") if sys.stdout is None else None
    sys.stdout, sys.stderr = sys.stdout or _text(lost), sys.stderr or _text(_Lost(os.devnull, "w"))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that knows no "≤" shows "?"
    code = run(arguments)
    try:
        sys.stdout.flush()
    except OSError:  # reported already; what is left must not be written again at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if lost and lost.something and not code:
        code = _complain(OSError(errno.EBADF, "Standard output is closed, so the result went nowhere"))
    sys.exit(code)


class _Lost(io.FileIO):
    """Where output goes if the shell has closed it (`>&-`), so that nothing else is opened in its place."""

    something = False  # was written

    def write(self, data: Any) -> int:
        self.something = True
        return super().write(data)


def _text(raw: Any) -> TextIO:
    return io.TextIOWrapper(io.BufferedWriter(raw), encoding="utf-8")


def run(arguments: Sequence[str] | None = None) -> int:
    """The exit code of a command."""
    try:
        from .app import app

        code = app(args=arguments, prog_name="perceptrons", standalone_mode=False)
        sys.stdout.flush()
        return _stopped() if code == STOPPED else code if isinstance(code, int) else 0
    except BrokenPipeError:  # as with `| head`: nobody reads on, which is no error of ours
        return PIPE_CLOSED
    except SystemExit as left:
        if isinstance(left.__context__, BrokenPipeError):  # Typer's own answer to a closed pipe
            return PIPE_CLOSED
        raise
    except KeyboardInterrupt:
        return _stopped()
    except Exception as error:
        if os.environ.get("PERCEPTRONS_DEBUG") == "1":
            raise
        return _complain(error)


def _stopped() -> int:
    print("Stopped.", file=sys.stderr)
    return STOPPED


def _complain(error: Any) -> int:
    if type(error).__name__ == "Abort":
        return _stopped()
    expected = hasattr(error, "format_message") or isinstance(error, ValueError | OSError | ImportError)
    from .tables import without_held

    message = without_held(" ".join(_in_words(error, expected).split()))
    print(f"perceptrons: {printable(message)}", file=sys.stderr)
    return BAD_INPUT if expected else UNEXPECTED


def _in_words(error: Any, expected: bool) -> str:
    if not expected:
        what = f"{type(error).__name__}: {error}"
        return f"unexpected error ({what}); PERCEPTRONS_DEBUG=1 shows the traceback."
    if hasattr(error, "format_message"):
        return str(error.format_message())
    if isinstance(error, ModuleNotFoundError):  # typer or rich, which are an extra
        missing = str(error.name).partition(".")[0]
        return f'the command line needs {missing}: pip install "perceptrons[app]"'
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}." if error.filename else f"{error.strerror}."
    return "".join(map(_spelled, getattr(error, "parts", [str(error)])))


def _spelled(part: Any) -> str:
    """A part of a `TableError`: a text, or an argument, which here is an option."""
    if isinstance(part, str):
        return part
    name, value = part
    if isinstance(value, bool):
        return f"--{name}" if value else f"--no-{name}"
    values = value if isinstance(value, list) else [] if value is None else [value]
    return " ".join([f"--{name}", *map(shlex.quote, values)])
