"""A program as an ONNX model of standard operators, opset 20: raw columns in; label, scores, probabilities
and rejections out.

The encoder is inside the graph: one input per column, by its name, numbers as doubles (NaN is missing), truth
values as doubles 1 and 0 (NaN is missing), texts as strings (a missing one is any text that is no category,
such as an empty one). A model that was fitted to an array has one input, X.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._types import Array
from .onnx_nodes import BOOL, DOUBLE, INT64, STRING, Nodes, value_info
from .onnx_units import OnnxUnits
from .program import NUMBER, TEXT, Program, Step
from .program_lines import needed, outputs

OPERATORS = {
    "+": "Add",
    "-": "Sub",
    "*": "Mul",
    "/": "Div",
    ">": "Greater",
    ">=": "GreaterOrEqual",
    "and": "And",
    "not": "Not",
    "exp": "Exp",
    "choose": "Where",
}
MATRIX = "X"


class OnnxWriter:
    """Prints one program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.array = bool(program.width) and all(one.kind == NUMBER for one in program.inputs)
        names = [MATRIX] if self.array else [one.name for one in program.inputs]
        _check_names(program, names)
        self.nodes = Nodes(names)
        self.units = OnnxUnits(program, self.nodes, MATRIX if self.array else None)
        self.scores = [self.units.scores(unit) for unit in program.units]
        self.steps: dict[int, str] = {}
        for place in sorted(needed(program, outputs(program))):
            self.steps[place] = self._step(program.steps[place])

    def _step(self, step: Step) -> str:
        nodes = self.nodes
        if step.operation == "number":
            return nodes.constant([[step.number]])
        if step.operation == "score":
            return nodes.columns(self.scores[step.unit], [step.score])
        parts = [self.steps[part] for part in step.parts]
        if step.operation == "interpolate":
            return self._interpolated(parts[0], *map(np.array, step.knots))
        return nodes.put(OPERATORS[step.operation], *parts)

    def _interpolated(self, at: str, places: Array, values: Array) -> str:
        """The first value, and of each rise the share that lies behind."""
        runs = np.diff(places)
        some, nodes = runs > 0.0, self.nodes
        away = nodes.put("Sub", at, nodes.constant(places[:-1][some][None]))
        shares = nodes.put("Div", away, nodes.constant(runs[some][None]))
        clipped = nodes.put("Max", nodes.put("Min", shares, nodes.constant([[1.0]])), nodes.constant([[0.0]]))
        rises = nodes.put("MatMul", clipped, nodes.constant(np.diff(values)[some][:, None]))
        return nodes.put("Add", rises, nodes.constant([[values[0]]]))

    def inputs(self) -> list[Any]:
        if self.array:
            return [value_info(MATRIX, DOUBLE, self.program.width)]
        return [
            value_info(one.name, STRING if one.kind == TEXT else DOUBLE, 1) for one in self.program.inputs
        ]

    def in_every_row(self, place: int) -> str:
        """A step as a column, though it may be the same in all rows."""
        return self.nodes.put("Add", self.steps[place], self.units.zero())

    def outputs(self) -> list[Any]:
        program, nodes = self.program, self.nodes
        kind, label = self._label()
        found = [value_info(nodes.flat(label, nodes.name("label")), kind, None)]
        for what, places in (("scores", program.scores), ("probabilities", program.probabilities)):
            if len(places) == 1:
                name = nodes.flat(self.in_every_row(places[0]), nodes.name(what))
                found.append(value_info(name, DOUBLE, None))
            elif places:
                columns = [self.in_every_row(place) for place in places]
                name = nodes.put("Concat", *columns, to=nodes.name(what), axis=1)
                found.append(value_info(name, DOUBLE, len(places)))
        name = nodes.flat(self._rejected(), nodes.name("rejected"))
        return [*found, value_info(name, BOOL, None)]

    def _rejected(self) -> str:
        nodes, rejected = self.nodes, self.program.rejected
        never = nodes.put("Greater", self.units.zero(), nodes.constant([[1.0]]))
        return never if rejected is None else nodes.put("Or", never, self.steps[rejected])

    def _label(self) -> tuple[int, str]:
        """The label of each row: a text, a whole number, a truth value or a double."""
        program, nodes = self.program, self.nodes
        rejects = program.rejected is not None and program.reject_label is not None
        kind, values = _labels([*program.labels, *[program.reject_label] * rejects])
        labels = [nodes.constant(values[k : k + 1][None]) for k in range(len(values))]
        label = self._chosen(program.code, labels)
        if rejects or program.steps[program.code].operation == "number":
            label = nodes.put("Where", self._rejected(), labels[-1] if rejects else label, label)
        return kind, nodes.cast(label, BOOL) if kind == BOOL else label

    def _chosen(self, place: int, labels: Sequence[str]) -> str:
        """The label of a step that computes a place among the classes."""
        step = self.program.steps[place]
        if step.operation == "number":
            return labels[int(step.number)]
        condition, yes, no = step.parts
        return self.nodes.put(
            "Where", self.steps[condition], self._chosen(yes, labels), self._chosen(no, labels)
        )


def _labels(labels: Sequence[Any]) -> tuple[int, Array]:
    if all(isinstance(one, bool) for one in labels):
        return BOOL, np.array(labels, np.int64)  # which operators take
    if all(isinstance(one, int) and -(2**63) <= one < 2**63 for one in labels):
        return INT64, np.array([int(one) for one in labels], np.int64)
    if all(isinstance(one, int | float) and float(one) == one for one in labels):
        return DOUBLE, np.array(labels, np.float64)
    return STRING, np.array([str(one) for one in labels], object)


def _check_names(program: Program, names: Sequence[str]) -> None:
    """Names are those of tensors, and texts are UTF-8."""
    if not names:
        raise ValueError(
            "The model reads no column and answers the same of every row, but an ONNX model learns the "
            "number of rows from its inputs; export it to another target."
        )
    for name in names:
        if not name:
            raise ValueError("A column has an empty name, which ONNX cannot have; rename it.")
        try:
            name.encode()
        except UnicodeEncodeError:
            raise ValueError(
                f"The name {name!a} holds half a surrogate pair, which UTF-8 cannot; rename it."
            ) from None


def onnx_model(program: Program, about: str) -> bytes:
    """The file, checked by `onnx.checker`."""
    writer = OnnxWriter(program)
    return writer.nodes.model(writer.inputs(), writer.outputs(), about)
