"""The obvious version of ``ops.cpu.stump``: all splits of a run at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.ops.kinds import LAST, ROW
from maxmargin.ops.split_score import edge


def _sides(values: Any, rows: Any, begin: Any, end: Any) -> tuple[Any, Any]:
    """Sum the sides of all splits of a run, and say after which of its rows they are."""
    run = rows[int(begin) : int(end)]
    sums = np.cumsum(values[run & ROW], axis=0)
    ends = np.flatnonzero(run >= LAST)
    return sums[ends], ends


def scan_runs(criterion: Any, arguments: tuple[Any, ...]) -> None:
    """gain[r] = the best score of run r, for the runs order[first:stop]."""
    values, total, rows, start, order, first, stop, shift, gain = arguments
    for r in order[first:stop]:
        sums, _ = _sides(values, rows, start[r], start[r + 1])
        missing = shift[int(r) // 2]
        all_sides = np.vstack([np.zeros_like(missing), sums])
        here, there = criterion(all_sides, total), criterion(all_sides + missing, total)
        gain[r] = max(here.max(), there.max())


def place_in_run(criterion: Any, arguments: tuple[Any, ...]) -> int:
    """Find the first (or last) split of a run that reaches the target, and its sums."""
    values, total, rows, begin, end, shift, target, last, side = arguments
    sums, ends = _sides(values, rows, begin, end)
    sums = sums + side
    here, there = criterion(sums, total), criterion(sums + shift, total)
    reached = np.flatnonzero(np.maximum(here, there) >= target)
    if len(reached) == 0:
        return 0
    k = reached[-1 if last else 0]
    along = last if min(here[k], there[k]) >= target else there[k] > here[k]
    side[:] = sums[k] + shift if along else sums[k]
    return int(-(ends[k] + 1) if along else ends[k] + 1)


def sum_run(values: Any, rows: Any, begin: int, end: int, sums: Any) -> None:
    """Add up a part of a run."""
    sums[:] = values[rows[int(begin) : int(end)] & ROW].sum(axis=0)


def scan_sign(values: Any, *arguments: Any) -> None:
    """gain[r] = the largest edge of run r, for the runs order[first:stop]."""
    scan_runs(edge, (values[:, None], *arguments))


def place_sign(values: Any, *arguments: Any) -> int:
    """Find the first (or last) split of a run that reaches the target, and the sums of its side."""
    return place_in_run(edge, (values[:, None], *arguments))


def sum_sign(values: Any, *arguments: Any) -> None:
    """Add up a part of a run."""
    sum_run(values[:, None], *arguments)


def mark_side(rows: Any, begin: int, end: int, side: bool, right: Any) -> None:
    """right[i] = side, for the rows of a part of a run."""
    right[rows[int(begin) : int(end)] & ROW] = side
