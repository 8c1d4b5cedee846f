"""The obvious version of ``ops.cpu.stump_lines``: all splits of a column at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.ops.kinds import CODES


def sort_lines(bits: Any, values: Any, mark: Any, order: Any) -> None:  # noqa: ARG001
    """order[f] = the rows in order of values[f], with a mark where the next value differs."""
    for line, out in zip(values, order, strict=True):
        rows = np.argsort(line, kind="stable")
        differs = np.append(np.diff(line[rows]) != 0, True)
        out[:] = rows + differs * int(mark)


def scan_lines(
    signed: Any, total: float, order: Any, mark: Any, first: int, stop: int, gain: Any
) -> None:
    """gain[f] = the largest edge of line f, for the lines from first to stop."""
    for f in range(first, stop):
        line = order[f].astype(np.int64)
        sides = np.cumsum(signed[line % int(mark)])[line >= int(mark)]
        gain[f] = np.abs(total - 2.0 * np.append(sides, 0.0)).max()


def scan_codes(signed: Any, codes: Any, first: int, stop: int, gain: Any) -> None:
    """gain[f] = the edge of codes[f] when every code goes to its better side."""
    for f in range(first, stop):
        gain[f] = np.abs(np.bincount(codes[f], signed, CODES)).sum()
