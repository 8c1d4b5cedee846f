"""Instructions that Numba has no function for, written as LLVM's.

``portable.py`` has the same names without private parts of Numba and llvmlite.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from maxmargin.ops.compiler.register_block import add_products

__all__ = [
    "add_products",
    "call",
    "larger",
    "look",
    "power_of_two",
    "prefetch",
    "size",
    "smaller",
    "take_next",
]

_FOR_READING, _TO_KEEP, _DATA = 0, 3, 1


@intrinsic
def take_next(_context: Any, counter: Any) -> Any:
    """Add 1 to counter[0] for all threads to see; gives what it was."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        return builder.atomic_rmw("add", data, ir.IntType(64)(1), "seq_cst")

    return types.int64(counter), codegen


@intrinsic  # type: ignore[misc, unused-ignore]
def look(typing_context: Any, gate: Any, place: Any) -> Any:  # noqa: ARG001
    """Read a number of the gate as others have left it."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        return builder.load_atomic(builder.gep(data, [arguments[1]]), "acquire", 8)

    return types.int64(gate, place), generate


@intrinsic  # type: ignore[misc, unused-ignore]
def call(typing_context: Any, address: Any) -> Any:  # noqa: ARG001
    """Call the function without arguments at an address."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        kind = ir.FunctionType(ir.IntType(32), [])
        builder.call(builder.inttoptr(arguments[0], kind.as_pointer()), [])
        return context.get_dummy_value()

    return types.void(address), generate


@intrinsic  # type: ignore[misc, unused-ignore]
def prefetch(typing_context: Any, array: Any, index: Any) -> Any:  # noqa: ARG001
    """Begin to load array[index], of one dimension and with an unsigned index."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        wide, word, byte = ir.IntType(64), ir.IntType(32), ir.IntType(8).as_pointer()
        place = arguments[1]
        place = place if place.type.width == wide.width else builder.zext(place, wide)
        kind = ir.FunctionType(ir.VoidType(), [byte, word, word, word])
        load = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
        address = builder.bitcast(builder.gep(data, [place]), byte)
        builder.call(load, [address, word(_FOR_READING), word(_TO_KEEP), word(_DATA)])
        return context.get_dummy_value()

    return types.void(array, index), generate


def _choose(name: str, builder: Any, args: Any) -> Any:
    kind = args[0].type
    function = builder.module.declare_intrinsic(name, [kind], ir.FunctionType(kind, [kind, kind]))
    return builder.call(function, args, fastmath=("nnan", "nsz"))


@intrinsic
def larger(_context: Any, a: Any, _b: Any) -> Any:
    """Return the larger of two numbers of one type."""

    def codegen(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return _choose("llvm.maxnum", builder, args)

    return a(a, a), codegen


@intrinsic
def smaller(_context: Any, a: Any, _b: Any) -> Any:
    """Return the smaller of two numbers of one type."""

    def codegen(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return _choose("llvm.minnum", builder, args)

    return a(a, a), codegen


@intrinsic
def size(_context: Any, a: Any) -> Any:
    """Return the absolute value of a number."""

    def codegen(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        kind = args[0].type
        function = builder.module.declare_intrinsic("llvm.fabs", [kind])
        return builder.call(function, args)

    return a(a), codegen


@intrinsic
def power_of_two(_context: Any, rounded: Any) -> Any:
    """Return 2**n, where n + bias sits in the lowest bits of ``rounded``; 0 for n = -bias."""
    integer, shift = (ir.IntType(64), 52) if rounded == types.float64 else (ir.IntType(32), 23)

    def codegen(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        bits = builder.shl(builder.bitcast(args[0], integer), ir.Constant(integer, shift))
        return builder.bitcast(bits, args[0].type)

    return rounded(rounded), codegen
