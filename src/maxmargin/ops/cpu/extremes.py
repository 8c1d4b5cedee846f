"""The larger and the smaller of two numbers and the size of one, as loops are vectorised with.

LLVM takes a running maximum into vector registers where it is written as its own ``maxnum``, told
that no NaN occurs; a comparison and a choice, which is what ``max`` compiles to, stays one number
at a time (measured on 2,048 values: 0.72 against 0.09 nanoseconds a value). For the same reason
loops that divide are compiled with ``error_model="numpy"``: Python's asks before every division
whether it is one by zero. They are quicker to compile, too: Numba's own ``max``, ``min`` and
``abs`` are functions that it compiles for every set of flags that they are called with.
"""

from maxmargin.ops.compiler.instruction import larger, size, smaller

__all__ = ["larger", "size", "smaller"]
