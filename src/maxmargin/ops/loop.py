"""How loops are compiled: Numba's ``njit``, with what makes the first fit wait left out.

Most of the seconds of a first fit are Numba's own Python code, not LLVM. Measured on the loops of
``SVC``: half of eight goes to four things that nobody has a use for here.

- A wrapper for C callers around every loop, and one for Python around those that only other
  loops call; theirs are the names with an underscore.
- Machine code of the latter, and a file for it. LLVM puts them into their callers and optimises
  them there, whatever was done before: a linear fit spent a second of three and a half on it.
- Python's collector of cycles, which looks through the ever more objects of a compiler that keeps
  nearly all of them.
- Comparing compiler flags, for every operation that is given a type: Numba builds two
  dictionaries of two dozen options each time.

What is computed is the same.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numba
from numba.core import config
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, Flags

from maxmargin.ops.loop_cache import keep


class _QuickFlags(Flags):
    """Flags that list their values, and make a hash of them, only when some were set anew."""

    _of: Any = None

    def values(self) -> dict[str, Any]:
        """List the values of all options."""
        self._look()
        return self._listed

    def _look(self) -> None:
        if self._of != self._values:
            self._listed: dict[str, Any] = super().values()
            self._hash = hash(tuple(sorted(self._listed)))
            self._of = dict(self._values)

    def __hash__(self) -> int:
        self._look()
        return self._hash

    def __eq__(self, other: object) -> bool:
        if isinstance(other, _QuickFlags) and self._values == other._values:
            return True
        return bool(super().__eq__(other))


class _QuickCompiler(Compiler):
    """Numba's compiler, with such flags and without the collector."""

    def __init__(self, *context: Any) -> None:
        *before, flags, local = context
        known = hasattr(flags, "_values")  # as in the versions of Numba that were tried
        super().__init__(*before, _QuickFlags(flags) if known else flags, local)

    def compile_extra(self, function: Any) -> Any:
        """Compile a function, and what it calls."""
        with _collector_at_rest(), _compiler_awake():
            return super().compile_extra(function)


class _PartLibrary(JITCodeLibrary):
    """Code that is optimised and made runnable inside of its callers."""

    def _optimize_final_module(self) -> None:
        """Leave it as it is written."""

    def _finalize_final_module(self) -> None:
        """Be ready to be linked."""
        self._finalized = True


class _PartCompiler(_QuickCompiler):
    """The same, for loops that only other loops call."""

    def compile_extra(self, function: Any) -> Any:
        """Compile a function as far as its callers need it."""
        context, self.state.flags.no_compile = self.state.targetctx, True
        self.state.library = _PartLibrary(context.codegen(), function.__qualname__)
        part = super().compile_extra(function)
        # Callers know it by its entry for Python, which is one of its own and leads to an error.
        entry: Any = set().pop
        context.insert_user_function(entry, part.fndesc, [part.library])
        return part._replace(entry_point=entry)


@contextmanager
def _collector_at_rest() -> Iterator[None]:
    """Put off the collection of cycles; inside of itself it leaves that to the outermost."""
    awake = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if awake:
            gc.enable()


@contextmanager
def _compiler_awake() -> Iterator[None]:
    """Compile where ``NUMBA_DISABLE_JIT`` is set, too: our loops are not made to run in Python."""
    asleep, config.DISABLE_JIT = config.DISABLE_JIT, 0
    try:
        yield
    finally:
        config.DISABLE_JIT = asleep


def njit(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile a loop when it is first called, as ``numba.njit`` with the same options does."""

    def compiled(function: Callable[..., Any]) -> Any:
        part = function.__name__.startswith("_")
        kept = options.get("cache", False) and not part
        kind = {"pipeline_class": _PartCompiler} if part else {}
        with _compiler_awake():
            loop = numba.njit(
                no_cfunc_wrapper=True,
                no_cpython_wrapper=part,
                **{"pipeline_class": _QuickCompiler, **options, **kind, "cache": False},
            )(function)
        return keep(loop) if kept else loop

    return compiled
