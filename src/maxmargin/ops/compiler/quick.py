"""Numba's compiler with what makes the first fit wait left out.

Most of the seconds of a first fit are Numba's own Python code, not LLVM. Measured on the loops of
``SVC``: half of eight goes to four things that are of no use here.

- A wrapper for C callers around every loop, and one for Python around those that only other
  loops call; theirs are the names with an underscore.
- Machine code of the latter, and a file for it. LLVM puts them into their callers and optimises
  them there, whatever was done before: a linear fit spent a second of three and a half on it.
- Python's collector of cycles, which looks through the ever more objects of a compiler that keeps
  nearly all of them.
- Comparing compiler flags, for every operation that is given a type: Numba builds two
  dictionaries of two dozen options each time.

What is computed is the same. If a private part of Numba fails here, the loop is compiled by Numba's
own compiler from portable parts, and so are all later ones.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import numba
from numba.core import config
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, Flags

from maxmargin.ops.compiler import llvm, portable
from maxmargin.ops.compiler.plain import mode

_PARTS: Final = (
    "take_next",
    "look",
    "call",
    "prefetch",
    "larger",
    "smaller",
    "size",
    "power_of_two",
    "add_products",
)
_loops: Final[list[Any]] = []


class QuickFlags(Flags):
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
        if isinstance(other, QuickFlags) and self._values == other._values:
            return True
        return bool(super().__eq__(other))


class _QuickCompiler(Compiler):
    """Numba's compiler, with such flags and without the collector."""

    def __init__(self, *context: Any) -> None:
        *before, flags, local = context
        self._given = context
        super().__init__(*before, QuickFlags(flags), local)

    def compile_extra(self, function: Any) -> Any:
        """Compile a function, and what it calls."""
        with collector_at_rest(), compiler_awake():
            try:
                return self._compile(function)
            except MemoryError:
                raise
            except Exception as error:
                return self._compile_plainly(function, error)

    def _compile(self, function: Any) -> Any:
        return super().compile_extra(function)

    def _compile_plainly(self, function: Any, error: Exception) -> Any:
        """Compile a function from portable parts; raise the error if that fails as well."""
        typing, target, _, args, result, flags, local = self._given
        flags = flags.copy()
        flags.no_cpython_wrapper = False
        use_portable_parts()
        try:
            plain = Compiler(typing, target, None, args, result, flags, local)
            done = plain.compile_extra(function)
        except Exception:
            if not mode.plain:
                use_private_parts()
            raise error from None
        mode.switch(f"{type(error).__name__} in {function.__name__}")
        return done


class _PartLibrary(JITCodeLibrary):
    """Code that is optimised and made runnable inside of its callers."""

    def _optimize_final_module(self) -> None:
        """Leave it as it is written."""

    def _finalize_final_module(self) -> None:
        """Be ready to be linked."""
        self._finalized = True


class _PartCompiler(_QuickCompiler):
    """The same, for loops that only other loops call."""

    def _compile(self, function: Any) -> Any:
        """Compile a function as far as its callers need it."""
        context, self.state.flags.no_compile = self.state.targetctx, True
        self.state.library = _PartLibrary(context.codegen(), function.__qualname__)
        part = super()._compile(function)
        # Callers know it by its entry for Python, which is one of its own and leads to an error.
        entry: Any = set().pop
        context.insert_user_function(entry, part.fndesc, [part.library])
        return part._replace(entry_point=entry)


@contextmanager
def collector_at_rest() -> Iterator[None]:
    """Put off the collection of cycles; inside of itself it leaves that to the outermost."""
    awake = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if awake:
            gc.enable()


@contextmanager
def compiler_awake() -> Iterator[None]:
    """Compile where ``NUMBA_DISABLE_JIT`` is set, too: our loops are not made to run in Python."""
    asleep, config.DISABLE_JIT = config.DISABLE_JIT, 0
    try:
        yield
    finally:
        config.DISABLE_JIT = asleep


def quick_njit(function: Any, part: bool, options: dict[str, Any]) -> Any:
    """Return a dispatcher that compiles a function quickly.

    Parameters
    ----------
    function : callable
    part : bool
        Whether only other loops call it.
    options : dict
        Numba's, without ``cache``.
    """
    kind = _PartCompiler if part else _QuickCompiler
    options = {"pipeline_class": kind, **options}
    with compiler_awake():
        loop = numba.njit(no_cfunc_wrapper=True, no_cpython_wrapper=part, **options)(function)
    _loops.append(loop)
    return loop


def use_portable_parts() -> None:
    """Replace the private parts in what our loops refer to, before they are compiled again."""
    _replace(llvm, portable)


def use_private_parts() -> None:
    """Undo ``use_portable_parts``."""
    _replace(portable, llvm)


def _replace(old: Any, new: Any) -> None:
    other = {id(getattr(old, name)): getattr(new, name) for name in _PARTS}
    for loop in _loops:
        names = loop.py_func.__globals__
        names.update({name: other[id(x)] for name, x in list(names.items()) if id(x) in other})
