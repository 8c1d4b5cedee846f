"""The best stump of all features for the weights of a round: every feature, every threshold.

Only the order of a feature's values matters to a stump, so windows are sorted by each feature once,
two bytes a window, and a round reads them all (``ops/cpu/stump_lines.py``). The features of a
pattern have 256 values, and of these the sums of weights are enough.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.ops.clock import stop_if_over
from maxmargin.ops.engine import engine_of
from maxmargin.ops.threads import Workers
from maxmargin.trees.columns import Columns
from maxmargin.trees.criterion import SignCriterion, on_grid
from maxmargin.trees.split import Split
from maxmargin.vision.haar import HaarFeatures
from maxmargin.vision.lbp import LBPFeatures
from maxmargin.vision.windows import Windows

Vector = NDArray[np.float64]

_SORTED = 64  # features that a thread evaluates and sorts at a time
_SCANNED = 256  # features that a thread reads at a time
_SHORT = 1 << 15  # windows whose numbers leave one of 16 bits free


class FeatureSearch:
    """All features in some windows, in order.

    Parameters
    ----------
    features : HaarFeatures or LBPFeatures
    windows : Windows
    workers : Workers
    max_bytes : int, default=None
        Memory for features in order; those that do not fit are sorted again in every round.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.ops.threads import Workers
    >>> from maxmargin.vision import HaarFeatures, Windows
    >>> windows = Windows.of(np.random.default_rng(0).integers(0, 256, size=(40, 6, 6)))
    >>> with Workers(1) as workers:
    ...     search = FeatureSearch(HaarFeatures((6, 6)), windows, workers)
    ...     search.best(np.repeat([-1.0, 1.0], 20)).feature
    117
    """

    def __init__(
        self,
        features: HaarFeatures | LBPFeatures,
        windows: Windows,
        workers: Workers,
        max_bytes: int | None = None,
    ) -> None:
        self._source, self._workers = features.columns(windows), workers
        self._coded = isinstance(features, LBPFeatures)
        self._type = np.dtype(np.uint16 if len(windows) <= _SHORT else np.uint32)
        self._mark = np.uint64(1 << (8 * self._type.itemsize - 1))
        if self._coded:
            self._type = np.dtype(np.uint8)
        self._count = len(features)
        kept = _fitting(self._count, self._type.itemsize * len(windows), max_bytes)
        self._lines = np.empty((kept, len(windows)), dtype=self._type)
        self._verbs = engine_of(self._lines).stump_lines
        self._warm(windows)
        workers.each(self._keep, _pieces(0, kept, _SORTED))

    def _warm(self, windows: Windows) -> None:
        """Sum up here what threads would otherwise each sum up."""
        self._source.block(np.arange(1))
        assert windows.sums is not None

    def _keep(self, piece: slice) -> None:
        stop_if_over()
        self._arrange(piece, self._lines[piece])

    def _arrange(self, piece: slice, lines: NDArray[Any]) -> None:
        """Evaluate some features and put the windows in their order."""
        values = self._source.block(np.arange(piece.start, piece.stop))
        if self._coded:
            lines[:] = values
        else:
            self._verbs.sort_lines(values.view(np.uint32), values, self._mark, lines)

    def best(self, signed: Vector) -> Split:
        """Find the stump of the least weighted error.

        Parameters
        ----------
        signed : ndarray of shape (windows,)
            w t, the weight of each window times its label of -1 or +1.

        Returns
        -------
        split : Split
            As ``Columns.best_sign`` gives it: of equals that of the first feature.
        """
        gain = self._gains(signed)
        criterion = SignCriterion(signed)
        best = float(gain.max())
        feature = int((gain >= best - criterion.slack(best)).argmax())
        column = self._source.block(np.array([feature])).T
        coded = np.array([self._coded])
        with Columns(column, coded, n_jobs=1) as columns:
            split = columns.best_sign(signed)
        return replace(split, feature=feature if split.feature == 0 else -1)

    def _gains(self, signed: Vector) -> Vector:
        """Return the edge of every feature."""
        rounded, total, _ = on_grid(signed)
        gain = np.empty(self._count)

        def scan(lines: NDArray[Any], first: int, stop: int, out: Vector) -> None:
            if self._coded:
                self._verbs.scan_codes(rounded, lines, first, stop, out)
            else:
                self._verbs.scan_lines(rounded, total, lines, self._mark, first, stop, out)

        def scan_again(piece: slice) -> None:
            stop_if_over()
            lines = np.empty((piece.stop - piece.start, len(signed)), dtype=self._type)
            self._arrange(piece, lines)
            scan(lines, 0, len(lines), gain[piece])

        kept = len(self._lines)
        pieces = _pieces(0, kept, _SCANNED)
        self._workers.each(lambda piece: scan(self._lines, piece.start, piece.stop, gain), pieces)
        self._workers.each(scan_again, _pieces(kept, self._count, _SORTED))
        return gain


def _pieces(first: int, stop: int, size: int) -> list[slice]:
    return [slice(k, min(k + size, stop)) for k in range(first, stop, size)]


def _fitting(count: int, each: int, max_bytes: int | None) -> int:
    return count if max_bytes is None else min(count, max_bytes // max(each, 1))
