"""Units as sums of SQL. What several scores need is a column of a layer of its own."""

import re
from collections.abc import Callable, Sequence
from typing import Any

from .program import (
    TEXT,
    TRUTH,
    Above,
    Always,
    Exceeds,
    Feature,
    Holds,
    Indicator,
    Input,
    KernelSums,
    Linear,
    Named,
    NetworkLayers,
    Raw,
    Rules,
    Scaled,
    Sign,
    SignedBits,
    Standardized,
    Statement,
)
from .sql_text import exactly, number, quoted, string

ZERO = "CAST(0 AS DOUBLE PRECISION)"
FINITE = "BETWEEN -1.7976931348623157e308 AND 1.7976931348623157e308"
WHOLE_NAME = re.compile(r"0|-?[1-9][0-9]*")
IN_A_ROW = 400  # terms of a sum one after the other; engines limit how deep an expression may be
MOST_EXP = "7e2"  # beyond which some engines refuse a power of e
Layer = list[tuple[str, str]]  # names and expressions


def cell(one: Input) -> str:
    """A column as the model reads it; NULL where it is missing. What is no finite number is missing, too."""
    column = f"t.{quoted(one.name)}"
    if one.kind == TEXT:
        return f"CAST({column} AS TEXT) || ''"  # the column's own collation must not decide
    if one.kind == TRUTH:
        return f"CAST({column} AS INTEGER)"
    double = f"CAST({column} AS DOUBLE PRECISION)"
    return f"CASE WHEN {double} {FINITE} THEN {double} END"


def total(terms: Sequence[str]) -> str:
    """A sum from left to right, or, of many terms, by halves."""
    if not terms:
        return ZERO
    if len(terms) <= IN_A_ROW:
        return "\n        + ".join(terms)
    middle = len(terms) // 2
    return f"({total(terms[:middle])})\n        + ({total(terms[middle:])})"


def product(weight: float, factor: str) -> str:
    if weight == 1.0:
        return factor
    return f"{number(weight)} * {factor}" if weight >= 0.0 else f"({number(weight)}) * {factor}"


def power_of_e(argument: str) -> str:
    """exp, of arguments that no engine refuses; the argument is written three times."""
    limited = f"WHEN {argument} > {MOST_EXP} THEN {MOST_EXP} WHEN {argument} < -{MOST_EXP} THEN -{MOST_EXP}"
    return f"exp(CASE {limited} ELSE {argument} END)"


class SqlUnits:
    """Prints units: `layers` of named expressions, and the scores of each unit in the end."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names  # of inputs, as the first layer has them

    def statement(self, one: Statement) -> str:
        """True, or false, or NULL, which stands for false."""
        if isinstance(one, Above):
            return f"{self.names[one.input]} > {exactly(one.threshold)}"
        if isinstance(one, Exceeds):
            return f"{self.feature(one.feature)} > {exactly(one.threshold)}"
        if isinstance(one, Named):
            return _equal(self.names[one.input], one.name)
        if isinstance(one, Holds):
            return f"{self.names[one.input]} = {int(one.value)}"
        if isinstance(one, Always):
            return "TRUE" if one.value else "FALSE"
        pairs = zip(one.parts, one.wanted, strict=True)
        text = " AND ".join(
            f"({self.statement(part)})" if wanted else self.untrue(part) for part, wanted in pairs
        )
        return f"NOT COALESCE({text}, FALSE)" if one.negated else text

    def untrue(self, one: Statement) -> str:
        return f"NOT COALESCE({self.statement(one)}, FALSE)"

    def feature(self, one: Feature) -> str:
        """A factor."""
        if isinstance(one, Raw):
            return self.names[one.input]
        if isinstance(one, Standardized):
            return f"COALESCE(({self.names[one.input]} - ({number(one.mean)})) / {number(one.scale)}, 0e0)"
        if isinstance(one, Sign):
            return f"COALESCE({self.names[one.input]} * 2e0 - 1e0, 0e0)"
        if isinstance(one, Indicator):
            return f"(CASE WHEN {self.statement(one.statement)} THEN 1e0 ELSE 0e0 END)"
        assert isinstance(one, Scaled)
        return f"(({self.feature(one.feature)} - ({number(one.mean)})) / {number(one.scale)})"

    def features(self, prefix: str, some: Sequence[Feature], shared: bool) -> tuple[Layer, list[str]]:
        """What stands for each feature: a column of a layer, if it is used often and no column already."""
        layer: Layer = []
        found = []
        for k, one in enumerate(some):
            text = self.feature(one)
            if shared and not isinstance(one, Raw):
                layer.append((f"{prefix}_x{k}", f"{ZERO} + {text}"))
                text = layer[-1][0]
            found.append(text)
        return layer, found

    def written(self, prefix: str, unit: Any) -> tuple[list[Layer], list[str]]:
        """Layers, and the scores."""
        return WRITERS[type(unit)](self, prefix, unit)


def _equal(cell_: str, name: str) -> str:
    if WHOLE_NAME.fullmatch(name):  # 7 is also written 7.0
        point = string(f"{name}.")
        return f"({cell_} = {string(name)} OR (rtrim({cell_}, '0') = {point} AND {cell_} <> {point}))"
    return f"lower({cell_}) = {string(name)}" if name in ("true", "false") else f"{cell_} = {string(name)}"


def linear(units: SqlUnits, prefix: str, unit: Linear) -> tuple[list[Layer], list[str]]:
    layer, factors = units.features(prefix, unit.features, shared=len(unit.weights) > 1)
    scores = []
    for weights, intercept in zip(unit.weights.tolist(), unit.intercepts.tolist(), strict=True):
        pairs = zip(weights, factors, unit.features, strict=True)
        terms = [product(w, x) for w, x, one in pairs if w or isinstance(one, Raw)]
        scores.append(total([f"CAST({number(intercept)} AS DOUBLE PRECISION)", *terms]))
    return [layer], scores


def rules(units: SqlUnits, prefix: str, unit: Rules) -> tuple[list[Layer], list[str]]:
    """In the order of Python's sums."""
    several = len(unit.weights) > 1
    texts = [units.statement(one) for one in unit.rules]
    layer = [(f"{prefix}_r{k}", f"CASE WHEN {text} THEN 1 ELSE 0 END") for k, text in enumerate(texts)]
    held = [f"{name} = 1" for name, _ in layer] if several else texts
    scores = []
    for weights, others, intercept in zip(unit.weights, unit.others, unit.intercepts, strict=True):
        terms = [
            f"CASE WHEN {holds} THEN {_amount(weight)} ELSE {_amount(other)} END"
            for holds, weight, other in zip(held, weights.tolist(), others.tolist(), strict=True)
            if weight or other
        ]
        scores.append(total([ZERO, *terms, f"({_amount(intercept.item())})"]))
    return [layer] * several, scores


def _amount(value: Any) -> str:
    return str(value) if isinstance(value, int) else number(value)


def bits(units: SqlUnits, prefix: str, unit: SignedBits) -> tuple[list[Layer], list[str]]:
    terms = [
        f"CASE WHEN {units.statement(one)} THEN {1 if sign else -1} ELSE {-1 if sign else 1} END"
        for one, sign in zip(unit.bits, unit.signs, strict=True)
    ]
    return [], [total([ZERO, *terms, f"({-unit.threshold})"])]


def kernel(units: SqlUnits, prefix: str, unit: KernelSums) -> tuple[list[Layer], list[str]]:
    """A column per support row, which holds its kernel value."""
    layer, x = units.features(prefix, unit.features, shared=True)
    size = f"{prefix}_size"
    squares: Layer = [(size, total([ZERO, *(f"{a} * {a}" for a in x)]))]
    argument, value = KERNELS[unit.kind.removesuffix("nomial")](unit, size)
    rows = unit.support.tolist()
    arguments: Layer = [(f"{prefix}_a{k}", f"{ZERO} + {argument(x, z)}") for k, z in enumerate(rows)]
    values: Layer = [(f"{prefix}_k{k}", value(f"{prefix}_a{k}", z)) for k, z in enumerate(rows)]
    scores = []
    for duals, intercept in zip(unit.duals.tolist(), unit.intercepts.tolist(), strict=True):
        terms = [product(dual, name) for dual, (name, _) in zip(duals, values, strict=True) if dual]
        scores.append(total([f"CAST({number(intercept)} AS DOUBLE PRECISION)", *terms]))
    return [layer, squares, arguments, values], scores


Argument = Callable[[Sequence[str], Sequence[float]], str]
Value = Callable[[str, Sequence[float]], str]


def _dot(x: Sequence[str], z: Sequence[float], factor: float = 1.0) -> str:
    return total([product(factor * b, a) for a, b in zip(x, z, strict=True) if b])


def _rbf(unit: KernelSums, size: str) -> tuple[Argument, Value]:
    """By ‖x‖² − 2⟨x, z⟩ + ‖z‖², as in Python: most coordinates of names are 0, and take no term."""

    def argument(x: Sequence[str], z: Sequence[float]) -> str:
        return f"{size} + ({_dot(x, z, -2.0)}) + {number(sum(b * b for b in z))}"

    def value(name: str, z: Sequence[float]) -> str:
        limit = number(700.0 / unit.gamma)
        return (
            f"CASE WHEN {name} <= 0 THEN 1e0 WHEN {name} > {limit} THEN 0e0 "
            f"ELSE exp((-{number(unit.gamma)}) * {name}) END"
        )

    return argument, value


def _laplacian(unit: KernelSums, size: str) -> tuple[Argument, Value]:
    def argument(x: Sequence[str], z: Sequence[float]) -> str:
        away = total([f"abs({a} - ({number(b)}))" for a, b in zip(x, z, strict=True)])
        return f"(-{number(unit.gamma)}) * ({away})"

    return argument, lambda name, z: power_of_e(name)


def _affine(unit: KernelSums, factor: float = 1.0) -> Argument:
    shift = number(factor * unit.coef0)
    return lambda x, z: f"{number(factor * unit.gamma)} * ({_dot(x, z)}) + ({shift})"


def _cosine(unit: KernelSums, size: str) -> tuple[Argument, Value]:
    def value(name: str, z: Sequence[float]) -> str:
        own = sum(b * b for b in z) ** 0.5 or 1.0
        return f"CASE WHEN {size} > 0 THEN {name} / (sqrt({size}) * {number(own)}) ELSE 0e0 END"

    return _dot, value


KERNELS: dict[str, Callable[[KernelSums, str], tuple[Argument, Value]]] = {
    "linear": lambda unit, size: (_dot, lambda name, z: name),
    "poly": lambda unit, size: (_affine(unit), lambda name, z: f"power({name}, {number(unit.degree)})"),
    "rbf": _rbf,
    "laplacian": _laplacian,
    "sigmoid": lambda unit, size: (
        _affine(unit, 2.0),
        lambda name, z: f"1e0 - 2e0 / ({power_of_e(name)} + 1e0)",
    ),
    "cosine": _cosine,
}


def network(units: SqlUnits, prefix: str, unit: NetworkLayers) -> tuple[list[Layer], list[str]]:
    """A column per hidden neuron."""
    standardized = zip(unit.features, unit.mean.tolist(), unit.gain.tolist(), strict=True)
    inner: Layer = [
        (f"{prefix}_x{k}", f"({ZERO} + {units.feature(one)} - ({number(mean)})) * {number(gain)}")
        for k, (one, mean, gain) in enumerate(standardized)
    ]
    sums = _neurons(f"{prefix}_s", unit.hidden, unit.hidden_bias, [name for name, _ in inner])
    hidden = [
        (f"{prefix}_h{k}", f"CASE WHEN {name} > 0 THEN {name} ELSE 0e0 END")
        for k, (name, _) in enumerate(sums)
    ]
    scores = _neurons("", unit.output, unit.output_bias, [name for name, _ in hidden])
    return [inner, sums, hidden], [text for _, text in scores]


def _neurons(prefix: str, weights: Any, biases: Any, x: Sequence[str]) -> Layer:
    found: Layer = []
    for k, (row, bias) in enumerate(zip(weights.tolist(), biases.tolist(), strict=True)):
        terms = [product(w, one) for w, one in zip(row, x, strict=True)]
        found.append((f"{prefix}{k}", total([f"CAST({number(bias)} AS DOUBLE PRECISION)", *terms])))
    return found


WRITERS: dict[Any, Callable[..., tuple[list[Layer], list[str]]]] = {
    Linear: linear,
    Rules: rules,
    SignedBits: bits,
    KernelSums: kernel,
    NetworkLayers: network,
}
