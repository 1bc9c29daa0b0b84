"""A program as one SELECT that SQLite, DuckDB and PostgreSQL run alike: CASE, arithmetic, seldom exp.

    WITH layer_0 AS (SELECT columns, cells FROM "table"), layer_1 AS (SELECT …, score FROM layer_0)
    SELECT columns, prediction, score, … FROM layer_1

Each layer names what the next one needs. Names are quoted, and NULL is a missing cell.
"""

import re
from collections.abc import Sequence

from .identifiers import distinct
from .program import Program, Step
from .program_lines import Lines, outputs
from .sql_text import comment, exactly, literal, number, quoted
from .sql_units import Layer, SqlUnits, cell, power_of_e

FORMS = {
    **{sign: f"({{0}} {sign} {{1}})" for sign in ("+", "-", "*", "/", ">", ">=")},
    "and": "({0} AND {1})",
    "not": "(NOT {0})",
    "choose": "CASE WHEN {0} THEN {1} ELSE {2} END",
    "exp": power_of_e("{0}"),
}
INTERNAL = re.compile(r"(c_|[stu]\d).*", re.DOTALL)
LONGEST = 1_000_000  # characters: SQLite's limit
MOST_COLUMNS = 1_600  # of a subquery: PostgreSQL's limit, some left for the table


class SqlLines(Lines):
    OFTEN = {"exp": 3, "interpolate": 9}  # noqa: RUF012
    DEPTH = 6

    def interpolated(self, step: Step) -> str:
        """A line between each two knots."""
        at, (places, values) = self.texts[step.parts[0]], step.knots
        text = f"CASE WHEN {at} < {exactly(places[0])} THEN {number(values[0])}"
        for k in range(1, len(places)):
            run, rise = places[k] - places[k - 1], values[k] - values[k - 1]
            if run > 0.0:
                line = (
                    f"{number(values[k - 1])} + ({number(rise / run)}) * ({at} - ({number(places[k - 1])}))"
                )
                text += f" WHEN {at} < {exactly(places[k])} THEN {line if rise else number(values[k])}"
        return f"{text} WHEN {at} >= {exactly(places[-1])} THEN {number(values[-1])} END"


class SqlWriter:
    """Prints one program, of the columns `kept`."""

    def __init__(self, program: Program, kept: Sequence[str]) -> None:
        self.program, self.kept = program, kept
        self.mark = _free_mark(kept)
        self.cells = [f"{self.mark}c_{one}" for one in distinct((one.name for one in program.inputs), ())]

    def query(self, table: str) -> str:
        program, kept = self.program, [quoted(name) for name in self.kept]
        cells: Layer = [(name, cell(one)) for name, one in zip(self.cells, program.inputs, strict=True)]
        name = self._layer_name(table, 0)
        inner = f"{_select([f't.{one}' for one in kept], cells)}\n  FROM {quoted(table)} AS t"
        text = f"WITH {name} AS (\n{inner}\n)"
        carried = [*kept, *self.cells]
        for k, (layer, shared) in enumerate(self.layers(), 1):
            fence = "MATERIALIZED " if shared else ""  # else SQLite would compute it wherever it is used
            inner = f"{_select(carried, layer)}\n  FROM {name}"
            name = self._layer_name(table, k)
            text += f",\n{name} AS {fence}(\n{inner}\n)"
            carried += [one for one, _ in layer]
            if len(carried) > MOST_COLUMNS:
                raise ValueError(
                    f"The model needs more than {MOST_COLUMNS:,} columns of intermediate results, which "
                    "PostgreSQL cannot; export it to another target, or fit a smaller model."
                )
        return f"{text}\n{_select(kept, self.results())}\nFROM {name}"

    def _layer_name(self, table: str, number_: int) -> str:
        """Of a subquery; not the table's."""
        name = f"layer_{number_}"
        return f"{name}_" if table.casefold() == name else name

    def layers(self) -> list[tuple[Layer, bool]]:
        """Units, then steps, each behind those it needs; and whether what a layer names is used often."""
        units, found, scores = SqlUnits(self.cells), list[tuple[Layer, bool]](), Layer()
        for place, unit in enumerate(self.program.units):
            layers, texts = units.written(f"{self.mark}u{place}", unit)
            found += [(layer, True) for layer in layers if layer]
            scores += [(f"{self.mark}s{place}_{k}", text) for k, text in enumerate(texts)]
        self.lines = SqlLines(self.program, FORMS, self._free, outputs(self.program), self.mark)
        steps = self._by_depth()
        return [*found, (scores, len(steps) > 1), *((layer, True) for layer in steps)]

    def _by_depth(self) -> list[Layer]:
        """Steps that have names, by how many of such they rest upon."""
        depth: dict[int, int] = {}
        layers: list[Layer] = []
        named = {place: (name, text) for place, name, text in self.lines.named}
        for place, step in enumerate(self.program.steps):
            below = max((depth.get(part, 0) for part in step.parts), default=0)
            depth[place] = below + (place in named)
            if place in named:
                layers += [[]] * (depth[place] - len(layers))
                layers[below] = [*layers[below], named[place]]
        return layers

    def results(self) -> Layer:
        """What the caller sees."""
        program = self.program
        labels = [str(one) for one in program.labels]
        found = [("prediction", self.prediction())]
        if program.rejected is not None:
            found.append(("rejected", self._if_valid(self.lines[program.rejected])))
        for what, places in (("score", program.scores), ("probability", program.probabilities)):
            several = len(places) > 1
            found += [
                (f"{what} {labels[k]}" if several else what, self.lines[place])
                for k, place in enumerate(places)
            ]
        return self._named_apart(found)

    def _named_apart(self, found: Layer) -> Layer:
        """Names that neither the table nor another result has; engines do not tell cases apart."""
        taken = {name.casefold() for name in self.kept}
        apart: Layer = []
        for name, text in found:
            own, number_ = name, 2
            while own.casefold() in taken:
                own, number_ = f"{name} {number_}", number_ + 1
            taken.add(own.casefold())
            apart.append((quoted(own), text))
        return apart

    def _free(self, step: Step) -> str:
        if step.operation == "number":
            return number(step.number) if step.number >= 0 else f"({number(step.number)})"
        return f"{self.mark}s{step.unit}_{step.score}"

    def prediction(self) -> str:
        program = self.program
        mixed = isinstance(program.reject_label, str) and not isinstance(program.labels[0], str)
        text = self._label(program.code, mixed)
        if program.rejected is not None and program.reject_label is not None:
            label = literal(program.reject_label)
            text = f"CASE WHEN {self.lines[program.rejected]} THEN {label} ELSE {text} END"
        return self._if_valid(text)

    def _if_valid(self, text: str) -> str:
        return (
            text
            if self.program.valid is None
            else f"CASE WHEN {self.lines[self.program.valid]} THEN {text} END"
        )

    def _label(self, place: int, as_text: bool) -> str:
        """The label of a step that computes a place among the classes."""
        step = self.program.steps[place]
        if step.operation == "number":
            return literal(self.program.labels[int(step.number)], as_text)
        assert step.operation == "choose"
        yes, no = (self._label(part, as_text) for part in step.parts[1:])
        return f"CASE WHEN {self.lines[step.parts[0]]} THEN {yes} ELSE {no} END"


def _free_mark(kept: Sequence[str]) -> str:
    """What the names of intermediate results begin with, so that they are no names of columns."""
    mark, taken = "", [name.casefold() for name in kept]
    while any(INTERNAL.fullmatch(name.removeprefix(mark)) for name in taken if name.startswith(mark)):
        mark += "m_"
    return mark


def _select(kept: Sequence[str], layer: Layer) -> str:
    lines = [", ".join(kept)] * bool(kept) + [f"{text} AS {name}" for name, text in layer]
    return "  SELECT\n    " + ",\n    ".join(lines)


def sql_query(program: Program, about: str, table: str, keep: Sequence[str] = ()) -> str:
    """The file."""
    kept = list(dict.fromkeys([*keep, *(one.name for one in program.inputs)]))
    notes = [f"{one.name}: {one.note}" for one in program.inputs if one.note]
    head = "".join(f"-- {comment(line)}\n" for line in [f"{about}; SQLite, DuckDB, PostgreSQL", *notes])
    text = head + SqlWriter(program, kept).query(table) + ";\n"
    if len(text.encode()) > LONGEST:
        raise ValueError(
            f"The query would have {len(text.encode()):,} bytes, more than the {LONGEST:,} of SQLite; "
            "export another target, or fit a smaller model."
        )
    return text
