"""Ask for memory before it is needed.

Rows in the order of a column, or in random order, are spread over an array that the cache of a core
may not hold and that is no stream to foresee. Their numbers are known in advance, so their values
can be on the way while others are added.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

_FOR_READING, _TO_KEEP, _DATA = 0, 3, 1


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
