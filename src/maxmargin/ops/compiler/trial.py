"""Try the private parts of Numba and llvmlite that loops are compiled with.

Nothing is compiled here: llvmlite writes one function with all instructions that our loops use and
checks it, and Numba's classes are searched for the methods that ours override. That takes about a
millisecond. A change that this cannot see shows itself when the first loop is compiled.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any


def first_failure() -> str | None:
    """Return what is missing or does not work, or None."""
    for trial in (_instructions_work, _compiler_is_known, _library_is_known):
        try:
            trial()
        except MemoryError:
            raise
        except Exception as error:  # whatever another release raises
            return f"{trial.__name__.strip('_').replace('_', ' ')}: {error}"
    return None


def _instructions_work() -> None:
    """Write a function that uses every instruction of ``llvm.py`` and check it."""
    from llvmlite import binding, ir  # noqa: PLC0415

    whole, number = ir.IntType(64), ir.DoubleType()
    pointer, vector = whole.as_pointer(), ir.VectorType(number, 2)
    module = ir.Module()
    kind = ir.FunctionType(number, [pointer, number, vector])
    builder = ir.IRBuilder(ir.Function(module, kind, "trial").append_basic_block())
    place, x, many = builder.function.args
    builder.atomic_rmw("add", place, whole(1), "seq_cst")
    builder.load_atomic(place, "acquire", 8)
    two = ir.FunctionType(number, [number, number])
    largest = module.declare_intrinsic("llvm.maxnum", [number], two)
    x = builder.call(largest, [x, x], fastmath=("nnan", "nsz"))
    fma = ir.Function(module, ir.FunctionType(vector, [vector] * 3), "llvm.fma.v2f64")
    many = builder.call(fma, [many] * 3)
    builder.shuffle_vector(many, many, ir.Constant(ir.VectorType(ir.IntType(32), 2), [0, 0]))
    builder.ret(builder.extract_element(many, ir.IntType(32)(0)))
    binding.parse_assembly(str(module)).verify()


def _compiler_is_known() -> None:
    from numba.core.compiler import Compiler, Flags  # noqa: PLC0415

    expected = ["self", "typingctx", "targetctx", "library", "args", "return_type", "flags"]
    _check_arguments(Compiler.__init__, [*expected, "locals"])
    _check_arguments(Compiler.compile_extra, ["self", "func"])
    flags = Flags()
    assert isinstance(flags.values(), dict)
    assert isinstance(flags._values, dict)


def _library_is_known() -> None:
    from numba.core.codegen import CPUCodegen, JITCodeLibrary  # noqa: PLC0415

    for name in ("_optimize_final_module", "_finalize_final_module"):
        _check_arguments(getattr(JITCodeLibrary, name), ["self"])
    _check_arguments(CPUCodegen.magic_tuple, ["self"])


def _check_arguments(function: Callable[..., Any], names: list[str]) -> None:
    found = list(inspect.signature(function).parameters)
    if found != names:
        raise TypeError(f"{function.__qualname__} takes {found}")
