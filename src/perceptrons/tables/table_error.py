"""What is wrong with a table, in words that a library and a command line can share."""

from typing import Any, NamedTuple


class Argument(NamedTuple):
    """An argument of `read` or `prepare` that helps; a command line calls it by its option."""

    name: str
    value: Any = None

    def __str__(self) -> str:
        return self.name if self.value is None else f"{self.name}={self.value!r}"


class TableError(ValueError):
    """A table that cannot be used as it is; `parts` are the texts and arguments of the message."""

    def __init__(self, *parts: str | Argument) -> None:
        super().__init__("".join(map(str, parts)))
        self.parts = parts
