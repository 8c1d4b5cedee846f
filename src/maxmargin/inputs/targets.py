"""Targets of a regression: one finite number a row."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import column_or_1d

from maxmargin.inputs.vectors import is_plain_line


def check_targets(y: Any) -> NDArray[np.float64]:
    """Return targets as a vector of finite numbers."""
    column = y if is_plain_line(y) else column_or_1d(y, warn=True)
    try:
        target = column.astype(np.float64)
    except (TypeError, ValueError):
        raise ValueError("y must be numbers: a regression predicts a quantity.") from None
    if not np.isfinite(target).all():
        row = int(np.flatnonzero(~np.isfinite(target))[0])
        raise ValueError(f"Input y contains NaN or infinity (row {row}); drop such rows first.")
    return target
