"""Whether a value is what a part is declared to be: files say anything."""

from __future__ import annotations

from functools import cache
from numbers import Integral, Real
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np

_NUMBERS: dict[Any, tuple[type, ...]] = {
    bool: (bool, np.bool_),
    int: (Integral,),
    float: (Real,),
}


@cache
def hints_of(kind: type) -> dict[str, Any]:
    """Return the declared types of a class's parts."""
    return get_type_hints(kind)


def fits(value: Any, hint: Any) -> bool:
    """Return whether a value is of a declared type, as far as types can be told from values.

    Examples
    --------
    >>> fits(1, float | None), fits("1", float), fits(("a", 1), tuple[str, ...])
    (True, False, False)
    >>> fits(np.zeros(2), np.ndarray[Any, np.dtype[np.int32]])
    False
    """
    origin, parts = get_origin(hint), get_args(hint)
    if hasattr(origin, "__value__"):  # an alias by a statement, as newer releases of NumPy have
        return fits(value, origin.__value__[parts])
    if origin in (Union, UnionType):
        return any(fits(value, part) for part in parts)
    if origin is tuple:
        return isinstance(value, tuple) and _all_fit(value, parts)
    if origin is np.ndarray:
        return isinstance(value, np.ndarray) and _holds(value, parts[-1])
    if isinstance(origin, type):
        return isinstance(value, origin)
    return _is_of(value, hint)


def _all_fit(values: tuple[Any, ...], parts: tuple[Any, ...]) -> bool:
    if parts[1:] == (...,):
        return all(fits(each, parts[0]) for each in values)
    return len(values) == len(parts) and all(map(fits, values, parts))


def _holds(array: Any, dtype: Any) -> bool:
    """Return whether an array is of a dtype, or of one of a family such as all integers."""
    kinds = [kind for kind in get_args(dtype) if isinstance(kind, type) and kind is not Any]
    return all(issubclass(array.dtype.type, kind) for kind in kinds)


def _is_of(value: Any, hint: Any) -> bool:
    if hint is None or hint is type(None):
        return value is None
    if hint is Any or not isinstance(hint, type) or getattr(hint, "_is_protocol", False):
        return True
    if isinstance(value, bool | np.bool_) and hint in (int, float):
        return False
    return isinstance(value, _NUMBERS.get(hint, (hint,)))
