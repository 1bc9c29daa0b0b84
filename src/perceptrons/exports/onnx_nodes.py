"""A graph of ONNX that grows node by node: names, constants, and operators by their names.

All tensors are columns or matrices with a row per row of the table. `Nodes` knows nothing of models.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from .._types import Array

OPSET, IR = 20, 9  # from onnx 1.15 and onnxruntime 1.17 on
DOUBLE, FLOAT, BOOL, INT64, STRING = (
    TensorProto.DOUBLE,
    TensorProto.FLOAT,
    TensorProto.BOOL,
    TensorProto.INT64,
    TensorProto.STRING,
)
ZERO = numpy_helper.from_array(np.zeros(1))


class Nodes:
    """Values are known by their names: `put("Add", x, y)` is the name of the sum."""

    def __init__(self, taken: Iterable[str]) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.taken = set(taken)
        self._known: dict[Any, str] = {}

    def name(self, wanted: str = "") -> str:
        """A name that no other value has: this one, or with a number behind it."""
        found, number = wanted or "step 1", 1
        while found in self.taken:
            number += 1
            found = f"{wanted or 'step'} {number}"
        self.taken.add(found)
        return found

    def constant(self, values: Any) -> str:
        """A tensor; rows of numbers are doubles."""
        array = np.asarray(values)
        key = (array.dtype.str, array.shape, repr(array.tolist()))
        if key not in self._known:
            self._known[key] = self.name()
            self.constants.append(_tensor(array, self._known[key]))
        return self._known[key]

    def put(self, operator: str, *inputs: str, to: str = "", attributes: Any = None, **more: Any) -> str:
        """A node, once; `to` names its result."""
        attributes = {**(attributes or {}), **more}
        key = (operator, inputs, repr(attributes))
        if to or key not in self._known:
            name = to or self.name()
            self.nodes.append(helper.make_node(operator, list(inputs), [name], **attributes))
            if to:
                return name
            self._known[key] = name
        return self._known[key]

    def joined(self, parts: Sequence[str]) -> str:
        """Side by side."""
        return parts[0] if len(parts) == 1 else self.put("Concat", *parts, axis=1)

    def columns(self, matrix: str, places: Sequence[int]) -> str:
        return self.put("Gather", matrix, self.constant(np.array(places, np.int64)), axis=1)

    def cast(self, value: str, kind: int) -> str:
        return self.put("Cast", value, attributes={"to": kind})

    def flat(self, column: str, to: str = "") -> str:
        """A value per row."""
        return self.put("Reshape", column, self.constant(np.array([-1], np.int64)), to=to)

    def model(self, inputs: Sequence[Any], outputs: Sequence[Any], about: str) -> bytes:
        """The file, checked."""
        graph = helper.make_graph(self.nodes, "model", inputs, outputs, self.constants)
        opsets = [helper.make_opsetid("", OPSET)]
        made = helper.make_model(graph, opset_imports=opsets, ir_version=IR, producer_name="perceptrons")
        made.doc_string = about
        onnx.checker.check_model(made, full_check=True)
        return bytes(made.SerializeToString())


def value_info(name: str, kind: Any, width: int | None) -> Any:
    """A column, a matrix, or, without a width, a value per row."""
    return helper.make_tensor_value_info(name, kind, ["rows"] if width is None else ["rows", width])


def _tensor(array: Array, name: str) -> Any:
    if array.dtype.kind in "UO":
        texts = [str(text).encode() for text in array.ravel().tolist()]
        return helper.make_tensor(name, STRING, list(array.shape), texts)  # type: ignore[arg-type]
    return numpy_helper.from_array(np.ascontiguousarray(array), name)
