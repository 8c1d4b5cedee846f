"""How loops are compiled: ``numba.njit``, made quicker where the private parts of Numba work."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba

from maxmargin.ops.compiler.loop_cache import keep
from maxmargin.ops.compiler.plain import is_plain


def njit(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile a loop when it is first called, as ``numba.njit`` with the same options does."""

    def compiled(function: Callable[..., Any]) -> Any:
        part = function.__name__.startswith("_")
        kept = options.get("cache", False) and not part
        loop = _dispatcher(function, part, {**options, "cache": False})
        return keep(loop) if kept else loop

    return compiled


def _dispatcher(function: Any, part: bool, options: dict[str, Any]) -> Any:
    if is_plain():
        return numba.njit(**options)(function)
    from maxmargin.ops.compiler.quick import quick_njit  # noqa: PLC0415  (it may not import)

    return quick_njit(function, part, options)
