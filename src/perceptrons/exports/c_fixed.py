"""A program in fixed point: C99 for processors without floating point.

A cell is an int32_t, the number times 2^bits, and a score is an int64_t. Weights are rounded to as many
places as leave sums without overflow; how far a score may then be from Python's is computed and said.
Comparisons with thresholds are exact for cells that are multiples of 2^-bits, and so are sums of whole points
and of bits.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from .c_header import CWriter, assembled
from .c_text import number, table
from .c_units import CUnits, bits
from .program import (
    Above,
    Exceeds,
    Feature,
    Indicator,
    Linear,
    Program,
    Raw,
    Rules,
    Scaled,
    Sign,
    SignedBits,
    Standardized,
    Statement,
)
from .program_lines import needed

CELL, SUM = 31, 62  # bits of a cell, and of a sum, without their signs
LOW, HIGH = -(2**CELL) + 1, 2**CELL - 1  # of a cell; what is below is missing
OPERATIONS = {"number", "score", ">", ">=", "and", "not", "choose", "-"}
MISSING = "INT32_MIN"


class FixedUnit(NamedTuple):
    """Whole weights: a score is their sum, over 2^places."""

    text: str
    places: int
    error: float
    cell_error: float


class Folded(NamedTuple):
    """A feature as weight·cell + constant, the cell being a number in fixed point."""

    cell: str
    slope: Fraction
    constant: Fraction
    most: Fraction  # the largest |cell|, as a number
    rounded: bool  # whether the cell may have been rounded


class FixedUnits(CUnits):
    """Statements and features of cells in fixed point."""

    def __init__(self, program: Program, names: list[str], fraction: int) -> None:
        super().__init__(program, names)
        self.fraction = fraction

    def statement(self, one: Statement) -> str:
        if isinstance(one, Above):
            return f"({self.cells[one.input]} > {_whole(self.cut(one.threshold))})"
        if isinstance(one, Exceeds):
            raise ValueError(
                "Bits are cut after columns have been scaled, which fixed point cannot; leave the scaler "
                "out, or export without fixed."
            )
        return super().statement(one)

    def cut(self, threshold: float) -> int:
        """What cells are compared with: exactly, if they are multiples of the unit."""
        return int(max(min(math.floor(Fraction(threshold) * 2**self.fraction), HIGH), LOW - 1))

    def cuts(self, name: str, cuts: tuple[float, ...]) -> str:
        return table(name, np.array([max(self.cut(one), LOW) for one in cuts]), "int32_t")

    def folded(self, one: Feature) -> Folded:
        unit, most = 2**self.fraction, Fraction(2**CELL, 2**self.fraction)
        if isinstance(one, Raw):
            return Folded(self.cells[one.input], Fraction(1), Fraction(0), most, True)
        if isinstance(one, Standardized):
            mean, cell = round(Fraction(one.mean) * unit), self.cells[one.input]
            if not LOW <= mean <= HIGH:
                raise ValueError(
                    f"The mean {one.mean:.6g} of column {self.program.inputs[one.input].name!r} is no "
                    f"number of 32 bits with {self.fraction} after the point; use fewer bits, or scale the "
                    "column."
                )
            present = f"({cell} == {MISSING} ? {_whole(mean)} : {cell})"
            scale = Fraction(one.scale)
            return Folded(present, 1 / scale, -Fraction(one.mean) / scale, most, True)
        if isinstance(one, Sign):
            cell = self.cells[one.input]
            return Folded(
                f"({cell} < 0 ? 0 : {cell} ? {unit} : -{unit})", Fraction(1), Fraction(0), Fraction(1), False
            )
        if isinstance(one, Indicator):
            return Folded(
                f"({self.statement(one.statement)} ? {unit} : 0)",
                Fraction(1),
                Fraction(0),
                Fraction(1),
                False,
            )
        assert isinstance(one, Scaled)
        inner, scale = self.folded(one.feature), Fraction(one.scale)
        return inner._replace(
            slope=inner.slope / scale, constant=(inner.constant - Fraction(one.mean)) / scale
        )

    def fixed(self, name: str, unit: Linear | Rules | SignedBits) -> FixedUnit:
        if isinstance(unit, Linear):
            return self._linear(name, unit)
        if isinstance(unit, Rules):
            return self._rules(name, unit)
        return FixedUnit(
            bits(self, name, unit).replace("double *scores", "int64_t *scores").replace("(double)", ""),
            0,
            0.0,
            0.0,
        )

    def _linear(self, name: str, unit: Linear) -> FixedUnit:
        folded = [self.folded(one) for one in unit.features]
        slopes = [
            [Fraction(w) * one.slope for w, one in zip(row, folded, strict=True)]
            for row in unit.weights.tolist()
        ]
        constants = [
            Fraction(b)
            + sum((Fraction(w) * one.constant for w, one in zip(row, folded, strict=True)), Fraction(0))
            for row, b in zip(unit.weights.tolist(), unit.intercepts.tolist(), strict=True)
        ]
        places = _places(slopes, constants, self.fraction)
        whole = [[round(w * 2**places) for w in row] for row in slopes]
        starts = [round(b * 2 ** (places + self.fraction)) for b in constants]
        errors, cells = [], []
        for row, exact, start, b in zip(whole, slopes, starts, constants, strict=True):
            away = [
                abs(Fraction(w, 2**places) - e) * one.most
                for w, e, one in zip(row, exact, folded, strict=True)
            ]
            means = [abs(e) for e, one in zip(exact, folded, strict=True) if MISSING in one.cell]
            shift = abs(Fraction(start, 2 ** (places + self.fraction)) - b)
            errors.append(sum(away, shift) + sum(means, Fraction(0)) / 2 ** (self.fraction + 1))
            rounded = [abs(e) for e, one in zip(exact, folded, strict=True) if one.rounded]
            cells.append(sum(rounded, Fraction(0)) / 2 ** (self.fraction + 1))
        x = "".join(f"    x[{k}] = {one.cell};\n" for k, one in enumerate(folded))
        n = max(len(folded), 1)
        body = (
            f"    int32_t x[{n}];\n    int j, k;\n    (void)row;\n{x or '    x[0] = 0;' + chr(10)}"
            f"    for (k = 0; k < {len(whole)}; k++) {{\n"
            f"        scores[k] = {name}_intercepts[k];\n"
            f"        for (j = 0; j < {n}; j++)\n"
            f"            scores[k] += (int64_t){name}_weights[k][j] * x[j];\n"
            f"    }}\n"
        )
        tables = table(f"{name}_weights", np.array(whole, np.int64).reshape(len(whole), -1), "int32_t")
        listed = ", ".join(f"INT64_C({one})" for one in starts)
        tables += f"static const int64_t {name}_intercepts[{len(starts)}] = {{{listed}}};\n"
        return FixedUnit(
            tables + _function(name, body), places + self.fraction, _up(max(errors)), _up(max(cells))
        )

    def _rules(self, name: str, unit: Rules) -> FixedUnit:
        rows = [
            [*weights, *others, b]
            for weights, others, b in zip(
                unit.weights.tolist(), unit.others.tolist(), unit.intercepts.tolist(), strict=True
            )
        ]
        places = 0 if unit.whole else _places([[Fraction(one) for one in row] for row in rows], [], 0)
        held = "".join(
            f"    held[{k}] = (unsigned char){self.statement(one)};\n" for k, one in enumerate(unit.rules)
        )
        body = "    (void)row;\n" + (held or "    (void)held;\n")
        explain = (
            f"\nstatic inline void {name}_explain(const @_row *row, unsigned char *held)\n{{\n{body}}}\n"
        )
        lines, n = (
            [f"    unsigned char held[{max(len(unit.rules), 1)}];\n    {name}_explain(row, held);\n"],
            len(unit.rules),
        )
        lines += ["    (void)held;\n"] * (not n)
        errors = []
        for k, row in enumerate(rows):
            whole = [round(Fraction(one) * 2**places) for one in row]
            away = [abs(Fraction(w, 2**places) - Fraction(one)) for w, one in zip(whole, row, strict=True)]
            errors.append(sum((max(away[j], away[n + j]) for j in range(n)), away[-1]))
            lines.append(f"    scores[{k}] = {_whole(whole[-1])};\n")
            lines += [
                f"    scores[{k}] += held[{j}] ? {_whole(whole[j])} : {_whole(whole[n + j])};\n"
                for j in range(n)
                if whole[j] or whole[n + j]
            ]
        return FixedUnit(explain + _function(name, "".join(lines)), places, _up(max(errors)), 0.0)


def _places(slopes: Sequence[Sequence[Fraction]], constants: Sequence[Fraction], fraction: int) -> int:
    """The number of bits after the point at which neither a weight nor a sum overflows."""
    most = max((max(map(abs, row), default=Fraction(0)) for row in slopes), default=Fraction(0))
    whole = max((sum(map(abs, row), Fraction(0)) for row in slopes), default=Fraction(0))
    start = max(map(abs, constants), default=Fraction(0))
    places = SUM
    while places > -SUM and (
        most * Fraction(2) ** places > 2**30
        or whole * Fraction(2) ** places > 2 ** (SUM - CELL - 1)
        or start * Fraction(2) ** (places + fraction) > 2 ** (SUM - 2)
    ):
        places -= 1
    if places < 0:
        raise ValueError(
            "The weights are too large for numbers of 32 bits; scale the columns, or export doubles."
        )
    return places


def _up(error: Fraction) -> float:
    found = float(error)
    return found if Fraction(found) >= error else math.nextafter(found, math.inf)


def _whole(value: int) -> str:
    if value == -(2**CELL):
        return MISSING
    text = str(value) if abs(value) < 2**CELL else f"INT64_C({value})"
    return f"({text})" if value < 0 else text


def _function(name: str, body: str) -> str:
    return f"\nstatic inline void {name}_scores(const @_row *row, int64_t *scores)\n{{\n{body}}}\n"


class FixedWriter(CWriter):
    """Prints one program in fixed point."""

    NUMBER_TYPE, MISSING_NUMBER, SCORE_TYPE = "int32_t", MISSING, "int64_t"

    def __init__(self, program: Program, fraction: int) -> None:
        super().__init__(program)
        self.units: FixedUnits = FixedUnits(program, self.names, fraction)
        _check(program)
        unit = program.units[0]
        assert isinstance(unit, Linear | Rules | SignedBits)
        self.fixed = self.units.fixed("@_0", unit)
        self.fraction = fraction

    def value(self, place: int) -> str:
        """A score, or a number in its units; or a truth value."""
        step = self.program.steps[place]
        if step.operation == "number":
            scaled = Fraction(step.number) * 2**self.fixed.places
            limit = 2**SUM
            return f"INT64_C({max(min(round(scaled), limit), -limit)})"
        if step.operation == "score":
            return f"score_0[{step.score}]"
        parts = [self.value(part) for part in step.parts]
        forms = {"and": "({0} & {1})", "not": "(!{0})", "choose": "({0} ? {1} : {2})"}
        return forms.get(step.operation, f"({{0}} {step.operation} {{1}})").format(*parts)

    def code(self, place: int) -> str:
        """A place among the classes."""
        step = self.program.steps[place]
        if step.operation == "number":
            return str(int(step.number))
        yes, no = (self.code(part) for part in step.parts[1:])
        return f"({self.value(step.parts[0])} ? {yes} : {no})"

    def functions(self) -> str:
        program, places = self.program, self.fixed.places
        scores = f"    int64_t score_0[{self.n_scores(0)}];\n    @_0_scores(row, score_0);\n"
        rejected = ""
        if program.rejected is not None:
            rejected = f"    if ({self.value(program.rejected)})\n        return -1;\n"
        n = len(program.scores)
        return (
            f"{self.fixed.text}\n/* the place of the class in @_labels */\n"
            f"static inline int @_predict(const @_row *row)\n{{\n{scores}{rejected}"
            f"    return {self.code(program.code)};\n}}\n"
            f"\n/* {n} score{'s' * (n > 1)} times 2^{places}; at most {number(self.fixed.error)} from "
            "Python's, if cells are exact */\n"
            f"static inline void @_scores(const @_row *row, int64_t scores[{n}])\n"
            "{\n    @_0_scores(row, scores);\n}\n" + self.explain()
        )


def _check(program: Program) -> None:
    """Are there only sums and comparisons?"""
    wanted = [program.code] + ([] if program.rejected is None else [program.rejected])
    used = {program.steps[place].operation for place in needed(program, wanted)}
    plain = all(program.steps[place].operation == "score" for place in program.scores)
    if (
        len(program.units) > 1
        or not isinstance(program.units[0], Linear | Rules | SignedBits)
        or used - OPERATIONS
        or not plain
    ):
        raise ValueError(
            f"A {program.title} cannot be exported in fixed point, which is for linear models, rules and "
            "bits; leave fixed out."
        )


def c_fixed_header(
    program: Program, about: str, prefix: str, fraction: int
) -> tuple[str, tuple[float, float]]:
    """The file, and how far scores may be from Python's: for exact cells, and what rounded cells add."""
    writer = FixedWriter(program, fraction)
    note = f"{about}, in fixed point: a cell is a number times 2^{fraction}"
    return assembled(writer, writer.functions(), note, prefix), (writer.fixed.error, writer.fixed.cell_error)
