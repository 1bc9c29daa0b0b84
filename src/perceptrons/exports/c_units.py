"""Units as functions of C: `static const` tables, and a function from a row to its scores."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from . import c_parts
from .c_text import number, string, table, threshold
from .program import (
    NUMBER,
    Above,
    Always,
    Exceeds,
    Feature,
    Holds,
    Indicator,
    KernelSums,
    Linear,
    Named,
    NetworkLayers,
    Program,
    Raw,
    Rules,
    Scaled,
    Sign,
    SignedBits,
    Standardized,
    Statement,
)

WHOLE_NAME = re.compile(r"0|-?[1-9][0-9]*")
WORD = 64  # bits
MOST_DEGREE = 64  # of a polynomial kernel


def takes_array(program: Program) -> bool:
    """Is a row an array of numbers? Else it is a struct with a member per column."""
    return bool(program.width) and all(one.kind == NUMBER for one in program.inputs)


class CUnits:
    """Prints expressions and units; `names` are the members of the row."""

    def __init__(self, program: Program, names: list[str]) -> None:
        array = takes_array(program)
        self.cells = [
            f"row[{one.place}]" if array else f"row->{name}"
            for one, name in zip(program.inputs, names, strict=True)
        ]
        self.program, self.array = program, array

    def statement(self, one: Statement) -> str:
        """An expression that is 1 or 0."""
        if isinstance(one, Above):
            return f"({self.cells[one.input]} > {threshold(one.threshold)})"
        if isinstance(one, Exceeds):
            return f"({self.feature(one.feature)} > {threshold(one.threshold)})"
        if isinstance(one, Named):
            return f"@_{_equality(one.name)}({self.cells[one.input]}, {string(one.name)})"
        if isinstance(one, Holds):
            return f"({self.cells[one.input]} {'> 0' if one.value else '== 0'})"
        if isinstance(one, Always):
            return "1" if one.value else "0"
        pairs = zip(one.parts, one.wanted, strict=True)
        text = " & ".join(
            self.statement(part) if yes else f"(!{self.statement(part)})" for part, yes in pairs
        )
        return f"(!({text}))" if one.negated else f"({text})"

    def feature(self, one: Feature) -> str:
        """An expression that is a number."""
        if isinstance(one, Raw):
            return self.cells[one.input]
        if isinstance(one, Standardized):
            return f"@_standardized({self.cells[one.input]}, {number(one.mean)}, {number(one.scale)})"
        if isinstance(one, Sign):
            return f"@_sign({self.cells[one.input]})"
        if isinstance(one, Indicator):
            return f"(double){self.statement(one.statement)}"
        assert isinstance(one, Scaled)
        return f"({self.feature(one.feature)} - {number(one.mean)}) / {number(one.scale)}"

    def features(self, some: tuple[Feature, ...]) -> str:
        """A line that makes `x`, the features of the row."""
        raw = [one.input for one in some if isinstance(one, Raw)]
        places = [self.program.inputs[one].place for one in raw]
        if self.array and len(raw) == len(some) and places == [*range(len(raw))]:
            return "    const double *x = row;\n"
        if not some:
            return "    const double x[1] = {0.0};\n    (void)row;\n"
        lines = "".join(f"    x[{k}] = {self.feature(one)};\n" for k, one in enumerate(some))
        return f"    double x[{len(some)}];\n{lines}"

    def cuts(self, name: str, cuts: tuple[float, ...]) -> str:
        """Where the columns of an array are cut."""
        return table(name, np.array(cuts))

    def written(self, number_: int) -> str:
        """Tables and functions of a unit."""
        unit = self.program.units[number_]
        return WRITERS[type(unit)](self, f"@_{number_}", unit)


def _equality(name: str) -> str:
    if WHOLE_NAME.fullmatch(name):
        return "is_number"
    return "is_truth" if name in ("true", "false") else "is"


def _function(name: str, body: str) -> str:
    return f"\nstatic inline void {name}_scores(const @_row *row, double *scores)\n{{\n{body}}}\n"


def linear(units: CUnits, name: str, unit: Linear) -> str:
    """Weights times features."""
    n_scores, n = unit.weights.shape
    tables = table(f"{name}_weights", unit.weights) + table(f"{name}_intercepts", unit.intercepts)
    body = (
        f"    int k;\n"
        f"    for (k = 0; k < {n_scores}; k++)\n"
        f"        scores[k] = @_dot(x, {name}_weights[k], {n}) + {name}_intercepts[k];\n"
    )
    return tables + _function(name, units.features(unit.features) + body)


def rules(units: CUnits, name: str, unit: Rules) -> str:
    """Rule by rule, in the order of Python's sums; where one adds nothing, no line speaks of it."""
    kind = "int32_t" if unit.whole else "double"
    held = "".join(
        f"    held[{k}] = (unsigned char){units.statement(one)};\n" for k, one in enumerate(unit.rules)
    )
    body = "    (void)row;\n" + (held or "    (void)held;\n")
    explain = f"\nstatic inline void {name}_explain(const @_row *row, unsigned char *held)\n{{\n{body}}}\n"
    lines = [f"    unsigned char held[{max(len(unit.rules), 1)}];\n", f"    {kind} sum;\n"]
    lines.append(f"    {name}_explain(row, held);\n")
    lines += ["    (void)held;\n"] if not unit.rules else []
    for k in range(len(unit.weights)):
        lines.append("    sum = 0;\n")
        lines += [
            f"    sum += held[{j}] ? {_amount(weight, unit)} : {_amount(other, unit)};\n"
            for j, (weight, other) in enumerate(zip(unit.weights[k], unit.others[k], strict=True))
            if weight or other
        ]
        lines.append(f"    scores[{k}] = (double)(sum + {_amount(unit.intercepts[k], unit)});\n")
    return explain + _function(name, "".join(lines))


def _amount(value: Any, unit: Rules) -> str:
    text = str(int(value)) if unit.whole else number(value)
    return f"({text})" if text.startswith("-") else text


def bits(units: CUnits, name: str, unit: SignedBits) -> str:
    """Words of bits; of an array all columns, so that rows may come packed."""
    width = len(unit.cuts) or len(unit.bits)
    places = unit.places if unit.cuts else range(len(unit.bits))
    signs, mask = [0] * _n_words(width), [0] * _n_words(width)
    for place, sign in zip(places, unit.signs, strict=True):
        mask[place // WORD] |= 1 << place % WORD
        signs[place // WORD] |= int(sign) << place % WORD
    loop = (
        "    int k, against = 0;\n"
        f"    for (k = 0; k < {len(mask)}; k++)\n"
        f"        against += @_count((words[k] ^ {name}_signs[k]) & {name}_mask[k]);\n"
        f"    return {len(unit.bits)} - 2 * against - ({unit.threshold});\n"
    )
    packed = (
        _words(f"{name}_signs", signs)
        + _words(f"{name}_mask", mask)
        + f"\n/* the score of a row of {width} bits, the first the lowest bit of the first word */\n"
        f"static inline int {name}_packed(const uint64_t *words)\n{{\n{loop}}}\n"
    )
    return (
        packed
        + _pack(units, name, unit, width)
        + _function(
            name,
            f"    uint64_t words[{len(mask)}];\n    {name}_pack(row, words);\n"
            f"    scores[0] = (double){name}_packed(words);\n",
        )
    )


def _n_words(width: int) -> int:
    return max(-(-width // WORD), 1)


def _words(name: str, words: list[int]) -> str:
    listed = ", ".join(f"UINT64_C(0x{one:x})" for one in words)
    return f"static const uint64_t {name}[{len(words)}] = {{{listed}}};\n"


def _pack(units: CUnits, name: str, unit: SignedBits, width: int) -> str:
    """From a row to its bits."""
    head = f"\nstatic inline void {name}_pack(const @_row *row, uint64_t *words)\n{{\n"
    if unit.cuts and units.array:
        return (
            units.cuts(f"{name}_cuts", unit.cuts)
            + head
            + f"    int j, k;\n    for (k = 0; k < {_n_words(width)}; k++) {{\n"
            f"        const int left = {width} - {WORD} * k;\n"
            f"        uint64_t word = 0;\n"
            f"        for (j = 0; j < {WORD} && j < left; j++)\n"
            f"            word |= (uint64_t)(row[{WORD} * k + j] > {name}_cuts[{WORD} * k + j]) << j;\n"
            f"        words[k] = word;\n"
            f"    }}\n}}\n"
        )
    places = unit.places if unit.cuts else range(len(unit.bits))
    body = "".join(f"    words[{k}] = 0;\n" for k in range(_n_words(width)))
    for place, one in zip(places, unit.bits, strict=True):
        body += f"    words[{place // WORD}] |= (uint64_t){units.statement(one)} << {place % WORD};\n"
    return f"{head}    (void)row;\n{body}}}\n"


def kernel(units: CUnits, name: str, unit: KernelSums) -> str:
    kind = unit.kind.removesuffix("nomial")
    if kind == "poly" and not (unit.degree == int(unit.degree) and unit.degree <= MOST_DEGREE):
        raise ValueError(
            f"degree={unit.degree}, but only kernels of whole degrees up to {MOST_DEGREE} can be exported."
        )
    n_support, n = unit.support.shape
    value = c_parts.KERNELS[kind].format(
        n=n, gamma=number(unit.gamma), coef0=number(unit.coef0), degree=int(unit.degree)
    )
    body = units.features(unit.features) + (
        f"    int i, k;\n"
        f"    for (k = 0; k < {len(unit.duals)}; k++)\n"
        f"        scores[k] = 0.0;\n"
        f"    for (i = 0; i < {n_support}; i++) {{\n"
        f"        const double *z = {name}_support[i];\n"
        f"        const double value = {value};\n"
        f"        for (k = 0; k < {len(unit.duals)}; k++)\n"
        f"            scores[k] += {name}_duals[k][i] * value;\n"
        f"    }}\n"
        f"    for (k = 0; k < {len(unit.duals)}; k++)\n"
        f"        scores[k] += {name}_intercepts[k];\n"
    )
    if not n_support:
        body = "    int k;\n    (void)row;\n" + (
            f"    for (k = 0; k < {len(unit.duals)}; k++)\n        scores[k] = {name}_intercepts[k];\n"
        )
        return table(f"{name}_intercepts", unit.intercepts) + _function(name, body)
    names = ("support", "duals", "intercepts")
    return "".join(table(f"{name}_{one}", getattr(unit, one)) for one in names) + _function(name, body)


def network(units: CUnits, name: str, unit: NetworkLayers) -> str:
    kind, (n_hidden, n) = "float" if unit.single else "double", unit.hidden.shape
    names = ("mean", "gain", "hidden", "hidden_bias", "output", "output_bias")
    tables = "".join(table(f"{name}_{one}", getattr(unit, one), kind) for one in names)
    body = units.features(unit.features) + (
        f"    {kind} z[{n}], hidden[{n_hidden}];\n"
        f"    int j, k;\n"
        f"    for (j = 0; j < {n}; j++)\n"
        f"        z[j] = (({kind})x[j] - {name}_mean[j]) * {name}_gain[j];\n"
        f"    for (k = 0; k < {n_hidden}; k++) {{\n"
        f"        {kind} sum = {name}_hidden_bias[k];\n"
        f"        for (j = 0; j < {n}; j++)\n"
        f"            sum += {name}_hidden[k][j] * z[j];\n"
        f"        hidden[k] = sum > 0 ? sum : 0;\n"
        f"    }}\n"
        f"    for (k = 0; k < {len(unit.output)}; k++) {{\n"
        f"        {kind} sum = {name}_output_bias[k];\n"
        f"        for (j = 0; j < {n_hidden}; j++)\n"
        f"            sum += {name}_output[k][j] * hidden[j];\n"
        f"        scores[k] = sum;\n"
        f"    }}\n"
    )
    return tables + _function(name, body)


WRITERS: dict[Any, Callable[[CUnits, str, Any], str]] = {
    Linear: linear,
    Rules: rules,
    SignedBits: bits,
    KernelSums: kernel,
    NetworkLayers: network,
}
