"""How loops are compiled: Numba's ``njit``, with what makes the first fit wait left out.

Most of the seconds of a first fit are Numba's own Python code, not LLVM. Measured on the loops of
``SVC``: a second and a half of eight goes to three things that nobody has a use for here.

- A wrapper for C callers around every loop, and one for Python around those that only other
  loops call; theirs are the names with an underscore.
- Python's collector of cycles, which looks through the ever more objects of a compiler that keeps
  nearly all of them.
- Comparing compiler flags, for every operation that is given a type: Numba builds two
  dictionaries of two dozen options each time.

What is compiled is the same.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numba
from numba.core.compiler import Compiler, Flags


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
        with _collector_at_rest():
            return super().compile_extra(function)


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


def njit(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile a loop when it is first called, as ``numba.njit`` with the same options does."""

    def compiled(function: Callable[..., Any]) -> Any:
        inner = function.__name__.startswith("_")
        return numba.njit(
            no_cfunc_wrapper=True,
            no_cpython_wrapper=inner,
            pipeline_class=_QuickCompiler,
            **options,
        )(function)

    return compiled
