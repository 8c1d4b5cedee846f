"""Which values of a table or of labels are missing."""

from __future__ import annotations

from typing import Any

import numpy as np


def is_missing(value: Any) -> bool:
    """Return whether a value is None, NaN, NaT or pandas' NA.

    Examples
    --------
    >>> [is_missing(value) for value in (None, float("nan"), "nan", 0)]
    [True, True, False, False]
    """
    if value is None:
        return True
    if isinstance(value, str | bytes):
        return False
    same = value == value  # noqa: PLR0124  NaN is not itself, and pandas' NA does not know
    return isinstance(same, bool | np.bool_) is False or not same
