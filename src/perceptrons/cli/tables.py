"""From the options of a command to a table: how it is written, its rows and labels."""

from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple


class Reading(NamedTuple):
    """How a table is written, as far as a command or a model file says so; the rest the file shows."""

    header: bool | None = None
    separator: str | None = None
    missing: tuple[str, ...] = ()
    encoding: str | None = None

    def read(self, path: Path, **more: Any) -> Any:
        """The table in a file, `tables.read.TableFromFile`."""
        from ..tables.read import read

        return read(path, **self._asdict(), **more)

    def given(self) -> list[str]:
        """The options that were given."""
        return [name for name, value in self._asdict().items() if value not in (None, ())]

    def to_about(self) -> dict[str, Any]:
        """For a model file, which keeps texts and flags: one mark for missing cells per line."""
        kept = {**self._asdict(), "missing": "\n".join(self.missing)}
        return {name: kept[name] for name in self.given() if name != "encoding"}

    def or_as_in(self, about: dict[str, Any]) -> "Reading":
        """What is not given here is as it was when the model was fitted."""
        return Reading(
            about.get("header") if self.header is None else self.header,
            about.get("separator") if self.separator is None else self.separator,
            (*str(about.get("missing", "")).splitlines(), *self.missing),
            self.encoding,
        )


def reading(
    header: bool | None, separator: str | None, missing: list[str] | None, encoding: str | None = None
) -> Reading:
    return Reading(header, separator, tuple(missing or ()), encoding)


STANDARD_INPUT = "standard input"
HELD: list[Path] = []  # files that hold what stood there
FIRST_BYTES = 200_000  # of a text file, in which its first line ends


def from_standard_input(path: Path) -> Path:
    """The table itself, or, for "-", a file that holds what stands on standard input."""
    if str(path) != "-":
        return path
    import atexit
    import sys
    import tempfile

    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    name = Path(folder.name) / f"{STANDARD_INPUT}.csv"
    name.write_bytes(sys.stdin.buffer.read() if hasattr(sys.stdin, "buffer") else sys.stdin.read().encode())
    HELD.append(name)
    return name


def without_held(message: str) -> str:
    """A message in which standard input goes by its name, not by that of the file that holds it."""
    for name in HELD:
        message = message.replace(str(name), STANDARD_INPUT)
    return message


def called(path: Path) -> str:
    """The name of a table for people."""
    return STANDARD_INPUT if path.stem == STANDARD_INPUT else str(path)


def check_names(path: Path, how: Reading, *names: str | None) -> None:
    """Is there such a file, and has it, if it is one of text, these columns? Asked before anything slow is
    imported; whatever is hard to tell from the first line is left to those who read the whole table."""
    from ..tables.column_names import check_name
    from ..tables.delimited import SEPARATORS, TextFile, read_head
    from ..tables.encodings import decoded

    if str(path) != "-" and not path.exists():
        raise FileNotFoundError(f"There is no file {path}.")
    if path.suffix.lower() not in SEPARATORS or not path.is_file():
        return
    with path.open("rb") as file:
        data = file.read(FIRST_BYTES)
    try:
        whole = data if len(data) < FIRST_BYTES else data[: data.rindex(b"\n") + 1]
        text = decoded(path, whole, how.encoding)
        found = read_head(TextFile(path, text.data, path.suffix.lower()), how.header, how.separator).names
    except ValueError:
        return
    for name in names:
        if name is not None:
            check_name(found, name)


class TrainingTable(NamedTuple):
    """A table to learn from: the rows that count, without those of weight 0."""

    title: str
    X: Any
    y: Any
    columns: list[str]
    facts: list[Any]  # `tables.layout.Facts`, one per column; none for the built-in table
    hints: list[str]
    weight: str | None = None  # the column of the weights
    weights: Any = None  # one per row; without them each row counts 1
    left_out: int = 0  # rows of weight 0
    unlabeled: int = 0  # rows without a class, left out
    notes: tuple[str, ...] = ()  # what was found out about the file

    def columns_left_out(self) -> list[Any]:
        """Facts about the columns from which nothing can be learned."""
        return [one for one in self.facts if one.is_left_out]

    def classes(self) -> list[tuple[Any, int]]:
        """Each class and how many rows it has, the largest first."""
        return Counter(self.y.tolist()).most_common()

    def names(self) -> list[Any]:
        """The classes, sorted."""
        return sorted({*self.y.tolist()})

    def baseline(self) -> tuple[Any, float]:
        """The class to answer if nothing is known, and the share of the rows, by weight, that have it."""
        name, weight = max(self.weights_by_class().items(), key=lambda one: one[1])
        return name, weight / sum(self.weights_by_class().values())

    def weights_by_class(self) -> dict[Any, float]:
        """Each class and the sum of its rows' weights, the class of the most rows first."""
        sums = dict.fromkeys((name for name, _ in self.classes()), 0.0)
        weights = [1.0] * len(self.y) if self.weights is None else self.weights.tolist()
        for label, weight in zip(self.y.tolist(), weights, strict=True):
            sums[label] += weight
        return sums

    def headline(self) -> str:
        classes, most = self.classes(), 6
        shown = [f"{name} ({rows:,})" for name, rows in classes[:most]]
        rest = [f"{len(classes) - most} more"] if len(classes) > most else []
        columns = f"{len(self.columns):,} columns" if len(self.columns) != 1 else "1 column"
        reasons = ((self.left_out, "of weight 0"), (self.unlabeled, "without a class"))
        parts = [f"{number:,} {what}" for number, what in reasons if number]
        absent = f" ({', '.join(parts)} left out)" if parts else ""
        weights = "" if self.weight is None else f"; weights from {self.weight}"
        rows = f"{len(self.y):,} rows{absent}"
        return f"{self.title}: {rows}, {columns}; classes {', '.join(shown + rest)}{weights}."

    def kinds(self) -> dict[str, int]:
        return dict(Counter(one.kind for one in self.facts if not one.is_left_out).most_common())

    def missing(self) -> int:
        return sum(one.missing for one in self.facts if not one.is_left_out)

    def summary(self) -> dict[str, Any]:
        name, share = self.baseline()
        return {
            "title": self.title,
            "rows": len(self.y),
            "columns": len(self.columns),
            "kinds": self.kinds(),
            "missing": self.missing(),
            "left_out": [{"column": one.name, "reason": one.treatment} for one in self.columns_left_out()],
            "rows_without_class": self.unlabeled,
            "classes": [{"class": label, "rows": rows} for label, rows in self.classes()],
            "most_frequent": {"class": name, "accuracy": share},
            "weights": self._weights_summary(),
            "hints": self.hints,
            "notes": list(self.notes),
        }

    def _weights_summary(self) -> dict[str, Any] | None:
        if self.weight is None:
            return None
        classes = [{"class": label, "weight": weight} for label, weight in self.weights_by_class().items()]
        return {"column": self.weight, "rows_left_out": self.left_out, "classes": classes}


def training_table(
    path: Path,
    target: str | None,
    drop: list[str] | None,
    nominal: list[str] | None,
    reading: Reading,
    weight: str | None = None,
    keep: list[str] | None = None,
) -> TrainingTable:
    from ..tables.layout import check_something_left, describe, listed, prepare, split
    from ..tables.weight_column import split_weights
    from .hints import hints

    drop, nominal, keep = drop or [], nominal or [], keep or []
    as_written = [name for name in [target, weight, *nominal] if name is not None]
    path = from_standard_input(path)
    table = reading.read(path, text=as_written, used=lambda name: name not in drop)
    if target is None:
        raise ValueError(f"Name the column to predict with --target, one of {listed(table.frame.columns)}.")
    if target in drop:
        raise ValueError(f"The target {target!r} cannot be dropped; omit one of the two options.")
    _check_weight_name(weight, target, drop, nominal)
    frame, weights = prepare(table.frame, drop, nominal, target, keep), None
    if weight is not None:
        frame, weights = split_weights(frame, weight, target)
    left_out = table.frame.height - frame.height
    X, y = split(frame, target)
    if weights is not None:
        weights = weights[frame[target].is_not_null().to_numpy()]
    facts = describe(X, keep)
    check_something_left(facts)
    lines, unlabeled = hints(X, facts, table.unnamed, nominal), frame.height - X.height
    notes = tuple(f"{note}." for note in table.notes)
    return TrainingTable(
        Path(called(path)).name, X, y, X.columns, facts, lines, weight, weights, left_out, unlabeled, notes
    )


def _check_weight_name(weight: str | None, target: str, drop: list[str], nominal: list[str]) -> None:
    if weight == target:
        raise ValueError(f"--weight names the target {target!r}; name another column, or omit it.")
    if weight in drop:
        raise ValueError(
            f"The weight column {weight!r} cannot be dropped, and is not used to predict anyway; omit --drop."
        )
    if weight in nominal:
        raise ValueError(f"The weight column {weight!r} holds numbers, not names; omit --nominal.")


def built_in_table() -> TrainingTable:
    """scikit-learn's breast cancer data."""
    from sklearn.datasets import load_breast_cancer

    data = load_breast_cancer()
    names = [str(name) for name in data.feature_names]
    return TrainingTable(
        "breast cancer (scikit-learn)", data.data, data.target_names[data.target], names, [], []
    )
