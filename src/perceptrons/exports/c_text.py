"""Numbers, strings and comments of C: what came from data can neither end a literal nor begin another."""

from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from .._types import Array

LONGEST = 4095  # characters of a string that every C99 compiler takes
SHOWN = 200  # characters of a name in a comment, or of a rule


def number(value: float) -> str:
    """A double, exactly."""
    if value and abs(value) < 2.3e-308:
        return float(value).hex()  # denormal numbers in decimals are warned of
    return repr(float(value))


def threshold(value: float) -> str:
    """A double to compare with; constants may have more digits than doubles have (FLT_EVAL_METHOD 2)."""
    text = number(value)
    if Decimal(value) == Decimal(repr(float(value))):
        return text
    return f"{float(value).hex()} /* {text} */"


def single(value: float) -> str:
    """A float, exactly."""
    return f"{float(value)!r}f" if not value or 1e-37 < abs(value) < 3e38 else f"{float(value).hex()}f"


def string(text: str, what: str = "The name") -> str:
    """A string literal in UTF-8."""
    try:
        data = text.encode()
    except UnicodeEncodeError:
        raise ValueError(
            f"{what} {text!a} holds half a surrogate pair, which UTF-8 cannot; rename it."
        ) from None
    if 0 in data:
        raise ValueError(f"{what} {text!a} holds a NUL, with which strings of C end; rename it.")
    if len(data) > LONGEST:
        raise ValueError(
            f"{what} {text[:40]!a}… has {len(data):,} bytes, but C99 ensures {LONGEST:,}; shorten it."
        )
    return '"' + "".join(map(_character, data)) + '"'


def _character(byte: int) -> str:
    """Question marks could be trigraphs, @ stands for the prefix; three octal digits end by themselves."""
    return chr(byte) if 32 <= byte < 127 and chr(byte) not in '"\\?@' else f"\\{byte:03o}"


def shown(text: str) -> str:
    """A rule or a label, to be read: cut where it is long, without NUL."""
    cut = text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"
    return string(cut.replace("\0", "␀").encode("utf-8", "replace").decode())


def comment(text: str) -> str:
    """Text within a comment."""
    quoted = text.encode("unicode_escape").decode()[:SHOWN]
    return (
        quoted.replace("*/", "* /")
        .replace("/*", "/ *")
        .replace("??", "? ?")
        .replace("@", "(at)")
        .rstrip("\\")
    )


def table(name: str, values: Array, kind: str = "double") -> str:
    """`static const` numbers, of one or two dimensions."""
    sizes = "".join(f"[{max(size, 1)}]" for size in values.shape)
    return f"static const {kind} {name}{sizes} = {_nested(values.tolist(), kind)};\n"


def _nested(values: Any, kind: str) -> str:
    if not isinstance(values, list):
        return str(WRITTEN[kind](values))
    parts = [_nested(one, kind) for one in values] or ["0"]
    return "{" + wrapped(parts) + "}"


def wrapped(parts: Iterable[str], width: int = 110) -> str:
    """Between commas, on lines of some length."""
    lines, line = [], ""
    for part in parts:
        if line and len(line) + len(part) > width:
            lines.append(line.rstrip())
            line = ""
        line += f"{part}, "
    return "\n    ".join([*lines, line]).rstrip(", ")


WRITTEN: dict[str, Any] = {"double": number, "float": single, "int32_t": str}
