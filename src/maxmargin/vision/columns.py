"""Values of features as columns, a row a window: a table that is never made but read in blocks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from maxmargin.trees.source import ColumnSource, Entries
from maxmargin.vision.windows import Windows


class Family(Protocol):
    """Features that can be evaluated in windows."""

    window: tuple[int, int]

    def __len__(self) -> int: ...

    def fill(self, windows: Windows, chosen: NDArray[np.intp], out: NDArray[Any]) -> None:
        """Evaluate some features, a line each."""
        ...


class FeatureColumns(ColumnSource):
    """Columns of feature values, computed when they are read.

    Parameters
    ----------
    features : HaarFeatures or LBPFeatures
    windows : Windows

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.boosting import Columns
    >>> from maxmargin.vision import HaarFeatures
    >>> windows = np.random.default_rng(0).integers(0, 256, size=(40, 6, 6)).astype(np.uint8)
    >>> source = HaarFeatures((6, 6)).columns(windows)
    >>> source.n_rows, source.n_columns
    (40, 669)
    >>> Columns(source).best_sign(np.repeat([-1.0, 1.0], 20)).feature
    117
    """

    def __init__(self, features: Family, windows: Windows) -> None:
        if windows.size != features.window:
            width, height = features.window
            raise ValueError(
                f"These features are of windows of {width} x {height} pixels; the windows given "
                f"are {windows.size[0]} x {windows.size[1]}: cut or resize them."
            )
        super().__init__(len(windows), len(features))
        self._features, self._windows = features, windows

    def block(self, columns: NDArray[np.intp]) -> NDArray[np.float32]:
        """Evaluate some features in all windows, of shape (features, windows)."""
        out = np.empty((len(columns), self.n_rows), dtype=np.float32)
        self._features.fill(self._windows, columns, out)
        return out

    def read(self, columns: NDArray[np.intp]) -> Sequence[Entries]:
        """Evaluate them."""
        return [Entries(line) for line in self.block(columns)]
