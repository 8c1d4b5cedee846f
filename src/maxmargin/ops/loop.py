"""How loops are compiled: Numba's ``njit``, with what makes the first fit wait left out.

Most of the seconds of a first fit are Numba's own Python code, not LLVM. Measured on the loops of
``SVC``: a second and a half of eight goes to the first three of these, which nobody has a use for
here; on those of ``AdaBoostClassifier`` three quarters of a second of five to the last.

- A wrapper for C callers around every loop, and one for Python around those that only other
  loops call; theirs are the names with an underscore.
- Python's collector of cycles, which looks through the ever more objects of a compiler that keeps
  nearly all of them.
- Comparing compiler flags, for every operation that is given a type: Numba builds two
  dictionaries of two dozen options each time.
- Optimising loops that only other loops call, making machine code of them and keeping it on disk:
  whoever calls them takes them in and optimises all of it anyway.

What is compiled is the same.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numba
from numba.core.codegen import JITCodeLibrary
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


class _NoEngine:
    """In place of what makes machine code, for a loop that has no address."""

    def set_env(self, name: str, env: Any) -> None:
        """Note what Python's own objects a loop would look up: none."""


class _TakenIn(JITCodeLibrary):
    """The code of a loop that others take in: they optimise it, and make machine code of it."""

    codegen = _NoEngine()

    def _optimize_final_module(self) -> None:
        """Leave it to them."""

    def _finalize_final_module(self) -> None:
        """Have it ready for them, which is all of it."""
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:  # noqa: ARG002
        """Give none."""
        self._ensure_finalized()
        return 0


class _QuickCompiler(Compiler):
    """Numba's compiler, with such flags and without the collector."""

    def __init__(self, *context: Any) -> None:
        *before, flags, local = context
        known = hasattr(flags, "_values")  # as in the versions of Numba that were tried
        super().__init__(*before, _QuickFlags(flags) if known else flags, local)

    def compile_extra(self, function: Any) -> Any:
        """Compile a function, and what it calls."""
        if self.state.flags.no_cpython_wrapper and self.state.library is None:
            self.state.library = _TakenIn(self.state.targetctx.codegen(), function.__qualname__)
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
        kept = options | {"cache": options.get("cache", False) and not inner}
        return numba.njit(
            no_cfunc_wrapper=True,
            no_cpython_wrapper=inner,
            pipeline_class=_QuickCompiler,
            **kept,
        )(function)

    return compiled
