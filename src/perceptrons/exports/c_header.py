"""A program as one header of C99 that needs no other file: `predict`, `score`, `probability`, `explain`.

Each name begins with a prefix, so that several models fit into one translation unit. Nothing is allocated,
and `<math.h>` is wanted for probabilities and kernels alone.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .c_parts import helpers, includes
from .c_text import comment, number, shown, table
from .c_units import CUnits, takes_array
from .identifiers import C_WORDS, distinct, identifier
from .program import NUMBER, TEXT, TRUTHS, Input, NetworkLayers, Program, Rules, SignedBits, Step
from .program_lines import Lines, needed

FORMS = {
    **{sign: f"({{0}} {sign} {{1}})" for sign in ("+", "-", "*", "/", ">", ">=")},
    "and": "({0} & {1})",
    "not": "(!{0})",
    "exp": "exp({0})",
    "choose": "({0} ? {1} : {2})",
}
REJECTED, NO_ANSWER = -1, -2


class CLines(Lines):
    """Steps as declarations; tables of knots stand before the functions."""

    def interpolated(self, step: Step) -> str:
        at, places = self.texts[step.parts[0]], self.program.steps.index(step)
        return f"@_interpolate({at}, @_places_{places}, @_values_{places}, {len(step.knots[0])})"


def _type(step: Step) -> str:
    return "int" if step.operation in TRUTHS else "double"


def _free(step: Step) -> str:
    if step.operation == "number":
        return number(step.number) if step.number >= 0 else f"({number(step.number)})"
    return f"score_{step.unit}[{step.score}]"


class CWriter:
    """Prints one program; in what it prints, `@` stands for the prefix."""

    NUMBER_TYPE, MISSING_NUMBER = "double", "not a number"

    def __init__(self, program: Program) -> None:
        self.program = program
        self.names = distinct((one.name for one in program.inputs), C_WORDS)
        self.units = CUnits(program, self.names)

    def row(self) -> str:
        """The type of a row."""
        program = self.program
        if takes_array(program):
            return f"/* a row is an array of {program.width} numbers */\ntypedef {self.NUMBER_TYPE} @_row;\n"
        members = "".join(
            f"    {declared}{name}; /* {about} */\n"
            for name, (declared, about) in zip(self.names, map(self._member, program.inputs), strict=True)
        )
        members = members or "    int unused; /* the model reads no column */\n"
        return f"typedef struct {{\n{members}}} @_row;\n"

    def _member(self, one: Input) -> tuple[str, str]:
        """The type of a column, and what stands for a missing cell."""
        kinds = {
            NUMBER: (f"{self.NUMBER_TYPE} ", self.MISSING_NUMBER),
            TEXT: ("const char *", "a null pointer"),
        }
        declared, missing = kinds.get(one.kind, ("int ", "less than 0"))
        note = f", {comment(one.note)}" if one.note else ""
        return declared, f'"{comment(one.name)}"{note}; {missing}: missing'

    def body(self, wanted: Sequence[int], results: Sequence[tuple[str, int]]) -> str:
        """What computes the scores of all units, the steps, and then the results."""
        lines = CLines(self.program, FORMS, _free, wanted)
        text = ""
        for k in sorted(_units(self.program, wanted)):
            text += f"    double score_{k}[{self.n_scores(k)}];\n"
        declared = "".join(
            f"    const {_type(self.program.steps[place])} {name} = {one};\n"
            for place, name, one in lines.named
        )
        for k in sorted(_units(self.program, wanted)):
            text += f"    @_{k}_scores(row, score_{k});\n"
        text += "" if _units(self.program, wanted) else "    (void)row;\n"
        inner = declared + "".join("    " + form.format(lines[place]) + "\n" for form, place in results)
        return text + (f"    {{\n{_indented(inner)}    }}\n" if declared else inner)

    def n_scores(self, unit: int) -> int:
        own = self.program.units[unit]
        if isinstance(own, SignedBits):
            return 1
        return len(own.output if isinstance(own, NetworkLayers) else own.intercepts)

    def predict(self) -> str:
        program = self.program
        wanted = [program.code]
        code = "return (int){0};"
        results = [(code, program.code)]
        if program.rejected is not None:
            results.insert(0, (f"if ({{0}})\n        return {REJECTED};", program.rejected))
        if program.valid is not None:
            results.insert(0, (f"if (!{{0}})\n        return {NO_ANSWER};", program.valid))
        wanted += [place for _, place in results[:-1]]
        return (
            "\n/* the place of the class in @_labels; " + _codes(program) + " */\n"
            f"static inline int @_predict(const @_row *row)\n{{\n{self.body(wanted, results)}}}\n"
        )

    def several(self, what: str, about: str, places: Sequence[int]) -> str:
        """A function that fills an array with the values of these steps."""
        if not places:
            return ""
        results = [(f"{what}[{k}] = {{0}};", place) for k, place in enumerate(places)]
        return (
            f"\n/* {about} */\n"
            f"static inline void @_{what}(const @_row *row, double {what}[{len(places)}])\n"
            f"{{\n{self.body(places, results)}}}\n"
        )

    def single(self, what: str, about: str, place: int) -> str:
        return (
            f"\n/* {about} */\n"
            f"static inline double @_{what}(const @_row *row)\n"
            f"{{\n{self.body([place], [('return {0};', place)])}}}\n"
        )

    def outputs(self) -> str:
        program, labels = self.program, [comment(str(one)) for one in self.program.labels]
        scores, probabilities = program.scores, program.probabilities
        if len(scores) == 1:
            text = self.single("score", f"greater than 0 for {labels[-1]}", scores[0])
        else:
            text = self.several("scores", f"a score for each of {len(scores)} classes", scores)
        if len(probabilities) == 2:
            return text + self.single("probability", f"of {labels[1]}", probabilities[1])
        return text + self.several("probabilities", f"of each of {len(probabilities)} classes", probabilities)

    def explain(self) -> str:
        """Which rules hold."""
        some = [(k, unit) for k, unit in enumerate(self.program.units) if isinstance(unit, Rules)]
        texts = [text for _, unit in some for text in unit.texts]
        if not texts:
            return ""
        body, start = "", 0
        for k, unit in some:
            body += f"    @_{k}_explain(row, held + {start});\n"
            start += len(unit.rules)
        listed = ",\n    ".join(map(shown, texts))
        return (
            f"\nstatic const char *const @_rules[{start}] = {{\n    {listed}}};\n"
            "\n/* which of these rules hold, 1 or 0 */\n"
            f"static inline void @_explain(const @_row *row, unsigned char held[{start}])\n{{\n{body}}}\n"
        )

    def knots(self) -> str:
        """Tables between whose entries probabilities lie on lines."""
        found = [(k, step) for k, step in enumerate(self.program.steps) if step.operation == "interpolate"]
        parts = [
            (f"@_{name}_{k}", values)
            for k, step in found
            for name, values in zip(("places", "values"), step.knots, strict=True)
        ]
        return "".join(table(name, _array(values)) for name, values in parts)


def _array(values: Sequence[float]) -> Any:
    return np.array(values, np.float64)


def _units(program: Program, wanted: Sequence[int]) -> set[int]:
    """Those whose scores are needed."""
    steps = (program.steps[place] for place in needed(program, wanted))
    return {step.unit for step in steps if step.operation == "score"}


def _indented(text: str) -> str:
    return "".join(f"    {line}\n" for line in text.splitlines())


def _codes(program: Program) -> str:
    found = [f"{REJECTED} is a rejection"] if program.rejected is not None else []
    found += [f"{NO_ANSWER} stands for a missing number"] if program.valid is not None else []
    return "; ".join(found) or "all rows are answered"


def c_header(program: Program, about: str, prefix: str) -> str:
    """The file."""
    writer = CWriter(program)
    functions = (
        "".join(writer.units.written(k) for k in range(len(program.units)))
        + writer.knots()
        + writer.predict()
        + writer.outputs()
        + writer.explain()
    )
    return assembled(writer, functions, about, prefix)


def assembled(writer: CWriter, functions: str, about: str, prefix: str) -> str:
    """What the functions need, and they."""
    program, guard = writer.program, f"{prefix.upper()}_H"
    labels = ",\n    ".join(shown(str(one)) for one in program.labels)
    main = (
        writer.row()
        + f"\n#define @@_CLASSES {len(program.labels)}\n"
        + f"static const char *const @_labels[{len(program.labels)}] = {{\n    {labels}}};\n"
    )
    own = helpers(functions)
    text = (
        f"/* {comment(about)}; C99, no other file is needed. */\n"
        f"#ifndef {guard}\n#define {guard}\n\n{includes(main + own + functions)}\n"
        f"{main}{own}\n{functions}\n#endif\n"
    )
    return text.replace("@@", prefix.upper()).replace("@", prefix)


def prefix_of(name: str) -> str:
    """The prefix that a file of this name suggests."""
    word = identifier(name)
    return f"{word}_model" if word in C_WORDS else word
