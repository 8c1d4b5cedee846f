"""Tensors that write an ONNX graph: arithmetic on them adds nodes.

A converter reads like the NumPy code of the model that it converts. All numbers are float64 and all
places int64. Operators are primitives of ai.onnx, in double precision, because ONNX's own operators
for support vector machines compute in single precision.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

OPSETS: Final = {"": 20, "ai.onnx.ml": 5}
IR_VERSION: Final = 9
KINDS: Final = {
    "number": TensorProto.DOUBLE,
    "place": TensorProto.INT64,
    "word": TensorProto.STRING,
    "flag": TensorProto.BOOL,
    "single": TensorProto.FLOAT,
}
_SMALL = 4096  # bytes; a larger constant is shared only if it is the same object


class Graph:
    """Nodes and constants of a graph, in the order in which they are computed."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.inputs: list[Any] = []
        self.made: dict[str, Any] = {}
        """The node that makes each tensor."""
        self.arrays: dict[str, NDArray[Any]] = {}
        """The values of constants."""
        self.factors: dict[str, tuple[Tensor, float]] = {}
        """Of tensors that are others times a number: these and the number."""
        self._known: dict[Any, str] = {}
        self._count = 0

    def input(self, name: str, kind: str, width: int) -> Tensor:
        """Declare an input of shape (rows, width)."""
        self.inputs.append(helper.make_tensor_value_info(name, KINDS[kind], ["rows", width]))
        return Tensor(self, name)

    def name(self, stem: str) -> str:
        """Return a name that is not taken."""
        self._count += 1
        return f"{stem}_{self._count}"

    def constant(self, value: Any) -> Tensor:
        """Return an array as a tensor; equal ones are stored once."""
        array = _as_constant(value)
        key = (array.dtype.str, array.shape, array.tobytes()) if array.nbytes <= _SMALL else None
        if key is not None and array.dtype.kind != "O" and key in self._known:
            return Tensor(self, self._known[key])
        name = self.name("constant")
        self.arrays[name] = array
        if key is not None and array.dtype.kind != "O":
            self._known[key] = name
        return Tensor(self, name)

    def node(self, kind: str, *inputs: Any, domain: str = "", **attributes: Any) -> Tensor:
        """Add an operator with one output."""
        names = [self._of(each).name for each in inputs]
        out = self.name(kind)
        self.add(helper.make_node(kind, names, [out], domain=domain, **attributes))
        return Tensor(self, out)

    def add(self, node: Any) -> None:
        """Add a node whose inputs are there."""
        self.nodes.append(node)
        self.made.update(dict.fromkeys(node.output, node))

    def _of(self, value: Any) -> Tensor:
        return value if isinstance(value, Tensor) else self.constant(value)

    def model(self, outputs: Sequence[tuple[str, Tensor, str, Sequence[Any]]]) -> Any:
        """Return the model with these outputs: name, tensor, kind, shape."""
        last = [helper.make_node("Identity", [tensor.name], [name]) for name, tensor, *_ in outputs]
        shown = [
            helper.make_tensor_value_info(name, KINDS[kind], ["rows", *shape])
            for name, _, kind, shape in outputs
        ]
        nodes = self._needed(last)
        used = {name for node in nodes for name in node.input}
        constants = [
            numpy_helper.from_array(array, name)
            for name, array in self.arrays.items()
            if name in used
        ]
        graph = helper.make_graph(nodes, "maxmargin", self.inputs, shown, constants)
        opsets = [helper.make_opsetid(domain, version) for domain, version in OPSETS.items()]
        made = helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION)
        made.producer_name = "maxmargin"
        onnx.checker.check_model(made)
        return made

    def _needed(self, last: list[Any]) -> list[Any]:
        """Return the nodes that the last ones need, in order."""
        needed = {name for node in last for name in node.input}
        kept = []
        for node in reversed(self.nodes):
            if needed.intersection(node.output):
                needed.update(node.input)
                kept.append(node)
        return [*reversed(kept), *last]


def _as_constant(value: Any) -> NDArray[Any]:
    array = np.asarray(value)
    if array.dtype.kind in "US":
        return array.astype(object)
    if array.dtype.kind == "f" and array.dtype != np.float32:
        return np.ascontiguousarray(array, np.float64)
    if array.dtype.kind in "iu":
        return np.array(array, np.int64)
    return np.array(array)


class Tensor:
    """A value in the graph; operators follow NumPy."""

    __array_ufunc__ = None

    def __init__(self, graph: Graph, name: str) -> None:
        self.graph, self.name = graph, name

    def _two(self, kind: str, other: Any, swapped: bool = False) -> Tensor:
        if isinstance(other, int | float) and not isinstance(other, bool):
            if kind in ("Mul", "Div") and not (kind == "Div" and swapped):
                return self._scaled(kind, float(other))
            other = np.float64(other)
        pair = (other, self) if swapped else (self, other)
        return self.graph.node(kind, *pair)

    def _scaled(self, kind: str, by: float) -> Tensor:
        """Multiply or divide by a number; the factor of a product goes into its matrix.

        ONNX Runtime would fuse the two as well, with a factor of single precision.
        """
        made = self.graph.made.get(self.name)
        if made is not None and made.op_type == "MatMul":
            left, matrix = made.input
            factor = by if kind == "Mul" else 1.0 / by
            return self.graph.node(
                "MatMul", Tensor(self.graph, left), self.graph.arrays[matrix] * factor
            )
        found = self.graph.node(kind, self, np.float64(by))
        self.graph.factors[found.name] = (self, by if kind == "Mul" else 1.0 / by)
        return found

    def _one(self, kind: str, **attributes: Any) -> Tensor:
        return self.graph.node(kind, self, **attributes)

    def __add__(self, other: Any) -> Tensor:
        return self if self._is_product_plus_nothing(other) else self._two("Add", other)

    def _is_product_plus_nothing(self, other: Any) -> bool:
        """Return whether a runtime would leave out an addition, and fuse what comes after."""
        made = self.graph.made.get(self.name)
        if made is None or made.op_type != "MatMul" or not isinstance(other, np.ndarray):
            return False
        width = self.graph.arrays[made.input[1]].shape[1]
        return other.shape == (1, width) and not other.any()

    def __radd__(self, other: Any) -> Tensor:
        return self._two("Add", other, swapped=True)

    def __sub__(self, other: Any) -> Tensor:
        return self._two("Sub", other)

    def __rsub__(self, other: Any) -> Tensor:
        return self._two("Sub", other, swapped=True)

    def __mul__(self, other: Any) -> Tensor:
        return self._two("Mul", other)

    def __rmul__(self, other: Any) -> Tensor:
        return self._two("Mul", other, swapped=True)

    def __truediv__(self, other: Any) -> Tensor:
        return self._two("Div", other)

    def __rtruediv__(self, other: Any) -> Tensor:
        return self._two("Div", other, swapped=True)

    def __matmul__(self, other: Any) -> Tensor:
        source, factor = self.graph.factors.get(self.name, (self, 1.0))
        return self.graph.node("MatMul", source, np.asarray(other) * factor)

    def __neg__(self) -> Tensor:
        return self._one("Neg")

    def __gt__(self, other: Any) -> Tensor:
        return self._two("Greater", other)

    def __ge__(self, other: Any) -> Tensor:
        return self._two("GreaterOrEqual", other)

    def __lt__(self, other: Any) -> Tensor:
        return self._two("Less", other)

    def __le__(self, other: Any) -> Tensor:
        return self._two("LessOrEqual", other)

    def __and__(self, other: Any) -> Tensor:
        return self._two("And", other)

    def __or__(self, other: Any) -> Tensor:
        return self._two("Or", other)

    def __invert__(self) -> Tensor:
        return self._one("Not")

    def __pow__(self, other: Any) -> Tensor:
        return self._two("Pow", other)

    def equals(self, other: Any) -> Tensor:
        """Return where both are equal."""
        return self.graph.node("Equal", self, other)

    def exp(self) -> Tensor:
        """Return e to the power of each number."""
        return self._one("Exp")

    def log(self) -> Tensor:
        """Return natural logarithms."""
        return self._one("Log")

    def sqrt(self) -> Tensor:
        """Return square roots."""
        return self._one("Sqrt")

    def tanh(self) -> Tensor:
        """Return hyperbolic tangents; ONNX Runtime's own are of single precision."""
        small = (self.abs() * -2.0).exp()
        size = (1.0 - small) / (1.0 + small)
        return (self < 0.0).where(-size, size)

    def cos(self) -> Tensor:
        """Return cosines."""
        return self._one("Cos")

    def abs(self) -> Tensor:
        """Return absolute values."""
        return self._one("Abs")

    def floor(self) -> Tensor:
        """Return the next whole numbers below."""
        return self._one("Floor")

    def isnan(self) -> Tensor:
        """Return where numbers are missing."""
        return self._one("IsNaN")

    def as_kind(self, kind: str) -> Tensor:
        """Return the values as another kind."""
        return self._one("Cast", to=KINDS[kind])

    def clip(self, low: float | None, high: float | None) -> Tensor:
        """Limit numbers."""
        found = self if low is None else self._two("Max", float(low))
        return found if high is None else found._two("Min", float(high))

    def sum(self, axis: int = 1) -> Tensor:
        """Add up an axis, which stays with length 1."""
        return self.graph.node("ReduceSum", self, np.array([axis]))

    def max(self, axis: int = 1) -> Tensor:
        """Return the largest of an axis, which stays with length 1."""
        return self.graph.node("ReduceMax", self, np.array([axis]))

    def running(self, axis: int = 1) -> Tensor:
        """Return running sums, which are added in order."""
        return self.graph.node("CumSum", self, np.int64(axis))

    def argmax(self) -> Tensor:
        """Return the first place of the largest of each row, of shape (rows,)."""
        return self._one("ArgMax", axis=1, keepdims=0)

    def take(self, places: Any, axis: int = 1) -> Tensor:
        """Return columns, or rows, by their places; a single place drops the axis."""
        places = places if isinstance(places, Tensor) else np.asarray(places, np.int64)
        return self.graph.node("Gather", self, places, axis=axis)

    def shaped(self, *shape: int) -> Tensor:
        """Return the same values in another shape; -1 is what is left, 0 what it was."""
        return self.graph.node("Reshape", self, np.array(shape, np.int64))

    def transposed(self, *axes: int) -> Tensor:
        """Return the values with axes in another order."""
        return self._one("Transpose", perm=list(axes))

    def where(self, yes: Any, no: Any) -> Tensor:
        """Choose by flags."""
        return self.graph.node("Where", self, yes, no)

    def beside(self, *others: Any) -> Tensor:
        """Return tensors side by side."""
        return self.graph.node("Concat", self, *others, axis=1) if others else self

    def filled(self, value: Any, width: int) -> Tensor:
        """Return as many rows as there are here, of so many columns with a value each."""
        rows = self.graph.node("Shape", self, start=0, end=1)
        shape = self.graph.node("Concat", rows, np.array([width]), axis=0)
        return self.graph.node("Expand", np.asarray(value), shape)


def beside(parts: Sequence[Tensor]) -> Tensor:
    """Return tensors side by side.

    Parameters
    ----------
    parts : sequence of Tensor
        Of shape (rows, columns).

    Returns
    -------
    Tensor
    """
    first, *others = parts
    return first.beside(*others)


def softmax(z: Tensor) -> Tensor:
    """Return shares of each row, as this package computes them.

    Parameters
    ----------
    z : Tensor
        Of shape (rows, classes).

    Returns
    -------
    Tensor
    """
    below = z - z.max()
    return (below - below.exp().sum().log()).exp()


def expit(z: Tensor) -> Tensor:
    """Return 1 / (1 + exp(-z)), without overflow.

    Parameters
    ----------
    z : Tensor

    Returns
    -------
    Tensor
    """
    small = (-z.abs()).exp()
    return (z >= 0.0).where(1.0 / (1.0 + small), small / (1.0 + small))
