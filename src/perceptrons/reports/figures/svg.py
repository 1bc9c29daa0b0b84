"""Elements of SVG as text. Every text and every attribute is escaped here, and nowhere else."""

from collections.abc import Iterable
from html import escape

Attribute = str | float | int


def element(name: str, content: Iterable[str] = (), /, **attributes: Attribute) -> str:
    """An element; `class_` is class, and `_` in other names of attributes is `-`."""
    inner = "".join(content)
    given = "".join(f' {_name(key)}="{_value(value)}"' for key, value in attributes.items())
    return f"<{name}{given}>{inner}</{name}>" if inner else f"<{name}{given}/>"


def text(words: str, x: float, y: float, **attributes: Attribute) -> str:
    return element("text", [escape(words)], x=x, y=y, **attributes)


def line(x1: float, y1: float, x2: float, y2: float, **attributes: Attribute) -> str:
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, **attributes)


def path(points: Iterable[tuple[float, float]], **attributes: Attribute) -> str:
    """Straight lines from point to point."""
    pairs = [f"{_value(x)},{_value(y)}" for x, y in points]
    return element("path", d=f"M{' L'.join(pairs)}", **attributes) if pairs else ""


def _name(key: str) -> str:
    return key.rstrip("_").replace("_", "-") if key != "viewBox" else key


def _value(value: Attribute) -> str:
    """Numbers with two decimals, no more than the eye can tell."""
    if isinstance(value, str):
        return escape(value)
    return f"{value:.2f}".rstrip("0").rstrip(".")
