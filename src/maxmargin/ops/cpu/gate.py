"""A gate for threads inside compiled loops: nobody passes before all have come.

Threads that work on the same rounds meet several times in each, for which handing pieces back to
Python would take longer than the pieces. So they count themselves in one number of an array, and
wait for it; whoever has waited for long gives its core to others in between.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from maxmargin.ops.cpu.atomic import take_next
from maxmargin.ops.loop import njit

OPEN = 1  # the place that says so
_PATIENCE = 2_000  # looks, some tens of microseconds


@intrinsic  # type: ignore[misc, unused-ignore]
def _look(typing_context: Any, gate: Any, place: Any) -> Any:  # noqa: ARG001
    """Read a number of the gate as others have left it."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        return builder.load_atomic(builder.gep(data, [arguments[1]]), "acquire", 8)

    return types.int64(gate, place), generate


@intrinsic  # type: ignore[misc, unused-ignore]
def _call(typing_context: Any, address: Any) -> Any:  # noqa: ARG001
    """Call the function without arguments at an address."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        kind = ir.FunctionType(ir.IntType(32), [])
        builder.call(builder.inttoptr(arguments[0], kind.as_pointer()), [])
        return context.get_dummy_value()

    return types.void(address), generate


@njit(cache=True, nogil=True)
def meet(gate: Any, workers: int, rest: int) -> None:
    """Wait until all workers are here; ``rest`` is the address of what gives a core to others.

    Once the gate is open (``gate[OPEN]`` is not 0) nobody waits any more, now or later.
    """
    if workers == 1:
        return
    goal = (take_next(gate) // workers + 1) * workers
    looks = 0
    while _look(gate, 0) < goal and _look(gate, OPEN) == 0:
        looks += 1
        if looks > _PATIENCE and rest != 0:
            _call(rest)
