"""Multi-block local binary patterns: which of the cells around the middle are not darker than it.

    ┌───┬───┬───┐
    │128│ 64│ 32│    code = the sum of the numbers of the cells with
    ├───┼───┼───┤    a sum of pixels at least that of the middle
    │  1│   │ 16│
    ├───┼───┼───┤    (Zhang, Chu, Xiang, Liao and Li 2007)
    │  2│  4│  8│
    └───┴───┴───┘

A code is a category, one of 256: it says which pattern, and not how much of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from maxmargin.ops.engine import engine_of
from maxmargin.vision.columns import FeatureColumns
from maxmargin.vision.windows import Windows, check_window


class LBPFeatures:
    """Multi-block local binary patterns of a window.

    Parameters
    ----------
    window : (int, int), default=(24, 24)
        Width and height. Cells of all sizes of which three by three fit are used, at all positions.

    Attributes
    ----------
    cells : ndarray of int16 of shape (features, 4)
        x and y of the upper left cell, and width and height of each.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.vision import LBPFeatures
    >>> features = LBPFeatures(window=(3, 3))
    >>> features.values(np.array([[[9, 0, 0], [0, 5, 0], [0, 0, 5]]], dtype=np.uint8))
    array([[136.]], dtype=float32)
    """

    family = "LBP"

    def __init__(self, window: tuple[int, int] = (24, 24)) -> None:
        self.window = width, height = check_window(window)
        sizes = [(w, h) for w in range(1, width // 3 + 1) for h in range(1, height // 3 + 1)]
        self.cells = np.array(
            [
                (x, y, w, h)
                for w, h in sizes
                for y in range(height - 3 * h + 1)
                for x in range(width - 3 * w + 1)
            ],
            dtype=np.int16,
        )
        self.cells.setflags(write=False)

    @classmethod
    def from_cells(cls, window: tuple[int, int], cells: Any) -> Self:
        """Make features of given cells.

        Parameters
        ----------
        window : (int, int)
        cells : array-like of shape (features, 4)

        Returns
        -------
        features : LBPFeatures

        Raises
        ------
        ValueError
            Where a cell reaches out of the window.
        """
        made = cls.__new__(cls)
        made.window = check_window(window)
        made.cells = np.array(cells, dtype=np.int16).reshape(-1, 4)
        made.cells.setflags(write=False)
        made.__restored__()
        return made

    def __restored__(self) -> None:
        """Raise for arrays that compiled loops cannot use safely."""
        if self.cells.ndim != 2 or self.cells.shape[1] != 4:
            raise ValueError("Cells of LBP features must be of shape (features, 4).")
        x, y, w, h = self.cells.T.astype(np.int64)
        outside = (x < 0) | (y < 0) | (w < 1) | (h < 1)
        outside |= (x + 3 * w > self.window[0]) | (y + 3 * h > self.window[1])
        if outside.any():
            k, (width, height) = int(outside.argmax()), self.window
            raise ValueError(f"Feature {k} reaches out of the window of {width} x {height} pixels.")

    def __len__(self) -> int:
        return len(self.cells)

    def __getitem__(self, which: Any) -> Self:
        """Take some of them: a slice, a mask or numbers."""
        return type(self).from_cells(self.window, self.cells[which])

    def __iter__(self) -> Iterator[Self]:
        return (self[k] for k in range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LBPFeatures):
            return NotImplemented
        return self.window == other.window and np.array_equal(self.cells, other.cells)

    def __hash__(self) -> int:
        return hash((self.window, self.cells.tobytes()))

    def __repr__(self) -> str:
        return f"<{len(self)} LBP features of {self.window[0]} x {self.window[1]} pixels>"

    @cached_property
    def corners(self) -> NDArray[np.int64]:
        """Columns and rows of the corners of cells, row after row: of shape (features, 16, 2)."""
        x, y, w, h = self.cells.T.astype(np.int64)[:, :, None, None]
        down, right = np.indices((4, 4))
        return np.stack([x + right * w, y + down * h], axis=-1).reshape(-1, 16, 2)

    def values(self, windows: Any) -> NDArray[np.float32]:
        """Find the codes of all features in all windows.

        Parameters
        ----------
        windows : Windows, or what ``Windows.of`` takes

        Returns
        -------
        codes : ndarray of float32 of shape (windows, features)
        """
        return self.columns(windows).block(np.arange(len(self))).T

    def columns(self, windows: Any) -> FeatureColumns:
        """Return the codes in some windows as columns that are found when they are read.

        Parameters
        ----------
        windows : Windows, or what ``Windows.of`` takes

        Returns
        -------
        source : FeatureColumns
            A row a window and a column a feature, all of them categorical.
        """
        return FeatureColumns(self, Windows.of(windows))

    def fill(self, windows: Windows, chosen: NDArray[np.intp], out: NDArray[np.float32]) -> None:
        """out[k, i] = the code of feature chosen[k] in window i."""
        entry = self.corners[chosen] @ np.array([1, self.window[0] + 1])
        engine_of(out).haar.lbp_codes(windows.sums, entry, out)
