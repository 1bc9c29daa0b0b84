"""Features, statements and units as tensors of ONNX: a matrix for each kind, whatever their number."""

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .._types import Array
from .onnx_nodes import DOUBLE, FLOAT, ZERO, Nodes
from .program import (
    Above,
    All,
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
MOST_DEGREE = 64  # of a polynomial kernel
Group = tuple[str, list[int]]  # a matrix, and where its columns belong


class OnnxUnits:
    """Prints units of one program; each result has a row per row."""

    def __init__(self, program: Program, nodes: Nodes, matrix: str | None) -> None:
        self.nodes, self.inputs = nodes, program.inputs
        self.matrix, self.program = matrix, program

    def cell(self, place: int) -> str:
        """A column of the table."""
        one = self.inputs[place]
        return one.name if self.matrix is None else self.nodes.columns(self.matrix, [one.place])

    def zero(self) -> str:
        """0 in every row."""
        nodes, first = self.nodes, self.inputs[0].name if self.matrix is None else self.matrix
        n_rows = nodes.put("Shape", first, start=0, end=1)
        shape = nodes.put("Concat", n_rows, nodes.constant(np.array([1], np.int64)), axis=0)
        return nodes.put("ConstantOfShape", shape, value=ZERO)

    def factors(self, row: Array) -> str:
        """A row of factors before a product of matrices: a single one must not be a constant, of which
        onnxruntime would make a float, as part of the product."""
        constant = self.nodes.constant(row)
        return constant if row.size > 1 else self.nodes.put("Add", self.zero(), constant)

    def taken(self, places: Sequence[int]) -> str:
        """These inputs side by side; one may stand there several times."""
        kept = list(dict.fromkeys(places))
        if self.matrix is not None:
            own = [self.inputs[place].place for place in places]
            whole = own == [*range(self.program.width)]
            return self.matrix if whole else self.nodes.columns(self.matrix, own)
        joined = self.nodes.joined([self.cell(place) for place in kept])
        if kept == list(places):
            return joined
        return self.nodes.columns(joined, [kept.index(place) for place in places])

    # --- features ---

    def features(self, some: Sequence[Feature]) -> Group:
        """A matrix of all of them, and the order of its columns."""
        groups = []
        for kind, write in FEATURES.items():
            places = [k for k, one in enumerate(some) if isinstance(one, kind)]
            if places:
                groups.append(write(self, [some[k] for k in places], places))
        if not groups:
            return self.zero(), []
        return self.nodes.joined([name for name, _ in groups]), [k for _, own in groups for k in own]

    def ordered(self, some: Sequence[Feature]) -> str:
        matrix, order = self.features(some)
        return matrix if order == sorted(order) else self.nodes.columns(matrix, np.argsort(order).tolist())

    # --- statements ---

    def truths(self, some: Sequence[Statement]) -> Group:
        """Truth values as 0 and 1."""
        groups = []
        for kinds, write in STATEMENTS:
            places = [k for k, one in enumerate(some) if kinds(one)]
            if places:
                groups.append((self.nodes.cast(write(self, [some[k] for k in places]), DOUBLE), places))
        return self.nodes.joined([name for name, _ in groups]), [k for _, own in groups for k in own]

    def truth(self, one: Statement) -> str:
        """A column of 0 and 1."""
        return self.truths([one])[0]

    def holding(self, rules: Sequence[Statement]) -> str:
        """Which rules hold, 0 or 1: all that they want, and none of what they do not."""
        nodes = self.nodes
        split = [one if isinstance(one, All) else All((one,), (True,)) for one in rules]
        distinct = list(dict.fromkeys(part for one in split for part in one.parts))
        if not distinct:
            everywhere = [[float(one.negated) for one in split]]
            return nodes.put("Sub", nodes.constant(1.0 - np.array(everywhere)), self.zero())
        matrix, order = self.truths(distinct)
        counts = np.zeros((len(distinct), len(split)))
        for j, one in enumerate(split):
            for part, wanted in zip(one.parts, one.wanted, strict=True):
                counts[distinct.index(part), j] += 1.0 if wanted else -1.0
        least = np.array([[float(sum(one.wanted)) for one in split]])
        sums = nodes.put("MatMul", matrix, nodes.constant(counts[order]))
        held = nodes.put("GreaterOrEqual", sums, nodes.constant(least))
        negated = np.array([[one.negated for one in split]])
        return nodes.put("Xor", held, nodes.constant(negated)) if negated.any() else held

    def scores(self, unit: Any) -> str:
        """A column per score."""
        return WRITERS[type(unit)](self, unit)


def _row(values: Sequence[float]) -> Array:
    return np.array([values], np.float64)


def _raw(units: OnnxUnits, some: Sequence[Raw], places: list[int]) -> Group:
    return units.taken([one.input for one in some]), places


def _standardized(units: OnnxUnits, some: Sequence[Standardized], places: list[int]) -> Group:
    nodes, cells = units.nodes, units.taken([one.input for one in some])
    centered = nodes.put("Sub", cells, nodes.constant(_row([one.mean for one in some])))
    scaled = nodes.put("Div", centered, nodes.constant(_row([one.scale for one in some])))
    return nodes.put("Where", nodes.put("IsNaN", cells), nodes.constant([[0.0]]), scaled), places


def _signs(units: OnnxUnits, some: Sequence[Sign], places: list[int]) -> Group:
    nodes, cells = units.nodes, units.taken([one.input for one in some])
    doubled = nodes.put("Mul", cells, nodes.constant([[2.0]]))
    signs = nodes.put("Sub", doubled, nodes.constant([[1.0]]))
    return nodes.put("Where", nodes.put("IsNaN", cells), nodes.constant([[0.0]]), signs), places


def _indicators(units: OnnxUnits, some: Sequence[Indicator], places: list[int]) -> Group:
    matrix, order = units.truths([one.statement for one in some])
    return matrix, [places[k] for k in order]


def _scaled(units: OnnxUnits, some: Sequence[Scaled], places: list[int]) -> Group:
    nodes = units.nodes
    matrix, order = units.features([one.feature for one in some])
    centered = nodes.put("Sub", matrix, nodes.constant(_row([some[k].mean for k in order])))
    scaled = nodes.put("Div", centered, units.factors(_row([some[k].scale for k in order])))
    return scaled, [places[k] for k in order]


FEATURES: dict[Any, Callable[..., Group]] = {
    Raw: _raw,
    Standardized: _standardized,
    Sign: _signs,
    Indicator: _indicators,
    Scaled: _scaled,
}


def _above(units: OnnxUnits, some: Sequence[Above]) -> str:
    cells, cuts = units.taken([one.input for one in some]), _row([one.threshold for one in some])
    return units.nodes.put("Greater", cells, units.nodes.constant(cuts))


def _exceeds(units: OnnxUnits, some: Sequence[Exceeds]) -> str:
    cells = units.ordered([one.feature for one in some])
    return units.nodes.put("Greater", cells, units.nodes.constant(_row([one.threshold for one in some])))


def _named(units: OnnxUnits, some: Sequence[Named]) -> str:
    names = np.array([[one.name for one in some]], object)
    return units.nodes.put("Equal", units.taken([one.input for one in some]), units.nodes.constant(names))


def _spelled(units: OnnxUnits, some: Sequence[Named]) -> str:
    """Names that can be written in several ways."""
    found = [
        units.nodes.put("RegexFullMatch", units.cell(one.input), pattern=_pattern(one.name)) for one in some
    ]
    return units.nodes.joined(found)


def _pattern(name: str) -> str:
    if WHOLE_NAME.fullmatch(name):
        return rf"{name}(\.0+)?"
    return "".join(f"[{letter}{letter.upper()}]" for letter in name)


def _holds(units: OnnxUnits, some: Sequence[Holds]) -> str:
    nodes, signs = units.nodes, _row([1.0 if one.value else -1.0 for one in some])
    signed = nodes.put("Mul", units.taken([one.input for one in some]), nodes.constant(signs))
    return nodes.put("Greater", signed, nodes.constant(np.where(signs > 0, 0.5, -0.5)))


def _always(units: OnnxUnits, some: Sequence[Always]) -> str:
    values = _row([-1.0 if one.value else 1.0 for one in some])
    return units.nodes.put("Greater", units.zero(), units.nodes.constant(values))


def _is_plain(one: Any) -> bool:
    return not WHOLE_NAME.fullmatch(one.name) and one.name not in ("true", "false")


STATEMENTS: list[tuple[Callable[[Any], bool], Callable[..., str]]] = [
    (lambda one: isinstance(one, Above), _above),
    (lambda one: isinstance(one, Exceeds), _exceeds),
    (lambda one: isinstance(one, Named) and _is_plain(one), _named),
    (lambda one: isinstance(one, Named) and not _is_plain(one), _spelled),
    (lambda one: isinstance(one, Holds), _holds),
    (lambda one: isinstance(one, Always), _always),
    (lambda one: isinstance(one, All), OnnxUnits.holding),
]


def _sum(units: OnnxUnits, x: str, weights: Array, intercepts: Array) -> str:
    nodes = units.nodes
    sums = nodes.put("MatMul", x, nodes.constant(np.ascontiguousarray(weights.T, weights.dtype)))
    return nodes.put("Add", sums, nodes.constant(intercepts[None]))


def linear(units: OnnxUnits, unit: Linear) -> str:
    x, order = units.features(unit.features)
    if not order:
        return units.nodes.put("Add", x, units.nodes.constant(unit.intercepts[None]))
    return _sum(units, x, unit.weights[:, order], unit.intercepts)


def rules(units: OnnxUnits, unit: Rules) -> str:
    intercepts = np.asarray(unit.intercepts + unit.others.sum(axis=1), np.float64)
    if not unit.rules:
        return units.nodes.put("Add", units.zero(), units.nodes.constant(intercepts[None]))
    held = units.nodes.cast(units.holding(unit.rules), DOUBLE)
    return _sum(units, held, np.asarray(unit.weights - unit.others, np.float64), intercepts)


def bits(units: OnnxUnits, unit: SignedBits) -> str:
    signs = np.array([[1.0 if sign else -1.0 for sign in unit.signs]])
    start = np.array([-float(unit.threshold) - signs.sum()])
    if not unit.bits:
        return units.nodes.put("Add", units.zero(), units.nodes.constant(start[None]))
    matrix, order = units.truths(unit.bits)
    return _sum(units, matrix, 2.0 * signs[:, order], start)


def kernel(units: OnnxUnits, unit: KernelSums) -> str:
    if not len(unit.support):
        return units.nodes.put("Add", units.zero(), units.nodes.constant(unit.intercepts[None]))
    x = units.ordered(unit.features)
    values = KERNELS[unit.kind.removesuffix("nomial")](units.nodes, unit, x)
    return _sum(units, values, unit.duals, unit.intercepts)


def _dot(nodes: Nodes, unit: KernelSums, x: str, factor: float = 1.0) -> str:
    """The factor belongs to the support: onnxruntime would make a float of one beside a product."""
    return nodes.put("MatMul", x, nodes.constant(np.ascontiguousarray(factor * unit.support.T)))


def _affine(nodes: Nodes, unit: KernelSums, x: str) -> str:
    return nodes.put("Add", _dot(nodes, unit, x, unit.gamma), nodes.constant([[unit.coef0]]))


def _poly(nodes: Nodes, unit: KernelSums, x: str) -> str:
    base = _affine(nodes, unit, x)
    if unit.degree != int(unit.degree) or unit.degree > MOST_DEGREE:
        raise ValueError(
            f"degree={unit.degree}, but only kernels of whole degrees up to {MOST_DEGREE} can be exported."
        )
    power = base
    for _ in range(int(unit.degree) - 1):
        power = nodes.put("Mul", power, base)
    return power


def _squares(nodes: Nodes, x: str) -> str:
    return nodes.put("ReduceSum", nodes.put("Mul", x, x), nodes.constant(np.array([1], np.int64)), keepdims=1)


def _rbf(nodes: Nodes, unit: KernelSums, x: str) -> str:
    one = nodes.put("Sub", _dot(nodes, unit, x, 2.0), _squares(nodes, x))
    both = nodes.put("Sub", one, nodes.constant((unit.support**2).sum(axis=1)[None]))
    nearest = nodes.put("Min", both, nodes.constant([[0.0]]))
    return nodes.put("Exp", nodes.put("Mul", nearest, nodes.constant([[unit.gamma]])))


def _laplacian(nodes: Nodes, unit: KernelSums, x: str) -> str:
    rows = nodes.put("Unsqueeze", x, nodes.constant(np.array([1], np.int64)))
    away = nodes.put("Abs", nodes.put("Sub", rows, nodes.constant(unit.support[None])))
    sums = nodes.put("ReduceSum", away, nodes.constant(np.array([2], np.int64)), keepdims=0)
    return nodes.put("Exp", nodes.put("Mul", sums, nodes.constant([[-unit.gamma]])))


def _cosine(nodes: Nodes, unit: KernelSums, x: str) -> str:
    own = nodes.put("Sqrt", _squares(nodes, x))
    some = nodes.put("Greater", own, nodes.constant([[0.0]]))
    size = nodes.put("Where", some, own, nodes.constant([[1.0]]))
    sizes = np.sqrt((unit.support**2).sum(axis=1))[None]
    sizes[sizes == 0.0] = 1.0
    return nodes.put("Div", nodes.put("Div", _dot(nodes, unit, x), size), nodes.constant(sizes))


KERNELS: dict[str, Callable[[Nodes, KernelSums, str], str]] = {
    "linear": _dot,
    "poly": _poly,
    "rbf": _rbf,
    "laplacian": _laplacian,
    "sigmoid": lambda nodes, unit, x: nodes.put("Tanh", _affine(nodes, unit, x)),
    "cosine": _cosine,
}


def network(units: OnnxUnits, unit: NetworkLayers) -> str:
    """In the precision that the network has."""
    nodes, kind = units.nodes, np.float32 if unit.single else np.float64
    arrays = [part.astype(kind) for part in unit[1:7]]
    mean, gain, hidden, hidden_bias, output, output_bias = arrays
    x = units.ordered(unit.features)
    x = nodes.cast(x, FLOAT) if unit.single else x
    centered = nodes.put("Sub", x, nodes.constant(mean[None]))
    z = nodes.put("Mul", centered, nodes.constant(gain[None]) if unit.single else units.factors(gain[None]))
    active = nodes.put("Relu", _sum(units, z, hidden, hidden_bias))
    scores = _sum(units, active, output, output_bias)
    return nodes.cast(scores, DOUBLE) if unit.single else scores


WRITERS: dict[Any, Callable[[OnnxUnits, Any], str]] = {
    Linear: linear,
    Rules: rules,
    SignedBits: bits,
    KernelSums: kernel,
    NetworkLayers: network,
}
