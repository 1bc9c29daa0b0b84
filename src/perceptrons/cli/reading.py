"""How a table is written, as far as a command or a model file says so."""

from pathlib import Path
from typing import Any, NamedTuple


class Reading(NamedTuple):
    """What is None, or no text at all, is told from the file itself."""

    header: bool | None = None
    separator: str | None = None
    missing: tuple[str, ...] = ()

    def read(self, path: Path, **more: Any) -> Any:
        """The table in a file, `tables.read.Table`."""
        from ..tables.read import read

        return read(path, **self._asdict(), **more)

    def given(self) -> list[str]:
        """The options that were given."""
        return [name for name, value in self._asdict().items() if value not in (None, ())]

    def to_about(self) -> dict[str, Any]:
        """For a model file, which keeps texts and flags: one mark for missing cells per line."""
        kept = {**self._asdict(), "missing": "\n".join(self.missing)}
        return {name: kept[name] for name in self.given()}

    def or_as_in(self, about: dict[str, Any]) -> "Reading":
        """Where nothing is said here, what was said when the model was fitted."""
        return Reading(
            about.get("header") if self.header is None else self.header,
            about.get("separator") if self.separator is None else self.separator,
            (*str(about.get("missing", "")).splitlines(), *self.missing),
        )


def reading(header: bool | None, separator: str | None, missing: list[str] | None) -> Reading:
    return Reading(header, separator, tuple(missing or ()))
