"""Images made smaller, in whole numbers."""

from __future__ import annotations

from typing import Any

import numpy as np


def resize(image: Any, rows: Any, down: Any, columns: Any, right: Any, out: Any) -> None:
    """out[y, x] lies between four pixels, ``down`` and ``right`` 256ths of the way."""
    padded = np.pad(image.astype(np.int64), ((0, 1), (0, 1)), mode="edge")
    down, rows, columns = down.astype(np.int64)[:, None], rows[:, None], columns[None, :]
    right = right.astype(np.int64)[None, :]
    upper = padded[rows, columns] * (256 - right) + padded[rows, columns + 1] * right
    lower = padded[rows + 1, columns] * (256 - right) + padded[rows + 1, columns + 1] * right
    out[:] = (upper * (256 - down) + lower * down + (1 << 15)) >> 16
